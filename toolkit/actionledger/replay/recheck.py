"""Recorded calls under another schema, policy or rate, parsed calls alone as well: what would be refused, held, let through."""

import json
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from actionledger.actions.catalogue import Catalogue
from actionledger.actions.tools import ToolCatalogue
from actionledger.actions.validation import AnyCatalogue, as_known, check_action, id_of
from actionledger.core.errors import UsageError
from actionledger.core.patterns import regex
from actionledger.core.rates import Rate, clustered
from actionledger.core.text import counted
from actionledger.core.values import ActionCall, FieldError, RawAction, Span
from actionledger.core.vocabulary import ActionStatus, ExecutionStatus, Reason
from actionledger.ledger import Ledger
from actionledger.ledger.queries.base import refuse_no_ledger
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.ledger.queries.rereading import RecordedAction, called_fields, recorded_actions
from actionledger.reading.dialects import DIALECTS
from actionledger.runtime.execution.approval import LETS_RUN, Policy, Verdict
from actionledger.runtime.execution.limits import Limits, RateLimit
from actionledger.runtime.execution.policy_file import load_policy
from actionledger.runtime.execution.profile import Profile
from actionledger.runtime.execution.registry import resolve_profile

_MASKED = regex(r"\*{4}")
"""What stands for a secret in a record, at the least: no secret is shorter, and the marks of a patch have three."""

KEPT = 200
"""How many of the calls that would have been stopped, or are valid now, a report names."""

_TEXTS_ONLY = frozenset(dialect.name for dialect in DIALECTS if dialect.strings_only)

Change: TypeAlias = Literal["same", "newly_refused", "newly_accepted", "not_judged"]
"""What another schema makes of a call; one in which a secret was masked can't be judged."""


@dataclass(frozen=True, slots=True)
class RecheckedAction:
    r"""A recorded call under another schema, policy or rate.

    Args:
        session_id, turn_index, action_index: which.
        name: its name, as the schema knows it.
        arguments: its arguments, as JSON text.
        was: what came of checking it when it was recorded.
        status: what comes of it now.
        change: what that means.
        reason: the first error's code; None where it is valid.
        errors: what the schema refuses.
        verdict: what the policy says of it; None where it is not valid or there is no policy.
        why: the reason that the deciding rule names; empty where it names none.
        is_over_rate: whether it comes too soon after the same calls; None where that is not asked, or no time is recorded.
        execution: what came of it when it ran; None where nothing is recorded.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turn = runtime.handle(al.render([("list_tasks", {})], "actions"))
        ...     report = al.recheck(ledger, tools=[{"name": "get_stats", "parameters": {}}])
        >>> [call] = report.examples
        >>> call.name, str(call.was), str(call.status), call.change, call.is_stopped, str(call.execution)
        ('list_tasks', 'valid', 'unknown', 'newly_refused', True, 'succeeded')
    """

    session_id: str
    turn_index: int
    action_index: int
    name: str
    arguments: str
    was: ActionStatus
    status: ActionStatus
    change: Change
    reason: Reason | None
    errors: tuple[FieldError, ...]
    verdict: Verdict | None
    why: str
    is_over_rate: bool | None
    execution: ExecutionStatus | None

    @property
    def is_stopped(self) -> bool:
        """Whether it would not have run by itself: refused, not let run by the policy, or over its rate."""
        is_refused = not self.status.is_runnable and self.change != "not_judged"
        return is_refused or self._is_withheld or bool(self.is_over_rate)

    @property
    def may_run(self) -> bool:
        """Whether schema and policy let it run, so that it counts in its rate."""
        return self.status.is_runnable and not self._is_withheld

    @property
    def _is_withheld(self) -> bool:
        return self.verdict is not None and self.verdict not in LETS_RUN


@dataclass(frozen=True, slots=True)
class Question:
    """The schema, policy and limits that calls are checked against; None for a check that is not made."""

    catalogue: AnyCatalogue | None
    policy: Policy | None
    limits: Limits | None


