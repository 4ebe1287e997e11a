"""Counts from rollups in place of rows, if a filter selects only whole parts of sessions.

A part of a session is its rows of one run, one day and one capture. Sessions that changed since, and those kept apart, are counted from their rows
in the same statement.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, TypeVar

from actionledger.core.vocabulary import ActionStatus, Capture, ExecutionStatus, Outcome
from actionledger.ledger.queries.base import (
    ATTEMPTED,
    AUDITABLE,
    INTENT,
    IS_CHECKED,
    IS_RECORDED,
    READ,
    RUN_ELSEWHERE,
    RUN_HERE,
    RUNNABLE,
    TAKEN_BACK,
    Queryable,
    rate_sql,
)
from actionledger.ledger.queries.filters import Filter
from actionledger.ledger.queries.scopes import Scope, of_session, scope
from actionledger.ledger.storage.rollups.tables import DIALECTS, FAILURES, KINDS, NOT_ROLLED_UP, PARTS
from actionledger.ledger.storage.schema import STATUS_OF_ACTION

Word = TypeVar("Word", bound=StrEnum)
_Part = TypeVar("_Part")


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Counts over some rows of a session."""

    table: str  # the table of the rows
    source: str  # the table with its joins, as SQL after FROM
    which: str  # the condition on the rows, as SQL
    columns: Mapping[str, str]  # the aggregate of each number, by name
    is_by_session: bool = True  # whether a rate is computed from them; otherwise their sums suffice


def _words(prefix: str, words: Iterable[str], column: str, also: str = "") -> dict[str, str]:
    """Return the counts of rows for each word of a closed list in a column."""
    return {f"{prefix}_{word}": f"count(*) FILTER ({column} = '{word}'{also})" for word in words}


def _one_of(column: str, words: Iterable[str]) -> str:
    listed = ", ".join(f"'{word}'" for word in words)
    return f"{column} IN ({listed})"


_MEANT, _READ = _one_of("outcome", INTENT), _one_of("outcome", READ)

PARSED = {
    "audited": f"count(*) FILTER ({AUDITABLE} AND {_MEANT})",
    "read": f"count(*) FILTER ({AUDITABLE} AND {_READ})",
    "strict": f"count(*) FILTER ({AUDITABLE} AND outcome = 'clean')",
}
"""The responses that meant to act and can be audited, how many of them were fully parsed, and how many without repairs."""

_ATTEMPTS = "(SELECT *, run_id AS reader FROM parse_attempts)"
READING = Counts(
    "parse_attempts",
    _ATTEMPTS,
    "true",
    {"responses": f"count(*) FILTER ({IS_RECORDED})", "meant": f"count(*) FILTER ({_MEANT})"} | PARSED,
)
READ_AS = Counts(
    "parse_attempts",
    _ATTEMPTS,
    "true",
    _words("outcome", Outcome, "outcome")
    | _words("capture", Capture, "capture", f" AND {_MEANT}")
    | {
        "only_shown": f"count(*) FILTER (action_count > 0 AND NOT {_MEANT})",
        "with_valid": f"count(*) FILTER ({AUDITABLE} AND valid_count > 0 AND {_READ})",
    },
    is_by_session=False,
)
_EVIDENCE = """
SELECT attempt_id, count(block_index) > 0 AS is_by_evidence, count(*) - count(block_index) AS prose
FROM (SELECT attempt_id, block_index FROM blocks WHERE evidence IS NOT NULL AND status = 'repaired'
      UNION ALL SELECT attempt_id, NULL FROM issues WHERE code = 'call_in_prose')
GROUP BY attempt_id"""
BY_EVIDENCE = Counts(
    "parse_attempts",
    f"{_ATTEMPTS} JOIN ({_EVIDENCE}) USING (attempt_id)",
    "true",
    {
        "by_evidence": f"count(*) FILTER ({AUDITABLE} AND is_by_evidence AND {_READ})",
        "in_sentences": "sum(prose)::BIGINT",
    },
    is_by_session=False,
)
"""Few responses have such actions, so they are counted separately: a check of every response would take longer than everything else."""

CHECKING = Counts(
    "actions",
    "actions",
    IS_CHECKED,
    {"checked": "count(*)", "valid": f"count(*) FILTER ({_one_of('status', RUNNABLE)})"},
)
CHECKED_AS = Counts(
    "actions", "actions", "true", _words("status", ActionStatus, f"({STATUS_OF_ACTION})"), is_by_session=False
)


