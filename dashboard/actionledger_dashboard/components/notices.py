"""The notices of pages that have nothing to show."""

import json
import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches

import streamlit as st

from actionledger.core.errors import ActionLedgerError, LedgerError, UsageError
from actionledger.ledger import queries
from actionledger.ledger.queries.filters import FILTERS
from actionledger_dashboard.components import links
from actionledger_dashboard.components.controls import show_anchors, show_exact
from actionledger_dashboard.components.wording import called, visible
from actionledger_dashboard.data import ask, ledger_path


def empty_ledger() -> None:
    """Say that nothing is recorded yet, and which commands record something."""
    st.subheader("Nothing is recorded yet", anchor=False)
    st.text(
        "This ledger has no sessions. Either command adds some; the page shows them as soon as they arrive."
    )
    path = shlex.quote(str(ledger_path()))
    show_exact(
        "notice.empty_ledger",
        f"actionledger import ~/.claude/projects --ledger {path}\nactionledger demo --ledger {path}",
    )


@contextmanager
def unreadable_is_said() -> Iterator[None]:
    """Show a page, or a part that Streamlit runs separately; if the ledger can't be read, show the error instead."""
    try:
        yield
    except LedgerError as error:
        unreadable(error)


def unreadable(error: LedgerError) -> None:
    """Say what is wrong with the ledger's file."""
    st.subheader("The ledger can't be read", anchor=False)
    st.text(visible(str(error)))
    st.text(
        "This page shows it again as soon as it can be read. What is wrong with it, and what can be done:"
    )
    show_exact("notice.unreadable", f"actionledger doctor {shlex.quote(str(ledger_path()))}")


def nothing_found() -> None:
    """Say that nothing matches the filters, or that nothing of this kind is recorded, and what to do."""
    if any(name in FILTERS for name in st.query_params):
        st.info("Nothing matches these filters. Take one away, or widen the days.")
        return
    st.info("Nothing of this kind is recorded in this ledger yet. Recordings of agents have it:")
    path = shlex.quote(str(ledger_path()))
    show_exact("notice.nothing_found", f"actionledger import ~/.claude/projects --ledger {path}")


def unknown_value(
    label: str,
    value: str,
    *,
    key: str,
    on_remove: Callable[[], None],
    near: str = "",
    on_replace: Callable[[], None] | None = None,
) -> None:
    """Say that a link names something that is not in this ledger; offer to remove it or to use the nearest value."""
    _removable(
        f"{label}: there is no {_quoted(value)} here; take it out to see what there is.",
        key,
        on_remove,
        (near, on_replace) if near and on_replace else None,
    )


def unknown_parameter(name: str, *, key: str, on_remove: Callable[[], None]) -> None:
    """Say that a link has a parameter that the page does not know, and offer to remove it."""
    _removable(
        f"Unknown parameter {_quoted(name)} in the link, ignored.",
        key,
        on_remove,
    )


def only_one(label: str, value: str, *, key: str, on_remove: Callable[[], None]) -> None:
    """Say that a link has a second value for a single-valued parameter, and offer to remove it."""
    _removable(
        f"{label}: only one can be searched for; remove {_quoted(value)} to see the other.",
        key,
        on_remove,
    )


def _removable(
    said: str,
    key: str,
    on_remove: Callable[[], None],
    replacing: tuple[str, Callable[[], None]] | None = None,
) -> None:
    """Show a text about a link's value, with buttons that remove it or replace it by the nearest one."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.text(said, width="content")
        if replacing:
            value, on_replace = replacing
            st.button(f"Use {_plain(value)}", key=f"{key}.near", on_click=on_replace)
        st.button("Remove", key=key, on_click=on_remove)


def _plain(text: str) -> str:
    """Return a text for a button's label, with Markdown escaped."""
    return re.sub(r"([^\w\s])", r"\\\1", visible(text))


def _quoted(text: str) -> str:
    return visible(json.dumps(text, ensure_ascii=False))


def unknown_page(path: str, pages: Sequence[str]) -> None:
    """Say that an address leads to no page, that this is the overview, and which page's name is nearest."""
    st.text(f"There is no page {_quoted(path)}; this is the overview.")
    if near := get_close_matches(path, pages, n=1):
        show_anchors("near.page", [(near[0], near[0])], "Did you mean")


def unknown_session(near: str = "", href: str = "") -> None:
    """Say that a link's session does not exist, and link to the session with the nearest name and to all sessions."""
    st.subheader("There is no such session in this ledger", anchor=False)
    st.text("The link may be of another ledger, or mistyped.")
    if near:
        show_anchors("near.session", [(near, href)], "Did you mean")
    st.page_link(links.SESSIONS, label="All sessions →")


