"""Cells of a database's rows, with the same digests that were made when the rows were ingested."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from duckdb import DuckDBPyConnection

from actionledger.core.patterns import regex
from actionledger.ledger.storage.chain import FIRST, OF_THEMSELVES, OF_TURNS, Owner, begin, digest, line_of
from actionledger.ledger.storage.connections import connect_store, transaction
from actionledger.ledger.storage.schema import ENDS, LINK, OF_SESSION, QUARANTINE, TABLES, Table

PROVEN = {table.name: table for table in (*TABLES, QUARANTINE)}
"""The tables whose rows are proven."""

_NO_SALT = bytes(16)
"""The salt that is assumed for a row that no link has salted."""

_BATCH = 100

_WHOSE = itemgetter(0, 1, 2)
"""The first columns of a row: the link that ingested it, its owner, and the owner of its salt."""

_ONE_FORM = "1e-5 AND 1e15"
"""The range of floats that DuckDB and pydantic write alike: one of them writes others with an exponent."""

# Matches a whole escape, so that an escaped backslash starts none; only control characters' escapes have capitals.
_ESCAPED = regex(r"\\u00[01][0-9A-F]|\\.")


class Rows(NamedTuple):
    """A selection of rows."""

    condition: str  # a condition on `t` (the row), `of_turn` and `of_salt`, as SQL
    salts: str  # a condition on the table `salts`, as SQL, that selects their salts
    tables: Sequence[str]  # the tables that may have such rows
    parameters: Mapping[str, object]  # the values of both


def rows_of_links(first: int, last: int) -> Rows:
    """Select all rows of some links; for the first link also those of no link."""
    unlinked = f"t.{LINK} IS NULL OR " if first <= FIRST <= last else ""
    condition = f"({unlinked}t.{LINK} BETWEEN $first AND $last)"
    return Rows(condition, "link BETWEEN $first AND $last", tuple(PROVEN), {"first": first, "last": last})


def rows_of_turns(turn_ids: Iterable[str]) -> Rows:
    """Select the rows of turns."""
    listed = "(SELECT unnest(string_split($ids, ','))::UUID)"
    salts = f"owner IN (SELECT session_id FROM turn_starts WHERE turn_id IN {listed})"  # noqa: S608 (our own names)
    condition = f"of_turn IN {listed}"
    return Rows(condition, salts, sorted(OF_TURNS | ENDS.keys()), {"ids": ",".join(turn_ids)})


def rows_of_sessions(session_ids: Iterable[str]) -> Rows:
    """Select all rows of some sessions, and of their turns."""
    listed = "(SELECT unnest(string_split($ids, ','))::UUID)"
    tables = [name for name in PROVEN if name not in OF_THEMSELVES]
    return Rows(f"of_salt IN {listed}", f"owner IN {listed}", tables, {"ids": ",".join(session_ids)})


def rows_that(table: str, condition: str, parameters: dict[str, object]) -> Rows:
    """Select rows of a table that belong to no turn, session or run."""
    own = f"(SELECT {_own(table)} FROM {table} AS t WHERE {condition})"  # noqa: S608 (our own names)
    return Rows(condition, f"owner IN {own}", (table,), parameters)


class StoredCell(NamedTuple):
    """The rows that one link put into one table for one owner, as they are now."""

    table: str  # the table's name
    link: int  # the link's number
    owner: Owner
    digest: bytes  # the digest of its rows
    # the digest if JSON strings in it were recorded as texts that are not JSON; else the same
    alternative: bytes
    rows: int  # the number of its rows


def stored_cells(connection: DuckDBPyConnection, rows: Rows) -> Iterator[StoredCell]:
    """Yield the cells of the current database's rows, table by table."""
    salts = _salts(connection, rows)
    for name in rows.tables:
        table = PROVEN[name]
        kept = [place for place, column in enumerate(table.staged) if table.columns[column] == "JSON"]
        connection.execute(_statement(table, rows), _needed(rows, rows.condition))
        for (link, identity, salted_by), found in groupby(_fetched(connection), _WHOSE):
            salt = salts.get((link, salted_by), _NO_SALT)
            values = [row[3:] for row in found]
            made = alternative = digest(name, salt, [line_of(row) for row in values])
            if kept and any((row[place] or "").startswith('"') for row in values for place in kept):
                # The row as it was recorded, if a JSON string in it was a text that is not JSON.
                alternative = digest(
                    name,
                    salt,
                    [
                        line_of([_text(value) if place in kept else value for place, value in enumerate(row)])
                        for row in values
                    ],
                )
            yield StoredCell(name, link, Owner(identity, salted_by), made, alternative, len(values))


