"""References from an action's arguments to the results of other actions of the same response. Pure.

There are two spellings. ``"${action_1.task_id}"`` may be anywhere in the arguments, alone (then the value keeps its type) or within a longer
text. A field ``project_id_from: "action_1.project_id"`` stands for the field ``project_id``. The text after the first
dot is a path into the result: ``${search.items.0.id}``. Similar text, such as ``${HOME}`` in a script, is not a
reference: the name before the dot must be the id of an action of the response, or ``action_`` and a number.
"""

import re
from collections.abc import Callable, Collection, Iterator
from typing import Any

from pydantic_core import to_json

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.errors import ActionError
from actionledger.core.patterns import regex
from actionledger.core.values import Reference
from actionledger.core.vocabulary import Reason

MAX_FILLED = 1_000_000
"""The limit on what references add to the arguments of one action, in characters."""

_REFERENCE = regex(r"\$\{([^${}.\n]{1,200})\.([^${}\n]{1,200})\}")
_SUFFIX = "_from"
_CONTAINERS = (dict, list, str)
_BY_NUMBER = regex(r"action_[1-9][0-9]{0,8}")
_OWN_FIELDS = frozenset({"id", "depends_on"})
"""The fields that name actions; they can't contain results."""


def is_numbered(name: str) -> bool:
    """Return whether a name is that of an action by its number: ``action_1``, ``action_2``, …"""
    return _BY_NUMBER.fullmatch(name) is not None


def spelled_out(arguments: JsonDict, known: Collection[str]) -> JsonDict:
    """Return arguments with each ``<field>_from`` written as ``<field>: "${…}"``."""
    spelled = {
        name: field
        for name in arguments
        if name.endswith(_SUFFIX)
        and (field := name.removesuffix(_SUFFIX)) not in arguments
        and (field in known and name not in known)
        and _is_place(arguments[name])
    }
    if not spelled:
        return arguments
    others = {name: value for name, value in arguments.items() if name not in spelled}
    return others | {field: f"${{{arguments[name]}}}" for name, field in spelled.items()}


def _is_place(value: Any) -> bool:
    """Return whether a value is an action's id and a path into its result."""
    return isinstance(value, str) and _REFERENCE.fullmatch(f"${{{value}}}") is not None


def references_in(arguments: JsonMap, ids: Collection[str]) -> tuple[Reference, ...]:
    """Return the references in an action's arguments, in no particular order."""
    if not may_refer(arguments):
        return ()
    return tuple(
        Reference(".".join(map(str, path)), found[1], found[2])
        for path, text in _texts(arguments)
        for found in _REFERENCE.finditer(text)
        if _is_meant(found, ids)
    )


def filled(arguments: JsonMap, result_of: Callable[[str], Any], ids: Collection[str]) -> JsonDict:
    """Return an action's fields with each reference to an action of the response (one of ``ids``) replaced by its result."""
    return _Filling(result_of, ids).object(arguments)


class _Filling:
    """Resolves one action's references, and counts the added characters."""

    def __init__(self, result_of: Callable[[str], Any], ids: Collection[str]) -> None:
        self._result_of = result_of
        self._ids = ids
        self._room = MAX_FILLED

    def object(self, value: JsonMap) -> JsonDict:
        return {name: item if name in _OWN_FIELDS else self._value(item) for name, item in value.items()}

    def _value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._text(value) if "${" in value else value
        if isinstance(value, dict):
            return {name: self._value(item) for name, item in value.items()}
        return list(map(self._value, value)) if isinstance(value, list) else value

    def _text(self, text: str) -> Any:
        whole = _REFERENCE.fullmatch(text)
        if whole and _is_meant(whole, self._ids):
            return self._looked_up(whole)
        return _REFERENCE.sub(self._as_text, text)

    def _as_text(self, found: re.Match[str]) -> str:
        if not _is_meant(found, self._ids):
            return found[0]
        value = self._looked_up(found)
        return value if isinstance(value, str) else to_json(value).decode()

    def _looked_up(self, found: re.Match[str]) -> Any:
        value = self._result_of(found[1])
        for step in found[2].split("."):
            value = _within(value, step, found[0])
        self._room -= len(value) if isinstance(value, str) else len(to_json(value))
        if self._room < 0:
            raise ActionError(
                Reason.TOO_LARGE,
                f"The references put more than {MAX_FILLED:,} characters into the action; refer to smaller values.",
            )
        return value


def _within(value: Any, step: str, reference: str) -> Any:
    """Return the value after one step of a path."""
    if isinstance(value, dict) and step in value:
        return value[step]
    if isinstance(value, list) and step.isascii() and step.isdigit() and int(step[:9]) < len(value):
        return value[int(step[:9])]
    raise ActionError(
        Reason.UNRESOLVED_REFERENCE,
        f"There is no {step!r} for {reference}: the result has {_offered(value)}.",
    )


def _offered(value: Any) -> str:
    if isinstance(value, dict) and value:
        return "the fields " + ", ".join(list(map(str, value))[:20])
    if isinstance(value, list):
        return f"a list of {len(value)} items there"
    return "no fields there"


def _is_meant(found: re.Match[str], ids: Collection[str]) -> bool:
    return found[1] in ids or is_numbered(found[1])


def may_refer(arguments: JsonMap) -> bool:
    """Return whether any text in the arguments may contain a reference; almost none does, so this allocates nothing."""
    for value in arguments.values():
        if type(value) is str:
            if "${" in value:
                return True
        elif isinstance(value, _CONTAINERS) and _may_hold([value]):
            return True
    return False


def may_be_spelled_out(names: Collection[str]) -> bool:
    """Return whether any field's name may make it a reference for another field."""
    return _SUFFIX in "\n".join(names) and any(name.endswith(_SUFFIX) for name in names)


def _may_hold(container: JsonDict | list[Any]) -> bool:
    """Return whether any text in a container may contain a reference, without recursion."""
    pending: list[Any] = [container]
    for value in pending:  # the list grows during the loop
        if isinstance(value, str):
            if "${" in value:
                return True
        elif isinstance(value, dict):
            pending.extend(value.values())
        elif isinstance(value, list):
            pending.extend(value)
    return False


def _texts(arguments: JsonMap) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield every text in the arguments that may contain a reference, with its path."""
    pending: list[tuple[tuple[str | int, ...], Any]] = [
        ((name,), value) for name, value in arguments.items() if name not in _OWN_FIELDS
    ]
    while pending:
        path, value = pending.pop()
        if isinstance(value, str):
            if "${" in value:
                yield path, value
        elif isinstance(value, dict):
            pending.extend(((*path, name), item) for name, item in value.items())
        elif isinstance(value, list):
            pending.extend(((*path, place), item) for place, item in enumerate(value))
