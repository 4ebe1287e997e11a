"""DuckDB connections to a lake: its extensions, the environment's credentials, and the attached lake."""

import os
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

import duckdb
from duckdb import DuckDBPyConnection

from actionledger.core.errors import LedgerError
from actionledger.core.patterns import regex
from actionledger.core.text import sql_text
from actionledger.ledger.storage.connections import BASE, transaction
from actionledger.ledger.storage.lake.place import LakePlace
from actionledger.ledger.storage.memory import quiet, reading_limit, spilling_folder

WRITER_MEMORY = "512MB"
"""The memory limit of an ingester, including the texts of Parquet files that it writes."""

_SQLITE_PATIENCE_MS = 10_000
_EXTENSION = regex(r"[a-z_]+")
_NAMES = {"postgres_scanner": "postgres", "sqlite_scanner": "sqlite"}
"""The names under which DuckDB installs extensions, if they differ from their packages' names."""


def connect_lake(
    place: LakePlace, *, snapshot: int | None = None, writes: bool = False, name: str = BASE
) -> DuckDBPyConnection:
    """Open an in-memory database with a lake attached."""
    config: dict[str, str | bool | int | float | list[str]] = {
        "temp_directory": spilling_folder(),
        "memory_limit": WRITER_MEMORY if writes else reading_limit(),
    }
    packages = {name: _in_package(name) for name in _needed(place)}
    if all(packages.values()):
        # An extension from pip is trusted like other packages. Verifying DuckDB's signature takes 0.15 s each time.
        config["allow_unsigned_extensions"] = True
    if writes:
        config["threads"] = 1
    connection = quiet(duckdb.connect(config=config))
    try:
        for extension, file in packages.items():
            _load(connection, extension, file)
        if place.is_on_s3:
            _give_credentials(connection, place)
        options = [f"DATA_PATH {sql_text(place.data_path)}"]
        if not place.is_on_postgres:
            # So that readers and a writer don't lock each other out, and two writers wait for each other.
            options.append(f"META_JOURNAL_MODE 'WAL', META_BUSY_TIMEOUT {_SQLITE_PATIENCE_MS}")
        if not writes:
            options.append("READ_ONLY")
        if snapshot is not None:
            options.append(f"SNAPSHOT_VERSION {snapshot:d}")
        connection.execute(
            f"ATTACH {sql_text('ducklake:' + place.metadata_path)} AS {name} ({', '.join(options)})"
        )
    except BaseException:
        connection.close()
        raise
    return connection


def _needed(place: LakePlace) -> list[str]:
    catalog = "postgres_scanner" if place.is_on_postgres else "sqlite_scanner"
    return ["ducklake", catalog, *(["httpfs"] if place.is_on_s3 else [])]


def _in_package(name: str) -> Path | None:
    """Return the file of an extension from a PyPI package for this DuckDB version; None if missing."""
    assert _EXTENSION.fullmatch(name)
    found = find_spec(f"duckdb_extension_{name}")
    if found is None or not found.submodule_search_locations:
        return None
    folder = Path(found.submodule_search_locations[0], "extensions", f"v{duckdb.__version__}")
    file = folder / f"{name}.duckdb_extension"
    return file if file.exists() else None


def _load(connection: DuckDBPyConnection, name: str, file: Path | None) -> None:
    try:
        if file is not None:
            connection.execute(f"LOAD {sql_text(str(file))}")
            return
        known_as = _NAMES.get(name, name)
        try:
            # An extension that is already there needs neither the network nor a writable folder.
            connection.execute(f"LOAD {known_as}")
        except duckdb.Error:
            connection.execute(f"INSTALL {known_as}")
            connection.execute(f"LOAD {known_as}")
    except duckdb.Error as error:
        raise LedgerError(
            f"DuckDB {duckdb.__version__} has no extension {name!r}, which a ledger in a lake needs: "
            "pip install 'actionledger[lake]' brings it, with DuckDB 1.5.5; on others it must be possible to INSTALL it, from the network or "
            "from ~/.duckdb/extensions."
        ) from error