def digests_of(connection: DuckDBPyConnection, rows: Rows) -> list[bytes]:
    """Return only the digests of the cells of ``stored_cells``: DuckDB writes the lines of their rows, in two thirds of the time."""
    salts, made = _salts(connection, rows), list[bytes]()
    for name in rows.tables:
        digests = _digests_of_lines(connection, PROVEN[name], rows, salts)
        if digests is None:
            digests = [
                digest(name, salt, [line_of(row[3:]) for row in found])
                for salt, found in _cells(connection, _statement(PROVEN[name], rows), rows, salts)
            ]
        made += digests
    return made


def _digests_of_lines(
    connection: DuckDBPyConnection, table: Table, rows: Rows, salts: Mapping[tuple[int, str], bytes]
) -> list[bytes] | None:
    """Return the digests of a table's cells; None if DuckDB would write a row differently from ``line_of``."""
    made: list[bytes] = []
    for salt, found in _cells(connection, _statement(table, rows, _line_in_sql(table)), rows, salts):
        lines = [row[3] for row in found]
        if None in lines:
            return None
        made.append(digest(table.name, salt, [_with_small_letters(line).encode() for line in lines]))
    return made


def _cells(
    connection: DuckDBPyConnection, statement: str, rows: Rows, salts: Mapping[tuple[int, str], bytes]
) -> Iterator[tuple[bytes, Iterator[tuple[Any, ...]]]]:
    """Yield each cell's salt and rows."""
    connection.execute(statement, _needed(rows, rows.condition))
    for (link, _, salted_by), found in groupby(_fetched(connection), _WHOSE):
        yield salts.get((link, salted_by), _NO_SALT), found


def _line_in_sql(table: Table) -> str:
    """Return the SQL expression for the result of ``line_of``, apart from the case of its escapes; NULL if DuckDB's would differ."""
    doubles = [f't."{name}"' for name in table.staged if table.columns[name] == "DOUBLE"]
    same = " AND ".join(
        f"({each} IS NULL OR {each} = 0 OR abs({each}) BETWEEN {_ONE_FORM})" for each in doubles
    )
    line = (
        f"json_array({', '.join(_value_in_sql(name, table.columns[name]) for name in table.staged)})::VARCHAR"
    )
    return f"CASE WHEN {same} THEN {line} END" if same else line


def _value_in_sql(name: str, kind: str) -> str:
    if kind == "TIMESTAMP":
        return f"replace(strftime(t.\"{name}\", '%Y-%m-%dT%H:%M:%S.%f'), '.000000', '')"
    return _column(name, kind)


def _with_small_letters(line: str) -> str:
    """Return a line with the escapes of control characters in lower case, as ``line_of`` writes them."""
    return _ESCAPED.sub(lambda found: found[0].lower(), line) if "\\u00" in line else line


def _salts(connection: DuckDBPyConnection, rows: Rows) -> dict[tuple[int, str], bytes]:
    asked = f"SELECT link, owner::VARCHAR, salt FROM salts WHERE ({rows.salts}) AND salt IS NOT NULL"  # noqa: S608 (our own names)
    found = connection.execute(asked, _needed(rows, rows.salts))
    return {(link, owner): salt.bytes for link, owner, salt in found.fetchall()}


def _needed(rows: Rows, condition: str) -> dict[str, object]:
    """Return only the values that a condition names, since DuckDB refuses others."""
    return {name: value for name, value in rows.parameters.items() if f"${name}" in condition}


