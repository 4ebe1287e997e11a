"""Wrong uses of every command: each ends in one of the exit codes and in a sentence, and leaves nothing behind."""

import json
import os
import shlex
from pathlib import Path

import duckdb
import pytest

from actionledger.cli.exits import EPILOG, MEANINGS, ExitCode

FAULT, USE = ExitCode.FAULT, ExitCode.WRONG_USE

WRONG = [
    # the command line itself
    ("", USE, "Usage: actionledger"),
    ("fly", USE, "No such command 'fly'"),
    ("--fly", USE, "No such option"),
    ("report --ledgr x", USE, "No such option"),
    ("report extra", USE, "unexpected extra argument"),
    ("parse -p coder a b", USE, "unexpected extra argument"),
    ("replay", USE, "Missing option '--parser'"),
    ("import", USE, "Usage: actionledger import"),
    ("approvals", USE, "Usage: actionledger approvals"),
    ("approvals approve", USE, "Missing argument"),
    ("orchestrator fly", USE, "No such command 'fly'"),
    ("reasoner process hello", USE, "Missing option '--model'"),
    # names that nothing goes by
    ("parse -p codr", USE, "There is no profile 'codr'. Did you mean 'coder'?"),
    ("parse -p ''", USE, "There is no profile ''"),
    ("parse --parser go-tag", USE, "Did you mean 'go-tags'?"),
    ("parse -d hermse", USE, "Did you mean 'hermes'?"),
    ("parse -d hermes --parser go-tags", USE, "Give either dialects or a parser"),
    ("prompt codr", USE, "Did you mean 'coder'?"),
    ("prompt coder -d nope", USE, "There is no dialect 'nope'"),
    ("schema coder read_fil", USE, "Did you mean 'read_file'?"),
    ("actions nobody", USE, "There is no profile 'nobody'"),
    ("run codr -r response.md", USE, "Did you mean 'coder'?"),
    ("repl -p codr", USE, "Did you mean 'coder'?"),
    ("repl --prompt nope", USE, "'nope'"),
    ("import log.jsonl -p codr", USE, "Did you mean 'coder'?"),
    ("replay --parser go-tag -l LEDGER", USE, "Did you mean 'go-tags'?"),
    # values that can't be
    ("run coder", USE, "Give either --model and a prompt, or --response"),
    ("run coder x -m scripted:s -r response.md", USE, "Give either --model and a prompt, or --response"),
    ("run coder x -m telepathy:now", USE, "names no model; write one of"),
    ("run coder x -m openai:nowhere", USE, "names no model; write one of"),
    ("run coder x -m scripted:none.jsonl", FAULT, "none.jsonl"),
    ("run coder x -m recorded:s", FAULT, "There is no ledger at"),
    ("run coder x -m recorded:nobody -l LEDGER", USE, "There is no session 'nobody' in the ledger"),
    ("run coder x -m ollama:x --max-turns 0", USE, "--max-turns"),
    ("run coder -r none.md", FAULT, "'none.md' can't be read"),
    ("run coder -r .", FAULT, "'.' can't be read"),
    ("run coder -r response.md -l .", FAULT, "is a folder"),
    ("run coder -r response.md -l log.jsonl", FAULT, "is not a DuckDB database"),
    ("report --run nope -l LEDGER", USE, "There is no run 'nope'"),
    ("show nope -l LEDGER", USE, "There is no session 'nope' in the ledger"),
    ("show 'a#9' -l LEDGER", USE, "has no turn #9; its turns are #0 to #2"),
    ("show 'a#x' -l LEDGER", USE, "There is no session 'a#x'"),
    ("show '' -l LEDGER", USE, "There is no session ''"),
    ("show a --run nope -l LEDGER", USE, "There is no run 'nope'"),
    ("show --since yesterday -l LEDGER", USE, "'yesterday' is not a date. Write a day, 2026-09-07"),
    ("usage --until 2026-13-01 -l LEDGER", USE, "'2026-13-01' is not a date"),
    ("show --limit 0 -l LEDGER", USE, "--limit"),
    ("approvals show ffff -l LEDGER", USE, "No approval has an id"),
    ("approvals approve '' -l LEDGER", USE, "No approval has an id"),
    ("approvals approve ff --arguments '{' -l LEDGER", USE, "--arguments is not JSON"),
    ("approvals approve ff --arguments '[]' -l LEDGER", USE, "not a JSON object"),
    ("approvals reject ff -l LEDGER", USE, "No approval has an id"),
    ("approvals run ff -l LEDGER", USE, "No approval has an id"),
    ("sql 'SELECT 1' --file q.sql -l LEDGER", USE, "Give one statement"),
    ("sql 'SELEC 1' -l LEDGER", USE, "can't be run"),
    ("sql 'DROP VIEW turns' -l LEDGER", USE, "is not run: a ledger is asked, not changed"),
    ("sql 'SELECT 1' -f xml -l LEDGER", USE, "--format"),
    ("sql 'SELECT 1' --timeout 0 -l LEDGER", USE, "--timeout"),
    ("sql --file none.sql -l LEDGER", USE, "can't be read"),
    ("dashboard LEDGER --port 70000", USE, "--port"),
    ("dashboard LEDGER --port x", USE, "--port"),
    ("demo --data none.jsonl", FAULT, "can't be read"),
    ("demo --data .", FAULT, "can't be read"),
    # ledgers that are none
    *((f"{command} -l none.duckdb", FAULT, "There is no ledger at none.duckdb") for command in (
        "report", "ingest", "show", "sql 'SELECT 1'", "replay --parser assistant", "approvals list", "approvals show ff",
        "approvals approve ff", "approvals reject ff", "approvals run", "dashboard", "reasoner suggestions",
    )),
    *((f"{command} -l log.jsonl", FAULT, "is not a DuckDB database") for command in (
        "report", "ingest", "show", "sql 'SELECT 1'", "replay --parser assistant", "approvals list", "dashboard",
        "demo --data log.jsonl", "import log.jsonl", "reasoner suggestions",
    )),
    # a gate's limits
    ("gate --baseline first --candidate coder -l LEDGER --max changed=1", USE, "There is no bucket 'changed'"),
    ("gate --baseline first --candidate coder -l LEDGER --max lost=1", USE, "is said by max_lost (--max-lost)"),
    (f"gate --baseline first --candidate coder -l LEDGER --max newly_rejected={'9' * 5000}", USE, "is not a limit"),
    ("gate --baseline first --candidate coder -l LEDGER --max recovered=1 --max recovered=2", USE, "says twice"),
    ("gate --baseline first --candidate coder -l LEDGER --texts none", USE, "The texts of a run are in its ledger"),
    # recordings that are none
    ("import", USE, "PATH"),
    ("import none.jsonl", FAULT, "There is no file 'none.jsonl'"),
    ("import jsonl log.jsonl", FAULT, "There is no file 'jsonl' to import. A format is named by --format jsonl."),
    ("import log.jsonl -f jsonnl", USE, "There is no format 'jsonnl'. Did you mean 'jsonl'?"),
    ("import log.jsonl --map text", USE, "--map 'text' names no column"),
    ("import log.jsonl --map text=a,text=b", USE, "names 'text' twice"),
    ("import log.jsonl --map txt=a", USE, "There is no field 'txt'"),
    ("import log.jsonl -p coder -d hermes", USE, "in one way"),
    ("import log.jsonl -d hermess", USE, "Did you mean 'hermes'?"),
    ("import log.jsonl --parser nope", USE, "There is no parser 'nope'"),
    ("import log.jsonl --tools none.json", FAULT, "can't be read"),
    ("import log.jsonl --tools log.jsonl", FAULT, "is not JSON"),
    ("import response.md", FAULT, "The format of 'response.md' is not known: it is not JSON and no table, and begins with 'Hello.'"),
    ("import empty", FAULT, "There is no file to import"),
    ("import 'no*such'", FAULT, "No file fits the pattern 'no*such'."),
    ("import damaged.gz", FAULT, "nothing can be unpacked of it, since it is damaged or holds nothing"),
    # what is recorded live: no ledger is made for it
    ("proxy --upstream nowhere", USE, "The upstream is a URL such as"),
    ("watch nowhere", FAULT, "There is no folder 'nowhere' to watch"),
    # folders that are none
    ("orchestrator run work", FAULT, "work"),
    ("orchestrator run work go", USE, "--model"),
    ("orchestrator run work go -m ollama:x --layer nope=ollama:x", USE, "There is no layer 'nope'"),
    ("orchestrator run work go -m ollama:x --layer nope", USE, "write it as NAME=SPEC"),
    ("orchestrator run work go -m ollama:x --price abc", USE, "write it as PROMPT/COMPLETION"),
    ("orchestrator run work go -m telepathy:x", USE, "names no model"),
    ("orchestrator run work go -m ollama:x --repository empty", USE, "is not a git repository"),
    ("orchestrator plan work", FAULT, "There is no orchestration in 'work'"),
    ("orchestrator answer work one x", USE, "should be a valid integer"),
    ("orchestrator answer work 1 x", FAULT, "There is no orchestration in 'work'"),
    ("orchestrator requests work", FAULT, "There is no orchestration in 'work'"),
    ("orchestrator issues work", FAULT, "There is no orchestration in 'work'"),
    ("orchestrator close work", USE, "NUMBER"),
    ("orchestrator close work two", USE, "should be a valid integer"),
    ("orchestrator close work 1", FAULT, "There is no orchestration in 'work'"),
    ("orchestrator jobs work", FAULT, "There is no orchestration in 'work'"),
    ("orchestrator export work issues.md", FAULT, "There is no orchestration in 'work'"),
    ("orchestrator export work issues.txt", USE, "end it in .md"),
    ("reasoner process hello -m telepathy:now", USE, "names no model"),
    ("reasoner process hello -m scripted:none.jsonl", FAULT, "none.jsonl"),
    ("reasoner process hello -m ollama:x --trigger nope", USE, "--trigger"),
    ("reasoner process hello -m ollama:x --chains none.toml", None, "none.toml"),
    ("reasoner persona nowhere", USE, "No persona is kept in 'nowhere'"),
    ("reasoner restore nowhere 1", USE, "No persona is kept in 'nowhere'"),
    ("reasoner restore nowhere one", USE, "should be a valid integer"),
    ("repl --policy none.toml -w empty", FAULT, "none.toml"),
    ("repl -m telepathy:now -w empty", USE, "names no model"),
    # an option is no other one's value
    ("dashboard LEDGER --cases --read-only", USE, "Option '--cases' requires an argument, and '--read-only' is none"),
    ("report --run -l LEDGER", USE, "if it is meant as the value, write --run=-l"),
    ("report -l --ledgr", USE, "if it is meant as the value, write -l--ledgr"),
    ("forget x --by --older-than 3d -l LEDGER", USE, "Option '--by' requires an argument"),
    ("case new --to --name x", USE, "Option '--to' requires an argument"),
    ("mcp-proxy --ledger -- none", USE, "Option '--ledger' requires an argument, and '--' is none"),
    # text that begins like an option is none
    ("sql '-- a comment'", FAULT, "There is no ledger at"),
    ("sql '-- a comment' -l LEDGER", USE, "here is no statement"),
    ("show '- a -' -l LEDGER", USE, "There is no session '- a -'"),
    ("report -l '-- x.duckdb'", FAULT, "There is no ledger at -- x.duckdb"),
    # bytes that are no UTF-8: a text must be one, a file's name need not
    *((f"{command} -l LEDGER", USE, "is not UTF-8 text at character 0: '\\xff'") for command in (
        "show \udcff", "show a --run \udcff", "sql \udcff", "approvals show \udcff", "approvals approve \udcff",
        "approvals approve ff --by \udcff", "approvals reject ff --why \udcff", "approvals run \udcff", "report --run \udcff",
        "replay --parser \udcff", "run coder \udcff -m scripted:s", "run coder x -m \udcff", "repl -p \udcff",
    )),
    *((command, USE, "is not UTF-8 text at character 0: '\\xff'") for command in (
        "parse -p \udcff", "parse -d \udcff", "prompt \udcff", "schema \udcff", "actions \udcff",
        "import log.jsonl --source \udcff", "orchestrator run work \udcff -m ollama:x", "orchestrator answer work 1 \udcff",
        "reasoner process \udcff -m ollama:x",
    )),
    ("parse \udcff.md -p coder", FAULT, "can't be read"),
    ("import \udcff.jsonl", FAULT, "There is no file"),
    ("show -l \udcff.duckdb", FAULT, "There is no ledger at"),
    ("run coder -r response.md -l \udcff.duckdb", FAULT, "is not UTF-8, and DuckDB opens no other"),
]  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG, ids=[line or "nothing" for line, _, _ in WRONG])
def test_a_wrong_use_ends_in_a_sentence(run, log, recorded, monkeypatch, wrong):
    """What happened, the value, what is allowed; nothing on the standard output, and nothing is made."""
    (line, code, said), tmp_path = wrong, log.parent
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "response.md").write_text("Hello.")
    (tmp_path / "damaged.gz").write_bytes(b"\x1f\x8b\x08bad")
    (tmp_path / "empty").mkdir()
    before = sorted(tmp_path.rglob("*"))
    done = run(*(str(recorded) if word == "LEDGER" else word for word in shlex.split(line)))
    assert done.code == code or (code is None and done.code in {1, 2}), done
    assert said in " ".join((done.err or done.out).split())
    last = done.err.splitlines()[-1] if done.err else ""
    assert last.startswith(("actionledger: ", "Error: ")) or "Usage:" in done.err + done.out
    assert not done.out or "Usage:" in done.out
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("statement", ["-- a comment\nSELECT 7", "--a comment\nSELECT 7"])
def test_a_statement_may_begin_with_a_comment(run, recorded, statement):
    """An option's name has no space, so what has one is text, before the options as well as behind them."""
    for arguments in (
        ("sql", statement, "-l", recorded, "--json"),
        ("sql", "--json", "-l", recorded, statement),
    ):
        done = run(*arguments)
        assert (done.code, [list(row.values()) for row in done.value]) == (0, [[7]])


