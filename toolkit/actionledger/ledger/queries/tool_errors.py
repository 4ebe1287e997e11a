"""Errors of other runtimes of which no more is known than that they are errors: their words, by who wrote them."""

from dataclasses import dataclass

from actionledger.core.vocabulary import Reason
from actionledger.ledger.queries.base import RUN_ELSEWHERE, Queryable, picked, rows
from actionledger.ledger.queries.versions import VERSION


@dataclass(frozen=True, slots=True)
class ToolErrors:
    """Results of one wording.

    Args:
        source: what their session was recorded by.
        version: which version of it, where its recording says that; else empty.
        message: the beginning of the result.
        count: how many there are.
    """

    source: str
    version: str
    message: str
    count: int


_TOOL_ERRORS = f"""
SELECT {picked(ToolErrors, count="count(*)", message="coalesce(message, '')", version=VERSION)}
FROM (SELECT session_id, message FROM executions WHERE {RUN_ELSEWHERE} AND reason = '{Reason.TOOL_ERROR}')
JOIN (SELECT session_id, source, metadata FROM sessions) USING (session_id) GROUP BY ALL ORDER BY ALL"""


def tool_errors(ledger: Queryable) -> list[ToolErrors]:
    """Return the recorded results that are errors, and no more, by their words.

    Args:
        ledger: what to ask.
    """
    return rows(ledger, ToolErrors, _TOOL_ERRORS)
