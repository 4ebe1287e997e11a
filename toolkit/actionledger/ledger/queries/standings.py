"""The results of the sessions of each model, agent, version, prompt or week: the counts behind a table of several sides."""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from actionledger.core.errors import UsageError
from actionledger.core.vocabulary import Capture, SessionOutcome
from actionledger.ledger.queries.base import (
    ATTEMPTED,
    INTENT,
    IS_RECORDED,
    NOT_DONE,
    OF_ACTIONS,
    READ,
    Queryable,
    rows,
)
from actionledger.ledger.queries.filters import EVERYTHING, Filter, rated
from actionledger.ledger.queries.scopes import scope
from actionledger.ledger.storage.rollups.tables import OF_SESSION
from actionledger.ledger.storage.schema import sessions_of

Side: TypeAlias = Literal["model", "agent", "version", "prompt", "week", "profile", "source", "task"]
"""How the sides of a table are grouped."""

_LABELS: dict[Side, str] = {
    "model": "coalesce(model, '')",
    "agent": "coalesce(agent, '')",
    "version": "trim(coalesce(agent, '') || ' ' || coalesce(agent_version, ''))",
    "prompt": "coalesce(prompt, '')",
    "week": "coalesce(date_trunc('week', occurred_at)::DATE::VARCHAR, '')",
    "profile": "coalesce(profile, '')",
    "source": "source",
    "task": "coalesce(task, '')",
}


@dataclass(frozen=True, slots=True)
class SideOfSession:
    """The part of one session that belongs to one side."""

    label: str  # the side; empty if the recording doesn't name it
    session_id: str
    responses: int  # how many of its responses belong to the side
    success: bool | None  # whether the session reached its goal; None if its source doesn't report it
    outcome: SessionOutcome
    tried: int  # attempted executions of calls in these responses; each try is one
    failed: int
    meant: int  # responses with raw text that meant to act
    parsed: int  # how many of those were parsed
    readers: tuple[str, ...]  # the ids of their parsers
    cost_usd: float | None  # the sum of these responses' cost, in dollars; None if no cost is known


_IS_TEXT = f"capture = '{Capture.TEXT}' AND list_contains($intent, outcome)"

_STANDINGS = f"""
WITH read AS (
    SELECT attempt_id, turn_id, session_id, occurred_at, model, profile, task, outcome, capture, parser_id
    FROM parse_attempts WHERE {{condition}} AND {IS_RECORDED}),
told AS (
    SELECT session_id, source, agent, agent_version, success
    FROM ({{sessions}}) SEMI JOIN read USING (session_id)),
prompts AS (SELECT session_id, {OF_SESSION} AS prompt FROM session_starts SEMI JOIN read USING (session_id)),
labelled AS (
    SELECT read.*, {{label}} AS label FROM read JOIN told USING (session_id) JOIN prompts USING (session_id)),
tries AS (
    SELECT attempt_id, count(*) AS tried, count(*) FILTER ({NOT_DONE}) AS failed FROM executions
    WHERE {{executions}} AND {OF_ACTIONS} AND list_contains($attempted, status) GROUP BY attempt_id),
sides AS (
    SELECT label, session_id, count(*) AS responses, coalesce(sum(tried), 0)::BIGINT AS tried, coalesce(sum(failed), 0)::BIGINT AS failed,
           count(*) FILTER ({_IS_TEXT}) AS meant, count(*) FILTER ({_IS_TEXT} AND list_contains($read, outcome)) AS parsed,
           list_sort(coalesce(list(DISTINCT parser_id) FILTER ({_IS_TEXT}), [])) AS readers, sum(cost_usd) AS cost_usd
    FROM labelled LEFT JOIN tries USING (attempt_id)
    LEFT JOIN (SELECT turn_id, cost_usd FROM turn_starts) USING (turn_id) GROUP BY ALL)
SELECT label, session_id::VARCHAR AS session_id, responses, success, outcome, tried, failed, meant, parsed, readers, cost_usd
FROM sides JOIN (SELECT session_id, success FROM told) USING (session_id)
JOIN (SELECT session_id, outcome FROM session_outcomes) USING (session_id)
ORDER BY label, session_id"""


def sides_of_sessions(ledger: Queryable, by: Side, within: Filter = EVERYTHING) -> list[SideOfSession]:
    """Return each session's part in each side, for the responses that a filter selects. A session that continues with another model has a row for each."""
    if by not in _LABELS:
        raise UsageError(f"{by!r} tells no sides apart; choose from {', '.join(get_args(Side))}.")
    condition, parameters = scope(rated(within))
    executions, _ = scope(within, "executions")
    statement = _STANDINGS.format(
        condition=condition, executions=executions, label=_LABELS[by], sessions=sessions_of()
    )
    words = {"intent": INTENT, "read": READ, "attempted": ATTEMPTED}
    return rows(ledger, SideOfSession, statement, parameters | words)
