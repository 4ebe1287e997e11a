"""The tables of a lake: those of ``schema.py``, without what DuckLake doesn't support.

A commit is tried again if another host's was first.
"""

import logging
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import duckdb
from duckdb import DuckDBPyConnection

from actionledger._version import __version__
from actionledger.core.errors import LedgerError, NotALedgerError, UsageError
from actionledger.core.ids import now
from actionledger.ledger.storage.chain import SPAN, Chain, Head, begin
from actionledger.ledger.storage.comments import comment_on_everything
from actionledger.ledger.storage.connections import BASE, transaction
from actionledger.ledger.storage.files import TEMPORARY, LedgerFiles
from actionledger.ledger.storage.lake.place import LakePlace
from actionledger.ledger.storage.schema import BOOKKEEPING, LINK, PROVEN_SINCE, SCHEMA_VERSION, TABLES, VIEWS
from actionledger.ledger.storage.stored import seal
from actionledger.ledger.upkeep.migrations import refuse_newer, version_in
from actionledger.ledger.upkeep.proofs.report import heads_in

if TYPE_CHECKING:
    from tenacity import AttemptManager, RetryCallState

_log = logging.getLogger(__name__)

_PATIENCE_SECONDS = 120.0
_CONFLICTS = ("conflict", "database is locked", "could not serialize", "deadlock")


def claim(connection: DuckDBPyConnection) -> None:
    """Make this transaction conflict with any other one that claims something."""
    connection.execute("UPDATE meta SET toolkit_version = toolkit_version")


def tried_again(
    on: Callable[[BaseException], bool] | None = None, *, seconds: float = _PATIENCE_SECONDS
) -> "Iterable[AttemptManager]":
    """Return the attempts at something that may conflict with another host's commit, for a few minutes."""
    import tenacity  # noqa: PLC0415 - slow to load, and a reader commits nothing

    return tenacity.Retrying(
        retry=tenacity.retry_if_exception(on or is_conflict),
        stop=tenacity.stop_after_delay(seconds),
        wait=tenacity.wait_random_exponential(multiplier=0.2, max=5.0),
        before_sleep=_note_retry,
        reraise=True,
    )


def _note_retry(attempt: "RetryCallState") -> None:
    # For debugging only: that hosts wait for each other is normal, and the error's text may be long.
    _log.debug("Another host was first; this is attempt %d.", attempt.attempt_number)


def is_conflict(error: BaseException) -> bool:
    """Return whether another host was in the way, so that another attempt may succeed."""
    said = str(error).lower()
    return isinstance(error, duckdb.Error) and any(words in said for words in _CONFLICTS)


_OPTIONS = {
    "parquet_compression": "zstd",
    # Small inserts kept in the catalog must be written out later, by a process that then blocks all others.
    "data_inlining_row_limit": "0",
}

_NOT_MADE = "creating a new DuckLake is explicitly disabled"
"""DuckLake's error for a database that is not a catalog."""

_LINK_TYPE = "BIGINT"


def make_tables(connection: DuckDBPyConnection, place: LakePlace) -> None:
    """Turn a blank lake into a ledger; if two processes do so at once, they make one."""
    if version_in(connection, BASE) is None:
        has_tables = connection.execute(
            "SELECT 1 FROM duckdb_tables() WHERE database_name = ?", [BASE]
        ).fetchall()
        # Another process may have created them in between.
        if has_tables and version_in(connection, BASE) is None:
            raise NotALedgerError(
                f"The lake of {place.path} holds other tables, and is not a ledger: it has no table meta with a version."
            )
        try:
            if not has_tables:
                _make(connection)
        except (duckdb.TransactionException, duckdb.CatalogException):
            if version_in(connection, BASE) is None:
                raise
    refuse_other_versions(connection, place)
    _bring_up_to_date(connection)
    _begin_chain(connection)


def _bring_up_to_date(connection: DuckDBPyConnection) -> None:
    """Add the tables that an older lake lacks, and record the current version in it."""
    if (version_in(connection, BASE) or 0) >= SCHEMA_VERSION:
        return
    cursor = connection.cursor()
    cursor.execute(f"USE {BASE}")
    with (
        suppress(duckdb.TransactionException, duckdb.CatalogException),
        transaction(cursor),
    ):  # another host does the same
        for table in TABLES:
            cursor.execute(_plain(table.ddl).replace("CREATE TABLE", "CREATE TABLE IF NOT EXISTS", 1))
        for name, select in VIEWS.items():
            cursor.execute(f"CREATE OR REPLACE VIEW {name} AS {select}")
        cursor.execute(
            "UPDATE meta SET schema_version = ?, toolkit_version = ?", [SCHEMA_VERSION, __version__]
        )


def refuse_other_versions(connection: DuckDBPyConnection, place: LakePlace) -> int:
    """Return the version of the attached lake; raise if this toolkit can't read it."""
    version = version_in(connection, BASE)
    if version is None:
        raise NotALedgerError(
            f"The lake of {place.path} is not a ledger: it has no table meta with a version. Opened for writing, a blank one becomes one."
        )
    refuse_newer(version, SCHEMA_VERSION)
    if version < PROVEN_SINCE:
        raise LedgerError(
            f"The lake of {place.path} has version {version} of the schema, this toolkit needs {SCHEMA_VERSION}: with the toolkit that "
            "made it, 'actionledger migrate' it to a file; that file is brought up to date where it is opened, and migrated to a new lake."
        )
    return version


def is_blank(place: LakePlace, error: Exception) -> bool:
    """Return whether a lake can't be read because it doesn't exist yet."""
    if place.catalog_file is not None and not place.catalog_file.exists():
        return place.data_folder is None or not any(place.data_folder.glob("*"))
    return _NOT_MADE in str(error)


