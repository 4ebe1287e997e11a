"""How much a workspace takes: of one file, of one turn, of one look around."""

from dataclasses import dataclass

from actionledger.core.errors import ActionError, require_number
from actionledger.core.vocabulary import Reason


@dataclass(frozen=True, slots=True)
class FileLimits:
    """The most that a workspace takes.

    Args:
        file_bytes: of one text that is read or written, in bytes.
        kept_bytes: of one file whose content is kept so that it can be brought back, in bytes. A larger one is neither
            overwritten nor deleted.
        turn_bytes: of all that one turn writes, in bytes.
        turn_paths: of paths that one turn changes.
        depth: of folders in one another, the file included.
        entries: of files and folders that one action lists, searches or deletes, and that are watched while a command
            runs.
        tree_bytes: of all contents that one deletion, or watching one command, has to keep, in bytes.
        watched_bytes: of one file whose content is kept before a command runs, in bytes.
        hits: of places that a search gives.
        seconds: that one search or regular expression may take.
        undo_days: that contents are kept for undo after the last change of their session.

    Raises:
        UsageError: a limit is not above zero.
    """

    file_bytes: int = 10 * 2**20
    kept_bytes: int = 64 * 2**20
    turn_bytes: int = 100 * 2**20
    turn_paths: int = 2_000
    depth: int = 40
    entries: int = 20_000
    tree_bytes: int = 256 * 2**20
    watched_bytes: int = 4 * 2**20
    hits: int = 200
    seconds: float = 2.0
    undo_days: float = 7.0

    def __post_init__(self) -> None:
        for name in self.__slots__:
            require_number(f"The limit {name}", getattr(self, name), above=0)


class TurnBudget:
    """The budget that one turn has used; the next turn begins with a new one.

    Args:
        limits: what a turn may use.
    """

    def __init__(self, limits: FileLimits) -> None:
        self.limits = limits
        self._turn = ""
        self._bytes = 0
        self._paths: set[str] = set()

    def check(self, turn: str, paths: set[str], size: int) -> None:
        """See whether a turn may change that much more."""
        used_bytes, used_paths = self._used(turn)
        if used_bytes + size > self.limits.turn_bytes:
            message = (
                f"This turn would write {used_bytes + size:,} bytes in all; the limit is "
                f"{self.limits.turn_bytes:,}. Go on in the next turn."
            )
            raise ActionError(Reason.TOO_LARGE, message)
        if len(used_paths | paths) > self.limits.turn_paths:
            message = (
                f"This turn would change {len(used_paths | paths):,} files and folders; the limit is "
                f"{self.limits.turn_paths:,}. Go on in the next turn."
            )
            raise ActionError(Reason.TOO_LARGE, message)

    def spend(self, turn: str, paths: set[str], size: int) -> None:
        """Note that a turn has changed that much."""
        used_bytes, used_paths = self._used(turn)
        self._turn, self._bytes, self._paths = turn, used_bytes + size, used_paths | paths

    def _used(self, turn: str) -> tuple[int, set[str]]:
        return (self._bytes, self._paths) if turn and turn == self._turn else (0, set())
