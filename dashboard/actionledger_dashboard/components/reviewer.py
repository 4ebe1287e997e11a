"""Who reviews: the login where one is set up, else a name that is typed once and kept in the browser; never one that nobody gave."""

import streamlit as st

from actionledger.ledger.review import NAME_CHARACTERS
from actionledger_dashboard.components.assets import mount_of
from actionledger_dashboard.components.lines import line
from actionledger_dashboard.components.visible import visible

_KEY = "reviewer"
_NAME, _TYPED, _FORGET = "reviewer.name", "reviewer.typed", "reviewer.forget"

_mount = mount_of("reviewer")


def show_reviewer() -> str:
    """Show who reviews, or ask for a name; return it, empty where nobody has given one yet."""
    if login := _login():
        st.text(f"You review as {visible(login)}, as you are logged in.")
        return login
    name: str = st.session_state.get(_NAME, "")
    forget = st.session_state.pop(_FORGET, False)
    _mount(key=_KEY, data={"name": name, "forget": forget}, on_known_change=_remember)
    if name:
        with line():
            st.text(f"You review as {visible(name)}.")
            st.button("Not you?", key="reviewer.other", on_click=_forget)
        return name
    with st.form("reviewer.ask", border=False):
        box, button = st.columns([3, 1], vertical_alignment="bottom")
        box.text_input(
            "Your name, to stand beside what you say",
            key=_TYPED,
            max_chars=NAME_CHARACTERS,
            help="It is kept in this browser, and in the ledger beside what you say. Nobody checks that it is yours.",
        )
        button.form_submit_button("Review as this person", on_click=_take)
    return ""


def _login() -> str:
    """Return who is logged in by Streamlit's own login; empty where none is set up, or nobody is."""
    if not st.user.get("is_logged_in"):
        return ""
    return str(st.user.get("email") or st.user.get("name") or "")


def _take() -> None:
    st.session_state[_NAME] = str(st.session_state.get(_TYPED, "")).strip()


def _remember() -> None:
    if _KEY in st.session_state and (known := st.session_state[_KEY].get("known")):
        st.session_state[_NAME] = str(known)[:NAME_CHARACTERS].strip()


def _forget() -> None:
    st.session_state[_NAME] = ""
    st.session_state[_FORGET] = True
