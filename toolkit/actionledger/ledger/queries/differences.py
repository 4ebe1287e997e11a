"""Compares two parses of one turn: its actions in pairs, and each pair field by field."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

from actionledger.core.canonical import json_text
from actionledger.core.errors import UsageError
from actionledger.core.hooks import Shown
from actionledger.core.ids import is_uuid
from actionledger.core.vocabulary import ActionStatus, Outcome, Reason
from actionledger.ledger.queries.base import AUDITABLE, INTENT, READ, Queryable, number, rows
from actionledger.ledger.queries.filters import Filter, rated
from actionledger.ledger.queries.scopes import FIRST_READING, scope

Thing = TypeVar("Thing")

FieldKind: TypeAlias = Literal["added", "removed", "changed", "type_changed"]
"""How a field differs: only the second has it, only the first, the values differ, or their types do."""


_MOST_COMPARED = 1_000_000
"""The largest product of two sequences' lengths for the search of equal items, which takes as many steps. Longer ones are paired by position."""

_DEEPEST = 60
"""Values nested deeper are compared as a whole."""


class FieldDifference(NamedTuple):
    """A field that differs between two parses of an action."""

    # the field's path: names of fields and positions in lists from the top, such as `("items", 0, "id")`
    path: tuple[str | int, ...]
    kind: FieldKind  # how it differs
    before: Any  # before, after: its values; None if it is missing, as `kind` shows
    after: Any


def aligned(
    before: Sequence[Thing], after: Sequence[Thing], *keys: Callable[[Thing], object]
) -> Iterator[tuple[Thing | None, Thing | None]]:
    """Yield pairs of equal items of two sequences, in order; None if only one of them has the item. Items with an equal first key are paired first; items between those pairs, never across them, are then paired by the next key."""
    if not keys or not before or not after:
        yield from ((thing, None) for thing in before)
        yield from ((None, thing) for thing in after)
        return
    if len(before) * len(after) > _MOST_COMPARED:
        yield from zip_longest(before, after)
        return
    key, *rest = keys
    matcher = SequenceMatcher(None, [key(thing) for thing in before], [key(thing) for thing in after], False)
    i = j = 0
    for start, other, length in matcher.get_matching_blocks():
        yield from aligned(before[i:start], after[j:other], *rest)
        yield from zip(before[start : start + length], after[other : other + length], strict=True)
        i, j = start + length, other + length


def field_differences(before: Any, after: Any, path: tuple[str | int, ...] = ()) -> Iterator[FieldDifference]:
    """Yield the differences between two JSON values, field by field; items of lists are aligned."""
    if type(before) is not type(after):
        yield FieldDifference(path, "type_changed", before, after)
    elif isinstance(before, dict) and isinstance(after, dict) and len(path) < _DEEPEST:
        for name in (*before, *(name for name in after if name not in before)):
            yield from _of_field(
                name in before, name in after, before.get(name), after.get(name), (*path, name)
            )
    elif isinstance(before, list) and isinstance(after, list) and len(path) < _DEEPEST:
        for place in range(max(len(before), len(after))):
            was, now = before[place : place + 1], after[place : place + 1]
            first, second = (side[0] if side else None for side in (was, now))
            yield from _of_field(bool(was), bool(now), first, second, (*path, place))
    elif before != after:
        yield FieldDifference(path, "changed", before, after)


def _of_field(
    was: bool, is_now: bool, before: Any, after: Any, path: tuple[str | int, ...]
) -> Iterator[FieldDifference]:
    if was and is_now:
        yield from field_differences(before, after, path)
    elif was:
        yield FieldDifference(path, "removed", before, None)
    else:
        yield FieldDifference(path, "added", None, after)


PairKind: TypeAlias = Literal["same", "added", "removed", "changed", "rejected", "accepted"]
"""How an action differs: unchanged, only in the second parse, only in the first, with other arguments or another status, newly rejected, or newly
accepted."""


@dataclass(frozen=True, slots=True)
class ReadAction:
    """An action in one of the parses."""

    index: int  # its position among the actions of its parse, from 0
    name: str  # as written
    status: ActionStatus  # the result of its check
    reason: Reason | None  # the first error's code; None if there is none
    arguments: Any  # its fields


@dataclass(frozen=True, slots=True)
class ActionDifference:
    """An action of a turn in two parses.

    Args:
        kind: how it differs.
        before, after: the action; None if that parse doesn't have it.
        fields: the differences of its arguments.
    """

    kind: PairKind
    before: ReadAction | None
    after: ReadAction | None
    fields: tuple[FieldDifference, ...] = ()

    @property
    def name(self) -> str:
        action = self.before or self.after
        assert action is not None
        return action.name


@dataclass(frozen=True, slots=True)
class TurnDifference(Shown):
    """Two parses of one turn.

    Args:
        turn_id, session_id, turn_index: identify the turn.
        before, after: the parse outcomes.
        reason_before, reason_after: why it was not fully parsed; None if it was.
        actions: its actions in pairs, in order, without illustrations.

    Example:
        >>> text = al.render([("list_tasks", {})], "actions")
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turn = runtime.handle(text)
        ...     found = al.reparse(ledger, parser="gembrain-standard").difference_of(turn.turn_id)
        >>> found.is_same, str(found.before), str(found.after)
        (True, 'clean', 'clean')
    """

    turn_id: str
    session_id: str
    turn_index: int
    before: Outcome
    after: Outcome
    reason_before: Reason | None
    reason_after: Reason | None
    actions: tuple[ActionDifference, ...]

    @property
    def is_same(self) -> bool:
        """Whether both have the same actions with the same arguments and checks."""
        return all(pair.kind == "same" for pair in self.actions) and self.before == self.after


