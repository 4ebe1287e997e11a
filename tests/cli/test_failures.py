"""``failures``, ``shrink`` and ``case`` on the command line."""

import json
import shutil

import pytest

import actionledger as al


def test_failures_are_listed_with_what_they_cost(run, recorded):
    """As a table and as JSON, which agree."""
    table, value = run("failures", "-l", recorded), run("failures", "-l", recorded, "--json").value
    assert table.code == 0
    assert "cost in turns" in table.out
    assert "not recorded" in table.out
    codes = [group["code"] for group in value["groups"]]
    assert codes
    assert all(code in table.out for code in codes)
    assert "\x1b" not in table.out
    assert "\u202e" not in table.out
    assert value["groups"][0]["examples"][0]["session"] in {"a", "b", "c"}


def test_an_example_is_cut_in_a_pipe(run, recorded, monkeypatch):
    """What a command has printed may be pages; JSON has it whole."""
    [first, *_] = run("failures", "-l", recorded, "--json").value["groups"]
    detail = first["examples"][0]["detail"]
    assert detail in run("failures", "-l", recorded).out
    monkeypatch.setattr("actionledger.cli.tables.SHOWN_CHARACTERS", 5)
    for command in ("failures", "report"):
        cut = run(command, "-l", recorded).out
        assert (detail in cut, f": {detail[:5]}…" in cut) == (False, True)


def test_how_many_groups_are_loops_is_said(run, recorded, tmp_path, monkeypatch):
    """The dashboard counts the others alone, and has these in a list of their own."""
    assert "of loops" not in run("failures", "-l", recorded).out
    monkeypatch.chdir(tmp_path)
    with al.open_ledger("loops.duckdb") as ledger, al.Runtime("assistant", ledger=ledger) as runtime:
        for _ in range(5):
            runtime.handle('```actions\n{"actions": [{"type": "get_task", "task_id": 7}]}\n```')
        report = al.failures(ledger)
    assert [group.key.is_loop for group in report.groups].count(True) == 1
    assert (
        f"{len(report.groups)} groups, 1 of them of loops, in 5 responses"
        in run("failures", "-l", "loops.duckdb").out
    )


def test_they_are_counted_by_period(run, recorded):
    """These responses carry no time: there is no period, and nothing to compare."""
    done = run("failures", "-l", recorded, "--by", "day", "--json").value
    assert (done["unit"], done["periods"], done["changes"]) == ("day", [], None)
    assert run("failures", "-l", recorded, "--by", "week").code == 0
    assert run("failures", "-l", recorded, "--since", "2027-01-01").out.startswith("No response that fits")


def test_two_runs_are_compared(run, recorded, tmp_path):
    """What the first readings hadn't, by the beginning of the run's id."""
    shutil.copy(recorded, tmp_path / "l.duckdb")
    shutil.copytree(f"{recorded}.d", tmp_path / "l.duckdb.d")
    replayed = run(
        "replay", "--parser", "gembrain-standard", "-p", "assistant", "-l", "l.duckdb", "--json"
    ).value
    found = run("failures", "-l", "l.duckdb", "--between", "first", replayed["run_id"][:30], "--json").value
    assert found["paired"] == replayed["turns"]
    assert (
        {"new"}
        <= {change["kind"] for change in found["changes"]}
        <= {"new", "gone", "grown", "shrunk", "same"}
    )
    table = run("failures", "-l", "l.duckdb", "--between", "first", replayed["run_id"])
    assert (table.code, "sign-flip test" in table.out) == (0, True)


def test_wrong_uses_end_in_a_sentence(sentence, recorded):
    """Each with what would be right."""
    assert "day or week" in sentence("failures", "-l", recorded, "--by", "month")
    assert "alone" in sentence("failures", "-l", recorded, "--between", "first", "x", "--by", "day")
    assert "There is no run 'zz'" in sentence("failures", "-l", recorded, "--between", "first", "zz")
    assert "Say which" in sentence("shrink", "-l", recorded)
    one = ("shrink", "-l", recorded, "a#0", "-p", "assistant")
    assert "the other options of a filter go with --groups" in sentence(*one)
    assert "either --groups" in sentence("shrink", "-l", recorded, "a#0", "--groups", "2")
    assert "SESSION#TURN" in sentence("shrink", "-l", recorded, "a")
    assert "names no turn" in sentence("fork", "a", "-l", recorded, "--response", "-")
    assert "can't be told" in sentence("shrink", "-l", recorded, "zz")
    assert "Nothing fails" in sentence("shrink", "-l", recorded, "a#0")
    assert "Nothing has read turn 9" in sentence("case", "new", "-l", recorded, "a#9")
    assert "There is no case" in sentence("case", "check", "nowhere")


