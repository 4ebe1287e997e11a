"""Names of sessions, runs and approvals: their own names, or the shortest unique beginning of an id."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from operator import index
from typing import TypeAlias
from uuid import UUID

from actionledger.core.errors import UsageError
from actionledger.core.text import writable
from actionledger.ledger.queries.base import Queryable, refuse_no_ledger, rows
from actionledger.ledger.queries.filters import Filter
from actionledger.ledger.queries.scopes import HOLDS, NAMES as SEARCHED_NAMES, scope, text_parameters

Called: TypeAlias = str | UUID
"""Identifies a session or a run: its id as text or as SQL returns it, its own name, the beginning of either, or a session's title."""

FIRST = "first"
"""The name of the first parses, in place of a run's name."""

_SHORTEST = 8
"""The fewest characters of an id to show, and of a name or a title to accept."""

_LISTED = 10
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class _Recorded:
    session_id: str


def recorded_among(ledger: Queryable, session_ids: Collection[str]) -> set[str]:
    """Return which of some sessions the ledger has; a recording may name a parent that was not imported."""
    statement = "SELECT session_id::VARCHAR AS session_id FROM session_starts WHERE list_contains($ids::UUID[], session_id)"
    return {each.session_id for each in rows(ledger, _Recorded, statement, {"ids": sorted(session_ids)})}


@dataclass(frozen=True, slots=True)
class Named:
    """A session and its names."""

    session_id: str
    external_id: str  # its name at its source; empty for live sessions
    source: str  # where it comes from
    title: str  # its current title; empty if it has none

    def distinguished_from(self, called: object) -> str:
        """Return the text that distinguishes it from other sessions that match."""
        about = [self.source, *(each for each in (self.external_id, self.title) if each != str(called))]
        return f"{self.session_id} ({', '.join(each[:_SHOWN] for each in about if each)})"


_CALLED = f"""
WITH titled AS (
    SELECT session_id, arg_max(title, described_at) AS title FROM session_details
    WHERE session_id IN (SELECT session_id FROM session_details WHERE starts_with(title, $text)) GROUP BY session_id),
fitting AS (
    SELECT DISTINCT session_id FROM session_starts
    WHERE external_id = $text AND external_id <> '' OR starts_with(session_id::VARCHAR, lower($text))
          OR length($text) >= {_SHORTEST} AND starts_with(external_id, $text)
    UNION SELECT session_id FROM titled
    WHERE title = $text OR length($text) >= {_SHORTEST} AND starts_with(title, $text)),
titles AS (
    SELECT session_id, arg_max(title, described_at) AS title FROM session_details SEMI JOIN fitting USING (session_id)
    GROUP BY session_id)
SELECT DISTINCT session_id::VARCHAR AS session_id, external_id, source, coalesce(title, '') AS title
FROM session_starts SEMI JOIN fitting USING (session_id) LEFT JOIN titles USING (session_id) ORDER BY ALL"""
"""The sessions that a text may mean."""

_WITH_TEXT = f"""
WITH named AS (SELECT DISTINCT session_id FROM {SEARCHED_NAMES.format(within="true")} WHERE {HOLDS.format(column="name")}),
titles AS (
    SELECT session_id, arg_max(title, described_at) AS title FROM session_details SEMI JOIN named USING (session_id)
    GROUP BY session_id)
SELECT session_id::VARCHAR AS session_id, external_id, source, coalesce(title, '') AS title
FROM session_starts SEMI JOIN named USING (session_id) LEFT JOIN titles USING (session_id)
WHERE session_id IN (SELECT session_id FROM parse_attempts WHERE {{condition}})
ORDER BY started_at DESC NULLS LAST, session_id LIMIT $limit"""

_NAMES = """
WITH ids AS (SELECT DISTINCT session_id::VARCHAR AS id, external_id FROM session_starts),
neighbours AS (SELECT id, external_id, lag(id) OVER (ORDER BY id) AS before, lead(id) OVER (ORDER BY id) AS after FROM ids)
SELECT id, external_id, coalesce(before, ''), coalesce(after, '') FROM neighbours
WHERE list_contains($ids, id)"""

_SHARED = """
SELECT external_id FROM session_starts WHERE external_id IN (
    SELECT external_id FROM session_starts WHERE list_contains($ids, session_id::VARCHAR) AND external_id <> '')
GROUP BY external_id HAVING count(DISTINCT session_id) > 1"""

_SOME_NAMES = """
SELECT DISTINCT name FROM (
    SELECT external_id AS name FROM session_starts UNION ALL SELECT title FROM session_details) WHERE name <> '' ORDER BY 1 LIMIT 10000"""

_RUNS = """
SELECT DISTINCT run_id::VARCHAR FROM run_starts WHERE starts_with(run_id::VARCHAR, lower($text)) OR name = $text ORDER BY 1"""


