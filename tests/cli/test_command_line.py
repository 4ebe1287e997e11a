"""The command line as a whole: help, exit codes, and one sentence where something can't be done or is unknown."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import actionledger as al
from actionledger import __version__
from actionledger.cli import app
from actionledger.cli.commands import COMMANDS as ENTRIES, load
from actionledger.cli.exits import ExitCode, let_readers_leave
from actionledger.cli.sql import Format, write_answer
from actionledger.core.errors import UsageError
from actionledger.core.recordings import RecordedSession, RecordedTurn
from actionledger.imports import import_sessions
from actionledger.ledger import open_ledger
from actionledger.ledger.guarding.guard import Answer

COMMANDS = (
    "demo",
    "parse",
    "import",
    "ingest",
    "migrate",
    "compact",
    "committer",
    "show",
    "report",
    "failures",
    "shrink",
    "case",
    "case new",
    "case check",
    "loops",
    "usage",
    "tools",
    "check",
    "sql",
    "replay",
    "compare",
    "gate",
    "bless",
    "recheck",
    "agreement",
    "rerun",
    "fork",
    "run",
    "repl",
    "prompt",
    "schema",
    "actions",
    "reasoner",
    "reasoner process",
    "reasoner persona",
    "reasoner restore",
    "reasoner suggestions",
    "orchestrator",
    "orchestrator run",
    "orchestrator requests",
    "orchestrator answer",
    "orchestrator plan",
    "orchestrator issues",
    "orchestrator close",
    "orchestrator jobs",
    "orchestrator export",
    "approvals",
    "approvals list",
    "approvals show",
    "approvals approve",
    "approvals reject",
    "approvals run",
    "reviews",
    "reviews list",
    "reviews add",
    "reviews change",
    "reviews withdraw",
    "reviews done",
    "reviews agreement",
    "export",
    "export rows",
    "export sessions",
    "export restore",
    "export report",
    "export otlp",
    "export atif",
    "proxy",
    "watch",
    "mcp-proxy",
    "otlp-receiver",
    "dashboard",
    "doctor",
    "verify",
    "forget",
)


def test_the_version_is_printed(run):
    done = run("--version")
    assert (done.code, done.out, done.err) == (0, f"actionledger {__version__}\n", "")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(run, command):
    """Asking for it is no error, does nothing, and every option is explained."""
    done = run(*command.split(), "--help")
    assert done.code == 0
    assert done.out.startswith(f"Usage: actionledger {command} ")
    assert not re.search(r"\.{3}[\]}]|…", done.out.splitlines()[0])  # dots are behind what may be given again
    options = [line for line in done.out.splitlines() if line.strip().startswith("-")]
    assert options
    assert all(len(line.split("  ")) > 1 for line in options)


def test_whether_a_file_can_be_read_is_found_out_by_reading_it(run, recorded, tmp_path, monkeypatch):
    """One that can't is a fault, said by its reader, and no wrong use; doctor looks at such a ledger all the same."""
    (tmp_path / "response.md").write_text("Hello.")
    monkeypatch.setattr(os, "access", lambda *_, **__: False)
    for command in ("parse -p coder response.md", f"report -l {recorded}"):
        done = run(*command.split())
        assert (done.code, done.err) == (0, ""), command


def test_the_commands_are_those_that_are_tested(run):
    """A new command gets into this file."""
    inner = {
        f"{name} {each}" for name in ENTRIES for each in getattr(load(name), "commands", ()) if each != "any"
    }
    assert {*ENTRIES, *inner} == set(COMMANDS)


def test_each_command_is_listed_on_one_line(run):
    """With its whole sentence, in a terminal of eighty columns."""
    listed = run("--help").out.splitlines()
    assert [
        f"  {name:<13}  {entry.help}"
        for name, entry in ENTRIES.items()
        if f"  {name:<13}  {entry.help}" not in listed
    ] == []


