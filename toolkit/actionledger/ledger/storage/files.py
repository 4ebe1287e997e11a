"""Where the parts of a ledger lie on disk.

    NAME.duckdb               the published copy: at any time a complete, ordinary DuckDB database
    NAME.duckdb.d/            what writers and the ingester need; nobody else's business
        store.duckdb          the ingester's working file
        spare.duckdb          the published copy before the last, where the next one is made of it
        differences.json      in which pieces the working file and its copies differ
        segments/W.NNNNNN.jsonl   what writer W recorded, a line an event, appended to and never changed
        ingest.lock           whoever holds it is the ingester; when it was changed last, a copy was published
        host                  which host writes, on a network file system
        decisions.lock        whoever holds it may decide about approvals
        sessions/S.lock       whoever holds it works on session S
        effects/              what actions have changed in their workspaces, so that it can be undone
        manifests/            what sessions' workspaces held, so that they can be run again
        taken.json            which files were taken in whole
        held/                 spans that receivers have taken, until their traces are recorded
        forgetting.json       which sessions are being forgotten, until nothing of them is left; forgetting.lock is whoever's who asks for it
        unpublished           is there while the working file holds what came in directly, and the published copy lacks it
        saved-KIND.json       what people keep under a name: queries, views of a list; saved.lock is whoever's who changes them
        places/S              the place that the next turn of session S has, where a program records its turns
        rates.json            how often actions ran lately, for sessions that share their limits
        loops.json            in which sessions which loops were found, and what says whether they have changed since
        committed             of a ledger in a lake: says when this host last committed; making.lock is whoever's who makes it
        heads                 of a ledger in a lake: how far the chains of this host's commits have come; committing is there until that is kept
        shipped.json          of a ledger in a lake with a committer: how far each segment was shipped; committer.lock is the committer's
        tmp-…                 made by whoever holds the ingest lock, or by a reader for a moment

POSIX only: writers and ingester find out about each other through ``flock``.
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
"""How the names of temporary files in a ledger's folder begin."""

_INTERRUPTED = "Query interrupted"
"""What DuckDB says where Ctrl-C comes in the middle of a statement: Python's own exception is gone by then."""

_ORIGINAL = "Original error: "
"""What DuckDB says before the cause, where it goes on about what it has made of it."""


