"""How far responses and their actions get: the counts that every rate in a report is based on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from actionledger.core.errors import called
from actionledger.core.rates import Rate
from actionledger.core.vocabulary import ActionStatus, Capture, ExecutionStatus, Outcome
from actionledger.ledger.queries.base import Queryable, as_rate, number, parse_rate, refuse_no_ledger
from actionledger.ledger.queries.filters import EVERYTHING, Filter, rated
from actionledger.ledger.queries.rolled import (
    ACTING,
    ALL,
    CHECKING,
    RATES,
    READING,
    UNDOING,
    UNSPLIT,
    Counts,
    Label,
    by_word,
    counted,
    rolled_scope,
    splits_together,
    summed_sql,
    told_apart,
)
from actionledger.ledger.queries.scopes import Scope, turn_scope

Dimension: TypeAlias = Literal["profile", "model", "task", "run", "source"]
"""How a funnel can be split: by fields known before parsing, so that no rate is counted within its outcome."""


@dataclass(frozen=True, slots=True)
class Funnel:
    r"""The outcomes of a set of responses.

    Args:
        outcomes: responses by parse outcome.
        captures: responses that meant to act, by how much of them was kept.
        meant: responses that meant to act, of all.
        parse_success: responses that were fully parsed, of those that meant to act and whose raw text was kept; refused, with the reason, if there
            are none.
        strict_success: the same without repairs.
        only_shown: responses with nothing but illustrations: they hold actions, but are in no parse rate.
        by_evidence: fully parsed responses with actions recognized only by evidence, without their format's marks.
        in_sentences: calls of offered tools within a sentence: recorded, and neither parsed nor lost.
        with_valid: responses of the same set that were fully parsed and have at least one action that may run.
        statuses: actions by the result of their check.
        validation: valid and coerced actions, of those that were meant and had a catalogue.
        tries: executions by status; each try at an action is one.
        execution: executions that succeeded, of those that were attempted: the same execution rate everywhere.
        taken_back: actions whose changes were undone and not redone since, of those with a successful try.
        recorded: executions of other runtimes by status, as recorded.
        recorded_execution: those that succeeded, of those that were attempted.

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
        """How many responses were parsed, successfully or not."""
        return sum(self.outcomes.values()) - self.not_recorded

    @property
    def not_recorded(self) -> int:
        """How many responses have only recorded tokens and times: they are in no rate."""
        return self.outcomes.get(Outcome.NOT_RECORDED, 0)

    @property
    def intent(self) -> int:
        """How many responses meant to act."""
        return sum(count for outcome, count in self.outcomes.items() if outcome.has_intent)

    @property
    def parsed(self) -> int:
        """How many responses were fully parsed, of those whose raw text was kept."""
        return self.parse_success.successes

    @property
    def not_auditable(self) -> int:
        """How many responses meant to act and were recorded without raw text: they are in no parse rate."""
        return self.intent - self.parse_success.count

    @property
    def decoded(self) -> int:
        """How many actions were parsed and meant."""
        return sum(self.statuses.values()) - self.illustrations

    @property
    def illustrations(self) -> int:
        """How many actions are illustrations, in whatever response: they are in no parse rate."""
        return self.statuses.get(ActionStatus.ILLUSTRATION, 0)

    @property
    def need_approval(self) -> int:
        """How many parsed actions may not be meant, so that only a person can let them run: they are in no validation rate."""
        return self.statuses.get(ActionStatus.NEEDS_APPROVAL, 0)

    @property
    def runnable(self) -> int:
        """How many actions may be executed without a person's approval."""
        return sum(count for status, count in self.statuses.items() if status.is_runnable)


_SUMS = "SELECT label, {sums} FROM ({counted}) GROUP BY label"
_RATES: dict[Counts, tuple[str, ...]] = {
    READING: ("intent", "parsed", "strictly"),
    CHECKING: ("validated",),
    ACTING: ("succeeded", "succeeded_elsewhere"),
    UNDOING: ("taken_back",),
}
"""The rates that are computed from each group of counts."""

