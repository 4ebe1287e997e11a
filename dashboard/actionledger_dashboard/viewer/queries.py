"""The viewer's queries of a ledger, the same for a page of the dashboard and for a notebook."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from actionledger.core.errors import UsageError
from actionledger.core.values import Span
from actionledger.ledger import Ledger, queries
from actionledger.ledger.queries import Response, TurnDetail
from actionledger.ledger.queries.lineage import starts
from actionledger.ledger.queries.names import one_session
from actionledger.replay.steps import steps
from actionledger_dashboard.components.wording import Piece
from actionledger_dashboard.viewer.looks import Values, because
from actionledger_dashboard.viewer.marks import found_data
from actionledger_dashboard.viewer.reading import attempt_lane, reading_data
from actionledger_dashboard.viewer.results import (
    run_lanes,
    shown_before,
    state_lane,
    told_after,
    was_recorded_elsewhere,
    went_wrong,
)
from actionledger_dashboard.viewer.session import WINDOW, Course, course_data, facts_of, family_of, started_by

P = ParamSpec("P")
R = TypeVar("R")

_LONG = 60_000
"""A neighbour whose response has this many characters is sent only when the viewer steps to it."""


class Ask(Protocol):
    """Queries a ledger, with or without a cache."""

    def __call__(self, query: Callable[Concatenate[Ledger, P], R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Return a query's result."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The turn to show, and how."""

    session_id: str  # the session
    turn: int = 0  # the wanted turn's index; the nearest one is shown
    run_id: str | None = None  # the run whose reading is shown; None for the first one
    find: str = ""  # a text to search for in the session
    near: int = 1  # how many turns before and after are sent too, so that the viewer can step to them at once
    is_whole: bool = False  # whether to send a long response whole, since the page can't request more of it


