"""Opening a ledger: whatever is wrong with its file or folder is said at once, and nothing is written before."""

import os
from functools import lru_cache
from pathlib import Path

from actionledger.core.errors import LedgerError, NotALedgerError
from actionledger.core.locks import FileLock
from actionledger.ledger.storage.connections import published
from actionledger.ledger.storage.files import LedgerFiles, one_sentence, wal_of
from actionledger.ledger.storage.hosts import claim
from actionledger.ledger.storage.publishing import publish
from actionledger.ledger.storage.schema import SCHEMA_VERSION
from actionledger.ledger.storage.versions import version_of_copy
from actionledger.ledger.storage.working_file import bring_up_to_date

_PATIENCE_SECONDS = 60.0
_MAGIC, _MAGIC_AT = b"DUCK", 8


def open_files(path: str | os.PathLike[str], *, read_only: bool) -> LedgerFiles:
    """Check a ledger's files and, where they may be written, make what is missing."""
    files = LedgerFiles.at(path)
    with one_sentence(f"The ledger {files.published} can't be opened"):
        if read_only:
            if not is_database(files.published):
                raise LedgerError(f"There is no ledger {files.published} to read.")
            return files
        version = _published_version(files)
        make_ready(files)
        if version < SCHEMA_VERSION:
            _make_newest(files)
    return files


def make_ready(files: LedgerFiles) -> None:
    """Make the folders that a writer needs."""
    _refuse_unwritable(files)
    files.refuse_links()
    files.make_folders()
    claim(files)


def _published_version(files: LedgerFiles) -> int:
    """Return the published copy's version of the schema, 0 where there is none."""
    path = files.published
    if not is_database(path):
        return 0
    status = path.stat()
    copy = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
    # What somebody wrote beside the copy may say another version.
    return _version_in_file(files) if wal_of(path).exists() else _version_of_copy(files, copy)


@lru_cache(maxsize=64)
def _version_of_copy(files: LedgerFiles, _copy: tuple[int, ...]) -> int:
    """Return the version of a copy that stays as it is: to begin a DuckDB is most of what opening a ledger takes."""
    return _version_in_file(files)


def _version_in_file(files: LedgerFiles) -> int:
    with published(files, may_write=False) as connection:
        return version_of_copy(connection, files.published)


def is_database(path: Path) -> bool:
    """Tell whether there is a file, which is DuckDB's then."""
    if not path.exists():
        return False
    if path.is_dir():
        raise NotALedgerError(f"{path} is a folder, not a ledger.")
    with path.open("rb") as file:
        # Asked first, since DuckDB looks for an extension on the network if the file is another system's database.
        if file.read(_MAGIC_AT + len(_MAGIC))[_MAGIC_AT:] != _MAGIC:
            raise NotALedgerError(
                f"{path} is no DuckDB database; give the path of a ledger or of a new file."
            )
    return True


def _refuse_unwritable(files: LedgerFiles) -> None:
    for folder in (_nearest_existing(files.published.parent), files.folder, files.segments):
        if folder.exists() and not os.access(folder, os.W_OK | os.X_OK):
            raise LedgerError(
                f"The folder {folder} can't be written to; a ledger there can only be read (in Python with read_only=True)."
            )


def _nearest_existing(folder: Path) -> Path:
    return next(candidate for candidate in (folder, *folder.parents) if candidate.exists())


def _make_newest(files: LedgerFiles) -> None:
    lock = FileLock(files.ingest_lock)
    if not lock.acquire(_PATIENCE_SECONDS):
        raise LedgerError(
            f"Somebody else has been making or migrating {files.published} for a minute; try again."
        )
    try:
        if _published_version(files) < SCHEMA_VERSION:  # nobody did it while we waited
            bring_up_to_date(files)
            publish(files)
    finally:
        lock.release()
