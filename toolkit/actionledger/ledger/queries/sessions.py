"""Sessions, page by page."""

from dataclasses import dataclass, replace
from datetime import datetime

from actionledger.core.rates import NOT_AUDITABLE, Rate
from actionledger.core.vocabulary import Capture, Relation, SessionOutcome
from actionledger.ledger.queries.addresses import Order, ordered_by
from actionledger.ledger.queries.base import (
    AUDITABLE,
    INTENT,
    IS_CHECKED,
    OF_ACTIONS,
    READ,
    RUNNABLE,
    Queryable,
    number,
    picked,
    refuse_no_ledger,
    rows,
)
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.ledger.queries.labels import LABELS_OF_SESSIONS
from actionledger.ledger.queries.scopes import HOLDS, NAMED, Scope, of_session, scope, turn_scope
from actionledger.ledger.storage.schema import LINKED_STARTS, executions_of, sessions_of
from actionledger.ledger.storage.views import session_outcomes_of


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session in a list."""

    session_id: str
    external_id: str  # its name at its source; empty for live sessions
    source: str
    profile: str
    model: str
    task: str
    started_at: datetime | None  # its start, UTC without a zone; None if the source doesn't report it
    turns: int  # how many responses it has
    # responses within the filter that were fully parsed, of those that meant to act and can be audited; one session has no interval
    parsed: Rate
    actions: int  # how many actions were parsed and meant
    checked: int  # how many of them had a catalogue for their check
    valid: int  # how many of these may run
    executions: int  # how many tries of them are recorded
    failed: int  # how many executions were attempted and did not succeed
    success: bool | None  # whether it reached its goal; None if unknown
    reason: str | None  # why it ended, in its source's words; None if unknown
    # how it is related to its parent; None if it has none, or the relation is unknown
    relation: Relation | None
    depth: int  # how many of its ancestors are above it in the list
    captures: tuple[Capture, ...]  # how much of its responses that meant to act was kept
    parent_session_id: str | None = None  # its parent session, recorded or not; None if it has none
    matching: int = 0  # how many of its responses the whole filter selects
    title: str | None = None  # its title by its source or its task; None if it has none
    project: str | None = None  # project, branch: its folder, and the git branch there
    branch: str | None = None
    agent: str | None = None  # the agent that ran it
    # the time from its first response to its last one, in seconds; None if no times are recorded
    duration_s: float | None = None
    # input_tokens, output_tokens: the sums over its own responses, without its subagents; None if none are recorded
    input_tokens: int | None = None
    output_tokens: int | None = None
    priced: int = 0  # how many of its responses have a known cost
    cost_usd: float | None = None  # their sum, in dollars
    outcome: SessionOutcome | None = None  # its outcome; None if it has no response
    subagents: int = 0  # how many subagents it has, including theirs
    # the cost of their responses, in dollars; None if no cost is known
    subagents_cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class SessionsPage:
    """A page of a list of sessions."""

    count: int  # how many sessions there are in total
    sessions: list[SessionRow]


@dataclass(frozen=True, slots=True)
class _Counted(SessionRow):
    """A session in a list, with the total count."""

    count: int = 0


_MATCHED = """
matched AS (SELECT session_id, count(*) AS matching FROM parse_attempts WHERE {condition} GROUP BY session_id)"""

_FOUND = """
found AS (SELECT session_id, started_at, parent_session_id FROM {starts} WHERE {sessions})""".replace(
    "{starts}", LINKED_STARTS
)

_LENGTHS = """
lengths AS (
    SELECT session_id, count(*) AS turns, min(occurred_at) AS first_turn, max(occurred_at) AS last_turn,
           sum(input_tokens)::BIGINT AS input_tokens, sum(output_tokens)::BIGINT AS output_tokens,
           count(cost_usd) AS priced, sum(cost_usd) AS cost_usd
    FROM {turns} GROUP BY session_id)"""
"""The number of responses of sessions, and their sums; of all sessions only if these order the list."""

_NUMBERS = """
attempts AS (
    SELECT session_id, count(*) FILTER ({auditable} AND list_contains($intent, outcome)) AS intent,
           count(*) FILTER ({auditable} AND list_contains($read, outcome)) AS read,
           count(*) FILTER (list_contains($intent, outcome)) AS meant,
           list(DISTINCT capture) FILTER (list_contains($intent, outcome)) AS captures
    FROM {attempts} WHERE {read} GROUP BY session_id),
