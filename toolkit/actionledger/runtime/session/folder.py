"""The folder that a session acts in: a given one, or a temporary one of its own."""

from pathlib import Path

from actionledger.core.errors import require_path
from actionledger.core.files import TemporaryFolder
from actionledger.ledger import Ledger
from actionledger.runtime.session.separation import refuse_reachable
from actionledger.runtime.workspace import FileLimits, Workspace


class SessionFolder:
    """The folder of one session.

    Args:
        path: the folder; a temporary one if not given.
        ledger: where the session is recorded; None if nowhere. Beside a ledger that is written to, later processes can undo what was
            changed in a given folder.
        undo_days: how long what files held is kept for undo, in days.

    Raises:
        UsageError: the folder can't be used, or the ledger lies in it.
    """

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
        """Whether it is removed with the session."""
        return self._temporary is not None

    def keep(self) -> None:
        """Leave it where it is, whatever becomes of this process."""
        if self._temporary:
            self._temporary.keep()

    def let_go(self, *, is_needed: bool) -> None:
        """End the session's use of it; a temporary one is removed unless somebody will come back to it."""
        if self._temporary and not is_needed:
            self._temporary.remove()
