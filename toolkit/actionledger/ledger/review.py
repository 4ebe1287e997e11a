"""Reviews of a recorded turn: give, change, withdraw or settle one. Each step is a new event; nothing is overwritten."""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, SupportsIndex

from actionledger.core.errors import UsageError, require_kind
from actionledger.core.events import Reviewed
from actionledger.core.ids import derived_id, new_id, now
from actionledger.core.values import Span
from actionledger.core.vocabulary import Judgement, ReviewAspect, ReviewStep
from actionledger.ledger.ledger import Ledger
from actionledger.ledger.queries.base import picked, rows
from actionledger.ledger.queries.names import Called, one_run, one_session, turn_place
from actionledger.ledger.queries.reviews import Review, review_called
from actionledger.ledger.queries.turns import reading

NAME_CHARACTERS = 200
"""The maximum length of a person's name and of a label, in characters."""

SENTENCE_CHARACTERS = 20_000
"""The maximum length of a comment, in characters."""

_LINE_ASPECTS = {ReviewAspect.LABEL, ReviewAspect.ASSIGNMENT}


def resolve_span(span: Span | tuple[int, int] | None, text: str) -> Span | None:
    """Return the span of a response; None for all of it."""
    if span is None:
        return None
    asked = "A stretch is a pair of whole numbers, its start and its end"
    require_kind(span, tuple, asked)
    for each in span:
        require_kind(each, SupportsIndex, asked)
    start, end = span
    if not 0 <= start < end <= len(text):
        raise UsageError(
            f"There is no stretch [{start}, {end}) in a response of {len(text):,} characters; "
            "it begins before it ends, and counts code points."
        )
    return Span(start, end)


def name_of(text: str, what: str) -> str:
    """Return a name or a label in its stored form."""
    require_kind(text, str, f"A text says {what}")
    name = text.strip()
    if not name or len(name) > NAME_CHARACTERS or not name.isprintable():
        raise UsageError(
            f"{text[:NAME_CHARACTERS]!r} doesn't say {what}: it needs a line of 1 to {NAME_CHARACTERS} characters that can be seen."
        )
    return name


def value_of(aspect: ReviewAspect, value: str) -> str:
    """Return a review's value in its stored form."""
    if aspect is ReviewAspect.VERDICT:
        known = [str(each) for each in Judgement]
        if value not in known:
            raise UsageError(f"{value!r} is not a verdict; choose one of {', '.join(known)}.")
        return str(value)
    if aspect in _LINE_ASPECTS:
        return name_of(value, "whose it is" if aspect is ReviewAspect.ASSIGNMENT else "what it is")
    require_kind(value, str, f"A {aspect} is a text")
    if not value.strip() or len(value) > SENTENCE_CHARACTERS:
        raise UsageError(f"A {aspect} has 1 to {SENTENCE_CHARACTERS:,} characters, not {len(value):,}.")
    return value


_QUOTED_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class _Turn:
    """The reviewed turn, with its dimensions."""

    session_id: str
    turn_id: str
    turn_index: int
    profile: str
    model: str
    task: str
    occurred_at: datetime | None
    text: str


_TURN = f"SELECT {picked(_Turn)} FROM turn_starts WHERE session_id = $session::UUID AND turn_index = $turn LIMIT 1"  # noqa: S608 (our own names)
_READ = """
SELECT attempt_id::VARCHAR FROM parse_attempts
WHERE session_id = $session_id::UUID AND turn_id = $turn_id::UUID AND {reading} ORDER BY parsed_at, attempt_id LIMIT 1"""


def review(
    ledger: Ledger,
    session: Called,
    turn: int,
    *,
    by: str,
    verdict: Judgement | str | None = None,
    label: str | None = None,
    comment: str | None = None,
    assign: str | None = None,
    decision: str | None = None,
    span: Span | tuple[int, int] | None = None,
    run: Called | None = None,
) -> Review:
    """Add a review of a turn, with who gave it and when.

    A person's second verdict on the same parse changes the first; so does a second assignment of the same turn.

    Args:
        ledger: the ledger that holds the turn.
        session: the session's name, its id, or enough of its id's beginning.
        turn: the turn's index in the session, from 0.
        by: the reviewer's name.
        verdict: whether the turn was parsed correctly: ``right``, ``wrong`` or ``unsure``.
        label: or a label for the turn.
        comment: or a comment.
        assign: or the person who is to review it.
        decision: or the decision about it.
        span: the part of the response, in code points; None for all of it.
        run: the run whose parse is judged, by its name, its id or enough of its beginning; the first parse if not given.

    Returns:
        The review in its current state.

    Raises:
        UsageError: there is no such turn, parse or span, not exactly one of the five values is given, or the reviewer has no name.
        LedgerError: it can't be recorded.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     _ = ledger.record_turn("s1", "Well.", profile="mint")
        ...     said = al.review(ledger, "s1", 0, by="ann", verdict="wrong")
        >>> said.value, said.reviewer, said.session
        ('wrong', 'ann', 's1')
    """
    given = {
        ReviewAspect.VERDICT: verdict,
        ReviewAspect.LABEL: label,
        ReviewAspect.COMMENT: comment,
        ReviewAspect.ASSIGNMENT: assign,
        ReviewAspect.DECISION: decision,
    }
    aspect, value = _only(given)
    meant = _turn(ledger, session, turn)
    place = resolve_span(span, meant.text)
    attempt_id = _attempt(ledger, meant, run) if aspect is ReviewAspect.VERDICT else None
    statement = _Statement(aspect, value_of(aspect, value), name_of(by, "who reviews"), place, attempt_id)
    return _give(ledger, meant, statement)


