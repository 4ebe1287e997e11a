"""The tools that models call: how often and why calls fail, what precedes and follows a failure, durations; also each call as a row, and tokens and cost in groups."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from actionledger.core.errors import UsageError
from actionledger.core.rates import Rate
from actionledger.core.vocabulary import Ending, Reason
from actionledger.ledger.queries.base import (
    ATTEMPTED,
    INTENT,
    NOT_DONE,
    OF_ACTIONS,
    REFUSED_BY_SCHEMA,
    TOOK,
    Queryable,
    rate_sql,
    rows,
)
from actionledger.ledger.queries.filters import EVERYTHING, Filter, rated, refuse_no_filter
from actionledger.ledger.queries.reasons import failed
from actionledger.ledger.queries.scopes import FIRST_EXECUTIONS, FIRST_READING, Scope, scope
from actionledger.ledger.storage.schema import executions_of, sessions_of

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


@dataclass(frozen=True, slots=True)
class ToolSums:
    """A tool, and the results of its calls."""

    name: str  # its name, as the executed tool has it, or else as models write it
    calls: int  # how many calls were meant
    rejected: int  # how many of them its schema rejects
    sessions: int  # how many sessions call it
    failure: Rate  # executions that failed, of those that were attempted; each try is one
    reason: Reason | None  # the most frequent reason of failure; None if none fails
    reason_count: int  # how many fail for that reason
    # median_ms, slow_ms: the median and the 95th percentile of a try's duration, in milliseconds; None if no time is recorded
    median_ms: float | None
    slow_ms: float | None
    # the tool most often called directly before a failing call in the same session; None if there is none
    after: str | None
    # the tool most often called first in the next turn with calls after a failing call; None if there is none
    then: str | None
    # failed calls after which the tool succeeded in a later turn of the same session, of all failed calls
    recovery: Rate
    recovery_turns: float | None  # the median number of turns until it succeeded; None if it never did
    # the cost of the turns after a failed call up to the one in which the tool succeeded, in dollars: each turn counts once
    recovery_cost_usd: float | None
    cost_usd: float | None  # the cost of the turns with a failed call, in dollars; None if no cost is known


_TOOLS = f"""
WITH tries AS (
    SELECT session_id, turn_id, action_id, try_number, name, status, reason, {TOOK} AS took, {NOT_DONE} AS is_failed,
           list_contains($attempted, status) AS is_tried
    FROM executions WHERE {{executions}} AND {OF_ACTIONS}),
meant AS (  -- a call counts under the name that its tool ran by, however the model spelt it
    SELECT session_id, turn_index, action_id, action_index, coalesce(ran.name, actions.name) AS name, status
    FROM (FROM actions WHERE {{actions}} AND status <> 'illustration') AS actions
    LEFT JOIN (SELECT action_id, any_value(name) AS name FROM tries GROUP BY action_id) AS ran USING (action_id)),
of_sessions AS (
    SELECT name, session_id, count(*) FILTER (is_failed AND is_tried) AS failed, count(*) FILTER (is_tried) AS tried
    FROM tries GROUP BY ALL),
rates AS (SELECT name, {{rate}} AS failure FROM of_sessions GROUP BY name),
times AS (SELECT name, median(took) AS median_ms, quantile_cont(took, 0.95) AS slow_ms FROM tries GROUP BY name),
reasons AS (
    SELECT name, arg_max(reason, hits) AS reason, max(hits) AS reason_count
    FROM (SELECT name, reason, count(*) AS hits FROM tries WHERE is_failed AND is_tried GROUP BY ALL ORDER BY reason) GROUP BY name),
placed AS (
    SELECT action_id, name, lag(name) OVER (PARTITION BY session_id ORDER BY turn_index, action_index) AS before FROM meant),
befores AS (
    SELECT name, arg_max(before, hits) AS after FROM (
        SELECT name, before, count(*) AS hits FROM placed SEMI JOIN (FROM tries WHERE is_failed AND is_tried) USING (action_id)
        WHERE before IS NOT NULL GROUP BY ALL ORDER BY before) GROUP BY name),
last_tries AS (
    SELECT action_id, arg_max({{{{'is_failed': is_failed AND is_tried, 'has_succeeded': status = 'succeeded'}}}}, try_number) AS last
    FROM tries GROUP BY action_id),
