"""What came of a session's turns, as it is compared: of the record, and of a rerun's events."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from actionledger.core.events import (
    EVENT,
    Event,
    ExecutionFinished,
    ExecutionStarted,
    ResponseParsed,
    TurnFinished,
    TurnResumed,
)
from actionledger.ledger.encoding import encode
from actionledger.ledger.queries.tries import RecordedTry
from actionledger.replay.rerunning.course import Course
from actionledger.runtime.session.states.lines import Effects
from actionledger.runtime.session.states.looking import State
from actionledger.runtime.session.states.reading import KeptStates, following
from actionledger.runtime.session.states.stores import Rows, rows_of, table_changes
from actionledger.runtime.workspace.diffs import unified
from actionledger.runtime.workspace.nodes import Change, Node

WORKSPACE = "{workspace}"
"""Stands for the folder that a session worked in."""


@dataclass(slots=True)
class ActionTrace:
    """What came of one action.

    Args:
        name, arguments, status: as it was read and checked.
        execution: what came of its last try, by field; none where it never came to one.
    """

    name: str
    arguments: Any
    status: str
    execution: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class TurnTrace:
    """What came of one turn.

    Args:
        outcome: what came of reading it.
        actions: each action by its place.
        feedback: what the model was told of it in the end; None where it never ended.
        effects: what has changed, by the places of the actions that did it, then by what: a path, or a store's table.
    """

    outcome: str = ""
    actions: dict[int, ActionTrace] = field(default_factory=dict)
    feedback: str | None = None
    effects: dict[tuple[int, ...], dict[str, "Effect"]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Effect:
    """What has become of one path, or of one table of a store.

    Args:
        after: what stands there then, as a JSON value; None for nothing.
        content: what a file holds then; None for all else.
    """

    after: Any
    content: bytes | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Effect) and self.after == other.after

    def __hash__(self) -> int:
        return hash(json.dumps(self.after, sort_keys=True, default=str))

    def diff_to(self, path: str, other: "Effect | None") -> str:
        """Return how another content differs from this one, as a unified diff; empty where both are no files."""
        theirs = other.content if other else None
        return "" if self.content is None and theirs is None else unified(path, self.content, theirs)


def traces_of_record(course: Course) -> dict[int, TurnTrace]:
    """Return what came of each turn, as it is recorded."""
    root = course.states.begun.root
    last: dict[tuple[int, int], RecordedTry] = {}
    for each in course.executions:
        last[each.turn_index, each.action_index] = each
    traces: dict[int, TurnTrace] = {}
    for index, detail in course.turns.items():
        trace = traces[index] = TurnTrace(str(detail.attempt.outcome) if detail.attempt else "")
        for action in detail.actions:
            trace.actions[action.index] = ActionTrace(
                action.name, json.loads(action.arguments), str(action.status)
            )
        feedback = detail.response.feedback
        trace.feedback = None if feedback is None else feedback.replace(root, WORKSPACE)
    for (index, place), each in last.items():
        if index in traces and place in traces[index].actions:
            traces[index].actions[place].execution = _execution(each, root)
    add_effects(traces, course.states)
    return traces


def traces_of_events(events: Iterable[Event], root: str) -> dict[int, TurnTrace]:
    """Return what came of each turn, by the events of a rerun, as a ledger would hold them."""
    traces: dict[int, TurnTrace] = {}
    turns: dict[str, int] = {}
    places: dict[str, tuple[int, int]] = {}
    for event in events:
        recorded = EVENT.validate_json(encode(event))
        match recorded:
            case ResponseParsed():
                turns[recorded.turn_id] = recorded.turn_index
                trace = traces[recorded.turn_index] = TurnTrace(str(recorded.outcome))
                for action in recorded.actions:
                    trace.actions[action.index] = ActionTrace(
                        action.name, json.loads(action.arguments), str(action.status)
                    )
            case ExecutionStarted():
                places[recorded.execution_id] = recorded.turn_index, recorded.action_index
            case ExecutionFinished():
                index, place = places[recorded.execution_id]
                if place in traces[index].actions:
                    traces[index].actions[place].execution = _execution(recorded, root)
            case TurnFinished() | TurnResumed():
                traces[turns[recorded.turn_id]].feedback = recorded.feedback.replace(root, WORKSPACE)
            case _:
                pass
    return traces


def add_effects(traces: Mapping[int, TurnTrace], states: KeptStates) -> None:
    """Add what was found to have changed after each action."""
    state = states.first
    for line in states.lines:
        after = following(state, line)
        if isinstance(line, Effects) and line.turn is not None and line.turn in traces and after is not None:
            found = traces[line.turn].effects.setdefault(line.actions, {})
            for change in line.as_changes:
                found.update(_effects(change, state, after, states))
        state = after


def _effects(change: Change, before: State | None, after: State, states: KeptStates) -> dict[str, Effect]:
    """Return what has become of a path; of a store, table by table: its file is never the same."""
    is_store = change.path in after.stores or (before is not None and change.path in before.stores)
    if not is_store:
        content = states.objects.get(change.after.digest) if change.after and change.after.digest else None
        return {change.path: Effect(_plain(change.after), content)}
    changes = table_changes(_rows(change.before, states), _rows(change.after, states))
    return {
        f"{change.path}/{one.table}": Effect({"removed": _lists(one.removed), "added": _lists(one.added)})
        for one in changes
    }


def _rows(node: Node | None, states: KeptStates) -> Rows | None:
    image = states.objects.get(node.digest) if node and node.digest else None
    return rows_of(image) if image else None


def _lists(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    return [list(row) for row in rows]


def _plain(node: Node | None) -> Any:
    if node is None:
        return None
    shown = {
        "kind": str(node.kind),
        "mode": f"{node.mode:o}",
        "size": node.size,
        "digest": node.digest[:16],
        "target": node.target,
    }
    return {name: value for name, value in shown.items() if value != ""}


def _execution(tried: RecordedTry | ExecutionFinished, root: str) -> dict[str, Any]:
    quoted = json.dumps(root)[1:-1]
    return {
        "status": str(tried.status),
        "reason": str(tried.reason) if tried.reason else None,
        "result": json.loads(tried.result.replace(quoted, WORKSPACE)),
        "message": tried.message.replace(root, WORKSPACE),
    }
