"""Each failure, and its cost to its session until an action got through: the basis of groups of failures.

A turn **gets through** if one of its actions succeeds. In a session without recorded results (a benchmark's responses), a turn gets through if it
was fully parsed and has a valid action. A failure costs its own turn and the following ones, up to but not including the next turn that gets
through. If none does, it costs all turns to the session's end, and the session is **lost**. If a later try in the same turn succeeds, the failure
costs no turn.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple, get_args

from actionledger.core.values import Span
from actionledger.core.vocabulary import ExecutionStatus, Origin, Reason
from actionledger.ledger.queries.base import INTENT, READ, TOOK, Queryable, Stage, Streamable, maker, streamed
from actionledger.ledger.queries.filters import EVERYTHING, Filter, rated
from actionledger.ledger.queries.reasons import PLACES, failed
from actionledger.ledger.queries.scopes import Scope, scope
from actionledger.ledger.queries.trend import Unit

_HELD_BACK = [
    str(status) for status in (ExecutionStatus.SKIPPED, ExecutionStatus.PENDING, ExecutionStatus.DRY_RUN)
]
"""Statuses of executions that don't show whether a session gets through."""
COURSE_WORDS: dict[str, object] = {"held_back": _HELD_BACK, "read": READ}


@dataclass(frozen=True, slots=True)
class Spent:
    """The cost of consecutive turns of a session, or a sum of such costs.

    Args:
        turns: how many turns.
        counted: how many of them have recorded tokens.
        input_tokens, output_tokens: their sums.
        timed: how many of them have recorded times: the model's latency, or the duration of an execution.
        seconds: their sum, without the waiting time between them.
        priced: how many of them have a known cost: recorded, or from prices.
        cost_usd: their sum, in dollars.
        by_prices: how many of them have a cost from a price file or a price list.
        by_prices_usd: their sum, in dollars.
        written: how many of them have recorded output tokens.
    """

    turns: int = 0
    counted: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    timed: int = 0
    seconds: float = 0.0
    priced: int = 0
    cost_usd: float = 0.0
    by_prices: int = 0
    by_prices_usd: float = 0.0
    written: int = 0

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(
            self.turns + other.turns,
            self.counted + other.counted,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.timed + other.timed,
            self.seconds + other.seconds,
            self.priced + other.priced,
            self.cost_usd + other.cost_usd,
            self.by_prices + other.by_prices,
            self.by_prices_usd + other.by_prices_usd,
            self.written + other.written,
        )


@dataclass(frozen=True, slots=True)
class FailureAt:
    """One failure: where it occurred, and its cost to its session."""

    stage: Stage  # stage, code, action, origin: the failure, as in `queries.Failure`
    code: Reason
    action: str
    origin: Origin | None
    detail: str  # its particulars, for people; may contain model text
    matter: str  # the part of the detail that identifies the failure: for a refused field, without its value
    session_id: str
    turn_id: str
    turn_index: int
    attempt_id: str
    span: Span | None  # its text; None if it has none
    occurred_at: datetime | None  # the response's time, UTC without a zone; None if unknown
    period: datetime | None  # the start of its day or week
    # the next turn that gets through; its own if a later try of the action succeeded; None if none does
    next_index: int | None
    spent: Spent  # the cost of the turns from its own to that one


@dataclass(frozen=True, slots=True)
class MeantIn:
    """How many responses of a period meant to act.

    Args:
        period: its start, UTC without a zone; None for responses without a time.
        turns: how many.
        sessions: the number of their sessions.
    """

    period: datetime | None
    turns: int
    sessions: int


class Stretch(NamedTuple):
    """The cost of some consecutive turns of a session."""

    next_index: int | None  # the next turn after them that gets through; None if none does
    occurred_at: datetime | None  # the first response's time, UTC without a zone; None if unknown
    period: datetime | None  # the start of its day or week
    spent: Spent  # the cost of the turns


_END = 2**31 - 1
"""A position after every turn."""

