"""Lists to choose from: a ledger's runs, labels, scores, verdicts, tables and views."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime

from actionledger.core.vocabulary import RunKind
from actionledger.ledger.queries.base import Queryable, picked, rows
from actionledger.ledger.queries.filters import NO_DIALECT
from actionledger.ledger.queries.labels import LABELS
from actionledger.ledger.storage.comments import column_meanings, row_meaning
from actionledger.ledger.storage.schema import QUARANTINE, TABLES, VIEWS, sessions_of


@dataclass(frozen=True, slots=True)
class ScoreCount:
    """A score, and how many sessions have it."""

    name: str
    sessions: int  # how many have it
    low: float  # low, high: its lowest and highest value
    high: float


_SCORES = f"""
SELECT name, count(*) AS sessions, min(score) AS low, max(score) AS high FROM (
    SELECT unnest(map_entries(scores::MAP(VARCHAR, DOUBLE)), recursive := true)
    FROM ({sessions_of("session_id IN (SELECT session_id FROM session_ends WHERE scores <> '{}')")})
    WHERE scores <> '{{}}') AS each (name, score)
WHERE score IS NOT NULL GROUP BY name ORDER BY name"""


def score_counts(ledger: Queryable) -> list[ScoreCount]:
    """Return every score that sessions have, by name."""
    return rows(ledger, ScoreCount, _SCORES)


@dataclass(frozen=True, slots=True)
class Run:
    """A set of parse attempts made together."""

    run_id: str
    kind: RunKind  # why it was made
    name: str  # its name for people
    source: str
    parent_run_id: str | None  # for a reparse, the run whose turns it parsed again
    parsers: tuple[str, ...]  # the names of its parsers
    attempts: int  # how many responses it parsed
    refused: int | None  # how many inputs it could not read; None while it runs or if it was interrupted
    started_at: datetime  # when it started, UTC without a zone
    finished_at: datetime | None  # when it finished; None while it runs or if it was interrupted


@dataclass(frozen=True, slots=True)
class UnfinishedRereading:
    """A reparse without an end: it was interrupted, or another process runs it."""

    run_id: str
    detail: str  # the note that was recorded at its start, as JSON text


@dataclass(frozen=True, slots=True)
class Dimensions:
    """The values that a filter can have, each list sorted."""

    profiles: tuple[str, ...]  # profiles, tasks, sources, projects, branches, agents: of the sessions
    models: tuple[str, ...]  # of the sessions, and those that they continued with
    tasks: tuple[str, ...]
    sources: tuple[str, ...]
    projects: tuple[str, ...]
    branches: tuple[str, ...]
    agents: tuple[str, ...]
    dialects: tuple[str, ...]  # the detected dialects of responses, `"none"` among them
    captures: tuple[str, ...]  # how much was kept of responses
    labels: tuple[str, ...]  # the labels that sources give to sessions
    turn_labels: tuple[str, ...]  # the labels that people give to turns
    scores: tuple[str, ...]  # the names of the sessions' scores
    # first, last: the times of the earliest and the latest response; None if none has a time
    first: datetime | None
    last: datetime | None

    @property
    def is_empty(self) -> bool:
        """Whether no session is recorded."""
        return not self.sources


_RUN = picked(Run, kind="run_kind", parsers="coalesce(parsers, [])", attempts="coalesce(attempts, 0)")

_RUNS = f"""
SELECT {_RUN} FROM runs LEFT JOIN (
    SELECT run_id, count(*) AS attempts, list_sort(list(DISTINCT parser_name)) AS parsers
    FROM parse_attempts GROUP BY run_id) USING (run_id)
ORDER BY started_at, run_id"""

_UNFINISHED = f"""
SELECT run_id::VARCHAR AS run_id, any_value(detail)::VARCHAR AS detail
FROM run_starts JOIN events USING (run_id) ANTI JOIN run_ends USING (run_id)
WHERE run_kind = '{RunKind.REPARSE}' AND code = $code
GROUP BY run_id, started_at ORDER BY started_at, run_id"""

_DIMENSIONS = f"""
WITH of_sessions AS (
    SELECT list(DISTINCT profile) AS profiles, list(DISTINCT task) AS tasks, list(DISTINCT source) AS sources FROM session_starts),
