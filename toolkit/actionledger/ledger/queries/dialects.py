"""In which dialects responses were read: shares of all that meant to act.

A dialect is found by reading, so that what could not be read has none. It is therefore never what a rate is counted
within, only what is counted.
"""

from dataclasses import dataclass, replace

from actionledger.core.rates import Rate
from actionledger.ledger.queries.base import AUDITABLE, INTENT, READ, Queryable, rate_sql, rows
from actionledger.ledger.queries.filters import EVERYTHING, NO_DIALECT, Filter, rated
from actionledger.ledger.queries.funnel import LABELS, Dimension
from actionledger.ledger.queries.rolled import UNSPLIT, Label, parts_read_in, rolled_scope, rows_beside
from actionledger.ledger.queries.scopes import scope


@dataclass(frozen=True, slots=True)
class ReadIn:
    """How many responses were read whole in one dialect.

    Args:
        label: the value of the dimension that they are split by.
        dialect: the dialect of most of their blocks with actions; ``"none"`` where they have no such block.
        share: those responses, of all with the label that meant to act and can be audited. The shares of a label sum up to its parse success.
    """

    label: str
    dialect: str
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
    """Return in which dialects responses were read, for each value of a dimension."""
    label = LABELS[dimension]
    return _read_in(ledger, replace(label, join="") if dimension == "run" else label, within)


def dialects(ledger: Queryable, within: Filter = EVERYTHING) -> list[ReadIn]:
    """Return in which dialects responses were read, all of them together, the most frequent first.

    Args:
        ledger: what to ask.
        within: which responses.
    """
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
