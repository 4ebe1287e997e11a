"""The tables of a ledger, defined once for the DDL, the ingest and the readers.

A table's columns are the fields of the objects that its rows are made from (see ``columns.py``): a new field of an event is a new column.
Tables are append-only, so that a reader can add events that are not ingested yet (``UNION ALL``). Only the rows of a turn that a later state of
its recording supersedes are deleted (``superseded``).

A run, a session, a turn or an execution starts and later ends. Each has two tables, ``…_starts`` and ``…_ends``, and a view under the plain name.
Every row carries its dimensions (run, session, turn, profile, model, dialect, time), typed: a success rate needs no join and no JSON.

Times are UTC without a zone. Spans are code points of ``turns.text``.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from operator import itemgetter
from typing import Any

from actionledger.core.events import (
    ActionRecord,
    ActionReversed,
    ApprovalDecided,
    ApprovalRequested,
    ExecutionFinished,
    ExecutionStarted,
    InputLeftOut,
    ParserUsed,
    ResponseParsed,
    ResponseReceived,
    Reviewed,
    RunFinished,
    RunStarted,
    SessionDescribed,
    SessionFinished,
    SessionForgotten,
    SessionStarted,
    SystemNoted,
    ToolsOffered,
    TurnFinished,
    TurnResumed,
    TurnSuperseded,
)
from actionledger.core.events.base import BigInt
from actionledger.core.events.readings import InAttempt
from actionledger.core.values import Block, FieldError, Issue, Repair
from actionledger.ledger.storage.columns import ALL, OWN, Part, Values, take
from actionledger.ledger.storage.views import (
    PERMISSIONS,
    RECORDED_VERDICTS,
    session_outcomes_of,
    unacted_turns_of,
)

SCHEMA_VERSION = 8
"""The number of the last migration; a ledger holds it in ``meta``."""

PROVEN_SINCE = 5
"""The schema version since which a ledger keeps proofs. Later versions have the same tables and more of them."""

LONG_TEXTS = frozenset(
    {
        "text",
        "prompt",
        "reasoning",
        "feedback",
        "arguments",
        "result",
        "message",
        "metadata",
        "tools",
        "configuration",
        "before",
        "after",
        "line",
    }
)
"""The columns with long texts: with zstd they take two fifths of the bytes, and less time to write."""


OF_SESSION = "of_session"
"""The session of an end whose start names it: known even without the start, and not a column of the view over both."""

STATUS_OF_ACTION = "CASE WHEN catalogue IS NULL AND status = 'valid' THEN 'not_checked' ELSE status END"
"""An action's status as SQL: older rows, from before that status, have ``valid`` where no schema was known to check against."""

LINK = "link"
"""The last column of every table of records: the link of the chain that ingested the row; NULL for rows from before there was a chain."""

_ADDED = {"session_details": 7}
"""The schema version of each table that is newer than ``PROVEN_SINCE``."""


def lacking(version: int) -> frozenset[str]:
    """Return the tables that a ledger of a version since ``PROVEN_SINCE`` lacks."""
    return frozenset(name for name, since in _ADDED.items() if version < since)


