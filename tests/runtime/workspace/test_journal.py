"""The journal of effects: written before the effect, whole after a crash, and said to be damaged where it is."""

import json
import os
import stat
from pathlib import Path
from threading import Event, Thread

import pytest

from actionledger.core.errors import LedgerError
from actionledger.core.vocabulary import Reason
from actionledger.runtime.workspace import Workspace, belonging_to
from actionledger.runtime.workspace.journal import ChangeLock
from actionledger.runtime.workspace.tree import DiskTree


@pytest.fixture
def kept(tmp_path) -> Workspace:
    """A workspace whose journal stays."""
    return Workspace(tmp_path / "inside", state=tmp_path / "state")


def journal_of(workspace: Workspace) -> Path:
    (folder,) = workspace._state.iterdir()
    return folder / "effects.jsonl"


def reopened(workspace: Workspace) -> Workspace:
    return Workspace(workspace.root, state=workspace._state)


def test_an_effect_is_written_down_before_it_is_had(kept, monkeypatch):
    """With its action, turn, path, kind, and what stood there before and stands there after."""
    kept.write("x", "old")
    seen = []
    usual = os.rename

    def looking(*arguments, **named):
        seen.append(json.loads(journal_of(kept).read_text().splitlines()[-1])["record"])
        return usual(*arguments, **named)

    monkeypatch.setattr(os, "rename", looking)
    with belonging_to(turn="t", action="a"):
        kept.write("x", "newer")
    (record,) = seen
    effect = record["effect"]
    assert record["unit"] == {"turn": "t", "action": "a", "session": ""}
    assert (effect["effect"], effect["path"], effect["before"]["size"], effect["after"]["size"]) == (
        "change",
        "x",
        3,
        5,
    )
    assert effect["before"]["digest"] != effect["after"]["digest"]
    assert effect["after"]["mode"] == stat.S_IMODE((kept.root / "x").stat().st_mode)


def undo(workspace: Workspace) -> None:
    with belonging_to(turn="t", action="a"):
        workspace.write("x", "newer")
    workspace.undo("a")


@pytest.mark.parametrize(
    "work",
    [
        lambda workspace: workspace.write("new", "content"),
        lambda workspace: workspace.write("x", "newer"),
        lambda workspace: workspace.write("a/b/c", "content"),
        lambda workspace: workspace.delete("x"),
        lambda workspace: workspace.delete("folder", recursive=True),
        lambda workspace: workspace.move("x", "y"),
        lambda workspace: workspace.make_directory("d"),
        undo,
    ],
)
def test_what_it_takes_to_undo_an_effect_is_on_the_disk_before_it_is_had(kept, disk, monkeypatch, work):
    """A power loss leaves no effect of which nobody knows, and no record whose contents are gone."""
    kept.write("x", "old")
    kept.write("folder/z", "deep")
    disk.forget()
    usual, applied = DiskTree.apply, []

    def looking(tree, step, temporary):
        data = journal_of(kept).read_bytes()
        intended = data.index(b"\n", data.rindex(b'{"line":"intended"')) + 1
        contents = journal_of(kept).with_name("contents")
        applied.append((disk.bytes_of(journal_of(kept)) >= intended, disk.bytes_of(contents)))
        assert applied[-1] == (True, contents.stat().st_size)
        return usual(tree, step, temporary)

    monkeypatch.setattr(DiskTree, "apply", looking)
    work(kept)
    assert applied


def test_what_was_there_before_a_command_is_on_the_disk_before_it_runs(kept, disk):
    """And what it has done, before anything else is."""
    (kept.root / "x").write_text("old")
    with kept.watching():
        path = journal_of(kept)
        contents = path.with_name("contents")
        assert json.loads(path.read_text().splitlines()[-1])["line"] == "watching"
        assert disk.bytes_of(path) == path.stat().st_size
        assert disk.bytes_of(contents) == contents.stat().st_size > 0
        (kept.root / "x").write_text("newer")
    assert json.loads(path.read_text().splitlines()[-1])["line"] == "watched"
    assert disk.bytes_of(path) == path.stat().st_size
    assert disk.bytes_of(contents) == contents.stat().st_size


def test_a_journal_that_goes_with_its_workspace_waits_for_no_disk(tmp_path, disk):
    """After a power loss nobody would look for it."""
    workspace = Workspace(tmp_path / "inside")
    workspace.write("x", "content")
    assert disk.bytes_of(workspace.journal._path) == 0


