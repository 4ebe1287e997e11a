"""Parses a pasted response or provider's message, and shows the result and its reasons, next to another way to parse it."""

import json
from typing import Any

import streamlit as st

from actionledger.core.errors import ActionLedgerError, UsageError
from actionledger.core.ids import is_uuid
from actionledger.core.text import counted
from actionledger.core.values import ParseResult
from actionledger.core.vocabulary import Capture
from actionledger.ledger import queries
from actionledger.ledger.queries.names import one_session
from actionledger.ledger.queries.readings import reading_of_turn
from actionledger.reading.messages import split_message
from actionledger.replay.cases import SUFFIX
from actionledger_dashboard.components import notices
from actionledger_dashboard.components.fields import place_of
from actionledger_dashboard.components.messages import Recognised, calls_lane, recognised
from actionledger_dashboard.components.paste import (
    EVERY_FORMAT,
    LIMIT,
    Pasted,
    Recorded,
    case_name,
    case_of_pasted,
    decoded,
    detail_of,
    difference_of,
    read_pasted,
    recorded_calls_in,
    recorded_in,
    tools_of,
    ways_to_read,
    why_lane,
)
from actionledger_dashboard.components.readings import show_readings
from actionledger_dashboard.components.widgets import Linked
from actionledger_dashboard.data import ask, is_read_only
from actionledger_dashboard.permissions import cases_folder, file_name, keep_case

WHATEVER, RESPONSE, MESSAGE = "whatever it is", "a response", "a provider's message"
NOTHING = ""
BY_TOOLS = EVERY_FORMAT
"""Stands for no profile: a message's calls are checked against the pasted tools, if any."""

LABELS = {
    WHATEVER: "The response, or a provider's message as JSON",
    RESPONSE: "The response",
    MESSAGE: "The message as JSON",
}
PLACEHOLDERS = {
    WHATEVER: 'On it.\n<tool_call>{"name": "add", "arguments": {"a": 1,}}</tool_call>',
    RESPONSE: 'On it.\n<tool_call>{"name": "add", "arguments": {"a": 1,}}</tool_call>',
    MESSAGE: '{"role": "assistant", "content": "…", "tool_calls": […]}',
}
TOOLS_PLACEHOLDER = (
    '[{"name": "add", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}}}]'
)


def show() -> None:
    """Show the page."""
    linked = Linked("playground")
    st.subheader(
        "Playground",
        help="What you paste is read here and kept nowhere: not in the ledger, not in the address of this page.",
        anchor=False,
    )
    take_recorded()
    kind, text, tools = paste(linked)
    say_what_was_taken(text)
    found = recognised(text) if kind != RESPONSE else None
    is_message = kind == MESSAGE or found is not None
    first, second = (pick_catalogue(linked), NOTHING) if is_message else pick_ways(linked)
    if not text.strip():
        st.info("Paste a response, or a provider's message, to see what is read of it and why.")
        return
    if found is not None and found.refusal:
        st.info(
            found.refusal if kind == MESSAGE else f"{found.refusal} To read it as text, choose: {RESPONSE}."
        )
        return
    if found is not None and found.tools and not tools.strip() and first == BY_TOOLS:
        tools = json.dumps(found.tools)
    try:
        pasted = Pasted(text, is_message, tools)
        readings = [read_pasted(pasted, way) for way in (first, second) if way != NOTHING]
    except ActionLedgerError as error:
        notices.not_readable(error)
        return
    if is_message:
        show_message(pasted, found, readings[0])
    else:
        show_read(readings, [ways_to_read()[way] for way in (first, second) if way != NOTHING])
    offer_case(pasted, first)


def take_recorded() -> None:
    """Copy the recorded response that the URL names into the boxes, with its parser; only once, so that edits stay."""
    session_id, number = st.query_params.get("session", ""), st.query_params.get("turn", "0")
    named = (session_id, number, st.query_params.get("run"))
    if not session_id or st.session_state.get("playground.from") == named:
        return
    st.session_state["playground.from"] = named
    try:
        recorded = recorded_of(session_id, place_of(number), named[2])
    except ActionLedgerError as error:
        notices.not_taken(error)
        return
    st.session_state["playground.text"], st.session_state["playground.tools"] = recorded.text, recorded.tools
    st.session_state["playground.origin"] = recorded
    if recorded.is_message:
        st.query_params["kind"], st.query_params["catalogue"] = MESSAGE, recorded.way
    else:
        st.query_params["kind"], st.query_params["read"] = RESPONSE, recorded.way


def recorded_of(called: str, index: int, run_id: str | None) -> Recorded:
    """Return a recorded response to paste."""
    session_id = called if is_uuid(called) else ask(one_session, called)
    reading = ask(reading_of_turn, session_id, index, run_id)
    detail = ask(queries.turn, session_id, index, run_id) if reading.capture is not Capture.TEXT else None
    recorded = recorded_in(reading) if detail is None else recorded_calls_in(reading, detail)
    if len(recorded.text) > LIMIT:
        raise UsageError(
            f"It has {len(recorded.text):,} characters, and {LIMIT:,} are read here; 'actionledger parse FILE' reads more."
        )
    return recorded