def recheck_all(actions: Iterable[RecordedAction], question: Question) -> Iterator[RecheckedAction]:
    """Yield each recorded call as it would be now."""
    for _, of_session in groupby(actions, key=lambda action: action.session_id):
        turns = groupby(of_session, key=lambda action: action.turn_id)
        asked = (each for _, of_turn in turns for each in _of_turn(list(of_turn), question))
        yield from (call for call, _ in asked) if question.limits is None else _rated(asked, question.limits)


def _rated(
    asked: Iterable[tuple[RecheckedAction, datetime | None]], limits: Limits
) -> Iterator[RecheckedAction]:
    """Yield a session's calls with whether their rates have room, counted by their times: a call may have waited for a person."""
    calls = list(asked)
    over: dict[int, bool] = {}
    taken: defaultdict[str, deque[datetime]] = defaultdict(deque)
    for at, place in sorted((at, place) for place, (_, at) in enumerate(calls) if at is not None):
        call = calls[place][0]
        rate = limits.rate_of(call.name)
        if rate is not None and call.may_run:
            over[place] = not _takes(taken[call.name], at, rate)
    for place, (call, _) in enumerate(calls):
        yield replace(call, is_over_rate=over[place]) if place in over else call


def _takes(taken: deque[datetime], at: datetime, rate: RateLimit) -> bool:
    """Count a call, if there is room for it; return whether there was."""
    while taken and (at - taken[0]).total_seconds() >= rate.seconds:
        taken.popleft()
    if len(taken) >= rate.count:
        return False
    taken.append(at)
    return True


def _of_turn(
    actions: list[RecordedAction], question: Question
) -> Iterator[tuple[RecheckedAction, datetime | None]]:
    """Yield a turn's calls, their rates not asked yet, each with its time."""
    raws = [_raw(action) for action in actions]
    catalogue = question.catalogue
    is_referring = isinstance(catalogue, Catalogue) and catalogue.references
    ids = frozenset(map(id_of, raws)) if is_referring else None
    for action, raw in zip(actions, raws, strict=True):
        call = None if catalogue is None else check_action(raw, catalogue, (), ids)
        if call and isinstance(catalogue, Catalogue):
            call = as_known(call, catalogue)
        yield _rechecked(action, raw, call, question.policy), action.at


def _raw(action: RecordedAction) -> RawAction:
    return RawAction(
        action.name,
        json.loads(action.arguments),
        Span(0, 0),
        action.dialect,
        0,
        strings_only=action.dialect in _TEXTS_ONLY,
        evidence=action.evidence,
        doubt=action.reason if action.status is ActionStatus.NEEDS_APPROVAL else None,
    )


def _rechecked(
    action: RecordedAction, raw: RawAction, call: ActionCall | None, policy: Policy | None
) -> RecheckedAction:
    checked = call or action
    status, reason = checked.status, checked.reason
    rule = None
    if policy and status.is_plannable:
        doubt = reason if status is ActionStatus.NEEDS_APPROVAL else None
        rule = policy.rule_for(checked.name, (call or raw).arguments, action.evidence, doubt)
    return RecheckedAction(
        session_id=action.session_id,
        turn_index=action.turn_index,
        action_index=action.action_index,
        name=checked.name,
        arguments=action.arguments,
        was=action.status,
        status=status,
        change=_change(action, status),
        reason=reason,
        errors=call.errors if call else (),
        verdict=rule.verdict if rule else None,
        why=rule.why if rule else "",
        is_over_rate=None,
        execution=action.execution,
    )


def _change(action: RecordedAction, status: ActionStatus) -> Change:
    if status.is_plannable == action.status.is_plannable:
        return "same"
    if status.is_plannable:
        return "newly_accepted"
    return "not_judged" if _MASKED.search(action.arguments) else "newly_refused"


