"""Contents are kept for undo while somebody may want them, and forgotten when asked."""

import json
import os
import stat
from contextlib import nullcontext
from datetime import timedelta
from pathlib import Path

import pytest

from actionledger.core.errors import ActionError
from actionledger.core.ids import now
from actionledger.core.vocabulary import Reason
from actionledger.runtime.workspace import (
    FileLimits,
    UndoRefusedError,
    Workspace,
    belonging_to,
    journal as contents_module,
    retention,
)
from actionledger.runtime.workspace.journal import Journal
from actionledger.runtime.workspace.nodes import digest_of
from actionledger.runtime.workspace.retention import forget_effects

OLD = "what it held before"


def opened(tmp_path: Path, name: str = "inside", **limits: float) -> Workspace:
    return Workspace(tmp_path / name, state=tmp_path / "state", limits=FileLimits(**limits))


def change(
    workspace: Workspace, text: str, *, session: str = "s", turn: str = "t", action: str = "a"
) -> None:
    with belonging_to(turn=turn, action=action, session=session):
        workspace.write("x", text)


def kept(tmp_path: Path) -> bytes:
    return b"".join(path.read_bytes() for path in (tmp_path / "state").rglob("contents*"))


@pytest.fixture
def later(monkeypatch):
    """Lets days go by."""

    def go_on(days: float) -> None:
        moment, seconds = now() + timedelta(days=days), days * 86400
        usual = retention.time.time()
        monkeypatch.setattr(retention, "now", lambda: moment)
        monkeypatch.setattr(retention.time, "time", lambda: usual + seconds)

    return go_on


def test_contents_are_let_go_when_their_time_is_over(tmp_path, later):
    """Seven days after the session's last change nothing of a file is left, and an undo says that it isn't kept."""
    workspace = opened(tmp_path)
    change(workspace, OLD, turn="1", action="1")
    change(workspace, "new", turn="2", action="2")
    del workspace
    later(6.9)
    opened(tmp_path)
    assert OLD.encode() in kept(tmp_path)
    later(8.1)
    workspace = opened(tmp_path)
    assert kept(tmp_path) == b""
    with pytest.raises(UndoRefusedError, match="no longer kept: contents are let go") as caught:
        workspace.undo("2")
    assert caught.value.conflicts[0].reason is Reason.NOT_KEPT
    assert (workspace.root / "x").read_text() == "new"
    change(workspace, "newer", turn="3", action="3")
    workspace.undo("3")
    assert (workspace.root / "x").read_text() == "new"


def test_the_time_is_a_setting(tmp_path, later):
    """Another number of days is another time."""
    change(opened(tmp_path), OLD)
    later(1.5)
    opened(tmp_path, undo_days=1)
    assert kept(tmp_path) == b""


def test_what_a_session_changed_first_is_kept_with_its_last_change(tmp_path, monkeypatch, later):
    """The time counts from the session's last change; that of another session over the same folder is none of it."""
    from actionledger.runtime.workspace import journal

    usual = journal.now
    monkeypatch.setattr(journal, "now", lambda: usual() - timedelta(days=20))
    workspace = opened(tmp_path)
    change(workspace, "first of one", session="one", turn="1", action="1")
    change(workspace, "first of two", session="two", turn="2", action="2")
    monkeypatch.setattr(journal, "now", usual)
    change(workspace, "last of two", session="two", turn="3", action="3")
    del workspace
    later(2)
    workspace = opened(tmp_path)
    assert b"first of two" in kept(tmp_path)
    assert b"last of two" in kept(tmp_path)
    workspace.undo("3")
    assert (workspace.root / "x").read_text() == "first of two"


def test_nothing_is_let_go_while_somebody_uses_the_journal(tmp_path, later, forked):
    """Neither by another workspace of this process, nor by another process."""
    workspace = opened(tmp_path)
    change(workspace, OLD)
    change(workspace, "new", action="b")
    later(100)
    opened(tmp_path)
    code = (
        "import sys, time; usual = time.time; time.time = lambda: usual() + 8640000;"
        "from actionledger.runtime.workspace import Workspace, FileLimits;"
        "Workspace(sys.argv[1], state=sys.argv[2], limits=FileLimits(undo_days=1e-9)).write('y', '')"
    )
    assert forked.run(code, tmp_path, tmp_path / "inside", tmp_path / "state").returncode == 0
    assert OLD.encode() in kept(tmp_path)
    workspace.undo("b")
    assert (workspace.root / "x").read_text() == OLD
    del workspace
    assert forked.run(code, tmp_path, tmp_path / "inside", tmp_path / "state").returncode == 0
    assert OLD.encode() not in kept(tmp_path)


