"""A call's arguments: by name, as one object, or in the schema's order; each deviation from a plain object is a repair."""

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
    """The deviations noted while parsing a text's calls."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.repairs: list[Repair] = []

    def add(self, kind: RepairKind, span: Span, after: str) -> None:
        """Note that a span is read as another text; do nothing if both are equal."""
        before = span.of(self.text)
        if before != after:
            self.repairs.append(Repair(kind, span, before, after))

    def key(self, kind: RepairKind, key: str, known: str, span: Span) -> None:
        """Note that an object's key is read as a known one."""
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
        """Note that a text in a span is read as another one, by default as a tool's name."""
        at = self.text.find(written, span.start, span.end)
        place = Span(at, at + len(written)) if at >= 0 else Span(span.start, span.start)
        self.add(kind, place, after)

    def nested(self, written: str, value: Any, span: Span) -> None:
        """Note that a text was parsed as JSON."""
        at = self.text.find(written, span.start, span.end)
        place = Span(at - 1, at) if at > span.start else Span(span.start, span.start)
        after = "" if at > span.start else json.dumps(value, ensure_ascii=False, default=str)[:200]
        self.add(RepairKind.NESTED_JSON, place, after)


def tidied(repairs: Sequence[Repair]) -> list[Repair]:
    """Return repairs in text order. If two overlap, keep the first, unless the other says how the call deviates."""
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
"""The keys under which models put the arguments."""

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
    """A value holds no call, or an unreadable one: ``not_an_action`` for data, ``example`` for code or a description."""

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
    """Give unnamed arguments the parameter names in the schema's order; None if that is impossible."""
    if parameters is None or len(given) > len(parameters) or set(parameters[: len(given)]) & named.keys():
        return None
    return dict(zip(parameters, given, strict=False)) | dict(named)


def holds_call(value: object) -> bool:
    """Return whether a value holds a call anywhere, which makes it an expression rather than a literal."""
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
    """Yield every text in a value and in its calls."""
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
    """Return ``dict(a=1)`` as the object that it makes, and any other value unchanged."""
    if isinstance(value, Call) and value.name == "dict" and not value.arguments:
        return value.keywords
    return value


def _are_arguments(value: JsonMap, parameters: Sequence[str] | None) -> bool:
    """Return whether an object holds all arguments instead of being the first one."""
    return parameters is None or not parameters or bool(value.keys() & set(parameters)) or not value
