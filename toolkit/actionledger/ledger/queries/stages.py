"""How far responses and actions get, step by step, the dialects that they were parsed from, and the durations of executions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from actionledger.core.rates import Rate
from actionledger.core.vocabulary import Capture, Ending, ExecutionStatus, Origin, Outcome
from actionledger.ledger.queries.base import (
    ATTEMPTED,
    AUDITABLE,
    INTENT,
    READ,
    TOOK,
    Queryable,
    rate_sql,
    rows,
)
from actionledger.ledger.queries.filters import EVERYTHING, NO_DIALECT, Filter, rated
from actionledger.ledger.queries.funnel import LABELS, Dimension, Funnel
from actionledger.ledger.queries.marks import Mark
from actionledger.ledger.queries.rolled import UNSPLIT, Label, parts_read_in, rolled_scope, rows_beside
from actionledger.ledger.queries.scopes import scope

WHOLE = Mark(outcomes=tuple(str(outcome) for outcome in Outcome if outcome.is_success))
MEANT = Mark(outcomes=tuple(str(outcome) for outcome in Outcome if outcome.has_intent))
"""``WHOLE`` selects the responses that were fully parsed, ``MEANT`` those that meant to act."""
UNACTED = Mark(endings=tuple(str(ending) for ending in Ending if ending.is_failure))
"""The responses that stopped without acting or could not be parsed."""
NOT_MEANT = Mark(
    outcomes=tuple(
        str(outcome) for outcome in Outcome if not outcome.has_intent and outcome is not Outcome.NOT_RECORDED
    )
)
WITH_ACTIONS = Mark(outcomes=("clean", "repaired", "partial"))
UNREAD, REFUSED = Mark(stage="reading"), Mark(stage="checking")
_AUDITED = tuple(str(capture) for capture in Capture if capture.is_auditable)
_UNAUDITED = tuple(
    str(capture) for capture in Capture if not capture.is_auditable and capture is not Capture.NONE
)
UNAUDITED = replace(MEANT, captures=_UNAUDITED)
"""The responses that meant to act and are in no parse rate."""
_ATTEMPTED = [status for status in ExecutionStatus if status.was_attempted]
_UNTRIED = [status for status in ExecutionStatus if not status.was_attempted]
TRIED_ELSEWHERE = Mark(executions=tuple(map(str, _ATTEMPTED)), origin=Origin.RECORDED)
"""The responses with an attempted execution of another runtime, as recorded."""
_MISSED = [status for status in _ATTEMPTED if status is not ExecutionStatus.SUCCEEDED]


@dataclass(frozen=True, slots=True)
class Step:
    """One bar of a chart."""

    label: str  # the name of the count
    count: int  # how many reached this step
    of: int  # how many reached the step before
    opens: Mark | None = None  # selects the turns that reached it; None if no mark selects them
    lost_opens: Mark | None = None  # selects the turns that were lost before it; None if no mark selects them
    missing: str = "lost"  # the name of those, after their number

    @property
    def lost(self) -> int:
        """How many reached the step before this one, but not this one."""
        return max(self.of - self.count, 0)


@dataclass(frozen=True, slots=True)
class Stage:
    """The steps of one part of a funnel."""

    label: str
    steps: Sequence[Step]  # from the first to the last


def audited(mark: Mark, found: Funnel) -> Mark:
    """Return a mark without the responses that are in no parse rate, if there are any."""
    return replace(mark, captures=_AUDITED) if found.not_auditable else mark


def stages_of(found: Funnel) -> list[Stage]:
    """Return the stages of a funnel, without those that nothing reached."""
    stages = [
        Stage("Reading: responses", _reading(found)),
        Stage("Checking: actions", _checking(found)),
        Stage("Executing: tries here", _executing(found.tries, found.execution, Origin.RUNTIME)),
        Stage(
            "Executing: tries elsewhere, as recorded",
            _executing(found.recorded, found.recorded_execution, Origin.RECORDED),
        ),
    ]
    return [stage for stage in stages if stage.steps and stage.steps[0].count]


def _reading(found: Funnel) -> list[Step]:
    steps = [
        Step("Responses", found.responses, found.responses, Mark()),
        Step("Meant to act", found.intent, found.responses, MEANT, NOT_MEANT, "did not"),
    ]
    count = found.parse_success.count
    if found.not_auditable:
        lost = "can't be"
        steps.append(Step("Can be audited", count, found.intent, audited(MEANT, found), UNAUDITED, lost))
    if count:
        steps += [
            Step("Parsed", found.parsed, count, audited(WHOLE, found), UNREAD, "not parsed"),
            Step("With a valid action", found.with_valid, found.parsed, missing="without"),
        ]
    return steps


def _checking(found: Funnel) -> list[Step]:
    steps = [Step("Read", found.decoded, found.decoded, WITH_ACTIONS)]
    if found.validation.count < found.decoded:
        steps.append(
            Step("Checked against a schema", found.validation.count, found.decoded, missing="without")
        )
    if found.validation.count:
        checked = found.validation
        steps.append(Step("Valid", checked.successes, checked.count, None, REFUSED, "refused"))
    return steps


def _executing(tries: Mapping[ExecutionStatus, int], succeeded: Rate, origin: Origin) -> list[Step]:
    def mark(*statuses: ExecutionStatus) -> Mark:
        return Mark(executions=tuple(str(status) for status in statuses), origin=origin)

    whole, tried = sum(tries.values()), succeeded.count
    steps = [
        Step("Asked for", whole, whole, mark()),
        Step("Tried", tried, whole, mark(*_ATTEMPTED), mark(*_UNTRIED), "not tried"),
        Step(
            "Succeeded",
            succeeded.successes,
            tried,
            mark(ExecutionStatus.SUCCEEDED),
            mark(*_MISSED),
            "did not succeed",
        ),
    ]
    return steps if tried < whole else steps[1:]


@dataclass(frozen=True, slots=True)
class ReadIn:
    """How many responses were fully parsed from one dialect."""

    label: str  # the dimension's value
    dialect: str  # the dialect of most of their blocks with actions; `"none"` if they have no such block
    # those responses, of all with the label that meant to act and can be audited. The shares of a label sum up to its parse success
    share: Rate


_READ_IN = """
WITH {of_parts} meant AS (
    SELECT {label} AS label, session_id AS unit, outcome, dialect
    FROM (SELECT *, run_id AS reader FROM parse_attempts) {join}
    WHERE {apart} {auditable} AND list_contains($intent, outcome) AND {condition}),
