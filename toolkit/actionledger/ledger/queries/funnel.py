"""How far responses and their actions get: the counts behind every rate that a report shows."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from actionledger.ledger.queries.base import (
    ATTEMPTED,
    AUDITABLE,
    INTENT,
    READ,
    RUN_ELSEWHERE,
    RUN_HERE,
    RUNNABLE,
    TAKEN_BACK,
    Queryable,
    as_rate,
    number,
    parse_rate,
    rate_sql,
)
from actionledger.ledger.queries.filters import EVERYTHING, Filter, rated
from actionledger.ledger.queries.scopes import scope, turn_scope
from actionledger.rates import Rate
from actionledger.vocabulary import ActionStatus, Capture, ExecutionStatus, Outcome

Dimension: TypeAlias = Literal["profile", "model", "task", "run", "source"]
"""What a funnel can be split by: what was known before a response was read, so that no rate is counted within its outcome."""


@dataclass(frozen=True, slots=True)
class Funnel:
    r"""What became of a set of responses.

    Args:
        outcomes: responses by what came of reading them.
        captures: responses that meant to act, by how much of them was kept.
        meant: responses that meant to act, of all.
        parse_success: responses that could be read whole, of those that meant to act and of which it was kept how they were
            written; where that is of none, refused with the word for it.
        strict_success: the same without a repair.
        only_shown: responses outside of the parse rates that hold actions all the same: illustrations and nothing else.
        by_evidence: responses that were read whole and hold actions that stand on evidence alone, without their format's marks.
        in_sentences: calls of offered tools that stand in a sentence: recorded, and neither read nor lost.
        with_valid: responses that were read whole, of the same ones, and have at least one action that may run.
        statuses: actions by what came of checking them.
        validation: valid and coerced actions among those that had a catalogue and were meant.
        tries: executions by what came of them; each try at an action is one.
        execution: executions that succeeded, of those that were attempted: the one execution rate, wherever it is shown.
        taken_back: actions whose changes were undone, and not redone since, of those of which a try succeeded.
        recorded: what came of the executions of other runtimes, as their recordings say.
        recorded_execution: of those, the ones that succeeded, of those that were attempted.

    Example:
        >>> text = '```actions\n{"actions": [{"type": "list_tasks"},]}\n```'
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turns = [runtime.handle(text), runtime.handle("Well.")]
        ...     found = al.funnel(ledger)
        >>> found.responses, found.intent, found.parsed, found.runnable
        (2, 1, 1, 1)
    """

    outcomes: Mapping[Outcome, int]
    captures: Mapping[Capture, int]
    meant: Rate
    parse_success: Rate
    strict_success: Rate
    only_shown: int
    by_evidence: int
    in_sentences: int
    with_valid: int
    statuses: Mapping[ActionStatus, int]
    validation: Rate
    tries: Mapping[ExecutionStatus, int]
    execution: Rate
    taken_back: Rate
    recorded: Mapping[ExecutionStatus, int]
    recorded_execution: Rate

    @property
    def responses(self) -> int:
        """How many responses were read or tried to."""
        return sum(self.outcomes.values())

    @property
    def intent(self) -> int:
        """How many responses meant to act."""
        return sum(count for outcome, count in self.outcomes.items() if outcome.has_intent)

    @property
    def parsed(self) -> int:
        """How many responses could be read whole, of those of which it was kept how they were written."""
        return self.parse_success.successes

    @property
    def not_auditable(self) -> int:
        """How many responses meant to act, and were recorded without how they were written: in no parse rate."""
        return self.intent - self.parse_success.count

    @property
    def decoded(self) -> int:
        """How many actions were read and meant."""
        return sum(self.statuses.values()) - self.illustrations

    @property
    def illustrations(self) -> int:
        """How many actions are shown rather than meant, in whatever response: they stand beside every parse rate."""
        return self.statuses.get(ActionStatus.ILLUSTRATION, 0)

    @property
    def runnable(self) -> int:
        """How many actions may go on to be executed."""
        return sum(count for status, count in self.statuses.items() if status.is_runnable)


_READING = """
WITH found AS NOT MATERIALIZED (
    SELECT {label} AS label, session_id, attempt_id, outcome, capture, action_count, valid_count, {auditable} AS is_auditable,
           list_contains($intent, outcome) AS is_meant, list_contains($read, outcome) AS is_read
    FROM (SELECT *, run_id AS reader FROM parse_attempts) {join} WHERE {condition}),
