"""``report`` and ``sql``: what a ledger says, as tables and as JSON."""

import json
import shlex

import duckdb
import pytest

import actionledger as al
from actionledger.core.vocabulary import LeftOutReason

HOSTILE_SHOWN = r"[bold]bold[/nope] \x1b[31mred\x1b]0;title\x07 \x9b2J"


def test_a_report_says_how_far_the_responses_got(run, recorded):
    """Counts, rates with their intervals, splits and reasons."""
    done = run("report", "-l", recorded)
    assert (done.code, done.err) == (0, "")
    rows = {line.split("  ")[0].strip(): line.split() for line in done.out.splitlines() if line.strip()}
    assert rows["responses"][-1] == "6"
    assert {"intent: meant to act", "parsed whole"} <= {name.rstrip() for name in rows} | set(rows)
    for word in (
        "Parsed in which dialect",
        "By profile",
        "By model",
        "Failures",
        "malformed_json",
        "not_found (read_file)",
    ):
        assert word in done.out


def test_the_steps_of_parsing_add_up(run, recorded):
    """What meant to act was parsed whole, in part, or not at all."""
    done = run("report", "-l", recorded)
    steps = {
        parts[0].strip(): int(parts[1].split()[0].replace(",", ""))
        for line in done.out.partition("Funnel")[2].partition("Parsed in")[0].splitlines()
        if len(parts := line.strip().split("  ", 1)) == 2 and parts[1].strip()[0].isdigit()
    }
    parsed = [steps.get(name, 0) for name in ("parsed whole", "also: parsed in part", "also: nothing parsed")]
    assert sum(parsed) == steps["intent: meant to act"]
    assert parsed[2]


def test_hostile_text_in_a_report_is_text(run, recorded):
    """Models, details and arguments are what others wrote: nothing of them reaches the terminal as more than text."""
    done = run("report", "-l", recorded)
    assert "[bold]bold[/nope]" in done.out
    assert r"\x1b[31mred" in done.out
    assert not set(done.out) & set("\x1b\x07\x9b\u202e")


def test_a_report_as_json(run, recorded):
    """The same numbers, with the counts and intervals of every rate."""
    value = run("report", "-l", recorded, "--json").value
    assert set(value) == {
        "funnel",
        "unacted",
        "session_outcomes",
        "left_as_text",
        "timings",
        "by_profile",
        "by_model",
        "recorded_verdicts",
        "read_in",
        "reasons",
        "no_result",
        "changes",
        "usage",
        "price_sources",
        "billed_beside",
        "unpriced",
        "left_out",
        "unknown_wordings",
        "newer_than_tested",
        "refused",
        "not_in_the_numbers",
    }
    funnel = value["funnel"]
    assert (funnel["responses"], funnel["intent"]) == (6, 5)
    assert sum(funnel["outcomes"].values()) == 6
    parse = funnel["parse_success"]
    assert (parse["successes"], parse["count"]) == (4, 5)
    assert (parse["rate"], parse["sessions"], parse["low"], parse["high"]) == (0.8, 3, None, None)
    assert {rate["count"] for rate in value["read_in"].values()} == {5}
    assert {rate["sessions"] for rate in value["read_in"].values()} == {3}
    assert sum(rate["successes"] for rate in value["read_in"].values()) == 4
    assert sum(part["responses"] for part in value["by_model"].values()) == 6
    assert {"malformed_json", "not_found"} <= {reason["code"] for reason in value["reasons"]}


@pytest.mark.parametrize(
    ("options", "responses"),
    [(("-p", "coder"), 1), (("-p", "coder", "-p", "assistant"), 6), (("--until", "1990-01-01"), 0)],
)
def test_a_report_can_be_narrowed_down(run, recorded, options, responses):
    assert run("report", "-l", recorded, *options, "--json").value["funnel"]["responses"] == responses


def test_where_nothing_fits_a_report_says_so(run, recorded):
    done = run("report", "-l", recorded, "--until", "1990-01-01")
    assert done.code == 0
    assert (
        "No response fits until 1990-01-01 00:00; without these options it says what the ledger holds."
        in " ".join(done.out.split())
    )


