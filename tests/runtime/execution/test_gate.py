"""The gate: its checks in their documented order, each pair of them, and what may run of what a record has masked."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from itertools import combinations, product
from pathlib import Path
from typing import Any, ClassVar, Literal

import pytest
from pydantic import Field

import actionledger as al
from actionledger.actions.catalogue import Action, Arguments, Catalogue
from actionledger.actions.validation import check
from actionledger.core.recording import SessionKey, TurnKey
from actionledger.core.values import Approval, Issue, Observation, RawAction, Reading, Span
from actionledger.core.vocabulary import DecisionKind, ExecutionStatus, Outcome, Reason
from actionledger.reading.parsers import parser_for
from actionledger.runtime.execution.approval import Policy, Verdict
from actionledger.runtime.execution.execution_events import ActionStep, approval_of
from actionledger.runtime.execution.gate import CHECKS, admit
from actionledger.runtime.execution.handlers import Handlers
from actionledger.runtime.execution.limits import FailureBudget, Limits, LocalCounter, RateLimit, Rates
from actionledger.runtime.execution.plan import PlannedAction, TurnPlan
from actionledger.runtime.execution.profile import Profile
from actionledger.runtime.execution.turn_context import (
    Admitted,
    ExecutionProgress,
    TurnContext,
    TurnState,
    Withheld,
)
from actionledger.runtime.repetition.fingerprints import observed_fingerprint
from actionledger.runtime.repetition.guard import RepetitionGuard
from actionledger.runtime.repetition.limits import RepetitionLimits, Threshold

REASONS = {
    "plan": Reason.DEPENDENCY_CYCLE,
    "failures": Reason.FAILURE_LIMIT,
    "dependency": Reason.DEPENDENCY_FAILED,
    "reference": Reason.UNRESOLVED_REFERENCE,
    "arguments": Reason.REFUSED_ARGUMENTS,
    "repetition": Reason.REPETITION,
    "decision": Reason.NOT_APPROVED,
    "handler": Reason.NO_HANDLER,
    "rate": Reason.RATE_LIMIT,
}
"""What can keep an action from running, in the order in which it is asked for, and the reason that is given."""

DOCUMENTED = (
    "is the plan sound",
    "have too many actions failed in a row",
    "did all that it depends on succeed",
    "can its references be filled in",
    "is it valid then",
    "would it be the same once more",
    "what does a person or the policy say",
    "has it a handler",
    "is there room in its rate",
)
ESCALATE = Policy((("*", Verdict.ESCALATE),))


class Brew(Action):
    """Brew something."""

    example: ClassVar[Arguments] = {"what": "tea"}
    type: Literal["brew"]
    what: str = Field(min_length=1)
    cups: int = Field(default=1, ge=1)


CATALOGUE = Catalogue("kitchen", (Brew,), references=True)
LIMITS = Limits(failures_per_turn=1, rates=(("brew", RateLimit(1, 60)),))
SEEN = Observation("x", 0, "brew", ExecutionStatus.SUCCEEDED, None, {"what": "water", "none": 0})


def turn() -> TurnKey:
    session = SessionKey(session_id="s", profile="kitchen", model="m", task="t")
    return TurnKey(session=session, turn_id="t", index=0, occurred_at=datetime.fromisoformat("2026-05-04"))


def kitchen(
    in_the_way: Iterable[str] = (),
    *,
    policy: Policy | None = None,
    approval: Approval | None = None,
    is_exact: bool = True,
    is_live: bool = True,
) -> tuple[TurnContext, ExecutionProgress, Admitted]:
    """Return a turn, and the last of its three actions, which depends on both before it, with all of that in its way."""
    obstacles = frozenset(in_the_way)
    wanted: dict[str, Any] = {
        "what": "${action_1.nothing}" if "reference" in obstacles else "${action_1.what}",
        "cups": "${action_1.none}" if "arguments" in obstacles else 2,
    }
    raws = tuple(
        RawAction("brew", each, Span(0, 1), "d", 0) for each in ({"what": "a"}, {"what": "b"}, wanted)
    )
    calls = check(Reading("", Outcome.CLEAN, (), raws, (), "", "p"), CATALOGUE)
    issue = Issue(Reason.DEPENDENCY_CYCLE, None, "In a circle.") if "plan" in obstacles else None
    planned = PlannedAction(2, calls[2], (0, 1), issue)
    fate = ExecutionStatus.FAILED if "dependency" in obstacles else ExecutionStatus.SUCCEEDED
    failures = FailureBudget(LIMITS)
    failures.note(failed="failures" in obstacles)
    verdict = Verdict.REJECT if "decision" in obstacles else Verdict.APPROVE
    chosen = policy or Policy((("*", verdict),))
    context = TurnContext(
        profile=Profile("kitchen", parser_for(("actions",)), CATALOGUE, chosen),
        policy=chosen,
        policy_version=chosen.version,
        handlers=Handlers({} if "handler" in obstacles else {"brew": lambda _action, _context: None}),
        rates=used_up() if "rate" in obstacles else Rates(LIMITS, LocalCounter()),
        failures=failures,
        repetition=stopped(calls[0]) if "repetition" in obstacles else RepetitionGuard(RepetitionLimits()),
        record=lambda _event: None,
        calls=calls,
        plan=TurnPlan((planned,), {"action_1": 0, "action_2": 1}),
        history=TurnState(turn(), "", "p", is_exact=is_exact, is_live=is_live),
        run_id="r",
        attempt_id="a",
        dry_run=False,
    )
    observations = {0: SEEN, 1: replace(SEEN, action_index=1, status=fate)}
    progress = ExecutionProgress(observations, approvals={2: approval} if approval else {})
    return context, progress, Admitted(planned, ActionStep(2, calls[2], "a", turn(), "r"))


def used_up() -> Rates:
    rates = Rates(LIMITS, LocalCounter())
    assert not rates.take("brew")
    return rates


def stopped(call: Any) -> RepetitionGuard:
    """Return a guard that has stopped a turn: it refuses every action of it."""
    guard = RepetitionGuard(RepetitionLimits(same_action=Threshold(2, 2), needs_nudge=False, ends_turn=True))
    fingerprint = observed_fingerprint(call, SEEN)
    assert fingerprint
    guard.note([fingerprint, fingerprint, fingerprint])
    return guard


def reason_of(answer: Admitted | Withheld) -> Reason | None:
    return answer.reason if isinstance(answer, Withheld) else None


def asked(*in_the_way: str, **given: Any) -> Reason | None:
    return reason_of(admit(*kitchen(in_the_way, **given)))


def test_what_nothing_stands_in_the_way_of_runs() -> None:
    answer = admit(*kitchen())
    assert isinstance(answer, Admitted)
    assert answer.step.call.arguments == {"what": "water", "cups": 2}


@pytest.mark.parametrize("obstacle", REASONS)
def test_each_check_withholds_by_itself(obstacle: str) -> None:
    assert asked(obstacle) is REASONS[obstacle]


def test_each_check_withholds_something() -> None:
    """A check that is added has its obstacle among those of this page, which are tried pair by pair."""
    kitchens = {obstacle: kitchen({obstacle}) for obstacle in REASONS}
    answers = {check: [check(*each) for each in kitchens.values()] for check in CHECKS}
    idle = [
        check.__name__ for check, said in answers.items() if not any(isinstance(x, Withheld) for x in said)
    ]
    assert not idle, (
        "put what it withholds into kitchen() and REASONS, and its question into DOCUMENTED and the page"
    )


@pytest.mark.parametrize(("first", "second"), list(combinations(REASONS, 2)))
def test_of_two_reasons_the_one_that_is_asked_for_first_is_given(first: str, second: str) -> None:
    """Neighbours in the order, and all others."""
    assert asked(first, second) is REASONS[first]


def test_where_everything_is_in_the_way_each_is_met_in_turn() -> None:
    """One after the other is cleared away."""
    met, left = [], set(REASONS)
    while left:
        found = next(name for name, reason in REASONS.items() if reason is asked(*left))
        met.append(found)
        left.remove(found)
    assert met == list(REASONS)


def test_the_order_is_the_documented_one() -> None:
    """The page for readers names each check, in the order of this table."""
    page = (Path(__file__).parents[3] / "docs" / "architecture.md").read_text()
    page = " ".join(page.split())
    places = [page.find(phrase) for phrase in DOCUMENTED]
    assert len(places) == len(REASONS)
    assert -1 not in places
    assert places == sorted(places)


@pytest.mark.parametrize("later", ["handler", "rate"])
def test_a_person_is_asked_before_handler_and_rate(later: str) -> None:
    """Somebody who may still decide against it sees it all the same."""
    answer = admit(*kitchen({later}, policy=ESCALATE))
    assert isinstance(answer, Withheld)
    assert (answer.status, answer.reason) == (ExecutionStatus.PENDING, Reason.NOT_APPROVED)
    assert answer.asks


@pytest.mark.parametrize("obstacle", [name for name in REASONS if name != "rate"])
def test_what_is_withheld_uses_up_no_rate(obstacle: str) -> None:
    """Only what is about to run is counted."""
    context, progress, action = kitchen({obstacle})
    assert isinstance(admit(context, progress, action), Withheld)
    assert not context.rates.take("brew")


def test_what_waits_for_a_person_uses_up_no_rate() -> None:
    """It is counted when it runs."""
    context, progress, action = kitchen(policy=ESCALATE)
    assert reason_of(admit(context, progress, action)) is Reason.NOT_APPROVED
    assert not context.rates.take("brew")


MILK = '{"type": "create_task", "content": "Buy milk"}'
BLOCK = f'```actions\n{{"actions": [{MILK}]}}\n```'


@pytest.mark.parametrize(
    ("text", "done"),
    [
        (f"{BLOCK}\n\n{BLOCK}", 1),
        (f"So:\n{BLOCK}\n{BLOCK}\nDone.", 1),
        (f"{BLOCK}\n{BLOCK}\n{BLOCK}", 1),
        (f"{BLOCK}\n\nFinal answer:\n\n{BLOCK}", 1),
        (f"{BLOCK}\n\nAnother one:\n\n{BLOCK}", 2),
        (f"{BLOCK}\n{BLOCK.replace('milk', 'milk ')}", 2),
        (f'```actions\n{{"actions": [{MILK}, {MILK}]}}\n```', 2),
    ],
)
def test_a_block_that_is_doubled_to_the_letter_is_done_once(text: str, done: int) -> None:
    """A list that holds an action twice means it twice, and so do two blocks with words of their own; the model is told what was left."""
    with al.Runtime("assistant") as session:
        turn = session.handle(text)
    statuses = [each.status for each in turn.observations]
    assert statuses.count(ExecutionStatus.SUCCEEDED) == done
    left = [each for each in turn.observations if each.status is ExecutionStatus.SKIPPED]
    assert {each.reason for each in left} == ({Reason.REPETITION} if done == 1 else set())
    assert (
        "Its block is the one before once more, to the letter; it is done once." in turn.feedback
    ) == bool(left)


# What a record has masked

TRUTH = list(product((True, False), repeat=3))
ALL_KNOWN = Policy((("brew", Verdict.APPROVE),))


@pytest.mark.parametrize(("is_live", "is_exact", "is_approval_exact"), TRUTH)
def test_an_approval_of_masked_arguments_runs_only_from_memory(
    is_live: bool, is_exact: bool, is_approval_exact: bool
) -> None:
    """Read back from a record, neither the response nor the arguments that were decided on may have been masked."""
    context, progress, action = kitchen(policy=ESCALATE)
    due = admit(context, progress, action)
    assert isinstance(due, Withheld)
    assert due.asks
    approval = approval_of(due.asks, context.policy_version)
    decided = replace(
        approval,
        is_exact=is_approval_exact,
        decision=DecisionKind.APPROVED,
        decided_by="ada",
        decided_hash=approval.content_hash,
    )
    found = asked(policy=ESCALATE, approval=decided, is_live=is_live, is_exact=is_exact)
    assert found is (None if is_live or (is_exact and is_approval_exact) else Reason.MASKED_CONTENT)


@pytest.mark.parametrize("policy", [ALL_KNOWN, ESCALATE, Policy(())])
@pytest.mark.parametrize(("is_live", "is_exact"), list(product((True, False), repeat=2)))
def test_a_policy_decides_about_no_masked_response(policy: Policy, is_live: bool, is_exact: bool) -> None:
    """Not even that it waits: nobody could ever let it run."""
    masked = not (is_live or is_exact)
    open_to_policy = None if policy is ALL_KNOWN else Reason.NOT_APPROVED
    expected = Reason.MASKED_CONTENT if masked else open_to_policy
    assert asked(policy=policy, is_live=is_live, is_exact=is_exact) is expected