cells AS (
    SELECT label, outcome, capture, is_meant, count(*) AS things,
           count(*) FILTER (action_count > 0 AND NOT is_meant) AS only_shown,
           count(*) FILTER (is_auditable AND valid_count > 0 AND is_read) AS with_valid,
           count(*) FILTER (is_auditable AND is_by_evidence AND is_read) AS by_evidence,
           coalesce(sum(in_sentences), 0) AS in_sentences
    FROM found LEFT JOIN ({evidence}) USING (attempt_id) GROUP BY ALL),
outcomes AS ({outcomes}),
captures AS ({captures}),
whole AS (
    SELECT label, sum(only_shown)::BIGINT AS only_shown, sum(with_valid)::BIGINT AS with_valid,
           sum(by_evidence)::BIGINT AS by_evidence, sum(in_sentences)::BIGINT AS in_sentences
    FROM cells GROUP BY label),
by_session AS (
    SELECT label, count(*) AS responses, count(*) FILTER (is_meant) AS intent,
           count(*) FILTER (is_auditable AND is_meant) AS audited, count(*) FILTER (is_auditable AND is_read) AS read,
           count(*) FILTER (is_auditable AND outcome = 'clean') AS clean
    FROM found GROUP BY label, session_id),
rates AS (SELECT label, {meant} AS meant, {parsed} AS parsed, {strict} AS strict FROM by_session GROUP BY label)
SELECT label, outcomes, coalesce(captures, MAP {{}}), only_shown, with_valid, by_evidence, in_sentences, meant, parsed, strict
FROM rates JOIN whole USING (label) JOIN outcomes USING (label) LEFT JOIN captures USING (label)"""
"""The responses are scanned twice, for the few counts and by session: to keep them for the second time takes longer. What an outcome means
is asked where the column is still a dictionary: once for each of its words, and not for each response."""

_EVIDENCE = """
SELECT attempt_id, count(block_index) > 0 AS is_by_evidence, count(*) - count(block_index) AS in_sentences
FROM (SELECT attempt_id, block_index FROM blocks WHERE evidence IS NOT NULL AND status = 'repaired'
      UNION ALL SELECT attempt_id, NULL FROM issues WHERE code = 'call_in_prose')
GROUP BY attempt_id"""

_CHECKING = """
WITH found AS NOT MATERIALIZED (
    SELECT {label} AS label, session_id, status, catalogue IS NOT NULL AND status <> 'illustration' AS is_checked,
           list_contains($runnable, status) AS is_runnable
    FROM actions {join} WHERE {condition}),
cells AS (SELECT label, status, count(*) AS things FROM found GROUP BY label, status),
statuses AS ({statuses}),
by_session AS (
    SELECT label, count(*) FILTER (is_checked) AS checked,
           count(*) FILTER (is_checked AND is_runnable) AS valid
    FROM found GROUP BY label, session_id),
rates AS (SELECT label, {valid} AS valid FROM by_session GROUP BY label)
SELECT label, statuses, valid FROM rates JOIN statuses USING (label)"""

_ACTING = """
WITH cells AS (
    SELECT {label} AS label, session_id, status, list_contains($attempted, status) AS is_attempted, count(*) AS things
    FROM executions {join} WHERE {origin} AND {condition} GROUP BY ALL),
statuses AS ({statuses}),
by_session AS (
    SELECT label, coalesce(sum(things) FILTER (is_attempted), 0)::BIGINT AS attempted,
           coalesce(sum(things) FILTER (status = 'succeeded'), 0)::BIGINT AS succeeded
    FROM cells GROUP BY label, session_id),
