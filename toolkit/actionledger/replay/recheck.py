"""Check recorded calls against another schema, policy or rate limit, and count which would be refused, held or run."""

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
"""A masked secret in a record: no secret is shorter than four marks, and a patch's marks are three."""

KEPT = 200
"""Maximum number of example calls in a report."""

_TEXTS_ONLY = frozenset(dialect.name for dialect in DIALECTS if dialect.strings_only)

Change: TypeAlias = Literal["same", "newly_refused", "newly_accepted", "not_judged"]
"""The effect of another schema on a call; a call with a masked secret can't be judged."""


@dataclass(frozen=True, slots=True)
class RecheckedAction:
    r"""A recorded call, checked against another schema, policy or rate limit.

    Args:
        session_id, turn_index, action_index: the call's place.
        name: its name, as the schema knows it.
        arguments: its arguments, as JSON text.
        was: its recorded status.
        status: its status now.
        change: how the two statuses compare.
        reason: the first error's code; None if it is valid.
        errors: the schema's errors.
        verdict: the policy's verdict; None if the call is not valid or there is no policy.
        why: the deciding rule's reason; empty if it gives none.
        is_over_rate: whether it exceeds its rate limit; None if no limit applies or no time is recorded.
        execution: the recorded outcome of its execution; None if none is recorded.

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
        """Whether it would not run without a person: refused, not allowed by the policy, or over its rate limit."""
        is_refused = not self.status.is_runnable and self.change != "not_judged"
        return is_refused or self._is_withheld or bool(self.is_over_rate)

    @property
    def may_run(self) -> bool:
        """Whether schema and policy allow it, so that it counts towards its rate limit."""
        return self.status.is_runnable and not self._is_withheld

    @property
    def _is_withheld(self) -> bool:
        return self.verdict is not None and self.verdict not in LETS_RUN


@dataclass(frozen=True, slots=True)
class Question:
    """The schema, policy and limits to check calls against; None skips a check."""

    catalogue: AnyCatalogue | None
    policy: Policy | None
    limits: Limits | None


def recheck_all(actions: Iterable[RecordedAction], question: Question) -> Iterator[RecheckedAction]:
    """Yield each recorded call with its new status."""
    for _, of_session in groupby(actions, key=lambda action: action.session_id):
        turns = groupby(of_session, key=lambda action: action.turn_id)
        asked = (each for _, of_turn in turns for each in _of_turn(list(of_turn), question))
        yield from (call for call, _ in asked) if question.limits is None else _rated(asked, question.limits)


def _rated(
    asked: Iterable[tuple[RecheckedAction, datetime | None]], limits: Limits
) -> Iterator[RecheckedAction]:
    """Yield a session's calls, checked against their rate limits in order of time: a call may have waited for a person."""
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
    """Count a call if its rate limit has room; return whether it had."""
    while taken and (at - taken[0]).total_seconds() >= rate.seconds:
        taken.popleft()
    if len(taken) >= rate.count:
        return False
    taken.append(at)
    return True


def _of_turn(
    actions: list[RecordedAction], question: Question
) -> Iterator[tuple[RecheckedAction, datetime | None]]:
    """Yield a turn's calls with their times, before rate limits are checked."""
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
        calls: number of calls.
        refused: number of newly refused calls.
        held: number of valid calls that the policy would not have run without a person.
        over_rate: number of calls over their rate limit.
        stopped: number of calls that would not have run without a person, for any of these reasons or because they never were valid.
    """

    name: str
    calls: int
    refused: int
    held: int
    over_rate: int
    stopped: int


@dataclass(frozen=True, slots=True)
class RecheckReport:
    r"""The outcome of checking recorded calls against another schema, policy or rate limit.

    Args:
        calls: number of calls checked; illustrations don't count.
        changes: number of calls that are the same, newly refused, newly accepted, or not judged because a secret in them was masked.
        converted: number of calls that were valid as written and are valid now only with a value converted or an unknown field dropped.
        reasons: newly refused calls by their first error's code.
        verdicts: valid calls by the policy's verdict; empty without a policy.
        over_rate: number of calls over their rate limit.
        undated: number of rate-limited calls without a recorded time.
        stopped: the share of calls that would not have run without a person, clustered by session.
        done: number of stopped calls that had succeeded when they ran.
        by_name: the same by name, the most calls first.
        examples: stopped or newly accepted calls in recorded order, at most 200.

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
    r"""Check recorded calls against another schema, policy or rate limit.

    Nothing is executed or recorded. Without ``profile`` and ``tools``, each call keeps its recorded status.

    Args:
        ledger: the ledger with the calls.
        profile: supplies the schema, policy and limits; ``tools``, ``policy`` and ``limits`` override it.
        tools: tool definitions, as for ``al.parse``.
        policy: the policy, as a value or a file.
        limits: the rate limits, counted per session by each call's start, or by its response's time if no start is recorded.
        within: filter for the responses; with a run, the calls as that run parsed them.
        each: is called with every call, if counts and examples are not enough.

    Returns:
        Counts of calls that would be refused, held or run, with examples.

    Raises:
        PolicyError: the policy's file can't be read, or a row in it is invalid.
        UsageError: there is nothing to check against, or no recorded call matches.

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
    """Return the recorded tool names and their arguments, to check a policy file's rules against."""
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
