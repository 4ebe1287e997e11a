"""What a ledger holds, for lists to choose from."""

from dataclasses import dataclass
from datetime import datetime

from actionledger.core.vocabulary import RunKind
from actionledger.ledger.queries.base import Queryable, picked, rows
from actionledger.ledger.queries.filters import NO_DIALECT
from actionledger.ledger.queries.standing import LABELS


@dataclass(frozen=True, slots=True)
class Run:
    """A set of parse attempts made together.

    Args:
        run_id: identifies it.
        kind: how it came about.
        name: what people call it.
        source: where its texts come from.
        parent_run_id: for a reparse, the run whose turns it read again.
        parsers: the names of its parsers.
        attempts: how many responses it read.
        refused: how many inputs it could not read at all; None while it runs or where it was cut off.
        started_at: when, UTC without a zone.
        finished_at: when; None while it runs or where it was cut off.
    """

    run_id: str
    kind: RunKind
    name: str
    source: str
    parent_run_id: str | None
    parsers: tuple[str, ...]
    attempts: int
    refused: int | None
    started_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class UnfinishedRereading:
    """A rereading without an end: it was cut off, or another process is at it.

    Args:
        run_id: identifies it.
        detail: what was noted of it when it began, as JSON text.
    """

    run_id: str
    detail: str


@dataclass(frozen=True, slots=True)
class Dimensions:
    """The values that there are to filter by, each sorted.

    Args:
        profiles, tasks, sources: the sessions' own.
        models: the sessions', and those that they went on with.
        dialects: the dialects that responses were found to be in, ``"none"`` among them.
        captures: how much was kept of responses.
        labels: what sessions are filed under by their sources.
        turn_labels: how people have labelled turns.
        scores: the names of their scores.
        first, last: the times of the earliest and the latest response; None where none carries a time.
    """

    profiles: tuple[str, ...]
    models: tuple[str, ...]
    tasks: tuple[str, ...]
    sources: tuple[str, ...]
    dialects: tuple[str, ...]
    captures: tuple[str, ...]
    labels: tuple[str, ...]
    turn_labels: tuple[str, ...]
    scores: tuple[str, ...]
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
of_turns AS (SELECT list(DISTINCT label) AS turn_labels FROM ({LABELS}))
SELECT coalesce(list_sort(profiles), []) AS profiles, coalesce(list_sort(models), []) AS models,
       coalesce(list_sort(tasks), []) AS tasks, coalesce(list_sort(sources), []) AS sources,
       coalesce(list_sort(dialects), []) AS dialects, coalesce(list_sort(captures), []) AS captures,
       coalesce(list_sort(labels), []) AS labels, coalesce(list_sort(turn_labels), []) AS turn_labels,
       coalesce(list_sort(scores), []) AS scores, first, last
FROM of_sessions, of_models, of_attempts, of_ends, of_turns"""


def runs(ledger: Queryable) -> list[Run]:
    """Return every run, the first one first."""
    return rows(ledger, Run, _RUNS)


def unfinished_rereadings(ledger: Queryable, code: str) -> list[UnfinishedRereading]:
    """Return the rereadings without an end, the last one last.

    Args:
        ledger: what to ask.
        code: the code of the note that each of them began with.
    """
    return rows(ledger, UnfinishedRereading, _UNFINISHED, {"code": code})


def dimensions(ledger: Queryable) -> Dimensions:
    """Return what there is to filter by.

    Args:
        ledger: what to ask.
    """
    [found] = rows(ledger, Dimensions, _DIMENSIONS, {"none": NO_DIALECT})
    return found
