"""``show``: sessions, turns, and one turn with all that came of it; and what sessions are called everywhere."""

import json

import pytest

import actionledger as al
from actionledger.core.recordings import RecordedSession, RecordedTurn
from actionledger.imports import Importer
from actionledger.ledger.queries.recorded import Known

WAITS = "Here.\n<create_file><path>a</path><content>one</content></create_file>\nDone."


@pytest.fixture
def carried_out(run, tmp_path):
    """A ledger with a turn whose action waited, was approved with other arguments, and was carried out by another process."""
    path = tmp_path / "team.duckdb"
    with al.open_ledger(path) as ledger, al.Runtime("coder", ledger=ledger, workspace="work") as runtime:
        runtime.handle(WAITS, prompt="Make a file.")
        session_id = runtime.session_id
    [waiting] = run("approvals", "list", "-l", path, "--json").value
    changed = json.dumps({"path": "b", "content": "two"})
    run(
        "approvals",
        "approve",
        waiting["approval_id"],
        "-l",
        path,
        "--by",
        "ada",
        "--why",
        "Fine.",
        "--arguments",
        changed,
    )
    run("approvals", "run", "-l", path)
    return path, session_id


def test_a_turn_is_shown_in_the_order_in_which_it_happened(run, carried_out):
    """What was shown, written, read, asked, decided, run, and told before and after that."""
    path, session_id = carried_out
    out = run("show", f"{session_id}#0", "-l", path).out
    parts = [
        "The model was shown:\n< Make a file.",
        "| Here.",
        "> <create_file><path>a</path><content>one</content></create_file>",
        "= block 0, xml_tags, strict [6:",
        "=   action 0, create_file, valid [6:",
        "| Done.",
        "What came of it:",
        'action 0, create_file waits for a person: {"path":"a","content":"one"}',
        "create_file pending",
        "The model was told:\n< ",
        'create_file modified by ada: Fine. with {"path":"b","content":"two"}',
        "create_file succeeded in ",
        "The model was told again, after the decisions:\n< Action 1 (create_file) succeeded",
    ]
    places = [out.find(part) for part in parts]
    assert -1 not in places, (parts[places.index(-1)], out)
    assert places == sorted(places)


def test_a_turn_as_json_has_the_same(run, carried_out):
    """Text, reading, and the steps."""
    path, session_id = carried_out
    value = run("show", f"{session_id[:13]}#0", "-l", path, "--json").value
    assert value["response"]["text"] == WAITS
    assert [step["kind"] for step in value["timeline"]] == ["asked", "run", "told", "decided", "run", "told"]


def test_issues_and_repairs_stand_at_their_places(run, recorded):
    """As ``parse`` shows them; a model's text is text."""
    shown = run("show", "a#1", "-l", recorded).out
    assert "=   repair trailing_comma" in shown
    hostile = run("show", "b#0", "-l", recorded).out
    assert "= block 0, actions, malformed" in hostile
    assert r"\x1b[31mred" in hostile
    assert "\x1b" not in hostile


def test_the_reading_of_another_run_is_shown(run, recorded, tmp_path):
    path = tmp_path / "copy.duckdb"
    path.write_bytes(recorded.read_bytes())
    run_id = run("replay", "--parser", "gembrain-standard", "-p", "assistant", "-l", path, "--json").value[
        "run_id"
    ]
    assert "read by gembrain-standard" in run("show", "a#1", "--run", run_id[:20], "-l", path).out
    assert "read by assistant" in run("show", "a#1", "-l", path).out


def test_a_session_shows_its_turns(run, recorded):
    """One row a turn, under what is known of the whole."""
    out = run("show", "a", "-l", recorded).out
    assert out.startswith("Session a (")
    assert [line.split()[:2] for line in out.splitlines() if line.startswith("#")] == [
        ["#0", "parsed"],
        ["#1", "parsed"],
        ["#2", "parsed"],
    ]
    assert out.count("parsed with repairs") == 1
    assert [turn["index"] for turn in run("show", "a", "-l", recorded, "--json").value["turns"]] == [0, 1, 2]


def test_sessions_are_listed_by_their_names(run, recorded):
    """Newest first, as many as asked for."""
    out = run("show", "-l", recorded).out.splitlines()
    assert sorted(line.split()[0] for line in out[1:]) == ["a", "b", "c"]
    assert all("none" not in line for line in out[1:])
    few = run("show", "-l", recorded, "--limit", "1")
    assert len(few.out.splitlines()) == 2
    assert "1 of 3 sessions" in few.err