@pytest.mark.parametrize("name", ENTRIES)
def test_the_list_of_commands_says_of_each_what_its_help_begins_with(name):
    """It is known before the command is loaded."""
    assert load(name).help.split("\n\n")[0].replace("\n", " ") == ENTRIES[name].help


def test_the_page_of_commands_has_each_of_them():
    page = (Path(__file__).parents[2] / "docs" / "commands.md").read_text()
    rows = " ".join(re.findall(r"(?m)^\| (`.*?) \|", page))
    assert set(re.findall(r"`([\w-]+)`", rows)) == set(ENTRIES)


def test_a_command_that_is_called_is_loaded_and_no_other(tmp_path):
    """Not one is loaded to list them or to complete a name, and nothing that is printed with."""
    heavy = {"duckdb", "jsonschema", "rich", "rapidfuzz"}
    code = (
        "import sys\nfrom actionledger.cli import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        f"print(*sorted(name for name in sys.modules if name in {heavy} or name.startswith('actionledger.')), file=sys.stderr)"
    )
    groundwork = [
        "actionledger._version",
        "actionledger.cli",
        "actionledger.cli.commands",
        "actionledger.cli.exits",
        "actionledger.core",
        "actionledger.core.errors",
        "actionledger.core.frozen",
        "actionledger.core.hooks",
        "actionledger.core.patterns",
        "actionledger.core.text",
    ]
    completing = {
        "_ACTIONLEDGER_COMPLETE": "complete_bash",
        "COMP_WORDS": "actionledger re",
        "COMP_CWORD": "1",
    }
    for arguments, setting in (
        (["--version"], {}),
        (["--help"], {}),
        (["-h"], {}),
        (["fly"], {}),
        ([], completing),
    ):
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments],
            cwd=tmp_path,
            env={**os.environ, **setting},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stderr.splitlines()[-1].split() == groundwork, arguments
        if setting:
            assert {"report", "replay", "recheck", "rerun", "repl", "reasoner", "reviews"} == set(
                done.stdout.split()
            )


@pytest.mark.parametrize("arguments", [(), ("import",)])
def test_without_a_command_there_is_help_and_an_error(run, arguments):
    """A script that forgot the command notices."""
    done = run(*arguments)
    assert done.code == 2
    assert "Usage: actionledger" in done.out + done.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("fly",),
        ("parse", "--fly"),
        ("import",),
        ("import", "x.jsonl", "--fly"),
        ("replay",),
        ("demo", "x", "y"),
    ],
)
def test_wrong_usage_has_its_own_exit_code(run, arguments):
    """What was wrong is said, with where to get help."""
    done = run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert "Error: " in done.err
    assert "--help" in done.err


def test_an_error_is_one_line_of_plain_text(run, monkeypatch, capsys):
    """Line breaks in it are taken out, markup is text, and what would change the terminal is made visible."""

    def fail(*_arguments, **_options):
        raise UsageError("one\ntwo [bold]three[/nope] \x1b[31mfour \ud800")

    monkeypatch.setattr("actionledger.cli.prompts.api.parse", fail)
    done = run("parse", "-p", "coder")
    assert done.code == 2
    assert done.err == "actionledger: one two [bold]three[/nope] \\x1b[31mfour \\ud800\n"


