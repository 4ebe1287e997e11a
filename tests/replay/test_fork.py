"""Going on from a recorded turn: with its workspace and store as they were before it, as a child of its session."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import actionledger as al
from actionledger.runtime.models import ScriptedModel

_FILE = "<create_file><path>{}</path><content>{}</content></create_file>"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[al.Ledger]:
    with al.open_ledger(tmp_path / "team.duckdb", in_background=False) as opened:
        yield opened


@pytest.fixture
def session_id(ledger: al.Ledger) -> str:
    with al.Runtime("coder", ledger=ledger, auto=True) as runtime:
        for name in "abc":
            runtime.handle(f"Now {name}. {_FILE.format(f'{name}.txt', name)} Done.", prompt=f"Make {name}.")
        return runtime.session_id


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_another_response_goes_on_from_the_state_before_the_turn(
    ledger: al.Ledger, session_id: str, tmp_path: Path
) -> None:
    forked = al.fork(
        ledger,
        session_id,
        turn=1,
        response=_FILE.format("x.txt", "x"),
        workspace=tmp_path / "fork",
        auto=True,
    )
    assert _names(tmp_path / "fork") == ["a.txt", "x.txt"]
    rows = ledger.sql(
        "SELECT parent_session_id::VARCHAR, relation FROM sessions WHERE session_id = ?::UUID",
        [forked.session_id],
    ).fetchall()
    assert rows == [(session_id, "fork")]
    assert [each.index for each in forked.turns] == [1]


def test_a_store_is_what_it_was_before_the_turn(ledger: al.Ledger) -> None:
    with al.Runtime("assistant", ledger=ledger) as runtime:
        for name in ("Ada", "Bob", "Eve"):
            runtime.handle(al.render([("create_task", {"content": name})], "actions"))
    forked = al.fork(ledger, runtime.session_id, turn=2, response=al.render([("list_tasks", {})], "actions"))
    [seen] = forked.turns[0].observations
    assert [task["content"] for task in seen.result["tasks"]] == ["Ada", "Bob"]


def test_an_edited_action_leaves_the_rest_of_the_response(
    ledger: al.Ledger, session_id: str, tmp_path: Path
) -> None:
    edit = {0: {"path": "other.txt", "content": "edited"}}
    forked = al.fork(ledger, session_id, turn=2, edit=edit, workspace=tmp_path / "fork", auto=True)
    assert _names(tmp_path / "fork") == ["a.txt", "b.txt", "other.txt"]
    [(text,)] = ledger.sql(
        "SELECT text FROM turns WHERE session_id = ?::UUID", [forked.session_id]
    ).fetchall()
    assert text.startswith("Now c. <create_file>")
    assert text.endswith(" Done.")


def test_another_policy_decides_about_the_recorded_response(ledger: al.Ledger, session_id: str) -> None:
    nothing = al.Policy((("*", al.Verdict.REJECT),))
    forked = al.fork(ledger, session_id, turn=0, policy=nothing)
    assert str(forked.turns[0].observations[0].status) == "denied"


def test_a_model_goes_on_behind_what_was_said(ledger: al.Ledger, session_id: str, tmp_path: Path) -> None:
    shown = []

    class Model(ScriptedModel):
        def complete(self, messages, **more):  # type: ignore[no-untyped-def]
            shown.append([message.content for message in messages])
            return super().complete(messages, **more)

    model = Model([_FILE.format("m.txt", "m"), "All is done."], name="live")
    forked = al.fork(ledger, session_id, turn=2, model=model, workspace=tmp_path / "fork", auto=True)
    assert len(forked.turns) == 2
    assert _names(tmp_path / "fork") == ["a.txt", "b.txt", "m.txt"]
    assert shown[0][1] == "Make a."
    assert shown[0][2].startswith("Now a.")
    assert shown[0][-1] == "Make c."
    assert [each.index for each in forked.turns] == [2, 3]


def test_a_fork_can_itself_be_stepped_through_and_run_again(ledger: al.Ledger, session_id: str) -> None:
    forked = al.fork(ledger, session_id, turn=1, response=_FILE.format("x.txt", "x"), auto=True)
    [step] = al.steps(ledger, forked.session_id)
    assert step.before is not None
    assert list(step.before.files) == ["a.txt"]
    assert al.rerun(ledger, forked.session_id).counts["identical"] == 1


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"turn": 1}, "Give a change"),
        ({"turn": 9, "response": "x"}, "no turn 9"),
        ({"turn": 1, "response": "x", "edit": {0: {}}}, "not both"),
        ({"turn": 1, "edit": {7: {}}}, "no action 7"),
        ({"turn": 3, "policy": al.Policy(())}, "no response there"),
    ],
)
def test_what_makes_no_sense_is_refused(ledger: al.Ledger, session_id: str, more: dict, said: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(al.ActionLedgerError, match=said):
        al.fork(ledger, session_id, **more)


def test_without_a_manifest_it_says_so(ledger: al.Ledger) -> None:
    with al.Runtime("coder", ledger=ledger, auto=True, manifest=False) as runtime:
        runtime.handle(_FILE.format("a.txt", "a"))
    with pytest.raises(al.ActionLedgerError, match=r"can't be forked\. Nobody has kept"):
        al.fork(ledger, runtime.session_id, turn=0, response="x")


def test_a_workspace_that_is_not_empty_is_refused(ledger: al.Ledger, session_id: str, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("x")
    with pytest.raises(al.ActionLedgerError, match="isn't empty"):
        al.fork(ledger, session_id, turn=0, response="x", workspace=tmp_path / "full")