def test_how_many_responses_stopped_without_acting_is_said(run, recorded):
    """As many as plain SQL counts, with a share of all; the command beside it lists the sessions, and so do the rest of the options."""
    of_all = "FROM unacted_turns WHERE ending IN ('stopped_without_acting', 'unparseable') AND run_kind <> 'reparse'"
    for options, which in (((), ""), (("-p", "assistant"), " AND profile = 'assistant'")):
        query = f"SELECT count(*) AS responses, count(DISTINCT session_id) AS sessions {of_all}{which}"
        [counted] = run("sql", query, "-l", recorded, "--json").value
        report = run("report", "-l", recorded, *options, "--json").value
        value = report["unacted"]
        assert (value["responses"]["successes"], value["sessions"]) == (
            counted["responses"],
            counted["sessions"],
        )
        lines = run("report", "-l", recorded, *options).out.splitlines()
        if not counted["responses"]:
            assert lines[0] == "No response stopped without acting, and each call could be parsed."
            continue
        count = value["responses"]["count"]
        assert f"{counted['responses'] / count:.1%} of all {count:,} (too few sessions)." in lines[0]
        [listing] = [line for line in lines if line.startswith("Which:") and "--ending" in line]
        listed = run(*shlex.split(listing.removeprefix("Which: actionledger ")), "--json").value
        assert len(listed) == counted["sessions"]
        assert sum(session["matching"] for session in listed) == counted["responses"]
        assert sum(report["session_outcomes"].values()) >= len(listed)


def test_what_imports_refused_is_said(run, tmp_path, monkeypatch):
    """With the command that lists it; also where nothing else is recorded, and as a number in JSON."""
    monkeypatch.chdir(tmp_path)
    for text, count in (("no line\n", 1), ('{"session": "s", "text": "Well."}\n{}\n', 2)):
        (tmp_path / "log.jsonl").write_text(text)
        run("import", "log.jsonl", "--format", "jsonl", "-l", "team.duckdb")
        said = " ".join(run("report", "-l", "team.duckdb").out.split())
        what = "1 line, file or turn" if count == 1 else "2 lines, files or turns"
        assert f"Not in the numbers: {what} refused by imports. refused: actionledger sql" in said
        listed = shlex.split(said.partition(" refused: actionledger ")[2])
        assert len(run(*listed, "--json").value) == count
        value = run("report", "-l", "team.duckdb", "--json").value
        assert value["refused"] == value["not_in_the_numbers"]["refused"] == count


def test_errors_in_new_words_are_said(run, tmp_path, monkeypatch):
    """By runtime and version, in the report and by the doctor: so that one sees that something says things otherwise now."""
    monkeypatch.chdir(tmp_path)
    place = {"sessionId": "s", "parentUuid": None, "timestamp": "2026-11-17T11:20:24Z", "version": "3.0.1"}
    call = {"type": "tool_use", "id": "c", "name": "Go", "input": {}}
    failed = {
        "type": "tool_result",
        "tool_use_id": "c",
        "content": "The flux is out of phase.",
        "is_error": True,
    }
    lines = [
        {
            "type": "assistant",
            "uuid": "a",
            "message": {"id": "m", "model": "m", "role": "assistant", "content": [call]},
        },
        {"type": "user", "uuid": "b", "message": {"role": "user", "content": [failed]}},
    ]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(place | line) + "\n" for line in lines))
    run("import", "log.jsonl", "-l", "team.duckdb")
    said = "1 error of claude_code 3.0.1 matches no known wording"
    assert said in " ".join(run("report", "-l", "team.duckdb").out.split())
    doctor = run("doctor", "-l", "team.duckdb")
    assert said in " ".join((doctor.out + doctor.err).split())
    value = run("doctor", "-l", "team.duckdb", "--json").value
    assert [each["count"] for each in value["unknown_wordings"]] == [1]


def test_a_question_is_answered(run, recorded):
    """As a table, and as JSON with a value for each column."""
    query = "SELECT turn_index AS place, count(*) AS count FROM turns GROUP BY ALL ORDER BY 1"
    assert run("sql", query, "-l", recorded).out.split()[:2] == ["place", "count"]
    assert run("sql", query, "-l", recorded, "--json").value == [
        {"place": 0, "count": 3},
        {"place": 1, "count": 2},
        {"place": 2, "count": 1},
    ]


@pytest.mark.parametrize(
    "column",
    [
        "NULL",
        "'nan'::DOUBLE",
        "TIMESTAMP '2026-05-04 12:00:00'",
        "DATE '2026-05-04'",
        "INTERVAL 1 DAY",
        "1.5::DECIMAL(5, 2)",
        "'\\xFF'::BLOB",
        "uuid()",
        "[1, 2]",
        "{'a': [NULL]}",
        "MAP {'a': 1}",
        "170141183460469231731687303715884105727",
        "'🙂'",
    ],
)
def test_values_of_every_type_are_shown(run, recorded, column):
    """Each has a form in a table and in JSON."""
    assert run("sql", f"SELECT {column} AS x", "-l", recorded).code == 0
    assert list(run("sql", f"SELECT {column} AS x", "-l", recorded, "--json").value[0]) == ["x"]


