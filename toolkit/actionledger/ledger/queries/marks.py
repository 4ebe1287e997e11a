"""Selects the turns behind a number, such as those that a mark of a chart opens."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias, get_args

from actionledger.core.errors import UsageError
from actionledger.core.vocabulary import Origin, Outcome, Reason
from actionledger.ledger.queries.addresses import Parameters
from actionledger.ledger.queries.base import (
    NOT_DONE,
    NOT_READ,
    NOTHING_READ,
    REFUSED,
    Queryable,
    Stage,
    number,
    rows,
    rows_of_page,
)
from actionledger.ledger.queries.filters import EVERYTHING, Filter, filter_parameters
from actionledger.ledger.queries.hits import HITS, Hit
from actionledger.ledger.queries.labels import LABELS_OF_TURNS
from actionledger.ledger.queries.scopes import Scope, found_scope, scope, text_parameters, text_scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """Selects which of a filter's responses a number counts; an empty field selects all.

    Args:
        stage: where something failed in the turn.
        code: the reason of failure in that stage, or in any without a stage.
        action: the action that failed, as the model wrote it; empty if parsing failed.
        outcomes: the parse outcomes.
        endings: how the responses without a parsed call ended.
        dialects: the detected dialects, ``"none"`` among them.
        executions: statuses of executions in the turn.
        origin: who ran the failed action or the execution; None for anybody.
        captures: how much of the model's output was kept.

    Raises:
        UsageError: a text is given instead of several, or an outcome is unknown.

    Example:
        >>> al.Mark(stage="acting", code="timeout").stage
        'acting'
    """

    stage: Stage | None = None
    code: str | None = None
    action: str | None = None
    outcomes: tuple[str, ...] = ()
    endings: tuple[str, ...] = ()
    dialects: tuple[str, ...] = ()
    executions: tuple[str, ...] = ()
    origin: Origin | None = None
    captures: tuple[str, ...] = ()

    @property
    def filter(self) -> Filter:
        """The filter that selects the same responses."""
        return Filter(
            stage=self.stage,
            reasons=(self.code,) if self.code else (),
            action=self.action,
            outcomes=self.outcomes,
            endings=self.endings,
            dialects=self.dialects,
            executions=self.executions,
            origin=self.origin,
            captures=self.captures,
        )

    def __post_init__(self) -> None:
        _ = self.filter  # it refuses values that no turn can have


ALL_TURNS = Mark()
"""Every turn within a filter."""


@dataclass(frozen=True, slots=True)
class TurnBehind:
    """A turn that a number counts."""

    session_id: str
    external_id: str  # the session's name at its source; empty for live sessions
    turn_index: int  # its position in the session, from 0
    model: str  # the language model
    outcome: Outcome  # its parse outcome
    dialect: str  # the detected dialect; empty if there is none
    # its reasons of failure, each once: first the mark's, then those of parsing, checking and acting
    reasons: tuple[Reason, ...]
    # at most 160 characters of the response, starting near its first issue or block, or at its beginning if there is none
    snippet: str
    hit: Hit | None = None  # where the filter's text occurs; None if the filter has no text
    # if no action was parsed, why the candidates in the response are not actions, each reason once; empty if there are no candidates
    set_aside: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnsPage:
    """A page of the turns that a number counts."""

    count: int  # how many turns there are in total
    turns: list[TurnBehind]  # the turns of the page, the latest first


_COUNT = "SELECT count(*) FROM parse_attempts WHERE {condition}"

_FIRST = """
WITH found AS (
    SELECT attempt_id, occurred_at, session_id, turn_index, {text.own} AS is_own, {text.named} AS is_named
    FROM parse_attempts WHERE {condition})
SELECT count(*), coalesce(min_by(attempt_id, (
    NOT is_own, coalesce(-epoch_us(occurred_at), 9223372036854775807), session_id, turn_index, attempt_id), $last), [])::VARCHAR[]
