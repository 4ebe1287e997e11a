"""Whether a ledger holds what was taken in, wherever its tables lie."""

import os

from actionledger.ledger.storage.files import LedgerFiles
from actionledger.ledger.storage.lake.place import is_place
from actionledger.ledger.storage.places import store_at
from actionledger.ledger.upkeep.proofs.file import verify_file
from actionledger.ledger.upkeep.proofs.heads import heads_in
from actionledger.ledger.upkeep.proofs.report import Verification


def verify(path: str | os.PathLike[str], *, since: str = "") -> Verification:
    """Look whether a ledger holds what was taken in; nothing of it is changed.

    Args:
        path: its published file, or the file that says where its lake is.
        since: what was kept elsewhere, as ``Verification.head`` was written then; empty for none.

    Returns:
        What is not as it was, and what can't be told.

    Raises:
        UsageError: ``since`` is no head.
        NotALedgerError: there is something else.
        NewerLedgerError: the ledger was written by a newer version of the toolkit.
        LedgerError: there is no ledger, or it can't be read.
    """
    kept = heads_in(since)
    files = LedgerFiles.at(path)
    if is_place(files.published):
        return store_at(path, read_only=True).verify(kept)
    # One that nothing else can open is looked at, too.
    return verify_file(files, kept)