calls AS (
    SELECT session_id, count(*) FILTER (status <> 'illustration') AS actions,
           count(*) FILTER ({checked}) AS checked, count(*) FILTER ({checked} AND list_contains($runnable, status)) AS valid
    FROM actions WHERE {called} AND session_id IN (SELECT session_id FROM {of}) GROUP BY session_id),
failures AS (
    SELECT session_id, count(*) AS executions, count(*) FILTER (status IN ('failed', 'timed_out', 'interrupted')) AS failed
    FROM {executions} WHERE {tried} GROUP BY session_id),
numbers AS (
    SELECT session_id, coalesce(read, 0) AS read, coalesce(intent, 0) AS intent, coalesce(meant, 0) AS meant,
           coalesce(actions, 0) AS actions, coalesce(checked, 0) AS checked, coalesce(valid, 0) AS valid,
           coalesce(executions, 0) AS executions, coalesce(failed, 0) AS failed, list_sort(coalesce(captures, [])) AS captures
    FROM {of} LEFT JOIN attempts USING (session_id) LEFT JOIN calls USING (session_id) LEFT JOIN failures USING (session_id))"""
"""The results of sessions' responses, one row each. Every parse attempt of these sessions is scanned, so as few sessions as possible are queried."""

_DETAILS = f"""
details AS (
    SELECT * EXCLUDE (started_at, parent_session_id)
    FROM ({sessions_of("session_id IN (SELECT session_id FROM found)")}))"""
"""The sources' details of all sessions, only if these order the list."""

_TEAMS = f"""
members AS (
    SELECT session_id AS leader, session_id FROM page
    UNION
    SELECT leader, starts.session_id FROM members JOIN {LINKED_STARTS} AS starts ON starts.parent_session_id = members.session_id
    WHERE starts.relation = 'subagent'),
teams AS (
    SELECT leader AS session_id, count(DISTINCT session_id)::BIGINT AS subagents, sum(cost_usd) AS subagents_cost_usd
    FROM members LEFT JOIN turn_starts USING (session_id) WHERE leader <> session_id GROUP BY leader)"""
"""The subagents of each session of a page, at any depth."""

_NO_TEAMS = (
    "teams AS (SELECT session_id, 0 AS subagents, NULL::DOUBLE AS subagents_cost_usd FROM page WHERE false)"
)

_LISTED = """
listed AS (
    SELECT found.*, row_number() OVER (ORDER BY {order}) AS place FROM {candidates})"""

_FAMILIES = """
paths AS (
    SELECT session_id, session_id AS root, place, [place] AS path FROM listed
    WHERE session_id IN (SELECT parent_session_id FROM listed)
          AND (parent_session_id IS NULL OR parent_session_id NOT IN (SELECT session_id FROM listed))
    UNION ALL
    SELECT listed.session_id, root, listed.place, list_append(path, listed.place)
    FROM listed JOIN paths ON listed.parent_session_id = paths.session_id),
families AS (SELECT root, min(place) AS first FROM paths GROUP BY root),
ordered AS (
    SELECT session_id, coalesce(path, [place]) AS path, coalesce(first, place) AS first
    FROM listed LEFT JOIN (SELECT session_id, path, first FROM paths JOIN families USING (root)) USING (session_id)
    ORDER BY first, path LIMIT $limit OFFSET $offset),
page AS (SELECT session_id, path, row_number() OVER (ORDER BY first, path) AS line FROM ordered)"""
"""Only sessions with a child or a parent need a path: of a million sessions a few hundred."""

_SINGLES = """
page AS (SELECT session_id, [place] AS path, place AS line FROM listed ORDER BY place LIMIT $limit OFFSET $offset)"""
"""The same for a ledger without parents."""

_OF_PAGE = """
sessions_of_page AS {sessions},
executions_of_page AS {executions},
turns_of_page AS {turns},
attempts_of_page AS {attempts}"""

_HAS_PARENTS = """
SELECT count(*) FROM (SELECT session_id FROM session_starts WHERE parent_session_id IS NOT NULL
    UNION ALL SELECT session_id FROM session_details WHERE parent_session_id IS NOT NULL LIMIT 1)"""

_LINES = """
SELECT {columns} FROM (
    SELECT page.*, lengths.* EXCLUDE (session_id) REPLACE (coalesce(turns, 0) AS turns, coalesce(priced, 0) AS priced)
    FROM page LEFT JOIN lengths USING (session_id)) AS page
LEFT JOIN outcomes USING (session_id) LEFT JOIN teams USING (session_id)
JOIN sessions_of_page AS sessions USING (session_id)
JOIN numbers USING (session_id) {matched} ORDER BY line"""