def test_a_journal_that_nobody_opens_again_is_gone_through_by_others(tmp_path, later):
    """Whoever opens a journal beside it lets go of its contents."""
    change(opened(tmp_path, "left"), OLD)
    later(8)
    change(opened(tmp_path, "other"), "new")
    assert OLD.encode() not in kept(tmp_path)
    assert b"new" in kept(tmp_path)


@pytest.mark.parametrize("call", ["replace", "fsync"])
def test_a_crash_on_the_way_leaves_a_journal_that_can_be_read(tmp_path, later, monkeypatch, call):
    """All is kept then, and what the crash left is gone after the next try."""

    class Crash(BaseException):
        pass

    def crash(*_arguments):
        raise Crash

    workspace = opened(tmp_path)
    change(workspace, OLD)
    change(workspace, "new", action="b")
    with belonging_to(turn="t", action="c", session="young"):
        workspace.write("y", "young")
    del workspace
    later(8)
    with monkeypatch.context() as patched:
        patched.setattr(
            retention, "_needed", lambda history, _before: {history.records[-1].effect.after.digest}
        )
        patched.setattr(*((Path, "replace") if call == "replace" else (contents_module.os, "fsync")), crash)
        with pytest.raises(Crash):
            opened(tmp_path)
    assert list((tmp_path / "state").rglob("contents.new"))
    with monkeypatch.context() as patched:
        patched.setattr(retention, "alone", lambda _folder: retention.suppress())
        workspace = opened(tmp_path)
        workspace.undo("b")
        assert (workspace.root / "x").read_text() == OLD
        del workspace
    later(20)
    opened(tmp_path)
    assert kept(tmp_path) == b""
    assert not list((tmp_path / "state").rglob("contents.new"))


@pytest.mark.parametrize("name", ["effects.jsonl", "contents", "lock", "users", "contents.new", ""])
def test_a_link_among_the_parts_of_a_journal_is_not_followed(tmp_path, later, name):
    """What it points to is neither read, written nor cut; changes are refused with a sentence."""
    victim = tmp_path / "victim"
    victim.write_text("somebody else's\n")
    workspace = opened(tmp_path)
    change(workspace, OLD)
    del workspace
    (folder,) = (tmp_path / "state").iterdir()
    if not name:
        folder.rename(tmp_path / "elsewhere")
        folder.symlink_to(tmp_path / "elsewhere")
    else:
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(victim)
    later(8)
    refusing = (
        pytest.raises(ActionError, match="written down first") if name != "contents.new" else nullcontext()
    )
    with refusing:
        change(opened(tmp_path), "new")
    assert victim.read_text() == "somebody else's\n"
    assert not (tmp_path / "elsewhere").exists() or OLD in (tmp_path / "elsewhere" / "contents").read_text()


def test_all_parts_are_for_their_owner_only(tmp_path, later):
    """With no mask at all, for each of them and the folders above, and after contents were let go."""
    mask = os.umask(0)
    try:
        workspace = Workspace(tmp_path / "inside", state=tmp_path / "a" / "b" / "state")
        change(workspace, OLD)
        with belonging_to(turn="t", action="c", session="y"):
            workspace.write("y", "young")
        with workspace.watching():
            (workspace.root / "z").write_text("z")
        for path in (tmp_path / "a").rglob("*"):
            if path.is_file():
                path.chmod(0o666)
        del workspace
        later(8)
        change(Workspace(tmp_path / "inside", state=tmp_path / "a" / "b" / "state"), "new")
    finally:
        os.umask(mask)
    modes = {
        path.name: stat.S_IMODE(path.stat().st_mode)
        for path in [tmp_path / "a", *(tmp_path / "a").rglob("*")]
    }
    assert {name: mode for name, mode in modes.items() if mode & 0o077} == {}
    assert {"contents", "effects.jsonl", "lock", "users"} <= modes.keys()


def test_old_journals_without_sessions_are_read(tmp_path, later):
    """Lines that name no session are kept by their turn."""
    workspace = opened(tmp_path)
    change(workspace, OLD, action="a")
    change(workspace, "new", action="b")
    del workspace
    (journal,) = (tmp_path / "state").rglob("effects.jsonl")
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    for line in lines:
        if "record" in line:
            del line["record"]["unit"]["session"]
    journal.write_text("".join(json.dumps(line) + "\n" for line in lines))
    workspace = opened(tmp_path)
    workspace.undo("b")
    assert (workspace.root / "x").read_text() == OLD


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