FROM found WHERE is_own OR is_named"""
"""How many there are, and the first ones, in the order of a page: turns that contain the text are before those whose session only is called so."""

_NOTHING_READ = f"outcome IN {tuple(NOTHING_READ)}"

_TEXTS = rows_of_page("turn_starts", "turn_id, text", "turn_id")

_PAGE = """
WITH page AS (
    SELECT attempt_id, session_id, turn_id, turn_index, model, dialect, outcome, reason, occurred_at
    FROM parse_attempts WHERE {condition}
    ORDER BY {own_first}occurred_at DESC NULLS LAST, session_id, turn_index, attempt_id LIMIT $limit OFFSET $offset),
places AS (
    SELECT attempt_id, min(span_start) AS place, list(code ORDER BY span_start) FILTER (code IS NOT NULL) AS codes FROM (
        SELECT attempt_id, span_start, code FROM issues
        UNION ALL SELECT attempt_id, span_start, CASE WHEN status = 'ignored' THEN reason END FROM blocks)
    WHERE attempt_id IN (SELECT attempt_id FROM page) GROUP BY attempt_id),
causes AS (
    SELECT 0 AS stage, attempt_id, reason AS code, '' AS action, 0 AS place FROM page WHERE {not_read}
    UNION ALL
    SELECT 1, attempt_id, code, name, action_index FROM validation_errors
    WHERE {refused} AND attempt_id IN (SELECT attempt_id FROM page)
    UNION ALL
    SELECT 2, attempt_id, reason, name, action_index FROM executions
    WHERE {not_done} AND attempt_id IN (SELECT attempt_id FROM page)),
texts AS MATERIALIZED ({texts}),
named AS (
    SELECT attempt_id, list(code ORDER BY stage = coalesce($asked_stage, stage) AND code = coalesce($asked_code, code)
                                          AND action = coalesce($asked_action, action) DESC, stage, place) AS reasons
    FROM causes GROUP BY attempt_id){hits}
SELECT session_id::VARCHAR AS session_id, external_id, turn_index, model, outcome, dialect,
       coalesce(list_filter(reasons, lambda reason, place: list_position(reasons, reason) = place), []) AS reasons,
       coalesce(trim(regexp_replace(
           CASE WHEN place > 20 AND place < length(text) THEN '…' || substring(text, place - 19, 159) ELSE substring(text, 1, 160) END,
           '\\s+', ' ', 'g')), '') AS snippet, {hit} AS hit,
       coalesce(CASE WHEN {nothing_read} THEN list_filter(codes, lambda code, nth: list_position(codes, code) = nth) END, []) AS set_aside
FROM page
LEFT JOIN texts USING (turn_id)
JOIN (SELECT session_id, external_id FROM session_starts) USING (session_id)
LEFT JOIN places USING (attempt_id) LEFT JOIN named USING (attempt_id) {found}
ORDER BY {named_last}occurred_at DESC NULLS LAST, session_id, turn_index, attempt_id"""

_OF_PAGE, _PICKED = "(SELECT attempt_id FROM page)", "(SELECT unnest($picked::UUID[]))"
"""The parse attempts of a page, as a query and as known ids. With ids DuckDB sees that they are few, and builds no table of all others."""

_WHOLE = f"""
SELECT page.session_id AS session_id, page.external_id AS external_id, page.turn_index AS turn_index, page.model AS model,
       outcome, dialect, reasons, coalesce(labels, []::VARCHAR[]) AS labels,
       turns.* EXCLUDE (run_id, session_id, turn_id, turn_index, model), turns.turn_id::VARCHAR AS turn_id