_TOLD_APART = (
    ("parse_success", READING, "parsed"),
    ("strict_success", READING, "strictly"),
    ("validation", CHECKING, "validated"),
    ("execution", ACTING, "succeeded"),
    ("recorded_execution", ACTING, "succeeded_elsewhere"),
)
"""The rates that keep their single sessions when two sides are compared."""

_CELLS = """
SELECT {size} AS size, {hits} AS hits, sum(alike)::BIGINT AS sessions FROM ({counted}) WHERE {size} > 0 GROUP BY ALL"""

_NOTHING: dict[str, object] = {
    "successes": 0,
    "count": 0,
    "clustering": {"sessions": 0, "sizes": 0, "totals": 0, "products": 0},
}
"""The rate of no session."""

_UNREAD = """
SELECT count(*) FROM (SELECT turn_id FROM turn_starts WHERE {condition}) AS turns
ANTI JOIN parse_attempts USING (turn_id)"""

_ATTEMPTS = "JOIN (SELECT attempt_id, run_id AS reader FROM parse_attempts) USING (attempt_id)"
_SESSIONS = "JOIN (SELECT session_id, source FROM session_starts) USING (session_id)"

LABELS: dict[Dimension, Label] = {
    "profile": Label("profile", "", "profile"),
    "model": Label("model", "", "model"),
    "task": Label("task", "", "task"),
    "run": Label("reader::VARCHAR", _ATTEMPTS, "run_id::VARCHAR", is_of_readings=True),
    "source": Label("source", _SESSIONS, "source"),
}
"""Each dimension's label, and the join that it needs."""


def funnel(ledger: Queryable, within: Filter = EVERYTHING) -> Funnel:
    r"""Return how far the responses that a filter selects got: parsed, checked, executed.

    Args:
        ledger: the ledger to query.
        within: selects the responses.

    Example:
        >>> text = '```actions\n{"actions": [{"type": "list_tasks"},]}\n```'
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turns = [runtime.handle(text), runtime.handle("Well.")]
        ...     found = al.funnel(ledger, al.Filter(profiles=("assistant",)))
        >>> found.meant.successes, found.parse_success.successes, found.strict_success.successes
        (1, 1, 0)
    """
    refuse_no_ledger(ledger)
    return _funnels(ledger, within, UNSPLIT).get("", _funnel({}))


def parse_success(ledger: Queryable, within: Filter = EVERYTHING, *, by_session: bool = False) -> Rate:
    """Return only the parse success of a funnel."""
    sums = _sums(ledger, [READING], rated(within), rolled_scope(ledger, within), UNSPLIT)
    rate = _funnel(sums.get("", {})).parse_success
    return _sessions(ledger, rate, rated(within), READING, "parsed") if by_session else rate


def with_sessions(ledger: Queryable, found: Funnel, within: Filter) -> Funnel:
    """Return a funnel whose rates include their single sessions, and not only their sums."""
    sessions = {
        name: _sessions(ledger, getattr(found, name), within, counts, rate)
        for name, counts, rate in _TOLD_APART
    }
    return replace(
        found,
        parse_success=sessions["parse_success"],
        strict_success=sessions["strict_success"],
        validation=sessions["validation"],
        execution=sessions["execution"],
        recorded_execution=sessions["recorded_execution"],
    )


def _sessions(ledger: Queryable, rate: Rate, within: Filter, counts: Counts, name: str) -> Rate:
    if rate.clustering is None or not rate.count:
        return rate
    hits, size = RATES[name]
    counting, parameters = counted([counts], within, rolled_scope(ledger, rated(within)))
    found = ledger.sql(_CELLS.format(size=size, hits=hits, counted=counting), parameters).fetchall()
    cells = {(size, hits): sessions for size, hits, sessions in found}
    return replace(rate, clustering=replace(rate.clustering, cells=cells))


def funnel_by(
    ledger: Queryable, dimension: Dimension, within: Filter = EVERYTHING
) -> list[tuple[str, Funnel]]:
    """Return a funnel for each label of a dimension, the most responses first; by run and without a selected run, every run counts, re-parses included."""
    refuse_no_ledger(ledger)
    label = called(dimension, "way to group responses", LABELS)
    return _largest_first(_funnels(ledger, within, label, every_reading=dimension == "run"))


