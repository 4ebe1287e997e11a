"""What an option names and the ledger does not have is said, with what it has."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from actionledger.cli import app
from actionledger.cli.exits import ExitCode
from actionledger.core.errors import UsageError
from actionledger.core.recordings import RecordedSession, RecordedTurn
from actionledger.imports import import_sessions
from actionledger.ledger import open_ledger

COMMANDS = [
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


@pytest.mark.parametrize("command", COMMANDS)
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