def test_hostile_values_and_names_are_text(run, recorded):
    """In the cells, and in the heads of the columns."""
    query = """SELECT model AS "[bold]x[/nope]", '[/also]' || chr(27) || '[31m' AS y FROM sessions WHERE model <> ''"""
    done = run("sql", query, "-l", recorded)
    assert done.code == 0
    for text in ("[bold]x[/nope]", r"[/also]\x1b[31m", HOSTILE_SHOWN):
        assert text in done.out
    assert "\x1b" not in done.out


@pytest.mark.parametrize(
    "query",
    [
        "selec 1",
        "SELECT nope FROM turns",
        "FROM nope",
        "SELECT 'x'::INT",
        "SELECT chr(27)::INT",
        "SELECT 1 +",
        "",
        "/* nothing */",
        "\0",
    ],
)
def test_a_wrong_question_is_said_in_one_sentence(sentence, recorded, query):
    """With exit code 1 and without a traceback, and without anything that would change the terminal."""
    assert "\x1b" not in sentence("sql", query, "-l", recorded)


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM turn_starts",
        "DROP TABLE turn_starts",
        "INSERT INTO turn_starts SELECT * FROM turn_starts",
    ],
)
def test_a_question_changes_nothing(run, recorded, query):
    """Whether it is refused or not: nothing that it might write is kept."""
    before = recorded.read_bytes()
    run("sql", query, "-l", recorded)
    assert run("sql", "SELECT count(*) AS n FROM turns", "-l", recorded, "--json").value == [{"n": 6}]
    assert recorded.read_bytes() == before


@pytest.mark.parametrize("command", [("report",), ("report", "--json"), ("sql", "SELECT 1")])
def test_a_ledger_that_is_not_there_is_not_made(sentence, tmp_path, command):
    """Reading a ledger makes none, under whatever name."""
    assert "There is no ledger" in sentence(*command, "-l", "missing.duckdb")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", [("report",), ("sql", "SELECT 1")])
def test_what_is_no_ledger_is_refused(sentence, tmp_path, command):
    """A text, a folder, a database of something else; none of them is changed."""
    (tmp_path / "text.duckdb").write_text("hello")
    (tmp_path / "folder.duckdb").mkdir()
    (tmp_path / "empty.duckdb").touch()
    with duckdb.connect(tmp_path / "other.duckdb") as connection:
        connection.execute("CREATE TABLE runs (a INT)")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    for name in ("text", "folder", "other", "empty"):
        assert f"{name}.duckdb" in sentence(*command, "-l", f"{name}.duckdb")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before


def test_a_ledger_of_a_newer_version_is_refused(sentence, tmp_path):
    """The sentence says that, and the file stays as it is."""
    with duckdb.connect(tmp_path / "newer.duckdb") as connection:
        connection.execute(
            "CREATE TABLE meta (schema_version INTEGER, created_at TIMESTAMP, toolkit_version VARCHAR)"
        )
        connection.execute("INSERT INTO meta VALUES (999, now()::TIMESTAMP, '99.0')")
    said = sentence("report", "-l", "newer.duckdb")
    assert "version 999 of the schema" in said
    assert "upgrade" in said


def test_an_empty_ledger_has_an_empty_report(run, tmp_path):
    """Not an error, and not a division by nothing."""
    (tmp_path / "log.jsonl").touch()
    run("import", "log.jsonl", "--format", "jsonl", "-l", "team.duckdb")
    assert (
        "The ledger has no responses yet; 'actionledger import --help'"
        in run("report", "-l", "team.duckdb").out
    )
    value = run("report", "-l", "team.duckdb", "--json").value
    assert value["funnel"]["parse_success"] == {
        "successes": 0,
        "count": 0,
        "rate": None,
        "low": None,
        "high": None,
        "plain_low": None,
        "plain_high": None,
        "sessions": 0,
        "design_effect": 1,
    }
    assert json.dumps(value["reasons"]) == "[]"


def test_a_run_that_is_none_is_refused(sentence, recorded):
    """An id that can't be one is a slip of the pen."""
    assert "There is no run 'last week'" in sentence("report", "-l", recorded, "--run", "last week")


