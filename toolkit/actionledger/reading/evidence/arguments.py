"""The arguments of a call: by name, as one object, or in the schema's order; each deviation from a plain object is a repair."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.values import Issue, Repair, Span
from actionledger.core.vocabulary import Reason, RepairKind
from actionledger.reading.tolerant_json import Call
from actionledger.reading.tolerant_json.faults import JSON_REPAIRS


class Deviations:
    """What was noted while the calls of a text were read.

    Args:
        text: the response, or what stands in it with escapes.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.repairs: list[Repair] = []

    def add(self, kind: RepairKind, span: Span, after: str) -> None:
        """Note that a stretch is read as another text; nothing where that is the same."""
        before = span.of(self.text)
        if before != after:
            self.repairs.append(Repair(kind, span, before, after))

    def key(self, kind: RepairKind, key: str, known: str, span: Span) -> None:
        """Note that a key of an object stands for a known one."""
        if key == known or (kind is RepairKind.ARGUMENT_KEY and key == "parameters"):
            return
        found = re.search(rf"""["']?(?P<key>{re.escape(key)})["']?\s*+[:=]""", span.of(self.text))
        place = (
            Span(*(span.start + at for at in found.span("key"))) if found else Span(span.start, span.start)
        )
        self.add(kind, place, known)

    def text_as(
        self, written: str, after: str, span: Span, kind: RepairKind = RepairKind.NAME_SPELLING
    ) -> None:
        """Note that a text within a stretch is read as another one, by default as the name of a tool."""
        at = self.text.find(written, span.start, span.end)
        place = Span(at, at + len(written)) if at >= 0 else Span(span.start, span.start)
        self.add(kind, place, after)

    def nested(self, written: str, value: Any, span: Span) -> None:
        """Note that a text was read as the JSON that it holds."""
        at = self.text.find(written, span.start, span.end)
        place = Span(at - 1, at) if at > span.start else Span(span.start, span.start)
        after = "" if at > span.start else json.dumps(value, ensure_ascii=False, default=str)[:200]
        self.add(RepairKind.NESTED_JSON, place, after)


def tidied(repairs: Sequence[Repair]) -> list[Repair]:
    """Return repairs in text order; of those that overlap the first, unless another one says how the call deviates."""
    kept: list[Repair] = []
    for repair in sorted(repairs, key=lambda repair: repair.span):
        if not kept or repair.span.start >= kept[-1].span.end:
            kept.append(repair)
        elif repair.kind not in JSON_REPAIRS and kept[-1].kind in JSON_REPAIRS:
            kept[-1] = repair
    return kept


ARGUMENT_KEYS = (
    *("arguments", "parameters", "params", "args", "input", "inputs", "kwargs", "action_input", "tool_input"),
    *("tool_args", "tool_arguments", "tool_parameters", "function_args", "function_arguments"),
    *(
        "function_parameters",
        "action_args",
        "action_params",
        "action_parameters",
        "arguments_json",
        "parameter",
    ),
    *("argument", "payload"),
)
"""The keys that models give what holds the arguments."""

WRAPPER_KEYS = (
    *("tool_calls", "function_calls", "tool_call", "function_call", "calls", "call", "actions", "action"),
    *(
        "functions",
        "function",
        "tools",
        "tool",
        "tool_uses",
        "tool_use",
        "steps",
        "api_calls",
        "answer",
        "response",
    ),
)
"""The keys that models put around calls."""


class NoCallError(Exception):
    """A value states no call, or one that can't be read.

    Args:
        code: why not: ``not_an_action`` where it is data, ``example`` where it is code or a description.
        span: where.
        detail: the particulars, for people.
    """

    def __init__(self, code: Reason, span: Span, detail: str = "") -> None:
        super().__init__(code)
        self.issue = Issue(code, span, detail)


def arguments_in(call: Call, parameters: Sequence[str] | None, span: Span) -> JsonDict:
    """Return the arguments of a Python call by name."""
    given = [_plain(value) for value in call.arguments]
    named = {key: _plain(value) for key, value in call.keywords.items()}
    if len(given) == 1 and not named and isinstance(given[0], dict) and _are_arguments(given[0], parameters):
        return given[0]
    arguments = in_order(given, named, parameters) if given else named
    if arguments is None:
        raise NoCallError(Reason.WRONG_SHAPE, span, "Expected arguments with their names.")
    return arguments


def in_order(given: Sequence[Any], named: JsonMap, parameters: Sequence[str] | None) -> JsonDict | None:
    """Return arguments without names under those of the parameters in the schema's order; None where that can't be."""
    if parameters is None or len(given) > len(parameters) or set(parameters[: len(given)]) & named.keys():
        return None
    return dict(zip(parameters, given, strict=False)) | dict(named)


def holds_call(value: object) -> bool:
    """Return whether a call stands anywhere in a value: it is an expression then, and no literal."""
    stack: list[object] = [value]
    while stack:
        match stack.pop():
            case Call():
                return True
            case dict() as held:
                stack.extend(held.values())
            case list() as held:
                stack.extend(held)
    return False


def texts_in(value: object) -> Iterator[str]:
    """Yield every text in a value, those of its calls included."""
    stack: list[object] = [value]
    while stack:
        match stack.pop():
            case str() as text:
                yield text
            case Call() as call:
                stack += [*call.arguments, *call.keywords.values()]
            case dict() as held:
                stack.extend(held.values())
            case list() as held:
                stack.extend(held)


def _plain(value: Any) -> Any:
    """Return ``dict(a=1)`` as the object that it makes; anything else as it is."""
    if isinstance(value, Call) and value.name == "dict" and not value.arguments:
        return value.keywords
    return value


def _are_arguments(value: JsonMap, parameters: Sequence[str] | None) -> bool:
    """Return whether one object holds all arguments, rather than being the first of them."""
    return parameters is None or not parameters or bool(value.keys() & set(parameters)) or not value
