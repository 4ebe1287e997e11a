"""Finds where a searched text occurs: in which texts and characters of a turn, and in which turns of a session."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from actionledger.core.ids import is_uuid
from actionledger.ledger.queries.base import Queryable, rows, rows_of_page
from actionledger.ledger.queries.scopes import FIRST_EXECUTIONS, HOLDS, IN_JSON, NAMES, text_parameters

Place: TypeAlias = Literal["response", "arguments", "result", "name"]
"""The text that contains it: the response, an action's arguments or result, or the session's name."""


@dataclass(frozen=True, slots=True)
class Hit:
    """The first occurrence of a text in a turn; the response is searched first."""

    place: Place  # which of the turn's texts contains it
    # the characters of the response to mark from start to end, in code points; None if the place is not in it
    start: int | None
    end: int | None
    before: str  # before, text, after: the found text as written there, and some characters around it
    text: str
    after: str


_AROUND = 60
"""The most characters to show on either side."""

_AT = f"""CASE WHEN NOT {HOLDS} THEN 0 WHEN $is_short
    THEN length(regexp_extract({{column}}, '(?is)^(.*?)(?:' || $pattern || ')', 1)) + 1 ELSE instr(lower({{column}}), lower($text)) END"""
"""The position of the text in a column, from 1; 0 if it is missing. In either case of letters it has the same number of characters."""
_AT_IN_JSON = _AT.replace("$text", "$text_in_json").replace("$pattern", "$pattern_in_json")

_SPAN = "CASE WHEN span_end > span_start THEN span_start END, nullif(span_end, span_start)"
_ARGUMENTS, _RESULT = "arguments::VARCHAR", "result::VARCHAR"


def _in_json(column: str) -> str:
    """Return the columns ``spot`` and ``size`` of a text found in a column of JSON text, as it is or escaped."""
    plain, escaped = _AT.format(column=column), _AT_IN_JSON.format(column=column)
    return (
        f"CASE WHEN {plain} > 0 THEN {plain} ELSE {escaped} END AS spot, "
        f"CASE WHEN {plain} > 0 THEN length($text) ELSE length($text_in_json) END AS size"
    )


_ALL = 2**62
"""More rows than exist. The limit keeps DuckDB from moving the condition before it, which would search every result of the ledger."""

_CALLED = rows_of_page(
    "actions", "attempt_id, action_id, action_index, span_start, span_end, arguments", "attempt_id"
)

HITS = f"""
called AS MATERIALIZED ({_CALLED}),
begun AS MATERIALIZED (
    SELECT execution_id, attempt_id, action_id, action_index FROM execution_starts
    ANTI JOIN (SELECT reversal_id AS execution_id FROM reversals) USING (execution_id)
    WHERE attempt_id IN (SELECT attempt_id FROM page)),
tried AS MATERIALIZED (
    SELECT attempt_id, action_id, action_index, result, message, span_start, span_end
    FROM begun
    JOIN (SELECT execution_id, result, message FROM execution_ends WHERE execution_id IN (SELECT execution_id FROM begun))
    USING (execution_id)
    LEFT JOIN (SELECT action_id, attempt_id, span_start, span_end FROM called) USING (attempt_id, action_id)
    LIMIT {_ALL}),
names AS MATERIALIZED (
    SELECT attempt_id, name FROM page JOIN {NAMES.format(within="session_id IN (SELECT session_id FROM page)")} USING (session_id)),
hits AS (
    SELECT attempt_id, min_by({{
        'place': place, 'start': start, 'end': stop,
        'before': substring(whole, greatest(spot - {_AROUND}, 1), spot - greatest(spot - {_AROUND}, 1)),
        'text': substring(whole, spot, size), 'after': substring(whole, spot + size, {_AROUND})}}, (rank, nth)) AS hit
    FROM (
        SELECT attempt_id, 1 AS rank, 0 AS nth, 'response' AS place, spot - 1 AS start, spot - 1 + length($text) AS stop, whole, spot,
               length($text) AS size
        FROM (SELECT attempt_id, text AS whole, {_AT.format(column="text")} AS spot FROM page JOIN texts USING (turn_id))
        WHERE spot > 0
        UNION ALL
        SELECT attempt_id, 2, action_index, 'arguments', {_SPAN}, {_ARGUMENTS}, {_in_json(_ARGUMENTS)}
        FROM called WHERE {IN_JSON.format(column=_ARGUMENTS)}
        UNION ALL
        SELECT attempt_id, 3, action_index, 'result', {_SPAN}, {_RESULT}, {_in_json(_RESULT)}
        FROM tried WHERE {IN_JSON.format(column=_RESULT)}
        UNION ALL
        SELECT attempt_id, 4, action_index, 'result', {_SPAN}, message,
               {_AT.format(column="message")}, length($text)
        FROM tried WHERE {HOLDS.format(column="message")}
        UNION ALL
        SELECT attempt_id, 5, 0, 'name', NULL, NULL, name, {_AT.format(column="name")}, length($text)
        FROM names WHERE {HOLDS.format(column="name")})
    GROUP BY attempt_id)"""
"""The first hit of each parse attempt of ``page``, whose responses are ``texts``, as SQL to put after WITH. A page's rows are selected before
their texts are searched, since DuckDB would otherwise search all rows."""


MentionPlace: TypeAlias = Literal["response", "arguments", "result"]
"""The part of a turn in which a text occurs."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A turn that a text occurs in."""

    index: int  # the turn's position in its session, from 0
    places: tuple[MentionPlace, ...]  # the parts of the turn in which the text occurs, each once


_MENTIONS = f"""
WITH found AS (
    SELECT turn_index, 'response' AS place FROM turns
    WHERE session_id = $session_id::UUID AND {HOLDS.format(column="text")}
    UNION ALL
    SELECT turn_index, 'arguments' FROM actions
    WHERE session_id = $session_id::UUID AND ({HOLDS.format(column="name")} OR {IN_JSON.format(column="arguments::VARCHAR")})
    UNION ALL
    SELECT turn_index, 'result' FROM executions
    WHERE session_id = $session_id::UUID AND {FIRST_EXECUTIONS}
          AND ({IN_JSON.format(column="result::VARCHAR")} OR {HOLDS.format(column="message")}))
SELECT turn_index AS index, list_sort(list(DISTINCT place)) AS places
FROM found GROUP BY turn_index ORDER BY turn_index LIMIT $limit"""


def mentions(ledger: Queryable, session_id: str, text: str, *, limit: int = 1_000) -> list[Mention]:
    """Return the turns of a session in which a text occurs, regardless of case."""
    if not text or not is_uuid(session_id):
        return []
    return rows(
        ledger, Mention, _MENTIONS, {"session_id": session_id, "limit": limit} | text_parameters(text)
    )
