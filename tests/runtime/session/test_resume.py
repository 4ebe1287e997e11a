"""A turn that goes on: what was approved runs, what was begun is not begun again, and nobody decides twice."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import actionledger as al
from actionledger.core.errors import LedgerError, UsageError
from actionledger.core.vocabulary import DecisionKind, ExecutionStatus, Reason
from actionledger.ledger import Ledger, open_ledger
from actionledger.runtime.execution.approval import Decision, Policy, Verdict
from actionledger.runtime.execution.execution_events import approval_decided
from actionledger.runtime.execution.handlers import Handlers
from actionledger.runtime.execution.profile import ActionSettings, ExecutionSettings
from actionledger.runtime.session.decisions import (
    decide,
    decided_approvals,
    pending_approvals,
    signed,
    signing_key,
)

APPROVED = Decision(DecisionKind.APPROVED, "ada", "It looks right.")
REJECTED = Decision(DecisionKind.REJECTED, "ada", "Not on a Friday.")
S, P = ExecutionStatus.SUCCEEDED, ExecutionStatus.PENDING


def create(path: str, content: str = "one") -> str:
    return f"<create_file><path>{path}</path><content>{content}</content></create_file>\n"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    return tmp_path / "work"


def fates(turn: al.Turn) -> list[tuple[int, ExecutionStatus, Reason | None]]:
    return [(each.action_index, each.status, each.reason) for each in turn.observations]


def executions(ledger: Ledger) -> list[tuple[Any, ...]]:
    return ledger.sql("SELECT action_index, try_number, status FROM executions ORDER BY ALL").fetchall()


@pytest.mark.parametrize("is_recorded", [True, False])
def test_what_is_approved_runs_and_the_rest_waits_on(ledger, work, is_recorded):
    """In one session, with a ledger or without: the observations are those of the whole turn."""
    with al.Runtime("coder", ledger=ledger if is_recorded else None, workspace=work) as runtime:
        turn = runtime.handle(create("a") + create("b"))
        assert fates(turn) == [(0, P, Reason.NOT_APPROVED), (1, P, Reason.NOT_APPROVED)]
        after = runtime.resume(turn.turn_id, {1: APPROVED})
        assert fates(after) == [(0, P, Reason.NOT_APPROVED), (1, S, None)]
        assert [path.name for path in work.iterdir()] == ["b"]
        last = runtime.resume(turn.turn_id, {0: REJECTED})
    assert fates(last) == [(0, ExecutionStatus.DENIED, Reason.REJECTED), (1, S, None)]
    assert "ada has decided against it: Not on a Friday." in last.feedback
    assert not (work / "a").exists()


def test_each_step_is_in_the_record(ledger, work):
    """The wait, who decided what and why, the try that followed, and what the model was told then."""
    with al.Runtime("coder", ledger=ledger, workspace=work) as runtime:
        turn = runtime.handle(create("a"))
        after = runtime.resume(turn.turn_id, {0: APPROVED})
    assert executions(ledger) == [(0, 1, "pending"), (0, 2, "succeeded")]
    assert ledger.sql("SELECT name, decision, decided_by, why FROM approvals").fetchall() == [
        ("create_file", "approved", "ada", "It looks right.")
    ]
    assert ledger.sql("SELECT feedback FROM resumptions").fetchall() == [(after.feedback,)]
    assert ledger.sql("SELECT feedback FROM turns").fetchall() == [(turn.feedback,)]


def test_a_decision_may_change_the_arguments(ledger, work):
    """They are validated again and recorded before and after."""
    changed = {"path": "a", "content": "two"}
    with al.Runtime("coder", ledger=ledger, workspace=work) as runtime:
        turn = runtime.handle(create("a"))
        runtime.resume(turn.turn_id, {0: Decision(DecisionKind.MODIFIED, "ada", "Two.", changed)})
    assert (work / "a").read_text() == "two"
    before, after = ledger.sql("SELECT arguments, changed_arguments FROM approvals").fetchone()
    assert json.loads(before) == {"path": "a", "content": "one"}
    assert json.loads(after) == changed
    assert (
        json.loads(ledger.sql("SELECT arguments FROM executions WHERE try_number = 2").fetchone()[0])
        == changed
    )


def test_a_changed_action_that_is_not_valid_is_not_run(work):
    """What a person writes is checked like what a model writes."""
    with al.Runtime("coder", workspace=work) as runtime:
        turn = runtime.handle(create("a"))
        after = runtime.resume(turn.turn_id, {0: Decision(DecisionKind.MODIFIED, "ada", "", {"path": 7})})
    assert fates(after) == [(0, ExecutionStatus.SKIPPED, Reason.REFUSED_ARGUMENTS)]
    assert list(work.iterdir()) == []


@pytest.mark.parametrize("is_recorded", [True, False])
def test_nobody_decides_twice(ledger, work, is_recorded):
    """The second is told what the first decided; nothing runs again."""
    with al.Runtime("coder", ledger=ledger if is_recorded else None, workspace=work) as runtime:
        turn = runtime.handle(create("a") + create("b"))
        runtime.resume(turn.turn_id, {0: REJECTED})
        with pytest.raises(UsageError, match=r"was rejected by ada at .* already"):
            runtime.resume(turn.turn_id, {0: Decision(DecisionKind.APPROVED, "bob")})
    assert list(work.iterdir()) == []


def test_a_queue_survives_its_process(ledger, tmp_path, work):
    """Another session decides, a reopened one runs it in the recorded folder, once."""
    with al.Runtime("coder", ledger=ledger, workspace=work, model="m") as runtime:
        turn = runtime.handle(create("a"))
    (waiting,) = pending_approvals(ledger)
    assert (waiting.name, json.loads(waiting.arguments)) == ("create_file", {"path": "a", "content": "one"})
    decide(ledger, waiting.approval_id[:10], APPROVED)
    assert pending_approvals(ledger) == []
    (decided,) = decided_approvals(ledger)
    with al.Runtime.reopen(ledger, decided.session_id) as runtime:
        assert runtime.workspace == work
        after = runtime.resume(decided.turn_id)
        assert fates(after) == [(0, S, None)]
        (work / "a").unlink()
        assert fates(runtime.resume(decided.turn_id)) == [(0, S, None)]
        following = runtime.handle("Thanks.")
    assert not (work / "a").exists()
    assert following.index == turn.index + 1
    assert decided_approvals(ledger) == []
    assert ledger.sql("SELECT count(*) FROM sessions").fetchone() == (1,)


def test_a_decision_of_another_process_is_seen_by_the_session_that_waits(ledger, tmp_path, work):
    """The session is open all the while; only the deciding is done elsewhere."""
    with al.Runtime("coder", ledger=ledger, workspace=work) as runtime:
        turn = runtime.handle(create("a"))
        with open_ledger(tmp_path / "l.duckdb") as other:
            decide(other, pending_approvals(other)[0].approval_id, APPROVED)
        assert fates(runtime.resume(turn.turn_id)) == [(0, S, None)]


def test_a_session_is_worked_on_by_one_process_at_a_time(ledger, tmp_path, work):
    """Two that resume can't both run what was approved; when one is closed, the other may."""
    with al.Runtime("coder", ledger=ledger, workspace=work) as runtime:
        runtime.handle(create("a"))
        with (
            open_ledger(tmp_path / "l.duckdb") as other,
            pytest.raises(LedgerError, match="open elsewhere"),
        ):
            al.Runtime.reopen(other, runtime.session_id)
        assert runtime.handle("I go on.").index == 1
    al.Runtime.reopen(ledger, runtime.session_id).close()
    assert list((tmp_path / "l.duckdb.d" / "sessions").iterdir()) == []