_SUMS = {
    "turns": "1",
    "counted": "(coalesce(input_tokens, output_tokens) IS NOT NULL)::INTEGER",
    "input_tokens": "coalesce(input_tokens, 0)",
    "output_tokens": "coalesce(output_tokens, 0)",
    "timed": "(coalesce(latency_ms, took) IS NOT NULL)::INTEGER",
    "seconds": "(coalesce(latency_ms, 0) + coalesce(took, 0)) / 1000",
    "priced": "(cost_usd IS NOT NULL)::INTEGER",
    "cost_usd": "coalesce(cost_usd, 0)",
    "by_prices": "coalesce(cost_origin <> 'recorded', false)::INTEGER",
    "by_prices_usd": "CASE WHEN cost_origin <> 'recorded' THEN coalesce(cost_usd, 0) ELSE 0 END",
    "written": "(output_tokens IS NOT NULL)::INTEGER",
}
"""The SQL of a turn's share in each sum of ``Spent``."""

_BEFORE = ", ".join(f"coalesce(sum({taken}) OVER before, 0) AS {name}" for name, taken in _SUMS.items())
_DIFFERENCE = "{{" + ", ".join(f"'{name}': later.{name} - here.{name}" for name in _SUMS) + "}}"

COURSE = f"""
looked AS (SELECT DISTINCT session_id FROM {{of}}),
reader AS (
    SELECT attempt_id, session_id, turn_index, outcome, valid_count
    FROM parse_attempts SEMI JOIN looked USING (session_id) WHERE {{whole}}),
done AS (
    SELECT session_id, turn_index, attempt_id, action_index, turn_id, status, {TOOK} AS took
    FROM executions SEMI JOIN reader USING (attempt_id)),
acted AS (SELECT DISTINCT session_id FROM done WHERE NOT list_contains($held_back, status)),
through AS (
    SELECT session_id, turn_index FROM done WHERE status = 'succeeded'
    UNION
    SELECT session_id, turn_index FROM reader ANTI JOIN acted USING (session_id)
    WHERE list_contains($read, outcome) AND valid_count > 0),
took AS (SELECT turn_id, sum(took) AS took FROM done GROUP BY turn_id),
steps AS (
    SELECT session_id, turn_index, occurred_at, input_tokens, output_tokens, cost_usd, cost_origin, latency_ms, took,
           through.turn_index AS got_through
    FROM turn_starts SEMI JOIN looked USING (session_id)
    LEFT JOIN took USING (turn_id) LEFT JOIN through USING (session_id, turn_index)
    UNION ALL SELECT session_id, {_END}, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM looked),
course AS (
    SELECT session_id, turn_index, occurred_at, min(got_through) OVER behind AS next_index, {_BEFORE}
    FROM steps
    WINDOW before AS (
        PARTITION BY session_id ORDER BY turn_index ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
    behind AS (
        PARTITION BY session_id ORDER BY turn_index ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING))"""
"""Every turn of some sessions, with the next turn that gets through and the sums of the turns before it."""

NAMED = f"""
first_issues AS (
    SELECT attempt_id, code, min_by(detail, place) AS detail,
           CASE WHEN count(span_start) > 0 THEN [min_by(span_start, place), min_by(span_end, place)] END AS place
    FROM (SELECT attempt_id, code, detail, span_start, span_end,
                 coalesce(span_start, {_END})::BIGINT * {_END + 1} + coalesce(span_end, {_END}) AS place FROM issues)
    SEMI JOIN (SELECT attempt_id, code FROM found WHERE stage = 1) USING (attempt_id, code) GROUP BY attempt_id, code),
named AS (
    SELECT found.* EXCLUDE (detail, matter), place, coalesce(first_issues.detail, found.detail) AS detail,
           CASE stage WHEN 2 THEN found.matter ELSE coalesce(first_issues.detail, found.detail) END AS matter
    FROM found LEFT JOIN first_issues USING (attempt_id, code))"""