@dataclass(frozen=True, slots=True)
class NameCount:
    """The counts of the calls of one name.

    Args:
        name: the action's or tool's name.
        calls: how many there are.
        refused: how many are newly refused.
        held: how many valid ones the policy would not have let run by itself.
        over_rate: how many come too soon after others.
        stopped: how many would not have run by themselves, for any of these reasons or since they never were valid.
    """

    name: str
    calls: int
    refused: int
    held: int
    over_rate: int
    stopped: int


@dataclass(frozen=True, slots=True)
class RecheckReport:
    r"""The outcome of recorded calls under another schema, policy or rate.

    Args:
        calls: how many were looked at; illustrations are none.
        changes: how many are the same, newly refused, newly accepted, or can't be judged, since a secret in them was masked.
        converted: how many that were valid as written could run only with other arguments now: a value of another type, or without a
            field that the schema doesn't know.
        reasons: the newly refused by their first error's code.
        verdicts: the valid ones by what the policy says; none where there is no policy.
        over_rate: how many come too soon after the same calls.
        undated: how many calls with a rate can't be counted, since no time is recorded.
        stopped: those that would not have run by themselves, of all, sessions taken into account.
        done: of those stopped, how many had succeeded when they ran.
        by_name: the same by name, the most calls first.
        examples: some of those that are stopped or newly accepted, in their order, at most two hundred.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turn = runtime.handle(al.render([("list_tasks", {}), ("get_stats", {})], "actions"))
        ...     report = al.recheck(ledger, policy=al.Policy((("list_*", al.Verdict.APPROVE),)))
        >>> report.calls, report.stopped.successes, [call.name for call in report.examples]
        (2, 1, ['get_stats'])
    """

    calls: int
    changes: Mapping[Change, int]
    converted: int
    reasons: Mapping[Reason, int]
    verdicts: Mapping[Verdict, int]
    over_rate: int
    undated: int
    stopped: Rate
    done: int
    by_name: tuple[NameCount, ...]
    examples: tuple[RecheckedAction, ...]

    def __repr__(self) -> str:
        changes = ", ".join(f"{count:,} {change.replace('_', ' ')}" for change, count in self.changes.items())
        return f"<RecheckReport {counted(self.calls, 'call')}: {changes}; {self.stopped.successes:,} would not have run by themselves>"


def recheck(
    ledger: Ledger,
    *,
    profile: str | Profile | None = None,
    tools: Sequence[Mapping[str, Any]] | None = None,
    policy: Policy | str | Path | None = None,
    limits: Limits | None = None,
    within: Filter = EVERYTHING,
    each: Callable[[RecheckedAction], None] | None = None,
) -> RecheckReport:
    r"""Ask of recorded calls what would have come of them under another schema, policy or rate.

    Nothing runs, and nothing is recorded. Without ``profile`` and ``tools`` the calls stay as valid as they were recorded.

    Args:
        ledger: where the calls are.
        profile: whose actions, policy and rates are asked; ``tools``, ``policy`` and ``limits`` go before its own.
        tools: definitions of tools, as ``al.parse`` takes them.
        policy: what decides, as a value or a file.
        limits: the rates, each session by itself, by when each call began to run, or, if that is not recorded, when its response was made.
        within: which responses; by run, the calls as that run has read them.
        each: is given every call, for who needs more than counts and examples.

    Returns:
        What would have been refused, held or let through.

    Raises:
        PolicyError: the policy's file can't be read, or a row of it can't work.
        UsageError: nothing is asked, or no recorded call fits.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     call = al.RecordedCall("1", "read", {"path": 7})
        ...     turn = al.RecordedTurn(0, "", calls=(call,), capture=al.Capture.CALLS)
        ...     imported = al.import_sessions(ledger, [al.RecordedSession("s", None, "m", "", (turn,))])
        ...     tool = {"name": "read", "parameters": {"properties": {"path": {"type": "string"}}}}
        ...     report = al.recheck(ledger, tools=[tool])
        >>> report.changes["newly_refused"], dict(report.reasons)
        (1, {<Reason.WRONG_TYPE: 'wrong_type'>: 1})
    """
    refuse_no_ledger(ledger)
    if profile is None and tools is None and policy is None and limits is None:
        raise UsageError("Nothing is asked: give a profile, tools, a policy or limits.")
    chosen = None if profile is None else resolve_profile(profile)
    catalogue: AnyCatalogue | None = chosen.catalogue if chosen else None
    if tools is not None:
        catalogue = ToolCatalogue.of(tools)
    if policy is not None and not isinstance(policy, Policy):
        policy = load_policy(policy, catalogue or _as_recorded(ledger, within))
    if chosen:
        policy, limits = policy or chosen.policy, limits or chosen.limits
    question = Question(catalogue, policy, limits)
    counts = _Counts()
    for call in recheck_all(recorded_actions(ledger, within), question):
        counts.take(call, is_limited=limits is not None and limits.rate_of(call.name) is not None)
        if each is not None:
            each(call)
    if not counts.by_name:
        raise UsageError("No recorded call fits; 'actionledger report' says what the ledger holds.")
    return counts.report()


