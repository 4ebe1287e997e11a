"""What stands in the place of a ledger's own files and folders and can't be used as such."""

from actionledger.core.errors import NotALedgerError
from actionledger.ledger.storage.files import LedgerFiles
from actionledger.ledger.storage.opening import is_database


def unusable(files: LedgerFiles) -> str:
    """Return what can't be what it should be, in a sentence; empty where all can."""
    for folder in (files.folder, files.segments, files.sessions, files.effects, files.manifests):
        if folder.exists() and not folder.is_dir():
            return f"{folder} is a file, where the ledger has a folder."
    locks = (files.ingest_lock, files.decisions_lock)
    for file in (
        files.store,
        *locks,
        files.unpublished,
        files.rates,
        files.taken_files,
        files.differences,
    ):
        if file.is_dir():
            return f"{file} is a folder, where the ledger has a file."
    try:
        is_database(files.store)
    except NotALedgerError:
        return f"The working file {files.store} is no DuckDB database."
    except OSError:
        pass  # another user's, and theirs to judge
    return ""