def view_of(
    ledger: Ledger, session: str, *, turn: int = 0, run_id: str | None = None, near: int = 25
) -> Values:
    """Return the viewer's data of a session: one turn, its neighbours, the map of all turns, and the session's facts.

    Args:
        ledger: the ledger.
        session: the session's id, its source's name for it, the beginning of either, or its title.
        turn: the index of the first shown turn, from 0; the nearest one if there is none.
        run_id: the run whose reading is shown; None for the first one.
        near: how many turns before and after it can be stepped to.

    Returns:
        JSON-compatible values for ``page_of`` and ``frame_of``.

    Raises:
        UsageError: there is no such session, several have that name, or it has no response.
    """
    session_id = one_session(ledger, session)

    def ask(query: Callable[Concatenate[Ledger, P], R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        return query(ledger, *args, **kwargs)

    asked = Asked(session_id, turn, run_id, near=near, is_whole=True)
    course = course_of(ask, asked)
    known = queries.session(ledger, session_id)
    if course is None or known is None:
        raise UsageError(f"No response of the session {session!r} is recorded, so there is none to show.")
    parent = queries.session(ledger, known.parent_session_id) if known.parent_session_id else None
    family = family_of(known, parent, queries.children(ledger, session_id), starts(ledger, session_id))
    return {"facts": facts_of(known), "family": family} | session_view(ask, asked, course)


def course_of(ask: Ask, asked: Asked) -> Course | None:
    """Return a session's course around the requested turn; None if it has no turn."""
    session = ask(queries.session, asked.session_id)
    if session is not None and session.turns <= WINDOW:
        return Course.whole(asked.turn, ask(queries.turns, asked.session_id, asked.run_id))
    stretches = ask(queries.stretches, asked.session_id, asked.run_id)
    if not stretches:
        return None
    return Course.around(
        asked.turn,
        stretches,
        lambda between: ask(queries.turns, asked.session_id, asked.run_id, between=between),
    )


def session_view(
    ask: Ask,
    asked: Asked,
    course: Course,
    at: Span | None = None,
    opened_of: Callable[[str, int], str] | None = None,
) -> Values:
    """Return the data of the shown turn, of its neighbours, and of the session's course."""
    children = _children(ask, asked, opened_of)
    found = ask(queries.mentions, asked.session_id, asked.find) if asked.find else []
    nearby = _nearby(course, asked.near)
    details = {index: _detail(ask, asked, index) for index, _ in nearby}
    drawn = {
        index: _turn(
            ask,
            asked,
            details[index],
            _told_before(ask, asked, details, index, before),
            children.get(index, {}),
            at=at if index == course.index else None,
        )
        for index, before in nearby
    }
    shown = drawn.pop(course.index)
    return course_data(course) | {
        "turn": shown,
        "near": {str(index): values for index, values in drawn.items()},
        "at": None if at is None else [at.start, min(at.end, shown["from"] + len(shown["text"]))],
        "find": found_data(asked.find, found, course.index),
    }


def _nearby(course: Course, near: int) -> list[tuple[int, int | None]]:
    """Return the indexes of the shown turn and of its shorter neighbours, each with the index of the turn before."""
    places = [row.index for row in course.rows]
    here = places.index(course.index)
    first, last = max(0, here - near), here + near + 1
    outside = course.before[-1].last if course.before else None
    return [
        (row.index, places[place - 1] if place else outside)
        for place, row in enumerate(course.rows)
        if row.index == course.index or (first <= place < last and row.characters < _LONG)
    ]


def _children(
    ask: Ask, asked: Asked, opened_of: Callable[[str, int], str] | None
) -> dict[int, dict[int, list[Values]]]:
    """Return the child sessions that a session's calls started, by turn and action index."""
    known = {child.session_id: child for child in ask(queries.children, asked.session_id)}
    found: dict[int, dict[int, list[Values]]] = {}
    for start in ask(starts, asked.session_id) if known else []:
        opened = opened_of(start.child_id, start.turn_index) if opened_of else None
        drawn = started_by(start, known[start.child_id], opened)
        found.setdefault(start.turn_index, {}).setdefault(start.action_index, []).append(drawn)
    return found


def _detail(ask: Ask, asked: Asked, index: int) -> TurnDetail:
    detail = ask(queries.turn, asked.session_id, index, asked.run_id)
    if detail is None:
        raise UsageError(f"The session {asked.session_id} has no turn {index}.")
    return detail


def _told_before(
    ask: Ask, asked: Asked, details: Mapping[int, TurnDetail], index: int, before: int | None
) -> Response | None:
    """Return the turn before, if its feedback was this turn's input; it is queried if it is not among the details."""
    if before is None or details[index].response.prompt is not None:
        return None
    known = details.get(before)
    return known.response if known is not None else ask(queries.response, asked.session_id, before)


def _turn(
    ask: Ask,
    asked: Asked,
    detail: TurnDetail,
    told: Response | None,
    children: Mapping[int, Sequence[Values]],
    *,
    at: Span | None,
) -> Values:
    read = reading_data(detail, children, at=at, sought=asked.find, is_whole=asked.is_whole)
    return (
        read
        | _worse(detail, read["about"])
        | {
            "index": detail.response.index,
            "attempts": attempt_lane(detail),
            "done": [*run_lanes(detail), *_states(ask, detail)],
            "shown": shown_before(detail, told, is_whole=asked.is_whole),
            "told": told_after(detail, is_whole=asked.is_whole),
        }
    )


def _worse(detail: TurnDetail, about: str | list[Piece]) -> Values:
    """Return the verdict, with its reason, of a turn that was parsed but then failed; it replaces the reading's verdict."""
    said, reason = went_wrong(detail)
    if not said:
        return {}
    first = f"{because(reason)} · " if reason is not None else ""
    whole = first + about if isinstance(about, str) else [first, *about]
    return {"verdict": said, "look": "bad", "about": whole}


def _states(ask: Ask, detail: TurnDetail) -> list[Values]:
    """Return the workspace's states; empty if a recorded agent ran the turn, since its workspace is unknown."""
    if was_recorded_elsewhere(detail):
        return []
    return [ask(states_drawn, detail.response.session_id, detail.response.index)]


def states_drawn(ledger: Ledger, session_id: str, index: int) -> Values:
    """Return the data of a session's workspace around one turn; it is much smaller than its source."""
    return state_lane(steps(ledger, session_id, turn=index))
