"""Recorded sessions run again: identical where nothing has changed, or refused."""

import json
import os
import signal
from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from forked_python import ForkedPython
from typer.testing import CliRunner

import actionledger as al
from actionledger.cli import app
from actionledger.demo import sample_sessions, take_samples
from actionledger.demo.live import play
from actionledger.ledger.queries.recent import recent_turns
from actionledger.profiles.coder import CODER
from actionledger.replay import rerun_course

LONG_AGO = datetime(2000, 1, 1)
_FILE = "<create_file><path>{}</path><content>{}</content></create_file>"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[al.Ledger]:
    with al.open_ledger(tmp_path / "team.duckdb", in_background=False) as opened:
        yield opened


def _coded(ledger: al.Ledger, *texts: str, **settings: Any) -> str:
    with al.Runtime("coder", ledger=ledger, auto=True, **settings) as runtime:
        for text in texts:
            runtime.handle(text)
        return runtime.session_id


def test_the_sample_sessions_run_again_as_they_ran(ledger: al.Ledger) -> None:
    take_samples(ledger, islice(sample_sessions(), 6))
    report = al.rerun(
        ledger, al.Ledger.sql(ledger, "SELECT session_id::VARCHAR FROM sessions").fetchall()[0][0]
    )
    assert report.counts["identical"] == 1
    report = al.rerun(
        ledger, [row[0] for row in ledger.sql("SELECT session_id::VARCHAR FROM sessions").fetchall()]
    )
    assert report.counts == {"identical": 6, "diverged": 0, "refused": 0}, str(report)
    assert sum(each.performed for each in report.sessions) > 20


def test_a_session_that_ran_again_is_no_busier_than_it_was(ledger: al.Ledger) -> None:
    """The page of what goes on counts what was executed the first time, as all others do."""
    session = _coded(ledger, _FILE.format("a", "b"))
    before = recent_turns(ledger, LONG_AGO)
    assert al.rerun(ledger, session).counts["identical"] == 1
    assert recent_turns(ledger, LONG_AGO) == before
    assert [turn.executions for turn in before] == [1]


@pytest.mark.soak
def test_the_live_sessions_of_the_demo_run_again_as_they_ran(ledger: al.Ledger) -> None:
    play(ledger)
    names = ledger.sql("SELECT session_id::VARCHAR FROM sessions ORDER BY task").fetchall()
    report = al.rerun(ledger, [row[0] for row in names])
    assert report.counts == {"identical": 16, "diverged": 0, "refused": 0}, str(report)
    assert sum(each.from_record for each in report.sessions) > 0


def test_a_changed_handler_is_found_where_it_first_makes_a_difference(ledger: al.Ledger) -> None:
    session_id = _coded(
        ledger,
        _FILE.format("a.txt", "one\n"),
        _FILE.format("b.txt", "one\n") + _FILE.format("c.txt", "two\n"),
        "Done.",
    )

    def replace_content(action: Any, text: str) -> Any:
        return action.model_copy(update={"content": text})

    make: list[Any] = []

    def handlers(workspace: Any) -> al.Handlers:
        found = CODER.handlers(workspace)
        make[:] = [found["create_file"]]
        changed = lambda action, context: make[0](  # noqa: E731
            replace_content(action, "three\n" if action.path == "c.txt" else action.content), context
        )
        return al.Handlers({**found, "create_file": changed}, close=found.close)

    [shown] = al.rerun(ledger, session_id, handlers=handlers).sessions
    first = shown.first
    assert first is not None
    assert first.cause is al.Cause.CHANGE
    assert (first.turn_index, first.action_index, first.action) == (1, 1, "create_file")
    of_file = [each for each in shown.divergences if each.field == "effects:c.txt"]
    assert of_file[0].diff.splitlines()[-2:] == ["-two", "+three"]
    assert [each.verdict for each in shown.turns] == ["same", "diverged", "not_comparable"]
    assert shown.unstable == ()


def test_chance_is_told_apart_from_a_change(ledger: al.Ledger) -> None:
    actions = al.ActionSet("dice")

    @actions.action(example={"sides": 6})
    def roll(sides: int, context: al.Context) -> dict[str, Any]:
        """Roll."""
        return {
            "rolled": int.from_bytes(os.urandom(6)),
            "sides": sides,
            "at": context.now().isoformat(),
            "id": context.new_id(),
        }

    dice = al.custom_profile("dice", actions=actions, dialects=["hermes"])
    with al.Runtime(dice, ledger=ledger) as runtime:
        runtime.handle(al.render([("roll", {"sides": 6})], "hermes"))
    [shown] = al.rerun(ledger, runtime.session_id, profile=dice).sessions
    assert {(each.field, each.cause) for each in shown.divergences if each.action} == {
        ("result.rolled", al.Cause.NONDETERMINISM)
    }
    doubled = {"roll": lambda action, context: {**roll(action.sides, context), "sides": 2 * action.sides}}
    [shown] = al.rerun(ledger, runtime.session_id, profile=dice, handlers=doubled).sessions
    assert shown.first is not None
    assert (shown.first.field, shown.first.cause) == ("result.sides", al.Cause.CHANGE)
    assert "result.rolled" in {each.field for each in shown.unstable}