of_models AS (
    SELECT list(model) AS models FROM (SELECT DISTINCT model FROM session_starts UNION SELECT DISTINCT model FROM turn_starts)),
of_attempts AS (
    SELECT list(DISTINCT CASE dialect WHEN '' THEN $none ELSE dialect END) AS dialects,
           list(DISTINCT capture) AS captures, min(occurred_at) AS first, max(occurred_at) AS last FROM parse_attempts),
of_ends AS (
    SELECT list_distinct(flatten(list(labels::VARCHAR[]))) AS labels,
           list_distinct(flatten(list(json_keys(scores)))) AS scores FROM session_ends WHERE labels <> '[]' OR scores <> '{{}}'),
of_details AS (
    SELECT list(DISTINCT project) FILTER (project <> '') AS projects, list(DISTINCT git_branch) FILTER (git_branch <> '') AS branches,
           list(DISTINCT agent) FILTER (agent <> '') AS agents FROM session_details),
of_turns AS (SELECT list(DISTINCT label) AS turn_labels FROM ({LABELS}))
SELECT coalesce(list_sort(profiles), []) AS profiles, coalesce(list_sort(models), []) AS models,
       coalesce(list_sort(tasks), []) AS tasks, coalesce(list_sort(sources), []) AS sources,
       coalesce(list_sort(projects), []) AS projects, coalesce(list_sort(branches), []) AS branches,
       coalesce(list_sort(agents), []) AS agents, coalesce(list_sort(dialects), []) AS dialects, coalesce(list_sort(captures), []) AS captures,
       coalesce(list_sort(labels), []) AS labels, coalesce(list_sort(turn_labels), []) AS turn_labels,
       coalesce(list_sort(scores), []) AS scores, first, last
FROM of_sessions, of_models, of_attempts, of_ends, of_details, of_turns"""


def runs(ledger: Queryable) -> list[Run]:
    """Return every run, the oldest first."""
    return rows(ledger, Run, _RUNS)


def unfinished_rereadings(ledger: Queryable, code: str) -> list[UnfinishedRereading]:
    """Return the reparses without an end, the newest last."""
    return rows(ledger, UnfinishedRereading, _UNFINISHED, {"code": code})


def dimensions(ledger: Queryable) -> Dimensions:
    """Return the values that a filter can have."""
    [found] = rows(ledger, Dimensions, _DIMENSIONS, {"none": NO_DIALECT})
    return found


@dataclass(frozen=True, slots=True)
class ColumnDescription:
    """A column as shown to people."""

    name: str
    sql_type: str  # its DuckDB type
    meaning: str  # its description, with its unit


@dataclass(frozen=True, slots=True)
class TableDescription:
    """A table or view as shown to people."""

    name: str
    meaning: str  # the description of a row
    rows: int  # the number of rows
    columns: tuple[ColumnDescription, ...]  # its columns, in order


_HALVES = {f"{view[:-1]}_{half}" for view in VIEWS for half in ("starts", "ends", "details")}
NAMES = tuple(
    sorted({table.name for table in TABLES if table.name not in _HALVES} | {*VIEWS, QUARANTINE.name})
)
"""The tables and views that people query: the joined view instead of its tables of starts and ends."""

_COLUMNS = """
SELECT table_name, column_name, data_type FROM duckdb_columns()
WHERE database_name = current_database() AND list_contains($names, table_name) ORDER BY table_name, column_index"""

_COUNTS = "\nUNION ALL ".join(f"SELECT '{name}' AS name, count(*) AS rows FROM {name}" for name in NAMES)


def tables(ledger: Queryable) -> list[TableDescription]:
    """Return the tables and views that people query, by name."""
    columns: dict[str, list[ColumnDescription]] = defaultdict(list)
    for table, name, sql_type in ledger.sql(_COLUMNS, {"names": list(NAMES)}).fetchall():
        meaning = column_meanings(table).get(name, "")
        columns[table].append(ColumnDescription(name, sql_type, meaning))
    counts = dict(ledger.sql(_COUNTS).fetchall())
    return [
        TableDescription(name, row_meaning(name), counts[name], tuple(columns[name]))
        for name in NAMES
        if name in columns
    ]