ended AS (  -- what calls of one turn come to is known only in the next
    SELECT session_id, turn_index, name, last.is_failed AS is_failed, min(turn_index) FILTER (last.has_succeeded) OVER (
        PARTITION BY session_id, name ORDER BY turn_index RANGE BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS recovered_at
    FROM meant JOIN last_tries USING (action_id)),
failed_calls AS (FROM ended WHERE is_failed),
followers AS (
    SELECT session_id, turn_index, lead(name) OVER (PARTITION BY session_id ORDER BY turn_index) AS next
    FROM (SELECT session_id, turn_index, arg_min(name, action_index) AS name FROM meant GROUP BY ALL)),
thens AS (
    SELECT name, arg_max(next, hits) AS "then" FROM (
        SELECT name, next, count(*) AS hits FROM failed_calls JOIN followers USING (session_id, turn_index)
        WHERE next IS NOT NULL GROUP BY ALL ORDER BY next) GROUP BY name),
of_failed AS (SELECT name, session_id, count(recovered_at) AS recovered, count(*) AS failed FROM failed_calls GROUP BY ALL),
recoveries AS (SELECT name, {{recovery}} AS recovery FROM of_failed GROUP BY name),
distances AS (SELECT name, median(recovered_at - turn_index) AS recovery_turns FROM failed_calls GROUP BY name),
spans AS (  -- of failures before one success, the first begins; so a tool's spans in a session never overlap
    SELECT name, session_id, min(turn_index) AS begin, recovered_at FROM failed_calls WHERE recovered_at IS NOT NULL GROUP BY ALL),
recovery_costs AS (
    SELECT name, sum(cost_usd) AS recovery_cost_usd FROM spans JOIN (
        SELECT session_id, turn_index, cost_usd FROM turn_starts WHERE session_id IN (SELECT session_id FROM spans)) AS turns
    ON turns.session_id = spans.session_id AND turns.turn_index > begin AND turns.turn_index <= recovered_at GROUP BY name),
costs AS (
    SELECT name, sum(cost_usd) AS cost_usd FROM (SELECT DISTINCT name, turn_id FROM tries WHERE is_failed AND is_tried)
    JOIN (SELECT turn_id, cost_usd FROM turn_starts) USING (turn_id) GROUP BY name),
called AS (
    SELECT name, count(*) AS calls, count(*) FILTER (list_contains($rejected, status)) AS rejected,
           count(DISTINCT session_id) AS sessions FROM meant GROUP BY name)
SELECT name, calls, rejected, sessions, coalesce(failure, {{nothing}}) AS failure, reason, coalesce(reason_count, 0) AS reason_count,
       median_ms, slow_ms, after, "then", coalesce(recovery, {{nothing}}) AS recovery, recovery_turns, recovery_cost_usd, cost_usd
FROM called LEFT JOIN rates USING (name) LEFT JOIN times USING (name) LEFT JOIN reasons USING (name)
LEFT JOIN befores USING (name) LEFT JOIN costs USING (name) LEFT JOIN thens USING (name) LEFT JOIN recoveries USING (name)
LEFT JOIN distances USING (name) LEFT JOIN recovery_costs USING (name)
ORDER BY failure.successes DESC, calls DESC, name"""

_NO_RATE = (
    "{'successes': 0, 'count': 0, 'clustering': {'sessions': 0, 'sizes': 0, 'totals': 0, 'products': 0}}"
)


def tools(ledger: Queryable, within: Filter = EVERYTHING) -> list[ToolSums]:
    """Return the tools that the responses of a filter call, those with the most failures first."""
    actions, parameters = scope(rated(within), "actions")
    executions, _ = scope(within, "executions")
    return _tools(ledger, actions, executions, parameters)


def tools_of_session(ledger: Queryable, session_id: str) -> list[ToolSums]:
    """Return the tools that a session calls, those with the most failures first."""
    own = "session_id = $session_id::UUID"
    words: dict[str, object] = {"session_id": session_id}
    return _tools(ledger, f"{own} AND {FIRST_READING}", f"{own} AND {FIRST_EXECUTIONS}", words)


def _tools(ledger: Queryable, actions: str, executions: str, parameters: dict[str, object]) -> list[ToolSums]:
    statement = _TOOLS.format(
        actions=actions,
        executions=executions,
        rate=rate_sql("failed", "tried"),
        recovery=rate_sql("recovered", "failed"),
        nothing=_NO_RATE,
    )
    return rows(
        ledger, ToolSums, statement, parameters | {"attempted": ATTEMPTED, "rejected": REFUSED_BY_SCHEMA}
    )


_CALLS = """
WITH meant AS (FROM actions WHERE {condition} AND status <> 'illustration'),
last_tries AS (
    SELECT action_id, count(*) AS tries, arg_max({{'name': name, 'status': status, 'reason': reason, 'exit_status': exit_status,
           'message': message, 'result': result, 'origin': origin, 'duration_ms': duration_ms}}, try_number) AS last
    FROM ({executions}) WHERE {first_executions} AND {of_actions} GROUP BY action_id)
SELECT meant.session_id::VARCHAR AS session_id, external_id AS session, title, project, git_branch AS branch, agent, source,
       meant.model AS model, turn_index, action_index, occurred_at, coalesce(last.name, meant.name) AS tool, arguments, meant.status AS checked,
       coalesce(last.status, 'not_recorded') AS status, last.reason AS reason, last.exit_status AS exit_status,
       last.message AS message, last.result AS result, last.origin AS origin, last.duration_ms AS duration_ms,
       coalesce(tries, 0) AS tries
FROM meant LEFT JOIN last_tries USING (action_id)
JOIN (SELECT session_id, external_id, source, title, project, git_branch, agent FROM ({sessions})) AS sessions
     ON sessions.session_id = meant.session_id
ORDER BY occurred_at DESC NULLS LAST, session_id, turn_index, action_index"""


def whole_tool_calls(within: Filter) -> Scope:
    """Return the statement for each tool call in the responses of a filter as a row, the latest first, and its parameters."""
    refuse_no_filter(within)
    condition, parameters = scope(within, "actions")
    statement = _CALLS.format(
        condition=condition,
        executions=executions_of("session_id IN (SELECT session_id FROM meant)"),
        first_executions="action_id IN (SELECT action_id FROM meant)",
        of_actions=OF_ACTIONS,
        sessions=sessions_of(),
    )
    return Scope(statement, parameters)
