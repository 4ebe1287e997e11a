"""One turn to review: its reading, others' reviews, and widgets to record one's own."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import streamlit as st

from actionledger.core.errors import ActionLedgerError
from actionledger.core.values import Span
from actionledger.core.vocabulary import Judgement, ReviewAspect, ReviewStep
from actionledger.ledger import Ledger, queries
from actionledger.ledger.queries import TurnDetail
from actionledger.ledger.queries.reviews import Review, labels, reviewers, reviews
from actionledger.ledger.review import SENTENCE_CHARACTERS, change, review, settle, withdraw
from actionledger_dashboard.components.readings import Step, show_readings
from actionledger_dashboard.components.wording import called, visible
from actionledger_dashboard.data import ask, is_read_only, writing
from actionledger_dashboard.viewer.looks import Values, card
from actionledger_dashboard.viewer.results import run_lanes

SAID = "review.said"
"""The key of the message about the last recorded review."""

NOBODY = "(nobody)"
WHOLE = "all of it"
_SPAN = "review.span"


def record(say: Callable[[Ledger], Review]) -> None:
    """Record a review; on an error, keep its message for the page to show.

    Args:
        say: records it.
    """
    try:
        say(writing())
    except ActionLedgerError as error:
        st.session_state[SAID] = str(error)


def select(turn_id: str, span: Span) -> None:
    """Remember the selected span of a response, to comment on it."""
    st.session_state[_SPAN] = (turn_id, span)


def is_verdict(each: Review, name: str, detail: TurnDetail) -> bool:
    """Return whether a review is a person's verdict on the shown reading."""
    judged = detail.attempt is not None and each.attempt_id == detail.attempt.attempt_id
    return each.aspect is ReviewAspect.VERDICT and each.reviewer == name and judged


