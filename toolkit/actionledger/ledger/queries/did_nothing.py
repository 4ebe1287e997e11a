"""How many responses did nothing: no action was read of them, not even one that says that there is nothing to do.

What was read and then refused, or did not succeed, is not among them: that is a matter of checking and of acting, and in their rates.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from actionledger.ledger.queries.base import NOTHING_READ, Queryable, as_rate, rate_sql, refuse_no_ledger
from actionledger.ledger.queries.counted import READ_AS, READING, Counts, by_word
from actionledger.ledger.queries.filters import EVERYTHING, Filter, rated
from actionledger.ledger.queries.rolled import counted, rolled_scope
from actionledger.rates import Rate
from actionledger.vocabulary import Outcome

_HOW: Mapping[Outcome, str] = {
    Outcome.NO_ACTION: "no action in",
    Outcome.FAILED: "none that could be read in",
    Outcome.EMPTY: "no text in",
}
"""How a response did nothing, in words before their number."""


@dataclass(frozen=True, slots=True)
class DidNothing:
    """The responses that did nothing.

    Args:
        rate: they, of all responses.
        sessions: in how many sessions there is one.
        outcomes: how many of each outcome, those that there are.
    """

    rate: Rate
    sessions: int
    outcomes: Mapping[Outcome, int]

    @property
    def parts(self) -> list[tuple[Outcome, str]]:
        """Each outcome that there is, and in words how many responses did nothing so."""
        return [(outcome, f"{_HOW[outcome]} {count:,}") for outcome, count in self.outcomes.items()]


_COLUMNS = [f"outcome_{outcome}" for outcome in NOTHING_READ]
_COUNTS = Counts(
    "parse_attempts",
    READING.source,
    "true",
    {"responses": READING.columns["responses"]} | {name: READ_AS.columns[name] for name in _COLUMNS},
)
_PICKED = ", ".join(
    (
        rate_sql("idle", "responses", "alike"),
        "coalesce(sum(alike) FILTER (idle > 0), 0)::BIGINT",
        *(f"coalesce(sum(alike * {name}), 0)::BIGINT" for name in _COLUMNS),
    )
)
_FOUND = "SELECT {picked} FROM (SELECT *, {idle} AS idle FROM ({counted}))"


def did_nothing(ledger: Queryable, within: Filter = EVERYTHING) -> DidNothing:
    """Return how many of the responses that a filter picks did nothing, and in how many sessions.

    Args:
        ledger: what to ask.
        within: which responses.
    """
    refuse_no_ledger(ledger)
    statement, parameters = counted([_COUNTS], within, rolled_scope(ledger, rated(within)))
    statement = _FOUND.format(picked=_PICKED, idle=" + ".join(_COLUMNS), counted=statement)
    [(rate, sessions, *sums)] = ledger.sql(statement, parameters).fetchall()
    outcomes = by_word(Outcome, "outcome", dict(zip(_COLUMNS, sums, strict=True)))
    return DidNothing(as_rate(rate), sessions, outcomes)