def funnel_and_splits(
    ledger: Queryable, dimensions: Sequence[Dimension], within: Filter = EVERYTHING
) -> tuple[Funnel, dict[Dimension, list[tuple[str, Funnel]]]]:
    """Return the results of ``funnel``, and of ``funnel_by`` for some dimensions, in the time of one query."""
    if rolled_scope(ledger, rated(within)) is not None:
        return funnel(ledger, within), {name: funnel_by(ledger, name, within) for name in dimensions}
    refuse_no_ledger(ledger)
    parts = told_apart(_funnels(ledger, within, splits_together(dimensions)), dimensions)
    return parts[""].get("", _funnel({})), {name: _largest_first(parts[name]) for name in dimensions}


def _largest_first(found: Mapping[str, Funnel]) -> list[tuple[str, Funnel]]:
    counted_ones = [pair for pair in found.items() if pair[1].responses]
    return sorted(counted_ones, key=lambda pair: (-pair[1].responses, pair[0]))


def unread(ledger: Queryable, within: Filter = EVERYTHING) -> int:
    """Return how many responses were recorded and never parsed, as a crash between the two leaves them."""
    return number(ledger, *turn_scope(within).filled(_UNREAD))


def _funnels(
    ledger: Queryable, within: Filter, label: Label, *, every_reading: bool = False
) -> dict[str, Funnel]:
    rolled = rolled_scope(ledger, rated(within), every_reading=every_reading)
    # One query over the rollups suffices; rows are so many that each table is summed up separately.
    together = [list(ALL)] if rolled is not None else [[counts] for counts in ALL]
    found: dict[str, dict[str, Any]] = {}
    for counts in together:
        sums = _sums(ledger, counts, within, rolled, label, every_reading=every_reading)
        for name, row in sums.items():
            found.setdefault(name, {}).update(row)
    there = ("responses", f"outcome_{Outcome.NOT_RECORDED}")
    return {name: _funnel(found[name]) for name in sorted(found) if any(map(found[name].get, there))}


def _sums(
    ledger: Queryable,
    counts: Sequence[Counts],
    within: Filter,
    rolled: Scope | None,
    label: Label,
    *,
    every_reading: bool = False,
) -> dict[str, dict[str, Any]]:
    """Return the counts as sums and rates, by label."""
    statement, parameters = counted(counts, within, rolled, label, every_reading=every_reading)
    columns = [name for each in counts for name in each.columns]
    rates = [name for each in counts for name in _RATES.get(each, ())]
    statement = _SUMS.format(sums=summed_sql(columns, rates), counted=statement)
    rows = ledger.sql(statement, parameters).fetchall()
    return {row[0]: dict(zip([*columns, *rates], row[1:], strict=True)) for row in rows}


def _funnel(sums: Mapping[str, Any]) -> Funnel:
    """Return the funnel of some sums and rates; a count of 0 has no entry."""

    def rate(name: str) -> Rate:
        return as_rate(sums.get(name, _NOTHING))

    meant = rate("intent")
    parsed, strict = (
        parse_rate(sums.get(name, _NOTHING), meant.successes) for name in ("parsed", "strictly")
    )
    return Funnel(
        outcomes=by_word(Outcome, "outcome", sums),
        captures=by_word(Capture, "capture", sums),
        meant=meant,
        parse_success=parsed,
        strict_success=strict,
        only_shown=sums.get("only_shown", 0),
        by_evidence=sums.get("by_evidence", 0),
        in_sentences=sums.get("in_sentences", 0),
        with_valid=sums.get("with_valid", 0),
        statuses=by_word(ActionStatus, "status", sums),
        validation=rate("validated"),
        tries=by_word(ExecutionStatus, "here", sums),
        execution=rate("succeeded"),
        taken_back=rate("taken_back"),
        recorded=by_word(ExecutionStatus, "elsewhere", sums),
        recorded_execution=rate("succeeded_elsewhere"),
    )