def test_what_was_approved_under_other_rules_is_not_run(ledger, work):
    """An approval is about the action and the policy that asked."""
    with al.Runtime("coder", ledger=ledger, workspace=work) as runtime:
        turn = runtime.handle(create("a"))
    decide(ledger, pending_approvals(ledger)[0].approval_id, APPROVED)
    other = Policy((("read_file", Verdict.APPROVE), ("create_*", Verdict.ESCALATE)))
    with al.Runtime.reopen(ledger, turn.session_id, policy=other) as runtime:
        after = runtime.resume(turn.turn_id)
    assert fates(after) == [(0, ExecutionStatus.DENIED, Reason.CHANGED_SINCE_APPROVAL)]
    assert list(work.iterdir()) == []


def test_an_approval_of_something_else_is_not_taken(ledger, work):
    """The content that was decided on must be the content that is run."""
    with al.Runtime("coder", ledger=ledger, workspace=work) as runtime:
        turn = runtime.handle(create("a"))
        (waiting,) = pending_approvals(ledger)
        event = approval_decided(replace(waiting, content_hash="0" * 64), APPROVED, turn.session_id)
        other = replace(
            waiting,
            decision=event.decision,
            decided_by=event.decided_by,
            why=event.why,
            decided_hash=event.decided_hash,
            decided_at=event.recorded_at,
        )
        ledger.record(replace(event, signature=signed(other, ledger.path, signing_key())))
        after = runtime.resume(turn.turn_id)
    assert fates(after) == [(0, ExecutionStatus.DENIED, Reason.CHANGED_SINCE_APPROVAL)]


