"""Which place a ledger's name means, opened."""

import os
from pathlib import Path

from actionledger.core.errors import UsageError
from actionledger.core.extras import require
from actionledger.ledger.storage.files import LedgerFiles, one_sentence
from actionledger.ledger.storage.lake.place import LakePlace, is_place
from actionledger.ledger.storage.local import LocalStore
from actionledger.ledger.storage.opening import make_ready, open_files
from actionledger.ledger.storage.store import AsOf, Store


def store_at(path: str | os.PathLike[str], *, read_only: bool, as_of: AsOf | None = None) -> Store:
    """Open the store that a path means, by the ending of its name.

    Args:
        path: of the published copy of a ledger in one file, or of the file that says where a lake is.
        read_only: whether nothing may be written.
        as_of: the state of a lake to be read; None for the newest.

    Raises:
        UsageError: a state of the past is asked of a ledger in one file, or the path is DuckLake's own name of a lake.
        LedgerError: see ``open_ledger``.
    """
    if os.fspath(path).startswith("ducklake:"):
        raise UsageError(
            f"A lake is opened by a small file that says where it is: write metadata_path = {os.fspath(path)[9:]!r} and data_path = "
            "'…' below a line [ducklake] into NAME.toml, and open that."
        )
    if is_place(Path(path)):
        return _lake_at(path, read_only=read_only or as_of is not None, as_of=as_of)
    if as_of is not None:
        raise UsageError(
            f"{path} is one file, which keeps no past: only a ledger in a lake has states to go back to."
        )
    return LocalStore(open_files(path, read_only=read_only))


def _lake_at(path: str | os.PathLike[str], *, read_only: bool, as_of: AsOf | None) -> Store:
    require("A ledger in a lake", "lake", "tenacity")
    from actionledger.ledger.storage.lake.store import LakeStore  # noqa: PLC0415 - of an extra

    files = LedgerFiles.at(path)
    place = LakePlace.read(files.published)
    with one_sentence(f"The ledger {files.published} can't be opened"):
        if not read_only:
            make_ready(files)
        store = LakeStore(place, as_of=as_of)
        if read_only:
            store.check()
        else:
            store.make()
    return store
