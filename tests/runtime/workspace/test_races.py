"""What another process may do meanwhile: whatever is exchanged at whatever moment, nothing is reached outside."""

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from threading import Event, Thread

import pytest

from actionledger.core.errors import ActionError
from actionledger.core.vocabulary import Reason
from actionledger.runtime.workspace import Edit, Workspace, belonging_to

SECRET = "for nobody's eyes"


def watched(workspace: Workspace) -> None:
    with workspace.watching():
        pass


ATTEMPTS: dict[str, Callable[[Workspace], object]] = {
    "read": lambda workspace: workspace.read("folder/secret.txt"),
    "overwrite": lambda workspace: workspace.write("folder/secret.txt", "new"),
    "edit": lambda workspace: workspace.edit("folder/secret.txt", [Edit("mine", "new")]),
    "create": lambda workspace: workspace.write("folder/new/file", "new"),
    "make a directory": lambda workspace: workspace.make_directory("folder/deep/er"),
    "delete": lambda workspace: workspace.delete("folder", recursive=True),
    "move in": lambda workspace: workspace.move("other", "folder/other"),
    "move out": lambda workspace: workspace.move("folder/secret.txt", "taken"),
    "search": lambda workspace: repr(workspace.search("eyes")),
    "list": lambda workspace: workspace.list_directory(depth=5),
    "watch": watched,
    "undo": lambda workspace: workspace.undo("furnishing"),
}


def furnish(workspace: Workspace) -> None:
    with belonging_to(turn="0", action="furnishing"):
        workspace.write("folder/secret.txt", "mine")
        workspace.write("other", "mine as well")


@pytest.mark.parametrize("attempt", ATTEMPTS)
@pytest.mark.parametrize("name", ["folder", "folder/secret.txt"])
def test_a_link_that_comes_at_any_moment_leads_nowhere(
    tmp_path, outside, untouched, monkeypatch, *, name, attempt
):
    """Before whichever call to the system a name turns into a link, nothing is written or read behind it."""
    for moment in count():
        workspace = Workspace(tmp_path / f"inside{moment}")
        furnish(workspace)
        happened = False
        calls = count()

        def swapping(call: Callable[..., object], moment=moment, calls=calls, root=workspace.root):
            def called(*arguments: object, **named: object) -> object:
                nonlocal happened
                if next(calls) == moment:
                    happened = True
                    with suppress(OSError):
                        (root / name).rename(root / "aside")
                    with suppress(OSError):
                        (root / name).symlink_to(outside if name == "folder" else outside / "secret.txt")
                return call(*arguments, **named)

            return called

        with monkeypatch.context() as patch:
            for call in ("open", "mkdir", "stat", "unlink", "rmdir", "rename", "listdir", "readlink"):
                patch.setattr(os, call, swapping(getattr(os, call)))
            with suppress(ActionError):
                assert SECRET not in str(ATTEMPTS[attempt](workspace))
        if not happened:
            break
    assert moment > 3


@contextmanager
def meanwhile(step: Callable[[int], object]) -> Iterator[None]:
    """Repeat a step in another thread as long as the block runs; what it can't do this time it leaves."""
    stop = Event()

    def repeat() -> None:
        for number in count():
            if stop.is_set():
                return
            with suppress(OSError):
                step(number)

    thread = Thread(target=repeat)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def outcomes(call: Callable[[int], object]) -> Counter[object]:
    """Try a call 1000 times, and on until it was both done and refused: then the race was on."""
    seen: Counter[object] = Counter()
    for number in range(100_000):
        try:
            seen[call(number)] += 1
        except ActionError as error:
            seen[error.reason] += 1
        if number >= 1000 and len(seen) > 1 and seen[Reason.PATH_REFUSED]:
            break
    return seen


def test_readers_see_the_old_content_or_the_new_and_never_half(workspace):
    """A file that is overwritten all the time is whole at every look."""
    contents = ("a" * 100_000, "b" * 70_000)
    workspace.write("x", contents[0])
    with meanwhile(lambda number: workspace.write("x", contents[number % 2])):
        seen = {workspace.read("x") for _ in range(300)}
    assert seen <= set(contents)


@pytest.mark.parametrize("act", ["write", "make_directory", "read"])
def test_a_folder_that_is_swapped_for_a_link_meanwhile_leads_nowhere(workspace, outside, untouched, act):
    """Whatever a race between the check and the use gives, nothing appears outside and nothing is read there."""
    folder = workspace.root / "folder"
    folder.mkdir()
    (folder / "secret.txt").write_text("mine")

    def swap(number: int) -> None:
        aside = workspace.root / f"aside{number}"
        folder.rename(aside)
        folder.symlink_to(outside)
        folder.unlink()
        aside.rename(folder)

    calls: dict[str, Callable[[int], object]] = {
        "write": lambda number: workspace.write(f"folder/new{number % 7}/file", "x"),
        "make_directory": lambda number: workspace.make_directory(f"folder/deep{number % 7}/er"),
        "read": lambda number: workspace.read("folder/secret.txt"),
    }
    with meanwhile(swap):
        seen = outcomes(calls[act])
    assert SECRET not in seen
    assert seen[Reason.PATH_REFUSED]


@pytest.mark.parametrize("act", ["write", "read"])
def test_a_file_that_is_swapped_for_a_link_meanwhile_is_not_followed(workspace, outside, untouched, act):
    """A file that turns into a link and back is replaced or refused, and never written or read through."""
    target, link, mine = (workspace.root / name for name in ("file", "link", "mine"))

    def swap(_number: int) -> None:
        link.symlink_to(outside / "secret.txt")
        link.rename(target)
        mine.write_text("mine")
        mine.rename(target)

    calls: dict[str, Callable[[int], object]] = {
        "write": lambda number: workspace.write("file", "mine"),
        "read": lambda number: workspace.read("file"),
    }
    with meanwhile(swap):
        seen = outcomes(calls[act])
    assert SECRET not in seen
    assert seen[Reason.PATH_REFUSED]
    assert not list(workspace.root.glob(".*.tmp"))


def test_no_temporary_file_is_left_after_many_writers(workspace):
    """Several threads that write the same file leave one of their contents, and nothing beside it."""
    writers = [
        Thread(target=lambda n=number: [workspace.write("x", f"{n}" * 1000) for _ in range(30)])
        for number in range(4)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert workspace.read("x") in {f"{number}" * 1000 for number in range(4)}
    assert [path.name for path in workspace.root.iterdir()] == ["x"]
