"""Undoing: what was written comes back whole; what a dry run shows for review."""

import os
import stat

import pytest

from actionledger.core.errors import ActionError
from actionledger.core.vocabulary import Reason
from actionledger.runtime.workspace import (
    DiffKind,
    Edit,
    FileLimits,
    UndoRefusedError,
    Workspace,
    belonging_to,
)


def conflicts(undo, name):
    with pytest.raises(UndoRefusedError) as caught:
        undo(name)
    return {one.path: one for one in caught.value.conflicts}


@pytest.fixture
def worked(workspace):
    """A workspace in which two turns did five actions."""
    (workspace.root / "there").mkdir()
    (workspace.root / "there" / "x").write_text("old\n")
    (workspace.root / "there" / "x").chmod(0o640)
    with belonging_to(turn="1", action="1.1"):
        workspace.write("new/deep/y", "y\n")
    with belonging_to(turn="1", action="1.2"):
        workspace.edit("there/x", [Edit("old", "new")])
    with belonging_to(turn="2", action="2.1"):
        workspace.write("there/x", "newest\n")
    with belonging_to(turn="2", action="2.2"):
        workspace.move("new", "moved")
    with belonging_to(turn="2", action="2.3"):
        workspace.delete("moved", recursive=True)
    return workspace


def test_one_action_is_undone_alone(worked):
    """The last of the actions on a path can go without the others."""
    undone = worked.undo("2.3")
    assert undone.paths == ("moved", "moved/deep", "moved/deep/y")
    assert worked.read("moved/deep/y") == "y\n"
    assert worked.read("there/x") == "newest\n"


def test_a_turn_is_undone_as_one(worked):
    """All that it did is taken back, from the last to the first."""
    worked.undo_turn("2")
    assert worked.read("new/deep/y") == "y\n"
    assert worked.read("there/x") == "new\n"
    worked.undo_turn("1")
    assert [path.name for path in worked.root.rglob("*")] == ["there", "x"]
    assert (worked.root / "there/x").read_text() == "old\n"
    assert stat.S_IMODE((worked.root / "there/x").stat().st_mode) == 0o640


def test_going_back_to_a_turn_keeps_what_it_did(worked, refused):
    """What came after it goes; a turn that changed nothing is not known, and those that did are named."""
    worked.undo_back_to("1")
    assert worked.read("there/x") == "new\n"
    assert refused(worked.undo_back_to, "1") is Reason.NOT_FOUND
    with pytest.raises(ActionError, match="Known turns: 1, 2"):
        worked.undo_back_to("0")


def test_what_was_undone_is_not_undone_twice_and_can_be_done_again(worked, refused):
    """Undoing an undoing does it again; undoing the action then works as before."""
    undone = worked.undo("2.1")
    assert refused(worked.undo, "2.1") is Reason.NOT_FOUND
    again = worked.undo(undone.action)
    assert worked.read("there/x") == "newest\n"
    assert refused(worked.undo, undone.action) is Reason.NOT_FOUND
    worked.undo("2.1")
    assert refused(worked.undo, again.action) is Reason.NOT_FOUND
    assert worked.read("there/x") == "new\n"


@pytest.mark.parametrize("name", ["1.1", "1.2"])
def test_what_others_built_upon_is_not_undone(worked, tree_of, name):
    """An action whose result another one changed stays until that one is undone."""
    before = tree_of(worked.root)
    assert {one.reason for one in conflicts(worked.undo, name).values()} == {Reason.CHANGED_SINCE}
    assert tree_of(worked.root) == before


def test_a_refusal_says_what_changed_with_a_small_diff_and_undoes_nothing(worked, tree_of):
    """All of a turn or none of it: one changed file keeps the others from being undone."""
    (worked.root / "there" / "x").write_text("newest\nby hand\n")
    before = tree_of(worked.root)
    found = conflicts(worked.undo_turn, "2")
    assert list(found) == ["there/x"]
    assert found["there/x"].diff.endswith(" newest\n+by hand")
    assert "7 bytes were left there, 15 are there now" in found["there/x"].why
    assert tree_of(worked.root) == before


