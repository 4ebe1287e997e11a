"""The course of a recorded session or of a rerun, turn by turn, in comparable form."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, cast

from actionledger.core.canonical import JsonDict
from actionledger.core.draws import Kind
from actionledger.core.events import (
    EVENT,
    Event,
    ExecutionFinished,
    ExecutionStarted,
    ResponseParsed,
    TurnFinished,
    TurnResumed,
)
from actionledger.core.values import Approval
from actionledger.core.vocabulary import Capture, Origin
from actionledger.ledger import Ledger
from actionledger.ledger.queries.progress import RecordedTry, approvals_of_turn, recorded_tries
from actionledger.ledger.queries.session import Session, session
from actionledger.ledger.queries.turn import TurnDetail, conversation, turn
from actionledger.ledger.storage.encoding import encode
from actionledger.runtime.execution.execution_events import POLICY
from actionledger.runtime.session.states.capture import CapturedState
from actionledger.runtime.session.states.lines import (
    DrawnValues,
    Effects,
    Line,
    RecordedStates,
    following,
    read_states,
)
from actionledger.runtime.session.states.stores import Rows, rows_of, table_changes
from actionledger.runtime.workspace.nodes import Change, Node
from actionledger.runtime.workspace.texts import unified


class WhyNot(StrEnum):
    """Why a recorded session can't be run again."""

    NOT_OURS = "not_ours"
    NO_TEXT = "no_text"
    MASKED = "masked"
    NO_MANIFEST = "no_manifest"
    NOT_KEPT = "not_kept"
    DAMAGED = "damaged"
    UNKNOWN_PROFILE = "unknown_profile"
    NOT_APART = "not_apart"
    OPEN = "open"


SENTENCES = {
    WhyNot.NOT_OURS: "Another runtime ran it, and only its record of the results is here.",
    WhyNot.NO_TEXT: "The recording has not kept what the model wrote as it wrote it.",
    WhyNot.MASKED: "A secret in it was masked before it was recorded, so that it would not run as it did.",
    WhyNot.NO_MANIFEST: "Nobody has kept what its workspace held: it was recorded without a manifest, or that is over its time.",
    WhyNot.NOT_KEPT: "What its workspace held is no longer kept.",
    WhyNot.DAMAGED: "What is kept of its workspace is damaged.",
    WhyNot.UNKNOWN_PROFILE: "Its profile is not known here; give one by profile=… .",
    WhyNot.NOT_APART: "Actions with outside effects ran in parallel with others, so it is unknown which changed what.",
    WhyNot.OPEN: "It is being worked on elsewhere.",
}
"""Each reason as a sentence."""


@dataclass(frozen=True, slots=True)
class Refused(Exception):  # noqa: N818 - a result, not an error
    """Raised for a session that can't be run again."""

    reason: WhyNot
    detail: str = ""  # details as a sentence; may be empty

    @property
    def sentence(self) -> str:
        """The reason as a sentence."""
        return f"{SENTENCES[self.reason]} {self.detail}".rstrip()

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True, slots=True)
class Course:
    """The course of one recorded session."""

    session: Session
    states: RecordedStates  # its workspace's states, and the order of events
    turns: Mapping[int, TurnDetail]  # all recorded details of each turn, by index
    executions: Sequence[RecordedTry]  # every attempt at every action
    approvals: Mapping[int, Sequence[Approval]]  # the approvals requested and decided in each turn, by index

    @property
    def lines(self) -> Sequence[Line]:
        """The recorded events, in order."""
        return self.states.lines

    def tries(self, turn_index: int, place: int) -> list[RecordedTry]:
        """Return the attempts at an action that had, or may have had, an effect."""
        where = turn_index, place
        return [
            each
            for each in self.executions
            if (each.turn_index, each.action_index) == where and each.status.was_attempted
        ]

    def drawn(self, turn_index: int, place: int) -> list[tuple[Kind, Any]]:
        """Return the values that an action drew from outside, such as times and identifiers."""
        return [
            (cast("Kind", kind), value)
            for line in self.lines
            if isinstance(line, DrawnValues) and (line.turn, line.action) == (turn_index, place)
            for kind, value in line.values
        ]

    def effects(self, turn_index: int) -> list[Effects]:
        """Return the changes made by a turn's actions, in order."""
        return [line for line in self.lines if isinstance(line, Effects) and line.turn == turn_index]

    def decided(self, turn_index: int, until: datetime) -> Iterator[Approval]:
        """Yield people's decisions in a turn up to a moment."""
        for each in self.approvals.get(turn_index, ()):
            if each.decision and each.decided_by != POLICY and each.decided_at and each.decided_at <= until:
                yield each


