"""What is drawn of a workspace and its stores before and after each action."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import actionledger as al
from actionledger_dashboard.viewer.queries import states_drawn, view_of

CREATE = "<create_file><path>{}</path><content>{}</content></create_file>"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[al.Ledger]:
    with al.open_ledger(tmp_path / "team.duckdb", in_background=False) as opened:
        yield opened


def test_each_action_has_what_was_there_and_what_it_changed(ledger: al.Ledger, tmp_path: Path) -> None:
    """As text: files as a difference, line by line; what came from outside is named as that."""
    work = tmp_path / "work"
    with al.Runtime("coder", ledger=ledger, workspace=work, auto=True) as runtime:
        runtime.handle(CREATE.format("a.txt", "one"))
        (work / "by-hand.txt").write_text("somebody else")
        runtime.handle("Nothing more.")
    lane = states_drawn(ledger, runtime.session_id, 0)
    created, outside = lane["cards"]
    assert (created["name"], created["status"], created["call"]) == ("create_file", "1 path changed", "0")
    assert (created["before"]["said"], created["after"]["said"]) == ("empty", "1 path, 3 bytes")
    [change] = created["changes"]
    assert (change["path"], change["kind"]) == ("a.txt", "created")
    assert [(line["sign"], line["text"]) for line in change["lines"]][-2:] == [
        ("came", "+one"),
        ("", "\\ No newline at end of file"),
    ]
    assert (outside["name"].startswith("From outside"), outside["call"]) == (True, None)


def test_rows_of_a_store_come_and_go(ledger: al.Ledger) -> None:
    """Table by table, as JSON."""
    with al.Runtime("assistant", ledger=ledger) as runtime:
        for name in ("Ada", "Bob"):
            runtime.handle(al.render([("create_task", {"content": name})], "actions"))
    [card] = states_drawn(ledger, runtime.session_id, 1)["cards"]
    [store] = [change for change in card["changes"] if change["kind"] == "store"]
    lines = [(line["sign"], str(line["text"])) for line in store["lines"]]
    assert ("", "@@ table tasks") in lines
    assert any(sign == "came" and '"Bob"' in text for sign, text in lines)


def test_what_was_not_kept_is_not_recorded(ledger: al.Ledger) -> None:
    with al.Runtime("coder", ledger=ledger, auto=True, manifest=False) as runtime:
        runtime.handle(CREATE.format("a.txt", "one"))
    lane = view_of(ledger, runtime.session_id)["turn"]["done"][-1]
    assert lane["title"] == "Workspace and stores"
    assert lane["cards"] == []
    assert lane["whenEmpty"].startswith("Not recorded. Nobody has kept")


def test_many_changes_are_named_and_not_opened(ledger: al.Ledger, tmp_path: Path) -> None:
    """Two hundred paths, and how many more there are."""
    work = tmp_path / "work"
    work.mkdir()
    with al.Runtime("coder", ledger=ledger, workspace=work, auto=True) as runtime:
        runtime.handle(CREATE.format("a.txt", "one"))
        for number in range(210):
            (work / f"{number}.txt").write_text("x")
        runtime.handle("Nothing more.")
    outside = states_drawn(ledger, runtime.session_id, 0)["cards"][-1]
    assert len(outside["changes"]) == 201
    assert outside["changes"][-1]["path"] == "… and 10 more"
