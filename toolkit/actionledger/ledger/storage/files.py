"""The paths of a ledger's files.

    NAME.duckdb               the published copy: at any time a complete, ordinary DuckDB database
    NAME.duckdb.d/            internal files of writers and the ingester
        store.duckdb          the ingester's working file
        spare.duckdb          the published copy before the last, if the next one is made from it
        differences.json      the pieces in which the working file and its copies differ
        segments/W.NNNNNN.jsonl   writer W's events, one a line, append-only
        ingest.lock           its holder is the ingester; its modification time is that of the last publication
        host                  the host that writes, on a network file system
        decisions.lock        its holder may decide about approvals
        sessions/S.lock       its holder works on session S
        effects/              the changes of actions in their workspaces, for undoing them
        manifests/            the contents of sessions' workspaces, for running them again
        taken.json            the files that were imported whole
        held/                 spans that receivers have taken, until their traces are recorded
        forgetting.json       the sessions being erased, until nothing of them is left; forgetting.lock is held to request an erasure
        unpublished           exists while the published copy lacks directly ingested rows of the working file
        saved-KIND.json       what people saved under a name: queries, views of a list; saved.lock is held to change them
        places/S              the index of the next turn of session S, if a program records its turns
        rates.json            how often actions ran recently, for sessions that share their limits
        loops.json            the loops found in sessions, with the sessions' state then
        committed             in a lake: when this host last committed; making.lock is held to create the lake
        heads                 in a lake: the heads of this host's chains; committing exists until a new head is saved
        shipped.json          in a lake with a committer: how many bytes of each segment were shipped; committer.lock is the committer's
        tmp-…                 temporary files of the ingest lock's holder, or of a reader for a moment

POSIX only: writers and ingester detect each other through ``flock``.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from actionledger.core.errors import LedgerError

TEMPORARY = "tmp-"
"""The prefix of temporary files' names in a ledger's folder."""

_INTERRUPTED = "Query interrupted"
"""DuckDB's error when Ctrl-C interrupts a statement; Python's own exception is lost by then."""

_ORIGINAL = "Original error: "
"""The text before the cause in a DuckDB error that wraps another one."""


@dataclass(frozen=True, slots=True)
class LedgerFiles:
    """The paths of one ledger."""

    published: Path  # the published copy, absolute and without symbolic links

    @classmethod
    def at(cls, path: str | os.PathLike[str]) -> Self:
        try:
            resolved = Path(path).resolve()
        except (RuntimeError, OSError) as error:  # Python 3.13 changed which of the two is raised
            raise LedgerError(f"The ledger's path {os.fspath(path)} leads nowhere: {error}.") from error
        try:
            str(resolved).encode()
        except UnicodeEncodeError as error:
            raise LedgerError(
                f"The ledger's path {str(resolved)!a} is not UTF-8, and DuckDB opens no other; rename what is in it."
            ) from error
        return cls(resolved)

    def state_of_copy(self) -> tuple[int, ...] | None:
        """Return values that identify a published copy; None if there is none."""
        try:
            status = self.published.stat()
        except FileNotFoundError:
            return None
        return status.st_ino, status.st_mtime_ns, status.st_size

    @property
    def folder(self) -> Path:
        """The folder next to the published copy."""
        return Path(f"{self.published}.d")

    @property
    def store(self) -> Path:
        """The ingester's working file."""
        return self.folder / "store.duckdb"

    @property
    def spare(self) -> Path:
        """The published copy before the last."""
        return self.folder / "spare.duckdb"

    @property
    def being_published(self) -> Path:
        """The copy that is being made."""
        return self.folder / f"{TEMPORARY}published.duckdb"

    @property
    def differences(self) -> Path:
        """The file with the pieces in which the working file and its copies differ."""
        return self.folder / "differences.json"

    @property
    def segments(self) -> Path:
        """The folder of the writers' segments."""
        return self.folder / "segments"

    @property
    def ingest_lock(self) -> Path:
        """The file whose lock elects the ingester; its modification time is that of the last publication."""
        return self.folder / "ingest.lock"

    @property
    def host(self) -> Path:
        """The file that names the host that writes, on a network file system."""
        return self.folder / "host"

    @property
    def decisions_lock(self) -> Path:
        """The file whose lock lets one process at a time decide about approvals."""
        return self.folder / "decisions.lock"

    @property
    def sessions(self) -> Path:
        """The folder of the locks of sessions."""
        return self.folder / "sessions"

    @property
    def effects(self) -> Path:
        """The folder of the journals of actions' changes."""
        return self.folder / "effects"

    @property
    def manifests(self) -> Path:
        """The folder of the contents of sessions' workspaces at their start and after each action."""
        return self.folder / "manifests"

    @property
    def held(self) -> Path:
        """The folder of spans that can't be recorded before more of their trace arrives."""
        return self.folder / "held"

    @property
    def places(self) -> Path:
        """The folder of the next turn's index of each session that a program records."""
        return self.folder / "places"

    @property
    def rates(self) -> Path:
        """The file of recent actions, for limits that sessions share."""
        return self.folder / "rates.json"

    @property
    def loops(self) -> Path:
        """The file of found loops."""
        return self.folder / "loops.json"

    @property
    def taken_files(self) -> Path:
        """The file that lists the files that were imported whole."""
        return self.folder / "taken.json"

    @property
    def forgetting(self) -> Path:
        """The file of the sessions being erased; it exists until nothing of them is left."""
        return self.folder / "forgetting.json"

    @property
    def making_lock(self) -> Path:
        """The file whose lock lets one process at a time turn a blank lake into a ledger."""
        return self.folder / "making.lock"

    @property
    def heads(self) -> Path:
        """The file of the heads of this host's chains in a lake; the last line is of the chain that it continues."""
        return self.folder / "heads"

    @property
    def committing(self) -> Path:
        """The file that exists while a host commits to a lake, until the new head is saved."""
        return self.folder / "committing"

    @property
    def forgetting_lock(self) -> Path:
        """The file whose lock lets one process at a time request an erasure."""
        return self.folder / "forgetting.lock"

    @property
    def unpublished(self) -> Path:
        """The file that exists while the published copy lacks directly ingested rows of the working file."""
        return self.folder / "unpublished"

    def make_folders(self) -> None:
        """Create the folders that a writer needs; only their owner can access them."""
        for folder in (self.segments, self.sessions):
            make_private_folders(folder)

    def refuse_links(self) -> None:
        """Raise if one of the ledger's own parts is a symbolic link, since data could then be written elsewhere."""
        parts = (
            self.folder,
            self.store,
            wal_of(self.store),
            self.spare,
            self.differences,
            self.segments,
            self.ingest_lock,
            self.host,
            self.decisions_lock,
            self.sessions,
            self.effects,
            self.manifests,
            self.held,
            self.places,
            self.rates,
            self.loops,
            self.taken_files,
            self.forgetting,
            self.forgetting_lock,
            self.heads,
            self.committing,
            self.unpublished,
        )
        for part in parts:
            if part.is_symlink():
                raise LedgerError(
                    f"{part} is a symbolic link; a ledger's own files and folders must not be links: put what it points to in its "
                    "place, or open another ledger."
                )

    def remove_leftovers(self) -> None:
        """Remove a killed ingester's temporary files; the caller holds the ingest lock."""
        for leftover in self.folder.glob(f"{TEMPORARY}*"):
            if leftover.is_dir():
                shutil.rmtree(leftover)
            else:
                leftover.unlink(missing_ok=True)