_ATTEMPTED = _one_of("status", ATTEMPTED)
ACTING = Counts(
    "executions",
    "executions",
    _ATTEMPTED,
    {
        "here_attempted": f"count(*) FILTER ({RUN_HERE})",
        "here_done": f"count(*) FILTER ({RUN_HERE} AND status = 'succeeded')",
        "elsewhere_attempted": f"count(*) FILTER ({RUN_ELSEWHERE})",
        "elsewhere_done": f"count(*) FILTER ({RUN_ELSEWHERE} AND status = 'succeeded')",
    },
)
ACTED_AS = Counts(
    "executions",
    "executions",
    "true",
    _words("here", ExecutionStatus, "status", f" AND {RUN_HERE}")
    | _words("elsewhere", ExecutionStatus, "status", f" AND {RUN_ELSEWHERE}"),
    is_by_session=False,
)
UNDOING = Counts(
    "executions",
    f"executions LEFT JOIN (SELECT action_id, true AS is_undone FROM ({TAKEN_BACK})) USING (action_id)",
    f"status = 'succeeded' AND {RUN_HERE}",
    {
        "done": "count(DISTINCT action_id)",
        "undone": "count(DISTINCT action_id) FILTER (is_undone)",
    },
)
ALL = (
    READING,
    READ_AS,
    BY_EVIDENCE,
    CHECKING,
    CHECKED_AS,
    ACTING,
    ACTED_AS,
    UNDOING,
)

RATES = {
    "intent": ("meant", "responses"),
    "parsed": ("read", "audited"),
    "strictly": ("strict", "audited"),
    "validated": ("valid", "checked"),
    "succeeded": ("here_done", "here_attempted"),
    "succeeded_elsewhere": ("elsewhere_done", "elsewhere_attempted"),
    "taken_back": ("undone", "done"),
}
"""Each rate as its numerator and denominator among the numbers of a session."""


def summed_sql(columns: Iterable[str], rates: Iterable[str]) -> str:
    """Return the select list over rows that represent ``alike`` sessions each: sums of numbers, then rates, by name."""
    sums = [f"coalesce(sum(alike * {name}), 0)::BIGINT AS {name}" for name in columns]
    return ", ".join([*sums, *(f"{rate_sql(*RATES[name], 'alike')} AS {name}" for name in rates)])


def by_word(words: Iterable[Word], prefix: str, row: Mapping[str, Any]) -> dict[Word, int]:
    """Return the counts of a closed list's words, without zeros."""
    counts = {word: row.get(f"{prefix}_{word}", 0) for word in words}
    return {word: count for word, count in counts.items() if count}


ROWS_APART = f"session_id IN (SELECT session_id FROM {NOT_ROLLED_UP})"
"""The condition on rows that must be queried directly, as SQL."""
_APART_OF_SOURCES = f"session_id IN (SELECT session_id FROM session_starts WHERE {ROWS_APART} AND list_contains($sources, source))"


@dataclass(frozen=True, slots=True)
class Label:
    """How sessions are split."""

    of_rows: str  # the label of a table's rows, as SQL
    join: str  # the join that this needs
    of_parts: str  # the label of rolled-up parts, as SQL
    is_of_readings: bool = False  # whether parse attempts have the column themselves
    # columns that each form a split, next to one over all rows; empty if there is only one split
    sets: tuple[str, ...] = ()


UNSPLIT = Label("''", "", "''")

_BETWEEN = "\x1f"


def splits_together(columns: Sequence[str]) -> Label:
    """Return a label that splits rows by each of some columns and not at all, in one statement: planning takes longer than running it."""
    every = 2 ** len(columns) - 1
    cases = [
        f"WHEN {every - 2**place} THEN '{name}{_BETWEEN}' || {name}"
        for place, name in enumerate(reversed(columns))
    ]
    named = f"CASE GROUPING({', '.join(columns)}) {' '.join(cases)} ELSE '' END"
    return Label(named, "", "", sets=tuple(columns))


def told_apart(found: Mapping[str, _Part], columns: Sequence[str]) -> dict[str, dict[str, _Part]]:
    """Return the labelled results of ``splits_together`` as separate splits, by column; the unsplit one has an empty name."""
    parts: dict[str, dict[str, _Part]] = {name: {} for name in ("", *columns)}
    for label, value in found.items():
        column, _, rest = label.partition(_BETWEEN)
        parts[column][rest] = value
    return parts


def rolled_scope(ledger: Queryable, within: Filter, *, every_reading: bool = False) -> Scope | None:
    """Return a filter as a condition on parts of sessions; None if they can't answer, so that rows must be queried."""
    if not within.is_of_days or not getattr(ledger, "has_rollup", False):
        return None
    parts, parameters = of_session(replace(within, sources=()))
    times = {"since": ("day >= $since", within.since), "until": ("day < $until", within.until)}
    lists = {"sources": ("source", within.sources), "captures": ("capture", within.captures)}
    for name, (column, values) in lists.items():
        if values:
            parts.append(f"list_contains(${name}, {column})")
            parameters[name] = list(values)
    for name, (condition, at) in times.items():
        if at is not None:
            parts.append(condition)
            parameters[name] = at
    if within.run_id is not None:
        parts.append("run_id = $run_id::UUID")
        parameters["run_id"] = within.run_id
    elif not every_reading:
        parts.append("is_first")
    return Scope(" AND ".join(parts) or "true", parameters)


