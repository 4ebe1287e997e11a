"""What is drawn of a session as a whole: its facts on one line, its family, and by whom its turns were read."""

from collections.abc import Callable, Sequence

from actionledger.core.vocabulary import Relation
from actionledger.ledger.queries import Child, Session
from actionledger.ledger.queries.starting import Start
from actionledger_dashboard.components.visible import Piece, cut_in_the_middle, pieces
from actionledger_dashboard.viewer.looks import Values


def facts_of(session: Session) -> list[Values]:
    """Return what is known of a session, fact by fact; others wrote the most of it."""
    ended = {True: "success", False: "no success", None: "not recorded"}[session.success]
    facts = {
        "Session": session.external_id or session.session_id,
        "Model": session.model,
        "Profile": session.profile,
        "Task": session.task,
        "Source": session.source,
        "Started (UTC)": f"{session.started_at:%Y-%m-%d %H:%M}" if session.started_at else "not recorded",
        "Ended": f"{ended}: {session.reason}" if session.reason else ended,
        "Turns": f"{session.turns:,}",
    }
    return [
        {"label": label, "text": pieces(cut_in_the_middle(value or "–")), "whole": pieces(value or "–")}
        for label, value in facts.items()
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
    """Return the session that this one is a child of, and its own children."""
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
    """Return what is drawn of a child at the call that has started it."""
    name = child.external_id or child.session_id
    return {
        "name": pieces(cut_in_the_middle(name)),
        "turns": child.turns,
        "failed": child.failed,
        "opened": opened,
        "sign": _SIGNS[start.sign],
    }


def _start(child: Child, start: Start | None) -> str | list[Piece]:
    """Return by which call a sub-agent was started, in words; nothing of other children, which no call starts."""
    if child.relation is not Relation.SUBAGENT:
        return ""
    if start is None:
        return "which call has started it is not recorded"
    return pieces(f"started in turn {start.turn_index} by {cut_in_the_middle(start.action)}")


def _relative(one: Session | Child | None, role: str, href_of: Callable[[str], str] | None) -> Values:
    name = "" if one is None else one.external_id or one.session_id
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
