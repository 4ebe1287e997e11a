"""Whatever is done to a workspace, undoing all of it leaves every byte as it was; a dry run says what would be."""

import os
import random
import shutil
import signal
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

import pytest
from effort import examples, soaked
from hypothesis import HealthCheck, given, settings, strategies as st

from actionledger.core.errors import ActionError
from actionledger.core.ids import new_id
from actionledger.core.vocabulary import Reason
from actionledger.runtime.workspace import Edit, FileLimits, Files, Places, Undone, Workspace, belonging_to

Operation = tuple[object, ...]
LIMITS = FileLimits(watched_bytes=2_000_000)

PATHS = st.sampled_from(["a", "a/b", "a/b/c", "d", "d/e", "link", "run.sh", "win.txt", "image", "A", "x/y/z"])
TEXTS = st.sampled_from(["", "one\n", "two\r\nlines\r\n", "three\nlines\nhere", "é" * 50, "one\n"])
OPERATIONS = st.one_of(
    st.tuples(st.just("write"), PATHS, TEXTS),
    st.tuples(st.just("make"), PATHS),
    st.tuples(st.just("delete"), PATHS, st.booleans()),
    st.tuples(st.just("move"), PATHS, PATHS, st.booleans()),
    st.tuples(st.just("edit"), PATHS, st.sampled_from(["one", "e", "\n", ""]), TEXTS),
)
COMMANDS = st.tuples(
    st.just("command"), st.lists(st.tuples(st.sampled_from("wrmlkcd"), PATHS, PATHS), max_size=4)
)


def furnish(root: Path) -> None:
    """Make a workspace in which there is something of everything."""
    root.mkdir()
    (root / "a" / "b").mkdir(parents=True)
    (root / "a" / "b" / "c").write_text("one\nmore\n")
    (root / "a").chmod(0o751)
    (root / "d").mkdir()
    (root / "run.sh").write_text("echo one\n")
    (root / "run.sh").chmod(0o755)
    (root / "win.txt").write_bytes("\ufeffone\r\nlines\r\n".encode())
    (root / "image").write_bytes(bytes(range(256)))
    (root / "image").chmod(0o600)
    (root / "link").symlink_to("../outside//.")


def do(files: Files, operation: Operation) -> None:
    """Do one thing; what is refused is left."""
    with suppress(ActionError):
        match operation:
            case "write", str(path), str(text):
                files.write(path, text)
            case "make", str(path):
                files.make_directory(path)
            case "delete", str(path), bool(recursive):
                files.delete(path, recursive=recursive)
            case "move", str(path), str(target), bool(overwrite):
                files.move(path, target, overwrite=overwrite)
            case "edit", str(path), str(search), str(text):
                files.edit(path, [Edit(search, text, Places.EVERY)])
            case "command", list(parts):
                assert isinstance(files, Workspace)
                with files.watching():
                    for part in parts:
                        with suppress(OSError):
                            command(files.root, *part)


def command(root: Path, what: str, path: str, other: str) -> None:
    """Do what a command may do: past the workspace, with the system's own calls."""
    here, there = root / path, root / other
    match what:
        case "w":
            here.write_text(f"by a command for {other}\n")
        case "r":
            here.rename(there)
        case "m":
            here.mkdir()
        case "l":
            here.symlink_to(other)
        case "k":
            here.unlink()
        case "c" if not here.is_symlink():
            here.chmod(0o640 if here.is_file() else 0o711)
        case "d":
            shutil.rmtree(here)


@contextmanager
def furnished() -> Iterator[Path]:
    """Give a folder with a furnished workspace in it, for one example."""
    with tempfile.TemporaryDirectory() as folder:
        furnish(Path(folder) / "inside")
        yield Path(folder)


def undo_if_any(undo: Callable[[str], Undone], name: str) -> Undone | None:
    """Undo something; None where there is nothing to undo, and an error where it is refused."""
    try:
        return undo(name)
    except ActionError as error:
        if error.reason == Reason.NOT_FOUND:
            return None
        raise


many = settings(max_examples=examples(150), suppress_health_check=[HealthCheck.function_scoped_fixture])


@many
@given(turns=st.lists(st.lists(OPERATIONS | COMMANDS, max_size=4), max_size=5))
def test_undoing_each_turn_leaves_every_byte_as_it_was(tree_of, turns):
    """Content, permissions, links, empty folders: after each turn that is undone all is as before that turn."""
    with furnished() as folder:
        workspace = Workspace(folder / "inside", limits=LIMITS)
        before = []
        for number, operations in enumerate(turns):
            before.append(tree_of(workspace.root))
            for place, operation in enumerate(operations):
                with belonging_to(turn=f"turn {number}", action=f"action {number}.{place}"):
                    do(workspace, operation)
        for number in reversed(range(len(turns))):
            undo_if_any(workspace.undo_turn, f"turn {number}")
            assert tree_of(workspace.root) == before[number]


@many
@given(operations=st.lists(OPERATIONS | COMMANDS, min_size=1, max_size=8), keep=st.integers(0, 7))
def test_undoing_back_to_a_turn_and_undoing_that_again(tree_of, operations, keep):
    """Going back leaves all as that turn left it; undoing the undoing leaves all as it was at the end."""
    with furnished() as folder:
        workspace = Workspace(folder / "inside", limits=LIMITS)
        states = {}
        for number, operation in enumerate(operations):
            with belonging_to(turn=str(number), action=str(number)):
                do(workspace, operation)
            states[str(number)] = tree_of(workspace.root)
        turns = workspace.journal.history.turns()
        turn = turns[keep % len(turns)] if turns else "none"
        undone = undo_if_any(workspace.undo_back_to, turn)
        if undone is None:
            return
        assert tree_of(workspace.root) == states[turn]
        again = workspace.undo(undone.action)
        assert tree_of(workspace.root) == states[str(len(operations) - 1)]
        workspace.undo(again.action)
        assert tree_of(workspace.root) == states[turn]