def several_sessions(count: int, sessions: Sequence[tuple[str, str]]) -> None:
    """Say that a link fits several sessions, and link to each."""
    st.subheader("Several sessions are called that", anchor=False)
    st.text(f"The link fits {count:,} sessions; open the one that you mean.")
    for place, (name, session_id) in enumerate(sessions):
        show_anchors(f"sessions.{place}", [(name, links.replay_href(session_id))])


def unknown_turn(turn: str, session_id: str) -> None:
    """Say that a session has no turn of that number, and link to its turns."""
    st.subheader("There is no such turn in this session", anchor=False)
    st.text(f"It has no turn {visible(json.dumps(turn, ensure_ascii=False))}.")
    show_anchors("turns", [("its turns", links.replay_href(session_id))], "There are")


_NEWEST = 5


def no_session(href_of: Callable[[str], str] = links.transcript_href) -> None:
    """Say how to choose a session and link to the newest ones; if there are none, say how to add some."""
    if not (newest := ask(queries.sessions, limit=_NEWEST)):
        empty_ledger()
        return
    st.subheader("No session is open", anchor=False)
    st.text("Open one from the list of sessions, or a turn from any chart. The newest ones:")
    for place, each in enumerate(newest):
        name = called(each.external_id, each.session_id, each.title)
        show_anchors(f"newest.{place}", [(name, href_of(each.session_id))])
    st.page_link(links.SESSIONS, label="All sessions →")


def read_once() -> None:
    """Say that no turn has a second reading, and which command makes one."""
    from actionledger.reading.parsers import PARSERS  # noqa: PLC0415 - all formats, which most pages need not know

    st.subheader("No turn has been read twice yet", anchor=False)
    st.text("This reads all recorded turns again with another parser, and keeps what they had before:")
    show_exact(
        "notice.read_once",
        f"actionledger replay --parser gembrain-standard --ledger {shlex.quote(str(ledger_path()))}",
    )
    st.text(f"The parsers: {', '.join(PARSERS)}. Models, sources, profiles and periods compare without it.")


def one_side(dimension: str, *, is_narrowed: bool) -> None:
    """Say that there are no two values to compare."""
    st.subheader(f"There are no two {dimension}s to compare here", anchor=False)
    more = "Take a filter away, or compare" if is_narrowed else "Import recordings of another one, or compare"
    st.text(f"{more} something else: runs, models, sources, profiles or periods.")


def one_label(of: str, label: str, *, is_named: bool) -> None:
    """Say that a table would have one row, and what to do."""
    st.subheader(f"There are no two {of} to compare here", anchor=False)
    why = (
        f"All sessions are of {visible(label)}."
        if is_named
        else f"No recording here says its {of.removesuffix('s')}."
    )
    st.text(f"{why} Choose other sides above, take a filter away, or import recordings of another one.")


def one_day(*, is_dated: bool) -> None:
    """Say that there are no two periods to compare."""
    st.subheader("There are no two days to compare here", anchor=False)
    why = "All responses are of one day." if is_dated else "No response in this ledger carries a time."
    st.text(f"{why} Compare runs, models, sources or profiles.")


def not_readable(error: ActionLedgerError) -> None:
    """Say why pasted text can't be read at all."""
    st.warning("This can't be read as what it is said to be.")
    st.text(visible(str(error)))


def not_taken(error: ActionLedgerError) -> None:
    """Say why a recorded response could not be loaded from the ledger."""
    st.warning("The recorded response is not here.")
    st.text(visible(str(error)))


def not_exported(why: str) -> None:
    """Say why a list's file could not be made, and what to do."""
    st.text(f"No file was made. {visible(why)}")
    st.text("Try again, or load the page anew: where the ledger can't be read, it says what can be done.")


def not_comparable(error: UsageError) -> None:
    """Say why two sides can't be compared, below the heading of the comparison."""
    st.warning("These two sides can't be compared.")
    st.text(visible(str(error)))


def not_answered(error: UsageError) -> None:
    """Say why a statement was not answered."""
    st.subheader("Not answered", anchor=False)
    st.text(visible(str(error)))


def nothing_lately(window: str) -> None:
    """Say that nothing is live, and which command would show something here."""
    st.subheader(f"No response in the last {window}", anchor=False)
    st.text(
        "Live sessions appear here by themselves. This command imports what agents on this machine write:"
    )
    show_exact(
        "notice.nothing_lately",
        f"actionledger watch ~/.claude/projects --ledger {shlex.quote(str(ledger_path()))}",
    )


def doctor(*, is_mendable: bool) -> None:
    """Show the command that gives the same findings."""
    path = shlex.quote(str(ledger_path()))
    st.caption(
        "The same on the command line, with what it may mend safely:"
        if is_mendable
        else "The same on the command line:"
    )
    show_exact("notice.doctor", f"actionledger doctor {path}{' --fix' * is_mendable}")
