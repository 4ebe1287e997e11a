"""A blank ledger as a file: made once, and cached for the user's next process that creates a ledger."""

import zlib
from functools import cache
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from actionledger._version import __version__
from actionledger.core.files import cached, keep_cached
from actionledger.ledger.storage.comments import comment_on_everything, meanings
from actionledger.ledger.storage.connections import ROW_GROUP_ROWS, STORAGE_VERSION, store
from actionledger.ledger.storage.schema import BOOKKEEPING, SCHEMA_VERSION, TABLES, VIEWS
from actionledger.ledger.upkeep.migrations import make_ledger

_NAME = "blank-ledger"


@cache
def blank() -> bytes:
    """Return a ledger that holds nothing, as a file.

    Making it takes 110 ms of processor time, 60 of it for comments: more than the rest of opening a new ledger.
    """
    key = _key()
    kept = _kept(key)
    if kept is None:
        kept = _made()
        keep_cached(_NAME, key, zlib.compress(kept))
    return kept


def _key() -> bytes:
    """Return a key of everything that a blank ledger depends on."""
    made_of = (
        *(table.ddl for table in TABLES),
        *BOOKKEEPING,
        *(f"{name} {select}" for name, select in VIEWS.items()),
        *meanings(),
    )
    made_by = (__version__, duckdb.__version__, STORAGE_VERSION, ROW_GROUP_ROWS, SCHEMA_VERSION)
    return blake2b("\0".join(map(str, (*made_by, *made_of))).encode()).digest()


def _kept(key: bytes) -> bytes | None:
    """Return the cached bytes; None if missing or damaged."""
    kept = cached(_NAME, key)
    try:
        return None if kept is None else zlib.decompress(kept)
    except zlib.error:
        return None


def _made() -> bytes:
    with TemporaryDirectory(prefix="actionledger-blank-") as folder:
        path = Path(folder, "blank.duckdb")
        with store(path) as connection:
            make_ledger(connection)
            comment_on_everything(connection)
            connection.execute("CHECKPOINT")
        return path.read_bytes()
