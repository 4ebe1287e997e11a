"""Tokens and cost in groups: by time, project, agent, model, session and tool."""

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

from actionledger.core.errors import UsageError
from actionledger.core.vocabulary import Ending
from actionledger.ledger.queries.base import INTENT
from actionledger.ledger.queries.filters import Filter, refuse_no_filter
from actionledger.ledger.queries.reasons import failed
from actionledger.ledger.queries.scopes import Scope, scope
from actionledger.ledger.storage.schema import sessions_of

Group: TypeAlias = Literal[
    "day", "week", "month", "project", "branch", "agent", "model", "source", "profile", "task", "session", "tool"
]  # fmt: skip
"""How tokens and cost can be grouped."""

PERIODS: tuple[Group, ...] = ("day", "week", "month")
"""The groups that are spans of time, in UTC."""

_COLUMNS: dict[Group, str] = {
    **{period: f"date_trunc('{period}', occurred_at)::DATE" for period in PERIODS},
    "project": "project",
    "branch": "git_branch",
    "agent": "agent",
    "model": "model",
    "source": "source",
    "profile": "profile",
    "task": "task",
    "session": "session_id::VARCHAR",
    "tool": "tool",
}

_DID_NOTHING = ", ".join(f"'{ending}'" for ending in Ending if ending.is_failure)

_BY_TOOL = "SELECT turn_id, name AS tool, count(*) AS tool_calls FROM calls GROUP BY ALL"
_IN_ALL = "SELECT turn_id, count(*) AS tool_calls FROM calls GROUP BY ALL"
"""The number of calls of a turn. A turn that calls several tools counts for each of them, and one without a call for none."""

_OF_SESSION = {
    "title": "any_value(title) AS title, ",
    "project": "any_value(project) AS project, ",
    "branch": "any_value(git_branch) AS branch, ",
    "agent": "any_value(agent) AS agent, ",
    "": "min(occurred_at) AS first_turn, max(occurred_at) AS last_turn, ",
}
"""Further columns of a session."""

_SPENDING = """
WITH {failed},
failing AS (SELECT DISTINCT turn_id FROM found),
picked AS (SELECT DISTINCT turn_id, session_id, attempt_id FROM parse_attempts WHERE {condition}),
idle AS (
    SELECT DISTINCT turn_id FROM unacted_turns SEMI JOIN picked USING (attempt_id) WHERE ending IN ({did_nothing})),
calls AS (
    SELECT turn_id, name FROM actions SEMI JOIN picked USING (attempt_id)
    WHERE status <> 'illustration'),
counts AS ({counts}),
places AS (
    SELECT session_id, source, coalesce(title, '') AS title, coalesce(project, '') AS project,
           coalesce(git_branch, '') AS git_branch, coalesce(agent, '') AS agent
    FROM ({sessions}) SEMI JOIN picked USING (session_id)),
turns AS (
    SELECT * REPLACE (coalesce(model, '') AS model), turn_id IN (FROM failing) AS is_failing, turn_id IN (FROM idle) AS is_idle
    FROM turn_starts SEMI JOIN picked USING (turn_id) JOIN places USING (session_id) {kept} JOIN counts USING (turn_id))
SELECT {groups}{of_session}
    count(DISTINCT session_id) AS sessions, count(*) AS turns, coalesce(sum(tool_calls), 0)::BIGINT AS tool_calls,
    count(*) FILTER (is_failing) AS failing_turns, count(*) FILTER (is_idle) AS turns_without_action,
    count(coalesce(input_tokens, output_tokens)) AS counted_turns,
    sum(input_tokens)::BIGINT AS input_tokens, sum(cached_tokens)::BIGINT AS cached_tokens,
    sum(cache_write_tokens)::BIGINT AS cache_write_tokens, sum(output_tokens)::BIGINT AS output_tokens,
    sum(reasoning_tokens)::BIGINT AS reasoning_tokens,
    sum(cached_tokens) / nullif(sum(input_tokens) FILTER (cached_tokens IS NOT NULL), 0) AS cache_hit_rate,
    count(cost_usd) AS priced_turns, sum(cost_usd) AS cost_usd,
    sum(cost_usd) FILTER (cost_origin <> 'recorded') AS cost_by_prices_usd,
    sum(cost_usd) FILTER (is_failing) AS failing_cost_usd, sum(cost_usd) FILTER (is_idle) AS without_action_cost_usd
FROM turns {grouped} ORDER BY {order}"""


def spending(within: Filter, by: Sequence[Group]) -> Scope:
    """Return the statement for tokens and cost of a filter's responses by group (periods in time's order, others by cost and tokens), and its parameters."""
    refuse_no_filter(within)
    for name in by:
        if name not in get_args(Group):
            raise UsageError(f"{name!r} is not a group of usage; choose from {', '.join(get_args(Group))}.")
    if len(set(by)) < len(by):
        raise UsageError(f"{', '.join(by)} names a group twice; name each once.")
    condition, parameters = scope(within)
    columns = "".join(f"{_COLUMNS[name]} AS {_named(name)}, " for name in by)
    periods = [_named(name) for name in by if name in PERIODS]
    statement = _SPENDING.format(
        failed=failed(condition),
        condition=condition,
        did_nothing=_DID_NOTHING,
        sessions=sessions_of(),
        counts=_BY_TOOL if "tool" in by else _IN_ALL,
        kept="" if "tool" in by else "LEFT",
        groups=columns,
        of_session="".join(
            column for name, column in _OF_SESSION.items() if "session" in by and name not in by
        ),
        grouped=f"GROUP BY {', '.join(str(number + 1) for number in range(len(by)))}"
        if by
        else "HAVING count(*) > 0",
        order=", ".join(
            [*periods, "cost_usd DESC NULLS LAST", "input_tokens DESC NULLS LAST", *map(_named, by), "1"]
        ),
    )
    return Scope(statement, parameters | {"intent": INTENT})


def _named(name: Group) -> str:
    """Return the name of a group's column."""
    return "session_id" if name == "session" else name