sizes AS (SELECT label, unit, 1 AS alike, count(*) AS size FROM meant GROUP BY label, unit {sizes_of_parts}),
found AS (
    SELECT label, dialect, unit, count(*) AS read FROM meant
    WHERE list_contains($read, outcome) GROUP BY label, dialect, unit {read_of_parts}),
by_session AS (
    SELECT label, dialect, alike, size, coalesce(read, 0) AS read
    FROM (SELECT DISTINCT label, dialect FROM found) JOIN sizes USING (label)
    LEFT JOIN found USING (label, dialect, unit))
SELECT label, CASE dialect WHEN '' THEN '{no_dialect}' ELSE dialect END AS dialect, {share} AS share FROM by_session
GROUP BY label, dialect ORDER BY label, sum(alike * read) DESC, dialect"""


def dialects_by(ledger: Queryable, dimension: Dimension, within: Filter = EVERYTHING) -> list[ReadIn]:
    """Return the dialects that responses were parsed from, for each value of a dimension."""
    label = LABELS[dimension]
    return _read_in(ledger, replace(label, join="") if dimension == "run" else label, within)


def dialects(ledger: Queryable, within: Filter = EVERYTHING) -> list[ReadIn]:
    """Return the dialects that all responses together were parsed from, the most frequent first."""
    return _read_in(ledger, UNSPLIT, within)


def _read_in(ledger: Queryable, label: Label, within: Filter) -> list[ReadIn]:
    rolled = rolled_scope(ledger, rated(within))
    apart, of_rows = rows_beside(rated(within), rolled)
    condition, parameters = scope(of_rows)
    query = _READ_IN.format(
        label=label.of_rows,
        join=label.join,
        apart=apart,
        condition=condition,
        of_parts="" if rolled is None else f"{parts_read_in(rolled.condition, label)},",
        sizes_of_parts="" if rolled is None else "UNION ALL FROM sizes_of_parts",
        read_of_parts="" if rolled is None else "UNION ALL FROM read_of_parts",
        no_dialect=NO_DIALECT,
        share=rate_sql("read", "size", "alike"),
        auditable=AUDITABLE,
    )
    of_parts = {} if rolled is None else rolled.parameters
    return rows(ledger, ReadIn, query, {**parameters, **of_parts, "intent": INTENT, "read": READ})


@dataclass(frozen=True, slots=True)
class Pace:
    """Durations of the attempted executions of one side."""

    origin: Origin  # who ran them
    timeouts: Rate  # those that timed out, of all that were attempted
    timed: int  # how many have a known duration
    median_ms: float | None  # their median duration, in milliseconds; None if there is none
    p95_ms: float | None  # their 95th percentile, in milliseconds; None if there is none


_PACE = f"""
WITH tried AS (
    SELECT origin, session_id, status = '{ExecutionStatus.TIMED_OUT}' AS is_late, {TOOK} AS took
    FROM executions WHERE {{condition}} AND list_contains($attempted, status)),
by_session AS (
    SELECT origin, count(*) AS tried, count(*) FILTER (is_late) AS late FROM tried GROUP BY origin, session_id),
late AS (SELECT origin, {{timeouts}} AS timeouts FROM by_session GROUP BY origin),
times AS (
    SELECT origin, count(took) AS timed, median(took) AS median_ms, quantile_cont(took, 0.95) AS p95_ms
    FROM tried GROUP BY origin)
SELECT origin, timeouts, timed, median_ms, p95_ms FROM late JOIN times USING (origin) ORDER BY origin DESC"""


def pace(ledger: Queryable, within: Filter = EVERYTHING) -> list[Pace]:
    """Return the durations of executions in the responses that a filter selects, by who ran them."""
    condition, parameters = scope(rated(within), "executions")
    statement = _PACE.format(condition=condition, timeouts=rate_sql("late", "tried"))
    return rows(ledger, Pace, statement, parameters | {"attempted": ATTEMPTED})
