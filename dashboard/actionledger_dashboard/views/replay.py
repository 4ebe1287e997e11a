"""One session, turn by turn: what the model wrote, what was read of it, what came of that, and what it was told."""

import json

import streamlit as st

from actionledger.ledger import queries
from actionledger.ledger.queries import Session, TurnDetail, TurnRow
from actionledger.plurals import counted
from actionledger_dashboard.components import links, notices, tables
from actionledger_dashboard.components.beside import pick_beside, reader_label, show_beside
from actionledger_dashboard.components.passages import Passage, show_passages
from actionledger_dashboard.components.sides import FIRST as BESIDE_FIRST
from actionledger_dashboard.components.tables import Column
from actionledger_dashboard.components.transcript import show_transcript
from actionledger_dashboard.components.transcript_data import was_recorded_elsewhere
from actionledger_dashboard.components.visible import visible
from actionledger_dashboard.data import ask

NOT_RECORDED = "Not recorded."
RELATIVES = 4  # so many are seen at once; the others by scrolling
FIRST = ""  # the run that stands for the first reading in the list of readings


def show() -> None:
    """Show the page."""
    session_id = st.query_params.get("session")
    if not session_id:
        notices.no_session()
        return
    session = ask(queries.session, session_id)
    if session is None:
        notices.unknown_session()
        return
    show_header(session)
    show_family(session)
    show_turn(session.session_id)


def show_header(session: Session) -> None:
    """Show what is known of the session as a whole; all of it is the source's words, so all of it is plain text."""
    ended = {True: "success", False: "no success", None: "not recorded"}[session.success]
    facts = {
        "Session": session.external_id or session.session_id,
        "Model": session.model,
        "Profile": session.profile,
        "Task": session.task,
        "Source": session.source,
        "Started (UTC)": f"{session.started_at:%Y-%m-%d %H:%M}" if session.started_at else "not recorded",
        "Ended": f"{ended}: {session.reason}" if session.reason else ended,
    }
    for column, (label, value) in zip(st.columns(len(facts), gap="small"), facts.items(), strict=True):
        with column.container(gap=None):
            st.caption(label)
            st.text(visible(value or "–"))


def show_family(session: Session) -> None:
    """Show the session that this one is a child of, and its own children, where there are any."""
    parent = ask(queries.session, session.parent_session_id) if session.parent_session_id else None
    children = ask(queries.children, session.session_id)
    if session.parent_session_id and parent is None:
        st.caption(f"A {session.relation or 'child'} of a session that is not in this ledger.")
    if not children and parent is None:
        return
    above = [] if parent is None else [(parent.external_id, parent.session_id, "parent", parent.turns, None)]
    below = [
        (child.external_id, child.session_id, str(child.relation or "child"), child.turns, child.failed)
        for child in children
    ]
    family = above + below
    columns = [
        Column("Session", [name or session_id for name, session_id, *_ in family]),
        Column("Is this one's", [role for _, _, role, _, _ in family]),
        Column("Turns", [turns for _, _, _, turns, _ in family], "number"),
        Column("Failed", [failed for *_, failed in family], "number", "Executions that did not succeed."),
    ]
    hrefs = [links.replay_href(session_id) for _, session_id, *_ in family]
    with st.expander(family_words(parent is not None, len(children)), expanded=len(family) <= RELATIVES):
        tables.show_table("family", "parent and children", columns, hrefs, seen=RELATIVES)


def family_words(has_parent: bool, children: int) -> str:
    """Return what a session's family is, in a few words."""
    parts = ["Parent"] if has_parent else []
    if children:
        parts.append(counted(children, "child", "children"))
    return " and ".join(parts)


@st.fragment
def show_turn(session_id: str) -> None:
    """Show the turn that the URL names; a step runs nothing but this."""
    run_id = st.query_params.get("run")
    runs = {run.run_id for run in ask(queries.runs)}
    if run_id is not None and run_id not in runs:
        notices.unknown_value("Run", run_id, key="run.remove", on_remove=read_first)
        return
    beside = st.query_params.get("beside")
    if beside is not None and beside not in runs | {BESIDE_FIRST}:
        notices.unknown_value("Run", beside, key="beside.remove", on_remove=show_alone)
        return
    turns = ask(queries.turns, session_id, run_id)
    if not turns:
        st.info("No response of this session is recorded yet.")
        return
    wanted = st.query_params.get("turn", "0")
    index = nearest(turns, wanted)
    if wanted != str(index):
        st.text(f"This session has no turn {visible(json.dumps(wanted))}; the nearest one is shown.")
    detail = ask(queries.turn, session_id, index, run_id)
    if detail is None:
        notices.unknown_session()
        return
    pick_reading(detail, run_id, turns[-1].index)
    if not show_beside(detail, run_id, [turn.index for turn in turns]):
        show_transcript(detail, turns, on_step=lambda wanted: go_to(turns, index, wanted))
    show_conversation(detail)


