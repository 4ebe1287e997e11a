"""Responses in which a named format's reader has found no action: whether they are most, and some of their texts."""

from dataclasses import dataclass

from actionledger.core.vocabulary import Capture, Outcome, Reason
from actionledger.ledger.queries.base import Queryable
from actionledger.ledger.queries.filters import EVERYTHING, Filter, rated
from actionledger.ledger.queries.scopes import scope

MOST = 50
"""So many texts are looked at."""

LONGEST = 20_000
"""A longer text is not looked at, in characters."""


@dataclass(frozen=True, slots=True)
class Quiet:
    """Responses without an action.

    Args:
        responses: how many texts were read in a named format.
        quiet: in how many of them no action was found, nor one that can't be read.
        texts: some of these, different ones.
    """

    responses: int
    quiet: int
    texts: tuple[str, ...]


_QUIET = f"""(outcome = '{Outcome.NO_ACTION}' OR (outcome = '{Outcome.FAILED}' AND reason = '{Reason.NO_ACTION_FOUND}'))"""
_READ = f"capture = '{Capture.TEXT}' AND parser_name <> 'auto' AND {{condition}}"
_COUNTS = f"SELECT count(*), count(*) FILTER ({_QUIET}) FROM parse_attempts WHERE {_READ}"
_TEXTS = f"""
SELECT DISTINCT text FROM turn_starts SEMI JOIN (
    SELECT turn_id FROM parse_attempts WHERE {_QUIET} AND {_READ} ORDER BY turn_id LIMIT {2 * MOST}) USING (turn_id)
WHERE characters BETWEEN 1 AND {LONGEST} ORDER BY text LIMIT {MOST}"""


def quiet_responses(ledger: Queryable, within: Filter = EVERYTHING) -> Quiet:
    """Return how many responses hold no action for the format that they were read in; texts only where they are most of all.

    Args:
        ledger: what to ask.
        within: which responses.
    """
    condition, parameters = scope(rated(within))
    [(responses, quiet)] = ledger.sql(_COUNTS.format(condition=condition), parameters).fetchall()
    if 2 * quiet <= responses:
        return Quiet(responses, quiet, ())
    texts = ledger.sql(_TEXTS.format(condition=condition), parameters).fetchall()
    return Quiet(responses, quiet, tuple(text for (text,) in texts))