def _as_recorded(ledger: Ledger, within: Filter) -> ToolCatalogue:
    """Return the recorded names with the arguments that they were given: what the rules of a policy's file are checked against."""
    return ToolCatalogue.of(
        [
            {"name": name, "parameters": {"properties": {field: {} for field in given}}}
            for name, given in called_fields(ledger, within).items()
        ]
    )


class _Counts:
    """Counts calls as they come."""

    def __init__(self) -> None:
        self.by_name: dict[str, Counter[str]] = {}
        self._changes: Counter[Change] = Counter()
        self._reasons: Counter[Reason] = Counter()
        self._verdicts: Counter[Verdict] = Counter()
        self._undated = self._done = self._converted = 0
        self._sessions: dict[str, tuple[int, int]] = {}
        self._examples: list[RecheckedAction] = []

    def take(self, call: RecheckedAction, *, is_limited: bool) -> None:
        """Count a call."""
        named = self.by_name.setdefault(call.name, Counter())
        is_refused, is_over = call.change == "newly_refused", bool(call.is_over_rate)
        is_held = call.verdict is not None and call.is_stopped and not is_over
        named.update(calls=1, refused=is_refused, held=is_held, over_rate=is_over, stopped=call.is_stopped)
        self._changes[call.change] += 1
        was_right = call.was in {ActionStatus.VALID, ActionStatus.NOT_CHECKED}
        self._converted += was_right and call.status is ActionStatus.COERCED
        if is_refused and call.reason is not None:
            self._reasons[call.reason] += 1
        if call.verdict is not None:
            self._verdicts[call.verdict] += 1
        if is_limited and not call.is_stopped and call.is_over_rate is None:
            self._undated += 1
        self._done += call.is_stopped and call.execution is ExecutionStatus.SUCCEEDED
        stopped, calls = self._sessions.get(call.session_id, (0, 0))
        self._sessions[call.session_id] = (stopped + call.is_stopped, calls + 1)
        if len(self._examples) < KEPT and (call.is_stopped or call.change != "same"):
            self._examples.append(call)

    def report(self) -> RecheckReport:
        """Return what was counted."""
        columns = [column.name for column in fields(NameCount)][1:]
        by_name = (
            NameCount(name, *(counts[key] for key in columns)) for name, counts in self.by_name.items()
        )
        return RecheckReport(
            calls=sum(calls for _, calls in self._sessions.values()),
            changes={change: self._changes[change] for change in get_args(Change)},
            converted=self._converted,
            reasons=dict(self._reasons.most_common()),
            verdicts=dict(self._verdicts.most_common()),
            over_rate=sum(counts["over_rate"] for counts in self.by_name.values()),
            undated=self._undated,
            stopped=clustered(list(self._sessions.values())),
            done=self._done,
            by_name=tuple(sorted(by_name, key=lambda each: (-each.calls, each.name))),
            examples=tuple(self._examples),
        )
