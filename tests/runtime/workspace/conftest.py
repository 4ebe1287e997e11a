"""A workspace, a folder beside it that nothing may reach, and the same operations over disk and memory."""

import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from actionledger.core.errors import ActionError
from actionledger.core.vocabulary import Reason
from actionledger.runtime.workspace import Files, Workspace

SECRET = "for nobody's eyes"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder beside the workspace, with a file that must neither be read nor changed."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "secret.txt").write_text(SECRET)
    return folder


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "inside")


@pytest.fixture
def untouched(outside: Path) -> Iterator[None]:
    """Checks after the test that the outside is as it was."""
    yield
    assert sorted(path.name for path in outside.rglob("*")) == ["secret.txt"]
    assert (outside / "secret.txt").read_text() == SECRET


@pytest.fixture(params=["disk", "dry run"])
def files(request: pytest.FixtureRequest, workspace: Workspace) -> Files:
    """The workspace as it is, and a dry run over it."""
    return workspace.dry_run() if request.param == "dry run" else workspace


@pytest.fixture
def refused() -> Callable[..., Reason]:
    """Calls something that must be refused; gives the reason."""

    def call(action: Callable[..., object], *arguments: object, **named: object) -> Reason:
        with pytest.raises(ActionError) as caught:
            action(*arguments, **named)
        assert str(caught.value).endswith((".", "?", "'")) or "\n" in str(caught.value)
        return Reason(caught.value.reason)

    return call


@pytest.fixture
def tree_of() -> Callable[[Path], dict[str, object]]:
    """Gives all that stands in a folder: kind, permissions, content or target of each path, byte for byte."""

    def look(root: Path) -> dict[str, object]:
        return {str(path.relative_to(root)): _state(path) for path in sorted(root.rglob("*"))}

    return look


def _state(path: Path) -> object:
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        return "link", str(path.readlink())
    content = path.read_bytes() if stat.S_ISREG(status.st_mode) else None
    return stat.S_IFMT(status.st_mode), stat.S_IMODE(status.st_mode), content
