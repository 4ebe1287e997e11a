"""The session viewer within the dashboard, the session that a link means, and a session's facts on one line."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import streamlit as st

from actionledger.core.errors import UsageError
from actionledger.ledger import queries
from actionledger.ledger.queries.names import near_session, sessions_called
from actionledger_dashboard.components import notices
from actionledger_dashboard.components.controls import mount_of
from actionledger_dashboard.components.links import query_of
from actionledger_dashboard.data import ask
from actionledger_dashboard.viewer.looks import Values
from actionledger_dashboard.viewer.page import VIEWER

_mount_facts = mount_of("session_facts", "facts")


def show_facts(
    key: str,
    facts: Sequence[Values],
    family: Sequence[Values],
    readings: Sequence[Values] = (),
    ways: Sequence[tuple[str, str]] = (),
) -> None:
    """Show a session's facts."""
    data = {
        "facts": list(facts),
        "family": list(family),
        "readings": list(readings),
        "ways": [{"text": text, "href": href} for text, href in ways],
    }
    _mount_facts(key=key, data=data)


_SHOWN = 10


def session_meant(called: str) -> str | None:
    """Return the id of the session that a link means; if there is none or several, say so and return None."""
    if ask(queries.session, called) is not None:
        return called
    try:
        found = ask(sessions_called, called)
    except UsageError:
        found = []
    if len(found) == 1:
        return found[0].session_id
    if found:
        notices.several_sessions(
            len(found), [(each.distinguished_from(called), each.session_id) for each in found[:_SHOWN]]
        )
    else:
        near = ask(near_session, called)
        here = {name: st.query_params.get_all(name) for name in st.query_params}
        notices.unknown_session(near, f"?{query_of({**here, 'session': near})}" if near else "")
    return None


_mount = mount_of("transcript", *VIEWER)


@dataclass(frozen=True, slots=True)
class Names:
    """The query parameters of a viewer's state; a page with two viewers gives each its own names."""

    turn: str = "turn"  # for the turn's index
    at: str = "at"  # for the marked span of its response
    find: str = "find"  # for the searched text


def show_transcript(
    key: str,
    view: Values,
    names: Names,
    *,
    on_step: Callable[[int], None],
    on_find: Callable[[str], None],
    is_inner: bool = False,
) -> None:
    """Show a session's turn in lanes."""
    answered = f"{key}.step"
    """The number of the step that this run answers; the viewer ignores answers to earlier steps."""

    def go(step: Values) -> None:
        st.session_state[answered] = int(step["step"])
        on_step(int(step["index"]))

    def changed(name: str, react: Callable[[Any], None]) -> Callable[[], None]:
        def react_if_there() -> None:
            # It is missing if a key was pressed while the viewer was leaving the page.
            if key in st.session_state and st.session_state[key].get(name) is not None:
                react(st.session_state[key][name])

        return react_if_there

    _mount(
        key=key,
        data=view | {"names": asdict(names), "inner": is_inner, "step": st.session_state.get(answered, 0)},
        on_go_change=changed("go", go),
        on_find_change=changed("find", lambda text: on_find(str(text))),
    )
