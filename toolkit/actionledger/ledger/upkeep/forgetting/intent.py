"""The intent to erase sessions, saved before anything is erased, so that the next process completes an erasure that was killed."""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Self
from uuid import UUID

from actionledger.core.errors import LedgerError
from actionledger.core.ids import new_id, now
from actionledger.core.processes import FileLock
from actionledger.ledger.storage.files import TEMPORARY, LedgerFiles, sync_to_disk


@dataclass(frozen=True, slots=True)
class Intent:
    """An erasure that has begun."""

    events: Mapping[str, str]  # the identifier of the event that records the erasure, by session id
    turns: tuple[str, ...]  # the identifiers of the sessions' turns, as of the request
    names: tuple[str, ...]  # the sessions' own names
    run_id: str  # the events' common run id
    forgotten_by: str  # who requested it
    why: str  # the rule that requires it; empty if somebody named the sessions
    at: datetime  # the time, UTC without a zone
    is_beside_done: bool = False  # whether everything next to the records is erased
    # how many things next to the records were erased, by session id and by kind
    counts: Mapping[str, Mapping[str, int]] | None = None

    @classmethod
    def of(
        cls, sessions: list[str], turns: list[str], names: list[str], *, forgotten_by: str, why: str
    ) -> Self:
        """Return a new intent."""
        events = {session: new_id() for session in sessions}
        return cls(events, tuple(turns), tuple(names), new_id(), forgotten_by, why, now())

    @property
    def sessions(self) -> list[str]:
        """The sessions' identifiers."""
        return list(self.events)

    def with_counts(self, counts: Mapping[str, Mapping[str, int]]) -> "Intent":
        """Return a copy that marks everything next to the records as erased."""
        return replace(self, is_beside_done=True, counts=counts)

    def save(self, files: LedgerFiles) -> None:
        """Save it, so that it survives a power loss."""
        beside = files.folder / f"{TEMPORARY}forgetting.json"
        value = asdict(self) | {"at": self.at.isoformat()}
        descriptor = os.open(beside, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(value, file)
        sync_to_disk(beside)
        beside.replace(files.forgetting)
        sync_to_disk(files.folder)


def intent_of(files: LedgerFiles) -> Intent | None:
    """Return the intent of a ledger's unfinished erasure; None if there is none."""
    try:
        value = json.loads(files.forgetting.read_bytes())
        lists = {name: tuple(value[name]) for name in ("turns", "names")}
        return Intent(**value | lists | {"at": datetime.fromisoformat(value["at"])})
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise LedgerError(
            f"{files.forgetting} says which sessions are being forgotten, and can't be read ({error}): remove it, and forget them again."
        ) from error


class SessionLock(FileLock):
    """The lock of one session.

    An erasure saves its intent before it looks for locks, and this class reads the intent after it has taken the lock: so each sees the other. No
    process needs to hold the locks of all the sessions at once, which may be more than the files it may have open.
    """

    def __init__(self, files: LedgerFiles, session_id: str) -> None:
        super().__init__(path_of_lock(files, session_id))
        self._files = files
        self._session_id = str(UUID(session_id))

    def acquire(self, patience: float = 0.0) -> bool:
        """Acquire the lock if it is free; see ``FileLock.acquire``."""
        if not super().acquire(patience):
            return False
        try:
            self._refuse_forgotten()
        except BaseException:
            self.release(remove=True)
            raise
        return True

    def _refuse_forgotten(self) -> None:
        intent = intent_of(self._files)
        if intent is not None and self._session_id in intent.events:
            raise LedgerError(
                f"The session {self._session_id} is being erased; if no process works on that, 'actionledger forget' completes it."
            )


def open_sessions(files: LedgerFiles, session_ids: list[str]) -> list[str]:
    """Return which of these sessions a live process has open; remove locks that nobody holds."""
    held = []
    for session_id in session_ids:
        path = path_of_lock(files, session_id)
        if path.exists():
            lock = FileLock(path)
            if lock.acquire():
                lock.release(remove=True)
            else:
                held.append(session_id)
    return held


def is_any_open(files: LedgerFiles) -> bool:
    """Return whether a live process has any session of a ledger open."""
    for path in files.sessions.glob("*.lock"):
        lock = FileLock(path)
        if not lock.acquire():
            return True
        lock.release(remove=True)
    return False


def path_of_lock(files: LedgerFiles, session_id: str) -> Path:
    """Return the file of a session's lock."""
    return files.sessions / f"{UUID(session_id)}.lock"