SECRET = "api_key = 'sk-abcdefghijklmnop1234567890'"


def test_a_masked_secret_is_never_run(ledger, work):
    """What was read back from the record isn't what the model wrote; the session that has it in memory runs it."""
    with al.Runtime("coder", ledger=ledger, workspace=work) as runtime:
        turn = runtime.handle(create("a", SECRET) + create("b", SECRET))
        runtime.resume(turn.turn_id, {0: APPROVED})
        assert (work / "a").read_text() == SECRET
    (waiting,) = pending_approvals(ledger)
    assert not waiting.is_exact
    assert "sk-abc" not in waiting.arguments
    with al.Runtime.reopen(ledger, turn.session_id) as runtime:
        after = runtime.resume(turn.turn_id, {1: APPROVED})
    assert fates(after)[1] == (1, ExecutionStatus.SKIPPED, Reason.MASKED_CONTENT)
    assert not (work / "b").exists()


def test_an_exact_action_beside_a_masked_one_is_not_run_from_the_record(ledger, work):
    """Nobody knows which part of the response was masked, so none of it is run."""
    with al.Runtime("coder", ledger=ledger, workspace=work) as runtime:
        turn = runtime.handle(create("a") + create("b", SECRET))
    first, second = pending_approvals(ledger)
    assert (first.is_exact, second.is_exact) == (True, False)
    decide(ledger, first.approval_id, APPROVED)
    with al.Runtime.reopen(ledger, turn.session_id) as runtime:
        after = runtime.resume(turn.turn_id)
    assert fates(after)[0] == (0, ExecutionStatus.SKIPPED, Reason.MASKED_CONTENT)
    assert list(work.iterdir()) == []


def test_a_secret_that_came_from_a_result_is_not_run_as_asterisks(ledger, work):
    """The response is exact; what was filled into it, the record holds masked, and that is what was decided on."""
    made = []
    policy = Policy((("read_file", Verdict.APPROVE), ("*", Verdict.ESCALATE)))
    handlers = Handlers(
        {
            "read_file": lambda _action, _context: {"content": SECRET},
            "create_file": lambda action, _context: made.append(action.content),
        }
    )
    coder = al.profile("coder")
    catalogue = replace(coder.catalogue, references=True)
    profile = replace(coder, catalogue=catalogue, policy=policy, handlers=lambda _workspace: handlers)
    text = "<read_file><path>x</path></read_file>\n" + create("a", "${action_1.content}")
    with al.Runtime(profile, ledger=ledger, workspace=work) as runtime:
        turn = runtime.handle(text)
    assert fates(turn) == [(0, S, None), (1, P, Reason.NOT_APPROVED)]
    (waiting,) = pending_approvals(ledger)
    assert not waiting.is_exact
    assert ledger.sql("SELECT text_is_exact FROM turns").fetchall() == [(True,)]
    decide(ledger, waiting.approval_id, APPROVED)
    with al.Runtime.reopen(ledger, turn.session_id, profile=profile) as runtime:
        after = runtime.resume(turn.turn_id)
    assert fates(after)[1] == (1, ExecutionStatus.SKIPPED, Reason.MASKED_CONTENT)
    assert made == []