@dataclass(frozen=True, slots=True)
class LedgerFiles:
    """The paths of one ledger.

    Args:
        published: the published copy, absolute and without symbolic links.
    """

    published: Path

    @classmethod
    def at(cls, path: str | os.PathLike[str]) -> Self:
        """Return the files of the ledger that people call ``path``.

        Raises:
            LedgerError: DuckDB could not open it by that name, or it is a link that leads to itself.
        """
        try:
            resolved = Path(path).resolve()
        except (RuntimeError, OSError) as error:  # which of the two, Python 3.13 has changed
            raise LedgerError(f"The ledger's path {os.fspath(path)} leads nowhere: {error}.") from error
        try:
            str(resolved).encode()
        except UnicodeEncodeError as error:
            raise LedgerError(
                f"The ledger's path {str(resolved)!a} is not UTF-8, and DuckDB opens no other; rename what is in it."
            ) from error
        return cls(resolved)

    def state_of_copy(self) -> tuple[int, ...] | None:
        """Return what tells one published copy from another; None where there is none."""
        try:
            status = self.published.stat()
        except FileNotFoundError:
            return None
        return status.st_ino, status.st_mtime_ns, status.st_size

    @property
    def folder(self) -> Path:
        """The folder beside the published copy."""
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
        """The copy that is made right now."""
        return self.folder / f"{TEMPORARY}published.duckdb"

    @property
    def differences(self) -> Path:
        """The file of the pieces in which the working file and its copies differ."""
        return self.folder / "differences.json"

    @property
    def segments(self) -> Path:
        """The folder of what writers recorded."""
        return self.folder / "segments"

    @property
    def ingest_lock(self) -> Path:
        """The file whose lock elects the ingester; it was changed when a copy was published last."""
        return self.folder / "ingest.lock"

    @property
    def host(self) -> Path:
        """The file that says which host writes, where several could."""
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
        """The folder of the journals of what actions have changed."""
        return self.folder / "effects"

    @property
    def manifests(self) -> Path:
        """The folder of what sessions' workspaces held at their start and after each action."""
        return self.folder / "manifests"

    @property
    def held(self) -> Path:
        """The folder of what was taken and can't be recorded before more has come."""
        return self.folder / "held"

    @property
    def places(self) -> Path:
        """The folder of the places that the next turns of sessions have which programs record."""
        return self.folder / "places"

    @property
    def rates(self) -> Path:
        """The file of what ran lately, for limits that sessions share."""
        return self.folder / "rates.json"

    @property
    def loops(self) -> Path:
        """The file of the loops that were found."""
        return self.folder / "loops.json"

    @property
    def taken_files(self) -> Path:
        """The file of which files were taken in whole."""
        return self.folder / "taken.json"

    @property
    def forgetting(self) -> Path:
        """The file of the sessions that are being forgotten; it is there until nothing of them is left."""
        return self.folder / "forgetting.json"

    @property
    def making_lock(self) -> Path:
        """The file whose lock lets one process at a time make a blank lake a ledger."""
        return self.folder / "making.lock"

    @property
    def heads(self) -> Path:
        """The file of how far the chains have come that this host has in a lake, the last line of the one that it goes on with."""
        return self.folder / "heads"

    @property
    def committing(self) -> Path:
        """The file that is there while a host commits to a lake, until it has kept how far its chain has come."""
        return self.folder / "committing"

    @property
    def forgetting_lock(self) -> Path:
        """The file whose lock lets one process at a time say what is to be forgotten."""
        return self.folder / "forgetting.lock"

    @property
    def unpublished(self) -> Path:
        """The file that is there while the published copy lacks something that was put into the working file directly."""
        return self.folder / "unpublished"

    def make_folders(self) -> None:
        """Create the folders that a writer needs; the ledger's own are for its owner only."""
        for folder in (self.segments, self.sessions):
            make_private_folders(folder)

    def refuse_links(self) -> None:
        """Raise where a symbolic link stands for one of the ledger's own parts: what is written must not end up elsewhere.

        Raises:
            LedgerError: one does; it names the link.
        """
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
        """Remove what a killed ingester left behind; the caller holds the ingest lock."""
        for leftover in self.folder.glob(f"{TEMPORARY}*"):
            if leftover.is_dir():
                shutil.rmtree(leftover)
            else:
                leftover.unlink(missing_ok=True)


def make_private_folders(folder: Path) -> None:
    """Create a folder of a ledger's own and what it lies in, where they don't exist."""
    folder.parent.parent.mkdir(parents=True, exist_ok=True)
    for each in (folder.parent, folder):
        each.mkdir(mode=0o700, exist_ok=True)


def remove_folder(folder: Path) -> None:
    """Remove a folder with all that is in it, if it is there.

    Raises:
        LedgerError: something in it can't be removed.
    """
    with one_sentence(f"The folder {folder} can't be removed"), suppress(FileNotFoundError):
        shutil.rmtree(folder)


def wal_of(database: Path) -> Path:
    """Return where DuckDB keeps what is not yet in the database file itself."""
    return Path(f"{database}.wal")


def sync_to_disk(path: Path) -> None:
    """Make a file's content, or a folder's entries, survive a power loss."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def one_sentence(what: str) -> Iterator[None]:
    """Turn what the system or DuckDB raises into a ``LedgerError`` that says what could not be done.

    Args:
        what: the beginning of the sentence: ``The ledger … can't be opened``.

    Raises:
        LedgerError: see above.
        KeyboardInterrupt: it came in the middle of a statement.
    """
    try:
        yield
    except RuntimeError as error:
        if str(error) == _INTERRUPTED:
            raise KeyboardInterrupt from error
        raise
    except Exception as error:
        from duckdb import Error  # noqa: PLC0415 - slow to load, and it is loaded where it has raised

        if not isinstance(error, OSError | Error):
            raise
        cause = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        *_, cause = cause.rpartition(_ORIGINAL)
        lines = cause.strip('"').splitlines() or [type(error).__name__]
        raise LedgerError(f"{what}: {lines[0].rstrip('.!')}.") from error


def forgetting_sentence(files: LedgerFiles) -> AbstractContextManager[None]:
    """Say that it is the forgetting that can't be done, whoever goes on with it: it comes before whatever else they are at.

    Args:
        files: the ledger's files.
    """
    return one_sentence(
        f"The ledger {files.published} can't forget what it was asked to, which comes before anything else that is written to it"
    )