def test_sessions_are_picked_by_a_filter(run, sentence, names, recorded):
    """Those with a response that it picks, and how many; one that is named is shown whole."""
    out = run("show", "-l", names, "--outcome", "no_action", "--source", "two").out.splitlines()
    assert "turns  that fit  parsed" in out[0]
    [row] = out[1:]
    assert row.split("coder, m")[1].split()[:2] == ["2", "1"]
    few = run("show", "-l", names, "--outcome", "no_action", "--limit", "2")
    assert "2 of 5 sessions" in few.err
    assert (
        run("show", "-l", names, "--text", "nowhere").out
        == "No session has a response that fits text 'nowhere'.\n"
    )
    assert "'a' is shown whole; profile assistant picks sessions" in sentence(
        "show", "a", "-p", "assistant", "-l", recorded
    )


@pytest.fixture
def names(tmp_path):
    """A ledger with sessions of unhandy names: two of the same from two sources, one with the sign of a turn."""
    path = tmp_path / "names.duckdb"
    turns = (RecordedTurn(0, "Hello."), RecordedTurn(1, "<read_file><path>x</path></read_file>"))
    with al.open_ledger(path) as ledger:
        for source, name in (
            ("one", "same"),
            ("two", "same"),
            ("one", "fix#12"),
            ("one", "fix"),
            ("one", "[bold]名 前[/nope]"),
        ):
            importer = Importer(ledger.record, source=source, origin="", known=Known())
            importer.take(RecordedSession(name, "coder", "m", "t", turns))
            importer.finish()
    return path


def test_a_name_may_hold_the_sign_of_a_turn(run, names):
    """What a session is called goes before what it might mean."""
    assert run("show", "fix#12", "-l", names).out.startswith("Session fix#12 (")
    assert run("show", "fix#12#1", "-l", names).out.startswith("fix#12#1")
    assert run("show", "fix#1", "-l", names).out.startswith("fix#1")
    assert run("show", "[bold]名 前[/nope]#0", "-l", names).out.startswith("[bold]名 前[/nope]#0")


def test_a_name_that_two_share_is_asked_back(run, sentence, names):
    """With the ids to choose from; what is listed instead finds each."""
    said = sentence("show", "same", "-l", names)
    assert "2 sessions are called 'same'" in said
    assert "(one)" in said
    listed = run("show", "-l", names, "--json").value
    shared = [each["session"] for each in listed if each["external_id"] == "same"]
    assert len(set(shared)) == 2
    for each in listed:
        assert f"({each['session_id']})" in run("show", each["session"], "-l", names).out


def test_ids_of_one_moment_are_told_apart(run, tmp_path):
    """Those of live sessions begin with the time: what is listed is as long as it must be."""
    path = tmp_path / "live.duckdb"
    with al.open_ledger(path) as ledger:
        for _ in range(5):
            with al.Runtime("assistant", ledger=ledger) as runtime:
                runtime.handle("Hello.")
    listed = run("show", "-l", path, "--json").value
    assert len({each["session"] for each in listed}) == 5
    for each in listed:
        assert each["session_id"].startswith(each["session"])
        assert f"({each['session_id']})" in run("show", each["session"], "-l", path).out
    common = listed[0]["session_id"][:8]
    assert run("show", common, "-l", path).code == 2


def test_a_report_names_sessions_as_their_source_does(run, recorded):
    """And what it prints is what ``show`` takes."""
    out = run("report", "-l", recorded).out
    assert "b#0" in out
    reasons = run("report", "-l", recorded, "--json").value["reasons"]
    assert all(
        run("show", f"{each['session']}#{each['turn_index']}", "-l", recorded).code == 0 for each in reasons
    )


def test_a_recorded_session_is_played_by_its_name(run, recorded, tmp_path):
    """Wherever an id was asked for."""
    path = tmp_path / "copy.duckdb"
    path.write_bytes(recorded.read_bytes())
    done = run("run", "assistant", "Again.", "-m", "recorded:b", "-l", path, "-w", "w")
    assert "Good morning." in done.out