def _statement(table: Table, rows: Rows, columns: str = "") -> str:
    """Return the statement that selects the columns of ``_WHOSE``, then those of the rows."""
    owner, salted_by, joined = _owner(table)
    turn = "s.turn_id" if table.name in ENDS else "t.turn_id"
    columns = columns or ", ".join(_column(name, table.columns[name]) for name in table.staged)
    return (
        f"SELECT coalesce(t.{LINK}, {FIRST}) AS of_link, {owner}::VARCHAR, {salted_by}::VARCHAR, {columns} "  # noqa: S608 (our own names)
        f"FROM {table.name} AS t {joined} "
        f"WHERE {rows.condition.replace('of_turn', turn).replace('of_salt', salted_by)} ORDER BY of_link, {owner}, {salted_by}"
    )


def _column(name: str, kind: str) -> str:
    return f't."{name}"::VARCHAR' if kind in {"UUID", "JSON"} else f't."{name}"'


def _owner(table: Table) -> tuple[str, str, str]:
    """Return the owner and the salt owner of a table's rows, as SQL, and the join that they need."""
    if table.name in OF_THEMSELVES:
        return _own(table.name), _own(table.name), ""
    if table.name in ENDS:
        starts, key = table.name.replace("_ends", "_starts"), ENDS[table.name]
        joined = f"LEFT JOIN {starts} AS s ON s.{key} = t.{key}"
        return f"t.{key}", f"coalesce(t.{OF_SESSION}, s.session_id)", joined
    if "session_id" not in table.columns or table.name == "forgotten":
        return "t.run_id", "t.run_id", ""
    if table.name in OF_TURNS:
        return "t.turn_id", "t.session_id", ""
    session = "coalesce(t.session_id, t.run_id)" if "run_id" in table.columns else "t.session_id"
    return session, session, ""


def _own(table: str) -> str:
    values = ", ".join(f"t.{name}" for name in OF_THEMSELVES[table])
    return f"md5(concat_ws(':', {values}))::UUID"


def _fetched(connection: DuckDBPyConnection) -> Iterator[tuple[Any, ...]]:
    while batch := connection.fetchmany(_BATCH):
        yield from batch


def _text(value: str | None) -> str | None:
    if value is None or not value.startswith('"'):
        return value
    with suppress(ValueError):
        text = json.loads(value)
        try:
            json.loads(text)
        except ValueError:
            return str(text)
    return value


def withdraw(connection: DuckDBPyConnection, rows: Sequence[Rows], by_link: int, reason: str) -> list[bytes]:
    """Keep the digests of rows that the same transaction is about to delete, with the reason in one word; return them."""
    digests = []
    for each in rows:
        # A row that was changed keeps its current digest: the link's head reveals the change, before and after.
        cells = [(cell.link, cell.digest) for cell in stored_cells(connection, each)]
        if cells:
            connection.execute(
                "INSERT INTO withdrawn SELECT unnest(string_split(?, ','))::BIGINT, ?, unhex(unnest(string_split(?, ','))), ?",
                [
                    ",".join(str(link) for link, _ in cells),
                    by_link,
                    ",".join(made.hex() for _, made in cells),
                    reason,
                ],
            )
        digests += [made for _, made in cells]
    return digests


def withdrawn_in(connection: DuckDBPyConnection) -> dict[str, int]:
    """Return the number of deleted cells by reason."""
    return dict(connection.execute("SELECT reason, count(*) FROM withdrawn GROUP BY reason").fetchall())


def begin_chain(connection: DuckDBPyConnection) -> None:
    """Begin the chain of the current database, if it has none: for a ledger from before there were chains."""
    if connection.execute("SELECT count(*) FROM links").fetchone() == (0,):
        with transaction(connection):
            seal(connection)


def seal(connection: DuckDBPyConnection) -> None:
    """Make existing rows a part of the first link, within a transaction.

    It is unsalted. Nobody knows whether these rows are as recorded, but from now on changes to them are detected.
    """
    begin(connection, [cell.digest for cell in stored_cells(connection, rows_of_links(FIRST, FIRST))])


def begin_anew(file: Path) -> None:
    """Begin the chain of a ledger that was copied from another one."""
    with closing(connect_store(file)) as connection:
        connection.execute("DELETE FROM links")
        begin_chain(connection)
        connection.execute("CHECKPOINT")