def make_private_folders(folder: Path) -> None:
    """Create a private folder of a ledger and its parents if they don't exist."""
    folder.parent.parent.mkdir(parents=True, exist_ok=True)
    for each in (folder.parent, folder):
        each.mkdir(mode=0o700, exist_ok=True)


def remove_folder(folder: Path) -> None:
    """Remove a folder with all its contents, if it exists."""
    with one_sentence(f"The folder {folder} can't be removed"), suppress(FileNotFoundError):
        shutil.rmtree(folder)


def wal_of(database: Path) -> Path:
    """Return the path of a database's write-ahead log."""
    return Path(f"{database}.wal")


def remove_database(database: Path) -> None:
    """Remove a database and its write-ahead log, if they exist."""
    for path in (database, wal_of(database)):
        path.unlink(missing_ok=True)


def sync_to_disk(path: Path) -> None:
    """Make a file's content, or a folder's entries, survive a power loss."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def one_sentence(what: str) -> Iterator[None]:
    """Turn an error of the system or of DuckDB into a ``LedgerError`` that begins with ``what``: ``The ledger … can't be opened``."""
    try:
        yield
    except RuntimeError as error:
        if str(error) == _INTERRUPTED:
            raise KeyboardInterrupt from error
        raise
    except Exception as error:
        from duckdb import Error  # noqa: PLC0415 - slow to load, and already loaded if it raised

        if not isinstance(error, OSError | Error):
            raise
        cause = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        *_, cause = cause.rpartition(_ORIGINAL)
        lines = cause.strip('"').splitlines() or [type(error).__name__]
        raise LedgerError(f"{what}: {lines[0].rstrip('.!')}.") from error


def forgetting_sentence(files: LedgerFiles) -> AbstractContextManager[None]:
    """Turn errors into a sentence about the erasure: any writer resumes it first, whatever it was doing."""
    return one_sentence(
        f"The ledger {files.published} can't forget what it was asked to, which comes before anything else that is written to it"
    )