"""The columns of ``found`` in ``failed``, with the detail of the first issue if parsing failed, as SQL to append."""

PLACED = f"""
WITH {{failed}},
{NAMED},
{COURSE.replace("{of}", "found")},
again AS (SELECT DISTINCT attempt_id, action_index FROM done WHERE status = 'succeeded'),
placed AS (
    SELECT named.*, again.attempt_id IS NOT NULL AS is_done_again, here.occurred_at AS occurred_at,
           date_trunc($unit, here.occurred_at) AS period,
           CASE WHEN again.attempt_id IS NOT NULL THEN turn_index ELSE here.next_index END AS next_index
    FROM named LEFT JOIN again USING (attempt_id, action_index) JOIN course AS here USING (session_id, turn_index))"""
"""``placed``: one row per failure, with the next turn that gets through."""

SPAN = "CASE WHEN coalesce(place[1], span_start) IS NOT NULL THEN coalesce(place, [span_start, span_end]) END"
"""The span of a failure in ``placed``, as SQL. The next constant has the join that it needs."""
OF_ACTIONS = """
LEFT JOIN (SELECT attempt_id, action_index, span_start, span_end FROM actions) USING (attempt_id, action_index)"""

PAID = f"""
LEFT JOIN course AS here ON here.session_id = {{of}}.session_id AND here.turn_index = {{of}}.turn_index
LEFT JOIN course AS later ON later.session_id = {{of}}.session_id
    AND later.turn_index = coalesce({{of}}.next_index, {_END})"""
"""The join that computes the cost of the turns from ``here`` to ``later``, as SQL."""

_FAILURES = f"""{PLACED}
SELECT $stages[stage] AS stage, code, action, origin, detail, matter, placed.session_id::VARCHAR AS session_id,
       turn_id::VARCHAR AS turn_id, placed.turn_index AS turn_index, attempt_id::VARCHAR AS attempt_id, {SPAN} AS span,
       placed.occurred_at AS occurred_at, period, placed.next_index AS next_index, {_DIFFERENCE} AS spent
FROM placed {OF_ACTIONS} {PAID.replace("{of}", "placed")}
ORDER BY placed.session_id, placed.turn_index, placed.stage, attempt_id, action_index NULLS FIRST, code, detail"""

_STRETCHES = f"""
WITH asked AS (
    SELECT generate_subscripts($sessions, 1) AS place, unnest($sessions)::UUID AS session_id,
           unnest($firsts) AS first, unnest($lasts) AS last),
{COURSE.replace("{of}", "asked")}
SELECT place, last_one.next_index, here.occurred_at, date_trunc($unit, here.occurred_at), {_DIFFERENCE}
FROM asked JOIN course AS here ON here.session_id = asked.session_id AND here.turn_index = first
JOIN course AS last_one ON last_one.session_id = asked.session_id AND last_one.turn_index = last
JOIN course AS later ON later.session_id = asked.session_id
    AND later.turn_index = (SELECT min(turn_index) FROM course WHERE course.session_id = asked.session_id AND turn_index > last)
ORDER BY place"""

_MEANT = f"""
WITH meant AS (
    SELECT date_trunc($unit, occurred_at) AS period, session_id, turn_id, turn_index
    FROM parse_attempts WHERE list_contains($intent, outcome) AND {{condition}}),
of_sessions AS (
    SELECT period, session_id, count(*) AS readings, {PLACES}::BIGINT AS turns FROM meant GROUP BY period, session_id),
uncertain AS (SELECT DISTINCT session_id FROM of_sessions WHERE readings <> turns),
counted AS (
    SELECT period, session_id, turns FROM of_sessions ANTI JOIN uncertain USING (session_id)
    UNION ALL
    SELECT period, session_id, count(DISTINCT turn_id) FROM meant SEMI JOIN uncertain USING (session_id) GROUP BY ALL)
SELECT period, coalesce(sum(turns), 0)::BIGINT AS turns, count(DISTINCT session_id) AS sessions
FROM counted GROUP BY GROUPING SETS ((period), ()) ORDER BY grouping(period) DESC, period"""

