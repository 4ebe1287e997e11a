"""A question of the operator's own."""

from dataclasses import dataclass
from typing import Any

import duckdb

from actionledger.errors import UsageError
from actionledger.ledger.queries.base import Queryable


@dataclass(frozen=True, slots=True)
class Answer:
    """What a statement gave.

    Args:
        names: the columns' names.
        rows: the rows, each with a value for each column.
    """

    names: tuple[str, ...]
    rows: list[tuple[Any, ...]]


def ask(ledger: Queryable, statement: str) -> Answer:
    """Return what a statement gives, all of it.

    Raises:
        UsageError: the statement is wrong, or gives nothing to show.
    """
    try:
        result = ledger.sql(statement)
        if not result.columns:
            raise UsageError("The statement gives no rows; write a SELECT.")
        return Answer(tuple(result.columns), result.fetchall())
    except duckdb.Error as error:
        first_lines = str(error).strip().splitlines()[:1]
        raise UsageError(f"The statement can't be run: {' '.join(first_lines)}") from error
