"""The files on the disk: how a workspace begins, what a write leaves, and what the system's refusals become."""

import errno
import gc
import os
import socket
import stat
from pathlib import Path

import pytest

from actionledger.core.errors import UsageError
from actionledger.core.vocabulary import Reason
from actionledger.runtime.workspace import Edit, FileLimits, Workspace, belonging_to


def descriptors() -> int:
    """How many files this process has open; what nobody holds any more is let go of first."""
    gc.collect()
    return len(list(Path("/dev/fd").iterdir()))


def test_the_root_is_made_where_it_is_missing(tmp_path):
    """A workspace may begin with nothing."""
    workspace = Workspace(tmp_path / "new" / "er")
    assert workspace.root.is_dir()


def test_a_root_that_is_no_folder_is_refused(tmp_path):
    """Whoever starts the session is told at once."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="can't be used"):
        Workspace(tmp_path / "file")
    with pytest.raises(UsageError, match="can't be used"):
        Workspace(tmp_path / "file" / "below")


def test_a_root_behind_a_link_is_the_folder_that_it_means(tmp_path):
    """The operator's own link is followed once, when the session starts."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    Workspace(tmp_path / "link").write("x", "here")
    assert (tmp_path / "real" / "x").read_text() == "here"


def test_the_journal_can_not_lie_in_the_workspace(tmp_path):
    """Else an action could change what undoing relies on."""
    for root, state in ((tmp_path, tmp_path / "state"), (tmp_path, tmp_path), ("/", None)):
        with pytest.raises(UsageError, match="outside"):
            Workspace(root, state=state)