def test_a_report_of_other_runtimes_sessions(run, tmp_path):
    """What they did stands apart, no parse rate is made up, tokens are summed, and what was left out is told."""
    call = al.RecordedCall("c1", "Bash", {"command": "ls"})
    result = al.RecordedResult("c1", "Exit code 2", is_error=True)
    usage = al.Usage(input_tokens=1000, cached_tokens=900, output_tokens=50, cost_usd=0.25)
    turn = al.RecordedTurn(0, "So.", capture=al.Capture.CALLS, calls=(call,), results=(result,), usage=usage)
    items = [
        al.RecordedSession("main", None, "m", "", (turn,), scores={"reward": 0.5}),
        al.RecordedSession("agent", None, "m", "", (turn,), parent="main", relation=al.Relation.SUBAGENT),
        al.LeftOut("f", LeftOutReason.INJECTED_CONTEXT, "environment", 7),
    ]
    path = tmp_path / "l.duckdb"
    with al.open_ledger(path) as ledger:
        al.import_sessions(ledger, items)
    out = run("report", "-l", path).out
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert "parsed whole 0 intent that can be audited not auditable" in lines
    assert "executed by the recorded agent: tried 2" in lines
    assert "of these succeeded 0 tried there 0.0% too few sessions" in lines
    assert any(line.startswith("acting (recorded) command_failed (Bash) 2 2") for line in lines)
    assert (
        "Used 2,000 input tokens (1,800 cached) and 100 output tokens (2 of 2 responses); $0.50 as recorded (2 of 2 responses)."
        in out
    )
    assert any(line.startswith("7 injected_context environment") for line in lines)
    shown = run("show", "main", "-l", path).out
    assert "Under it: agent, subagent, 1 turn" in shown
    assert 'Scored: {"reward":0.5}' in shown
    assert "A subagent of main" in run("show", "agent", "-l", path).out
    assert "as its recording says: Exit code 2" in run("show", "main#0", "-l", path).out


def test_where_success_changed(run, tmp_path):
    """Ten days of twenty sessions, all of them read up to the fifth and none after it: the day, both rates and what was new."""
    turns = [
        {
            "session": f"{day}.{nth}",
            "profile": "assistant",
            "model": "old" if day < 5 else "[b]new",
            "at": f"2026-03-{day + 1:02}T09:{nth:02}:00Z",
            "text": al.render([("list_tasks", {})], "actions") if day < 5 else "```actions\n{\n```",
        }
        for day in range(10)
        for nth in range(20)
    ]
    (tmp_path / "days.jsonl").write_text("".join(json.dumps(turn) + "\n" for turn in turns))
    run("import", "days.jsonl", "--format", "jsonl", "-l", "days.duckdb")
    lines = run("report", "-l", "days.duckdb").out.splitlines()
    title = next(at for at, line in enumerate(lines) if "Where parse success changed" in line)
    row = next(line for line in lines[title:] if "2026-03-06" in line)
    assert "100.0%" in row
    assert "model [b]new" in row
    [change] = run("report", "-l", "days.duckdb", "--json").value["changes"]
    assert (change["before"]["successes"], change["after"]["successes"]) == (100, 0)
    assert [each["label"] for each in change["new"]] == ["[b]new"]


def test_a_report_counts_calls_left_as_text(run, tmp_path):
    """With what their responses took and the command that lists them; without any, there is no such line."""
    left = '<invoke name="Read">\n<parameter name="path">a</parameter>\n</invoke>'
    took = al.Usage(input_tokens=1000, output_tokens=20)
    turns = [
        al.RecordedTurn(0, left, capture=al.Capture.CALLS, usage=took),
        al.RecordedTurn(1, "Well.", capture=al.Capture.CALLS, usage=took),
        al.RecordedTurn(2, left, capture=al.Capture.CALLS),
    ]
    path = tmp_path / "left.duckdb"
    with al.open_ledger(path) as ledger:
        al.import_sessions(ledger, [al.RecordedSession("s", None, "m", "", tuple(turns))])
    done = run("report", "-l", path)
    line = "A tool call left as text, which nothing ran: 2 responses in 1 session, which took 1,000 tokens in, 20 out (1 counted)."
    assert line in done.out
    listing = done.out[done.out.index(line) :].splitlines()[1].removeprefix("Which: actionledger ")
    assert "2" in run(*shlex.split(listing)).out
    value = run("report", "-l", path, "--json").value["left_as_text"]
    assert value == {"responses": 2, "sessions": 1, "counted": 1, "input_tokens": 1000, "output_tokens": 20}
    assert "tool_markup_in_content" in run("failures", "-l", path).out
    plain = tmp_path / "plain.duckdb"
    with al.open_ledger(plain) as ledger:
        al.import_sessions(ledger, [al.RecordedSession("s", None, "m", "", (turns[1],))])
    assert "left as text" not in run("report", "-l", plain).out


def test_what_says_nothing_of_an_import_is_left_out(run, tmp_path):
    """It ran nothing here, and goes by no profile: the plan's targets and a split by profile have nothing to say of it."""
    call = al.RecordedCall("c", "Read", {"path": "a"})
    turn = al.RecordedTurn(0, "", capture=al.Capture.CALLS, calls=(call,))
    with al.open_ledger(tmp_path / "l.duckdb") as ledger:
        al.import_sessions(ledger, [al.RecordedSession("s", None, "m", "", (turn,))])
    out = run("report", "-l", "l.duckdb").out
    assert "By model" in out
    assert "Targets" not in out
    assert "By profile" not in out
    assert "also: illustrations" not in out
    assert "executions tried" not in out
