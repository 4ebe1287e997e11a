"""In which dialects responses were read: shares of all that meant to act.

A dialect is found by reading, so that what could not be read has none. It is therefore never what a rate is counted
within, only what is counted.
"""

from dataclasses import dataclass

from actionledger.ledger.queries.base import AUDITABLE, INTENT, READ, Queryable, rate_sql, rows
from actionledger.ledger.queries.filters import EVERYTHING, NO_DIALECT, Filter, rated
from actionledger.ledger.queries.funnel import LABELS, Dimension
from actionledger.ledger.queries.scopes import scope
from actionledger.rates import Rate


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
WITH meant AS (
    SELECT {label} AS label, session_id, outcome, CASE dialect WHEN '' THEN '{no_dialect}' ELSE dialect END AS dialect
    FROM (SELECT *, run_id AS reader FROM parse_attempts) {join}
    WHERE {auditable} AND list_contains($intent, outcome) AND {condition}),
sizes AS (SELECT label, session_id, count(*) AS size FROM meant GROUP BY label, session_id),
found AS (
    SELECT label, dialect, session_id, count(*) AS read FROM meant
    WHERE list_contains($read, outcome) GROUP BY label, dialect, session_id),
by_session AS (
    SELECT label, dialect, size, coalesce(read, 0) AS read
    FROM (SELECT DISTINCT label, dialect FROM found) JOIN sizes USING (label)
    LEFT JOIN found USING (label, dialect, session_id))
SELECT label, dialect, {share} AS share FROM by_session
GROUP BY label, dialect ORDER BY label, sum(read) DESC, dialect"""


def dialects_by(ledger: Queryable, dimension: Dimension, within: Filter = EVERYTHING) -> list[ReadIn]:
    """Return in which dialects responses were read, for each value of a dimension.

    Args:
        ledger: what to ask.
        dimension: what to split by.
        within: which responses.

    Returns:
        Those that occur, by label, the most frequent dialect first; a label of which nothing could be read has none.
    """
    label = LABELS[dimension]
    return _read_in(ledger, label.of_rows, "" if dimension == "run" else label.join, within)


def dialects(ledger: Queryable, within: Filter = EVERYTHING) -> list[ReadIn]:
    """Return in which dialects responses were read, all of them together, the most frequent first.

    Args:
        ledger: what to ask.
        within: which responses.
    """
    return _read_in(ledger, "''", "", within)


def _read_in(ledger: Queryable, label: str, join: str, within: Filter) -> list[ReadIn]:
    condition, parameters = scope(rated(within))
    share = rate_sql("read", "size")
    query = _READ_IN.format(
        label=label,
        join=join,
        condition=condition,
        no_dialect=NO_DIALECT,
        share=share,
        auditable=AUDITABLE,
    )
    return rows(ledger, ReadIn, query, parameters | {"intent": INTENT, "read": READ})
