"""What a command changes in the workspace: found by looking before and after, and undone like all else."""

import os
import subprocess
import sys

import pytest

from actionledger.core.vocabulary import Reason
from actionledger.runtime.workspace import FileLimits, UndoRefusedError, Workspace, belonging_to
from actionledger.runtime.workspace.nodes import Gap


@pytest.fixture
def furnished(workspace):
    (workspace.root / "a" / "b").mkdir(parents=True)
    (workspace.root / "a" / "x").write_text("one\n")
    (workspace.root / "a" / "y").write_text("two\n")
    (workspace.root / "link").symlink_to("a")
    return workspace


def run(workspace, command):
    with belonging_to(turn="t", action="a"), workspace.watching() as watched:
        subprocess.run(["/bin/sh", "-c", command], cwd=workspace.root, check=True)
    return [effect.path for effect in watched.effects]


@pytest.mark.parametrize(
    ("command", "paths"),
    [
        ("true", []),
        ("cat a/x > /dev/null", []),
        ("echo new > n", ["n"]),
        ("echo more >> a/x", ["a/x"]),
        ("printf 'ONE\\n' > a/x", ["a/x"]),
        ("touch -d '2001-01-01' a/x", []),
        ("chmod 600 a/x", ["a/x"]),
        ("chmod 700 a", ["a"]),
        ("rm a/x; mkdir a/x; echo in > a/x/in", ["a/x", "a/x", "a/x/in"]),
        ("rm -r a", ["a/y", "a/x", "a/b", "a"]),
        ("mv a c", ["a/y", "a/x", "a/b", "a", "c", "c/b", "c/x", "c/y"]),
        ("mv a/x a/y", ["a/x", "a/y"]),
        ("rm link; ln -s elsewhere link", ["link"]),
        ("rm link; echo file > link", ["link", "link"]),
        ("ln a/x a/hard", ["a/hard"]),
        ("mkfifo pipe", ["pipe"]),
        ("echo x > \"$(printf 'odd\\377\\nname')\"", ["odd\udcff\nname"]),
        ("mkdir -p p/q/r/s && echo deep > p/q/r/s/t", ["p", "p/q", "p/q/r", "p/q/r/s", "p/q/r/s/t"]),
    ],
)
def test_a_commands_effects_are_found_and_undone(furnished, tree_of, command, paths):
    """Whatever it made, changed, moved or removed is named, and taken back byte for byte."""
    before = tree_of(furnished.root)
    assert run(furnished, command) == paths
    if paths:
        furnished.undo("a")
    assert tree_of(furnished.root) == before


def test_a_change_within_a_tick_of_the_clock_is_found(furnished, monkeypatch):
    """A file that keeps its size and was written to a moment ago is read again, whatever its times say."""
    with belonging_to(turn="t", action="first"):
        furnished.write("a/x", "old\n")
    status = (furnished.root / "a/x").stat()
    with belonging_to(turn="t", action="a"), furnished.watching() as watched:
        with (furnished.root / "a/x").open("r+") as file:
            file.write("new")
        os.utime(furnished.root / "a/x", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert [effect.path for effect in watched.effects] == ["a/x"]


def test_what_was_too_large_to_keep_is_said_and_not_undone(tmp_path, tree_of):
    """The command's other effects stay as well: all of an action or none."""
    root = tmp_path / "inside"
    root.mkdir()
    (root / "large").write_text("x" * 100)
    workspace = Workspace(root, limits=FileLimits(watched_bytes=50))
    assert run(workspace, "echo y >> large; echo new > small") == ["large", "small"]
    before = tree_of(root)
    with pytest.raises(UndoRefusedError) as caught:
        workspace.undo("a")
    (conflict,) = caught.value.conflicts
    assert (conflict.path, conflict.reason) == ("large", Reason.NOT_KEPT)
    assert tree_of(root) == before
    assert run(workspace, "true") == []


def test_a_workspace_with_too_many_files_is_not_watched_to_the_end(tmp_path):
    """That is said, and undoing is refused."""
    workspace = Workspace(tmp_path / "inside", limits=FileLimits(entries=3))
    for number in range(4):
        workspace.write(f"{number}", "")
    with belonging_to(turn="t", action="a"), workspace.watching() as watched:
        pass
    (gap,) = watched.effects
    assert isinstance(gap, Gap)
    assert "more than 3 files" in gap.why
    with pytest.raises(UndoRefusedError, match="more than 3 files"):
        workspace.undo("a")


def test_a_tree_that_is_too_deep_is_said_to_be(workspace):
    """A command can make hundreds of folders in one another; nothing breaks over it."""
    deep = "import os\nfor _ in range(200):\n    os.mkdir('d')\n    os.chdir('d')\nopen('x', 'w').close()"
    with belonging_to(turn="t", action="a"), workspace.watching() as watched:
        subprocess.run([sys.executable, "-c", deep], cwd=workspace.root, check=True)
    assert any(isinstance(effect, Gap) for effect in watched.effects)
    dry = workspace.dry_run()
    dry.move("d", "e")
    assert [(diff.path, diff.moved_from) for diff in dry.diffs()] == [("e", "d")]
    with pytest.raises(UndoRefusedError, match="more than 100 folders"):
        workspace.undo("a")


def test_a_command_that_fails_is_recorded_as_well(furnished):
    """What it did before it failed can be undone."""
    with pytest.raises(subprocess.CalledProcessError):
        run(furnished, "echo x > half; false")
    furnished.undo("a")
    assert not (furnished.root / "half").exists()


def test_a_process_killed_in_the_middle_of_a_command_leaves_what_undo_needs(tmp_path, tree_of, forked):
    """The next one looks what the command did, and can take it back."""
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "x").write_text("old")
    before = tree_of(tmp_path / "inside")
    code = (
        "import os, sys; from actionledger.runtime.workspace import Workspace, belonging_to\n"
        "workspace = Workspace(sys.argv[1], state=sys.argv[2])\n"
        "with belonging_to(turn='t', action='a'), workspace.watching():\n"
        "    (workspace.root / 'x').write_text('changed'); (workspace.root / 'y').mkdir(); os.kill(os.getpid(), 9)\n"
    )
    forked.run(code, tmp_path, tmp_path / "inside", tmp_path / "state")
    assert tree_of(tmp_path / "inside") != before
    Workspace(tmp_path / "inside", state=tmp_path / "state").undo_turn("t")
    assert tree_of(tmp_path / "inside") == before


def test_nothing_behind_a_link_is_looked_at(furnished, outside, untouched):
    """A link to a large place elsewhere costs nothing and shows nothing."""
    (furnished.root / "way-out").symlink_to(outside)
    assert run(furnished, "true") == []
    assert not any("secret" in path for parts in furnished._known.seen for path in parts)