_SIZES = f"""{_MEANT[: _MEANT.index("SELECT period, coalesce")]}
SELECT session_id::VARCHAR, sum(turns)::BIGINT FROM counted GROUP BY session_id ORDER BY session_id"""

_SHARED = """
WITH before AS (SELECT DISTINCT turn_id, session_id FROM parse_attempts WHERE {before}),
after AS (SELECT DISTINCT turn_id FROM parse_attempts WHERE {after})
SELECT count(*), count(DISTINCT session_id) FROM before SEMI JOIN after USING (turn_id)"""


def failures_at(
    ledger: Streamable,
    within: Filter = EVERYTHING,
    *,
    also_read_by: Filter | None = None,
) -> Iterator[FailureAt]:
    """Yield each failure in the responses that a filter selects, session by session, in the order of turns. Only turns whose responses ``also_read_by`` selects too are returned."""
    condition, parameters = scope(rated(within))
    if also_read_by is not None:
        other, values = _renamed(scope(also_read_by))
        condition += f" AND turn_id IN (SELECT turn_id FROM parse_attempts WHERE {other})"
        parameters |= values
    statement = _FAILURES.format(failed=failed(condition), whole=of_whole_sessions(within))
    yield from streamed(ledger, FailureAt, statement, parameters | words_of("week"), at_once=1000)


def stretches(
    ledger: Queryable,
    places: Sequence[tuple[str, int, int]],
    within: Filter = EVERYTHING,
    unit: Unit = "week",
) -> list[Stretch]:
    """Return the cost of stretches of sessions (each a session, its first and last turn), in the same order; the filter's parses say which turns get through."""
    if not places:
        return []
    sessions, firsts, lasts = (list(column) for column in zip(*places, strict=True))
    asked = {"sessions": sessions, "firsts": firsts, "lasts": lasts, "unit": unit} | COURSE_WORDS
    whole = scope(_without_times(within)).parameters
    found = ledger.sql(_STRETCHES.format(whole=of_whole_sessions(within)), asked | whole).fetchall()
    of = maker(Spent)
    return [Stretch(after, at, period, of(spent)) for _, after, at, period, spent in found]


def intended_by_period(ledger: Queryable, within: Filter, unit: Unit) -> list[MeantIn]:
    """Return how many responses meant to act: of all, then of each period, those without a time last."""
    found = ledger.sql(*scope(rated(within)).filled(_MEANT, intent=INTENT, unit=unit)).fetchall()
    return [MeantIn(*row) for row in found]


def intended_by_session(ledger: Queryable, within: Filter) -> dict[str, int]:
    """Return how many responses of each session meant to act."""
    return dict(ledger.sql(*scope(rated(within)).filled(_SIZES, intent=INTENT, unit="week")).fetchall())


def shared_turns(ledger: Queryable, before: Filter, after: Filter) -> tuple[int, int]:
    """Return how many turns have responses in both filters, and the number of their sessions."""
    condition, parameters = scope(before)
    other, values = _renamed(scope(after))
    [(turns, sessions)] = ledger.sql(
        _SHARED.format(before=condition, after=other), parameters | values
    ).fetchall()
    return turns, sessions


def _renamed(other: Scope) -> Scope:
    """Return a filter as SQL with renamed parameters, for use next to another filter."""
    values = {f"also_{name}": value for name, value in other.parameters.items()}
    return Scope(other.condition.replace("$", "$also_"), values)


def words_of(unit: Unit) -> dict[str, object]:
    """Return the parameters of the queries about failures."""
    return {"intent": INTENT, "stages": list(get_args(Stage)), "unit": unit} | COURSE_WORDS


def of_whole_sessions(within: Filter) -> str:
    """Return the condition for the parses that determine which turns get through, regardless of their time."""
    return scope(_without_times(within)).condition


def _without_times(within: Filter) -> Filter:
    return replace(within, since=None, until=None)
