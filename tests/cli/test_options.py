"""Options that commands share: filters, and the ledger where none is named."""

from dataclasses import fields
from datetime import datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from actionledger.cli import app
from actionledger.cli.filters import FOUND, GIVEN, filter_from
from actionledger.core.errors import UsageError
from actionledger.core.recordings import RecordedSession, RecordedTurn
from actionledger.imports import import_sessions
from actionledger.ledger import open_ledger
from actionledger.ledger.queries import Filter, ScoreBound


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger of two sessions of one response each, scored and filed."""
    file = tmp_path_factory.mktemp("filters") / "filters.duckdb"
    sessions = [
        RecordedSession(
            name, None, "m", "", (RecordedTurn(0, text),), scores={"reward": reward}, labels=(name,)
        )
        for name, text, reward in (("low", "100% sure", 0.0), ("high", "Not sure.", 1.0))
    ]
    with open_ledger(file) as ledger:
        import_sessions(ledger, sessions)
    return file


def test_every_field_of_a_filter_is_an_option(path: Path) -> None:
    """Each option that is given makes another field of the filter something."""
    values: dict[str, object] = {
        "since": datetime(2026, 1, 1),
        "until": datetime(2026, 1, 2),
        "capture": ["text"],
        "score": ["a>=1"],
        "outcome": ["clean"],
        "ending": ["unparseable"],
        "session_outcome": ["failed"],
        "failing": True,
        "stage": "reading",
        "reason": ["timeout"],
        "action": "a",
        "execution": ["failed"],
        "origin": "runtime",
        "verdict": ["right"],
        "turn_label": ["odd"],
        "text": "t",
    }
    values |= {f"{end}_{what}": 1.5 for end in ("min", "max") for what in ("cost", "duration")}
    options = {name: values.get(name, ["v"]) for name in GIVEN | FOUND if name != "run"}
    with open_ledger(path, read_only=True) as ledger:
        within = filter_from(ledger, takes_any=True, **options)
    assert [field.name for field in fields(Filter) if getattr(within, field.name) == field.default] == [
        "run_id"
    ]
    assert within.scores == (ScoreBound("a", ">=", 1),)


@pytest.mark.parametrize(
    ("options", "count"),
    [
        ([], 2),
        (["--label", "low"], 1),
        (["--score", "reward>=0.5"], 1),
        (["--score", "reward<=1", "--score", "reward>=0"], 2),
        (["--text", "SURE"], 2),
        (["--text", "%"], 1),
        (["--text", "_"], 0),
        (["--outcome", "failed"], 0),
        (["--capture", "calls"], 0),
    ],
)
def test_what_is_exported_is_what_is_picked(
    path: Path, tmp_path: Path, options: list[str], count: int
) -> None:
    """The rows are counted in the file."""
    file = tmp_path / "rows.jsonl"
    done = CliRunner().invoke(app, ["export", "rows", "turns", str(file), "--ledger", str(path), *options])
    assert done.exit_code == 0, done.output
    assert len(file.read_text().splitlines()) == count


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--outcome", "claen"], "'claen' is not a valid outcome"),
        (["--origin", "them"], "'them' is not a valid origin; choose from runtime, recorded"),
        (["--score", "reward"], "'reward' bounds no score"),
        (["--stage", "thinking"], "'thinking' is not a valid stage"),
    ],
)
def test_what_is_no_value_is_refused(path: Path, tmp_path: Path, options: list[str], said: str) -> None:
    """It is said what there is to choose from."""
    with pytest.raises(UsageError, match=said):
        CliRunner().invoke(
            app,
            ["export", "rows", "turns", str(tmp_path / "x.csv"), "--ledger", str(path), *options],
            catch_exceptions=False,
        )


def test_a_command_of_rates_has_no_option_of_what_came_of_responses(path: Path) -> None:
    """Within its own outcome a rate would say nothing."""
    assert CliRunner().invoke(app, ["report", "--ledger", str(path), "--score", "reward>=1"]).exit_code == 0
    assert CliRunner().invoke(app, ["report", "--ledger", str(path), "--outcome", "clean"]).exit_code == 2


CREATE = "<create_file><path>a</path><content>one</content></create_file>"


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "response.md").write_text(CREATE)
    return tmp_path


def test_an_agent_in_the_current_folder_is_recorded_aside(run, here, state):
    """It says where, and what a person does next needs no more words than elsewhere."""
    done = run("run", "coder", "-r", "response.md", "-w", ".")
    (aside,) = (state / "actionledger" / "ledgers").glob("*.duckdb")
    assert (done.code, f"Ledger: {aside} " in done.err) == (3, True)
    assert aside.name.startswith(f"{here.name[:40]}-")
    assert not list(here.glob("*.duckdb*"))
    (asked,) = run("approvals", "list", "--json").value
    assert "create_file approved by" in run("approvals", "approve", asked["approval_id"]).out
    assert "create_file succeeded" in run("approvals", "run").out
    assert (here / "a").read_text() == "one"
    assert "signature" not in asked
    assert run("report", "--json").value["funnel"]["responses"] == 1


def test_a_folder_with_two_ledgers_asks_which(run, sentence, here):
    """None of them is passed over in silence."""
    run("run", "coder", "-r", "response.md", "-w", ".")
    run("run", "coder", "-r", "response.md", "-w", "w")
    assert "This folder has two ledgers: actionledger.duckdb in it, and " in sentence("approvals", "list")
    assert len(run("approvals", "list", "--json", "--ledger", "actionledger.duckdb").value) == 1


@pytest.mark.parametrize("command", [("run", "coder", "-r", "response.md", "-w", "."), ("repl", "-w", ".")])
def test_a_named_ledger_in_the_workspace_is_refused(run, here, command):
    """As wrong use, before anything is made."""
    done = run(*command, "--ledger", "own.duckdb")
    assert (done.code, "take a ledger outside of it" in " ".join(done.err.split())) == (2, True)
    assert [each.name for each in here.iterdir()] == ["response.md"]


def test_a_decision_can_be_made_where_it_is_carried_out(run, here):
    run("run", "coder", "-r", "response.md", "-w", "w")
    (asked,) = run("approvals", "list", "--json").value
    changed = '{"path": "b", "content": "two"}'
    done = run("approvals", "approve", asked["approval_id"][:8], "--arguments", changed, "--run")
    assert "create_file succeeded" in done.out
    assert (here / "w" / "b").read_text() == "two"
