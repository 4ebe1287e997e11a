"""An action that may not be what was meant runs only once a person has approved it, whatever the policy says."""

from dataclasses import replace
from datetime import datetime

import pytest

from actionledger.actions.validation import check_action
from actionledger.core.events import ApprovalRequested, ResponseParsed
from actionledger.core.values import RawAction, Reading, Span
from actionledger.core.vocabulary import ActionStatus, ExecutionStatus, Reason
from actionledger.reading.parsers import PARSERS, DialectParser
from actionledger.runtime.execution.approval import Policy, Rule, Verdict

NOON = datetime.fromisoformat("2026-05-04T12:00:00")
CHANGE = '```json\n{"name": "change", "arguments": {"what": "x"}}\n```'
LOOK = '```json\n{"name": "look", "arguments": {"at": "the sky"}}\n```'
APPROVE = Policy((Rule("*", Verdict.APPROVE),))
REJECT = Policy((Rule("*", Verdict.REJECT),))


class Doubting(DialectParser):
    """Reads as its configuration says, and doubts every action."""

    def read(self, text: str, names: frozenset[str] | None = None, *, is_cut: bool = False) -> Reading:
        found = super().read(text, names, is_cut=is_cut)
        return replace(found, actions=tuple(each._replace(doubt=Reason.TRUNCATED) for each in found.actions))


@pytest.fixture
def doubting(session, profile):
    """Return a session under a policy in which every action is doubted."""

    def of(policy, **given):
        auto = PARSERS["auto"]
        parser = Doubting(**{name: getattr(auto, name) for name in type(auto).model_fields})
        return session(profile=replace(profile, parser=parser, policy=policy), **given)

    return of


@pytest.mark.parametrize("policy", [APPROVE, APPROVE.automatic()], ids=["approving", "automatic"])
@pytest.mark.parametrize("text", [CHANGE, LOOK])
def test_what_a_policy_would_let_run_waits(doubting, events, policy, text):
    """A call that only reads waits as well: what it was to read is not known."""
    turn = doubting(policy).handle(text, occurred_at=NOON)
    [seen] = turn.observations
    assert (seen.status, seen.reason) == (ExecutionStatus.PENDING, Reason.NOT_APPROVED)
    assert "ends in the middle of a value" in seen.message
    assert "only if a person approves" in seen.message
    [call] = turn.result.actions
    assert (call.status, call.reason, turn.result.valid_actions) == (
        ActionStatus.NEEDS_APPROVAL,
        Reason.TRUNCATED,
        (),
    )
    [parsed] = [event for event in events if isinstance(event, ResponseParsed)]
    assert [action.status for action in parsed.actions] == [ActionStatus.NEEDS_APPROVAL]
    assert any(isinstance(event, ApprovalRequested) for event in events)


def test_what_a_policy_rejects_is_rejected(doubting):
    """Nobody is asked about what nobody may do."""
    [seen] = doubting(REJECT).handle(CHANGE, occurred_at=NOON).observations
    assert seen.status is ExecutionStatus.DENIED


def test_a_dry_run_says_that_it_would_wait(doubting):
    """It shows what a person would be asked."""
    [seen] = doubting(APPROVE, dry_run=True).handle(CHANGE, occurred_at=NOON).observations
    assert (seen.status, seen.reason) == (ExecutionStatus.DRY_RUN, Reason.NOT_APPROVED)


@pytest.mark.parametrize(
    ("name", "arguments", "status"),
    [
        ("look", {"at": "x"}, ActionStatus.NEEDS_APPROVAL),
        ("look", {"to": "x"}, ActionStatus.INVALID),
        ("lick", {"at": "x"}, ActionStatus.UNKNOWN),
    ],
)
def test_what_its_catalogue_refuses_needs_no_approval(profile, name, arguments, status):
    """Nobody can approve what can't run."""
    raw = RawAction(name, arguments, Span(0, 1), "test", 0, doubt=Reason.TRUNCATED)
    assert check_action(raw, profile.catalogue).status is status


def test_what_is_shown_stays_shown():
    """An illustration is no question to anybody."""
    raw = RawAction("f", {}, Span(0, 1), "test", 0, illustration=Reason.EXAMPLE, doubt=Reason.TRUNCATED)
    assert check_action(raw, None).status is ActionStatus.ILLUSTRATION