@pytest.mark.parametrize(
    ("change", "path", "why"),
    [
        (lambda root: (root / "a" / "x").unlink(), "a/x", "It is gone."),
        (lambda root: (root / "a" / "x").chmod(0o600), "a/x", "permissions were 644 and are 600"),
        (lambda root: (root / "a" / "other").write_text(""), "a", "holds 'other'"),
        (lambda root: (root / "a").chmod(0o700), "a", "permissions were 755 and are 700"),
        (lambda root: (root / "gone").write_text(""), "gone", "Something is there now: a file"),
        (lambda root: (root / "gone").symlink_to("x"), "gone", "Something is there now: a link"),
        (lambda root: (root / "to").unlink(), "to", "Expected a file, found nothing"),
        (lambda root: (root / "from").mkdir(), "to", "Something is at 'from' now"),
    ],
)
def test_every_kind_of_change_since_is_noticed(tmp_path, tree_of, change, path, why):
    """Content, permissions, something new, something gone: undoing would lose it, so it isn't done."""
    root = tmp_path / "inside"
    root.mkdir()
    (root / "gone").write_text("x")
    (root / "from").write_text("x")
    workspace = Workspace(root)
    with belonging_to(turn="1", action="1"):
        workspace.write("a/x", "x\n")
        workspace.delete("gone")
        workspace.move("from", "to")
    change(root)
    before = tree_of(root)
    assert why in conflicts(workspace.undo, "1")[path].why
    assert tree_of(root) == before


def test_undoing_is_itself_in_the_journal_and_survives_the_process(tmp_path):
    """Another process, later, undoes what was done, and that again."""
    folders = {"root": tmp_path / "inside", "state": tmp_path / "state"}
    with belonging_to(turn="1", action="1"):
        Workspace(**folders).write("x", "content")
    undone = Workspace(**folders).undo("1")
    assert not (tmp_path / "inside" / "x").exists()
    Workspace(**folders).undo(undone.action)
    assert (tmp_path / "inside" / "x").read_text() == "content"


def test_two_workspaces_share_a_state_folder_and_nothing_else(tmp_path, refused):
    """Each root has a journal of its own."""
    one, two = (Workspace(tmp_path / name, state=tmp_path / "state") for name in ("one", "two"))
    with belonging_to(turn="1", action="1"):
        one.write("x", "1")
    assert refused(two.undo, "1") is Reason.NOT_FOUND


def test_two_open_workspaces_over_one_folder_see_what_the_other_did(tmp_path):
    """What one process wrote down, the other one knows when it changes something."""
    one, two = (Workspace(tmp_path / "inside", state=tmp_path / "state") for _ in range(2))
    for number, workspace in enumerate((one, two, one, two)):
        with belonging_to(turn=str(number), action=str(number)):
            workspace.write("x", f"{number}")
    two.undo_back_to("0")
    assert one.read("x") == "0"
    one.undo_turn("0")
    assert not (tmp_path / "inside" / "x").exists()


def test_a_disk_that_fails_half_way_leaves_all_as_it_was(worked, tree_of, monkeypatch):
    """An undoing that can't be done whole is itself taken back."""
    before = tree_of(worked.root)
    usual, calls = os.mkdir, iter(range(100))

    def failing(*arguments, **named):
        if next(calls) == 1:
            raise OSError(28, "No space left on device")
        return usual(*arguments, **named)

    with monkeypatch.context() as patch:
        patch.setattr(os, "mkdir", failing)
        with pytest.raises(ActionError, match="full"):
            worked.undo_turn("2")
    assert tree_of(worked.root) == before
    worked.undo_turn("2")
    assert worked.read("there/x") == "new\n"


def test_what_could_not_be_taken_back_is_said(workspace, monkeypatch):
    """Where even that fails, the message says so, and undoing later finishes it."""
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(5, "Input/output error")))
    monkeypatch.setattr(os, "rmdir", lambda *_, **__: (_ for _ in ()).throw(OSError(5, "Input/output error")))
    with pytest.raises(ActionError, match="could not be taken back"), belonging_to(turn="1", action="1"):
        workspace.write("a/x", "x")
    monkeypatch.undo()
    assert (workspace.root / "a").is_dir()
    workspace.undo("1")
    assert list(workspace.root.iterdir()) == []


def test_a_change_that_comes_between_the_plan_and_the_write_is_not_lost(workspace, monkeypatch):
    """Somebody else's content stays, the action is refused, and what the turn did besides can still be undone."""
    workspace.write("x", "old")
    with belonging_to(turn="t", action="a"):
        workspace.write("y", "kept apart")
    usual = workspace.journal.intend

    def meddling(*arguments):
        records = usual(*arguments)
        (workspace.root / "x").write_text("by hand")
        return records

    monkeypatch.setattr(workspace.journal, "intend", meddling)
    with (
        pytest.raises(ActionError, match="Somebody else changed 'x'") as caught,
        belonging_to(turn="t", action="b"),
    ):
        workspace.write("x", "new")
    assert caught.value.reason == Reason.CHANGED_SINCE
    monkeypatch.undo()
    workspace.undo_turn("t")
    assert [(path.name, path.read_text()) for path in workspace.root.iterdir()] == [("x", "by hand")]


