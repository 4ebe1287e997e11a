"""Compares recordings with this toolkit's own results: calls of other runtimes, verdicts of judges, and execution times."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from actionledger.core.errors import called, require_number
from actionledger.core.rates import Cells, Clustering, Rate, clustered
from actionledger.core.vocabulary import Reason
from actionledger.ledger.queries.base import (
    ATTEMPTED,
    OF_ACTIONS,
    RUN_ELSEWHERE,
    RUN_HERE,
    TOOK,
    Queryable,
    as_rate,
    rate_sql,
    refuse_no_ledger,
    rows,
)
from actionledger.ledger.queries.filters import EVERYTHING, Filter, rated
from actionledger.ledger.queries.funnel import LABELS, Dimension
from actionledger.ledger.queries.scopes import FIRST_EXECUTIONS, FIRST_READING, scope, turn_scope

Here: TypeAlias = Literal["valid", "not_checked", "refused", "shown", "needs_approval", "not_read"]
"""The result for a call here: valid, read without a catalogue, refused by it, taken as an illustration, left to a person's approval, or not read."""

There: TypeAlias = Literal["taken", "refused", "not_run"]
"""The other runtime's result for it: accepted, whatever its outcome; refused; or not recorded, in a session that has recorded results."""

_AGREE = frozenset(
    {("valid", "taken"), ("not_checked", "taken"), ("refused", "refused"), ("not_read", "refused")}
    | {("shown", "not_run"), ("refused", "not_run"), ("needs_approval", "not_run")}
)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A call that only this toolkit or only the other runtime accepts.

    Args:
        session_id, turn_index: identify the turn.
        name: the call's name on the side that has it.
        source: the session's source.
        here, there: the result on each side.
        reason: why it is refused or an illustration, on either side; None if unknown.
    """

    session_id: str
    turn_index: int
    name: str
    source: str
    here: Here
    there: There
    reason: Reason | None


@dataclass(frozen=True, slots=True)
class Agreement:
    """How often this toolkit agrees with the runtimes that the sessions were recorded from.

    Args:
        counts: the number of calls for each pair of results here and there.
        rate: calls on which both agree, of all calls; clustered by session.
        by_source: the same rate for each source.
        differing: some of the calls on which they differ.

    Example:
        >>> call = al.RecordedCall("1", "read", {"path": "a.py"})
        >>> results = (al.RecordedResult("1", "text"),)
        >>> turn = al.RecordedTurn(0, "", calls=(call,), results=results, capture=al.Capture.CALLS)
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     imported = al.import_sessions(ledger, [al.RecordedSession("s", None, "m", "", (turn,))])
        ...     found = al.agreement(ledger)
        >>> found.counts, found.rate.successes
        ({('not_checked', 'taken'): 1}, 1)
    """

    counts: Mapping[tuple[Here, There], int]
    rate: Rate
    by_source: Mapping[str, Rate]
    differing: tuple[Disagreement, ...]


_REFUSED_THERE = f"('{Reason.SCHEMA_ERROR}', '{Reason.UNKNOWN_ACTION}', '{Reason.REFUSED_ARGUMENTS}', '{Reason.MALFORMED_JSON}')"

_CALLS = f"""
WITH ran AS (
    SELECT turn_id, session_id, turn_index, action_id, name, arg_max(reason, try_number) AS reason
    FROM executions WHERE {RUN_ELSEWHERE} AND {OF_ACTIONS} AND {FIRST_EXECUTIONS} AND {{condition}}
    GROUP BY turn_id, session_id, turn_index, action_id, name),
read AS (
    SELECT turn_id, session_id, turn_index, action_id, name, status, reason, catalogue
    FROM actions SEMI JOIN (SELECT DISTINCT session_id FROM ran) USING (session_id)
    WHERE {FIRST_READING} AND {{condition}}),
calls AS (
    SELECT coalesce(read.session_id, ran.session_id) AS session_id, coalesce(read.turn_index, ran.turn_index) AS turn_index,
           coalesce(read.name, ran.name) AS name,
           CASE WHEN read.action_id IS NULL THEN 'not_read' WHEN read.status = 'illustration' THEN 'shown'
                WHEN read.status = 'needs_approval' THEN 'needs_approval'
                WHEN read.status IN ('invalid', 'unknown') THEN 'refused'
                WHEN read.catalogue IS NULL THEN 'not_checked' ELSE 'valid' END AS here,
           CASE WHEN ran.action_id IS NULL THEN 'not_run' WHEN ran.reason IN {_REFUSED_THERE} THEN 'refused'
                ELSE 'taken' END AS there,
           CASE WHEN here IN ('shown', 'refused', 'needs_approval') THEN read.reason WHEN there = 'refused' THEN ran.reason END AS reason
    FROM read FULL JOIN ran USING (action_id)),
named AS (
    SELECT calls.*, source FROM calls JOIN (SELECT session_id, source FROM session_starts) USING (session_id))