@pytest.mark.parametrize("line", ["dashboard --cases --help", "report --run -h", "reviews add --by --help"])
def test_help_is_no_value(run, line):
    """Whoever forgot what an option takes asks for help behind it."""
    done = run(*line.split())
    assert (done.code, done.out.startswith("Usage: actionledger"), done.err) == (0, True, "")


def test_a_value_may_look_like_an_option_where_it_is_joined_to_it(run, recorded):
    """As everywhere on a command line; and behind two dashes nothing is an option."""
    assert "--help" in run("report", "--run=--help", "-l", recorded).err
    assert run("show", "-l", recorded, "--", "--limit").err.startswith(
        "actionledger: There is no session '--limit'"
    )


def test_a_text_reaches_its_command_as_it_was_written(run, tmp_path):
    """Also one that begins with the mark that keeps it from being an option, also within an option's value."""
    text = "<create_file><path>a</path><content>x</content></create_file>"
    for name in ("- list.md", "\1.md", "\1- list.md"):
        (tmp_path / name).write_text(text)
        assert run("parse", name, "-p", "coder").code == 0
    done = run("run", "coder", "-r", "-", "-w", "w", "-l", "-- l.duckdb", stdin=text)
    assert (done.code, (tmp_path / "-- l.duckdb").exists()) == (ExitCode.WAITING, True)


