"""Rates and failures in a row, and policies from files."""

import json
from dataclasses import replace
from datetime import datetime

import pytest

import actionledger as al
from actionledger.core.errors import ActionError, PolicyError, UsageError
from actionledger.core.vocabulary import ExecutionStatus, Reason
from actionledger.ledger.storage.internals import SharedCounter
from actionledger.runtime.execution.approval import Rule, Verdict
from actionledger.runtime.execution.limits import FailureBudget, Limits, LocalCounter, RateLimit
from actionledger.runtime.execution.policy_file import load_policy, policy_from
from actionledger.runtime.execution.profile import ActionSettings, ExecutionSettings


class Clock:
    """Tells the time that it is told."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["local", "shared"])
def counter(request, clock, tmp_path):
    """Both counters do the same."""
    return LocalCounter(clock) if request.param == "local" else SharedCounter(tmp_path / "rates.json", clock)


def test_a_window_slides(counter, clock):
    """There is room again when the oldest falls out of it, not at the full minute."""
    assert counter.take("a", 2, 60) is None
    clock.now += 50
    assert counter.take("a", 2, 60) is None
    assert counter.take("a", 2, 60) == pytest.approx(10)
    clock.now += 10
    assert counter.take("a", 2, 60) is None
    assert counter.take("a", 2, 60) == pytest.approx(50)


def test_what_is_refused_does_not_count(counter, clock):
    """Asking again and again doesn't put off the moment at which there is room."""
    counter.take("a", 1, 60)
    for _ in range(10):
        clock.now += 5
        assert counter.take("a", 1, 60) is not None
    clock.now += 10
    assert counter.take("a", 1, 60) is None


def test_each_action_is_counted_by_its_own_name(counter):
    """One that is used up leaves the others alone."""
    counter.take("a", 1, 60)
    assert counter.take("b", 1, 60) is None
    assert counter.take("a", 1, 60) is not None


def test_the_assistants_limits_are_the_documents():
    """Type by type; what isn't listed has none."""
    limits = al.profile("assistant").limits
    stated = {
        "create_task": 100,
        "create_memory": 50,
        "create_goal": 20,
        "datavault_store": 50,
        "execute_code": 10,
    }
    assert {name: limits.rate_of(name) for name in stated} == {
        name: RateLimit(count, 60) for name, count in stated.items()
    }
    assert limits.rate_of("list_tasks") is None


def test_the_first_row_that_fits_decides():
    limits = Limits(rates=(("get_*", RateLimit(1, 1)), ("*", RateLimit(2, 2))))
    assert (limits.rate_of("get_x").count, limits.rate_of("x").count) == (1, 2)
    execution_settings = ExecutionSettings((("get_*", ActionSettings(retries=1)),), ActionSettings(retries=2))
    assert (execution_settings.of("get_x").retries, execution_settings.of("x").retries) == (1, 2)


@pytest.mark.parametrize(
    "make",
    [
        lambda: RateLimit(0, 60),
        lambda: RateLimit(1, 0),
        lambda: ActionSettings(timeout=0),
        lambda: ActionSettings(retries=-1),
        lambda: ActionSettings(delay=-0.1),
    ],
)
def test_a_number_that_means_nothing_is_refused(make):
    """When the profile is made, not when the action runs."""
    with pytest.raises(UsageError, match="give"):
        make()


def test_failures_are_counted_in_a_row():
    """By turn and by session; a success makes up for both."""
    budget = FailureBudget(Limits(failures_per_turn=2, failures_per_session=3))
    budget.note(failed=True)
    assert not budget.spent()
    budget.note(failed=True)
    assert "rest of the turn" in budget.spent()
    budget.begin_turn()
    assert not budget.spent()
    budget.note(failed=True)
    assert "rest of the session" in budget.spent()
    budget.note(failed=False)
    assert not budget.spent()


def test_without_limits_nothing_is_ever_spent():
    """None stands for no limit."""
    budget = FailureBudget(Limits(failures_per_turn=None, failures_per_session=None))
    for _ in range(1000):
        budget.note(failed=True)
    assert not budget.spent()


def hang(_action, context):
    context.cancelled.wait(120)


def too_late(error):
    def handler(_action, _context):
        raise error

    return handler


@pytest.mark.parametrize(
    "handler",
    [hang, too_late(TimeoutError("30 s")), too_late(ActionError(Reason.TIMEOUT, "It took too long."))],
)
def test_what_took_too_long_has_failed(session, profile, handler):
    """It counts among the failures in a row, of the turn and of the session, however the time-out came about."""
    limited = replace(
        profile,
        limits=Limits(failures_per_turn=2, failures_per_session=3),
        execution_settings=ExecutionSettings((), ActionSettings(timeout=0.02, retries=0)),
    )
    running = session(handlers={"look": handler}, profile=limited)
    looks = [{"type": "look", "at": at} for at in ("sky", "sea", "sun")]
    text = f"```actions\n{json.dumps({'actions': looks})}\n```"
    turns = [running.handle(text, occurred_at=datetime.fromisoformat("2026-05-04")) for _ in range(2)]
    late, skipped = ExecutionStatus.TIMED_OUT, ExecutionStatus.SKIPPED
    assert [each.status for each in turns[0].observations] == [late, late, skipped]
    assert [each.status for each in turns[1].observations] == [late, skipped, skipped]
    assert {turn.observations[-1].reason for turn in turns} == {Reason.FAILURE_LIMIT}