"""

_BY_SESSION = """
SELECT session_id::VARCHAR, source, here, there, count(*) FROM named GROUP BY ALL ORDER BY ALL"""

_DIFFERING = """
SELECT session_id::VARCHAR AS session_id, turn_index, name, source, here, there, reason FROM named
WHERE NOT list_contains($agree, here || ' ' || there) ORDER BY source, session_id, turn_index, name LIMIT $limit"""


def agreement(ledger: Queryable, within: Filter = EVERYTHING, *, limit: int = 200) -> Agreement:
    """Return how far this toolkit and the recorded runtimes agree, call by call.

    Only sessions with recorded results of another runtime count. The import has matched the calls of both sides.

    Args:
        ledger: the ledger to query.
        within: selects the responses; its run is ignored.
        limit: the most differing calls to return; the counts include all.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     found = al.agreement(ledger)
        >>> found.rate.count, found.differing
        (0, ())
    """
    refuse_no_ledger(ledger)
    require_number("limit", limit, least=0)
    condition, parameters = turn_scope(replace(rated(within), run_id=None))
    calls = _CALLS.format(condition=condition)
    counts: dict[tuple[Here, There], int] = {}
    sessions: dict[str, dict[str, tuple[int, int]]] = {}
    for session, source, here, there, count in ledger.sql(calls + _BY_SESSION, parameters).fetchall():
        counts[here, there] = counts.get((here, there), 0) + count
        of_source = sessions.setdefault(source, {})
        agreed, whole = of_source.get(session, (0, 0))
        of_source[session] = (agreed + count * ((here, there) in _AGREE), whole + count)
    agree = [f"{here} {there}" for here, there in sorted(_AGREE)]
    differing = rows(ledger, Disagreement, calls + _DIFFERING, parameters | {"agree": agree, "limit": limit})
    everything = [pair for of_source in sessions.values() for pair in of_source.values()]
    return Agreement(
        dict(sorted(counts.items(), key=lambda pair: -pair[1])),
        clustered(everything),
        {source: clustered(of_source.values()) for source, of_source in sorted(sessions.items())},
        tuple(differing),
    )


@dataclass(frozen=True, slots=True)
class RecordedVerdicts:
    """What the recordings of one label report about their sessions."""

    label: str  # the dimension's value; empty without a dimension
    # sessions that their source calls successful, of those with a recorded success or failure
    succeeded: Rate
    took: Rate  # responses in which the harness accepted an action, of those that it counted


_VERDICTS = """
WITH read AS (
    SELECT DISTINCT {label} AS label, session_id FROM (SELECT *, run_id AS reader FROM parse_attempts) {join} WHERE {condition})
SELECT label, success, took, counted, count(*)
FROM read JOIN (SELECT session_id, success, took, counted FROM recorded_verdicts) USING (session_id) GROUP BY ALL"""


def recorded_verdicts(
    ledger: Queryable, dimension: Dimension | None = None, within: Filter = EVERYTHING
) -> list[RecordedVerdicts]:
    """Return what recordings report about their sessions by a dimension's labels (None: one row), the most sessions first; one selected response suffices."""
    refuse_no_ledger(ledger)
    label = None if dimension is None else called(dimension, "way to group responses", LABELS)
    condition, parameters = scope(rated(within))
    query = _VERDICTS.format(
        label="''" if label is None else label.of_rows,
        join="" if label is None else label.join,
        condition=condition,
    )
    verdicts: defaultdict[str, Counter[bool]] = defaultdict(Counter)
    counts: defaultdict[str, Counter[tuple[int, int]]] = defaultdict(Counter)
    for name, success, took, counted, sessions in ledger.sql(query, parameters).fetchall():
        if success is not None:
            verdicts[name][success] += sessions
        if counted:
            counts[name][counted, took] += sessions
    found = [
        RecordedVerdicts(name, Rate(verdicts[name][True], verdicts[name].total()), _rate(counts[name]))
        for name in {**verdicts, **counts}
    ]
    return sorted(found, key=lambda each: (-each.succeeded.count, -each.took.count, each.label))


def _rate(cells: Cells) -> Rate:
    """Return the rate over sessions, which are counted by their sizes and hits."""
    sessions = [(count, hits, alike) for (count, hits), alike in cells.items()]
    things = sum(count * alike for count, _, alike in sessions)
    clustering = Clustering(
        sum(cells.values()),
        sum(count * count * alike for count, _, alike in sessions),
        sum(hits * hits * alike for _, hits, alike in sessions),
        sum(count * hits * alike for count, hits, alike in sessions),
        cells,
    )
    return Rate(sum(hits * alike for _, hits, alike in sessions), things, clustering if things else None)


CODE_ACTIONS = ("execute_code", "execute", "execute_command")
"""The actions that run code or a program; their duration depends on the code, not on the toolkit."""


@dataclass(frozen=True, slots=True)
class Timings:
    """Durations of the attempted executions that were run here."""

    count: int  # executions of actions that run no code, if their duration is known
    mean_ms: float | None  # their mean duration, in milliseconds; None if there is none
    p95_ms: float | None  # the 95th percentile of their duration, in milliseconds; None if there is none
    code_timeouts: Rate  # executions of code that timed out, of all executions of code
    code_limits: int  # executions of code that were stopped at another limit


_TIMINGS = """
WITH found AS (
    SELECT session_id, status, reason, is_code,
           {took} AS duration_ms
    FROM (SELECT *, list_contains($code, name) AS is_code FROM executions)
    WHERE {run_here} AND {condition} AND list_contains($attempted, status)),
by_session AS (
    SELECT count(*) AS code, count(*) FILTER (status = 'timed_out') AS late
    FROM found WHERE is_code GROUP BY session_id)
SELECT count(duration_ms) FILTER (NOT is_code), avg(duration_ms) FILTER (NOT is_code),
       quantile_cont(duration_ms, 0.95) FILTER (NOT is_code), (SELECT {late} FROM by_session),
       count(*) FILTER (is_code AND reason = 'code_limit')
FROM found"""


def timings(ledger: Queryable, within: Filter = EVERYTHING) -> Timings:
    """Return the durations of executions, those of code apart."""
    condition, parameters = scope(rated(within), "executions")
    words = {"code": list(CODE_ACTIONS), "attempted": ATTEMPTED}
    query = _TIMINGS.format(run_here=RUN_HERE, condition=condition, took=TOOK, late=rate_sql("late", "code"))
    [(count, mean, p95, late, limited)] = ledger.sql(query, parameters | words).fetchall()
    return Timings(count, mean, p95, as_rate(late), limited)