def session_names(ledger: Queryable, session_ids: Collection[str]) -> dict[str, str]:
    """Return for each id a name that ``one_session`` accepts: the session's own, or the shortest unique beginning of its id where that is missing or shared."""
    bound = {"ids": sorted(session_ids)}
    shared = {name for (name,) in ledger.sql(_SHARED, bound).fetchall()}
    names = {identity: identity for identity in session_ids}
    for identity, external, before, after in ledger.sql(_NAMES, bound).fetchall():
        is_own = external and external not in shared
        names[identity] = external if is_own else _unique_prefix(identity, before, after)
    return names


def sessions_called(ledger: Queryable, called: Called) -> list[Named]:
    """Return the sessions that a text may mean: an id, a name, the beginning of either (of a name: at least eight characters), a title; full matches first."""
    text = _text_of(ledger, called, "session")
    found = rows(ledger, Named, _CALLED, {"text": text}) if text else []
    named = [each for each in found if text in {each.external_id, each.session_id}]
    return named or [each for each in found if text == each.title] or found


def sessions_named_so(ledger: Queryable, within: Filter, *, limit: int = 5) -> list[Named]:
    """Return the newest sessions within a filter whose name or title contains its text."""
    condition, parameters = scope(replace(within, text=""))
    bound = parameters | {
        name: text_parameters(within.text)[name] for name in ("text", "pattern", "is_short")
    }
    return rows(ledger, Named, _WITH_TEXT.format(condition=condition), bound | {"limit": limit})


def near_session(ledger: Queryable, called: str) -> str:
    """Return the name of the session nearest to an unknown name; empty if none is near."""
    names = [name for (name,) in ledger.sql(_SOME_NAMES).fetchall()]
    from difflib import get_close_matches  # noqa: PLC0415 - slow to import, and needed only for a mistake

    return next(iter(get_close_matches(called, names, n=1)), "")


def one_session(ledger: Queryable, called: Called) -> str:
    """Return the id of the session that a text means."""
    found = sessions_called(ledger, called)
    if len(found) == 1:
        return found[0].session_id
    text = _text_of(ledger, called, "session")
    if not found:
        near = near_session(ledger, text)
        hint = f" Did you mean {near!r}?" if near else ""
        raise UsageError(
            f"There is no session {text!r} in the ledger.{hint} 'actionledger show' lists them; give its name, its id, "
            "the beginning of either (of a name, eight characters), or its title."
        )
    raise UsageError(
        f"{len(found)} sessions are called {text!r}; give the id of one, or more of it: "
        f"{', '.join(each.distinguished_from(text) for each in found[:_LISTED])}{', …' if len(found) > _LISTED else ''}."
    )


def one_place(ledger: Queryable, called: Called) -> tuple[str, int | None]:
    """Return the session and the turn (None without one) that SESSION or SESSION#TURN means, with TURN from 0; a session's own name may contain the separator."""
    text = _text_of(ledger, called, "session")
    name, sign, place = text.rpartition("#")
    if not sign or not place.isascii() or not place.isdigit():
        return one_session(ledger, text), None
    try:
        return one_session(ledger, text), None
    except UsageError:
        return one_session(ledger, name), int(place)


def turn_place(turn: int) -> int:
    """Return a turn's position as a number for SQL, which rejects the number types of data frames."""
    try:
        return index(turn)
    except TypeError:
        raise UsageError(
            f"A turn is named by its place, a whole number from 0, not by {turn!r:.60} of the type {type(turn).__name__}."
        ) from None


def one_run(ledger: Queryable, called: Called) -> str:
    """Return the id of the run that a text means: its id, enough of its beginning, or its name."""
    text = _text_of(ledger, called, "run")
    found = [row[0] for row in ledger.sql(_RUNS, {"text": text}).fetchall()] if text else []
    if len(found) == 1:
        return str(found[0])
    what = (
        f"{len(found)} runs have an id that begins with {text!r}, or that name"
        if found
        else f"There is no run {text!r}, by its id, its beginning or its name"
    )
    raise UsageError(f"{what}; 'actionledger sql \"FROM runs\"' lists them.")


def run_or_first(ledger: Queryable, called: Called | None) -> str | None:
    """Return the id of the run that a text means; None for the first parses, which ``first`` and None mean."""
    return None if called is None or called == FIRST else one_run(ledger, called)


def _text_of(ledger: Queryable, called: Called, what: str) -> str:
    """Return a name as a text to search for."""
    refuse_no_ledger(ledger)
    if not isinstance(called, str | UUID):
        raise UsageError(
            f"A {what} is named by its name or its id, not by {called!r:.60} of the type {type(called).__name__}."
        )
    return writable(str(called))


def _unique_prefix(identity: str, *neighbours: str) -> str:
    """Return the shortest beginning of an id that its sorted neighbours don't have."""
    shared = (
        next((place for place, (a, b) in enumerate(zip(identity, other, strict=False)) if a != b), 0)
        for other in neighbours
    )
    return identity[: max(_SHORTEST, 1 + max(shared))].rstrip("-")
