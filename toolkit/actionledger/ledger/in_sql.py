"""The rows of the kinds of events that come by the thousand, made by DuckDB of their lines: those that ``projection.py`` makes one by one.

A line that says what its event does need not become an event again, nor each of its rows JSON of its own: DuckDB reads the lines
of a kind at once and takes the rows of all their tables from them. Which columns there are, and what their values are taken
from, is said once, in ``schema.py``; a kind with a column that nobody has said an expression for is left to ``projection.py``.
"""

import dataclasses
from pathlib import Path
from typing import Any, NamedTuple, get_args, get_origin

import duckdb
from duckdb import DuckDBPyConnection

from actionledger.events import (
    ActionRecord,
    ExecutionRecorded,
    ResponseParsed,
    ResponseReceived,
    SessionFinished,
    SessionStarted,
    TurnFinished,
)
from actionledger.ledger.columns import Column, annotation, type_of
from actionledger.ledger.forgotten import STANDING
from actionledger.ledger.projection import HEAD, REPAIR_CHARACTERS
from actionledger.ledger.schema import LINK, TABLES, Table
from actionledger.ledger.staging import json_or_text, object_limit
from actionledger.values import Block, FieldError, Issue, Repair, Span
from actionledger.vocabulary import ActionStatus, Reason

INCOMING = "incoming"
"""What the table of a kind's lines is called, a column for each field, that rows are taken from."""

_TABLES = {table.name: table for table in TABLES}
_OF_KIND = {
    SessionStarted: ("session_starts",),
    SessionFinished: ("session_ends",),
    ResponseReceived: ("turn_starts",),
    TurnFinished: ("turn_ends",),
    ResponseParsed: ("parse_attempts", "blocks", "repairs", "issues", "actions", "validation_errors"),
    ExecutionRecorded: ("execution_starts", "execution_ends"),
}

_RUNNABLE = ", ".join(f"'{status}'" for status in ActionStatus if status.is_runnable)
_COMPUTED = {
    (ResponseReceived, "characters"): "length(text)",
    (ResponseParsed, "block_count"): "len(blocks)",
    (ResponseParsed, "action_count"): "len(actions)",
    (ResponseParsed, "valid_count"): f"len(list_filter(actions, lambda one: one.status IN ({_RUNNABLE})))",
    (
        ResponseParsed,
        "repair_count",
    ): "coalesce(list_sum(list_transform(blocks, lambda one: len(one.repairs))), 0)",
    (Repair, "before"): f'left(repair."before", {REPAIR_CHARACTERS})',
    (Repair, "after"): f'left(repair."after", {REPAIR_CHARACTERS})',
}
"""Columns that are no field as it stands in its line, by their class and name."""

_ALIASES: dict[type, str] = {
    Block: "block.",
    Repair: "repair.",
    Issue: "issue.",
    ActionRecord: "action.",
    FieldError: "error.",
}
_CONVERTED = (
    f"lambda one: {{'code': '{Reason.CONVERTED}', 'path': one[1], 'value': one[2], 'expected': one[3]}}"
)
_ERRORS = f"list_concat(action.errors, list_transform(action.conversions, {_CONVERTED}))"
_BLOCKS = f"(SELECT *, unnest(blocks) AS block FROM {INCOMING})"  # noqa: S608 (our own names, here and below)
_ACTIONS = f"(SELECT *, unnest(actions) AS action FROM {INCOMING})"  # noqa: S608
_ROWS = {
    "blocks": _BLOCKS,
    "repairs": f"(SELECT *, unnest(block.repairs) AS repair FROM {_BLOCKS})",  # noqa: S608
    "issues": f"(SELECT *, unnest(issues) AS issue FROM {INCOMING})",  # noqa: S608
    "actions": _ACTIONS,
    "validation_errors": f"(SELECT *, unnest({_ERRORS}) AS error FROM {_ACTIONS})",  # noqa: S608
}
"""What has a row for each row of a table that has several of an event."""


class KindInSql(NamedTuple):
    """How the lines of a kind become rows.

    Args:
        fields: what a line is read as: the type of each field that a column is made of.
        times: which of them are times.
        of_events: the statement that puts the row of each event of ``INCOMING`` into ``events``.
        of_tables: the statements that put the others into their tables.
        tables: the tables that rows are put into.
    """

    fields: dict[str, str]
    times: tuple[str, ...]
    of_events: str
    of_tables: tuple[str, ...]
    tables: tuple[str, ...]


def _kind_in_sql(kind: type) -> KindInSql | None:
    """Return how the lines of a kind become rows; None where they are left to ``projection.py``."""
    tables = [_TABLES[name] for name in _OF_KIND[kind]]
    columns = {
        column
        for table in tables
        for part in table.parts
        for column in part.columns
        if part.source not in _ALIASES
    }
    try:
        inserts = tuple(_insert(table, kind) for table in tables)
    except LookupError:
        return None
    wanted = {column.field for column in columns} | {*HEAD} | {"blocks", "actions", "issues"}
    names = [field.name for field in dataclasses.fields(kind) if field.name in wanted]
    head = ", ".join(name for name in HEAD if name in names)
    of_events = f"INSERT INTO events ({head}, {LINK}) SELECT {head}, {LINK} FROM {INCOMING}"  # noqa: S608 (our own names)
    types = {name: _type_in_line(kind, name) for name in names}
    times = tuple(name for name, sql_type in types.items() if sql_type == "TIMESTAMP")
    return KindInSql(types, times, of_events, inserts, ("events", *_OF_KIND[kind]))