rates AS (SELECT label, {succeeded} AS succeeded FROM by_session GROUP BY label)
SELECT label, statuses, succeeded FROM rates JOIN statuses USING (label)"""
"""What a view over two tables gives is joined once, and counted from the few rows that a session has of it."""

_UNDOING = """
WITH done AS (
    SELECT DISTINCT {label} AS label, session_id, action_id
    FROM executions {join} WHERE status = 'succeeded' AND {origin} AND {condition}),
undone AS (SELECT action_id, true AS is_undone FROM ({taken_back})),
by_session AS (
    SELECT label, count(*) AS done, count(*) FILTER (is_undone) AS done_and_undone
    FROM done LEFT JOIN undone USING (action_id) GROUP BY label, session_id)
SELECT label, {undone} FROM by_session GROUP BY label"""

_COUNTED = """
    SELECT label, map_from_entries(list({{'word': {word}, 'count': things}})) AS {name}
    FROM (SELECT label, {word}, sum(things)::BIGINT AS things FROM cells WHERE {which} GROUP BY ALL) GROUP BY label"""
_COUNTS = {
    "outcomes": _COUNTED.format(word="outcome", name="outcomes", which="true"),
    "captures": _COUNTED.format(word="capture", name="captures", which="is_meant"),
    "statuses": _COUNTED.format(word="status", name="statuses", which="true"),
}
"""How many of a label's ``cells`` have each word of a closed list, as SQL."""

_RATES = {
    "meant": rate_sql("intent", "responses"),
    "parsed": rate_sql("read", "audited"),
    "strict": rate_sql("clean", "audited"),
    "valid": rate_sql("valid", "checked"),
    "succeeded": rate_sql("succeeded", "attempted"),
    "undone": rate_sql("done_and_undone", "done"),
}
"""Each rate as SQL, over the counts of a label's sessions."""

_NOTHING: dict[str, object] = {
    "successes": 0,
    "count": 0,
    "clustering": {"sessions": 0, "sizes": 0, "totals": 0, "products": 0},
}
"""The rate of no session at all."""

_UNREAD = """
SELECT count(*) FROM (SELECT turn_id FROM turn_starts WHERE {condition}) AS turns
ANTI JOIN parse_attempts USING (turn_id)"""

_ATTEMPTS = "JOIN (SELECT attempt_id, run_id AS reader FROM parse_attempts) USING (attempt_id)"
_SESSIONS = "JOIN (SELECT session_id, source FROM session_starts) USING (session_id)"

LABELS: dict[Dimension, tuple[str, str]] = {
    "profile": ("profile", ""),
    "model": ("model", ""),
    "task": ("task", ""),
    "run": ("reader::VARCHAR", _ATTEMPTS),
    "source": ("source", _SESSIONS),
}
"""Each dimension's label and what has to be joined for it."""


def funnel(ledger: Queryable, within: Filter = EVERYTHING) -> Funnel:
    r"""Return how far the responses that a filter picks got: read, checked, executed.

    Args:
        ledger: what to ask.
        within: which responses.

    Example:
        >>> text = '```actions\n{"actions": [{"type": "list_tasks"},]}\n```'
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turns = [runtime.handle(text), runtime.handle("Well.")]
        ...     found = al.funnel(ledger, al.Filter(profiles=("assistant",)))
        >>> found.meant.successes, found.parse_success.successes, found.strict_success.successes
        (1, 1, 0)
    """
    return _funnels(ledger, within, "''", "").get("", _funnel())


def parse_success(ledger: Queryable, within: Filter = EVERYTHING) -> Rate:
    """Return the parse success of a funnel, where nothing else of it is needed.

    Args:
        ledger: what to ask.
        within: which responses.
    """
    found = _funnels(ledger, within, "''", "", is_reading_alone=True)
    return found.get("", _funnel()).parse_success