def test_cases_of_which_none_acts_are_no_evidence(run, tmp_path):
    """However many are read as they say; one that acts is some."""
    for name, text in (("a", "Well."), ("b", "Very well.")):
        (tmp_path / f"{name}.case.toml").write_text(al.Case.of(text, profile="assistant").dumps())
    done = run("case", "check", tmp_path)
    assert (done.code, "None of them expects that a response meant to act" in done.out) == (5, True)
    (tmp_path / "c.case.toml").write_text(al.Case.of("<execute>1</execute>", profile="mint").dumps())
    assert run("case", "check", tmp_path).code == 0


def test_a_failed_turn_becomes_a_shrunk_case_that_is_checked(run, recorded, tmp_path):
    """The way from a group to a file: its example is shrunk, written, checked; a change fails it with exit code 4."""
    value = run("failures", "-l", recorded, "--json").value
    example = next(group["examples"][0] for group in value["groups"] if group["stage"] == "reading")
    shrunk = run("shrink", "-l", recorded, example["attempt_id"], "--json").value
    assert shrunk["characters"] < shrunk["original_characters"]
    done = run("case", "new", "-l", recorded, example["attempt_id"], "--shrink", "--name", "a/../b")
    assert done.out == "cases/a-..-b.case.toml\n"
    assert run("case", "check", "cases").out == "1 case, 0 read otherwise than expected\n"
    again = run("case", "new", "-l", recorded, example["attempt_id"], "--name", "a/../b")
    assert (again.code, "--force" in again.err) == (2, True)
    path = tmp_path / "cases/a-..-b.case.toml"
    path.write_text(path.read_text().replace('outcome = "failed"', 'outcome = "clean"'))
    failed = run("case", "check", "cases", path)
    assert failed.code == 4
    assert "-outcome clean" in failed.out
    assert run("case", "check", "--accept", "cases").code == 0
    assert run("case", "check", "cases").code == 0


@pytest.mark.parametrize("content", ["text = [", f"n = {'1' * 4301}", f"n = {'[' * 9999}"])
def test_a_file_that_is_no_case_is_a_fault_and_no_gate_that_fails(run, tmp_path, content):
    """It is counted apart, the others are checked, and those that can be are accepted."""
    (tmp_path / "a.case.toml").write_text(content)
    case = al.Case.of("Well.", profile="mint").dumps()
    (tmp_path / "b.case.toml").write_text(case.replace("no_action_found", "no_action"))
    for accept in ((), ("--accept",)):
        done = run("case", "check", *accept, tmp_path)
        assert done.code == 1
        assert f"NO CASE {tmp_path / 'a.case.toml'}" in done.out
        assert f"{'accepted' if accept else 'FAILED'} {tmp_path / 'b.case.toml'}" in done.out
        assert done.out.endswith(", 1 can't be read\n")
    assert run("case", "check", tmp_path / "b.case.toml").code == 0


def test_an_expectation_is_taken_from_a_file(run, recorded, tmp_path):
    """And where it is not what is read today, that is said and the check fails."""
    (tmp_path / "e.toml").write_text('[expect]\noutcome = "clean"\nactions = []\n')
    done = run("case", "new", "-l", recorded, "b#1", "--expect", "e.toml", "--to", "c")
    assert "It is read otherwise today" in done.err
    assert run("case", "check", "c").code == 4
    (tmp_path / "e.toml").write_text('[expect]\noutcom = "clean"\n')
    assert run("case", "new", "-l", recorded, "b#1", "--expect", "e.toml", "--to", "d").code == 1


def test_a_text_of_each_group_is_shrunk(run, recorded):
    """The costliest of reading and checking; nothing of it steers the terminal."""
    value = run("shrink", "-l", recorded, "--groups", "2", "--json").value
    assert run("shrink", "-l", recorded, "--groups", "2", "--until", "1990-01-01", "--json").value == []
    assert 1 <= len(value) <= 2
    assert all(each["characters"] <= each["original_characters"] for each in value)
    table = run("shrink", "-l", recorded, "--groups", "2")
    assert "\x1b" not in table.out
    assert json.dumps(value[0]["code"])[1:-1] in table.out


def test_each_turn_of_a_session_with_a_long_name_has_its_own_case(run, tmp_path):
    """The name is cut, the turn is not."""
    lines = [{"session": "s" * 300, "profile": "mint", "turn": turn, "text": "Well."} for turn in (0, 1, 2)]
    (tmp_path / "long.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    run("import", "long.jsonl", "--format", "jsonl", "-l", "long.duckdb")
    for turn in (0, 1, 2):
        done = run("case", "new", f"{'s' * 300}#{turn}", "--to", "cases", "-l", "long.duckdb")
        assert done.code == 0, done.err
    assert len(list((tmp_path / "cases").iterdir())) == 3
    assert run("failures", "-l", "long.duckdb", "--since", "2027-01-01", "--by", "week").out.count("\n") == 1
