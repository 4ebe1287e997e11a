"""The data of a session as a whole: its facts, its family, and its course as a map of its turns."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePosixPath

from actionledger.core.text import counted
from actionledger.core.vocabulary import SENTENCES, Outcome, Relation
from actionledger.ledger.queries import Child, Session, Stretch, TurnRow
from actionledger.ledger.queries.lineage import Start
from actionledger_dashboard.components.wording import (
    Piece,
    called,
    cut_in_the_middle,
    dollars,
    duration,
    known,
    minute_of,
    pieces,
)
from actionledger_dashboard.viewer.looks import NEUTRAL, Values, came_to, look_of, words


def facts_of(session: Session) -> list[Values]:
    """Return a session's facts; most are untrusted text."""
    ended = {True: "success", False: "no success", None: ""}[session.success]
    folder = PurePosixPath((session.project or "").replace("\\", "/"))
    facts = {
        "Session": called(session.external_id, session.session_id, session.title),
        "Model": session.model,
        **({"Profile": session.profile} if session.profile not in {"", "none"} else {}),
        **(
            {"Task": session.task}
            if session.task and not session.agent and session.task != session.title
            else {}
        ),
        "Source": session.source,
        **({"Project": folder.name or str(folder)} if session.project else {}),
        **({"Branch": session.branch} if session.branch else {}),
        **({"Agent": f"{session.agent} {session.agent_version or ''}".rstrip()} if session.agent else {}),
        "Started (UTC)": minute_of(session.started_at) or "not recorded",
        **(
            {"Ended": ": ".join(dict.fromkeys(filter(None, (ended, session.reason))))}
            if ended or session.reason
            else {}
        ),
        **({"Outcome": words(session.outcome)} if session.outcome else {}),
        "Turns": f"{session.turns:,}",
        **({"Duration": duration(session.duration_s)} if session.duration_s is not None else {}),
        **(
            {"Cost": known(dollars(session.cost_usd), session.priced, session.turns)}
            if session.cost_usd
            else {}
        ),
    }
    texts = {
        label: value if label == "Session" and session.title else cut_in_the_middle(value)
        for label, value in facts.items()
    }
    found = [
        {"label": label, "text": pieces(texts[label] or "–"), "whole": pieces(value or "–")}
        for label, value in facts.items()
    ]
    ids = dict.fromkeys(filter(None, (session.external_id, session.session_id)))
    return [
        *found,
        *({"label": "Id", "text": pieces(each), "whole": pieces(each), "folded": True} for each in ids),
    ]


def family_of(
    session: Session,
    parent: Session | None,
    children: Sequence[Child],
    starts: Sequence[Start] = (),
    *,
    href_of: Callable[[str], str] | None = None,
    opened_of: Callable[[str, int | None], str] | None = None,
) -> list[Values]:
    """Return the session's parent, and its children."""
    calls = {start.child_id: start for start in starts}
    found = []
    if parent is not None:
        found.append(_relative(parent, "parent", href_of) | {"turns": parent.turns})
    elif session.parent_session_id:
        said = f"{session.relation or 'child'} of a session that is not in this ledger"
        found.append(_relative(None, said, None))
    for child in children:
        made = _relative(child, str(child.relation or "child"), href_of)
        start = calls.get(child.session_id)
        opened = opened_of(child.session_id, start.turn_index if start else None) if opened_of else None
        more = {"turns": child.turns, "failed": child.failed, "opened": opened, "start": _start(child, start)}
        found.append(made | more)
    return found


_SIGNS = {
    "call": "it goes by the call's identifier",
    "result": "the call's result names it",
    "text": "the call holds what it was told first",
}


def started_by(start: Start, child: Child, opened: str | None) -> Values:
    """Return the data of a child session at the call that started it."""
    name = called(child.external_id, child.session_id, child.title)
    return {
        "name": pieces(cut_in_the_middle(name)),
        "turns": child.turns,
        "failed": child.failed,
        "opened": opened,
        "sign": _SIGNS[start.sign],
    }


def _start(child: Child, start: Start | None) -> str | list[Piece]:
    """Return which call started a subagent, in words; empty for other children, which no call starts."""
    if child.relation is not Relation.SUBAGENT:
        return ""
    if start is None:
        return "which call has started it is not recorded"
    return pieces(f"started in turn {start.turn_index} by {cut_in_the_middle(start.action)}")


def _relative(one: Session | Child | None, role: str, href_of: Callable[[str], str] | None) -> Values:
    name = "" if one is None else called(one.external_id, one.session_id, one.title)
    return {
        "name": pieces(cut_in_the_middle(name)),
        "role": role,
        "session": "" if one is None else one.session_id,
        "turns": None,
        "failed": None,
        "href": href_of(one.session_id) if href_of and one else None,
        "opened": None,
        "start": "",
    }


WINDOW = 100
"""A long session's turns are loaded in windows of at least this many."""


