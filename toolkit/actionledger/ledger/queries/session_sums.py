"""Totals of single sessions, for a comparison side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from actionledger.core.vocabulary import SessionOutcome
from actionledger.ledger.queries.base import ATTEMPTED, NOT_DONE, OF_ACTIONS, Queryable, picked, rows
from actionledger.ledger.queries.scopes import FIRST_EXECUTIONS, FIRST_READING
from actionledger.ledger.storage.schema import sessions_of


@dataclass(frozen=True, slots=True)
class SessionSums:
    """One session as a whole."""

    session_id: str  # session_id, external_id: its identifier, and its name at its source
    external_id: str
    # title, project, git_branch, agent, agent_version: as its source reports them; None if it doesn't
    title: str | None
    project: str | None
    git_branch: str | None
    agent: str | None
    agent_version: str | None
    models: tuple[str, ...]  # the models of its responses
    outcome: SessionOutcome
    started_at: datetime | None  # its start, UTC without a zone; None if not recorded
    # the time from its first response to its last one, in seconds; None if no times are recorded
    duration_s: float | None
    turns: int  # how many responses it has
    calls: int  # tool calls that were meant
    tried: int  # tried, failed: attempted executions of calls, and how many of them failed; each try is one
    failed: int
    # input_tokens, cached_tokens, output_tokens, reasoning_tokens: sums; None if none are recorded
    input_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None
    reasoning_tokens: int | None
    cost_usd: float | None  # in dollars; None if none is known


_OF_THEM = "session_id IN (SELECT unnest($sessions)::UUID)"
_ZEROS = {name: f"coalesce({name}, 0)::BIGINT" for name in ("turns", "calls", "tried", "failed")}

_SUMS = f"""
WITH took AS (
    SELECT session_id, count(*) AS turns, list_sort(list(DISTINCT model) FILTER (model <> '')) AS models,
           epoch(max(occurred_at) - min(occurred_at)) AS duration_s, sum(input_tokens)::BIGINT AS input_tokens,
           sum(cached_tokens)::BIGINT AS cached_tokens, sum(output_tokens)::BIGINT AS output_tokens,
           sum(reasoning_tokens)::BIGINT AS reasoning_tokens, sum(cost_usd) AS cost_usd
    FROM turn_starts WHERE {_OF_THEM} GROUP BY session_id),
called AS (
    SELECT session_id, count(*) AS calls FROM actions
    WHERE {_OF_THEM} AND {FIRST_READING} AND status <> 'illustration' GROUP BY session_id),
tries AS (
    SELECT session_id, count(*) AS tried, count(*) FILTER ({NOT_DONE}) AS failed FROM executions
    WHERE {_OF_THEM} AND {FIRST_EXECUTIONS} AND {OF_ACTIONS} AND list_contains($attempted, status) GROUP BY session_id)
SELECT {picked(SessionSums, models="coalesce(models, [])", **_ZEROS)}
FROM ({sessions_of(_OF_THEM)}) AS sessions JOIN (SELECT session_id, outcome FROM session_outcomes) USING (session_id)
LEFT JOIN took USING (session_id) LEFT JOIN called USING (session_id) LEFT JOIN tries USING (session_id)"""


def session_sums(ledger: Queryable, session_ids: Sequence[str]) -> list[SessionSums]:
    """Return the totals of some sessions, in the requested order; unknown ones have no row."""
    words = {"sessions": list(session_ids), "attempted": ATTEMPTED}
    found = {each.session_id: each for each in rows(ledger, SessionSums, _SUMS, words)}
    return [found[each] for each in session_ids if each in found]
