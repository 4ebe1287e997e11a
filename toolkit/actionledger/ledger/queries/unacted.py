"""How many responses stopped without acting or could not be parsed, and how the others without a tool call ended; how sessions came out.

The views ``unacted_turns`` and ``session_outcomes`` decide it (``ledger/unacted.py``); here it is counted within a filter. A response with a
call that was refused or did not succeed is not among them: that is a matter of checking and of acting, and in their rates.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from actionledger.core.rates import Rate
from actionledger.core.vocabulary import Ending, SessionOutcome, Stop
from actionledger.ledger.queries.base import IS_RECORDED, Queryable, as_rate, rate_sql, refuse_no_ledger
from actionledger.ledger.queries.filters import EVERYTHING, Filter, rated
from actionledger.ledger.queries.scopes import scope


@dataclass(frozen=True, slots=True)
class Unacted:
    """The responses without a tool call.

    Args:
        rate: those that stopped without acting or could not be parsed, of all responses.
        sessions: in how many sessions there is one of these.
        endings: how many responses without a call ended in each way, those that there are.
        stops: why those stopped that stopped without acting, as far as it occurs.
    """

    rate: Rate
    sessions: int
    endings: Mapping[Ending, int]
    stops: Mapping[Stop, int]

    def count(self, ending: Ending) -> int:
        """Return how many ended so.

        Args:
            ending: how.
        """
        return self.endings.get(ending, 0)


_FAILED = ", ".join(f"'{ending}'" for ending in Ending if ending.is_failure)
_READ = (
    f"WITH read AS (SELECT attempt_id, session_id FROM parse_attempts WHERE {{condition}} AND {IS_RECORDED})"
)
_RATE = f"""
{_READ},
of_sessions AS (
    SELECT count(*) FILTER (ending IN ({_FAILED})) AS unacted, count(*) AS responses
    FROM read LEFT JOIN (SELECT attempt_id, ending FROM unacted_turns) USING (attempt_id) GROUP BY session_id)
SELECT {{rate}}, coalesce(sum(alike) FILTER (unacted > 0), 0)::BIGINT
FROM (SELECT unacted, responses, count(*) AS alike FROM of_sessions GROUP BY ALL)"""
_PICKED = rate_sql("unacted", "responses", "alike")
_ENDED = (
    f"{_READ} SELECT ending, why, count(*) FROM unacted_turns SEMI JOIN read USING (attempt_id) GROUP BY ALL"
)
_OUTCOMES = (
    f"{_READ} SELECT outcome, count(*) FROM session_outcomes SEMI JOIN read USING (session_id) GROUP BY ALL"
)


def unacted(ledger: Queryable, within: Filter = EVERYTHING) -> Unacted:
    """Return how the responses without a tool call ended, of those that a filter picks.

    Args:
        ledger: what to ask.
        within: which responses.
    """
    refuse_no_ledger(ledger)
    condition, parameters = scope(rated(within))
    [(rate, sessions)] = ledger.sql(_RATE.format(condition=condition, rate=_PICKED), parameters).fetchall()
    endings, stops = dict.fromkeys(Ending, 0), dict.fromkeys(Stop, 0)
    for ending, why, count in ledger.sql(_ENDED.format(condition=condition), parameters).fetchall():
        endings[Ending(ending)] += count
        if why is not None:
            stops[Stop(why)] += count
    return Unacted(
        as_rate(rate),
        sessions,
        {ending: count for ending, count in endings.items() if count},
        {stop: count for stop, count in stops.items() if count},
    )


def session_outcomes(ledger: Queryable, within: Filter = EVERYTHING) -> dict[SessionOutcome, int]:
    """Return how many of the sessions with a response that a filter picks came out in each way, those that there are.

    Args:
        ledger: what to ask.
        within: which responses.
    """
    refuse_no_ledger(ledger)
    condition, parameters = scope(rated(within))
    found = dict(ledger.sql(_OUTCOMES.format(condition=condition), parameters).fetchall())
    return {outcome: found[outcome] for outcome in SessionOutcome if outcome in found}