def _give_credentials(connection: DuckDBPyConnection, place: LakePlace) -> None:
    """Give DuckDB the environment's credentials for S3; without any, DuckDB uses its own persistent secrets."""
    key, secret = os.environ.get("AWS_ACCESS_KEY_ID"), os.environ.get("AWS_SECRET_ACCESS_KEY")
    if not (key and secret):
        return
    options = {
        "KEY_ID": key,
        "SECRET": secret,
        "SESSION_TOKEN": os.environ.get("AWS_SESSION_TOKEN"),
        "REGION": os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION"),
        "SCOPE": place.data_path,
    }
    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    if endpoint:
        parts = urlsplit(endpoint)
        options |= {
            "ENDPOINT": parts.netloc,
            "URL_STYLE": "path",
            "USE_SSL": str(parts.scheme == "https").lower(),
        }
    said = ", ".join(f"{name} {sql_text(value)}" for name, value in options.items() if value)
    try:
        connection.execute(f"CREATE SECRET actionledger_lake (TYPE s3, {said})")
    except duckdb.Error:
        # DuckDB's message may contain the statement with the secret.
        raise LedgerError(
            "DuckDB can't use the credentials for S3 that the environment has (AWS_ACCESS_KEY_ID and what goes with it)."
        ) from None


HELD_BYTES = 8 * 1024 * 1024
"""The maximum size of a lake that is held in memory, in bytes of its files; it takes about five times as much there."""

LITTLE_BYTES = 64 * 1024 * 1024
"""The maximum size of a lake that one thread reads: for a few dozen small files per table, more threads take twice the processor time."""

_LAKE = "lake"
_SIZE = f"SELECT coalesce(sum(file_size_bytes), 0) FROM __ducklake_metadata_{BASE}.ducklake_data_file WHERE end_snapshot IS NULL"


def filled_tables_of(catalog: str) -> str:
    """Return the statement that selects the tables of an attached lake that ever had rows; DuckLake takes longest to read the others."""
    kept = f"__ducklake_metadata_{catalog}"
    return (
        f"SELECT table_name FROM {kept}.ducklake_table SEMI JOIN (FROM {kept}.ducklake_data_file SELECT table_id "
        f"UNION ALL FROM {kept}.ducklake_inlined_data_tables SELECT table_id) USING (table_id)"
    )


_TABLES = f"""
SELECT table_name, table_name IN ({filled_tables_of(_LAKE)}), string_agg(format('"{{}}" {{}}', column_name, data_type), ', ' ORDER BY column_index)
FROM duckdb_columns() SEMI JOIN __ducklake_metadata_{_LAKE}.ducklake_table USING (table_name) WHERE database_name = '{_LAKE}' GROUP BY table_name"""
"""Selects each table, whether it ever had rows, and its columns."""


def size_of(connection: DuckDBPyConnection) -> int:
    """Return the size of the files of a lake's newest state, in bytes."""
    [(size,)] = connection.execute(_SIZE).fetchall()
    return int(size)


def connect_reader(place: LakePlace, snapshot: int, size: int, *, may_hold: bool) -> DuckDBPyConnection:
    """Open an in-memory database that permanently shows one state of a lake under the name of ``BASE``."""
    is_held = may_hold and size < HELD_BYTES
    connection = connect_lake(place, snapshot=snapshot, name=_LAKE if is_held else BASE)
    try:
        if size < LITTLE_BYTES:
            connection.execute("SET threads = 1")
        if is_held:
            _hold(connection)
        else:
            # The files never change.
            connection.execute("SET parquet_metadata_cache = true")
    except BaseException:
        connection.close()
        raise
    return connection


def _hold(connection: DuckDBPyConnection) -> None:
    connection.execute(f"ATTACH ':memory:' AS {BASE}")
    # In one transaction, since DuckLake queries its catalog for the state once per transaction.
    with transaction(connection):
        # Reading a table without files from DuckLake takes longer than one with files.
        tables = connection.execute(_TABLES).fetchall()
        connection.execute(
            ";".join(
                f'CREATE TABLE {BASE}."{name}"'
                + (f' AS FROM {_LAKE}."{name}"' if is_filled else f" ({columns})")
                for name, is_filled, columns in tables
            )
        )
    connection.execute(f"DETACH {_LAKE}")
