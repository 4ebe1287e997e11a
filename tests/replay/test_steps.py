"""A session's timeline: before and after each action, from what was kept, and nothing is run for it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import actionledger as al
from actionledger.core.vocabulary import DecisionKind
from actionledger.runtime.execution.approval import Decision

_FILE = "<create_file><path>{}</path><content>{}</content></create_file>"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[al.Ledger]:
    with al.open_ledger(tmp_path / "team.duckdb", in_background=False) as opened:
        yield opened


def test_each_action_has_what_was_there_before_and_after(ledger: al.Ledger, tmp_path: Path) -> None:
    work = tmp_path / "work"
    with al.Runtime("coder", ledger=ledger, workspace=work, auto=True) as runtime:
        runtime.handle(
            _FILE.format("a.txt", "one") + "<execute_command><command>sudo ls</command></execute_command>"
        )
        (work / "by-hand.txt").write_text("somebody else")
        turn = runtime.handle(
            "<modify_file><path>a.txt</path><search>one</search><replace>two</replace></modify_file>"
        )
        runtime.undo(turn.turn_id)
    steps = al.steps(ledger, runtime.session_id)
    assert [(step.turn_index, step.names, [one.path for one in step.changes]) for step in steps] == [
        (0, ("create_file",), ["a.txt"]),
        (0, ("execute_command",), []),
        (None, (), ["by-hand.txt"]),
        (1, ("modify_file",), ["a.txt"]),
        (None, (), ["a.txt"]),
    ]
    assert [step.after.content("a.txt") for step in steps if step.after] == [
        b"one",
        b"one",
        b"one",
        b"two",
        b"one",
    ]
    [diff] = steps[3].diffs()
    assert diff.text.splitlines()[-4:] == [
        "-one",
        "\\ No newline at end of file",
        "+two",
        "\\ No newline at end of file",
    ]
    assert "by-hand.txt" in str(steps)


def test_hostile_names_are_text_in_every_display(ledger: al.Ledger, tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "<script>\u202e.txt").write_text("x")
    with al.Runtime("coder", ledger=ledger, workspace=work, auto=True) as runtime:
        runtime.handle(_FILE.format("a.txt", "one"))
        (work / "<script>\u202e.txt").unlink()
        runtime.handle("Done.")
    steps = al.steps(ledger, runtime.session_id)
    html = steps._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "\u202e" not in html
    assert "\u202e" not in str(steps)


def test_without_a_manifest_it_says_that_it_is_not_recorded(ledger: al.Ledger) -> None:
    with al.Runtime("coder", ledger=ledger, auto=True, manifest=False) as runtime:
        runtime.handle(_FILE.format("a.txt", "one"))
    steps = al.steps(ledger, runtime.session_id)
    assert [(step.names, step.before, step.diffs()) for step in steps] == [(("create_file",), None, ())]
    assert "not recorded" in str(steps)
    assert steps.note.startswith("Nobody has kept")


def test_what_waited_for_a_person_is_a_step_where_it_was_carried_out(
    ledger: al.Ledger, tmp_path: Path
) -> None:
    """Once each, and not at the end of the turn at which nothing of it was done."""
    with al.Runtime("coder", ledger=ledger, workspace=tmp_path / "work") as runtime:
        turn = runtime.handle(_FILE.format("a.txt", "one") + _FILE.format("b.txt", "two"))
        for index in range(2):
            runtime.resume(turn.turn_id, {index: Decision(DecisionKind.APPROVED, by="ann")})
    steps = al.steps(ledger, runtime.session_id)
    assert [[change.path for change in step.changes] for step in steps] == [["a.txt"], ["b.txt"]]


def test_a_turn_alone_has_its_own_steps_and_those_from_outside_behind_it(
    ledger: al.Ledger, tmp_path: Path
) -> None:
    """They are the whole timeline's."""
    work = tmp_path / "work"
    with al.Runtime("coder", ledger=ledger, workspace=work, auto=True) as runtime:
        runtime.handle(_FILE.format("a.txt", "one"))
        (work / "by-hand.txt").write_text("somebody else")
        runtime.handle(_FILE.format("b.txt", "two"))
    whole = al.steps(ledger, runtime.session_id)
    assert [(step.turn_index, step.names) for step in whole] == [
        (0, ("create_file",)),
        (None, ()),
        (1, ("create_file",)),
    ]
    assert list(al.steps(ledger, runtime.session_id, turn=0)) == list(whole[:2])
    assert list(al.steps(ledger, runtime.session_id, turn=1)) == list(whole[2:])
    assert list(al.steps(ledger, runtime.session_id, turn=7)) == []