def test_a_socket_is_refused(workspace, monkeypatch, refused):
    """What is no regular file is neither read nor replaced."""
    monkeypatch.chdir(workspace.root)  # a socket's path has a short limit
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
        assert refused(workspace.read, "socket") is Reason.PATH_REFUSED
        assert refused(workspace.write, "socket", "x") is Reason.PATH_REFUSED


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a device")
def test_a_device_is_not_opened(workspace, refused):
    """Opening one may already do something."""
    try:
        os.mknod(workspace.root / "zero", stat.S_IFCHR | 0o666, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("this container makes no devices")
    assert refused(workspace.read, "zero") is Reason.PATH_REFUSED
    assert refused(workspace.write, "zero", "x") is Reason.PATH_REFUSED


def test_neither_refusals_nor_changes_leave_a_descriptor_open(workspace, outside, refused):
    """However often something is done or refused, the process keeps no file open."""
    workspace.write("folder/file", "x")
    (workspace.root / "link").symlink_to(outside)
    before = descriptors()
    for number in range(20):
        refused(workspace.read, "folder")
        refused(workspace.read, "link/secret.txt")
        refused(workspace.write, "folder", "x")
        refused(workspace.read, "folder/missing/x")
        refused(workspace.make_directory, "folder/file")
        refused(workspace.move, "folder", "folder/in/itself")
        workspace.write("folder/file", f"{number}")
        workspace.move("folder/file", "other")
        workspace.move("other", "folder/file")
        with workspace.watching():
            pass
    assert descriptors() == before


def test_permissions_are_kept(workspace):
    """A script that can be run can still be run after it was written anew or changed."""
    workspace.write("run.sh", "echo 1")
    (workspace.root / "run.sh").chmod(0o751)
    workspace.write("run.sh", "echo 2")
    workspace.edit("run.sh", [Edit("2", "3")])
    assert stat.S_IMODE((workspace.root / "run.sh").stat().st_mode) == 0o751


def test_the_owners_rights_are_not_lent_to_what_a_model_wrote(workspace):
    """A program that runs with its owner's rights loses that bit when it is written to; undoing brings it back."""
    workspace.write("run", "1")
    (workspace.root / "run").chmod(0o4755)
    with belonging_to(turn="t", action="a"):
        workspace.write("run", "2")
    assert stat.S_IMODE((workspace.root / "run").stat().st_mode) == 0o755
    workspace.undo("a")
    assert stat.S_IMODE((workspace.root / "run").stat().st_mode) == 0o4755


@pytest.mark.parametrize(
    ("mask", "file", "folder"), [(0o027, 0o640, 0o750), (0o077, 0o600, 0o700), (0, 0o666, 0o777)]
)
def test_what_is_new_has_the_permissions_that_the_process_gives(workspace, mask, file, folder):
    """A new file is not executable, and file and folder obey the process's mask."""
    before = os.umask(mask)
    try:
        workspace.write("a/x", "x")
        assert os.umask(mask) == mask
    finally:
        os.umask(before)
    assert stat.S_IMODE((workspace.root / "a" / "x").stat().st_mode) == file
    assert stat.S_IMODE((workspace.root / "a").stat().st_mode) == folder


def test_a_folder_in_a_shared_one_is_shared_as_well(workspace):
    """The bit that hands a folder's group on is inherited, as the system does it."""
    workspace.make_directory("a")
    (workspace.root / "a").chmod(0o2775)
    with belonging_to(turn="t", action="a"):
        workspace.make_directory("a/b")
    assert (workspace.root / "a" / "b").stat().st_mode & stat.S_ISGID
    workspace.undo("a")
    assert not (workspace.root / "a" / "b").exists()


FAULTS = {
    errno.ENOSPC: Reason.DISK_ERROR,
    errno.EDQUOT: Reason.DISK_ERROR,
    errno.EIO: Reason.DISK_ERROR,
    errno.EMFILE: Reason.DISK_ERROR,
    errno.EACCES: Reason.NOT_PERMITTED,
    errno.EPERM: Reason.NOT_PERMITTED,
    errno.EROFS: Reason.NOT_PERMITTED,
    errno.ENOTDIR: Reason.PATH_REFUSED,
    errno.ELOOP: Reason.PATH_REFUSED,
    errno.ENAMETOOLONG: Reason.PATH_REFUSED,
    errno.EISDIR: Reason.PATH_REFUSED,
    errno.EINTR: Reason.DISK_ERROR,
}


@pytest.mark.parametrize("fault", FAULTS, ids=errno.errorcode.get)
@pytest.mark.parametrize("call", ["open", "mkdir", "rename", "fchmod", "fsync"])
def test_what_the_system_refuses_is_told_to_the_model_and_nothing_is_left(
    workspace, tree_of, refused, monkeypatch, *, call, fault
):
    """Whichever call fails, at whichever moment, the reason is named and the tree is as it was."""
    workspace.write("there/x", "old")
    before = tree_of(workspace.root)
    usual = getattr(os, call)
    for moment in range(30):
        calls = iter(range(1000))

        def failing(*arguments: object, moment=moment, calls=calls, **named: object) -> object:
            if next(calls) == moment:
                raise OSError(fault, os.strerror(fault))
            return usual(*arguments, **named)

        with monkeypatch.context() as patch:
            patch.setattr(os, call, failing)
            try:
                reason = refused(workspace.write, "new/deep/x", "content")
            except pytest.fail.Exception:
                break
        assert reason in {FAULTS[fault], Reason.DISK_ERROR}
        assert tree_of(workspace.root) == before
    assert moment > 0
    assert workspace.read("new/deep/x") == "content"


_FULL_DISK = """
import resource, sys
from actionledger.core.errors import ActionError
from actionledger.runtime.workspace import Workspace
workspace = Workspace(sys.argv[1], state=sys.argv[2])
workspace.write("x", "old")
resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
for size in (30_000, 100_000):
    try:
        workspace.write("new/x", "x" * size)
    except ActionError as error:
        print(error.reason, error)
workspace.write("y", "still works")
"""


def test_a_full_disk_leaves_the_old_content(tmp_path, forked):
    """A write that is cut off half way, in the journal or in the file, changes nothing and leaves nothing behind."""
    done = forked.run(_FULL_DISK, tmp_path, tmp_path / "inside", tmp_path / "state")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("disk_error ")
    assert sorted(path.name for path in (tmp_path / "inside").rglob("*")) == ["new", "x", "x", "y"]
    assert (tmp_path / "inside" / "x").read_text() == "old"
    with_journal = Workspace(tmp_path / "inside", state=tmp_path / "state")
    assert with_journal.write("x", "new") is False


def test_a_turn_writes_no_more_than_it_may(tmp_path, refused):
    """The limits on bytes and paths are a turn's; the next turn begins anew."""
    workspace = Workspace(tmp_path / "inside", limits=FileLimits(turn_bytes=10, turn_paths=3))
    with belonging_to(turn="1", action="1"):
        workspace.write("x", "123456")
        assert refused(workspace.write, "y", "12345") is Reason.TOO_LARGE
        workspace.write("x", "1234")
        assert refused(workspace.make_directory, "a/b/c") is Reason.TOO_LARGE
        workspace.make_directory("a/b")
        assert refused(workspace.write, "z", "") is Reason.TOO_LARGE
    with belonging_to(turn="2", action="2"):
        workspace.write("y", "1234567890")
    assert sorted(path.name for path in workspace.root.rglob("*")) == ["a", "b", "x", "y"]