@pytest.mark.parametrize(
    "stopped",
    [
        ("demo --data log.jsonl", "demo.take_samples"),
        ("parse response.md -p coder", "prompts.api.parse"),
        ("import log.jsonl", "imports.import_path"),
        ("ingest -l LEDGER", "imports.existing"),
        ("show -l LEDGER", "inspection.sessions"),
        ("report -l LEDGER", "report.funnel_and_splits"),
        ("loops -l LEDGER", "failures.loops"),
        ("sql 'SELECT 1' -l LEDGER", "sql.write_answer"),
        ("replay --parser gembrain-standard -p assistant -l LEDGER", "replay.reparse"),
        ("recheck --rate '*=1/9' -l LEDGER", "replay.recheck"),
        ("agreement -l LEDGER", "replay.agreement"),
        ("prompt coder", "prompts.api.prompt"),
        ("schema coder", "prompts.profile_named"),
        ("actions coder", "prompts.profile_named"),
        ("approvals list -l LEDGER", "approvals.open_decisions"),
        ("dashboard LEDGER", "dashboard.require"),
        ("run coder -r response.md", "run._run_response"),
    ],
)
def test_ctrl_c_is_told(run, log, recorded, monkeypatch, stopped):
    """Every command ends with 130, in a sentence."""

    def stop(*_arguments, **_options):
        raise KeyboardInterrupt

    command, target = stopped
    (log.parent / "response.md").write_text("Hello.")
    monkeypatch.setattr(f"actionledger.cli.{target}", stop)
    done = run(*(str(recorded) if word == "LEDGER" else word for word in shlex.split(command)))
    assert done.code == ExitCode.STOPPED
    assert "Stopped." in done.err
    assert done.err.count("\n") == 1