def test_the_module_is_the_command(tmp_path):
    """``python -m actionledger`` does what the script does, exit codes included."""
    command = [sys.executable, "-m", "actionledger", "report", "--ledger", "missing.duckdb"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("actionledger: There is no ledger ")
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_reader_that_goes_away_changes_no_exit_code(tmp_path):
    """As in ``actionledger … | head``: nothing is said of it, and a gate that does not pass is still told by its code."""
    case = al.Case.of("Well.", profile="mint").dumps()
    (tmp_path / "other.case.toml").write_text(case.replace("no_action_found", "no_action"))
    # It begins when nobody reads any more: no race with how much a pipe holds.
    begun = "import sys; sys.stdin.read(); from actionledger.cli import main; main()"
    with subprocess.Popen(
        [sys.executable, "-c", begun, "case", "check", str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        process.stdout.close()
        process.stdin.close()
        said = process.stderr.read()
    assert (process.returncode, said) == (4, b"")


def test_what_nobody_reads_is_not_asked_for(monkeypatch):
    """A statement with millions of rows ends soon behind ``head``."""
    reading, writing = os.pipe()
    with os.fdopen(writing, "w") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        let_readers_leave()
        os.close(reading)
        rows = iter(range(100_000))
        write_answer(Answer(("n",), ((row,) for row in rows)), Format.JSONL, None)
    assert 0 < next(rows) < 10_000


OPTION_COMMANDS = [
    ("report",),
    ("failures",),
    ("loops",),
    ("agreement",),
    ("export", "rows", "turns", "x.csv"),
    ("export", "sessions", "x.duckdb"),
    ("replay", "--parser", "auto"),
    ("gate", "--baseline", "first", "--candidate", "auto"),
    ("bless", "--to", "x.json"),
    ("compare", "first", "second"),
    ("rerun",),
    ("reviews", "list"),
    ("shrink", "--groups", "1"),
]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger of sessions of twenty models, each filed."""
    file = tmp_path_factory.mktemp("strangers") / "strangers.duckdb"
    sessions = [
        RecordedSession(f"s{n}", None, f"model-{n:02}", "", (RecordedTurn(0, "Well."),), labels=("filed",))
        for n in range(20)
    ]
    with open_ledger(file) as ledger:
        import_sessions(ledger, sessions, source="theirs")
    return file


def refused(*words: str) -> str:
    """What a command says of what it refuses."""
    with pytest.raises(UsageError) as said:
        CliRunner().invoke(app, words, catch_exceptions=False)
    return str(said.value)


@pytest.mark.parametrize("command", OPTION_COMMANDS)
def test_every_command_names_a_model_that_is_not_there(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    """Also beside one that is: its responses were counted as all that was asked for. Nothing is written."""
    monkeypatch.chdir(tmp_path)
    said = refused(*command, "--ledger", str(path), "--model", "model-07", "--model", "modle-08")
    assert said.startswith(
        "There is no model 'modle-08' in the ledger. Did you mean 'model-08'? It has 'model-00', "
    )
    assert said.endswith("'model-11' and 8 more.")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--profile", "coder"), "There is no profile 'coder' in the ledger. It has 'none'."),
        (("--task", "t"), "There is no task 't' in the ledger. It has ''."),
        (("--source", "their"), "Did you mean 'theirs'? It has 'theirs'."),
        (("--label", "file"), "There is no label 'file' in the ledger. Did you mean 'filed'?"),
        (("--turn-label", "odd"), "There is no turn label 'odd' in the ledger. It has none."),
        (("--dialect", "mint"), "There is no dialect 'mint' in the ledger. It has 'none'."),
    ],
)
def test_each_kind_of_name_is_looked_for(path: Path, options: tuple[str, ...], said: str) -> None:
    """Among what the ledger has of it."""
    assert said in refused("export", "rows", "turns", "x.csv", "--ledger", str(path), *options)


def test_a_blank_ledger_says_that_nothing_is_recorded(tmp_path: Path) -> None:
    """Rather than that a name is not there."""
    blank = tmp_path / "blank.duckdb"
    open_ledger(blank).close()
    done = CliRunner().invoke(app, ["report", "--ledger", str(blank), "--model", "m"])
    assert done.exit_code == ExitCode.DONE


def test_what_is_forgotten_already_is_forgotten_again_without_a_fault(path: Path) -> None:
    """As each night: the last session of a source goes, and the source with it."""
    done = CliRunner().invoke(app, ["forget", "--ledger", str(path), "--source", "gone", "--yes"])
    assert (done.exit_code, "nothing is forgotten" in done.output) == (ExitCode.DONE, True)
