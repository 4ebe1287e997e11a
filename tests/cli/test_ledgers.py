"""Which ledger commands work on where none is named."""

from pathlib import Path

import pytest

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
    """In one process, with other arguments, too."""
    run("run", "coder", "-r", "response.md", "-w", "w")
    (asked,) = run("approvals", "list", "--json").value
    changed = '{"path": "b", "content": "two"}'
    done = run("approvals", "approve", asked["approval_id"][:8], "--arguments", changed, "--run")
    assert "create_file succeeded" in done.out
    assert (here / "w" / "b").read_text() == "two"
