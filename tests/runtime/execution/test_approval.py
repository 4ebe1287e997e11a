"""The policy table: the first row that fits decides, and what no row fits is rejected."""

import pytest

from actionledger.core.errors import UsageError
from actionledger.core.values import ActionCall, Span
from actionledger.core.vocabulary import ActionStatus, DecisionKind
from actionledger.runtime.execution.approval import Decision, Policy, Rule, Verdict, content_hash

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
    """And only then."""
    with pytest.raises(UsageError, match="if and only if"):
        Decision(decision, "ada", arguments=arguments)