def test_a_fault_of_our_own_is_a_sentence(run, monkeypatch):
    """With the way to see where it comes from."""

    def fail(*_arguments, **_options):
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr("actionledger.cli.prompts.api.prompt", fail)
    done = run("prompt", "coder")
    assert (done.code, done.out) == (1, "")
    assert "A fault of actionledger itself: ZeroDivisionError: by nothing." in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("kind", [duckdb.IOException, duckdb.Error])
def test_a_file_of_the_ledger_that_is_cut_or_damaged_is_no_fault_of_ours(run, monkeypatch, recorded, kind):
    """A person hears what can't be read and who looks at it, also of a wrong checksum, for which DuckDB 2 has no kind of error."""

    def fail(*_arguments, **_options):
        raise kind("IO Error: Could not read enough bytes.\nmore of it")

    monkeypatch.setattr("actionledger.cli.inspection.sessions", fail)
    done = run("show", "-l", recorded)
    assert (done.code, done.out) == (1, "")
    assert "can't be read: IO Error: Could not read enough bytes. 'actionledger doctor' says" in done.err
    assert "fault" not in done.err


def test_what_takes_in_says_that_the_ledger_is_cut(run, tmp_path):
    """There was nothing to take in, and it ended well, while every question of it failed."""
    (tmp_path / "log.jsonl").write_text('{"session": "a", "text": "Well.", "profile": "mint"}')
    ledger = tmp_path / "team.duckdb"
    assert run("import", tmp_path / "log.jsonl", "-l", ledger).code == 0
    os.truncate(ledger, ledger.stat().st_size // 2)
    done = run("ingest", "-l", ledger)
    assert (done.code, done.out) == (1, "")
    assert "was cut: it has" in done.err
    assert "'actionledger doctor' says what there is of it elsewhere." in done.err


def test_a_disk_that_refuses_is_a_sentence(run, monkeypatch):
    """The system's word for it, and no traceback."""

    def fail(*_arguments, **_options):
        raise OSError(28, "No space left on device", "x.duckdb")

    monkeypatch.setattr("actionledger.cli.prompts.api.prompt", fail)
    done = run("prompt", "coder")
    assert (done.code, done.err) == (
        1,
        "actionledger: The system refuses 'x.duckdb': No space left on device.\n",
    )


def test_something_that_waits_has_its_code(run, tmp_path):
    text = "<create_file><path>a</path><content>x</content></create_file>"
    assert run("run", "coder", "-r", "-", "-w", "w", stdin=text).code == ExitCode.WAITING


def test_every_help_ends_with_the_codes(run):
    """Those that there are, and the page of the commands has them, too."""
    for command in (
        "",
        "report",
        "import",
        "orchestrator run",
        "approvals approve",
        "reasoner process",
    ):
        done = run(*command.split(), "-h")
        assert done.code == 0
        assert " ".join(done.out.split()).endswith(EPILOG)
    page = Path(__file__).parents[2].joinpath("docs", "commands.md").read_text()
    for code, meaning in MEANINGS.items():
        assert f"| {code.value} | {meaning} |" in page


def test_the_package_is_the_command(run):
    """Its completion can be shown, and ``-h`` is ``--help``."""
    assert run("show", "-h").out == run("show", "--help").out
    assert json.dumps("--install-completion") in json.dumps(run("--help").out.split())