def _only(given: dict[ReviewAspect, str | None]) -> tuple[ReviewAspect, str]:
    """Return the only value that is given, and its aspect."""
    said = [(aspect, value) for aspect, value in given.items() if value is not None]
    if len(said) != 1:
        raise UsageError(
            "Say one thing at a time: a verdict, a label, a comment, an assignment or a decision."
        )
    return said[0]


@dataclass(frozen=True, slots=True)
class _Statement:
    """A review of a turn, or of an attempt to parse it."""

    aspect: ReviewAspect
    value: str
    reviewer: str
    span: Span | None
    attempt_id: str | None


def _give(ledger: Ledger, turn: _Turn, said: _Statement) -> Review:
    """Record a review, unless the same one is recorded already."""
    review_id = _identity(said.aspect, turn.turn_id, said.attempt_id, said.reviewer, said.value)
    before = review_called(ledger, review_id)
    if before is not None and _is_said(before, said.value, said.span):
        return before
    event = Reviewed(
        **_head(),
        **_dimensions(turn),
        review_id=review_id,
        attempt_id=said.attempt_id,
        aspect=said.aspect,
        step=ReviewStep.CHANGED if before is not None and before.stands else ReviewStep.GIVEN,
        reviewer=said.reviewer,
        value=said.value,
        span=said.span,
        quote=said.span.of(turn.text)[:_QUOTED_CHARACTERS] if said.span else "",
    )
    return _recorded(ledger, event)


def change(ledger: Ledger, review_id: Called, value: str, *, by: str) -> Review:
    """Change the value of a review; the earlier value stays in the record.

    Args:
        ledger: the ledger that holds the review.
        review_id: the review to change.
        value: the new judgement, label or sentence, or the new assignee.
        by: who does so; only its author may, except for an assignment or a decision.

    Raises:
        UsageError: there is no such review, it was withdrawn, or it is somebody else's.
        LedgerError: it can't be recorded.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     _ = ledger.record_turn("s1", "On it.")
        ...     said = al.review(ledger, "s1", 0, by="ann", comment="To brief.")
        ...     now = al.change(ledger, said.review_id, "Too brief.", by="ann")
        >>> now.value, now.steps
        ('Too brief.', 2)
    """
    said = _own(ledger, review_id, by)
    return _step(ledger, said, ReviewStep.CHANGED, by, value_of(said.aspect, value))


def withdraw(ledger: Ledger, review_id: Called, *, by: str) -> Review:
    """Withdraw a review; that it was given stays in the record.

    Args:
        ledger: the ledger that holds the review.
        review_id: the review to withdraw.
        by: who does so; only its author may, except for an assignment or a decision.

    Raises:
        UsageError: there is no such review, it was withdrawn already, or it is somebody else's.
        LedgerError: it can't be recorded.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     _ = ledger.record_turn("s1", "On it.")
        ...     said = al.review(ledger, "s1", 0, by="ann", label="brief")
        ...     _ = al.withdraw(ledger, said.review_id, by="ann")
        ...     al.reviews(ledger)
        []
    """
    said = _own(ledger, review_id, by)
    return _step(ledger, said, ReviewStep.WITHDRAWN, by, said.value)


def settle(ledger: Ledger, review_id: Called, *, by: str) -> Review:
    """Mark an assignment or a decision as done.

    Args:
        ledger: the ledger that holds the review.
        review_id: the assignment or decision.
        by: who marks it.

    Raises:
        UsageError: there is no such review, it is neither an assignment nor a decision, or it is not open.
        LedgerError: it can't be recorded.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     _ = ledger.record_turn("s1", "On it.")
        ...     said = al.review(ledger, "s1", 0, by="ann", assign="bob")
        ...     _ = al.settle(ledger, said.review_id, by="bob")
        ...     al.reviews(ledger, only_open=True)
        []
    """
    said = _there(ledger, review_id)
    if not said.is_open:
        raise UsageError(
            f"This {said.aspect} is {said.step}; what can be done is an open assignment or decision."
        )
    return _step(ledger, said, ReviewStep.DONE, by, said.value)


