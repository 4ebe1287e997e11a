"""Responses without a tool call: those that stopped or could not be parsed, with a call as text, or without a matching parser.

The view ``unacted_turns`` defines them (``ledger/storage/views.py``); this module counts them within a filter. Responses with a rejected or failed
call are not included: the rates of checking and acting have them.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from actionledger.core.rates import Rate
from actionledger.core.vocabulary import Capture, Ending, Outcome, Reason, Stop
from actionledger.ledger.queries.base import IS_RECORDED, Queryable, as_rate, rate_sql, refuse_no_ledger, rows
from actionledger.ledger.queries.filters import EVERYTHING, Filter, rated
from actionledger.ledger.queries.scopes import scope


@dataclass(frozen=True, slots=True)
class Unacted:
    """The responses without a tool call."""

    rate: Rate  # those that stopped without acting or could not be parsed, of all responses
    sessions: int  # how many sessions have one of these
    endings: Mapping[Ending, int]  # how many responses without a call have each ending, without zeros
    stops: Mapping[Stop, int]  # how many stopped without acting for each reason, without zeros

    def count(self, ending: Ending) -> int:
        """Return how many have an ending."""
        return self.endings.get(ending, 0)


_FAILED = ", ".join(f"'{ending}'" for ending in Ending if ending.is_failure)
_COUNTED = f"""
WITH read AS (SELECT attempt_id, session_id FROM parse_attempts WHERE {{condition}} AND {IS_RECORDED}),
ended AS MATERIALIZED (SELECT attempt_id, ending, why FROM unacted_turns SEMI JOIN read USING (attempt_id)),
of_sessions AS (
    SELECT count(*) FILTER (ending IN ({_FAILED})) AS unacted, count(*) AS responses
    FROM read LEFT JOIN ended USING (attempt_id) GROUP BY session_id)
SELECT {{rate}}, coalesce(sum(alike) FILTER (unacted > 0), 0)::BIGINT,
       (SELECT list((ending, why, count)) FROM (SELECT ending, why, count(*) AS count FROM ended GROUP BY ALL))
FROM (SELECT unacted, responses, count(*) AS alike FROM of_sessions GROUP BY ALL)"""
_PICKED = rate_sql("unacted", "responses", "alike")


def unacted(ledger: Queryable, within: Filter = EVERYTHING) -> Unacted:
    """Return how the responses without a tool call ended, among those that a filter selects."""
    refuse_no_ledger(ledger)
    condition, parameters = scope(rated(within))
    statement = _COUNTED.format(condition=condition, rate=_PICKED)
    [(rate, sessions, ended)] = ledger.sql(statement, parameters).fetchall()
    endings, stops = dict.fromkeys(Ending, 0), dict.fromkeys(Stop, 0)
    for ending, why, count in ended or ():
        endings[Ending(ending)] += count
        if why is not None:
            stops[Stop(why)] += count
    return Unacted(
        as_rate(rate),
        sessions,
        {ending: count for ending, count in endings.items() if count},
        {stop: count for stop, count in stops.items() if count},
    )


LEFT = (Reason.TOOL_MARKUP_IN_CONTENT, Reason.TOOL_MARKUP_IN_REASONING)
"""The reasons of a call that is left as text."""


@dataclass(frozen=True, slots=True)
class LeftAsText:
    """The responses with a call that is left as text."""

    responses: int
    sessions: int  # the number of their sessions
    counted: int  # how many responses have recorded tokens
    input_tokens: int | None  # input_tokens, output_tokens: their sums; None if no response has any recorded
    output_tokens: int | None


_CODES = ", ".join(f"'{code}'" for code in LEFT)
_FOUND = f"""
WITH noted AS (SELECT DISTINCT attempt_id FROM issues WHERE code IN ({_CODES})),
found AS (
    SELECT DISTINCT turn_id, session_id FROM parse_attempts
    WHERE attempt_id IN (SELECT attempt_id FROM noted) AND outcome IN ('failed', 'partial') AND {{condition}})
SELECT count(*) AS responses, count(DISTINCT session_id) AS sessions, count(coalesce(input_tokens, output_tokens)) AS counted,
       sum(input_tokens)::BIGINT AS input_tokens, sum(output_tokens)::BIGINT AS output_tokens
FROM found LEFT JOIN (SELECT turn_id, input_tokens, output_tokens FROM turn_starts) USING (turn_id)"""


def left_as_text(ledger: Queryable, within: Filter = EVERYTHING) -> LeftAsText:
    """Return how many of the selected responses contain a call as text, and their tokens."""
    return rows(ledger, LeftAsText, *scope(rated(within)).filled(_FOUND))[0]


MOST = 50
"""The most texts to return."""

LONGEST = 20_000
"""The maximum length of such a text, in characters."""


@dataclass(frozen=True, slots=True)
class Quiet:
    """Responses without an action."""

    responses: int  # how many texts were parsed with a named format
    # how many of them have no actions in that format; text that only looks like a call doesn't count
    quiet: int
    texts: tuple[str, ...]  # some of these, without duplicates


_QUIET = f"""
(outcome = '{Outcome.NO_ACTION}'
    OR (outcome = '{Outcome.FAILED}' AND (reason = '{Reason.NO_ACTION_FOUND}' OR dialect = 'evidence')))"""
_NAMED_READINGS = f"capture = '{Capture.TEXT}' AND parser_name <> 'auto' AND {{condition}}"
_COUNTS = f"SELECT count(*), count(*) FILTER ({_QUIET}) FROM parse_attempts WHERE {_NAMED_READINGS}"
_TEXTS = f"""
SELECT DISTINCT text FROM turn_starts SEMI JOIN (
    SELECT turn_id FROM parse_attempts WHERE {_QUIET} AND {_NAMED_READINGS} ORDER BY turn_id LIMIT {2 * MOST}) USING (turn_id)
WHERE characters BETWEEN 1 AND {LONGEST} ORDER BY text LIMIT {MOST}"""


def quiet_responses(ledger: Queryable, within: Filter) -> Quiet:
    """Return how many responses have no action in their parser's format; texts are returned only if these are the majority."""
    looked = scope(rated(within))
    [(responses, quiet)] = ledger.sql(*looked.filled(_COUNTS)).fetchall()
    if 2 * quiet <= responses:
        return Quiet(responses, quiet, ())
    texts = ledger.sql(*looked.filled(_TEXTS)).fetchall()
    return Quiet(responses, quiet, tuple(text for (text,) in texts))
