"""The reviewer's name, and the actions that wait for a decision, shown in full and decided here if that is allowed."""

import json
import shlex
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

import streamlit as st

from actionledger.core.errors import ActionLedgerError
from actionledger.core.values import Approval
from actionledger.core.vocabulary import DecisionKind
from actionledger.ledger.queries.names import session_names
from actionledger.ledger.review import NAME_CHARACTERS
from actionledger.runtime.execution.approval import Decision
from actionledger.runtime.session.decisions import DecisionStatus, decide, open_decisions
from actionledger_dashboard.components import links, tables
from actionledger_dashboard.components.controls import line, mount_of, show_exact
from actionledger_dashboard.components.review_turn import SAID
from actionledger_dashboard.components.tables import Column
from actionledger_dashboard.components.widgets import Linked
from actionledger_dashboard.components.wording import visible
from actionledger_dashboard.data import ask, is_read_only, ledger_path, writing
from actionledger_dashboard.permissions import is_code, may_be_decided_here

_KEY = "reviewer"
_NAME, _TYPED, _FORGET = "reviewer.name", "reviewer.typed", "reviewer.forget"

_mount = mount_of("reviewer")


def show_reviewer() -> str:
    """Show the reviewer's name, or ask for it; return it, or an empty text if none was given yet."""
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
            "Your name (shown with your reviews)",
            key=_TYPED,
            max_chars=NAME_CHARACTERS,
            help="It is kept in this browser, and in the ledger with your reviews. Nobody checks that it is yours.",
        )
        button.form_submit_button("Start", on_click=_take)
    return ""


def _login() -> str:
    """Return the name from Streamlit's own login; empty if login is not set up or nobody is logged in."""
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


_CODE = "review.code"


def show_approvals(linked: Linked, name: str) -> None:
    """Show the open decisions, and the one that the URL names."""
    found = ask(open_decisions)
    if problem := st.session_state.pop(SAID, ""):
        st.text(visible(problem))
    if not found:
        st.info(
            "Nothing waits for a decision. What a session's policy lets run only with a person's approval waits here."
        )
        return
    _list(found)
    options = {status.approval.approval_id: _label(status.approval) for status in found}
    picked = linked.one("Look at", "approval", options)
    linked.stop_at_unknown()
    status = next(each for each in found if each.approval.approval_id == picked)
    _show(status)
    _decide(status, name)


def _label(approval: Approval) -> str:
    return f"{approval.name} · {approval.approval_id[:8]}"


def _list(found: Sequence[DecisionStatus]) -> None:
    names = ask(session_names, tuple(sorted({each.approval.session_id for each in found})))
    columns = [
        Column("Action", [each.approval.name for each in found]),
        Column(
            "Session and turn",
            [f"{names[each.approval.session_id]}#{each.approval.turn_index}" for each in found],
        ),
        Column("Since (UTC)", [f"{each.approval.requested_at:%Y-%m-%d %H:%M}" for each in found]),
        Column("Decision", [str(each.approval.decision or "waits") for each in found]),
        Column("By", [each.approval.decided_by for each in found]),
        Column("Arguments", [each.approval.arguments for each in found], "long"),
    ]
    hrefs = [links.replay_href(each.approval.session_id, each.approval.turn_index) for each in found]
    tables.show_table("review.approvals", "what waits for a decision", columns, hrefs)


def _show(status: DecisionStatus) -> None:
    """Show the whole action, and what a decision binds."""
    approval = status.approval
    if status.sentence:
        st.warning("A decision is recorded that doesn't count.")
        st.text(visible(status.sentence))
    exact = (
        "" if approval.is_exact else "A secret in it is masked in the record: it can't be run from here.\n"
    )
    binds = (
        f"{exact}action {approval.action_index} of turn {approval.turn_index}, session {approval.session_id}\n"
        f"content  {approval.content_hash}\npolicy   {approval.policy_version}\n"
        "A decision is about this content and this policy, in this ledger, once; what else the action binds, such as the scripts "
        "that a command names, is in the content's hash. Anything that has changed since is asked for again."
    )
    left, right = st.columns(2)
    with left:
        st.text(visible(f"What is to be run: {approval.name}"))
        show_exact("approval.run", _pretty(approval.arguments))
    with right:
        st.text("What a decision binds")
        show_exact("approval.binds", binds)


_ONLY_READS = "Nothing can be decided here: this dashboard only reads. To decide, in a terminal:"
_NOT_HERE = (
    "To decide, in a terminal (a page is not proof of who asks; 'dashboard --decide' lets one decide here):"
)


def _decide(status: DecisionStatus, name: str) -> None:
    approval = status.approval
    if approval.decision is not None:
        st.text(f"{approval.decision} by {visible(approval.decided_by)}; to carry it out:")
        show_exact("approval.how", _command("run", approval))
        return
    if is_read_only() or not may_be_decided_here():
        st.text(_ONLY_READS if is_read_only() else _NOT_HERE)
        show_exact("approval.how", f"{_command('approve', approval)}\n{_command('reject', approval)}")
        return
    if not name:
        st.text("Say who you are to decide.")
        return
    if not is_code(st.session_state.get(_CODE, "")):
        st.text_input("The code from the terminal of this dashboard", type="password", key=_CODE)
        if st.session_state.get(_CODE):
            st.text("That is not the code.")
        return
    st.session_state[_CODE] = st.session_state[_CODE]  # keeps the code while its box is not shown
    why = st.text_input("Why (for the model and the record)", key=f"review.why.{approval.approval_id}") or ""
    approve, reject, _ = st.columns([1, 1, 4])
    for column, kind, label in (
        (approve, DecisionKind.APPROVED, "Approve"),
        (reject, DecisionKind.REJECTED, "Reject"),
    ):
        column.button(
            label,
            key=f"review.{kind}.{approval.approval_id}",
            on_click=partial(_record, approval.approval_id, Decision(kind, name, why)),
        )


def _record(approval_id: str, decision: Decision) -> None:
    if not is_code(st.session_state.get(_CODE, "")):
        st.session_state[SAID] = "That is not the code."
        return
    try:
        decided = decide(writing(), approval_id, decision)
        st.session_state[SAID] = f"{decided.name} {decided.decision} by {decided.decided_by}."
    except ActionLedgerError as error:
        st.session_state[SAID] = str(error)


def _command(what: str, approval: Approval) -> str:
    return (
        f"actionledger approvals {what} {approval.approval_id[:8]} --ledger {shlex.quote(str(ledger_path()))}"
    )


def _pretty(text: str) -> str:
    with suppress(ValueError, RecursionError):
        return json.dumps(json.loads(text), ensure_ascii=False, indent=2)
    return text