def test_actions_side_by_side_are_identical_in_whichever_order_gives_the_record(ledger: al.Ledger) -> None:
    """The first one takes its number first, draws nothing and ends last: by what is recorded of times, it would be the second."""
    actions, second_is_done = al.ActionSet("tickets"), Event()

    def take(context: al.Context) -> int:
        file = context.workspace.root / "numbers"
        number = len(file.read_text()) + 1 if file.exists() else 1
        file.write_text("x" * number)
        return number

    @actions.action(example={})
    def first(context: al.Context) -> int:
        """Take a number, and wait for the second."""
        number = take(context)
        first_has_taken.set()
        second_is_done.wait(120)
        return number

    @actions.action(example={})
    def second(context: al.Context) -> int:
        """Take a number behind the first."""
        first_has_taken.wait(0 if second_is_done.is_set() else 30)
        number = take(context)
        context.now()
        second_is_done.set()
        return number

    first_has_taken = Event()
    settings = al.ExecutionSettings((("*", al.ActionSettings(parallel=True)),))
    tickets = al.custom_profile(
        "tickets", actions=actions, dialects=["hermes"], workers=2, execution_settings=settings
    )
    with al.Runtime(tickets, ledger=ledger) as runtime:
        turn = runtime.handle(al.render([("first", {}), ("second", {})], "hermes"))
    assert [each.result for each in turn.observations] == [1, 2]
    report = al.rerun(ledger, runtime.session_id, profile=tickets)
    assert report.counts["identical"] == 1, str(report)
    other = {"second": lambda action, context: -take(context)}
    [shown] = al.rerun(ledger, runtime.session_id, profile=tickets, handlers=other).sessions
    assert [(each.action, each.field, each.cause) for each in shown.divergences if each.action] == [
        ("second", "result", al.Cause.CHANGE)
    ]
    assert shown.unstable == ()


def test_another_policy_and_another_parser_show_where_they_part(ledger: al.Ledger) -> None:
    session_id = _coded(ledger, _FILE.format("a.txt", "x"), _FILE.format("b.txt", "y"))
    nothing = al.Policy(
        (al.Rule("create_file", al.Verdict.REJECT, when={"path": "b.*"}), ("*", al.Verdict.APPROVE))
    )
    [shown] = al.rerun(ledger, session_id, policy=nothing).sessions
    assert shown.first is not None
    assert (shown.first.turn_index, shown.first.field, shown.first.rerun) == (1, "status", "denied")
    [shown] = al.rerun(ledger, session_id, parser="gembrain-standard").sessions
    assert shown.first is not None
    assert (shown.first.turn_index, shown.first.field) == (0, "outcome")


def test_what_touches_the_outside_is_taken_from_the_record(ledger: al.Ledger, tmp_path: Path) -> None:
    sent = tmp_path / "sent"
    actions = al.ActionSet("mailing")

    @actions.action(example={"to": "ada"})
    def send(to: str, context: al.Context) -> int:
        """Send a letter."""
        with sent.open("a") as file:
            file.write(f"{to}\n")
        (context.workspace.root / "copy.txt").write_text(to)
        return len(sent.read_text().splitlines())

    @actions.action(example={})
    def copies(context: al.Context) -> str:
        """Read the copy."""
        return (context.workspace.root / "copy.txt").read_text()

    settings = al.ExecutionSettings((("send", al.ActionSettings(outside=frozenset({"network"}))),))
    mailing = al.custom_profile("mailing", actions=actions, dialects=["hermes"], execution_settings=settings)
    with al.Runtime(mailing, ledger=ledger) as runtime:
        runtime.handle(al.render([("send", {"to": "ada"}), ("copies", {})], "hermes"))
        runtime.handle(al.render([("send", {"to": "bob"}), ("copies", {})], "hermes"))
    [shown] = al.rerun(ledger, runtime.session_id, profile=mailing).sessions
    assert shown.verdict == "identical", shown
    assert (shown.performed, shown.from_record) == (2, 2)
    assert sent.read_text() == "ada\nbob\n"


