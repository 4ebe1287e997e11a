"""Sessions, page by page."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from actionledger.ledger.queries.base import (
    AUDITABLE,
    INTENT,
    READ,
    RUNNABLE,
    Queryable,
    is_uuid,
    number,
    picked,
    rows,
)
from actionledger.ledger.queries.filters import EVERYTHING, Filter, Scope, of_session, scope
from actionledger.rates import NOT_AUDITABLE, Rate
from actionledger.vocabulary import Capture, Relation

Order: TypeAlias = Literal["newest", "oldest", "longest", "worst"]
"""How sessions are ordered: by start, by turns, or by parse success and then by failed executions."""

_ORDERS: dict[Order, str] = {
    "newest": "started_at DESC NULLS LAST, session_id DESC",
    "oldest": "started_at NULLS LAST, session_id",
    "longest": "turns DESC, session_id",
    "worst": "read / nullif(intent, 0) NULLS LAST, failed DESC, session_id",
}


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One session of a list.

    Args:
        session_id: identifies it.
        external_id: its name where it comes from; empty for live sessions.
        source: where it comes from.
        profile, model, task: what it ran with, and what it is about.
        started_at: when it began, UTC without a zone; None where the source doesn't say.
        turns: how many responses it has.
        parsed: responses within the filter that could be read whole, of those that meant to act and can be audited; one
            session has no interval.
        actions: how many actions were read and meant.
        valid: how many of them may run.
        executions: how many tries at them are recorded.
        failed: how many executions were attempted and did not succeed.
        success: whether it reached what it was for; None where nobody said.
        reason: why it ended, in its source's words; None where nobody said.
        relation: how it is another session's child; None where it is none, or nobody said.
        depth: how many of its ancestors stand above it in the list.
        captures: how much was kept of those of its responses that meant to act.
    """

    session_id: str
    external_id: str
    source: str
    profile: str
    model: str
    task: str
    started_at: datetime | None
    turns: int
    parsed: Rate
    actions: int
    valid: int
    executions: int
    failed: int
    success: bool | None
    reason: str | None
    relation: Relation | None
    depth: int
    captures: tuple[Capture, ...]


@dataclass(frozen=True, slots=True)
class Session:
    """What is known of one session as a whole.

    Args:
        session_id: identifies it.
        external_id: its name where it comes from; empty for live sessions.
        source: where it comes from.
        profile, model, task: what it ran with, and what it is about.
        started_at, finished_at: when, UTC without a zone; None where the source doesn't say.
        metadata: what else the source says, as JSON text of an object.
        turns: how many responses it has.
        success: whether it reached what it was for; None where nobody said.
        reason: why it ended, in its source's words; None where nobody said.
        parent_session_id: the session that it is a child of, recorded or not; None where it is none.
        relation: how it is its child.
        scores: what its source has scored it with, as JSON text of an object; None where nobody said.
        labels: what its source has filed it under, as JSON text of a list; None where nobody said.
    """

    session_id: str
    external_id: str
    source: str
    profile: str
    model: str
    task: str
    started_at: datetime | None
    finished_at: datetime | None
    metadata: str
    turns: int
    success: bool | None
    reason: str | None
    parent_session_id: str | None = None
    relation: Relation | None = None
    scores: str | None = None
    labels: str | None = None


_LIST = """
WITH RECURSIVE attempts AS (
    SELECT session_id, count(*) FILTER ({auditable} AND list_contains($intent, outcome)) AS intent,
           count(*) FILTER ({auditable} AND list_contains($read, outcome)) AS read,
           count(*) FILTER (list_contains($intent, outcome)) AS meant,
           list(DISTINCT capture) FILTER (list_contains($intent, outcome)) AS captures
    FROM parse_attempts WHERE {attempts} GROUP BY session_id),
calls AS (
    SELECT session_id, count(*) FILTER (status <> 'illustration') AS actions,
           count(*) FILTER (list_contains($runnable, status)) AS valid
    FROM actions WHERE {actions} GROUP BY session_id),
failures AS (
    SELECT session_id, count(*) AS executions, count(*) FILTER (status IN ('failed', 'timed_out', 'interrupted')) AS failed
    FROM executions WHERE {executions} GROUP BY session_id),
lengths AS (SELECT session_id, count(*) AS turns FROM turn_starts GROUP BY session_id),
found AS (
    SELECT session_id, external_id, source, profile, model, task, started_at, coalesce(turns, 0) AS turns,
           coalesce(read, 0) AS read, coalesce(intent, 0) AS intent, coalesce(meant, 0) AS meant, coalesce(actions, 0) AS actions,
           coalesce(valid, 0) AS valid, coalesce(executions, 0) AS executions,
           coalesce(failed, 0) AS failed, success, reason, parent_session_id, relation,
           list_sort(coalesce(captures, [])) AS captures
    FROM sessions LEFT JOIN attempts USING (session_id) LEFT JOIN calls USING (session_id)
    LEFT JOIN failures USING (session_id) LEFT JOIN lengths USING (session_id)
    WHERE {sessions})"""