def _turn(ledger: Ledger, session: Called, index: int) -> _Turn:
    session_id = one_session(ledger, session)
    index = turn_place(index)
    bound = {"session": session_id, "turn": index}
    found = rows(ledger, _Turn, _TURN, bound) if -1 < index < 2**31 else []
    if not found:
        raise UsageError(
            f"The session {str(session)!r} has no turn {index}; 'actionledger show' lists its turns."
        )
    return found[0]


def _dimensions(meant: _Turn) -> dict[str, Any]:
    """Return the fields that every event of a turn has, as keyword arguments."""
    values = asdict(meant)
    del values["text"]
    return values


def _is_said(before: Review, value: str, span: Span | None) -> bool:
    """Return whether this value and span are already the current ones."""
    is_standing = before.step in {ReviewStep.GIVEN, ReviewStep.CHANGED}
    return is_standing and (before.value, before.span) == (value, span)


def _attempt(ledger: Ledger, meant: _Turn, run: Called | None) -> str:
    """Return the id of the parse attempt that is judged."""
    bound: dict[str, object] = {"session_id": meant.session_id, "turn_id": meant.turn_id}
    run_id = None if run is None else one_run(ledger, run)
    if run_id is not None:
        bound["run_id"] = run_id
    found = ledger.sql(_READ.format(reading=reading(run_id)), bound).fetchall()
    if not found:
        whose = f"The run {str(run)!r}" if run else "Nobody"
        raise UsageError(f"{whose} has read this turn: there is no reading to judge.")
    return str(found[0][0])


def _identity(aspect: ReviewAspect, turn_id: str, attempt_id: str | None, who: str, what: str) -> str:
    """Return a review's id: one verdict per person and parse, one label per person and text, one assignment per turn."""
    match aspect:
        case ReviewAspect.VERDICT:
            return derived_id("review", turn_id, aspect, attempt_id, who)
        case ReviewAspect.LABEL:
            return derived_id("review", turn_id, aspect, who, what)
        case ReviewAspect.ASSIGNMENT:
            return derived_id("review", turn_id, aspect)
        case _:
            return new_id()


def _there(ledger: Ledger, review_id: Called) -> Review:
    found = review_called(ledger, str(review_id))
    if found is None:
        raise UsageError(
            f"Nothing was said under {str(review_id)!r}; 'actionledger reviews list' shows the ids."
        )
    return found


def _own(ledger: Ledger, review_id: Called, by: str) -> Review:
    said = _there(ledger, review_id)
    if not said.stands:
        raise UsageError(
            f"This {said.aspect} was withdrawn by {said.changed_by} at {said.changed_at:%Y-%m-%d %H:%M} UTC."
        )
    if not said.aspect.can_be_settled and said.reviewer != name_of(by, "who reviews"):
        raise UsageError(f"This {said.aspect} is {said.reviewer}'s; say something of your own instead.")
    return said


_STEPPED = "SELECT * FROM reviews WHERE review_id = $id::UUID ORDER BY reviewed_at DESC LIMIT 1"
_KEPT = (
    "session_id", "turn_id", "turn_index", "profile", "model", "task", "occurred_at", "review_id", "attempt_id", "quote"
)  # fmt: skip


def _step(ledger: Ledger, said: Review, step: ReviewStep, by: str, value: str) -> Review:
    """Record a step of a review, with all its fields, so that each event can be read without the others."""
    found = ledger.sql(_STEPPED, {"id": said.review_id})
    last = dict(zip(found.columns, found.fetchall()[0], strict=True))
    kept: dict[str, Any] = {name: last[name] for name in _KEPT}
    for name in ("session_id", "turn_id", "review_id", "attempt_id"):
        kept[name] = None if kept[name] is None else str(kept[name])
    event = Reviewed(
        **_head(),
        **kept,
        aspect=said.aspect,
        step=step,
        reviewer=name_of(by, "who reviews"),
        value=value,
        span=said.span,
    )
    return _recorded(ledger, event)


def _head() -> dict[str, Any]:
    return {"event_id": new_id(), "recorded_at": now(), "run_id": new_id()}


def _recorded(ledger: Ledger, event: Reviewed) -> Review:
    ledger.record(event)
    ledger.flush()
    found = review_called(ledger, event.review_id)
    assert found is not None
    return found
