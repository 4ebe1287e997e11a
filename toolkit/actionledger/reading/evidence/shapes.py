"""From a value to the calls in it: objects, maps, pairs, texts and Python calls; each deviation is a named repair."""

from collections.abc import Sequence
from typing import Any

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Span
from actionledger.core.values.calls import parameters_of
from actionledger.core.vocabulary import Reason, RepairKind
from actionledger.reading.dialects.base import Written
from actionledger.reading.dialects.parts.value_faults import unless_doubtful
from actionledger.reading.evidence.arguments import (
    ARGUMENT_KEYS,
    WRAPPER_KEYS,
    Deviations,
    NoCallError,
    arguments_in,
    holds_call,
    in_order,
)
from actionledger.reading.evidence.names import NAME_KEYS, Names, is_misspelt_key
from actionledger.reading.evidence.rests import EXPRESSION
from actionledger.reading.tolerant_json import Call, Decoded, decode
from actionledger.reading.tolerant_json.faults import DecodeOptions

_PRINTING = frozenset(
    {"print", "asyncio.run", "pprint", "display", "json.dumps", "str", "repr", "console.log", "list", "await"}
)
_RECORDS = frozenset(
    {"result", "results", "output", "response", "status", "error", "returned", "observation", "duration"}
)
"""The keys next to a call that state its result."""

_BESIDE = frozenset({"id", "type", "index", "call_id"})
_CALLED = regex(r"[\w.\\-]+")
_STATES_CALL = regex(r"\s*+(?:[\[{]|[\w.\\]++\()")
_MOST_LEVELS = 6


