"""Calls written as JSON objects: what names a call, what holds its arguments, and where it stands.

What is around the objects (tags, special tokens, fences, nothing) is the dialects' business; how they are found and
decoded is that of ``values``.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import Reason
from actionledger.reading.dialects.base import Written
from actionledger.reading.tolerant_json import STRICT, Decoded, decode

_BESIDE = frozenset({"id", "type", "index"})
_SHAPE = 'Expected an object with a string "name" and an object "arguments", or a list of them.'


@dataclass(frozen=True, slots=True)
class Keys:
    """Which keys of an object make it a call.

    Args:
        names: the keys that may hold the tool's name.
        arguments: the keys that may hold its arguments.
        identifier: the key that may hold the call's identifier.
    """

    names: tuple[str, ...] = ("name",)
    arguments: tuple[str, ...] = ("arguments", "parameters")
    identifier: str = "id"


class Call(NamedTuple):
    """One call as an object says it.

    Args:
        name: the tool's name.
        arguments: its arguments.
        call_id: the identifier that the object gives it.
        states_arguments: whether the object has arguments, be they empty.
        strange: the keys that are no part of a call.
    """

    name: str
    arguments: dict[str, Any]
    call_id: str | None
    states_arguments: bool
    strange: tuple[str, ...]


MARKED = Keys()
"""The keys behind a marker. Templates write either key for the arguments, and models mix them up."""


def call_of(item: object, keys: Keys = MARKED) -> Call | None:
    """Read an object as a call.

    The wrapper of OpenAI's interface (``{"type": "function", "function": {…}}``) may be around it. Without arguments it
    is a call that needs none, unless other keys stand there that may have been meant as arguments.
    """
    if not isinstance(item, dict):
        return None
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


def arguments_of(value: object) -> dict[str, Any] | None:
    """Return the arguments that a value stands for: an object, or one as JSON text (OpenAI's interface writes that).

    Null and an empty text say that there are none.
    """
    if isinstance(value, str):
        if not value.strip():
            return {}
        decoded = decode(value, options=STRICT)
        value = decoded.value if decoded.ok and not value[decoded.end :].strip() else value
    if value is None:
        return {}
    return value if isinstance(value, dict) else None


def _identifier(item: Mapping[str, Any], keys: Keys) -> dict[str, str]:
    identifier = item.get(keys.identifier)
    return {keys.identifier: identifier} if isinstance(identifier, str) and identifier else {}


def calls_in(values: Sequence[Decoded], keys: Keys = MARKED) -> tuple[list[Written], list[Issue]] | Issue:
    """Return the calls that values hold, each an object or a list of objects; what is cut off is passed over."""
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
    """Yield each value, or each element of a list, with its place; what the end of the text cuts off is passed over."""
    for decoded in values:
        for item in decoded.value if isinstance(decoded.value, list) else [decoded.value]:
            if not decoded.cut or not decoded.is_cut(item):
                yield item, decoded.span_of(item)
