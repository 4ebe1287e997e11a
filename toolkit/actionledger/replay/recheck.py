"""Recorded calls under another schema, policy or rate: what would have been refused, held, let through.

It needs no raw text: recordings that kept parsed calls alone can be asked as well.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from actionledger.actions.tools import ToolCatalogue
from actionledger.actions.validation import AnyCatalogue
from actionledger.core.errors import UsageError
from actionledger.core.rates import Rate, clustered
from actionledger.core.text import counted
from actionledger.core.vocabulary import ActionStatus, ExecutionStatus, Reason
from actionledger.ledger import Ledger
from actionledger.ledger.queries.base import refuse_no_ledger
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.ledger.queries.rereading import called_fields, recorded_actions
from actionledger.replay.rechecking import Change, Question, RecheckedAction, recheck_all
from actionledger.runtime.execution.approval import Policy, Verdict
from actionledger.runtime.execution.limits import Limits
from actionledger.runtime.execution.policy_file import load_policy
from actionledger.runtime.execution.profile import Profile
from actionledger.runtime.execution.registry import profile_meant

KEPT = 200
"""How many of the calls that would have been stopped, or are valid now, a report names."""


@dataclass(frozen=True, slots=True)
class NameCount:
    """What would have come of the calls of one name.

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
    r"""What would have come of recorded calls under another schema, policy or rate.

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

    Nothing runs, and nothing is recorded. What is not given is not asked: without ``profile`` and ``tools`` the calls stay as valid
    as they were recorded.

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
    chosen = None if profile is None else profile_meant(profile)
    catalogue = _catalogue(chosen, tools)
    if policy is not None and not isinstance(policy, Policy):
        policy = load_policy(policy, catalogue or _as_recorded(ledger, within))
    if chosen:
        policy, limits = policy or chosen.policy, limits or chosen.limits
    question = Question(catalogue, policy, limits)
    counts = _Counts()
    for call in recheck_all(recorded_actions(ledger, within), question):
        counts.take(call, is_limited=_is_limited(question, call))
        if each is not None:
            each(call)
    if not counts.by_name:
        raise UsageError("No recorded call fits; 'actionledger report' says what the ledger holds.")
    return counts.report()


def _catalogue(profile: Profile | None, tools: Sequence[Mapping[str, Any]] | None) -> AnyCatalogue | None:
    if tools is not None:
        return ToolCatalogue.of(tools)
    return profile.catalogue if profile else None


def _as_recorded(ledger: Ledger, within: Filter) -> ToolCatalogue:
    """Return the recorded names with the arguments that they were given: what the rules of a policy's file are checked against."""
    fields: dict[str, dict[str, dict[str, Any]]] = {}
    for name, given in called_fields(ledger, within).items():
        fields[name] = {field: {} for field in given}
    return ToolCatalogue.of(
        [{"name": name, "parameters": {"properties": properties}} for name, properties in fields.items()]
    )


def _is_limited(question: Question, call: RecheckedAction) -> bool:
    return question.limits is not None and question.limits.rate_of(call.name) is not None


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
        is_of_interest = call.is_stopped or call.change != "same"
        if is_of_interest and len(self._examples) < KEPT:
            self._examples.append(call)

    def report(self) -> RecheckReport:
        """Return what was counted."""
        sums = list(self._sessions.values())
        calls = sum(calls for _, calls in sums)
        by_name = (
            NameCount(name, *(counts[key] for key in _COLUMNS)) for name, counts in self.by_name.items()
        )
        return RecheckReport(
            calls=calls,
            changes={change: self._changes[change] for change in _CHANGES},
            converted=self._converted,
            reasons=dict(self._reasons.most_common()),
            verdicts=dict(self._verdicts.most_common()),
            over_rate=sum(counts["over_rate"] for counts in self.by_name.values()),
            undated=self._undated,
            stopped=clustered(sums),
            done=self._done,
            by_name=tuple(sorted(by_name, key=lambda each: (-each.calls, each.name))),
            examples=tuple(self._examples),
        )


_COLUMNS = ("calls", "refused", "held", "over_rate", "stopped")
_CHANGES: tuple[Change, ...] = ("same", "newly_refused", "newly_accepted", "not_judged")