class Shapes:
    """Takes calls from values, and notes each deviation."""

    def __init__(self, text: str, names: Names, offer: frozenset[str], options: DecodeOptions) -> None:
        self.text = text
        self.names = names
        self.offer = offer
        self.options = options
        self.deviations = Deviations(text)
        self.issues: list[Issue] = []
        self._decoded: list[Decoded] = []
        self._from = 0

    def calls_in(self, decoded: Decoded) -> list[Written]:
        """Return the calls in a value."""
        self._from = decoded.start
        self._decoded.append(decoded)
        self.deviations.repairs += decoded.repairs
        self.issues += decoded.issues
        try:
            return self._calls(decoded.value, Span(decoded.start, decoded.end), _MOST_LEVELS)
        finally:
            self._decoded.pop()

    def _calls(self, value: Any, span: Span, levels: int) -> list[Written]:
        if levels <= 0:
            raise NoCallError(Reason.NOT_AN_ACTION, span)
        span = self._place(value, span)
        match value:
            case Call():
                return self._of_call(value, span, levels)
            case dict():
                return self._of_object(value, span, levels)
            case list():
                return self._of_list(value, span, levels)
            case str():
                return self._of_text(value, span, levels)
            case _:
                raise NoCallError(Reason.NOT_AN_ACTION, span)

    def _place(self, value: Any, span: Span) -> Span:
        """Return the span of an object or a call. Texts and lists have no span of their own: they get the enclosing one."""
        return self._decoded[-1].span_of(value) if isinstance(value, dict | Call) else span

    # A Python call

    def _of_call(self, call: Call, span: Span, levels: int) -> list[Written]:
        spelt = _CALLED.match(self.text, span.start)
        name = self.names.meant(spelt[0]) if spelt else None
        if spelt is None or name is None:
            return self._printed(call, span, levels)
        paren = self.text.find("(", spelt.end())
        head = Span(span.start, paren + 1)
        arguments = arguments_in(call, parameters_of(self.offer, name), span)
        self._check(arguments, spelt[0], name, span)
        self._note_head(head, spelt[0], name)
        if call.arguments:
            order = ", ".join(arguments)
            self.deviations.add(RepairKind.POSITIONAL_ARGUMENT, Span(head.end, head.end), f"{order}: ")
        return [Written(name, arguments, span)]

    def _check(self, arguments: JsonMap, spelt: str, name: str, span: Span) -> None:
        """Refuse expressions as arguments, and arguments that don't fit the tool of a name without its module."""
        if holds_call(arguments):
            raise NoCallError(Reason.WRONG_SHAPE, span, EXPRESSION)
        if self.names.is_short(spelt, name):
            parameters = parameters_of(self.offer, name)
            if parameters is None or not arguments or not arguments.keys() <= set(parameters):
                raise NoCallError(
                    Reason.UNKNOWN_ACTION, span, f"The name is {spelt[:80]!r}; it was not offered."
                )

    def _note_head(self, head: Span, spelt: str, name: str) -> None:
        """Note that a call is Python, has a module or another spelling."""
        at = head.start
        while self.names.meant(spelt) == name and "." in spelt and _is_module(self.names, spelt, name):
            module, _, spelt = spelt.partition(".")
            at += len(module) + 1
        if at > head.start:
            self.deviations.add(RepairKind.MODULE_PREFIX, Span(head.start, at), "")
        if spelt != name:
            self.deviations.add(RepairKind.NAME_SPELLING, Span(at, at + len(spelt)), name)
            at += len(spelt)
        self.deviations.add(
            RepairKind.CALL_AS_TEXT, Span(at, head.end), f'{{"name": "{name}", "arguments": {{'
        )

    def _printed(self, call: Call, span: Span, levels: int) -> list[Written]:
        """Return calls whose results are only printed."""
        if call.name not in _PRINTING or call.keywords or not call.arguments:
            raise NoCallError(
                Reason.UNKNOWN_ACTION, span, f"The name is {call.name[:80]!r}; it was not offered."
            )
        if not all(isinstance(item, Call | list) for item in call.arguments):
            raise NoCallError(Reason.EXAMPLE, span, "It prints more than a call.")
        inner = self._decoded[-1].span_of(call.arguments[0])
        begins = inner.start if inner.start > span.start else self.text.find("(", span.start) + 1
        self.deviations.add(RepairKind.CALL_IN_PRINT, Span(span.start, begins), "")
        return [written for item in call.arguments for written in self._calls(item, span, levels - 1)]

    # Objects

    def _of_object(self, item: JsonDict, span: Span, levels: int) -> list[Written]:
        for key in NAME_KEYS:
            stated = item.get(key)
            if isinstance(stated, str) and (name := self.names.meant(stated.strip())):
                return [self._named(item, key, name, span)]
        if mapped := self._mapped(item, span):
            return mapped
        for key in (key for key in WRAPPER_KEYS if key in item):
            held = item[key]
            is_nested = isinstance(held, dict | list | Call) or (
                isinstance(held, str) and _STATES_CALL.match(held)
            )
            if held and is_nested and _are_plain(item, key):
                return self._calls(held, span, levels - 1)
        named = next((item[key] for key in NAME_KEYS[:4] if isinstance(item.get(key), str)), None)
        if named is not None and item.keys() & set(ARGUMENT_KEYS[:4]):
            detail = f"The name is {named[:80]!r}; it was not offered."
            raise NoCallError(Reason.UNKNOWN_ACTION, span, detail)
        if key := self._misspelt_key(item):
            raise NoCallError(Reason.WRONG_SHAPE, span, f"The key {key!r} is none that has a name.")
        raise NoCallError(Reason.NOT_AN_ACTION, span)

    def _misspelt_key(self, item: JsonDict) -> str:
        """Return the key that is nearly a key of names, with an offered name and arguments next to it; empty if none."""
        for key, held in item.items():
            if isinstance(held, str) and is_misspelt_key(key) and (name := self.names.meant(held.strip())):
                rest = item.keys() - {key}
                parameters = parameters_of(self.offer, name)
                if rest & set(ARGUMENT_KEYS) or (rest and parameters and rest <= set(parameters)):
                    return key
        return ""

    def _named(self, item: JsonDict, key: str, name: str, span: Span) -> Written:
        holders = [each for each in ARGUMENT_KEYS if each in item and each != key]
        parameters = parameters_of(self.offer, name)
        rest = {each: held for each, held in item.items() if each != key and each not in _BESIDE}
        identifier = item.get("id", item.get("call_id"))
        if not holders or (parameters and set(rest) <= set(parameters) and holders != ["arguments"]):
            arguments = self._flat(rest, parameters, span)
        else:
            arguments = self._held(item, holders, name, span)
            strange = [each for each in rest if each not in holders]
            if _RECORDS & set(strange) and not set(strange) & set(parameters or ()):
                raise NoCallError(Reason.EXAMPLE, span, "It is a record of a call, with what came of it.")
            if strange:
                listed = ", ".join(repr(each[:40]) for each in strange[:5])
                self.issues.append(Issue(Reason.UNKNOWN_FIELD, span, f"No part of a call: {listed}."))
        self._check(arguments, item[key], name, span)
        self.deviations.key(RepairKind.NAME_KEY, key, "name", span)
        if item[key] != name:
            self.deviations.text_as(item[key], name, span)
        return Written(
            name, arguments, span, identifier if isinstance(identifier, str) and identifier else None
        )

    def _flat(self, rest: JsonDict, parameters: Sequence[str] | None, span: Span) -> JsonDict:
        """Return arguments next to the name."""
        if not rest:
            return {}
        if parameters is None or not set(rest) <= set(parameters):
            raise NoCallError(Reason.WRONG_SHAPE, span, "Expected the arguments as one object.")
        self.deviations.add(RepairKind.FLAT_ARGUMENTS, Span(span.start, span.start), '"arguments": ')
        return rest

    def _held(self, item: JsonMap, holders: list[str], name: str, span: Span) -> JsonDict:
        filled = [holder for holder in holders if item[holder] not in (None, "", {}, [])] or holders[:1]
        if len(filled) > 1:
            detail = f"The arguments may be {filled[0]!r} or {filled[1]!r}."
            raise NoCallError(Reason.AMBIGUOUS, span, detail)
        self.deviations.key(RepairKind.ARGUMENT_KEY, filled[0], "arguments", span)
        return self._arguments(item[filled[0]], name, span)

    def _arguments(self, held: Any, name: str, span: Span) -> JsonDict:
        """Return the arguments that a value holds: an object, its text, or values in the schema's order."""
        if isinstance(held, dict):
            parameters = parameters_of(self.offer, name)
            is_strange = parameters is not None and bool(held) and not held.keys() & set(parameters)
            if (isinstance(held.get("properties"), dict) and is_strange is not False) or (
                is_strange and "description" in held
            ):
                raise NoCallError(Reason.EXAMPLE, span, "It describes the tool.")
            return held
        if held is None or held in ("", []):
            return {}
        if isinstance(held, str):
            decoded = decode(held, options=self.options)
            if (
                decoded.ok
                and not decoded.cut
                and not held[decoded.end :].strip()
                and isinstance(decoded.value, dict)
            ):
                self.deviations.nested(held, decoded.value, span)
                return decoded.value
        if isinstance(held, list):
            if len(held) == 1 and isinstance(held[0], dict):
                return held[0]
            given = in_order(held, {}, parameters_of(self.offer, name))
            if given is not None:
                self.deviations.add(
                    RepairKind.POSITIONAL_ARGUMENT, Span(span.start, span.start), f"{', '.join(given)}: "
                )
                return given
        raise NoCallError(Reason.WRONG_SHAPE, span, "Expected the arguments as one object.")

    def _mapped(self, item: JsonDict, span: Span) -> list[Written]:
        """Return the calls of ``{"f": {…}}``, in which texts such as a thought may be other values."""
        meant = {key: name for key in item if (name := self.names.meant(key))}
        if not meant or not all(
            key in meant or not isinstance(held, dict | list) for key, held in item.items()
        ):
            return []
        if not all(item[key] is None or isinstance(item[key], dict | list | str) for key in meant):
            return []
        written: list[Written] = []
        for key, name in meant.items():
            held = item[key]
            several = (
                held
                if isinstance(held, list) and held and all(isinstance(one, dict) for one in held)
                else [held]
            )
            for one in several:
                place = self._place(one, span)
                arguments = self._arguments(one, name, span)
                if holds_call(arguments):
                    raise NoCallError(Reason.WRONG_SHAPE, span, EXPRESSION)
                written.append(Written(name, arguments, place if len(several) + len(meant) > 2 else span))
            if key != name:
                self.deviations.text_as(key, name, span)
        self.deviations.add(RepairKind.TOOL_MAP, Span(span.start, span.start), '{"name": ')
        return written

    # Lists and texts

    def _of_list(self, items: list[Any], span: Span, levels: int) -> list[Written]:
        if pair := self._pair(items, span):
            return pair
        written: list[Written] = []
        problems: list[NoCallError] = []
        for item in items:
            try:
                written += self._calls(item, span, levels - 1)
            except NoCallError as error:
                if error.issue.code not in {Reason.UNKNOWN_ACTION, Reason.NOT_AN_ACTION}:
                    raise
                problems.append(error)
        if not written:
            raise problems[0] if problems else NoCallError(Reason.NOT_AN_ACTION, span)
        self.issues += [problem.issue for problem in problems]
        return written

    def _pair(self, items: list[Any], span: Span) -> list[Written]:
        """Return the call of ``["f", {…}]``."""
        if len(items) != 2 or not isinstance(items[0], str) or not isinstance(items[1], dict | list):
            return []
        name = self.names.meant(items[0].strip())
        if name is None:
            return []
        arguments = self._arguments(items[1], name, span)
        if holds_call(arguments):
            raise NoCallError(Reason.WRONG_SHAPE, span, EXPRESSION)
        self.deviations.text_as(items[0], f'{{"name": "{name}", "arguments": ', span, RepairKind.CALL_AS_PAIR)
        return [Written(name, arguments, span)]

    def _of_text(self, value: str, span: Span, levels: int) -> list[Written]:
        """Return the calls in a text: ``"f(a=1)"``, or JSON encoded once too often."""
        if not _STATES_CALL.match(value):
            raise NoCallError(Reason.NOT_AN_ACTION, span)
        at = self.text.find(value, max(self._from, span.start), span.end)
        if at < 0:
            return self._encoded(value, span, levels)
        decoded = unless_doubtful(self.text, decode(self.text, at, options=self.options, end=at + len(value)))
        if not decoded.ok or decoded.cut or self.text[decoded.end : at + len(value)].strip(" \t\r\n;"):
            raise _unread(decoded, span)
        self.deviations.add(RepairKind.CALL_AS_STRING, Span(at - 1, at), "")
        written = self.calls_in(decoded)
        self._from = at + len(value)
        return written

    def _encoded(self, value: str, span: Span, levels: int) -> list[Written]:
        """Return the calls of an escaped text, whose places differ from those of the response."""
        inner = Shapes(value, self.names, self.offer, self.options)
        decoded = unless_doubtful(value, decode(value, options=self.options))
        if not decoded.ok or decoded.cut or value[decoded.end :].strip() or levels <= 1:
            raise _unread(decoded, span)
        written = inner.calls_in(decoded)
        self.deviations.nested(value, decoded.value, span)
        return [each._replace(span=span) for each in written]


def is_envelope(item: JsonMap, name: str, names: Names, parameters: Sequence[str] | None) -> bool:
    """Return whether an object after a name repeats that name and holds the arguments."""
    if parameters is not None and item.keys() <= set(parameters):
        return False
    states_name = any(isinstance(item.get(key), str) and names.meant(item[key]) == name for key in NAME_KEYS)
    return states_name and any(isinstance(item.get(key), dict | str) for key in ARGUMENT_KEYS)


def _is_module(names: Names, spelt: str, name: str) -> bool:
    """Return whether the part before the first dot is a module rather than part of the name."""
    rest = spelt.partition(".")[2]
    return names.meant(rest) == name


def _are_plain(item: JsonMap, but: str) -> bool:
    return all(
        key == but or not isinstance(held, dict | list | Call) or not held for key, held in item.items()
    )


def _unread(decoded: Decoded, span: Span) -> NoCallError:
    if decoded.cut:
        return NoCallError(Reason.TRUNCATED, span)
    return NoCallError(decoded.issues[0].code if decoded.issues else Reason.TEXT_AFTER_VALUE, span)
