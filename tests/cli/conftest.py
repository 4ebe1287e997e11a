"""Runs the command line in this process, and gives what a shell would see."""

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from actionledger.cli import main
from actionledger.cli.tables import console
from actionledger.demo import sample_sessions, take_samples
from actionledger.ledger import open_ledger

HOSTILE = "[bold]bold[/nope] \x1b[31mred\x1b]0;title\x07 \x9b2J \u202ebackwards <b>&amp;"
"""What would change a terminal, a table or a page if it were taken for more than text."""

HOSTILE_SHOWN = r"[bold]bold[/nope] \x1b[31mred\x1b]0;title\x07 \x9b2J \u202ebackwards <b>&amp;"
"""How it is shown instead."""

LINES = (
    {"session": "a", "model": HOSTILE, "text": '```actions\n{"actions": [{"type": "list_tasks"}]}\n```'},
    {"session": "a", "model": HOSTILE, "text": '```actions\n{"actions": [{"type": "list_tasks"},]}\n```'},
    {
        "session": "a",
        "text": '```actions\n{"actions": [{"type": "list_tasks", "status": "' + "[red]" + '"}]}\n```',
    },
    {"session": "b", "text": "```actions\n{" + HOSTILE + "\n```"},
    {"session": "b", "text": "Good morning."},
    {"session": "c", "profile": "coder", "text": "<read_file><path>[bold]x[/bold]</path></read_file>"},
)
"""A session that is read, one that isn't, and one with a file that isn't there."""


@dataclass(frozen=True)
class Done:
    """What a shell sees of a command."""

    code: int  # the exit code
    out: str  # what it wrote to the standard output
    err: str  # what it wrote to the standard error

    @property
    def value(self) -> Any:
        """The standard output as JSON."""
        return json.loads(self.out)


Run = Callable[..., Done]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Runs a command in an empty folder: takes its arguments and what comes in on the standard input."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "240")
    monkeypatch.setattr(console, "width", 240)  # it was made under whatever COLUMNS said at the start
    monkeypatch.delenv("ACTIONLEDGER_LEDGER", raising=False)

    def command(*arguments: object, stdin: str | bytes = b"") -> Done:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "argv", ["actionledger", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(data))))
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return Done(int(ended.value.code or 0), out, err)

    return command


@pytest.fixture
def sentence(run: Run) -> Callable[..., str]:
    """Runs a command that can't be done: exit code 1 or 2, nothing printed but one sentence; gives the sentence."""

    def command(*arguments: object, stdin: str | bytes = b"") -> str:
        done = run(*arguments, stdin=stdin)
        assert done.code in {1, 2}, done
        assert done.out == ""
        assert done.err.startswith("actionledger: ")
        assert done.err.count("\n") == 1
        return done.err.removeprefix("actionledger: ").strip()

    return command


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger of a few sessions of every kind, not to be changed."""
    folder = tmp_path_factory.mktemp("recorded")
    (folder / "log.jsonl").write_text("\n".join(map(json.dumps, LINES)))
    with open_ledger(folder / "team.duckdb") as ledger:
        take_samples(ledger, sample_sessions(folder / "log.jsonl"))
    return folder / "team.duckdb"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A file of sessions in the simple format."""
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(map(json.dumps, LINES)))
    return path


@pytest.fixture
def script(tmp_path: Path) -> Callable[..., str]:
    """Writes responses where ``scripted:`` finds them; gives the model's name."""

    def write(*responses: str) -> str:
        path = tmp_path / "script.jsonl"
        path.write_text("\n".join(map(json.dumps, responses)))
        return f"scripted:{path}"

    return write