@dataclass(frozen=True, slots=True)
class Course:
    """A session's turns around one of them, and the whole session in a few stretches."""

    index: int  # the shown turn's index
    rows: Sequence[TurnRow]  # the turns around it, in order
    stretches: Sequence[Stretch]  # all turns, in order

    @classmethod
    def around(
        cls,
        wanted: int,
        stretches: Sequence[Stretch],
        rows_between: Callable[[tuple[int, int]], Sequence[TurnRow]],
    ) -> "Course":
        """Return the course around the turn that is nearest to a wanted index."""
        windows = _windows(stretches)
        first, last = min(windows, key=lambda one: max(one[0] - wanted, wanted - one[1], 0))
        rows = rows_between((first, last))
        index = min((row.index for row in rows), key=lambda known: abs(known - wanted))
        return cls(index, rows, stretches)

    @classmethod
    def whole(cls, wanted: int, rows: Sequence[TurnRow]) -> "Course | None":
        """Return the course of a session whose turns are all loaded; None if it has none."""
        return cls.around(wanted, [_alone(row) for row in rows], lambda _: rows) if rows else None

    @property
    def last(self) -> int:
        """The index of the session's last turn."""
        return self.stretches[-1].last

    @property
    def turns(self) -> int:
        """The session's number of turns."""
        return sum(stretch.turns for stretch in self.stretches)

    @property
    def before(self) -> Sequence[Stretch]:
        """The stretches before the loaded turns."""
        return [stretch for stretch in self.stretches if stretch.last < self.rows[0].index]

    @property
    def after(self) -> Sequence[Stretch]:
        """The stretches after the loaded turns."""
        return [stretch for stretch in self.stretches if stretch.first > self.rows[-1].index]

    @property
    def previous(self) -> int | None:
        """The index of the turn before; None if there is none."""
        behind = [row.index for row in self.rows if row.index < self.index]
        return behind[-1] if behind else self.before[-1].last if self.before else None

    @property
    def next(self) -> int | None:
        """The index of the turn after; None if there is none."""
        ahead = next((row.index for row in self.rows if row.index > self.index), None)
        return ahead if ahead is not None else self.after[0].first if self.after else None


def _alone(row: TurnRow) -> Stretch:
    """Return a turn as a stretch of its own."""
    error = row.index if row.has_error else None
    return Stretch(
        row.index,
        row.index,
        turns=1,
        errors=int(row.has_error),
        first_error=error,
        last_error=error,
        repaired=int(row.outcome is Outcome.REPAIRED),
        clean=int(row.outcome is Outcome.CLEAN),
    )


def course_data(course: Course) -> Values:
    """Return the data of a session's course: the turns around the shown one, the map, and a summary of the others."""
    before, after = course.before, course.after
    errors_before = [stretch.last_error for stretch in before if stretch.last_error is not None]
    errors_after = [stretch.first_error for stretch in after if stretch.first_error is not None]
    return {
        "index": course.index,
        "last": course.last,
        "length": course.turns,
        "turns": [_listed(row) for row in course.rows],
        "stretches": [_cell(stretch) for stretch in course.stretches],
        "before": _beyond(before, before[-1].last if before else None, errors_before[-1:]),
        "after": _beyond(after, after[0].first if after else None, errors_after[:1]),
    }


def _windows(stretches: Sequence[Stretch]) -> list[tuple[int, int]]:
    """Return the first and last turn of each window of a session; neighbours share a window, so that its rows are queried once."""
    starts, turns = [], WINDOW
    for stretch in stretches:
        if turns >= WINDOW:
            starts.append(stretch.first)
            turns = 0
        turns += stretch.turns
    return [(one, other - 1) for one, other in pairwise((*starts, stretches[-1].last + 1))]


def _beyond(stretches: Sequence[Stretch], nearest: int | None, errors: Sequence[int]) -> Values:
    return {
        "turns": sum(stretch.turns for stretch in stretches),
        "nearest": nearest,
        "error": errors[0] if errors else None,
    }


def _cell(stretch: Stretch) -> Values:
    look = "bad" if stretch.errors else "mended" if stretch.repaired else "good" if stretch.clean else NEUTRAL
    goes_to = stretch.first if stretch.first_error is None else stretch.first_error
    if stretch.turns == 1:
        said = f"turn {stretch.first:,}"
    else:
        said = f"turns {stretch.first:,} to {stretch.last:,}, {stretch.errors:,} of {counted(stretch.turns, 'turn')} with an error"
    return {"first": stretch.first, "last": stretch.last, "goesTo": goes_to, "look": look, "said": said}


def _valid(turn: TurnRow) -> str:
    read = counted(turn.actions, "action")
    if not turn.checked:
        return f"{read}, not checked" if turn.actions else read
    return f"{turn.valid} of {turn.checked} actions valid"


def _listed(turn: TurnRow) -> Values:
    parts = [f"{turn.characters:,} characters", _valid(turn)]
    if turn.reason is not None:
        parts.append(SENTENCES[turn.reason])
    if turn.executions:
        parts.append(f"{turn.failed} of {turn.executions} executions failed")
    is_read = turn.outcome is not None and (turn.outcome.is_success or not turn.outcome.has_intent)
    is_valid = not turn.refused
    is_done = not turn.has_error or not (turn.failed or (is_read and is_valid))
    return {
        "index": turn.index,
        "outcome": came_to(turn.outcome, is_valid=is_valid, is_done=is_done),
        "look": "bad" if turn.has_error else look_of(turn.outcome or ""),
        "error": turn.has_error,
        "title": " · ".join(parts),
    }