def test_a_secret_cannot_be_put_in_by_a_decision(ledger, work):
    """The record would not hold what was decided."""
    changed = {"path": "a", "content": SECRET}
    with al.Runtime("coder", ledger=ledger, workspace=work) as runtime:
        turn = runtime.handle(create("a"))
        with pytest.raises(UsageError, match="hold a secret"):
            runtime.resume(turn.turn_id, {0: Decision(DecisionKind.MODIFIED, "ada", "", changed)})
    assert len(pending_approvals(ledger)) == 1


@pytest.mark.parametrize(
    ("resume", "words"),
    [
        (lambda runtime, turn: runtime.resume("nonsense"), "No turn 'nonsense' was read"),
        (lambda runtime, turn: runtime.resume(turn.turn_id, {5: APPROVED}), "waits for nothing"),
    ],
)
def test_what_cannot_go_on_is_said(ledger, work, resume, words):
    with al.Runtime("coder", ledger=ledger, workspace=work) as runtime:
        turn = runtime.handle(create("a"))
        with pytest.raises(UsageError, match=words):
            resume(runtime, turn)


def test_a_turn_of_another_session_is_refused(ledger, work):
    """It has to be reopened."""
    with al.Runtime("coder", ledger=ledger, workspace=work) as first:
        turn = first.handle(create("a"))
    with (
        al.Runtime("coder", ledger=ledger, workspace=work) as second,
        pytest.raises(UsageError, match=f"belongs to the session {first.session_id}"),
    ):
        second.resume(turn.turn_id)


def test_the_folder_of_a_session_that_waits_is_kept(ledger):
    """A temporary one, too: what was approved later is done where it belongs."""
    with al.Runtime("coder", ledger=ledger) as runtime:
        turn = runtime.handle(create("a"))
    assert runtime.workspace.is_dir()
    with al.Runtime.reopen(ledger, turn.session_id) as again:
        assert fates(again.resume(turn.turn_id, {0: APPROVED})) == [(0, S, None)]
    assert (runtime.workspace / "a").read_text() == "one"


def test_a_session_whose_folder_is_gone_says_so(ledger, tmp_path, work):
    """Another one can be given."""
    with al.Runtime("coder", ledger=ledger, workspace=work) as runtime:
        turn = runtime.handle(create("a"))
    work.rmdir()
    with pytest.raises(UsageError, match="is gone"):
        al.Runtime.reopen(ledger, turn.session_id)
    with al.Runtime.reopen(ledger, turn.session_id, workspace=tmp_path / "other") as again:
        again.resume(turn.turn_id, {0: APPROVED})
    assert (tmp_path / "other" / "a").exists()


_KILLED = """
import os, sys
from dataclasses import replace
import actionledger as al
from actionledger.runtime.execution.execution_events import approval_decided
from actionledger.runtime.execution.handlers import Handlers
from actionledger.runtime.session.decisions import signed, signing_key
def killed(action, context):
    if action.path == "b":
        os.write(1, b"killed")
        os._exit(9)
    return context.workspace.root.joinpath(action.path).write_text("one")
profile = replace(al.profile("coder"), handlers=lambda _: Handlers({"create_file": killed}))
ledger = al.open_ledger(sys.argv[1])
runtime = al.Runtime(profile, ledger=ledger, workspace=sys.argv[2], auto=True)
runtime.handle(sys.argv[3])
"""


@pytest.mark.parametrize("idempotent", [False, True])
def test_a_turn_that_was_killed_goes_on_behind_what_was_begun(ledger, tmp_path, work, forked, idempotent):
    """What was done stays done, what was begun is interrupted unless it may be done twice, the rest is run."""
    text = create("a") + create("b") + create("c")
    done = forked.run(_KILLED, tmp_path, ledger.path, work, text)
    assert (done.returncode, done.stdout) == (9, "killed"), done.stderr
    (work / "a").unlink()
    session_id, turn_id = map(str, ledger.sql("SELECT session_id, turn_id FROM turns").fetchone())
    again = replace(
        al.profile("coder"), execution_settings=ExecutionSettings((), ActionSettings(idempotent=idempotent))
    )
    with al.Runtime.reopen(ledger, session_id, profile=again, auto=True) as runtime:
        turn = runtime.resume(turn_id)
    middle = (1, S, None) if idempotent else (1, ExecutionStatus.INTERRUPTED, Reason.NEVER_FINISHED)
    assert fates(turn) == [(0, S, None), middle, (2, S, None)]
    assert sorted(path.name for path in work.iterdir()) == (["b", "c"] if idempotent else ["c"])
    tried = [(0, 1, "succeeded"), (1, 1, "interrupted"), (2, 1, "succeeded")]
    assert executions(ledger) == sorted([*tried, (1, 2, "succeeded")] if idempotent else tried)
    assert ledger.sql("SELECT feedback FROM turns").fetchall() == [(turn.feedback,)]