def counted(
    counts: Sequence[Counts],
    within: Filter,
    rolled: Scope | None,
    label: Label = UNSPLIT,
    *,
    every_reading: bool = False,
) -> Scope:
    """Return the statement that counts sessions: rows of ``label``, ``alike`` (the number of equal sessions), and their numbers, NULL for none."""
    statements: list[str] = []
    parameters: dict[str, object] = {}
    if rolled is not None:
        columns = [name for each in counts for name in each.columns]
        statements.append(_of_parts(columns, rolled.condition, label))
        parameters |= rolled.parameters
    apart, of_rows = rows_beside(within, rolled)
    for each in counts:
        condition, values = scope(of_rows, each.table, every_reading=every_reading)
        statements.append(_of_rows(each, condition, label, apart))
        parameters |= values
    return Scope(" UNION ALL BY NAME ".join(statements), parameters)


def rows_beside(within: Filter, rolled: Scope | None) -> tuple[str, Filter]:
    """Return the condition on rows that are queried next to the rollups."""
    if rolled is None:
        return "", within
    if not within.sources:
        return f"{ROWS_APART} AND ", within
    # Only these few rows are checked for their source; the parameter is among those of the parts.
    return f"{_APART_OF_SOURCES} AND ", replace(within, sources=())


def _of_rows(counts: Counts, condition: str, label: Label, apart: str) -> str:
    # The condition on rows comes first: DuckDB otherwise joins a view of two tables completely before it applies the others.
    numbers = ", ".join(f"{aggregate} AS {name}" for name, aggregate in counts.columns.items())
    join = "" if label.is_of_readings and counts.table == "parse_attempts" else label.join
    by = ", session_id" if counts.is_by_session else ""
    grouped = f"label{by}"
    if label.sets:
        own = by.removeprefix(", ")
        grouped = f"GROUPING SETS (({own}), {', '.join(f'({name}{by})' for name in label.sets)})"
    return (
        f"SELECT {label.of_rows} AS label, 1::BIGINT AS alike, {numbers} FROM {counts.source} {join} "
        f"WHERE {apart}{counts.which} AND {condition} GROUP BY {grouped}"
    )


def _of_parts(columns: Sequence[str], condition: str, label: Label) -> str:
    """Return the statement over parts: a session's single part by its kind, or the sum of several that a filter selects."""
    sums = ", ".join(f"sum({name})::BIGINT AS {name}" for name in columns)
    return f"""
        SELECT label, alike, {", ".join(columns)}
        FROM (SELECT {label.of_parts} AS label, kind, count(*) AS alike FROM {PARTS}
              WHERE {condition} AND is_alone GROUP BY ALL) JOIN {KINDS} USING (kind)
        UNION ALL BY NAME
        SELECT {label.of_parts} AS label, 1 AS alike, {sums} FROM {PARTS} JOIN {KINDS} USING (kind)
        WHERE {condition} AND NOT is_alone GROUP BY label, session_id"""


def failing_parts(condition: str) -> str:
    """Return, as SQL, the sessions that meant to act and their failures: tables to put after WITH."""
    return f"""
kinds_of_parts AS (
    SELECT kind, count(*) AS alike, min(session_id) AS session_id FROM {PARTS} WHERE {condition} AND is_alone GROUP BY kind),
together AS (
    SELECT session_id, sum(meant)::BIGINT AS size FROM {PARTS} JOIN {KINDS} USING (kind)
    WHERE {condition} AND NOT is_alone GROUP BY session_id),
sizes_of_parts AS (
    SELECT alike, meant::BIGINT AS size FROM kinds_of_parts JOIN {KINDS} USING (kind)
    UNION ALL SELECT 1, size FROM together),
failures_of_parts AS (
    SELECT stage, code, action, origin, alike, hits::BIGINT AS hits, turns::BIGINT AS turns, meant::BIGINT AS size, session_id
    FROM kinds_of_parts JOIN {KINDS} USING (kind) JOIN {FAILURES} USING (kind)
    UNION ALL
    SELECT stage, code, action, origin, 1, sum(hits)::BIGINT, sum(turns)::BIGINT, any_value(size), session_id
    FROM {PARTS} JOIN {FAILURES} USING (kind) JOIN together USING (session_id)
    WHERE {condition} AND NOT is_alone GROUP BY ALL)"""


def parts_read_in(condition: str, label: Label) -> str:
    """Return, as SQL, the dialects in which parts were parsed: tables to put after WITH."""
    return f"""
alone AS (SELECT {label.of_parts} AS label, kind, count(*) AS alike FROM {PARTS} WHERE {condition} AND is_alone GROUP BY ALL),
together AS (SELECT {label.of_parts} AS label, session_id, kind FROM {PARTS} WHERE {condition} AND NOT is_alone),
sizes_of_parts AS (
    SELECT label, kind::UHUGEINT::UUID AS unit, alike, audited::BIGINT AS size FROM alone JOIN {KINDS} USING (kind)
    UNION ALL SELECT label, session_id, 1, sum(audited)::BIGINT FROM together JOIN {KINDS} USING (kind) GROUP BY label, session_id),
read_of_parts AS (
    SELECT label, dialect, kind::UHUGEINT::UUID AS unit, read::BIGINT AS read FROM alone JOIN {DIALECTS} USING (kind)
    UNION ALL SELECT label, dialect, session_id, sum(read)::BIGINT FROM together JOIN {DIALECTS} USING (kind) GROUP BY ALL)"""
