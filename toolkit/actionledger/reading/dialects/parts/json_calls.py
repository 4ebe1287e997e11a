"""Calls written as JSON objects: the keys of name and arguments, where calls are, and how those without a marker look.

The dialects handle the text around the objects (tags, special tokens, fences, nothing); ``json_values`` finds and decodes them.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Span
from actionledger.core.values.calls import parameters_of
from actionledger.core.vocabulary import Reason
from actionledger.reading.dialects.base import Written
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json import STRICT, Decoded, decode

_USUAL = 2
"""The number of keys of most calls: a name and an object with the arguments."""

_BESIDE = frozenset({"id", "type", "index"})
_OF_SCHEMAS = ("object", "dict")  # compared one by one, since an argument may be a list, which a set refuses
_SHAPE = 'Expected an object with a string "name" and an object "arguments", or a list of them.'


@dataclass(frozen=True, slots=True)
class Keys:
    """Which keys of an object make it a call."""

    names: tuple[str, ...] = ("name",)  # the keys that may hold the tool's name
    arguments: tuple[str, ...] = ("arguments", "parameters")  # the keys that may hold its arguments
    identifier: str = "id"  # the key that may hold the call's identifier


class Call(NamedTuple):
    """One call as its object states it."""

    name: str  # the tool's name
    arguments: JsonDict
    call_id: str | None  # the identifier in the object
    states_arguments: bool  # whether the object has arguments, even empty ones
    strange: tuple[str, ...]  # the keys that are no part of a call


MARKED = Keys()
"""The keys after a marker. Templates write either key for the arguments, and models mix them up."""


def call_of(item: object, keys: Keys = MARKED) -> Call | None:
    """Read an object as a call.

    It may be in the wrapper of OpenAI's interface (``{"type": "function", "function": {…}}``). An object without arguments
    is a call that needs none, unless other keys may have been meant as arguments.
    """
    if not isinstance(item, dict):
        return None
    if len(item) == _USUAL:
        (named, name), (holder, arguments) = item.items()
        is_usual = named in keys.names and holder in keys.arguments and type(name) is str
        if is_usual and type(arguments) is dict and name.strip():
            return Call(name, arguments, None, True, ())
    wrapped = item.get("function")
    if isinstance(wrapped, dict):
        return (
            call_of(wrapped | _identifier(item, keys), keys)
            if item.keys() <= _BESIDE | {"function"}
            else None
        )
    names = [key for key in keys.names if key in item]
    holders = [key for key in keys.arguments if key in item]
    if len(names) != 1 or len(holders) > 1:
        return None
    name, stated = item[names[0]], {*names, *holders}
    beside = _BESIDE | {keys.identifier}
    strange = (
        tuple(key for key in item if key not in stated and key not in beside)
        if len(item) > len(stated)
        else ()
    )
    arguments = arguments_of(item[holders[0]]) if holders else None if strange else {}
    if arguments is None or not isinstance(name, str) or not name.strip():
        return None
    return Call(name, arguments, _identifier(item, keys).get(keys.identifier), bool(holders), strange)


def arguments_of(value: object) -> JsonDict | None:
    """Return a value's arguments: an object, or one as JSON text (as in OpenAI's interface).

    Null and an empty text mean no arguments.
    """
    if isinstance(value, str):
        if not value.strip():
            return {}
        decoded = decode(value, options=STRICT)
        value = decoded.value if decoded.ok and not value[decoded.end :].strip() else value
    if value is None:
        return {}
    return value if isinstance(value, dict) else None


def _identifier(item: JsonMap, keys: Keys) -> dict[str, str]:
    identifier = item.get(keys.identifier)
    return {keys.identifier: identifier} if isinstance(identifier, str) and identifier else {}


def calls_in(values: Sequence[Decoded], keys: Keys = MARKED) -> tuple[list[Written], list[Issue]] | Issue:
    """Return the calls in values, each an object or a list of objects; cut-off ones are skipped."""
    written: list[Written] = []
    issues: list[Issue] = []
    for item, span in whole_items(values):
        if (call := call_of(item, keys)) is None:
            return Issue(Reason.WRONG_SHAPE, span, _SHAPE)
        written.append(Written(call.name, call.arguments, span, call.call_id))
        if call.strange:
            names = ", ".join(repr(key[:40]) for key in call.strange[:5])
            issues.append(Issue(Reason.UNKNOWN_FIELD, span, f"No part of a call: {names}."))
    return written, issues


def whole_items(values: Sequence[Decoded]) -> Iterator[tuple[Any, Span]]:
    """Yield each value, or each element of a list, with its place; cut-off ones are skipped."""
    for decoded in values:
        yield from _whole_items(decoded)


def _whole_items(decoded: Decoded) -> Iterable[tuple[Any, Span]]:
    items = decoded.value if isinstance(decoded.value, list) else [decoded.value]
    if decoded.cut:
        items = [item for item in items if not decoded.is_cut(item)]
    return zip(items, decoded.spans_of(items), strict=True)


_LOOK_AHEAD = 4_000
_FIRST_KEY = regex(
    r"""\[?+\s*+\{\s*+["']?+(?:type|id|name|function|tool|arguments|parameters|args)["']?+\s*+:"""
)
_FIRST_KEY_AROUND = regex(r"""\{\s*+["']?+(?:thought|tool_calls)["']?+\s*+:""")
_NAME = regex(r"""(?<!\w)["']?+(?:name|function|tool)["']?+\s*+:\s*+["'](?P<name>[^"'\n]{1,120})["']""")
_ARGUMENTS = regex(r"""(?<!\w)["']?+(?:arguments|parameters|args)["']?+\s*+:""")
_CUT_ARGUMENTS = regex(r"""\s*+,\s*+["'](?:arg|par)\w*+["']?+\s*+\Z""")
_MAP = regex(r"""[\[\s]*+\{\s*+["'](?P<name>[^"'\n]{1,120})["']\s*+:\s*+[{n]""")


@dataclass(frozen=True, slots=True)
class BareRule:
    """When bare JSON is a call."""

    keys: Keys  # which keys name the tool and hold the arguments
    maps: bool  # whether `{tool: {arguments}}` is a call if the tool was offered
    # whether calls may be in a list under `tool_calls`, with only a `thought` next to it
    unwraps: bool = False

    def calls_in(
        self, values: tuple[Decoded, ...], names: frozenset[str] | None
    ) -> tuple[list[Written], list[Issue]] | None:
        """Return the calls in values; cut-off ones are skipped."""
        written: list[Written] = []
        issues: list[Issue] = []
        is_data = True
        for item, span in [pair for decoded in values for pair in self._items(decoded)]:
            if call := self._call(item, names):
                is_data = False
                if names is None or call.name in names:
                    written.append(Written(call.name, call.arguments, span, call.call_id))
                else:
                    detail = f"The name is {call.name[:80]!r}; it was not offered."
                    issues.append(Issue(Reason.UNKNOWN_ACTION, span, detail))
            elif mapped := self._map(item, names, span, values):
                is_data = False
                written.extend(mapped)
            else:
                issues.append(Issue(Reason.NOT_AN_ACTION, span))
        return None if is_data else (written, issues)

    def _items(self, decoded: Decoded) -> Iterable[tuple[Any, Span]]:
        """Return a value's possible calls, each with its place; see ``whole_items``."""
        listed = _listed(decoded.value) if self.unwraps else None
        if listed is None:
            return _whole_items(decoded)
        return [
            (item, decoded.span_of(item)) for item in listed if not decoded.cut or not decoded.is_cut(item)
        ]

    def _call(self, item: object, names: frozenset[str] | None) -> Call | None:
        call = call_of(item, self.keys)
        # Whether the arguments are a JSON Schema: a tool is described, not called.
        if call is None or call.strange:
            return None
        arguments = call.arguments
        if isinstance(arguments.get("properties"), dict) and arguments.get("type") in _OF_SCHEMAS:
            return None
        return call if call.states_arguments or (names and call.name in names) else None

    def _map(
        self, item: object, names: frozenset[str] | None, span: Span, values: tuple[Decoded, ...]
    ) -> list[Written]:
        if not self.maps or not names or not isinstance(item, dict) or not item.keys() <= names:
            return []
        if not all(isinstance(arguments, dict) for arguments in item.values()):
            return []
        if any(_describes(held, parameters_of(names, name)) for name, held in item.items()):
            return []
        if len(item) == 1:
            return [Written(name, held, span) for name, held in item.items()]
        spans = {id(held): place for decoded in values for held, place in decoded.located}
        return [Written(name, held, spans[id(held)]) for name, held in item.items()]

    def is_data(self, values: tuple[Decoded, ...], names: frozenset[str] | None) -> bool:
        """Return whether there are values, and none of them is a call."""
        return any(True for _ in whole_items(values)) and self.calls_in(values, names) is None

    def is_meant(self, source: Source, start: int, end: int) -> bool:
        """Return whether invalid JSON that begins here was meant as a call.

        It was if it begins like one, and names an offered tool or, if the offered ones are unknown, mentions arguments.
        """
        text, names = source.text, source.names
        end = min(end, start + _LOOK_AHEAD)
        begins = _FIRST_KEY.match(text, start, end) or (
            self.unwraps and _FIRST_KEY_AROUND.match(text, start, end)
        )
        named = _ahead(_NAME, source, start, end) if begins else None
        if names is not None:
            key = _MAP.match(text, start, end) if self.maps else None
            return any(match is not None and match["name"] in names for match in (named, key))
        if named is None:
            return False
        arguments = _ahead(_ARGUMENTS, source, start, end) or _CUT_ARGUMENTS.match(text, named.end(), end)
        return arguments is not None


def _ahead(pattern: re.Pattern[str], source: Source, start: int, end: int) -> re.Match[str] | None:
    """Return the next match of a pattern before an end; the search is cached, since the match may be far after it."""
    at = source.search(pattern, start, len(source.text))
    return pattern.match(source.text, at, end) if at < end else None


def _listed(value: object) -> list[Any] | None:
    """Return the list of calls in an object, if it has one."""
    if not isinstance(value, dict) or not value.keys() <= {"tool_calls", "thought"}:
        return None
    listed = value.get("tool_calls")
    return listed if isinstance(listed, list) else None


def _describes(held: JsonDict, parameters: tuple[str, ...] | None) -> bool:
    """Return whether the object after a tool's name describes it, and has none of its parameters."""
    return (
        parameters is not None and bool(held) and not held.keys() & set(parameters) and "description" in held
    )
