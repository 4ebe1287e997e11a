"""One turn to review: what was read of it, what others say, and what one says oneself."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from actionledger.core.vocabulary import Judgement, ReviewAspect, ReviewStep
from actionledger.ledger import queries
from actionledger.ledger.queries import TurnDetail
from actionledger.ledger.queries.reviews import Review, reviews
from actionledger_dashboard.components.readings import Step, show_readings
from actionledger_dashboard.components.review_controls import SAID, WHOLE, Controls, is_verdict, select
from actionledger_dashboard.components.visible import visible
from actionledger_dashboard.components.wording import called
from actionledger_dashboard.data import ask, is_read_only
from actionledger_dashboard.viewer.doing import run_lanes
from actionledger_dashboard.viewer.looks import Values, card

_HIDDEN = {ReviewAspect.VERDICT, ReviewAspect.LABEL}
_HIDDEN_WHY = (
    "Verdicts and labels of others are seen once you have judged, so that agreement means something."
)
_LOOKS = {Judgement.RIGHT: "good", Judgement.WRONG: "bad"}


def show_turn(detail: TurnDetail, name: str, run_id: str | None, steps: Sequence[Step]) -> None:
    """Show a turn, and what is said of it."""
    response = detail.response
    said = ask(reviews, session=response.session_id, turn=response.index)
    has_judged = any(is_verdict(each, name, detail) for each in said)
    others = [each for each in said if each.reviewer != name]
    hidden = [] if has_judged or is_read_only() else [each for each in others if each.aspect in _HIDDEN]
    shown = [each for each in said if each not in hidden]
    if problem := st.session_state.pop(SAID, ""):
        st.warning("That was not recorded.")
        st.text(visible(problem))
    left, right = st.columns([5, 3], gap="medium")
    with left:
        show_readings(
            [("As it was read", detail)],
            None,
            place=f"{name_of(response.session_id)} · turn {response.index}",
            steps=steps,
            key=f"review.reading.{response.turn_id}",
            on_select=partial(select, response.turn_id),
            lanes=[[_said_lane(shown, len(hidden), detail)]],
            after=[list(run_lanes(detail))],
        )
    if is_read_only():
        right.caption("Nothing can be said here: this dashboard only reads.")
    elif name:
        with right:
            Controls(detail, name, run_id, said).show()


def name_of(session_id: str) -> str:
    """Return what a session is called."""
    known = ask(queries.session, session_id)
    return called(known.external_id if known else "", session_id)


def _said_lane(said: Sequence[Review], hidden: int, detail: TurnDetail) -> Values:
    """Return what was said of the turn as a lane beside it, each tied to the block that it is about."""
    cards = [
        card(
            each.reviewer,
            _status(each),
            _LOOKS.get(Judgement(each.value), "idle") if each.aspect is ReviewAspect.VERDICT else "idle",
            f"{_where(each)} · {each.changed_at:%Y-%m-%d %H:%M} UTC"
            + (", changed" if each.steps > 1 else ""),
            [] if each.aspect is ReviewAspect.VERDICT else [each.value],
            value=each.quote,
            block=_block(each, detail),
        )
        for each in said
    ]
    if hidden:
        cards.append(card("others", f"{hidden:,} more", "idle", "", [_HIDDEN_WHY]))
    return {
        "title": "Said of this turn",
        "whenEmpty": "Nobody has said anything of this turn yet.",
        "cards": cards,
    }


def _status(each: Review) -> str:
    if each.aspect is ReviewAspect.VERDICT:
        return f"{each.aspect}: {each.value}"
    return f"{each.aspect}, done" if each.step is ReviewStep.DONE else str(each.aspect)


def _where(each: Review) -> str:
    place = f"[{each.span.start:,}, {each.span.end:,})" if each.span else WHOLE
    return f"{place} of an earlier state" if each.is_of_earlier_state else place


def _block(each: Review, detail: TurnDetail) -> int | None:
    span = each.span
    if span is None or each.is_of_earlier_state:
        return None
    found = (
        block.index for block in detail.blocks if block.span.start < span.end and span.start < block.span.end
    )
    return next(found, None)
