"""What other runtimes made of their calls beside what is read here: where the two differ, one of them is wrong."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from actionledger.core.errors import require_number
from actionledger.core.rates import Rate, clustered
from actionledger.core.vocabulary import Reason
from actionledger.ledger.queries.base import OF_ACTIONS, RUN_ELSEWHERE, Queryable, refuse_no_ledger, rows
from actionledger.ledger.queries.filters import EVERYTHING, Filter, rated
from actionledger.ledger.queries.scopes import FIRST_EXECUTIONS, FIRST_READING, turn_scope

Here: TypeAlias = Literal["valid", "not_checked", "refused", "shown", "needs_approval", "not_read"]
"""What is made of a call here: valid, read with no catalogue to check it against, refused by it, taken for shown and not meant,
read and left to a person since it may not be meant, or not read at all."""

There: TypeAlias = Literal["taken", "refused", "not_run"]
"""What the other runtime made of it: it took the call, whatever came of it then; it refused the call itself; or nothing is recorded
of the call, in a session of which results are."""

_AGREE = frozenset(
    {("valid", "taken"), ("not_checked", "taken"), ("refused", "refused"), ("not_read", "refused")}
    | {("shown", "not_run"), ("refused", "not_run"), ("needs_approval", "not_run")}
)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A call that is taken here and not there, or the other way round.

    Args:
        session_id, turn_index: which turn.
        name: the call's name, as the one that has it names it.
        source: where the session comes from.
        here, there: what each makes of it.
        reason: why it is refused or shown, on whichever side; None if unknown.
    """

    session_id: str
    turn_index: int
    name: str
    source: str
    here: Here
    there: There
    reason: Reason | None


@dataclass(frozen=True, slots=True)
class Agreement:
    """How often this reading and the recordings' own runtimes are of one mind.

    Args:
        counts: how many calls each pair of what is made of them here and there has.
        rate: calls on which both agree, of all, sessions taken into account.
        by_source: the same of each source.
        differing: some of the calls on which they don't.

    Example:
        >>> call = al.RecordedCall("1", "read", {"path": "a.py"})
        >>> results = (al.RecordedResult("1", "text"),)
        >>> turn = al.RecordedTurn(0, "", calls=(call,), results=results, capture=al.Capture.CALLS)
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     imported = al.import_sessions(ledger, [al.RecordedSession("s", None, "m", "", (turn,))])
        ...     found = al.agreement(ledger)
        >>> found.counts, found.rate.successes
        ({('not_checked', 'taken'): 1}, 1)
    """

    counts: Mapping[tuple[Here, There], int]
    rate: Rate
    by_source: Mapping[str, Rate]
    differing: tuple[Disagreement, ...]


_REFUSED_THERE = f"('{Reason.SCHEMA_ERROR}', '{Reason.UNKNOWN_ACTION}', '{Reason.REFUSED_ARGUMENTS}', '{Reason.MALFORMED_JSON}')"

_CALLS = f"""
WITH ran AS (
    SELECT turn_id, session_id, turn_index, action_id, name, arg_max(reason, try_number) AS reason
    FROM executions WHERE {RUN_ELSEWHERE} AND {OF_ACTIONS} AND {FIRST_EXECUTIONS} AND {{condition}}
    GROUP BY turn_id, session_id, turn_index, action_id, name),
read AS (
    SELECT turn_id, session_id, turn_index, action_id, name, status, reason, catalogue
    FROM actions SEMI JOIN (SELECT DISTINCT session_id FROM ran) USING (session_id)
    WHERE {FIRST_READING} AND {{condition}}),
calls AS (
    SELECT coalesce(read.session_id, ran.session_id) AS session_id, coalesce(read.turn_index, ran.turn_index) AS turn_index,
           coalesce(read.name, ran.name) AS name,
           CASE WHEN read.action_id IS NULL THEN 'not_read' WHEN read.status = 'illustration' THEN 'shown'
                WHEN read.status = 'needs_approval' THEN 'needs_approval'
                WHEN read.status IN ('invalid', 'unknown') THEN 'refused'
                WHEN read.catalogue IS NULL THEN 'not_checked' ELSE 'valid' END AS here,
           CASE WHEN ran.action_id IS NULL THEN 'not_run' WHEN ran.reason IN {_REFUSED_THERE} THEN 'refused'
                ELSE 'taken' END AS there,
           CASE WHEN here IN ('shown', 'refused', 'needs_approval') THEN read.reason WHEN there = 'refused' THEN ran.reason END AS reason
    FROM read FULL JOIN ran USING (action_id)),
named AS (
    SELECT calls.*, source FROM calls JOIN (SELECT session_id, source FROM session_starts) USING (session_id))
"""

_BY_SESSION = """
SELECT session_id::VARCHAR, source, here, there, count(*) FROM named GROUP BY ALL ORDER BY ALL"""

_DIFFERING = """
SELECT session_id::VARCHAR AS session_id, turn_index, name, source, here, there, reason FROM named
WHERE NOT list_contains($agree, here || ' ' || there) ORDER BY source, session_id, turn_index, name LIMIT $limit"""


def agreement(ledger: Queryable, within: Filter = EVERYTHING, *, limit: int = 200) -> Agreement:
    """Return where this reading and the recordings' own runtimes are of one mind, call by call.

    Looked at are sessions of which another runtime's results are recorded. Which calls are one and the same, the import has found.

    Args:
        ledger: what to ask.
        within: which responses; its run says nothing here.
        limit: at most how many of the calls on which they differ to name; the counts are of all.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     found = al.agreement(ledger)
        >>> found.rate.count, found.differing
        (0, ())
    """
    refuse_no_ledger(ledger)
    require_number("limit", limit, least=0)
    condition, parameters = turn_scope(replace(rated(within), run_id=None))
    calls = _CALLS.format(condition=condition)
    counts: dict[tuple[Here, There], int] = {}
    sessions: dict[str, dict[str, tuple[int, int]]] = {}
    for session, source, here, there, count in ledger.sql(calls + _BY_SESSION, parameters).fetchall():
        counts[here, there] = counts.get((here, there), 0) + count
        of_source = sessions.setdefault(source, {})
        agreed, whole = of_source.get(session, (0, 0))
        of_source[session] = (agreed + count * ((here, there) in _AGREE), whole + count)
    agree = [f"{here} {there}" for here, there in sorted(_AGREE)]
    differing = rows(ledger, Disagreement, calls + _DIFFERING, parameters | {"agree": agree, "limit": limit})
    everything = [pair for of_source in sessions.values() for pair in of_source.values()]
    return Agreement(
        dict(sorted(counts.items(), key=lambda pair: -pair[1])),
        clustered(everything),
        {source: clustered(of_source.values()) for source, of_source in sorted(sessions.items())},
        tuple(differing),
    )
