"""Which sessions are recorded from start to end, and a stamp of each that changes with its content."""

from typing import NamedTuple

from actionledger.ledger.queries.base import RUN_ELSEWHERE, Queryable
from actionledger.ledger.queries.filters import EVERYTHING, Filter, rated
from actionledger.ledger.queries.scopes import FIRST_EXECUTIONS, scope

# A reparsed source may record the messages to the model, but never their times.
# If another runtime recorded results of calls, a response without a call needs no execution.
_IS_CARRIED_OUT = (
    "finished_at IS NOT NULL OR has_tries OR NOT coalesce(has_calls, false) AND coalesce(is_recorded, false)"
)

_FOLLOWED = f"""
WITH read_once AS (
    SELECT session_id, turn_id, min({{{{'parsed_at': parsed_at, 'attempt_id': attempt_id}}}}).attempt_id AS attempt_id
    FROM parse_attempts WHERE {{condition}} GROUP BY session_id, turn_id),
called AS (SELECT DISTINCT attempt_id, true AS has_calls FROM actions SEMI JOIN read_once USING (attempt_id)),
carried_out AS (SELECT DISTINCT attempt_id, true AS has_tries FROM executions SEMI JOIN read_once USING (attempt_id)),
elsewhere AS (SELECT DISTINCT session_id, true AS is_recorded FROM execution_starts WHERE {RUN_ELSEWHERE} AND {FIRST_EXECUTIONS}),
followed AS (
    SELECT session_id, bool_and(coalesce({_IS_CARRIED_OUT}, false)) AS is_whole,
           count(*) || ' ' || bit_xor(hash(attempt_id)) || ' ' AS readings
    FROM read_once LEFT JOIN (SELECT turn_id, finished_at FROM turn_ends) USING (turn_id)
    LEFT JOIN carried_out USING (attempt_id) LEFT JOIN called USING (attempt_id) LEFT JOIN elsewhere USING (session_id)
    GROUP BY session_id),
whole AS (SELECT session_id FROM followed WHERE is_whole),
profiled AS (SELECT session_id, list_sort(list(DISTINCT profile)) AS profiles FROM turn_starts SEMI JOIN whole USING (session_id) GROUP BY session_id),
recorded AS (
    SELECT session_id, count(*) || ' ' || bit_xor(hash(event_id, recorded_at)) || ' ' AS events
    FROM events SEMI JOIN whole USING (session_id) GROUP BY session_id),
of_nobody AS (
    SELECT count(*) AS ends, (SELECT count(*) FROM forgotten) AS forgotten
    FROM events WHERE session_id IS NULL AND kind IN ('execution_finished', 'approval_decided'))
SELECT CASE WHEN is_whole THEN session_id::VARCHAR END AS session_id, count(*) AS sessions,
       coalesce(profiles, []) AS profiles, readings || events || ends AS stamp, forgotten
FROM followed LEFT JOIN profiled USING (session_id) LEFT JOIN recorded USING (session_id), of_nobody GROUP BY ALL ORDER BY session_id"""
"""Complete sessions are determined first, from few columns: most recordings of only responses have none.

The stamp changes with each event of the session, and with its selected parses. Ends that older toolkits recorded name no session, so they count for
all.
"""


class Followed(NamedTuple):
    """A session whose course is recorded, or, without an id, all other sessions."""

    session_id: str | None  # the session; None for those with at least one turn without recorded results
    sessions: int  # the number of sessions
    profiles: list[str]  # the profiles of its turns
    stamp: str | None  # changes if anything of the session changes
    forgotten: int  # how many sessions had been erased by then


def followed(ledger: Queryable, within: Filter = EVERYTHING) -> list[Followed]:
    """Return the sessions with recorded results for each turn, in the order of their ids, and the number of the others, among the turns that a filter selects."""
    return [Followed(*row) for row in ledger.sql(*scope(rated(within)).filled(_FOLLOWED)).fetchall()]