class Inserted(NamedTuple):
    """What was put into the tables.

    Args:
        events: how many events are new.
        forgotten: how many were passed over, since their session is forgotten.
        sessions: the sessions that the new ones are of.
    """

    events: int
    forgotten: int
    sessions: set[str]


def insert_lines(
    connection: DuckDBPyConnection, kind: type, path: Path, longest: int, link: int | None
) -> Inserted:
    """Put the rows of lines of one kind into the tables of the connection's current database, but for events that it knows.

    Args:
        connection: the connection, within a transaction.
        kind: the class of the events; ``IN_SQL`` has it.
        path: the file that holds the lines.
        longest: the length of the longest line, in bytes.
        link: the link of the chain that takes them in; None where none is kept.

    Raises:
        duckdb.Error: a line does not fit, or an event stands in two of them.
    """
    known = IN_SQL[kind]
    types = ", ".join(
        f"'{name}': '{sql_type.replace(chr(39), chr(39) * 2)}'" for name, sql_type in known.fields.items()
    )
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE {INCOMING} AS SELECT *, ?::INTEGER AS {LINK} FROM read_json(?, format='newline_delimited', "  # noqa: S608
        f"columns={{{types}}}, maximum_object_size={object_limit(longest)}) ANTI JOIN events USING (event_id)",
        [link, str(path)],
    )
    passed_over = f"DELETE FROM {INCOMING} WHERE session_id::VARCHAR IN ({STANDING})"  # noqa: S608
    [forgotten] = connection.execute(passed_over).fetchone() or (0,)
    counted = connection.execute(f"SELECT count(*), count(DISTINCT event_id) FROM {INCOMING}")  # noqa: S608
    count, distinct = counted.fetchone() or (0, 0)
    if count != distinct:
        raise duckdb.ConstraintException("An event is there twice.")
    sessions = connection.execute(f"SELECT DISTINCT session_id::VARCHAR FROM {INCOMING}").fetchall()  # noqa: S608
    connection.execute(known.of_events)
    if "turn_id" in known.fields:
        # Of a turn that was superseded before the event came, it is known that there was one, and no more.
        connection.execute(f"DELETE FROM {INCOMING} WHERE turn_id IN (SELECT turn_id FROM superseded)")  # noqa: S608
    for statement in known.of_tables:
        connection.execute(statement)
    connection.execute(f"DROP TABLE {INCOMING}")
    return Inserted(int(count), int(forgotten), {session for (session,) in sessions})


def _insert(table: Table, kind: type) -> str:
    values: dict[str, str] = {}
    for part in table.parts:
        source = part.source if part.source in _ALIASES else kind
        for column in part.columns:
            values.pop(column.name, None)
            values[column.name] = _expression(source, column)
    names = ", ".join(f'"{name}"' for name in values)
    rows = _ROWS.get(table.name, INCOMING)
    return (
        f"INSERT INTO {table.name} ({names}, {LINK}) SELECT {', '.join(values.values())}, {LINK} FROM {rows}"  # noqa: S608
    )


def _expression(source: type, column: Column) -> str:
    """Return what a column's value is made of.

    Raises:
        KeyError: its field stands in no line, and nobody has said what it is made of.
    """
    if (computed := _COMPUTED.get((source, column.name))) is not None:
        return computed
    if column.field not in {field.name for field in dataclasses.fields(source)}:
        raise KeyError(column.name)
    value = f'{_ALIASES.get(source, "")}"{column.field}"'
    kind, stored, _ = annotation(source, column.field)
    if kind is Span:
        return f"{value}[{2 if column.name.endswith('_end') else 1}]"
    if stored is not None and stored.empty_is_null:
        value = f"nullif({value}, '')"
    return json_or_text(value) if column.sql_type == "JSON" and stored is not None else value


def _type_in_line(source: type, field: str) -> str:
    """Return what a field of a line is read as."""
    kind, stored, _ = annotation(source, field)
    if stored is not None:
        return "VARCHAR" if stored.sql_type in {"JSON", ""} else stored.sql_type
    return _type_of_value(kind)


def _type_of_value(kind: Any) -> str:
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        members = ", ".join(
            f'"{field.name}" {_type_in_line(kind, field.name)}' for field in dataclasses.fields(kind)
        )
        return f"STRUCT({members})"
    if kind is Span:
        return "INTEGER[]"
    if isinstance(kind, type) and issubclass(kind, tuple):
        return "VARCHAR[]"
    if get_origin(kind) is tuple and not type_of(kind):
        return f"{_type_of_value(get_args(kind)[0])}[]"
    return type_of(kind)


IN_SQL = {kind: found for kind in _OF_KIND if (found := _kind_in_sql(kind)) is not None}
"""How the lines of a kind become rows, by the class of its events."""