def test_the_journal_is_for_its_owner_only(kept):
    """It holds what files held."""
    kept.write("x", "secret")
    for path in [kept._state, *kept._state.rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0


def test_looking_writes_no_journal(kept, tmp_path):
    """Reading, listing and a dry run leave nothing anywhere."""
    (kept.root / "x").write_text("x")
    kept.read("x")
    kept.list_directory()
    kept.dry_run().write("x", "y")
    assert not (tmp_path / "state").exists()


def test_what_changes_nothing_is_not_recorded(kept):
    """Writing the same again, or making what is there, is no effect."""
    kept.write("a/x", "x")
    size = journal_of(kept).stat().st_size
    kept.write("a/x", "x")
    kept.make_directory("a")
    assert journal_of(kept).stat().st_size == size


def test_half_a_line_at_the_end_is_cut_off(kept):
    """A crash while writing leaves it; the effect was not begun then."""
    with belonging_to(turn="t", action="a"):
        kept.write("x", "content")
    with journal_of(kept).open("a") as file:
        file.write('{"line":"intended","rec')
    with (journal_of(kept).parent / "contents").open("ab") as file:
        file.write(b"0123456789 1000\nhalf")
    again = reopened(kept)
    again.write("y", "more")
    again.undo("a")
    assert [path.name for path in kept.root.iterdir()] == ["y"]
    assert reopened(kept).read("y") == "more"


@pytest.mark.parametrize(
    "line", ["not json", '{"line":"unknown"}', "[]", '{"line":"settled","had":[99],"dropped":[]}']
)
def test_a_damaged_journal_is_named_and_nothing_is_done(kept, line):
    """The operator is told which one and what to do; the workspace is not changed unrecorded."""
    kept.write("x", "content")
    with journal_of(kept).open("a") as file:
        file.write(line + "\n")
    with pytest.raises(LedgerError, match=r"effects\.jsonl' is damaged at byte \d+.*Move its folder away"):
        reopened(kept).write("x", "new")
    assert kept.root.joinpath("x").read_text() == "content"


def test_a_journal_that_leads_out_is_not_followed(kept, outside, untouched, refused):
    """Even a forged journal makes nothing outside."""
    with belonging_to(turn="t", action="a"):
        kept.write("x", "content")
        kept.write("y", "content")
    path = journal_of(kept)
    path.write_text(path.read_text().replace('"path":"x"', '"path":"../outside/secret.txt"'))
    assert refused(reopened(kept).undo, "a") is Reason.PATH_REFUSED


def test_a_temporary_journal_goes_with_its_workspace(tmp_path, monkeypatch):
    """Nothing is left where nobody asked to keep it."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    workspace = Workspace(tmp_path / "inside")
    workspace.write("x", "x")
    assert len([path for path in (tmp_path / "temporary").iterdir() if path.is_dir()]) == 1
    del workspace
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_leftover_of_a_killed_write_is_cleaned_away(kept, forked, tmp_path):
    """What was half written beside its target goes when the workspace is next changed; other files like it stay."""
    code = (
        "import os, sys; from actionledger.runtime.workspace import Workspace\n"
        "os.rename = lambda *_, **__: os.kill(os.getpid(), 9)\n"
        "Workspace(sys.argv[1], state=sys.argv[2]).write('a/x', 'half')"
    )
    (kept.root / ".mine.tmp").write_text("mine")
    forked.run(code, tmp_path, kept.root, kept._state)
    assert len(list(kept.root.glob("a/.*.tmp"))) == 1
    kept.write("y", "y")
    assert sorted(path.name for path in kept.root.rglob("*")) == [".mine.tmp", "a", "y"]


def test_one_thread_at_a_time_and_whoever_holds_the_lock_may_take_it_again(tmp_path, refused):
    """Others wait, and give up after a while; between processes as between threads."""
    lock = ChangeLock(tmp_path / "lock", patience=0.05)
    waiting, done = Event(), Event()
    with lock.held() as first, lock.held() as second:
        assert (first, second) == (True, False)

        def wait() -> None:
            assert refused(lambda: lock.held().__enter__()) is Reason.UNAVAILABLE
            assert (
                refused(lambda: ChangeLock(tmp_path / "lock", patience=0.05).held().__enter__())
                is Reason.UNAVAILABLE
            )
            done.set()

        thread = Thread(target=wait)
        thread.start()
        waiting.set()
        thread.join()
    assert done.is_set()
    with lock.held() as free:
        assert free is True


def test_many_threads_leave_a_journal_that_undoes_all_of_it(kept):
    """Each change is whole, in some order."""

    def work(name: str) -> None:
        for number in range(10):
            with belonging_to(turn="t", action=f"{name}{number}"):
                kept.write("shared", f"{name}{number}")
                kept.write(f"{name}/{number}", "x")

    threads = [Thread(target=work, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    reopened(kept).undo_turn("t")
    assert list(kept.root.iterdir()) == []