def read_first() -> None:
    """Take the run out of the URL, so that the first reading is shown."""
    st.query_params.pop("run", None)


def nearest(turns: list[TurnRow], wanted: str) -> int:
    """Return the index of the turn that is meant by what the URL says, however far off that is."""
    try:
        index = int(wanted)
    except ValueError:
        index = 0
    return min((turn.index for turn in turns), key=lambda known: abs(known - index))


def go_to(turns: list[TurnRow], current: int, wanted: int) -> None:
    """Put into the URL the turn that comes nearest to the wanted one, in the direction of the step."""
    ahead = (turn.index for turn in turns if (turn.index - current) * (wanted - current) > 0)
    st.query_params["turn"] = str(min(ahead, key=lambda index: abs(index - wanted), default=current))


def show_alone() -> None:
    """Show no second reading."""
    st.query_params.pop("beside", None)


def pick_reading(detail: TurnDetail, run_id: str | None, last: int) -> None:
    """Show which runs have read the turn, and let another reading or another turn be picked."""
    labels, chosen = readings_of(detail, run_id)
    st.session_state["reading"] = chosen
    st.session_state["jump"] = detail.response.index

    def read_by() -> None:
        picked = st.session_state["reading"]
        if picked == FIRST:
            read_first()
        elif picked in labels:  # coming back to the page, the browser names what was picked by its label
            st.query_params["run"] = picked

    def jump() -> None:
        st.query_params["turn"] = str(st.session_state["jump"])

    readings, to, second = st.columns([4, 1, 4], vertical_alignment="bottom")
    readings.selectbox(
        "Read by",
        list(labels),
        format_func=lambda chosen: visible(labels[chosen]),
        key="reading",
        on_change=read_by,
    )
    to.number_input("Go to turn", 0, last, key="jump", on_change=jump)
    with second:
        pick_beside(detail, run_id)


def readings_of(detail: TurnDetail, run_id: str | None) -> tuple[dict[str, str], str]:
    """Return what the readings of a turn are called, by what stands for each, and which one is shown."""
    first = detail.readers[0].run_id if detail.readers else None
    labels = {FIRST: "First reading"}
    labels |= {
        FIRST if reader.run_id == first else reader.run_id: reader_label(reader) for reader in detail.readers
    }
    chosen = FIRST if run_id is None or run_id == first else run_id
    labels.setdefault(chosen, "The chosen run, which has not read this turn")
    return labels, chosen


def show_conversation(detail: TurnDetail) -> None:
    """Show what the model was shown before the turn, and the exact text that it was told after it."""
    before = Passage("What the model was shown before", prompt_of(detail), NOT_RECORDED)
    show_passages("conversation", [[before, *thought_of(detail)], told_after(detail)])


def thought_of(detail: TurnDetail) -> list[Passage]:
    """Return what the model thought before it answered, folded; nothing where that is not recorded."""
    thought = detail.response.reasoning
    return [] if thought is None else [Passage("What the model thought", thought, is_folded=True)]


def told_after(detail: TurnDetail) -> list[Passage]:
    """Return all that the model was told of a turn, in order and with when; or why there is nothing."""
    first = "What the model was told next, exactly"
    if not detail.response.told:
        return [Passage(first, None, when_not_told(detail))]
    return [
        Passage(
            (f"Told again as the turn went on ({number})" if told.is_resumed else first)
            + (f" · {told.at:%Y-%m-%d %H:%M:%S} UTC" if told.at else ""),
            told.text,
        )
        for number, told in enumerate(detail.response.told)
    ]


def when_not_told(detail: TurnDetail) -> str:
    """Return why it is not there what the model was told of a turn."""
    if not was_recorded_elsewhere(detail):
        return "The turn never ended."
    if detail.executions:
        return "Not recorded as one text; what came of each call stands beside the response."
    return NOT_RECORDED


def prompt_of(detail: TurnDetail) -> str | None:
    """Return what the model was shown before a turn: its prompt, or the feedback of the turn before; None if unknown."""
    response = detail.response
    if response.prompt is not None:
        return response.prompt
    before = ask(queries.turn, response.session_id, response.index - 1)
    return before.response.feedback if before is not None else None


show()