class Table:
    """An append-only table: its columns for each object that a row is made from; a repeated column has the later position."""

    def __init__(self, name: str, *parts: Part) -> None:
        self.name = name
        self.parts = parts

    @property
    def source(self) -> type:
        """The class of the first object that a row is made from."""
        return self.parts[0].source

    @cached_property
    def columns(self) -> dict[str, str]:
        """The DuckDB type of each column, in order."""
        types: dict[str, str] = {}
        for column in (column for part in self.parts for column in part.columns):
            types.pop(column.name, None)
            types[column.name] = column.sql_type
        return types

    @cached_property
    def staged(self) -> tuple[str, ...]:
        """The columns in the order of ``values``."""
        names = (name for part in self.parts for name in part.staged)
        return tuple(dict.fromkeys(names))

    @cached_property
    def blanks(self) -> dict[str, str]:
        """The replacement of each text column if no text is to be shown."""
        columns = {column.name: column for part in self.parts for column in part.columns}
        return {name: column.blank for name, column in columns.items() if column.blank is not None}

    @cached_property
    def ddl(self) -> str:
        """The statement that creates it."""
        columns = ", ".join(
            f'"{name}" {kind}{" USING COMPRESSION zstd" if name in LONG_TEXTS else ""}'
            for name, kind in (*self.columns.items(), (LINK, "INTEGER"))
        )
        return f"CREATE TABLE {self.name} ({columns})"

    @cached_property
    def place(self) -> dict[str, int]:
        """The index of each column in ``staged``."""
        return {name: place for place, name in enumerate(self.staged)}

    def values(self, *things: Any) -> Values:
        """Return the values of a row, in the order of ``staged``."""
        if len(self.parts) == 1:
            return self.parts[0].values(*things)
        values: Values = ()
        for part, thing in zip(self.parts, things, strict=True):
            values += thing if type(thing) is tuple else part.values(thing)
        return values if self._picked is None else self._picked(values)

    def by_column(self, rows: Sequence[tuple[Any, ...]]) -> list[Sequence[Any]]:
        """Return the values of rows by column, in the order of ``staged``: for many rows, in half the time of ``values``."""
        columns: list[Any] = []
        for part, things in zip(self.parts, zip(*rows, strict=True), strict=True):
            columns += zip(*things, strict=True) if type(things[0]) is tuple else part.by_column(things)
        return columns if self._picked is None else list(self._picked(columns))

    @cached_property
    def _picked(self) -> Callable[[Sequence[Any]], Values] | None:
        """A function that picks the last value of each column that several parts name; None if there is no such column."""
        names = [name for part in self.parts for name in part.staged]
        last = {name: place for place, name in enumerate(names)}
        return None if len(last) == len(names) else itemgetter(*(last[name] for name in self.staged))


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A line of a segment that can't be read.

    Args:
        segment: the segment's name.
        byte_offset: where the line begins.
        reason: why it can't be read.
        line: the line, whole.
        found_at: when, UTC without a zone.
    """

    segment: str
    byte_offset: BigInt
    reason: str
    line: str
    found_at: datetime


IN_ATTEMPT = take(InAttempt, ALL)
"""The dimensions of rows on what was found in a response."""

TABLES = (
    Table("run_starts", take(RunStarted, ALL, recorded_at="started_at")),
    Table("run_ends", take(RunFinished, ALL, recorded_at="finished_at")),
    Table("parsers", take(ParserUsed, OWN, "run_id", recorded_at="first_used_at")),
    Table("tools", take(ToolsOffered, OWN, "run_id", recorded_at="first_used_at")),
    Table("left_out", take(InputLeftOut, "run_id", OWN, "recorded_at")),
    Table("session_starts", take(SessionStarted, "session_id", ALL)),
    Table("session_ends", take(SessionFinished, "session_id", ALL, "recorded_at")),
    Table("session_details", take(SessionDescribed, "session_id", ALL, recorded_at="described_at")),
    Table("turn_starts", take(ResponseReceived, ALL, "characters")),
    Table("turn_ends", take(TurnFinished, "turn_id", "session_id", ALL)),
    Table(
        "parse_attempts",
        take(
            ResponseParsed,
            *(ALL, "block_count", "action_count", "valid_count", "repair_count", "duration_us"),
            recorded_at="parsed_at",
        ),
    ),
    Table("blocks", IN_ATTEMPT, take(Block, "index", "dialect", "span", "body", ALL, index="block_index")),
    Table(
        "repairs",
        IN_ATTEMPT,
        take(Block, "index", "dialect", index="block_index"),
        take(Repair, "span", ALL),
    ),
    Table("issues", IN_ATTEMPT, take(Issue, "span", ALL)),
    Table(
        "actions",
        IN_ATTEMPT,
        take(ActionRecord, ALL, block="block_index", index="action_index"),
        take(ResponseParsed, "catalogue"),
        take(ActionRecord, "arguments"),
    ),
    Table(
        "validation_errors",
        IN_ATTEMPT,
        take(ActionRecord, "action_id", "index", "name", "dialect", index="action_index"),
        take(FieldError, ALL),
    ),
    Table("execution_starts", take(ExecutionStarted, ALL)),
    Table("execution_ends", take(ExecutionFinished, OWN, session_id=OF_SESSION)),
    Table("reversals", take(ActionReversed, ALL, reversal="kind")),
    Table("superseded", take(TurnSuperseded, "turn_id", ALL, "recorded_at")),
    Table("approval_starts", take(ApprovalRequested, ALL, recorded_at="requested_at")),
    Table("approval_ends", take(ApprovalDecided, OWN, recorded_at="decided_at", session_id=OF_SESSION)),
    Table(
        "forgotten", take(SessionForgotten, ALL, forgotten_session="session_id", recorded_at="forgotten_at")
    ),
    Table("reviews", take(Reviewed, ALL, recorded_at="reviewed_at")),
    Table("resumptions", take(TurnResumed, "turn_id", "session_id", ALL)),
    Table(
        "events",
        take(SystemNoted, "event_id", "kind", "run_id", "session_id", "turn_id", "recorded_at", ALL),
    ),
)

QUARANTINE = Table("quarantine", take(Unreadable, ALL))

ENDS = {"execution_ends": "execution_id", "approval_ends": "approval_id"}
"""Tables of ends whose rows belong to the turn of their starts, with the key that start and end share."""

OF_TURN = tuple(
    table.name
    for table in TABLES
    if "turn_id" in table.columns and table.name not in {"events", "superseded", "reviews"}
)
"""The tables whose rows are deleted with a superseded turn; ``events`` keeps that there was one, and reviews of it stay."""

_COLUMNS = {table.name: table.columns for table in TABLES}

_LINKS = ("parent_session_id", "relation")

DETAILS = tuple(
    column
    for column in _COLUMNS["session_details"]
    if column not in {"session_id", "run_id", "details_id", "described_at", *_LINKS}
)
"""A session's title and places: the columns that its view has from the details."""


