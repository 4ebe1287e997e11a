"""An action that stands on evidence alone waits for a person, unless a rule about evidence decides or it only reads."""

from dataclasses import replace
from datetime import datetime

import pytest
from small_profile import CATALOGUE, SESSION

from actionledger.core.errors import PolicyError
from actionledger.core.events import ResponseParsed
from actionledger.core.recording import TurnKey
from actionledger.core.vocabulary import Evidence, ExecutionStatus
from actionledger.reading.parsers import PARSERS
from actionledger.runtime.execution.approval import Policy, Rule, Verdict
from actionledger.runtime.execution.execution_events import ActionStep
from actionledger.runtime.execution.gate import with_arguments
from actionledger.runtime.execution.policy_file import policy_from
from actionledger.runtime.execution.profile import ActionSettings, ExecutionSettings

NOON = datetime.fromisoformat("2026-05-04T12:00:00")
P, S, D = ExecutionStatus.PENDING, ExecutionStatus.SUCCEEDED, ExecutionStatus.DENIED
CALL = 'change(what="the colour")'
APPROVE = Policy((Rule("*", Verdict.APPROVE),))


@pytest.fixture
def statuses(session, profile):
    """Return what comes of a text's actions under a policy."""

    def of(text, policy, **changes):
        given = replace(profile, parser=PARSERS["auto"], policy=policy, **changes)
        return [each.status for each in session(profile=given).handle(text, occurred_at=NOON).observations]

    return of


def test_what_stands_on_evidence_alone_waits(statuses):
    """A rule that approves everything says nothing of how it was written."""
    assert statuses(CALL, APPROVE) == [P]
    assert statuses('```json\n{"name": "change", "arguments": {"what": "x"}}\n```', APPROVE) == [S]
    assert statuses(CALL, APPROVE.automatic()) == [P]


def test_what_only_reads_runs(statuses):
    """Nothing is lost by looking."""
    reads = ExecutionSettings((("look", ActionSettings(reads=("at",))),))
    assert statuses('look(at="the sky")', APPROVE, execution_settings=reads) == [S]


@pytest.mark.parametrize(
    ("text", "status"),
    [(CALL, S), (f"I do it now:\n\n{CALL}", P), (f"{CALL}\n\nThen I look.", P)],
)
def test_a_rule_decides_by_the_rank_that_it_names(statuses, text, status):
    """The whole response is more than its last block."""
    policy = Policy(
        (Rule("change", Verdict.APPROVE, evidence=(Evidence.WHOLE,)), Rule("*", Verdict.ESCALATE))
    )
    assert statuses(text, policy) == [status]


def test_a_rule_about_evidence_is_about_nothing_else(statuses):
    """An action with its format's marks passes it over."""
    policy = Policy((Rule("*", Verdict.REJECT, evidence=tuple(Evidence)), Rule("*", Verdict.APPROVE)))
    assert statuses(CALL, policy) == [D]
    assert statuses('```json\n{"name": "change", "arguments": {"what": "x"}}\n```', policy) == [S]


def test_a_file_names_the_ranks():
    """A rank that there is none of is refused by its name."""
    text = '[[rule]]\naction = "change"\nverdict = "approve"\nevidence = [{}]\n'
    policy = policy_from(text.format('"whole", "last"'), CATALOGUE, source="p.toml")
    assert policy.rules[0].evidence == (Evidence.WHOLE, Evidence.LAST)
    with pytest.raises(PolicyError, match="evidence"):
        policy_from(text.format('"certain"'), CATALOGUE, source="p.toml")


def test_evidence_is_recorded_with_the_action(session, profile, events):
    """Of the action as of its block; one with marks has none."""
    made = session(profile=replace(profile, parser=PARSERS["auto"]))
    made.handle(CALL, occurred_at=NOON)
    made.handle('```json\n{"name": "change", "arguments": {"what": "x"}}\n```', occurred_at=NOON)
    first, second = (event for event in events if isinstance(event, ResponseParsed))
    assert [action.evidence for action in first.actions] == [block.evidence for block in first.blocks]
    assert first.actions[0].evidence is Evidence.WHOLE
    assert second.actions[0].evidence is None


def test_other_arguments_are_no_other_evidence(session, profile):
    """What a rule or a person fills in is decided about as what it was filled into."""
    given = replace(profile, parser=PARSERS["auto"])
    made = session(profile=given)
    [call] = made.handle(CALL, occurred_at=NOON).result.actions

    class Context:
        profile = given

    step = with_arguments(
        Context,
        ActionStep(
            0,
            call,
            attempt_id="",
            turn=TurnKey(session=SESSION, turn_id="t", index=0, occurred_at=NOON),
            run_id="",
        ),
        {"what": "the size"},
    )
    assert isinstance(step, ActionStep)
    assert (step.call.arguments, step.call.evidence) == ({"what": "the size"}, Evidence.WHOLE)