_PAGE = """,
listed AS (
    SELECT *, row_number() OVER (ORDER BY {order}) AS place FROM found WHERE {failing}),
paths AS (
    SELECT session_id, session_id AS root, [place] AS path FROM listed
    WHERE parent_session_id IS NULL OR parent_session_id NOT IN (SELECT session_id FROM listed)
    UNION ALL
    SELECT listed.session_id, root, list_append(path, listed.place)
    FROM listed JOIN paths ON listed.parent_session_id = paths.session_id),
placed AS (
    SELECT listed.*, coalesce(path, [place]) AS path, coalesce(root, session_id) AS root
    FROM listed LEFT JOIN paths USING (session_id))
SELECT {columns} FROM placed
ORDER BY min(place) OVER (PARTITION BY root), path LIMIT $limit OFFSET $offset"""

_PARSED = f"""{{'successes': read, 'count': intent, 'clustering': {{
    'sessions': 1, 'sizes': intent * intent, 'totals': read * read, 'products': read * intent}},
    'refusal': CASE WHEN meant > intent AND intent = 0 THEN '{NOT_AUDITABLE}' ELSE '' END}}"""

_DEPTH = "len(path) - 1"

_COUNT = "\nSELECT count(*) FROM found WHERE {failing}"

_FAILING = {True: "(read < intent OR valid < actions OR failed > 0)", False: "true"}

_SEARCH = """(contains(lower(external_id), lower($search)) OR session_id IN (
    SELECT session_id FROM turn_starts WHERE contains(lower(text), lower($search))))"""

_WAS_READ = "session_id IN (SELECT session_id FROM attempts)"

_TURNS = "(SELECT count(*) FROM turn_starts WHERE session_id = $session_id::UUID)"

_ONE = f"SELECT {picked(Session, turns=_TURNS)} FROM sessions WHERE session_id = $session_id::UUID"


def sessions(
    ledger: Queryable,
    within: Filter = EVERYTHING,
    *,
    search: str = "",
    only_failing: bool = False,
    limit: int | None = 50,
    offset: int = 0,
    order: Order = "newest",
) -> list[SessionRow]:
    """Return a page of the sessions that a filter picks; children stand under their parent, where that is among them.

    Args:
        ledger: what to ask.
        within: which sessions, and which of their responses the numbers count.
        search: a text that a response or the session's external id holds, in any case.
        only_failing: whether to leave out sessions in which all was read, valid and done.
        limit: how many sessions a page has; None for all of them.
        offset: how many sessions stand before it.
        order: how the sessions are ordered; a family by the first of its members.
    """
    found, parameters = _found(within, search)
    page = _PAGE.format(
        columns=picked(SessionRow, parsed=_PARSED, depth=_DEPTH),
        failing=_FAILING[only_failing],
        order=_ORDERS[order],
    )
    return rows(ledger, SessionRow, found + page, parameters | {"limit": limit, "offset": offset})


def whole_sessions(
    within: Filter = EVERYTHING, *, search: str = "", only_failing: bool = False, order: Order = "newest"
) -> Scope:
    """Return the statement that gives all of them as rows without a rate: what was read whole, and of how many, stands apart.

    Args:
        within: which sessions, and which of their responses the numbers count.
        search: a text that a response or the session's external id holds, in any case.
        only_failing: whether to leave out sessions in which all was read, valid and done.
        order: how the sessions are ordered; a family by the first of its members.

    Returns:
        The statement, in place of a condition, and its values.
    """
    found, parameters = _found(within, search)
    columns = picked(SessionRow, parsed="read", depth=_DEPTH).replace(
        "read AS parsed", "read::BIGINT AS read_whole, intent::BIGINT AS meant_to_act"
    )
    page = _PAGE.format(columns=columns, failing=_FAILING[only_failing], order=_ORDERS[order])
    return Scope(found + page, parameters | {"limit": None, "offset": 0})


def count_sessions(
    ledger: Queryable, within: Filter = EVERYTHING, *, search: str = "", only_failing: bool = False
) -> int:
    """Return how many sessions there are to page through.

    Args:
        ledger: what to ask.
        within: which sessions.
        search: a text that a response or the session's external id holds, in any case.
        only_failing: whether to leave out sessions in which all was read, valid and done.
    """
    found, parameters = _found(within, search)
    return number(ledger, found + _COUNT.format(failing=_FAILING[only_failing]), parameters)


def session(ledger: Queryable, session_id: str) -> Session | None:
    """Return what is known of one session, or None where there is none of that id.

    Args:
        ledger: what to ask.
        session_id: the session; anything that is no identifier finds nothing.
    """
    if not is_uuid(session_id):
        return None
    return next(iter(rows(ledger, Session, _ONE, {"session_id": session_id})), None)


def _found(within: Filter, search: str) -> tuple[str, dict[str, object]]:
    """Return the common table expressions that end in ``found``, one row a session."""
    condition, parameters = scope(within)
    parts, words = of_session(within)
    bound = parameters | words | {"intent": INTENT, "read": READ, "runnable": RUNNABLE}
    if within.run_id or within.since or within.until:
        parts.append(_WAS_READ)
    if search:
        parts.append(_SEARCH)
        bound["search"] = search
    statement = _LIST.format(
        attempts=condition,
        auditable=AUDITABLE,
        actions=scope(within, "actions").condition,
        executions=scope(within, "executions").condition,
        sessions=" AND ".join(parts) or "true",
    )
    return statement, bound
