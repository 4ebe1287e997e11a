"""``rerun`` and ``agreement``: what they say, and the exit code that a script is told."""

import json
from pathlib import Path

import pytest

import actionledger as al
from actionledger.cli.exits import ExitCode

FILE = "<create_file><path>a.txt</path><content>one\n</content></create_file>"
STRICT = '[[rule]]\naction = "create_file"\nverdict = "reject"\nwhy = "Nobody writes."\n'


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session that can be run again, and one of another runtime that can't."""
    path = tmp_path_factory.mktemp("rerun") / "team.duckdb"
    with al.open_ledger(path) as opened:
        with al.Runtime("coder", ledger=opened, auto=True, task="ours") as runtime:
            runtime.handle(FILE)
            runtime.handle("Done.")
        opened.record_turn("theirs", text="Nothing to do.")
    return path


def test_the_exit_code_says_whether_a_session_parts_from_its_record(run, ledger, tmp_path):
    """0 where all that could be run are identical, 4 where one diverges, 1 where none could be run, 2 for wrong use."""
    (tmp_path / "strict.toml").write_text(STRICT)
    same = run("rerun", "-l", ledger)
    assert (same.code, same.err) == (ExitCode.DONE, "")
    assert "2 sessions run again: 1 identical, 0 diverged, 1 refused" in same.out
    other = run("rerun", "-l", ledger, "--policy", tmp_path / "strict.toml")
    assert other.code == ExitCode.GATE
    assert "first divergence: turn 0, action 0 (create_file), status [change]" in other.out
    assert "1 turn after it not comparable" in other.out
    assert len(other.out.splitlines()) > 5  # each finding has a line of its own
    assert run("rerun", "-l", ledger, "--policy", tmp_path / "strict.toml", "--json").code == ExitCode.GATE
    none = run("rerun", "theirs", "-l", ledger)
    assert (none.code, "1 refused" in none.out) == (ExitCode.FAULT, True)


def test_what_can_not_be_run_again_is_one_sentence(run, sentence, ledger, tmp_path):
    """With what there is; and what picks nothing runs nothing."""
    assert "There is no session 'gone'" in sentence("rerun", "gone", "-l", ledger)
    assert "not both" in sentence("rerun", "theirs", "--task", "ours", "-l", ledger)
    assert "There is no parser 'codr'" in sentence("rerun", "--parser", "codr", "-l", ledger)
    assert "can't be used" in sentence("rerun", "--policy", tmp_path / "gone.toml", "-l", ledger)
    (tmp_path / "other.toml").write_text(STRICT.replace("create_file", "list_tasks"))
    assert "list_tasks" in sentence("rerun", "--policy", tmp_path / "other.toml", "-l", ledger)
    with al.open_ledger(ledger, read_only=True) as opened:
        begun = "SELECT run_id FROM run_starts WHERE run_kind = 'rerun'"
        assert opened.sql(f"{begun} AND run_id NOT IN (SELECT run_id FROM run_ends)").fetchall() == []
    assert "No recorded session fits" in sentence("rerun", "--until", "1990-01-01", "-l", ledger)
    assert run("rerun", "--until", "1990-01-01", "-l", ledger).code == ExitCode.WRONG_USE


def taken(path):
    """Make a ledger of a call that both take, one that only they ran, and one that only we see."""
    tools = json.dumps([{"name": "read_file", "parameters": {}}])
    turns = (
        al.RecordedTurn(
            0,
            "",
            calls=(al.RecordedCall("1", "read_file", {}), al.RecordedCall("2", "read_file", {})),
            results=(al.RecordedResult("1", "text"),),
            capture=al.Capture.CALLS,
            tools=tools,
        ),
    )
    with al.open_ledger(path) as ledger:
        al.import_sessions(ledger, [al.RecordedSession("[b]one", None, "m", "", turns, source="trials")])
    return path


def test_it_is_printed_by_pair_and_source(run, tmp_path):
    """Names of sessions are a text, and none of it is markup."""
    done = run("agreement", "-l", taken(tmp_path / "calls.duckdb"))
    assert (done.code, done.err) == (0, "")
    assert "agree" in done.out
    assert "[b]one#0 read_file: valid here, not_run there" in done.out


def test_the_same_as_json(run, tmp_path):
    value = run("agreement", "-l", taken(tmp_path / "calls.duckdb"), "--json").value
    assert {(each["here"], each["there"]): each["calls"] for each in value["counts"]} == {
        ("valid", "not_run"): 1,
        ("valid", "taken"): 1,
    }
    assert (value["rate"]["successes"], value["rate"]["count"]) == (1, 2)
    assert set(value["by_source"]) == {"trials"}


def test_no_verdict_is_said(run, recorded):
    """Sessions without recorded results have nothing to agree with."""
    done = run("agreement", "-l", recorded)
    assert (done.code, "nothing to compare" in done.out) == (0, True)