FROM ({{page}}) AS page
JOIN turns ON turns.session_id = page.session_id::UUID AND turns.turn_index = page.turn_index
LEFT JOIN ({LABELS_OF_TURNS}) AS l ON l.session_id = turns.session_id AND l.turn_index = turns.turn_index
ORDER BY turns.occurred_at DESC NULLS LAST, page.session_id, page.turn_index"""

_PICKING = "SELECT session_id, external_id, turn_index, model, outcome, dialect, reasons FROM ({page})"


def turns_behind(
    ledger: Queryable,
    within: Filter = EVERYTHING,
    mark: Mark = ALL_TURNS,
    *,
    limit: int | None = 50,
    offset: int = 0,
) -> list[TurnBehind]:
    """Return a page of the turns that a number counts, the latest first."""
    return rows(ledger, TurnBehind, *_page(within, mark, limit, offset))


def turns_page(
    ledger: Queryable,
    within: Filter = EVERYTHING,
    mark: Mark = ALL_TURNS,
    *,
    limit: int = 50,
    offset: int = 0,
) -> TurnsPage:
    """Return a page of the turns that a number counts, and their total; a text is searched only once for both."""
    if not within.text:
        found = turns_behind(ledger, within, mark, limit=limit, offset=offset)
        return TurnsPage(count_turns_behind(ledger, within, mark), found)
    text = text_scope(within)
    condition, parameters = of_mark(replace(within, text=""), mark)
    bound = parameters | text.parameters | {"last": offset + limit}
    [(count, first)] = ledger.sql(_FIRST.format(condition=condition, text=text), bound).fetchall()
    picked = first[offset:]
    if not picked:
        return TurnsPage(count, [])
    of_page = Scope(f"attempt_id IN {_PICKED}", text_parameters(within.text) | {"picked": picked})
    statement, parameters = _lines(of_page, within, mark, limit, 0, is_picked=True)
    return TurnsPage(count, rows(ledger, TurnBehind, statement.replace(_OF_PAGE, _PICKED), parameters))


def whole_turns_behind(within: Filter = EVERYTHING, mark: Mark = ALL_TURNS) -> Scope:
    """Return the statement for the turns that a number counts, the latest first, with all recorded data."""
    statement, parameters = _page(within, mark, None, 0)
    return Scope(_WHOLE.format(page=statement), parameters)


def picked_turns_behind(within: Filter, mark: Mark) -> Scope:
    """Return the statement for the same turns without long columns: the input of ``whole_turns_of``."""
    statement, parameters = _page(within, mark, None, 0)
    return Scope(_PICKING.format(page=statement), parameters)


def whole_turns_of(table: str) -> str:
    """Return the statement of ``whole_turns_behind`` for turns that are already selected."""
    return _WHOLE.format(page=f"FROM {table}")


def _page(within: Filter, mark: Mark, limit: int | None, offset: int) -> Scope:
    return _lines(of_mark(within, mark), within, mark, limit, offset)


def _lines(
    of_page: Scope, within: Filter, mark: Mark, limit: int | None, offset: int, *, is_picked: bool = False
) -> Scope:
    """Return the statement of a page; of one that is picked, no text is searched again to choose its turns."""
    condition, parameters = of_page
    asked = {
        "asked_stage": None if mark.stage is None else get_args(Stage).index(mark.stage),
        "asked_code": mark.code,
        "asked_action": mark.action,
    }
    looked_for = {"hits": "", "hit": "NULL", "found": "", "own_first": "", "named_last": ""}
    if within.text:
        looked_for |= {
            "hits": f",{HITS}",
            "hit": "hit",
            "found": "LEFT JOIN hits USING (attempt_id)",
            "named_last": "hit.place = 'name', ",
        }
    if within.text and not is_picked:
        text = text_scope(within)
        parameters |= text.parameters
        looked_for["own_first"] = f"NOT ({text.own}), "
    statement = _PAGE.format(
        condition=condition,
        not_read=NOT_READ,
        not_done=NOT_DONE,
        refused=REFUSED,
        texts=_TEXTS,
        nothing_read=_NOTHING_READ,
        **looked_for,
    )
    return Scope(statement, parameters | asked | {"limit": limit, "offset": offset})


def count_turns_behind(ledger: Queryable, within: Filter = EVERYTHING, mark: Mark = ALL_TURNS) -> int:
    """Return how many turns a number counts."""
    return number(ledger, *of_mark(within, mark).filled(_COUNT))


def of_mark(within: Filter, mark: Mark) -> Scope:
    """Return a filter and a mark as a condition on parse attempts."""
    condition, parameters = scope(within)
    also, named = found_scope(mark.filter).beside("mark_")
    if mark.captures:
        also += " AND list_contains($mark_captures, capture)"
        named |= {"mark_captures": list(mark.captures)}
    return Scope(f"{condition} AND {also}", parameters | named)


def mark_parameters(mark: Mark) -> Parameters:
    """Return a mark as query parameters for the page of turns, which reads them as filters."""
    return filter_parameters(mark.filter)


Selected: TypeAlias = Literal["sessions", "turns", "readings", "actions", "executions"]
"""The kinds of rows to select: sessions, responses, parse attempts, actions, executions."""


class Selection(NamedTuple):
    """A statement with its values."""

    statement: str  # one SELECT
    parameters: dict[str, object]  # its values by name


PICKED = "picked"
"""The table of selected rows, which the rest of each row is joined to."""


class Picking(NamedTuple):
    """Two statements: the first one ends and frees its memory before the rows are sorted with their texts."""

    picked: Selection  # selects the rows, without long columns
    statement: str  # returns the complete rows for those in the table `PICKED`


_READ = "SELECT {column} FROM parse_attempts WHERE {condition}"
_STATEMENTS: dict[Selected, str] = {
    "sessions": "SELECT * FROM sessions WHERE session_id IN ({read}) ORDER BY started_at, session_id",
    "turns": "SELECT * FROM turns WHERE turn_id IN ({read}) ORDER BY session_id, turn_index",
    "readings": "SELECT * FROM parse_attempts WHERE attempt_id IN ({read}) ORDER BY session_id, turn_index, attempt_id",
    "actions": "SELECT * FROM actions WHERE attempt_id IN ({read}) ORDER BY session_id, turn_index, action_index, attempt_id",
    "executions": (
        "SELECT * FROM executions WHERE attempt_id IN ({read}) "
        "ORDER BY session_id, turn_index, action_index, try_number, execution_id"
    ),
}
_COLUMNS: dict[Selected, str] = {"sessions": "session_id", "turns": "turn_id"}


def selected(what: Selected, within: Filter = EVERYTHING, mark: Mark = ALL_TURNS) -> Selection:
    """Return the statement for rows of the responses that a filter selects."""
    if what not in _STATEMENTS:
        raise UsageError(f"{what!r} is nothing that can be selected; choose one of {', '.join(_STATEMENTS)}.")
    condition, parameters = of_mark(within, mark)
    read = _READ.format(column=_COLUMNS.get(what, "attempt_id"), condition=condition)
    return Selection(_STATEMENTS[what].format(read=read), parameters)


def listed_turns(within: Filter = EVERYTHING) -> Picking:
    """Return the statements for the dashboard's list of turns, complete and in its order."""
    return Picking(Selection(*picked_turns_behind(within, ALL_TURNS)), whole_turns_of(PICKED))


_PROFILES = (
    "SELECT DISTINCT profile FROM session_starts WHERE list_contains($ids, session_id::VARCHAR) ORDER BY 1"
)


def profiles_of(ledger: Queryable, session_ids: Sequence[str]) -> list[str]:
    return [name for (name,) in ledger.sql(_PROFILES, {"ids": list(session_ids)}).fetchall()]


def selected_sessions(within: Filter) -> Selection:
    """Return the statement for the ids of the sessions with a response that a filter selects."""
    condition, parameters = scope(within)
    query = f"SELECT DISTINCT session_id::VARCHAR FROM parse_attempts WHERE {condition} ORDER BY 1"
    return Selection(query, parameters)