class Controls:
    """The widgets to review a turn."""

    def __init__(self, detail: TurnDetail, name: str, run_id: str | None, said: Sequence[Review]) -> None:
        self._detail = detail  # the turn
        self._name = name  # the reviewer
        self._run_id = run_id  # the run whose reading is judged
        self._said = said  # the turn's reviews
        self._own = [each for each in said if each.reviewer == name]

    def show(self) -> None:
        """Show the widgets."""
        self._verdict()
        self._labels()
        self._assignment()
        self._comment()
        self._decision()
        self._change()

    def _say(self, **what: Any) -> None:
        response = self._detail.response
        record(partial(review, session=response.session_id, turn=response.index, by=self._name, **what))

    def _key(self, name: str) -> str:
        return f"review.{name}.{self._detail.response.turn_id}.{self._name}.{self._run_id or ''}"

    def _verdict(self) -> None:
        own = next((each for each in self._own if is_verdict(each, self._name, self._detail)), None)
        key = self._key("verdict")
        st.session_state[key] = own.value if own else None

        def judge() -> None:
            picked = st.session_state[key]
            if picked is not None:
                self._say(verdict=picked, run=self._run_id)
            elif own is not None:
                record(partial(withdraw, review_id=own.review_id, by=self._name))

        st.segmented_control(
            "Is what was read right?",
            [str(each) for each in Judgement],
            key=key,
            on_change=judge,
            disabled=self._detail.attempt is None,
        )

    def _labels(self) -> None:
        own = {each.value: each for each in self._own if each.aspect is ReviewAspect.LABEL}
        key = self._key("labels")
        st.session_state[key] = list(own)

        def file() -> None:
            picked = st.session_state[key]
            for label in picked:
                if label not in own:
                    self._say(label=label)
            for label, each in own.items():
                if label not in picked:
                    record(partial(withdraw, review_id=each.review_id, by=self._name))

        known = ask(labels)
        st.multiselect(
            "Labels",
            [*known, *(label for label in own if label not in known)],
            key=key,
            format_func=visible,
            accept_new_options=True,
            placeholder="Add a label",
            on_change=file,
        )

    def _assignment(self) -> None:
        task = next(
            (each for each in self._said if each.aspect is ReviewAspect.ASSIGNMENT and each.is_open), None
        )
        key = self._key("assigned")
        people = list(dict.fromkeys([self._name, *ask(reviewers)]))
        st.session_state[key] = task.value if task else NOBODY

        def assign() -> None:
            picked = st.session_state[key]
            if picked not in {NOBODY, None}:
                self._say(assign=picked)
            elif task is not None:
                record(partial(withdraw, review_id=task.review_id, by=self._name))

        st.selectbox(
            "Assigned to",
            [NOBODY, *people],
            key=key,
            format_func=visible,
            accept_new_options=True,
            on_change=assign,
        )
        for each in self._said:
            if each.is_open:
                st.button(
                    f"This {each.aspect} is done",
                    key=f"review.done.{each.review_id}",
                    on_click=partial(record, partial(settle, review_id=each.review_id, by=self._name)),
                )

    def _comment(self) -> None:
        places = self._places()
        key, selected = self._key("comment"), self._selected()
        place = self._key(f"place.{selected}")  # a new selection replaces the earlier choice

        def comment() -> None:
            if written := st.session_state[key].strip():
                self._say(comment=written, span=places[st.session_state[place]])
                st.session_state[key] = ""
                st.session_state.pop(_SPAN, None)

        with st.form(self._key("comment.form"), border=False):
            st.selectbox(
                "Comment on (select a stretch of the text, or choose)",
                list(places),
                index=1 if selected else 0,
                format_func=visible,
                key=place,
            )
            st.text_area("Comment", key=key, max_chars=SENTENCE_CHARACTERS, height=90)
            st.form_submit_button("Comment", on_click=comment)

    def _places(self) -> dict[str, Span | None]:
        """Return the places to comment on: the whole text, the selection, each block, each issue."""
        text = self._detail.response.text
        places: dict[str, Span | None] = {WHOLE: None}
        selected = self._selected()
        spans = [("selected", selected)] if selected else []
        spans += [(f"block {block.index}, {block.dialect}", block.span) for block in self._detail.blocks]
        spans += [(str(issue.code), issue.span) for issue in self._detail.issues if issue.span]
        for what, span in spans:
            if 0 <= span.start < span.end <= len(text):
                places[f"{what} [{span.start:,}, {span.end:,}): {span.of(text)[:40]}"] = span
        return places

    def _selected(self) -> Span | None:
        turn_id, span = st.session_state.get(_SPAN, ("", None))
        fits = span is not None and 0 <= span.start < span.end <= len(self._detail.response.text)
        return span if turn_id == self._detail.response.turn_id and fits else None

    def _decision(self) -> None:
        key = self._key("decision")

        def decide() -> None:
            if written := st.session_state[key].strip():
                self._say(decision=written)
                st.session_state[key] = ""

        with st.form(self._key("decision.form"), border=False):
            st.text_input("What should be done about it", key=key, max_chars=SENTENCE_CHARACTERS)
            st.form_submit_button("Decide", on_click=decide)

    def _change(self) -> None:
        mine = {
            each.review_id: each
            for each in self._said
            if each.aspect is ReviewAspect.DECISION
            or (each in self._own and each.aspect is ReviewAspect.COMMENT)
        }
        if not mine:
            return
        with st.expander("Change or withdraw"):
            picked = st.selectbox(
                "Which",
                list(mine),
                format_func=lambda review_id: visible(
                    f"{mine[review_id].aspect}: {mine[review_id].value[:60]}"
                ),
                key=self._key("which"),
            )
            if picked is None:
                return
            key = f"review.again.{picked}.{mine[picked].steps}"
            st.text_area("Otherwise", mine[picked].value, key=key, max_chars=SENTENCE_CHARACTERS)
            st.button(
                "Change",
                key=f"review.change.{picked}",
                on_click=lambda: record(
                    partial(change, review_id=picked, value=st.session_state[key], by=self._name)
                ),
            )
            st.button(
                "Withdraw",
                key=f"review.withdraw.{picked}",
                on_click=partial(record, partial(withdraw, review_id=picked, by=self._name)),
            )


_HIDDEN = {ReviewAspect.VERDICT, ReviewAspect.LABEL}
_HIDDEN_WHY = (
    "Verdicts and labels of others are seen once you have judged, so that agreement means something."
)
_LOOKS = {Judgement.RIGHT: "good", Judgement.WRONG: "bad"}


def show_turn(detail: TurnDetail, name: str, run_id: str | None, steps: Sequence[Step]) -> None:
    """Show a turn with its reviews."""
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
    """Return a session's name."""
    known = ask(queries.session, session_id)
    return called(known.external_id, session_id, known.title) if known else session_id


def _said_lane(said: Sequence[Review], hidden: int, detail: TurnDetail) -> Values:
    """Return the turn's reviews as a lane, each tied to its block."""
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