@dataclass(frozen=True, slots=True)
class _Reading:
    attempt_id: str
    session_id: str
    turn_index: int
    outcome: Outcome
    reason: Reason | None


_ATTEMPT = """
SELECT attempt_id::VARCHAR AS attempt_id, session_id::VARCHAR AS session_id, turn_index, outcome, reason
FROM parse_attempts WHERE turn_id = $turn_id::UUID AND {which} ORDER BY parsed_at, attempt_id LIMIT 1"""
_ACTIONS = """
SELECT action_index, name, status, reason, arguments::VARCHAR FROM actions
WHERE attempt_id = $attempt_id::UUID AND status <> 'illustration' ORDER BY action_index"""


def compare_turn(
    ledger: Queryable, before_run_id: str | None, after_run_id: str, turn_id: str
) -> TurnDifference:
    """Return how two parses of a turn differ; without a run before, from the first parse."""
    before = _reading(ledger, before_run_id, turn_id)
    after = _reading(ledger, after_run_id, turn_id)
    return TurnDifference(
        turn_id=turn_id,
        session_id=before.session_id,
        turn_index=before.turn_index,
        before=before.outcome,
        after=after.outcome,
        reason_before=before.reason,
        reason_after=after.reason,
        actions=differing_actions(_actions(ledger, before), _actions(ledger, after)),
    )


def differing_actions(
    before: Sequence[ReadAction], after: Sequence[ReadAction]
) -> tuple[ActionDifference, ...]:
    """Return the actions of two parses of one text in pairs, and how each pair differs."""
    pairs = aligned(before, after, _exactly, lambda action: action.name)
    return tuple(_difference(*pair) for pair in pairs)


def _reading(ledger: Queryable, run_id: str | None, turn_id: str) -> _Reading:
    for given in filter(None, (run_id, turn_id)):
        if not is_uuid(given):
            raise UsageError(f"{given!r} is not an identifier of a run or a turn.")
    parameters = {"turn_id": turn_id} | ({"run_id": run_id} if run_id else {})
    which = "run_id = $run_id::UUID" if run_id else FIRST_READING
    found = rows(ledger, _Reading, _ATTEMPT.format(which=which), parameters)
    if not found:
        whose = f"Run {run_id} has" if run_id else "No first reading has"
        raise UsageError(f"{whose} read turn {turn_id}; only what both have read compares.")
    return found[0]


def _actions(ledger: Queryable, reading: _Reading) -> list[ReadAction]:
    found = ledger.sql(_ACTIONS, {"attempt_id": reading.attempt_id}).fetchall()
    return [
        ReadAction(index, name, ActionStatus(status), Reason(reason) if reason else None, _value(arguments))
        for index, name, status, reason, arguments in found
    ]


def _value(arguments: str) -> Any:
    try:
        return json.loads(arguments)
    except RecursionError:
        return arguments


def _exactly(action: ReadAction) -> object:
    return action.name, json_text(action.arguments)


def _difference(before: ReadAction | None, after: ReadAction | None) -> ActionDifference:
    if before is None or after is None:
        return ActionDifference("added" if before is None else "removed", before, after)
    fields = tuple(field_differences(before.arguments, after.arguments))
    return ActionDifference(_kind(before, after, fields), before, after, fields)


def _kind(before: ReadAction, after: ReadAction, fields: Sequence[FieldDifference]) -> PairKind:
    if before.status.is_runnable != after.status.is_runnable:
        return "accepted" if after.status.is_runnable else "rejected"
    is_same = not fields and (before.status, before.reason) == (after.status, after.reason)
    return "same" if is_same else "changed"


@dataclass(frozen=True, slots=True)
class TaskResult:
    """The parse results of the responses to one task."""

    task: str
    intent: int  # how many responses meant to act and can be audited, 1 or more
    read: int  # how many of these were fully parsed

    @property
    def share(self) -> float:
        """The share that was fully parsed, 0 to 1."""
        return self.read / self.intent


_TASKS = f"""
SELECT task, count(*) AS intent, count(*) FILTER (list_contains($read, outcome)) AS read
FROM parse_attempts WHERE task <> '' AND {AUDITABLE} AND list_contains($intent, outcome) AND {{condition}}
GROUP BY task ORDER BY task"""


def results_by_task(ledger: Queryable, within: Filter) -> list[TaskResult]:
    """Return the parse results by task, in the tasks' order; responses without a task are skipped."""
    return rows(ledger, TaskResult, *scope(rated(within)).filled(_TASKS, read=READ, intent=INTENT))


_SHARED = """
SELECT count(*) FROM (SELECT DISTINCT turn_id FROM parse_attempts WHERE {before})
JOIN (SELECT DISTINCT turn_id FROM parse_attempts WHERE {after}) USING (turn_id)"""


def shared_turns(ledger: Queryable, before: Filter, after: Filter) -> int:
    """Return how many turns two filters both select."""
    first, second = scope(before).beside("before_"), scope(after).beside("after_")
    query = _SHARED.format(before=first.condition, after=second.condition)
    return number(ledger, query, first.parameters | second.parameters)