_PARSED = f"""{{'successes': read, 'count': intent, 'clustering': {{
    'sessions': 1, 'sizes': intent * intent, 'totals': read * read, 'products': read * intent}},
    'refusal': CASE WHEN meant > intent AND intent = 0 THEN '{NOT_AUDITABLE}' ELSE '' END}}"""

_LABELS = "coalesce(shown_labels, []::VARCHAR[])"
_LABELLED = (
    f"LEFT JOIN (SELECT session_id, labels AS shown_labels FROM ({LABELS_OF_SESSIONS})) USING (session_id)"
)

_OF_MODELS = """(list_contains($models, model)
    OR session_id IN (SELECT session_id FROM turn_starts WHERE list_contains($models, model)))"""
"""The sessions with one of the models, their own or a later one."""

_HELD = f"session_id IN (SELECT session_id FROM turn_starts WHERE {{condition}} AND {HOLDS.format(column='text')})"


def sessions(
    ledger: Queryable,
    within: Filter = EVERYTHING,
    *,
    limit: int | None = 50,
    offset: int = 0,
    order: Order = "newest",
) -> list[SessionRow]:
    """Return a page of the sessions with a response in a filter (children follow a selected parent); the numbers count their responses in ``within.given``."""
    selection = _session_lines(within, order=order, columns=_columns(within), parents=_has_parents(ledger))
    return rows(
        ledger, SessionRow, selection.condition, selection.parameters | {"limit": limit, "offset": offset}
    )


def sessions_page(
    ledger: Queryable,
    within: Filter = EVERYTHING,
    *,
    limit: int = 50,
    offset: int = 0,
    order: Order = "newest",
) -> SessionsPage:
    """Return a page of sessions, and their total; the filter is evaluated only once for both."""
    columns = f"{_columns(within)}, (SELECT count(*) FROM listed) AS count"
    statement, parameters = _session_lines(within, order=order, columns=columns, parents=_has_parents(ledger))
    found = rows(ledger, _Counted, statement, parameters | {"limit": limit, "offset": offset})
    return SessionsPage(found[0].count if found else 0, list[SessionRow](found))


def whole_sessions(within: Filter = EVERYTHING, *, order: Order = "newest") -> Scope:
    """Return the statement for all of them as rows with labels, and its parameters; a family has the position of its first member in ``order``."""
    columns = _columns(within, parsed="read").replace(
        "read AS parsed", f"read::BIGINT AS read_whole, intent::BIGINT AS meant_to_act, {_LABELS} AS labels"
    )
    statement, parameters = _session_lines(within, order=order, columns=columns, beside=_LABELLED)
    return Scope(statement, parameters | {"limit": None, "offset": 0})


def count_sessions(ledger: Queryable, within: Filter = EVERYTHING) -> int:
    """Return how many sessions there are to page through."""
    tables, parameters = _tables(within)
    return number(ledger, f"WITH {','.join(tables)} SELECT count(*) FROM found", parameters)


def session_outcomes(ledger: Queryable, within: Filter = EVERYTHING) -> dict[SessionOutcome, int]:
    """Return how many of the listed sessions have each outcome, without zeros; sessions without a response are included."""
    refuse_no_ledger(ledger)
    # Choosing all sessions, table by table, would take a third of the statement's time.
    tables, parameters = _tables(within) if within != EVERYTHING else ([], {})
    of = _rows_of("found") if tables else _OF_ALL
    statement = (
        f"WITH {','.join([*tables, _outcomes(of)])} SELECT outcome, count(*) FROM outcomes GROUP BY ALL"
    )
    found = dict(ledger.sql(statement, parameters).fetchall())
    return {outcome: found[outcome] for outcome in SessionOutcome if outcome in found}


def _has_parents(ledger: Queryable) -> bool:
    """Whether any session has a parent: planning what only they need takes a third of a list's time."""
    refuse_no_ledger(ledger)
    return bool(number(ledger, _HAS_PARENTS))