def test_what_is_not_in_a_turn_can_be_undone_by_its_action_only(workspace, refused):
    """A change that nobody said a turn for belongs to none."""
    workspace.write("x", "1")
    assert workspace.journal.history.turns() == []
    assert refused(workspace.undo_turn, "") is Reason.NOT_FOUND


def test_a_content_that_was_lost_from_the_journal_is_not_made_up(worked):
    """A damaged or removed store of contents refuses the undo and says so."""
    worked.journal.contents._path.write_bytes(b"\0" * worked.journal.contents._path.stat().st_size)
    assert {one.reason for one in conflicts(worked.undo, "2.3").values()} == {Reason.NOT_KEPT}


def test_a_large_deletion_is_refused_before_it_begins(tmp_path, tree_of, refused):
    """What could not be brought back is not deleted."""
    workspace = Workspace(tmp_path / "inside", limits=FileLimits(tree_bytes=10))
    for name in "abc":
        workspace.write(f"a/{name}", "12345")
    before = tree_of(workspace.root)
    assert refused(workspace.delete, "a", recursive=True) is Reason.TOO_LARGE
    assert tree_of(workspace.root) == before


def shown(files):
    return [(diff.kind.value, diff.path, diff.text) for diff in files.diffs()]


def test_a_dry_run_shows_what_would_become_of_each_path(workspace):
    """Unified diffs for texts, a word for all else, sorted by path."""
    workspace.write("x", "one\ntwo\nthree\n")
    workspace.write("gone", "bye\n")
    (workspace.root / "image").write_bytes(b"\xff\x00")
    dry = workspace.dry_run()
    dry.edit("x", [Edit("two", "2")])
    dry.write("new/file", "hello")
    dry.delete("gone")
    dry.delete("image")
    assert shown(dry) == [
        ("deleted", "gone", "--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-bye"),
        ("deleted", "image", "(binary: 2 bytes before, nothing after)"),
        ("created", "new/", "(folder)"),
        (
            "created",
            "new/file",
            "--- /dev/null\n+++ b/new/file\n@@ -0,0 +1 @@\n+hello\n\\ No newline at end of file",
        ),
        ("changed", "x", "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three"),
    ]


def test_what_is_moved_is_shown_once(workspace):
    """A folder that moves takes along what is in it; what was changed in it on the way is shown."""
    for name in ("kept", "changed", "gone"):
        workspace.write(f"a/{name}", f"{name}\n")
    dry = workspace.dry_run()
    dry.delete("a/gone")
    dry.move("a", "b")
    dry.write("b/changed", "new\n")
    kinds = {diff.path: (diff.kind, diff.moved_from) for diff in dry.diffs()}
    assert kinds == {
        "b": (DiffKind.MOVED, "a"),
        "a/changed": (DiffKind.DELETED, ""),
        "a/gone": (DiffKind.DELETED, ""),
        "b/changed": (DiffKind.CREATED, ""),
    }


def test_what_comes_to_nothing_is_not_shown(workspace):
    """Made and deleted, changed and changed back, moved there and back."""
    workspace.write("a/x", "one\n")
    dry = workspace.dry_run()
    dry.write("new", "")
    dry.delete("new")
    dry.edit("a/x", [Edit("one", "two")])
    dry.edit("a/x", [Edit("two", "one")])
    dry.move("a", "b")
    dry.move("b", "a")
    assert shown(dry) == []


def test_what_somebody_else_writes_meanwhile_is_seen(workspace):
    """Only what the dry run changed is its own."""
    dry = workspace.dry_run()
    dry.write("mine", "1")
    workspace.write("theirs", "2")
    assert dry.read("theirs") == "2"
    assert [diff.path for diff in dry.diffs()] == ["mine"]


def test_a_dry_run_keeps_to_the_limits_of_its_workspace(workspace, refused):
    """What would be refused in earnest is refused here."""
    dry = workspace.dry_run()
    assert dry.limits is workspace.limits
    assert refused(dry.write, "../x", "").value == "path_refused"