class FullDisk:
    """Lets so many events through, and then raises as a full disk does."""

    def __init__(self, ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
        self.left: int | None = None
        record = ledger.record

        def limited(event: Any) -> None:
            if self.left is not None:
                if not self.left:
                    raise LedgerError("The disk is full.")
                self.left -= 1
            record(event)

        monkeypatch.setattr(ledger, "record", limited)


@pytest.mark.parametrize("events", range(9))
def test_a_ledger_that_fails_in_the_middle_loses_nothing_and_nothing_is_run_unrecorded(
    ledger, work, monkeypatch, events
):
    """Whichever event is the first that can't be recorded: when there is room again, the turn goes on."""
    made = []

    def handler(action: Any, _context: object) -> str:
        made.append(action.path)
        return "done"

    profile = replace(al.profile("coder"), handlers=lambda _: Handlers({"create_file": handler}))
    disk = FullDisk(ledger, monkeypatch)
    runtime = al.Runtime(profile, ledger=ledger, workspace=work, auto=True)
    runtime.handle("I begin.")
    disk.left = events
    text = create("a") + create("b") + create("c")
    with_error = pytest.raises(LedgerError, match="disk is full")
    if events < 9:
        with with_error:
            runtime.handle(text)
    started = ledger.sql("SELECT count(*) FROM execution_starts").fetchone()
    assert (len(made),) == started
    disk.left = None
    if events < 2:
        return
    turn_id = str(ledger.sql("SELECT turn_id FROM turns WHERE turn_index = 1").fetchone()[0])
    turn = runtime.resume(turn_id)
    runtime.close()
    assert made == ["a", "b", "c"]
    assert len(turn.observations) == 3
    assert {each.status for each in turn.observations} <= {S, ExecutionStatus.INTERRUPTED}


def test_closing_lets_go_even_after_an_error(work):
    """The handlers are closed, whatever became of the session."""
    closed = []
    handlers = Handlers({}, close=lambda: closed.append(True))
    profile = replace(al.profile("coder"), handlers=lambda _: handlers)
    with pytest.raises(ZeroDivisionError), al.Runtime(profile, workspace=work):
        raise ZeroDivisionError
    assert closed == [True]


def test_sessions_of_one_ledger_can_share_their_rates(ledger, work):
    """Where the profile asks for it, each session counts what the others did."""
    coder = al.profile("coder")
    rates = (("create_file", al.RateLimit(2, 3600)),)
    shared = replace(coder, limits=al.Limits(rates=rates, shared=True))
    found = []
    for place in range(3):
        with al.Runtime(shared, ledger=ledger, workspace=work, auto=True) as runtime:
            found += [each.status for each in runtime.handle(create(str(place))).observations]
    assert found == [S, S, ExecutionStatus.RATE_LIMITED]


def test_rates_live_with_the_session(ledger, work):
    """Closed and reopened, it has done what it has done; after the time it may again."""
    goal = (
        '```actions\n{"actions": [' + ", ".join(['{"type": "create_goal", "content": "x"}'] * 15) + "]}\n```"
    )
    with al.Runtime("assistant", ledger=ledger, workspace=work) as runtime:
        turns = [runtime.handle(goal)]
    for _ in range(2):
        with al.Runtime.reopen(ledger, turns[0].session_id) as runtime:
            turns.append(runtime.handle(goal))
    statuses = [each.status for turn in turns for each in turn.observations]
    assert statuses.count(S) == 20
    assert statuses.count(ExecutionStatus.RATE_LIMITED) == 25
