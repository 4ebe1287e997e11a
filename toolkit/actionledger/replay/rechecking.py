"""One recorded call after another, asked again: would it be valid, may it run, is there room in its rate?"""

import json
import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import Literal, TypeAlias

from actionledger.actions.catalogue import Catalogue
from actionledger.actions.validation import AnyCatalogue, as_known, check_action, id_of
from actionledger.core.values import ActionCall, FieldError, RawAction, Span
from actionledger.core.vocabulary import ActionStatus, Evidence, ExecutionStatus, Reason
from actionledger.ledger.queries.called import RecordedAction
from actionledger.reading.dialects import DIALECTS
from actionledger.runtime.execution.approval import LETS_RUN, Policy, Rule, Verdict
from actionledger.runtime.execution.limits import Limits, RateLimit

_MASKED = re.compile(r"\*{4}")
"""What stands for a secret in a record, at the least: no secret is shorter, and the marks of a patch have three."""

_TEXTS_ONLY = frozenset(dialect.name for dialect in DIALECTS if dialect.strings_only)

Change: TypeAlias = Literal["same", "newly_refused", "newly_accepted", "not_judged"]
"""What another schema makes of a call: as it was recorded, no longer valid, valid now, or not to be told, since a secret in it
was masked."""


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
        return is_refused or self._is_held or bool(self.is_over_rate)

    @property
    def may_run(self) -> bool:
        """Whether schema and policy let it run, so that it counts in its rate."""
        return self.status.is_runnable and not self._is_held

    @property
    def _is_held(self) -> bool:
        return self.verdict is not None and self.verdict not in LETS_RUN


@dataclass(frozen=True, slots=True)
class Question:
    """What recorded calls are asked.

    Args:
        catalogue: what they are checked against; None to leave what was recorded.
        policy: what decides about those that are valid; None for nothing.
        limits: their rates; None for none.
    """

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
    """Yield a session's calls with whether there is room for them in their rates.

    They are counted in the order of their times, which is not that in which they were written where one waited for a person.
    """
    calls = list(asked)
    over: dict[int, bool] = {}
    taken: defaultdict[str, deque[datetime]] = defaultdict(deque)
    dated = ((at, place) for place, (_, at) in enumerate(calls) if at is not None)
    for at, place in sorted(dated):
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
    refers = isinstance(catalogue, Catalogue) and catalogue.references
    ids = frozenset(map(id_of, raws)) if refers else None
    for action, raw in zip(actions, raws, strict=True):
        call = None if catalogue is None else _checked(raw, catalogue, ids)
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


def _checked(raw: RawAction, catalogue: AnyCatalogue, ids: frozenset[str] | None) -> ActionCall:
    call = check_action(raw, catalogue, (), ids)
    return as_known(call, catalogue) if isinstance(catalogue, Catalogue) else call


def _rechecked(
    action: RecordedAction, raw: RawAction, call: ActionCall | None, policy: Policy | None
) -> RecheckedAction:
    status = action.status if call is None else call.status
    name = action.name if call is None else call.name
    arguments = raw.arguments if call is None else call.arguments
    errors = () if call is None else call.errors
    reason = action.reason if call is None else call.reason
    change = _change(action, status)
    doubt = reason if status is ActionStatus.NEEDS_APPROVAL else None
    rule = _deciding(policy, name, arguments, action.evidence, doubt) if status.is_plannable else None
    return RecheckedAction(
        session_id=action.session_id,
        turn_index=action.turn_index,
        action_index=action.action_index,
        name=name,
        arguments=action.arguments,
        was=action.status,
        status=status,
        change=change,
        reason=reason,
        errors=errors,
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


def _deciding(
    policy: Policy | None,
    name: str,
    arguments: dict[str, object],
    evidence: Evidence | None,
    doubt: Reason | None,
) -> Rule | None:
    return policy.rule_for(name, arguments, evidence, doubt) if policy else None