def test_what_was_undone_and_redone_is_shown(run, tmp_path):
    """Else a turn that was taken back looks as if its file were there."""
    path = tmp_path / "team.duckdb"
    with (
        al.open_ledger(path) as ledger,
        al.Runtime("coder", ledger=ledger, workspace="work", auto=True) as runtime,
    ):
        runtime.handle(WAITS)
        runtime.redo(runtime.undo())
        runtime.undo()
    lines = run("show", f"{runtime.session_id}#0", "-l", path).out.splitlines()
    done = [
        line.split(" ", 2)[2]
        for line in lines
        if "create_file " in line and "told" not in line and line.startswith("= ")
    ]
    assert done[-3:] == [f"action 0, create_file {kind}: a" for kind in ("undone", "redone", "undone")]
    steps = run("show", f"{runtime.session_id}#0", "-l", path, "--json").value["timeline"]
    assert [step["status"] for step in steps if step["kind"] == "reversed"] == ["undone", "redone", "undone"]


def test_what_was_converted_is_shown(run, tmp_path):
    """As the reading itself shows it: a coerced action doesn't do what its text says without a word."""
    path = tmp_path / "team.duckdb"
    with al.open_ledger(path) as ledger, al.Runtime("assistant", ledger=ledger) as runtime:
        turn = runtime.handle('```actions\n{"actions": [{"type": "get_task", "task_id": "1"}]}\n```')
    shown = run("show", f"{runtime.session_id}#0", "-l", path).out
    line = '=     converted: task_id: "1" taken as 1'
    assert line in al.explain(turn.result).splitlines()
    assert line in shown.splitlines()


def test_json_steers_no_terminal(run, tmp_path):
    """What can't be seen is escaped as JSON escapes it, so that every value stays what it is."""
    path, model = tmp_path / "team.duckdb", "m\x1b\x9b31m\u202e\u2066\U000e0041 漢字 😀"
    with al.open_ledger(path) as ledger, al.Runtime("assistant", ledger=ledger, model=model) as runtime:
        runtime.handle(f"Hello {model}")
    for arguments in (("show",), ("show", f"{runtime.session_id}#0"), ("report",)):
        out = run(*arguments, "-l", path, "--json").out
        assert out.rstrip("\n").isprintable()
        assert "漢字 😀" in out
    [shown] = run("show", "-l", path, "--json").value
    assert shown["model"] == model


def test_a_response_that_broke_off_is_said_to_have(run, tmp_path):
    """What is whole and what was cut may read alike."""
    broken = RecordedTurn(0, "On it.", usage=al.Usage(finish_reason="cut_by_server\x1b[31m"))
    with al.open_ledger(tmp_path / "team.duckdb") as ledger:
        al.import_sessions(ledger, [RecordedSession("s", None, "m", "", (broken, RecordedTurn(1, "Done.")))])
    assert (
        "\nIt wrote (finish reason: cut_by_server\\x1b[31m):\n" in run("show", "s#0", "-l", "team.duckdb").out
    )
    assert "\nIt wrote:\n" in run("show", "s#1", "-l", "team.duckdb").out


def test_a_session_says_of_each_turn_why_not(run, tmp_path):
    """What could not be read, was refused, did not succeed, or was no call at all: none of these is blank."""
    failed = al.RecordedResult("1", "Exit code 2", exit_status=2)
    call = al.RecordedCall("1", "bash", '{"command": "make"}')
    tools = '[{"name": "bash", "parameters": {"type": "object", "required": ["command"]}}]'
    bad = al.RecordedCall("2", "bash", "{}")
    turns = (
        al.RecordedTurn(0, "", calls=(call,), results=(failed,), capture=al.Capture.CALLS),
        al.RecordedTurn(1, "", calls=(bad,), tools=tools, capture=al.Capture.CALLS),
        al.RecordedTurn(2, "Done.", capture=al.Capture.CALLS, usage=al.Usage(finish_reason="stop")),
        al.RecordedTurn(3, "", capture=al.Capture.CALLS),
    )
    with al.open_ledger(tmp_path / "t.duckdb") as ledger:
        al.import_sessions(ledger, [al.RecordedSession("s", None, "m", "", turns)])
    value = run("show", "s", "-l", tmp_path / "t.duckdb", "--json").value
    assert [each["why_not"] for each in value["turns"]] == [
        "command_failed",
        "missing_field",
        "went_on",
        "stopped_without_acting: empty",
    ]
    assert "command_failed" in run("show", "s", "-l", tmp_path / "t.duckdb").out
