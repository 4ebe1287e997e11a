"""One session as a whole."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from actionledger.core.ids import is_uuid
from actionledger.core.vocabulary import Relation, SessionOutcome
from actionledger.ledger.queries.base import Queryable, picked, rows
from actionledger.ledger.storage.schema import executions_of, sessions_of
from actionledger.ledger.storage.views import session_outcomes_of


@dataclass(frozen=True, slots=True)
class Session:
    """A session as a whole."""

    session_id: str
    external_id: str  # its name at its source; empty for live sessions
    source: str
    profile: str
    model: str
    task: str
    # started_at, finished_at: its start and end, UTC without a zone; None if the source doesn't report them
    started_at: datetime | None
    finished_at: datetime | None
    metadata: str  # further data of the source, as JSON text of an object
    turns: int  # how many responses it has
    success: bool | None  # whether it reached its goal; None if unknown
    reason: str | None  # why it ended, in its source's words; None if unknown
    parent_session_id: str | None = None  # its parent session, recorded or not; None if it has none
    relation: Relation | None = None  # how it is related to its parent
    scores: str | None = None  # its scores by its source, as JSON text of an object; None if unknown
    labels: str | None = None  # its labels by its source, as JSON text of a list; None if unknown
    title: str | None = None  # its title by its source or its task; None if it has none
    project: str | None = None  # project, branch: its folder, and the git branch there
    branch: str | None = None
    agent: str | None = None  # agent, agent_version: the agent that ran it
    agent_version: str | None = None
    outcome: SessionOutcome | None = None  # its outcome, by the view `session_outcomes`
    # the time from its first response to its last one, in seconds; None if no times are recorded
    duration_s: float | None = None
    priced: int = 0  # how many of its responses have a known cost
    cost_usd: float | None = None  # their sum, in dollars; None if there are none


@dataclass(frozen=True, slots=True)
class TurnOfSession:
    """A turn, with the names of its session for people."""

    session_id: str
    turn_index: int
    external_id: str  # its session's name at its source; empty for live sessions
    title: str  # title, agent: its session's title and agent; empty if unknown
    agent: str
    occurred_at: datetime | None  # the response's time, UTC without a zone; None if not recorded


class ContextAt(NamedTuple):
    """The size of the model's context at a turn."""

    turn_index: int
    # input_tokens, cached_tokens: all input tokens, and how many of them came from a cache; None if not recorded
    input_tokens: int | None
    cached_tokens: int | None


_IT = "session_id = $session_id::UUID"
_ONE = f"""
WITH said AS ({sessions_of(_IT)}),
took AS (FROM turn_starts WHERE {_IT}),
read AS (FROM parse_attempts WHERE {_IT}),
outcomes AS ({session_outcomes_of(sessions="said", executions=f"({executions_of(_IT)})", turns="took", attempts="read")})
SELECT {picked(Session, branch="git_branch")} FROM said AS sessions CROSS JOIN (
    SELECT count(*) AS turns, epoch(max(occurred_at) - min(occurred_at)) AS duration_s, count(cost_usd) AS priced, sum(cost_usd) AS cost_usd
    FROM took) AS lengths
LEFT JOIN (SELECT session_id, outcome FROM outcomes) USING (session_id)"""


def session(ledger: Queryable, session_id: str) -> Session | None:
    """Return a session, or None if no session has that id."""
    if not is_uuid(session_id):
        return None
    return next(iter(rows(ledger, Session, _ONE, {"session_id": session_id})), None)


_THEIR = "session_id IN (SELECT session_id FROM asked)"
_OF_TURNS = f"""
WITH asked AS (SELECT unnest($sessions)::UUID AS session_id, unnest($places) AS turn_index),
said AS (FROM ({sessions_of(_THEIR)})),
made AS (SELECT session_id, turn_index, max(occurred_at) AS occurred_at FROM turn_starts WHERE {_THEIR} GROUP BY ALL)
SELECT session_id::VARCHAR AS session_id, turn_index, external_id, coalesce(title, CASE WHEN external_id = '' THEN task END, '') AS title, coalesce(agent, '') AS agent, occurred_at
FROM asked JOIN said USING (session_id) LEFT JOIN made USING (session_id, turn_index)"""


def turns_of_sessions(ledger: Queryable, turns: Sequence[tuple[str, int]]) -> list[TurnOfSession]:
    """Return some turns with their times and the names of their sessions."""
    bound = {"sessions": [session for session, _ in turns], "places": [place for _, place in turns]}
    return rows(ledger, TurnOfSession, _OF_TURNS, bound) if turns else []


_CONTEXT = f"SELECT turn_index, input_tokens, cached_tokens FROM turn_starts WHERE {_IT} AND input_tokens IS NOT NULL ORDER BY turn_index"


def context_growth(ledger: Queryable, session_id: str) -> list[ContextAt]:
    """Return the size of the context at each turn of a session that has it recorded."""
    return [ContextAt(*row) for row in ledger.sql(_CONTEXT, {"session_id": session_id}).fetchall()]
