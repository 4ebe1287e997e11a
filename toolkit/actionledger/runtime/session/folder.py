"""The folder that a session acts in, given or temporary; it must be separate from the records."""

import os
from pathlib import Path

from actionledger.core.errors import UsageError, require_path
from actionledger.core.files import TemporaryFolder
from actionledger.ledger import Ledger
from actionledger.ledger.storage.files import LedgerFiles
from actionledger.runtime.workspace import FileLimits, Workspace


class SessionFolder:
    """The folder of one session, temporary if none is given; with a writable ledger, later processes can undo changes in a given one for ``undo_days``."""

    def __init__(self, path: str | Path | None, ledger: Ledger | None, *, undo_days: float) -> None:
        if path is not None:
            require_path("A workspace", path)
        if ledger is not None and path is not None:
            refuse_reachable(ledger.path, Path(path))
        self._temporary = TemporaryFolder("session") if path is None else None
        root = self._temporary.path if self._temporary else Path(path or ".")
        limits = FileLimits(undo_days=undo_days)
        if path and ledger is not None and not ledger.read_only:
            self.workspace = Workspace(root, state=ledger.effects, limits=limits)
        else:
            self.workspace = Workspace(root, limits=limits)

    @property
    def is_temporary(self) -> bool:
        """Whether the folder is removed with the session."""
        return self._temporary is not None

    def keep(self) -> None:
        """Keep the folder after this process ends."""
        if self._temporary:
            self._temporary.keep()

    def let_go(self, *, is_needed: bool) -> None:
        """End the session's use of the folder; remove a temporary one unless it is still needed."""
        if self._temporary and not is_needed:
            self._temporary.remove()


def refuse_reachable(ledger: Path, workspace: Path) -> None:
    """Raise if a ledger lies in a workspace, or a workspace in a ledger's folder."""
    files = LedgerFiles.at(ledger)
    if lies_in(files.published, workspace) or lies_in(files.folder, workspace):
        raise UsageError(
            f"The ledger {files.published} lies in the workspace {workspace.resolve()}, where actions could change what is "
            "recorded of them, decisions of persons included: take a ledger outside of it (--ledger, ACTIONLEDGER_LEDGER or "
            "open_ledger), or another workspace."
        )
    if lies_in(workspace, files.folder):
        raise UsageError(
            f"The workspace {workspace.resolve()} lies in the folder of the ledger {files.published}, which belongs to the ledger "
            "alone: take another workspace."
        )


def lies_in(path: Path, folder: Path) -> bool:
    """Return whether a path is a folder or lies in it, across links, mounts and upper or lower case."""
    inner, outer = path.resolve(), folder.resolve()
    if inner.is_relative_to(outer):
        return True
    try:
        wanted = outer.stat()
    except OSError:
        return False
    # One folder may have two resolved names: by two mounts, or by different case.
    return any(_is(parent, wanted) for parent in (inner, *inner.parents))


def _is(path: Path, wanted: os.stat_result) -> bool:
    try:
        return os.path.samestat(path.stat(), wanted)
    except OSError:
        return False