def paste(linked: Linked) -> tuple[str, str, str]:
    """Show the boxes for a response or a message and for the offered tools; return the chosen kind and both texts."""
    kind = linked.switch("What is pasted", "kind", [WHATEVER, RESPONSE, MESSAGE])
    left, right = st.columns([3, 2], gap="small")
    text = left.text_area(
        LABELS[kind], height=220, max_chars=LIMIT, key="playground.text", placeholder=PLACEHOLDERS[kind]
    )
    tools = right.text_area(
        "Tools that were offered, as JSON (if any)",
        height=220,
        max_chars=LIMIT,
        key="playground.tools",
        placeholder=TOOLS_PLACEHOLDER,
        help="A list of definitions as OpenAI, Anthropic or Gemini take them, or a request's object with tools. Actions are checked against them.",
    )
    return kind, text or "", tools or ""


def pick_ways(linked: Linked) -> tuple[str, str]:
    """Let the user pick the parser and a second one to compare; return their values in the URL."""
    ways = ways_to_read()
    left, right = st.columns(2, gap="small")
    with left:
        first = linked.one("Read by", "read", ways)
    with right:
        second = linked.one("Beside it", "beside", {NOTHING: "(nothing)"} | ways)
    linked.stop_at_unknown()
    return first, second


def pick_catalogue(linked: Linked) -> str:
    """Let the user pick the catalogue for a message's calls; return its value in the URL."""
    profiles = {way: name for way, name in ways_to_read().items() if way.startswith("profile:")}
    picked = linked.one("Checked against", "catalogue", {BY_TOOLS: "the tools, if any"} | profiles)
    linked.stop_at_unknown()
    return picked


def show_message(pasted: Pasted, found: Recognised | None, reading: tuple[ParseResult, int]) -> None:
    """Show a message's text and its calls, one by one."""
    message = decoded(pasted.text, "message")
    detail = detail_of(*reading, split_message(message).capture)
    lane = calls_lane(message, detail)
    offered = tools_of(pasted.tools)
    checked = f", checked against {counted(len(offered), 'tool')}" if offered else ""
    show_readings(
        [(found.called if found else "a provider's message", detail)],
        None,
        place=f"{counted(len(lane['cards']), 'call')} beside {counted(len(detail.response.text), 'character')}{checked}; read here and not recorded",
        key="playground.readings",
        lanes=[[lane]],
        are_all=True,
    )


def show_read(readings: list[tuple[ParseResult, int]], names: list[str]) -> None:
    """Show one reading, or two with their differences."""
    results = [result for result, _ in readings]
    show_readings(
        [(name, detail_of(*reading)) for name, reading in zip(names, readings, strict=True)],
        difference_of(results[0], results[1]) if len(results) > 1 else None,
        place=f"{len(results[0].text):,} characters, read here and not recorded",
        key="playground.readings",
        lanes=[[why_lane(result)] for result in results],
    )


def say_what_was_taken(text: str) -> None:
    """Show the note on a message that was built from recorded calls, as long as its text is unchanged."""
    recorded: Recorded | None = st.session_state.get("playground.origin")
    if recorded and recorded.note and recorded.text == text:
        st.caption(recorded.note)


def origin_of(pasted: Pasted) -> dict[str, Any]:
    """Return the origin of a recorded text, as long as it is unchanged; empty for any other text."""
    recorded: Recorded | None = st.session_state.get("playground.origin")
    return dict(recorded.origin) if recorded and recorded.text == pasted.text else {}


def offer_case(pasted: Pasted, way: str) -> None:
    """Offer the pasted text as a case's file, to download or to write to the folder of cases, if there is one."""
    st.subheader(
        "Keep it as a case",
        help="A case is a test: from now on the response has to be read this way. Secrets in it are masked.",
        anchor=False,
    )
    try:
        content = case_of_pasted(pasted, way, origin_of(pasted)).dumps()
    except UsageError as error:
        st.text(str(error))
        return
    folder = cases_folder()
    name_box, download, write = st.columns([3, 2, 2], vertical_alignment="bottom")
    name = file_name(
        name_box.text_input("Name of the file", placeholder=case_name(pasted.text), key="playground.name")
        or "",
        case_name(pasted.text),
    )
    download.download_button(
        "Download the case",
        data=content,
        file_name=f"{name}{SUFFIX}",
        mime="application/toml",
        on_click="ignore",
        icon=":material/download:",
    )
    if folder is None:
        return
    if is_read_only():
        write.caption("Nothing can be written here: this dashboard only reads.")
        return
    if write.button("Write it to the folder of cases", key="playground.write"):
        st.session_state["playground.said"] = keep_case(folder, name, content)
    if said := st.session_state.pop("playground.said", ""):
        st.text(said)


show()
