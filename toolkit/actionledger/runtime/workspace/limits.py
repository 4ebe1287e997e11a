"""Limits of a workspace: per file, per turn and per listing."""

from dataclasses import dataclass

from actionledger.core.errors import ActionError, require_number
from actionledger.core.vocabulary import Reason


@dataclass(frozen=True, slots=True)
class FileLimits:
    """Limits of a workspace.

    Args:
        file_bytes: the maximum size of a text that is read or written, in bytes.
        kept_bytes: the maximum size of a file whose content is stored for undo, in bytes. A larger file is neither
            overwritten nor deleted.
        turn_bytes: the maximum that one turn writes, in bytes.
        turn_paths: the maximum number of paths that one turn changes.
        depth: the maximum number of names in a path.
        entries: the maximum number of files and folders that one action lists, searches or deletes, and that are watched
            during a command.
        tree_bytes: the maximum of all contents stored for one deletion or one watched command, in bytes.
        watched_bytes: the maximum size of a file whose content is stored before a command runs, in bytes.
        hits: the maximum number of search results.
        seconds: the time limit of one search or regular expression, in seconds.
        undo_days: how long contents are kept for undo after their session's last change, in days.

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
    """The part of its limits that the current turn has used; each turn starts anew."""

    def __init__(self, limits: FileLimits) -> None:
        self.limits = limits
        self._turn = ""
        self._bytes = 0
        self._paths: set[str] = set()

    def check(self, turn: str, paths: set[str], size: int) -> None:
        """Raise if a change would exceed the turn's limits."""
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
        """Count a change against the turn's limits."""
        used_bytes, used_paths = self._used(turn)
        self._turn, self._bytes, self._paths = turn, used_bytes + size, used_paths | paths

    def _used(self, turn: str) -> tuple[int, set[str]]:
        return (self._bytes, self._paths) if turn and turn == self._turn else (0, set())
