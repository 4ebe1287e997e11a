"""The policy table, and actions that wait for a person: doubtful ones, and those on evidence alone."""

from dataclasses import replace
from datetime import datetime

import pytest
from small_profile import CATALOGUE, SESSION

from actionledger.actions.validation import check_action
from actionledger.core.errors import PolicyError, UsageError
from actionledger.core.events import ApprovalRequested, ResponseParsed
from actionledger.core.recording import TurnKey
from actionledger.core.values import ActionCall, RawAction, Reading, Span
from actionledger.core.vocabulary import ActionStatus, DecisionKind, Evidence, ExecutionStatus, Reason
from actionledger.reading.parsers import PARSERS, DialectParser
from actionledger.runtime.execution.approval import Decision, Policy, Rule, Verdict, content_hash
from actionledger.runtime.execution.execution_events import ActionStep
from actionledger.runtime.execution.gate import with_arguments
from actionledger.runtime.execution.policy_file import policy_from
from actionledger.runtime.execution.profile import ActionSettings, ExecutionSettings

APPROVE, REJECT, ESCALATE = Verdict.APPROVE, Verdict.REJECT, Verdict.ESCALATE


def call(name: str) -> ActionCall:
    return ActionCall(name, {}, ActionStatus.VALID, Span(0, 1), "actions", 0)


def test_no_row_means_reject():
    """An empty table lets nothing run, and a table without a fitting row neither."""
    assert Policy(()).review(call("look")) is REJECT
    assert Policy((("read_*", APPROVE),)).review(call("look")) is REJECT


@pytest.mark.parametrize(
    ("name", "verdict"),
    [("delete_task", REJECT), ("delete_goal", ESCALATE), ("get_task", APPROVE), ("delete", APPROVE)],
)
def test_the_first_row_that_fits_decides(name, verdict):
    """Exceptions stand above the rule that they are from."""
    policy = Policy((("delete_task", REJECT), ("delete_*", ESCALATE), ("*", APPROVE)))
    assert policy.review(call(name)) is verdict


def test_names_are_compared_with_their_case():
    """An action's name is an identifier, on every system."""
    assert Policy((("Look", APPROVE),)).review(call("look")) is REJECT


@pytest.mark.parametrize("name", ["look\n", "xlook", "lookx", ""])
def test_a_pattern_fits_the_whole_name(name):
    """A name that merely holds an allowed one is another name."""
    assert Policy((("look", APPROVE),)).review(call(name)) is REJECT


def test_an_automatic_session_approves_what_would_wait():
    """What is rejected stays rejected, rows keep their order, and the table itself is not changed."""
    policy = Policy((("destroy", REJECT), ("change", ESCALATE), ("look", APPROVE)))
    automatic = policy.automatic()
    assert [rule[:2] for rule in automatic.rules] == [
        ("destroy", REJECT),
        ("change", APPROVE),
        ("look", APPROVE),
    ]
    assert automatic.review(call("unheard of")) is REJECT
    assert policy.review(call("change")) is ESCALATE


@pytest.mark.parametrize(
    ("condition", "value", "holds"),
    [
        ("src/*", "src/a.py", True),
        ("src/*", "lib/src/a.py", False),
        ("3", 3, True),
        ("true", True, True),
        ("*secret*", ["a secret"], True),
        (("git", "diff"), "git diff --stat", True),
        (("git", "diff"), "git  diff", True),
        (("git", "diff"), "git 'diff' a.py", True),
        (("git", "diff"), "git difftool", False),
        (("git", "diff"), "git status", False),
        (("git", "diff"), "git", False),
        (("git", "diff"), "git diff; rm -r .", False),
        (("git", "diff"), "git diff && rm -r .", False),
        (("git", "diff"), "git diff | sh", False),
        (("git", "diff"), "git diff > /etc/passwd", False),
        (("git", "diff"), "git diff $(rm x)", False),
        (("git", "diff"), "git diff `rm x`", False),
        (("git", "diff"), "git diff\nrm x", False),
        (("git", "diff"), "git diff 'unclosed", False),
        (("git", "diff"), ["git", "diff"], False),
    ],
)
def test_a_condition_looks_at_a_field(condition, value, holds):
    """A glob over all of its text, or the words of a command that is nothing but words."""
    rule = Rule("run", APPROVE, {"field": condition})
    assert rule.fits("run", {"field": value}) is holds


def test_all_conditions_must_hold_and_a_missing_field_holds_none():
    """What isn't given can't fit."""
    rule = Rule("run", APPROVE, {"a": "*", "b": "x"})
    assert rule.fits("run", {"a": "1", "b": "x"})
    assert not rule.fits("run", {"a": "1", "b": "y"})
    assert not rule.fits("run", {"b": "x"})


def test_a_policy_has_a_version():
    """The same rules have the same one, however they are written; others another."""
    short, long = Policy((("a", APPROVE),)), Policy((Rule("a", APPROVE),))
    assert short.version == long.version
    assert len({policy.version for policy in (short, Policy(()), Policy((("a", REJECT),)))}) == 3
    assert Policy((Rule("a", APPROVE, {"x": "1"}),)).version != short.version


def test_a_content_has_a_hash():
    """The order of fields doesn't matter; name, values and policy do."""
    one = content_hash("run", '{"a": 1, "b": [2]}', "p")
    assert one == content_hash("run", '{"b":[2],"a":1}', "p")
    others = {
        content_hash("ran", '{"a": 1, "b": [2]}', "p"),
        content_hash("run", '{"a": 1, "b": [3]}', "p"),
        content_hash("run", '{"a": 1, "b": [2]}', "q"),
    }
    assert len(others | {one}) == 4


@pytest.mark.parametrize(
    ("decision", "arguments"), [(DecisionKind.APPROVED, {"a": 1}), (DecisionKind.MODIFIED, None)]
)
def test_a_decision_has_arguments_if_it_changes_them(decision, arguments):
    with pytest.raises(UsageError, match="if and only if"):
        Decision(decision, "ada", arguments=arguments)


NOON = datetime.fromisoformat("2026-05-04T12:00:00")
CHANGE = '```json\n{"name": "change", "arguments": {"what": "x"}}\n```'
LOOK = '```json\n{"name": "look", "arguments": {"at": "the sky"}}\n```'
DOUBT_APPROVE = Policy((Rule("*", Verdict.APPROVE),))
DOUBT_REJECT = Policy((Rule("*", Verdict.REJECT),))


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


@pytest.mark.parametrize("policy", [DOUBT_APPROVE, DOUBT_APPROVE.automatic()], ids=["approving", "automatic"])
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
    [seen] = doubting(DOUBT_REJECT).handle(CHANGE, occurred_at=NOON).observations
    assert seen.status is ExecutionStatus.DENIED


def test_a_dry_run_says_that_it_would_wait(doubting):
    """It shows what a person would be asked."""
    [seen] = doubting(DOUBT_APPROVE, dry_run=True).handle(CHANGE, occurred_at=NOON).observations
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


P, S, D = ExecutionStatus.PENDING, ExecutionStatus.SUCCEEDED, ExecutionStatus.DENIED
CALL = 'change(what="the colour")'


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
