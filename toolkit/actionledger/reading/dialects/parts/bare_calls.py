"""What makes a call of JSON that stands without a marker: what it looks like is all that says that it is one.

So it has to look like nothing else. Names that were offered are the strongest evidence: where they are known, only they
make a call; where they aren't, an object needs a name and arguments, and nothing beside them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from actionledger.core.values import Issue, Span
from actionledger.core.values.calls import parameters_of
from actionledger.core.vocabulary import Reason
from actionledger.reading.dialects.base import Written
from actionledger.reading.dialects.parts.json_calls import Call, Keys, call_of, whole_items
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json import Decoded

_LOOK_AHEAD = 4_000
_FIRST_KEY = re.compile(
    r"""\[?+\s*+\{\s*+["']?+(?:type|id|name|function|tool|arguments|parameters|args)["']?+\s*+:"""
)
_FIRST_KEY_AROUND = re.compile(r"""\{\s*+["']?+(?:thought|tool_calls)["']?+\s*+:""")
_NAME = re.compile(r"""(?<!\w)["']?+(?:name|function|tool)["']?+\s*+:\s*+["'](?P<name>[^"'\n]{1,120})["']""")
_ARGUMENTS = re.compile(r"""(?<!\w)["']?+(?:arguments|parameters|args)["']?+\s*+:""")
_CUT_ARGUMENTS = re.compile(r"""\s*+,\s*+["'](?:arg|par)\w*+["']?+\s*+\Z""")
_MAP = re.compile(r"""[\[\s]*+\{\s*+["'](?P<name>[^"'\n]{1,120})["']\s*+:\s*+[{n]""")


@dataclass(frozen=True, slots=True)
class BareRule:
    """When bare JSON is a call.

    Args:
        keys: which keys name the tool and hold the arguments.
        maps: whether ``{tool: {arguments}}`` is a call, where the tool was offered.
        unwraps: whether calls may stand in a list under ``tool_calls``, with nothing but a ``thought`` beside it.
    """

    keys: Keys
    maps: bool
    unwraps: bool = False

    def calls_in(
        self, values: tuple[Decoded, ...], names: frozenset[str] | None
    ) -> tuple[list[Written], list[Issue]] | None:
        """Return the calls that values hold; what is cut off is passed over."""
        written: list[Written] = []
        issues: list[Issue] = []
        is_data = True
        for item, span in self._items(values):
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

    def _items(self, values: tuple[Decoded, ...]) -> Iterator[tuple[Any, Span]]:
        """Yield what may be calls, each with its place; see ``whole_items``."""
        for decoded in values:
            listed = _listed(decoded.value) if self.unwraps else None
            if listed is None:
                yield from whole_items((decoded,))
            else:
                yield from (
                    (item, decoded.span_of(item))
                    for item in listed
                    if not decoded.cut or not decoded.is_cut(item)
                )

    def _call(self, item: object, names: frozenset[str] | None) -> Call | None:
        call = call_of(item, self.keys)
        if call is None or call.strange or _is_schema(call.arguments):
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
        """Return whether what begins here, and is not quite JSON, was meant as a call.

        It was if it begins like one, and names a tool that was offered or, if it is unknown which were, speaks of
        arguments.
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
    """Return the next match of a pattern before an end; it may be far behind that, and is looked for once."""
    at = source.search(pattern, start, len(source.text))
    return pattern.match(source.text, at, end) if at < end else None


def _listed(value: object) -> list[Any] | None:
    """Return the list of calls that an object is around, if it is around one."""
    if not isinstance(value, dict) or not value.keys() <= {"tool_calls", "thought"}:
        return None
    listed = value.get("tool_calls")
    return listed if isinstance(listed, list) else None


def _describes(held: dict[str, Any], parameters: tuple[str, ...] | None) -> bool:
    """Return whether what stands behind a tool's name describes it, and has none of its parameters."""
    return (
        parameters is not None and bool(held) and not held.keys() & set(parameters) and "description" in held
    )


def _is_schema(arguments: dict[str, Any]) -> bool:
    """Return whether the arguments are a JSON Schema: a tool is described, not called."""
    return arguments.get("type") in {"object", "dict"} and isinstance(arguments.get("properties"), dict)
