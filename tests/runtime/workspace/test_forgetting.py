"""What sessions have changed is taken out of journals, and nothing that another session needs."""

from pathlib import Path

from actionledger.runtime.workspace import Workspace, belonging_to
from actionledger.runtime.workspace.journal import Journal
from actionledger.runtime.workspace.nodes import digest_of
from actionledger.runtime.workspace.retention import forget_effects


def test_what_was_there_before_anothers_command_stays(tmp_path: Path) -> None:
    """Its process was killed, and nobody has looked yet for what it did: that is told by what was there before."""
    root, state = tmp_path / "work", tmp_path / "state"
    workspace = Workspace(root, state=state)
    with belonging_to(turn="t1", action="a", session="bad"):
        workspace.write("x", "the words")
    (root / "y").write_text("before it", encoding="utf-8")
    with belonging_to(turn="t2", action="b", session="good") as unit, workspace.journal.held():
        before = workspace._snapshot().as_bytes()
        workspace.journal.watching(unit, before, digest_of(before))
    del workspace
    [folder] = [path.parent for path in state.glob("*/effects.jsonl")]
    assert forget_effects([folder], {"bad", "t1"}) == {"bad": 1}
    journal = Journal(folder, is_durable=True)
    with journal.held():
        assert journal.history.watch is not None
        assert journal.contents.get(journal.history.watch.snapshot) is not None
    kept = (folder / "contents").read_bytes()
    assert b"before it" in kept
    assert b"the words" not in kept