@many
@given(operations=st.lists(OPERATIONS, max_size=10))
def test_a_dry_run_changes_nothing_and_says_what_would_be(tree_of, operations):
    """It shows the same tree, file by file, that doing the same for real leads to; the disk is as it was."""
    with furnished() as folder:
        workspace = Workspace(folder / "inside")
        before = tree_of(workspace.root)
        dry = workspace.dry_run()
        for operation in operations:
            do(dry, operation)
        assert tree_of(workspace.root) == before
        would_be = shown(dry)
        diffs = dry.diffs()
        for operation in operations:
            do(workspace, operation)
        assert shown(workspace) == would_be
        after = tree_of(workspace.root)
        differing = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
        moved = {path for diff in diffs if diff.moved_from for path in (diff.path, diff.moved_from)}
        assert {diff.path.rstrip("/") for diff in diffs if not diff.moved_from} <= differing
        went_along = {path for path in differing if any(f"{path}/".startswith(f"{one}/") for one in moved)}
        assert differing <= {diff.path.rstrip("/") for diff in diffs} | went_along


def shown(files: Files) -> dict[str, object]:
    """Return what files show of themselves: kind, permissions and content of each path."""
    entries = files.list_directory(depth=20).entries
    content = {entry.path: files.tree.load(tuple(entry.path.split("/"))) for entry in entries}
    return {
        entry.path: (entry.kind, entry.mode if entry.kind != "link" else 0, content[entry.path])
        for entry in entries
    }


WORK: list[Operation] = [
    ("write", "new/deep/file", "one\ntwo\n"),
    ("write", "run.sh", "echo 2\n"),
    ("edit", "win.txt", "one", "1"),
    ("move", "a", "moved/here", False),
    ("move", "run.sh", "win.txt", True),
    ("delete", "moved", True),
    (
        "command",
        [("w", "image", "x"), ("m", "A", ""), ("l", "A/l", "d"), ("d", "d", ""), ("c", "win.txt", "")],
    ),
    ("write", "image", "text now"),
]


def work(workspace: Workspace) -> None:
    """Do a little of everything, undoing included."""
    turns = [new_id() for _ in WORK]
    for turn, operation in zip(turns, WORK, strict=True):
        with belonging_to(turn=turn, action=new_id()):
            do(workspace, operation)
    with suppress(ActionError):
        workspace.undo_back_to(turns[3])


def forked(child: Callable[[], object]) -> int:
    """Run something in a forked process that never returns here; give its id."""
    process = os.fork()
    if process == 0:
        try:
            child()
        finally:
            os._exit(0)
    return process


def recovered(folder: Path) -> None:
    """Open what a killed process left, and undo all that was done to it."""
    workspace = Workspace(folder / "inside", state=folder / "state")
    with workspace._exclusively():
        turns = workspace.journal.history.turns()
    for turn in reversed(turns):
        undo_if_any(workspace.undo_turn, turn)


def killing_before(number: int) -> None:
    """Have this process killed right before a call that changes something on the disk, counted from 0."""
    calls = count()

    def counted(call: Callable[..., object]) -> Callable[..., object]:
        def called(*arguments: object, **named: object) -> object:
            if next(calls) == number:
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*arguments, **named)

        return called

    for name in ("write", "rename", "mkdir", "unlink", "rmdir", "fchmod", "symlink", "fsync"):
        setattr(os, name, counted(getattr(os, name)))


def dying_recovery(folder: Path, number: int) -> None:
    """Undo what a killed process did, and be killed over that as well."""
    killing_before(number)
    recovered(folder)


@pytest.mark.parametrize("part", soaked(range(4), [0, 2]))
def test_a_kill_before_a_call_to_the_disk_can_be_undone(tmp_path, tree_of, part):
    """Wherever a process dies, in an action, in undoing one, in recovering from a death: all can be taken back."""
    kills = 0
    for number in count(2 * part, 8):
        folder = tmp_path / str(number)
        folder.mkdir()
        furnish(folder / "inside")
        before = tree_of(folder / "inside")

        def die(folder: Path = folder, number: int = number) -> None:
            workspace = Workspace(folder / "inside", state=folder / "state")
            killing_before(number)
            work(workspace)

        _, status = os.waitpid(forked(die), 0)
        os.waitpid(forked(lambda folder=folder, number=number: dying_recovery(folder, number % 17)), 0)
        recovered(folder)
        assert tree_of(folder / "inside") == before, f"killed before call {number}"
        if not os.WIFSIGNALED(status):
            break
        kills += 1
    assert kills > 10


@pytest.mark.soak
def test_kills_at_random_moments_can_be_undone(tmp_path, tree_of):
    """The same workspace is worked on, killed, and worked on by the next process, again and again."""
    furnish(tmp_path / "inside")
    before = tree_of(tmp_path / "inside")
    seed = random.Random(4)
    for number in range(40):
        process = forked(
            lambda: [work(Workspace(tmp_path / "inside", state=tmp_path / "state")) for _ in range(100)]
        )
        time.sleep(seed.uniform(0.005, 0.12))
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        if number % 4 == 0:
            recovered(tmp_path)
            assert tree_of(tmp_path / "inside") == before
    recovered(tmp_path)
    assert tree_of(tmp_path / "inside") == before


def test_the_furniture_is_of_every_kind(tmp_path):
    """Else the properties above would say little."""
    furnish(tmp_path / "inside")
    kinds = {stat.S_IFMT(path.lstat().st_mode) for path in (tmp_path / "inside").rglob("*")}
    assert kinds == {stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK}