def recorded_states(ledger: Ledger, recorded: Session, *, was_run: bool = True) -> RecordedStates:
    states = read_states(ledger.manifests, recorded.session_id)
    if states is None:
        raise Refused(WhyNot.NO_MANIFEST if was_run else WhyNot.NOT_OURS)
    if states.is_damaged:
        raise Refused(WhyNot.DAMAGED)
    if states.is_masked:
        raise Refused(WhyNot.MASKED)
    if states.first is None:
        raise Refused(WhyNot.NOT_KEPT)
    return states


def course_of(ledger: Ledger, session_id: str) -> Course:
    """Return the course of a recorded session."""
    recorded = session(ledger, session_id)
    assert recorded is not None
    responses = conversation(ledger, session_id)
    if any(each.capture is not Capture.TEXT for each in responses):
        raise Refused(WhyNot.NO_TEXT)
    executions = recorded_tries(ledger, session_id)
    if any(each.origin is Origin.RECORDED for each in executions):
        raise Refused(WhyNot.NOT_OURS)
    states = recorded_states(
        ledger, recorded, was_run=bool(executions) or "workspace" in json.loads(recorded.metadata)
    )
    if inexact := [each.index for each in responses if not each.text_is_exact]:
        raise Refused(WhyNot.MASKED, f"It is in turn {inexact[0]}.")
    turns = {each.index: detail for each in responses if (detail := turn(ledger, session_id, each.index))}
    approvals = defaultdict[int, list[Approval]](list)
    for index, detail in turns.items():
        approvals[index] += approvals_of_turn(ledger, detail.response.turn_id)
    if any(not each.is_exact for asked in approvals.values() for each in asked):
        raise Refused(WhyNot.MASKED, "It is in the arguments of an action that was decided about.")
    return Course(recorded, states, turns, executions, approvals)


WORKSPACE = "{workspace}"
"""Placeholder for the folder that a session worked in."""


@dataclass(slots=True)
class ActionTrace:
    """The result of one action."""

    name: str  # name, arguments, status: as parsed and checked
    arguments: Any
    status: str
    # the outcome of its last attempt, by field; empty without an attempt
    execution: JsonDict = field(default_factory=dict)


@dataclass(slots=True)
class TurnTrace:
    """The results of one turn."""

    outcome: str = ""  # the parse outcome
    actions: dict[int, ActionTrace] = field(default_factory=dict)  # each action by index
    feedback: str | None = None  # the final feedback to the model; None if the turn never ended
    # the changes, by the indexes of the actions that made them, then by path or store table
    effects: dict[tuple[int, ...], dict[str, "Effect"]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Effect:
    """The change to one path, or to one table of a store."""

    after: Any  # the new value, as JSON; None if nothing is left
    content: bytes | None = None  # a file's new content; None for anything else

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Effect) and self.after == other.after

    def __hash__(self) -> int:
        return hash(json.dumps(self.after, sort_keys=True, default=str))

    def diff_to(self, path: str, other: "Effect | None") -> str:
        """Return the unified diff to another content; empty if neither is a file."""
        theirs = other.content if other else None
        return "" if self.content is None and theirs is None else unified(path, self.content, theirs)


def traces_of_record(course: Course) -> dict[int, TurnTrace]:
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
    """Return the trace of each turn from a rerun's events, as a ledger would hold it."""
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


def add_effects(traces: Mapping[int, TurnTrace], states: RecordedStates) -> None:
    """Add the changes found after each action."""
    state = states.first
    for line in states.lines:
        after = following(state, line)
        if isinstance(line, Effects) and line.turn is not None and line.turn in traces and after is not None:
            found = traces[line.turn].effects.setdefault(line.actions, {})
            for change in line.as_changes:
                found.update(_effects(change, state, after, states))
        state = after


def _effects(
    change: Change, before: CapturedState | None, after: CapturedState, states: RecordedStates
) -> dict[str, Effect]:
    """Return the effect on a path; for a store one per table, since its file's bytes always differ."""
    is_store = change.path in after.stores or (before is not None and change.path in before.stores)
    if not is_store:
        content = states.objects.get(change.after.digest) if change.after and change.after.digest else None
        return {change.path: Effect(_plain(change.after), content)}
    changes = table_changes(_rows(change.before, states), _rows(change.after, states))
    return {
        f"{change.path}/{one.table}": Effect({"removed": _lists(one.removed), "added": _lists(one.added)})
        for one in changes
    }


def _rows(node: Node | None, states: RecordedStates) -> Rows | None:
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


def _execution(tried: RecordedTry | ExecutionFinished, root: str) -> JsonDict:
    quoted = json.dumps(root)[1:-1]
    return {
        "status": str(tried.status),
        "reason": str(tried.reason) if tried.reason else None,
        "result": json.loads(tried.result.replace(quoted, WORKSPACE)),
        "message": tried.message.replace(root, WORKSPACE),
    }