LINKED_STARTS = """(
    SELECT s.* REPLACE (coalesce(s.parent_session_id, d.parent_session_id) AS parent_session_id, coalesce(s.relation, d.relation) AS relation)
    FROM session_starts s LEFT JOIN (
        SELECT session_id, arg_max(parent_session_id, described_at) AS parent_session_id, arg_max(relation, described_at) AS relation
        FROM session_details WHERE parent_session_id IS NOT NULL GROUP BY session_id) d USING (session_id))"""
"""The starts of sessions with their parents, which a later import of the same files may have found."""


def _of_start(name: str) -> str:
    """Return a view's columns from a start: all of them."""
    return ", ".join(f"s.{column}" for column in _COLUMNS[f"{name}_starts"])


def _of_end(name: str, *without: str, prefix: str = "e.") -> str:
    """Return a view's columns from an end: those that the start lacks, except those that the view defines itself."""
    known = {*_COLUMNS[f"{name}_starts"], *without, OF_SESSION}
    return ", ".join(f"{prefix}{column}" for column in _COLUMNS[f"{name}_ends"] if column not in known)


def sessions_of(condition: str = "") -> str:
    """Return the SELECT of the view ``sessions``, or of some of its rows.

    DuckDB computes the whole view before it applies a filter, since it picks each session's last end: half a second for a million sessions.
    """
    where = f" WHERE {condition}" if condition else ""
    starts = f"(FROM session_starts{where})" if condition else "session_starts"
    said = ", ".join(f"d.{column}" for column in DETAILS)
    begun = _of_start("session")
    for column in _LINKS:
        begun = begun.replace(f"s.{column}", f"coalesce(s.{column}, d.{column}) AS {column}")
    return f"""
        SELECT {begun}, {_of_end("session", "recorded_at")}, {said}
        FROM {starts} s
        LEFT JOIN (SELECT DISTINCT ON (session_id) * FROM session_ends{where} ORDER BY session_id, recorded_at DESC) e
        USING (session_id)
        LEFT JOIN (SELECT DISTINCT ON (session_id) * FROM session_details{where} ORDER BY session_id, described_at DESC) d
        USING (session_id)"""


def executions_of(condition: str = "") -> str:
    """Return the SELECT of the view ``executions``, or of some of its rows: as with sessions, DuckDB would join all of them first."""
    where = f" WHERE {condition}" if condition else ""
    starts = f"(FROM execution_starts{where})" if condition else "execution_starts"
    theirs = f" WHERE execution_id IN (SELECT execution_id FROM execution_starts{where})"
    ends = f"(FROM execution_ends{theirs})" if condition else "execution_ends"
    return f"""
        SELECT {_of_start("execution")}, coalesce(e.status, 'interrupted') AS status,
               CASE WHEN e.status IS NULL THEN 'never_finished' ELSE e.reason END AS reason,
               {_of_end("execution", "status", "reason")}
        FROM {starts} s LEFT JOIN {ends} e USING (execution_id)
        ANTI JOIN (SELECT reversal_id AS execution_id FROM reversals) USING (execution_id)"""


VIEWS = {
    "runs": f"""
        SELECT {_of_start("run")}, {_of_end("run")}
        FROM run_starts s LEFT JOIN run_ends e USING (run_id)""",
    "sessions": sessions_of(),
    "turns": f"""
        SELECT {_of_start("turn")}, {_of_end("turn")}
        FROM turn_starts s LEFT JOIN (SELECT turn_id, {_of_end("turn", prefix="")} FROM turn_ends) e USING (turn_id)""",
    "executions": executions_of(),
    "approvals": f"""
        SELECT {_of_start("approval")}, {_of_end("approval")}
        FROM approval_starts s LEFT JOIN approval_ends e USING (approval_id)""",
    "permissions": PERMISSIONS,
    "unacted_turns": unacted_turns_of(),
    "session_outcomes": session_outcomes_of(),
    "recorded_verdicts": RECORDED_VERDICTS,
}
"""The views that people read: each one's name and SELECT."""

PROOFS = {
    "links": "CREATE TABLE links (link INTEGER, made_at TIMESTAMP, seed VARCHAR, head VARCHAR, marks BLOB)",
    "salts": "CREATE TABLE salts (link INTEGER, owner UUID, salt UUID)",
    "withdrawn": "CREATE TABLE withdrawn (link INTEGER, by_link INTEGER, digest BLOB, reason VARCHAR)",
}
"""The tables of proofs: the chain's links, the salts of its digests, and the digests of deleted rows."""

BOOKKEEPING = (
    "CREATE TABLE meta (schema_version INTEGER, created_at TIMESTAMP, toolkit_version VARCHAR)",
    "CREATE TABLE segments (name VARCHAR PRIMARY KEY, ingested_bytes BIGINT)",
    QUARANTINE.ddl,
    *PROOFS.values(),
)
"""The ingester's tables: the schema version, the offset of each segment, unparseable lines, and the proofs."""
