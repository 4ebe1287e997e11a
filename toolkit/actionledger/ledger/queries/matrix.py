"""Parse success by two dimensions at once."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from actionledger.ledger.queries.base import INTENT, READ, Queryable, rate_sql, rows
from actionledger.ledger.queries.filters import EVERYTHING, NO_DIALECT, Filter, scope
from actionledger.rates import Rate

Axis: TypeAlias = Literal["dialect", "model", "profile", "task"]
"""What a side of the matrix can be."""

_AXES: dict[Axis, str] = {
    "dialect": f"CASE dialect WHEN '' THEN '{NO_DIALECT}' ELSE dialect END",
    "model": "model",
    "profile": "profile",
    "task": "task",
}

_CELLS = """
WITH by_session AS (
    SELECT {row} AS "row", {column} AS "column", count(*) AS intent,
           count(*) FILTER (list_contains($read, outcome)) AS read
    FROM parse_attempts WHERE list_contains($intent, outcome) AND {condition}
    GROUP BY {row}, {column}, session_id)
SELECT "row", "column", {success} AS success FROM by_session GROUP BY 1, 2 ORDER BY 1, 2"""


@dataclass(frozen=True, slots=True)
class Cell:
    """Parse success where a row and a column meet.

    Args:
        row, column: the labels; a response without a dialect is in ``"none"``.
        success: responses that could be read whole, of those that meant to act.
    """

    row: str
    column: str
    success: Rate


def matrix(
    ledger: Queryable, row: Axis = "dialect", column: Axis = "model", within: Filter = EVERYTHING
) -> list[Cell]:
    """Return parse success for every pair of labels that a response has.

    Args:
        ledger: what to ask.
        row: the dimension whose values are the rows.
        column: the dimension whose values are the columns.
        within: which responses.
    """
    condition, parameters = scope(within)
    success = rate_sql("read", "intent")
    query = _CELLS.format(row=_AXES[row], column=_AXES[column], condition=condition, success=success)
    return rows(ledger, Cell, query, parameters | {"read": READ, "intent": INTENT})
