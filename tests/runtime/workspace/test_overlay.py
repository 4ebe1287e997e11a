"""What a dry run shows for review."""

from actionledger.runtime.workspace import DiffKind, Edit


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