def create_everything(connection: DuckDBPyConnection) -> None:
    """Create all tables and views of ``schema.py`` in a lake's form."""
    tables = (_plain(ddl) for ddl in (*(table.ddl for table in TABLES), *BOOKKEEPING))
    views = (f"CREATE VIEW {name} AS {select}" for name, select in VIEWS.items())
    connection.execute(";".join((*tables, *views)))


def _make(connection: DuckDBPyConnection) -> None:
    cursor = connection.cursor()
    cursor.execute(f"USE {BASE}")
    for name, value in _OPTIONS.items():
        cursor.execute(f"CALL {BASE}.set_option('{name}', '{value}')").fetchall()
    with transaction(cursor):
        create_everything(cursor)
        cursor.execute("INSERT INTO meta VALUES (?, ?, ?)", [SCHEMA_VERSION, now(), __version__])
        begin(cursor)
    comment_on_everything(cursor, columns_of_views=False)


def is_older_than_chains(connection: DuckDBPyConnection, catalog: str | None = None) -> bool:
    """Return whether a lake was made before lakes had chains: its links then have a file's column type."""
    table = f"{catalog}.links" if catalog else "links"
    # DESCRIBE reads the type alone, and no file.
    [(_, kind, *_)] = connection.execute(f"DESCRIBE SELECT link FROM {table}").fetchall()
    return str(kind) != _LINK_TYPE


def _begin_chain(connection: DuckDBPyConnection) -> None:
    """Begin the first chain of a lake from before lakes had chains, with the rows that are there."""
    cursor = connection.cursor()
    cursor.execute(f"USE {BASE}")
    if not is_older_than_chains(cursor):
        return
    asked = (
        "SELECT table_name, column_name FROM duckdb_columns() WHERE database_name = ? AND data_type = 'INTEGER' "
        "AND (column_name = ? OR table_name = 'withdrawn')"
    )
    with transaction(cursor):
        for table, column in cursor.execute(asked, [BASE, LINK]).fetchall():
            cursor.execute(f"ALTER TABLE {table} ALTER COLUMN {column} TYPE {_LINK_TYPE}")
        seal(cursor)


def _plain(ddl: str) -> str:
    """Return a statement without what DuckLake does itself or doesn't support, and with a type for links of many hosts."""
    plain = ddl.replace(" USING COMPRESSION zstd", "").replace(" PRIMARY KEY", "")
    return re.sub(rf'\b({LINK}"?|by_link) INTEGER', rf"\1 {_LINK_TYPE}", plain)


class OwnChain:
    """The chain that one host's commits continue; for the holder of the ingest lock."""

    def __init__(self, place: LakePlace, files: LedgerFiles) -> None:
        self._place = place
        self._files = files
        self._left: Head | None = None

    @contextmanager
    def continuing_chain(self, connection: DuckDBPyConnection) -> Iterator[Chain]:
        """Give the chain for some commits; save its head at the end."""
        kept = committed_heads(self._files)
        chain = self._found(connection, kept)
        if chain is None:
            chain = Chain(connection, _begun(connection, self._place))
            kept = (*kept, chain.head)
            _keep(self._files, kept)  # even if the commit fails, the next one continues this chain
        self._files.committing.touch(mode=0o600)
        yield chain
        if chain.head != kept[-1]:
            _keep(self._files, (*kept[:-1], chain.head))
        self._files.committing.unlink(missing_ok=True)
        self._left = chain.head

    def _found(self, connection: DuckDBPyConnection, kept: tuple[Head, ...]) -> Chain | None:
        """Return the chain of the last saved head; None if there is none, or if the lake has another chain in its place."""
        if not kept:
            return None
        if kept[-1] == self._left and not self._files.committing.exists():
            # This host has not committed since, so that the lake needs no query.
            return Chain(connection, self._left)
        return _in_lake(connection, kept[-1])


def committed_heads(files: LedgerFiles) -> tuple[Head, ...]:
    """Return the saved heads of this host's chains; the last is of the chain that it continues.

    A host that was killed right after a commit still has the previous head; no saved head is ahead of the lake.
    """
    try:
        return heads_in(files.heads.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, UsageError) as error:
        raise LedgerError(
            f"{files.heads} says how far this host's chain has come, and can't be read ({error}): remove it, and the host begins another chain."
        ) from error


def _in_lake(connection: DuckDBPyConnection, kept: Head) -> Chain | None:
    """Return the chain of a saved head with its current head; None if the lake doesn't have the saved one."""
    end = (kept.link // SPAN + 1) * SPAN
    found = connection.execute(
        f"SELECT link, head FROM links WHERE link >= {kept.link} AND link < {end} ORDER BY link"
    ).fetchall()
    return Chain(connection, Head(*found[-1])) if found and found[0] == kept else None


def _begun(connection: DuckDBPyConnection, place: LakePlace) -> Head:
    """Begin another chain; hosts that do so at once conflict, and get one each."""
    for attempt in tried_again():
        with attempt, transaction(connection):
            claim(connection)
            [(last,)] = connection.execute("SELECT coalesce(max(link), 0) FROM links").fetchall()
            head = begin(connection, number=(last // SPAN + 1) * SPAN, host=place.host)
    return head


def _keep(files: LedgerFiles, heads: tuple[Head, ...]) -> None:
    beside = files.folder / f"{TEMPORARY}heads"
    beside.touch(mode=0o600)
    beside.write_text("".join(f"{head}\n" for head in heads), encoding="utf-8")
    beside.replace(files.heads)
