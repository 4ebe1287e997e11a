"""The reviews of turns: a queue to judge, decisions to make, the week, and the reviewers' agreement."""

import streamlit as st

from actionledger.core.text import counted
from actionledger.ledger import queries
from actionledger.ledger.queries import Filter
from actionledger.ledger.queries.reviews import Queue, count_turns_to_review, turns_to_review
from actionledger_dashboard.components import filters, links, notices, tables
from actionledger_dashboard.components.controls import line, show_anchors
from actionledger_dashboard.components.fields import place_of
from actionledger_dashboard.components.links import filter_parameters
from actionledger_dashboard.components.readings import Step
from actionledger_dashboard.components.review_approvals import show_approvals, show_reviewer
from actionledger_dashboard.components.review_turn import show_turn
from actionledger_dashboard.components.review_week import WEEK, show_agreement, show_week
from actionledger_dashboard.components.tables import Column, turn_columns
from actionledger_dashboard.components.transcript import session_meant
from actionledger_dashboard.components.widgets import Bar, Linked
from actionledger_dashboard.data import ask
from actionledger_dashboard.viewer.looks import came_to_in_all, look_of

ANYBODYS = (Queue.FAILING, Queue.ALL)
"""The queues that need no name; the others belong to a person."""

TURNS, APPROVALS, AGREEMENT = "turns", "approvals", "agreement"


def show() -> None:
    """Show the page."""
    if ask(queries.dimensions).is_empty:
        notices.empty_ledger()
        return
    linked = Linked("review")
    name = show_reviewer()
    if "session" in st.query_params:
        show_one(name)
        return
    way = linked.switch("Ways to look", "by", [TURNS, APPROVALS, WEEK, AGREEMENT])
    if way == APPROVALS:
        show_approvals(linked, name)
    elif way == WEEK:
        show_week()
    elif way == AGREEMENT:
        show_agreement(filters.pick(linked))
    else:
        show_queue(linked, filters.pick(linked), name)


def show_queue(linked: Linked, within: Filter, name: str) -> None:
    """Show the turns to judge; a row opens one."""
    bar = Bar(linked)
    there = list(dict.fromkeys((Queue.FAILING, *Queue))) if name else list(ANYBODYS)
    if name or st.query_params.get("queue", Queue.ALL) in there:
        picked = Queue(bar.one("Queue", "queue", [str(each) for each in there]))
        linked.stop_at_unknown()
    else:
        picked = Queue.FAILING
        say_whose_queue()
    count = ask(count_turns_to_review, picked, name, within)
    offset = bar.page_of(count, tables.PAGE)
    with line():
        st.caption(f"{counted(count, 'turn')}. A row opens the turn.", width="content")
        bar.show()
    if not count:
        say_that_it_is_empty(picked, within)
        return
    found = ask(turns_to_review, picked, name, within, limit=tables.PAGE, offset=offset)
    columns = [
        *turn_columns([(turn.session_id, turn.turn_index) for turn in found]),
        Column(
            "Outcome",
            [came_to_in_all(turn.outcome, is_failing=turn.is_failing) for turn in found],
            "verdict",
            looks=["bad" if turn.is_failing else look_of(turn.outcome) for turn in found],
        ),
        Column("Reason", [", ".join(map(str, turn.reasons)) for turn in found], "code"),
        Column(
            "Judged by",
            [turn.judged_by for turn in found],
            "number",
            "How many people have judged this reading.",
        ),
        Column("Assigned to", [turn.assigned_to for turn in found]),
        Column("Labels", [", ".join(turn.labels) for turn in found], "name"),
        Column("Comments", [turn.comments for turn in found], "number"),
        Column("Model", [turn.model for turn in found]),
    ]
    hrefs = [turn_href(turn.session_id, turn.turn_index, picked, within) for turn in found]
    said = [each for each in columns if each.label == "Turn" or any(each.values)]
    tables.show_table("review.turns", f"turns: {picked}", said, hrefs)


def say_that_it_is_empty(queue: Queue, within: Filter) -> None:
    """Say that the queue is empty, and link to others."""
    st.info(
        "No turn failed here that you have not judged."
        if queue is Queue.FAILING
        else "No turn is in this queue. Choose another one, or take a filter away."
    )
    everything = {"queue": str(Queue.ALL)} | filter_parameters(within)
    ways = [
        ("all turns", f"review?{links.query_of(everything)}"),
        (WEEK, f"review?{links.query_of({'by': WEEK})}"),
    ]
    show_anchors("review.on", ways, "Look at")


def say_whose_queue() -> None:
    """Say why the queue that the link names is not shown to somebody without a name."""
    asked = st.query_params.get("queue", Queue.ALL)
    if asked in {*Queue}:
        st.info(f"The queue *{asked}* is somebody's: give your name above to see it. Here is what failed.")
    else:
        notices.unknown_value("Queue", asked, key="review.queue.remove", on_remove=all_turns)


def all_turns() -> None:
    """Remove the queue from the URL."""
    st.query_params.pop("queue", None)


def turn_href(session_id: str, index: int, queue: Queue, within: Filter) -> str:
    """Return the link to a queue's turn, with the parameters of the queue."""
    kept = {name: value for name, value in filter_parameters(within).items() if name != "run"}
    parameters = {"session": session_id, "turn": str(index), "queue": str(queue)} | kept
    if within.run_id is not None:
        parameters["run"] = within.run_id
    return f"review?{links.query_of(parameters)}"


def show_one(name: str) -> None:
    """Show the turn that the URL names, with a link to the next one of its queue."""
    session_id, number = session_meant(st.query_params["session"]), st.query_params.get("turn", "0")
    if session_id is None:
        return
    run_id = st.query_params.get("run")
    if run_id is not None and run_id not in {run.run_id for run in ask(queries.runs)}:
        notices.unknown_value("Run", run_id, key="review.run.remove", on_remove=read_first)
        return
    detail = ask(queries.turn, session_id, place_of(number), run_id)
    if detail is None:
        notices.unknown_turn(number, session_id)
        return
    show_turn(detail, name, run_id, steps_from(session_id, place_of(number), name))


def read_first() -> None:
    """Remove the run from the URL, so that the first reading is judged."""
    st.query_params.pop("run", None)


def steps_from(session_id: str, index: int, name: str) -> list[Step]:
    """Return the links from a turn: to the next of its queue, the queue or week, its session, and the playground."""
    within = filters.of_query()
    elsewhere = [
        Step("in its session", "the whole session", (), links.replay_href(session_id, index, within.run_id)),
        Step(
            "in the playground",
            "try another way to read it, or keep it as a case",
            (),
            links.playground_href(session_id, index, within.run_id),
        ),
    ]
    if st.query_params.get("by") == WEEK:
        back = f"review?{links.query_of({'by': WEEK})}"
        return [Step(WEEK, "what got worse, what is new, what was decided", (), back), *elsewhere]
    asked = st.query_params.get("queue", "")
    queue = next((each for each in Queue if each == asked), Queue.FAILING)
    rows = ask(turns_to_review, queue, name, within, limit=tables.PAGE)
    places = [(row.session_id, row.turn_index) for row in rows]
    here = places.index((session_id, index)) if (session_id, index) in places else -1
    left = [*places[here + 1 :], *places[: max(0, here)]]
    after = turn_href(*left[0], queue, within) if left else None
    back = f"review?{links.query_of({'queue': str(queue)} | filter_parameters(within))}"
    return [
        Step("next turn", "next turn of the queue", ("j", "→"), after),
        Step("queue", "all turns of the queue", (), back),
        *elsewhere,
    ]


show()