def test_each_reason_to_refuse_is_said_and_counted(ledger: al.Ledger) -> None:
    without = _coded(ledger, _FILE.format("a.txt", "x"), manifest=False)
    masked = _coded(ledger, _FILE.format("a.txt", "token ghp_" + "a1B2" * 9))
    gone = _coded(ledger, _FILE.format("b.txt", "x"))
    (ledger.manifests / f"{gone}.jsonl").write_text('{"line": "nothing"}\n')
    call = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}
    ledger.record_turn(
        "calls",
        message={"role": "assistant", "content": "", "tool_calls": [call]},
        results=[{"call_id": "c1", "output": "2"}],
    )
    ledger.record_turn("text", text="Nothing to do.")
    actions = al.ActionSet("secretive")
    unknown = al.custom_profile("nobody-knows", actions=_with_one(actions), dialects=["hermes"])
    with al.Runtime(unknown, ledger=ledger) as runtime:
        runtime.handle("Nothing.")
    report = al.rerun(ledger, [without, masked, gone, "calls", "text", runtime.session_id])
    assert [str(each.refusal) for each in report.sessions] == [
        *("no_manifest", "masked", "no_manifest", "no_text", "not_ours", "unknown_profile"),
    ]
    assert report.refusals == {
        "no_manifest": 2,
        "masked": 1,
        "no_text": 1,
        "not_ours": 1,
        "unknown_profile": 1,
    }
    assert all(each.detail.endswith(".") for each in report.sessions)


def _with_one(actions: al.ActionSet) -> al.ActionSet:
    @actions.action(example={})
    def nothing() -> None:
        """Do nothing."""

    return actions


def test_no_number_counts_a_rerun(ledger: al.Ledger) -> None:
    take_samples(ledger, islice(sample_sessions(), 3))
    _coded(ledger, "<execute_command><command>echo hello</command></execute_command>")
    ids = [row[0] for row in ledger.sql("SELECT session_id::VARCHAR FROM sessions").fetchall()]
    before = _numbers(ledger)
    report = al.rerun(ledger, ids)
    assert _numbers(ledger) == before
    again = ledger.sql("SELECT count(*) FROM executions WHERE run_id = ?::UUID", [report.run_id]).fetchall()
    assert again[0][0] > 10


def _numbers(ledger: al.Ledger) -> dict[str, Any]:
    ledger.ingest()
    shown = CliRunner().invoke(app, ["report", "--json", "--ledger", str(ledger.path)])
    assert shown.exit_code == 0
    [session_id] = ledger.sql("SELECT min(session_id)::VARCHAR FROM sessions").fetchone() or [""]
    from actionledger.ledger.queries import sessions, turn, turns

    rows = ledger.sql("SELECT DISTINCT session_id::VARCHAR FROM sessions").fetchall()
    return {
        "report": json.loads(shown.output),
        "sessions": repr(sessions(ledger)),
        "agreement": al.agreement(ledger).counts,
        "failures": repr(al.failures(ledger).groups),
        "loops": repr(al.loops(ledger)),
        "turns": [repr(turns(ledger, row[0])) for row in rows],
        "executions": len(turn(ledger, session_id, 0).executions),  # type: ignore[union-attr]
    }


_DYING = """
import os, signal, sys
import actionledger as al

with al.open_ledger(sys.argv[1], in_background=False) as ledger:
    al.rerun(ledger, sys.argv[2], handlers={"create_file": lambda *_: os.kill(os.getpid(), signal.SIGKILL)})
"""


def test_a_killed_rerun_leaves_the_numbers_of_its_ledger(
    ledger: al.Ledger, forked: ForkedPython, tmp_path: Path
) -> None:
    session_id = _coded(ledger, _FILE.format("a.txt", "x"))
    before = _numbers(ledger)
    ended = forked.run(_DYING, tmp_path, ledger.path, session_id)
    assert ended.returncode == -signal.SIGKILL
    assert _numbers(ledger) == before
    assert al.rerun(ledger, session_id).counts["identical"] == 1


def test_no_turn_is_read_of_a_session_that_another_runtime_has_run(tmp_path, monkeypatch):
    """What it was is known by its record."""
    monkeypatch.setattr(rerun_course, "turn", lambda *_: pytest.fail("a turn was read"))
    with al.open_ledger(tmp_path / "team.duckdb") as ledger:
        ledger.record_turn(session="theirs", text="<execute>1 + 1</execute>", profile="mint")
        assert al.rerun(ledger, "theirs").refusals == {"not_ours": 1}
