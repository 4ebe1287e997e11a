"""Facts from the published copy, as far as it can be read."""

from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from typing import Any

import duckdb
from duckdb import DuckDBPyConnection

from actionledger.core.errors import LedgerError
from actionledger.ledger.queries.skipped import COUNT_LEFT_OUT, REFUSED
from actionledger.ledger.storage.connections import (
    BASE,
    attach_published,
    cut_sentence,
    offsets_in,
    published,
)
from actionledger.ledger.storage.files import LedgerFiles, one_sentence
from actionledger.ledger.storage.lake.place import BlankLakeError, is_place
from actionledger.ledger.storage.local import store_at
from actionledger.ledger.storage.memory import reading_limit, within_reading_limit
from actionledger.ledger.storage.rollups.state import is_current
from actionledger.ledger.storage.segments import qualified_name
from actionledger.ledger.storage.working_file import is_database
from actionledger.ledger.upkeep.migrations import version_in

NEEDED_EXTENSIONS = ("icu", "json", "parquet")
"""The DuckDB extensions that this toolkit uses; DuckDB's own packages include them."""

_TOOLKIT = f"SELECT max(toolkit_version) FROM {BASE}.meta"

_QUARANTINE = f"""
SELECT regexp_extract(reason, '^[^:]*') AS reason, count(*) AS lines,
       count(*) FILTER (found_at > now() AT TIME ZONE 'UTC' - INTERVAL 7 DAYS) AS lately
FROM {BASE}.quarantine GROUP BY 1 ORDER BY lines DESC, reason"""

_LEFT_OUT = COUNT_LEFT_OUT.format(left_out=f"{BASE}.left_out")

_REFUSED = f"SELECT count(*) FROM {BASE}.events WHERE {REFUSED}"

_SUPERSEDED = f"SELECT count(*) FROM {BASE}.superseded"

_HAS_ROLLUP = f"SELECT count(*) FROM duckdb_tables() WHERE database_name = '{BASE}' AND starts_with(table_name, 'rollup_')"
_DRAWN = 2000
"""The maximum number of sessions that are counted again."""

_EXTENSIONS = "SELECT extension_name FROM duckdb_extensions() WHERE loaded"


@dataclass(frozen=True, slots=True)
class Unread:
    """Lines that can't be parsed, for one reason."""

    reason: str  # `cut off`, `bad JSON`, `unknown kind` or `bad field`
    lines: int  # the number of lines
    lately: int  # the number of lines found within the last week


@dataclass(frozen=True, slots=True)
class Rollup:
    """The state of the rollup, which holds sessions' precomputed totals."""

    is_relied_on: bool  # whether it is of the last link, so that readers use it instead of the rows
    drawn: int = 0  # how many sessions were counted again
    faults: tuple[str, ...] = ()  # its differences from the rows, a sentence each


@dataclass(frozen=True, slots=True)
class Records:
    """Facts from the published copy."""

    problem: str = ""  # why it can't be read, in a sentence; empty if it can
    is_blank: bool = False  # whether that is because the lake does not exist yet
    version: int | None = None  # its schema version; None if unreadable
    toolkit: str = ""  # the version of the toolkit that created or migrated it
    # the bytes that it holds of each segment, by name
    offsets: Mapping[str, int] = field(default_factory=dict)
    unread: tuple[Unread, ...] = ()  # the lines that can't be parsed
    left_out: int = 0  # how many things imports skipped
    left_out_files: int = 0  # how many files they were in
    refused: int = 0  # how many lines, files and turns imports refused
    superseded: int = 0  # how many responses were replaced by another one
    extensions: frozenset[str] = frozenset()  # the loaded DuckDB extensions
    rollup: Rollup | None = None  # the state of its rollup; None if it has none


def read_records(files: LedgerFiles) -> Records:
    """Return the facts from the published copy, whatever is wrong with it."""
    try:
        with one_sentence(f"DuckDB can't open {files.published}"):
            if is_place(files.published):
                return _of_lake(files)
            if not is_database(files.published):
                return Records(f"There is no file {files.published}.")
            with published(files, may_write=False) as connection:
                if cut := cut_sentence(connection, files):
                    return Records(cut)
                records = _read(connection, files)
                has_rollup = connection.execute(_HAS_ROLLUP).fetchone() != (0,)
            return replace(records, rollup=_rollup(files) if has_rollup else None)
    except LedgerError as error:
        return Records(str(error), is_blank=isinstance(error, BlankLakeError))


def _rollup(files: LedgerFiles) -> Rollup:
    """Return the state of the published copy's rollup, over a connection of its own, since it needs temporary tables."""
    from actionledger.ledger.upkeep.rollups import faults_of_sample  # noqa: PLC0415 - it imports all queries

    with (
        within_reading_limit(),
        closing(duckdb.connect(config={"memory_limit": reading_limit()})) as connection,
    ):
        attach_published(connection, files, may_write=False)
        if not is_current(connection, BASE):
            return Rollup(is_relied_on=False)
        connection.execute(f"USE {BASE}")
        faults, drawn = faults_of_sample(connection, _DRAWN)
        return Rollup(is_relied_on=True, drawn=drawn, faults=tuple(faults))


def _of_lake(files: LedgerFiles) -> Records:
    """Return the facts from a lake, with its offsets of this host's segments."""
    store = store_at(files.published, read_only=True)
    with closing(store), closing(store.connect(may_write=False).connection) as connection:
        records = _read(connection, files)
    prefix = qualified_name(store.host, "")
    ours = {
        name.removeprefix(prefix): end for name, end in records.offsets.items() if name.startswith(prefix)
    }
    return replace(records, offsets=ours)


def _read(connection: DuckDBPyConnection, files: LedgerFiles) -> Records:
    version = version_in(connection, BASE)
    if version is None:
        return Records(
            f"{files.published} is a DuckDB database, but no ledger: it has no table meta with a version."
        )
    offsets: dict[str, int] = {}
    with suppress(duckdb.Error):
        offsets = offsets_in(connection, BASE)
    [[toolkit]] = _rows(connection, _TOOLKIT) or [("",)]
    [[refused]] = _rows(connection, _REFUSED) or [(0,)]
    [[superseded]] = _rows(connection, _SUPERSEDED) or [(0,)]
    [[left_out, of_files]] = _rows(connection, _LEFT_OUT) or [(0, 0)]
    return Records(
        version=version,
        toolkit=str(toolkit or ""),
        offsets=offsets,
        unread=tuple(Unread(*row) for row in _rows(connection, _QUARANTINE)),
        left_out=left_out,
        left_out_files=of_files,
        refused=refused,
        superseded=superseded,
        extensions=frozenset(name for (name,) in _rows(connection, _EXTENSIONS)),
    )


def _rows(connection: DuckDBPyConnection, query: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query; empty if it fails, since a ledger of another version may lack the table."""
    with suppress(duckdb.Error):
        return connection.execute(query).fetchall()
    return []