CATALOGUE = al.profile("coder").catalogue

WHOLE = """
[[rule]]
action = "execute_command"
when = { command = ["git", "diff"] }
verdict = "approve"
why = "It only reads."

[[rule]]
action = "*_file"
when = { path = "src/*" }
verdict = "approve"

[[rule]]
action = "execute_command"
verdict = "modify"
set = { description = "from the policy" }

[[rule]]
action = "*"
verdict = "escalate"
"""


def test_a_file_says_all_that_a_policy_can(tmp_path):
    """Row by row, from the top."""
    path = tmp_path / "policy.toml"
    path.write_text(WHOLE)
    policy = load_policy(path, CATALOGUE)
    assert policy.rules == (
        Rule("execute_command", Verdict.APPROVE, {"command": ("git", "diff")}, {}, "It only reads."),
        Rule("*_file", Verdict.APPROVE, {"path": "src/*"}),
        Rule("execute_command", Verdict.MODIFY, {}, {"description": "from the policy"}),
        Rule("*", Verdict.ESCALATE),
    )


def test_an_empty_file_lets_nothing_run():
    """No rule means reject."""
    policy = policy_from("", CATALOGUE, source="p.toml")
    assert policy.rule_for("read_file", {}).verdict is Verdict.REJECT


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "[[rule]]\naction = 'red_file'\nverdict = 'approve'",
            r"in rule 1, no action .*'red_file'.*'read_file'",
        ),
        ("[[rule]]\naction = 'destroy_*'\nverdict = 'approve'", r"'destroy_\*' \(there are: create_file"),
        (
            "[[rule]]\naction = '*'\nverdict = 'aprove'",
            r"the verdict 'aprove' is none \(did you mean 'approve'",
        ),
        ("[[rule]]\naction = '*'\nverdict = 'yes'", r"'yes' is none \(there are: approve, modify"),
        (WHOLE + "\n[[rule]]\naction = '*'", "in rule 5, verdict: field required"),
        ("[[rule]]\naction = '*'\nverdict = 'approve'\nwhy_not = 1", "in rule 1, why_not"),
        ("[[rule]]\naction = 'read_file'\nverdict = 'reject'\nwhen = {pth = 'x'}", "no field 'pth'.*'path'"),
        ("[[rule]]\naction = 'read_file'\nverdict = 'reject'\nset = {path = 'x'}", "belongs to .*'modify'"),
        ("[[rule]]\naction = 'read_file'\nverdict = 'modify'", "'modify' needs it"),
        ("[[rule]]\naction = 'read_file'\nverdict = 'reject'\nwhen = {path = 7}", "in rule 1, when.path"),
        (
            "[[rule]]\naction = 'execute_command'\nverdict = 'reject'\nwhen = {command = ['git push']}",
            "in rule 1, when.command holds 'git push', which is not one word",
        ),
        (
            "[[rule]]\naction = 'execute_command'\nverdict = 'reject'\nwhen = {command = []}",
            "in rule 1, when.command is empty",
        ),
        ("[[rules]]\naction = '*'\nverdict = 'approve'", r"rules: .*\[\[rule\]\] tables"),
        ("rule = 1", "rule: "),
        ("[[rule", "it is not TOML"),
        (f"n = {'1' * 4301}", "it is not TOML"),
    ],
)
def test_a_slip_is_named_with_its_row(text, words):
    """What is wrong, and what would be right."""
    with pytest.raises(PolicyError, match=f"^The policy file p.toml can't be used: .*{words}"):
        policy_from(text, CATALOGUE, source="p.toml")


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    """One that isn't there, and one that is no text."""
    with pytest.raises(PolicyError, match="No such file"):
        load_policy(tmp_path / "none.toml", CATALOGUE)
    (tmp_path / "bytes.toml").write_bytes(b"\xff")
    with pytest.raises(PolicyError, match="not UTF-8"):
        load_policy(tmp_path / "bytes.toml", CATALOGUE)


def test_a_session_takes_a_policy_from_a_file(tmp_path):
    """It replaces the profile's own."""
    path = tmp_path / "policy.toml"
    path.write_text("[[rule]]\naction = 'create_file'\nwhen = {path = 'ok/*'}\nverdict = 'approve'\n")
    text = "".join(
        f"<create_file><path>{name}</path><content>x</content></create_file>\n" for name in ("ok/a", "b")
    )
    with al.Runtime("coder", workspace=tmp_path / "work", policy=path) as runtime:
        assert [each.status for each in runtime.handle(text).observations] == ["succeeded", "denied"]