def _session_lines(
    within: Filter, *, order: Order, columns: str, beside: str = "", parents: bool = True
) -> Scope:
    """Return the statement that lists sessions as on a page, without values for ``$limit`` and ``$offset``."""
    tables, parameters = _tables(within)
    by, needed = ordered_by(order)
    # Data that selects or orders sessions is computed for all of them, the rest only for those of the page.
    theirs = {
        name: _rows_of("found") if name == needed else _ON_PAGE for name in ("numbers", "lengths", "outcomes")
    }
    numbers, words = _numbers(within, **theirs["numbers"])
    parts = {
        "numbers": numbers,
        "lengths": _LENGTHS.format(**theirs["lengths"]),
        "outcomes": _outcomes(theirs["outcomes"]),
        "details": _DETAILS,
    }
    candidates = f"found LEFT JOIN {needed} USING (session_id)" if needed else "found"
    page = [_LISTED.format(order=by, candidates=candidates), _FAMILIES if parents else _SINGLES]
    tables += [parts[needed]] if needed else []
    tables += [
        *page,
        _OF_PAGE.format(**_rows_of("page")),
        *(parts[name] for name in theirs if name != needed),
    ]
    tables.append(_TEAMS if parents else _NO_TEAMS)
    matched = "LEFT JOIN matched USING (session_id)" if _is_counted(within) else ""
    tables[-1] += _LINES.format(columns=columns, matched=f"{matched} {beside}")
    return Scope(f"WITH RECURSIVE {','.join(tables)}", parameters | words)


_ON_PAGE = {name: f"{name}_of_page" for name in ("sessions", "executions", "turns", "attempts")} | {
    "of": "page"
}
"""The names of what ``_OF_PAGE`` selects."""

_OF_ALL = {
    "sessions": "sessions",
    "executions": "executions",
    "turns": "turn_starts",
    "attempts": "parse_attempts",
}


def _rows_of(of: str) -> dict[str, str]:
    """Return the same for other sessions, as SELECTs."""
    theirs = f"session_id IN (SELECT session_id FROM {of})"
    return {
        "sessions": f"({sessions_of(theirs)})",
        "executions": f"({executions_of(theirs)})",
        "turns": f"(FROM turn_starts WHERE {theirs})",
        "attempts": f"(FROM parse_attempts WHERE {theirs})",
        "of": of,
    }


def _outcomes(theirs: dict[str, str]) -> str:
    """Return the common table expression of sessions' outcomes."""
    tables = {name: theirs[name] for name in ("sessions", "executions", "turns", "attempts")}
    return f"outcomes AS (SELECT session_id, outcome FROM ({session_outcomes_of(**tables)}))"


def _columns(within: Filter, parsed: str = _PARSED) -> str:
    return picked(
        SessionRow,
        parsed=parsed,
        depth="len(path) - 1",
        matching="coalesce(matching, 0)" if _is_counted(within) else "turns",
        branch="git_branch",
        duration_s="epoch(last_turn - first_turn)",
        subagents="coalesce(subagents, 0)",
    )


def _tables(within: Filter) -> tuple[list[str], dict[str, object]]:
    """Return the common table expressions that end in ``found``, with one row per session, and their parameters."""
    parts, parameters = of_session(replace(within, models=()))
    if within.models:
        parts.append(_OF_MODELS)
        parameters["models"] = list(within.models)
    if not _is_counted(within):
        return [_FOUND.format(sessions=" AND ".join(parts) or "true")], parameters
    condition, parameters = scope(within)
    if _is_of_turns(within):
        parts.append(_picks(within))
    return [_MATCHED.format(condition=condition), _FOUND.format(sessions=" AND ".join(parts))], parameters


def _picks(within: Filter) -> str:
    """Return the condition that a session has a selected response, for a filter with conditions on responses."""
    picks = ["session_id IN (SELECT session_id FROM matched)"]
    if within.text and within == replace(within.given, run_id=None, text=within.text):
        # Without another condition on outcomes the text may also be in unparsed responses, and in names.
        picks.append(_HELD.format(condition=turn_scope(within.given).condition))
        picks += [] if _is_of_turns(within.given) else [NAMED]
    return f"({' OR '.join(picks)})"


def _is_of_turns(within: Filter) -> bool:
    """Whether a filter has conditions on responses, and not only on sessions."""
    turns = (within.run_id, within.since, within.until, within.captures)
    return any(turns) or within.given != replace(within, session_outcomes=())


def _is_counted(within: Filter) -> bool:
    """Whether a filter may select only some responses of a session: a session can continue with another model."""
    return bool(within.models) or _is_of_turns(within)


def _numbers(within: Filter, **theirs: str) -> tuple[str, dict[str, object]]:
    """Return the common table expressions of the results of sessions' responses, and their parameters."""
    given = within.given
    statement = _NUMBERS.format(
        auditable=AUDITABLE,
        checked=IS_CHECKED,
        read=scope(given).condition,
        called=scope(given, "actions").condition,
        tried=f"{scope(given, 'executions').condition} AND {OF_ACTIONS}",
        **theirs,
    )
    words = {"intent": INTENT, "read": READ, "runnable": RUNNABLE}
    return statement, scope(given).parameters | words
