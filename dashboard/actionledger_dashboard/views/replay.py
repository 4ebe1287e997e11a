"""One session, turn by turn: what the model wrote, what was read of it, what came of that, and what it was told."""

import streamlit as st

from actionledger.ledger import queries
from actionledger.ledger.queries import Reader, Session, TurnDetail, TurnRow
from actionledger.vocabulary import RunKind
from actionledger_dashboard.components import notices
from actionledger_dashboard.components.transcript import show_transcript
from actionledger_dashboard.data import ask

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
    show_turn(session.session_id)


def show_header(session: Session) -> None:
    """Show what is known of the session as a whole; all of it is the source's words, so all of it is plain text."""
    ended = {True: "success", False: "no success", None: "nobody said"}[session.success]
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
            st.text(value or "–")


@st.fragment
def show_turn(session_id: str) -> None:
    """Show the turn that the URL names; a step runs nothing but this."""
    run_id = known_run(st.query_params.get("run"))
    turns = ask(queries.turns, session_id, run_id)
    if not turns:
        st.info("No response of this session is recorded yet.")
        return
    index = nearest(turns, st.query_params.get("turn", "0"))
    detail = ask(queries.turn, session_id, index, run_id)
    if detail is None:
        notices.unknown_session()
        return
    pick_reading(detail, run_id, turns[-1].index)
    show_transcript(detail, turns, on_step=lambda wanted: go_to(turns, index, wanted))
    show_conversation(detail)


def known_run(run_id: str | None) -> str | None:
    """Return a run of the ledger, or None for the first readings where the URL names none."""
    return run_id if run_id in {run.run_id for run in ask(queries.runs)} else None


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


def pick_reading(detail: TurnDetail, run_id: str | None, last: int) -> None:
    """Show which runs have read the turn, and let another reading or another turn be picked."""
    first = detail.readers[0].run_id if detail.readers else None
    labels = {FIRST: "First reading"}
    labels |= {
        FIRST if reader.run_id == first else reader.run_id: reader_label(reader) for reader in detail.readers
    }
    chosen = FIRST if run_id is None or run_id == first else run_id
    labels.setdefault(chosen, "The chosen run, which has not read this turn")
    st.session_state["reading"] = chosen
    st.session_state["jump"] = detail.response.index

    def read_by() -> None:
        if picked := st.session_state["reading"]:
            st.query_params["run"] = picked
        else:
            st.query_params.pop("run", None)

    def jump() -> None:
        st.query_params["turn"] = str(st.session_state["jump"])

    readings, to, _ = st.columns([4, 1, 4], vertical_alignment="bottom")
    readings.selectbox(
        "Read by",
        list(labels),
        format_func=labels.__getitem__,
        key="reading",
        on_change=read_by,
        disabled=len(labels) < 2,
    )
    to.number_input("Go to turn", 0, last, key="jump", on_change=jump)


def reader_label(reader: Reader) -> str:
    """Return what a reading is called in a list of readings."""
    name = "First reading" if reader.kind is not RunKind.REPARSE else reader.name or "re-reading"
    return f"{name} · {reader.parser} · {reader.outcome.replace('_', ' ')}"


def show_conversation(detail: TurnDetail) -> None:
    """Show what the model was shown before the turn, and the exact text that it was told after it."""
    before, after = st.columns(2, gap="medium")
    with before:
        st.caption("What the model was shown before")
        st.code(prompt_of(detail), language=None, wrap_lines=True)
    with after:
        st.caption("What the model was told next, exactly")
        for told in detail.response.told:
            if told.is_resumed:
                st.caption(f"And when the turn had gone on, {told.at:%Y-%m-%d %H:%M:%S} UTC")
            st.code(told.text or "(nothing)", language=None, wrap_lines=True)
        if not detail.response.told:
            st.code("(the turn never ended)", language=None, wrap_lines=True)


def prompt_of(detail: TurnDetail) -> str:
    """Return what the model was shown before a turn: its prompt, or the feedback of the turn before."""
    response = detail.response
    if response.prompt is not None:
        return response.prompt or "(nothing)"
    before = ask(queries.turn, response.session_id, response.index - 1)
    feedback = before.response.feedback if before is not None else None
    return feedback or "(not recorded)"


show()