def funnel_by(
    ledger: Queryable, dimension: Dimension, within: Filter = EVERYTHING
) -> list[tuple[str, Funnel]]:
    """Return a funnel for each value of a dimension.

    Args:
        ledger: what to ask.
        dimension: what to split by.
        within: which responses; by run, and with no run picked, every run counts, re-readings included.

    Returns:
        Pairs of label and funnel, the label with the most responses first; a run's label is its id.
    """
    label, join = LABELS[dimension]
    found = _funnels(ledger, within, label, join, every_reading=dimension == "run")
    return sorted(found.items(), key=lambda pair: (-pair[1].responses, pair[0]))


def unread(ledger: Queryable, within: Filter = EVERYTHING) -> int:
    """Return how many responses were recorded and never read: what a crash between the two leaves.

    Args:
        ledger: what to ask.
        within: which responses.
    """
    condition, parameters = turn_scope(within)
    return number(ledger, _UNREAD.format(condition=condition), parameters)


def _funnels(
    ledger: Queryable,
    within: Filter,
    label: str,
    join: str,
    *,
    every_reading: bool = False,
    is_reading_alone: bool = False,
) -> dict[str, Funnel]:
    def rows(statement: str, table: str, origin: str = "", **words: list[str]) -> dict[str, tuple[Any, ...]]:
        condition, parameters = scope(rated(within), table, every_reading=every_reading)
        needed = "" if table == "parse_attempts" and join == _ATTEMPTS else join
        query = statement.format(
            label=label,
            join=needed,
            condition=condition,
            taken_back=TAKEN_BACK,
            auditable=AUDITABLE,
            evidence=_EVIDENCE,
            origin=origin,
            **_COUNTS,
            **_RATES,
        )
        return {row[0]: tuple(row[1:]) for row in ledger.sql(query, parameters | words).fetchall()}

    reading = rows(_READING, "parse_attempts", intent=INTENT, read=READ)
    if is_reading_alone:
        return {name: _funnel(found) for name, found in reading.items()}
    checking = rows(_CHECKING, "actions", runnable=RUNNABLE)
    here, elsewhere = (
        rows(_ACTING, "executions", origin, attempted=ATTEMPTED) for origin in (RUN_HERE, RUN_ELSEWHERE)
    )
    undoing = rows(_UNDOING, "executions", RUN_HERE)
    return {
        name: _funnel(reading[name], *(found.get(name, ()) for found in (checking, here, undoing, elsewhere)))
        for name in sorted(reading)
    }


def _funnel(
    reading: tuple[Any, ...] = (),
    checking: tuple[Any, ...] = (),
    here: tuple[Any, ...] = (),
    undoing: tuple[Any, ...] = (),
    elsewhere: tuple[Any, ...] = (),
) -> Funnel:
    nothing_read: tuple[Any, ...] = ({}, {}, 0, 0, 0, 0, _NOTHING, _NOTHING, _NOTHING)
    outcomes, captures, *counts, meant, parsing, strictness = reading or nothing_read
    only_shown, with_valid, by_evidence, in_sentences = counts
    parsed, strict = (parse_rate(rate, meant["successes"]) for rate in (parsing, strictness))
    statuses, valid = checking or ({}, _NOTHING)
    tries, succeeded = here or ({}, _NOTHING)
    [undone] = undoing or (_NOTHING,)
    recorded, recorded_success = elsewhere or ({}, _NOTHING)
    return Funnel(
        outcomes={Outcome(name): count for name, count in outcomes.items()},
        captures={Capture(name): count for name, count in captures.items()},
        meant=as_rate(meant),
        parse_success=parsed,
        strict_success=strict,
        only_shown=only_shown,
        by_evidence=by_evidence,
        in_sentences=in_sentences,
        with_valid=with_valid,
        statuses={ActionStatus(name): count for name, count in statuses.items()},
        validation=as_rate(valid),
        tries={ExecutionStatus(name): count for name, count in tries.items()},
        execution=as_rate(succeeded),
        taken_back=as_rate(undone),
        recorded={ExecutionStatus(name): count for name, count in recorded.items()},
        recorded_execution=as_rate(recorded_success),
    )
