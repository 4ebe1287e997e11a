"""What people say of turns: as it stands now (``standing.py``), how it came to that, and what they judge.

What was said of a turn that its recording has superseded is marked as said of an earlier state.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from actionledger.core.errors import require_kind, require_names
from actionledger.core.values import Span
from actionledger.core.vocabulary import Judgement, ReviewAspect, ReviewStep
from actionledger.ledger.queries.base import Parameters, Queryable, picked, refuse_no_ledger, rows
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.ledger.queries.names import Called, one_session, turn_place
from actionledger.ledger.queries.scopes import of_turn, scope
from actionledger.ledger.queries.standing import LAST_STEPS, MOVED
from actionledger.ledger.storage.fitting import is_uuid


@dataclass(frozen=True, slots=True)
class Review:
    """Something that is said of a turn, as it stands now.

    Args:
        review_id: identifies it.
        session_id, session: the session, and its name where it comes from; empty for live sessions.
        turn_index: the turn's place in it, from 0.
        turn_id: the turn; of one that was superseded, the one that stands for it now.
        attempt_id: the reading that is judged; None where the response itself is meant.
        aspect: what kind of thing is said.
        value: the judgement, the label, the sentence, or to whom the turn is assigned.
        step: what was done with it last.
        reviewer: who said it.
        changed_by: who took the last step.
        given_at, changed_at: when it was said, and when the last step was taken, UTC without a zone.
        steps: how many steps there are.
        span: the stretch of the response that is meant; None for all of it.
        quote: how that stretch began then; empty without one.
        is_of_earlier_state: whether the recording has more of the same response by now, so that the span may be another text.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     _ = ledger.record_turn("s1", "On it.")
        ...     said = al.review(ledger, "s1", 0, by="ann", comment="Too brief.", span=(0, 2))
        >>> said.value, said.span, said.quote, str(said.step)
        ('Too brief.', Span(start=0, end=2), 'On', 'given')
    """

    review_id: str
    session_id: str
    session: str
    turn_index: int
    turn_id: str
    attempt_id: str | None
    aspect: ReviewAspect
    value: str
    step: ReviewStep
    reviewer: str
    changed_by: str
    given_at: datetime
    changed_at: datetime
    steps: int
    span: Span | None
    quote: str
    is_of_earlier_state: bool

    @property
    def stands(self) -> bool:
        """Whether it was not withdrawn."""
        return self.step is not ReviewStep.WITHDRAWN

    @property
    def is_open(self) -> bool:
        """Whether somebody still has to do something about it."""
        return self.aspect.can_be_settled and self.step in {ReviewStep.GIVEN, ReviewStep.CHANGED}


@dataclass(frozen=True, slots=True)
class ReviewChange:
    """One step of something that was said.

    Args:
        step: what was done.
        reviewer: who did it.
        value: what was said then.
        reviewed_at: when, UTC without a zone.
    """

    step: ReviewStep
    reviewer: str
    value: str
    reviewed_at: datetime


@dataclass(frozen=True, slots=True)
class Judged:
    """One person's judgement of one reading.

    Args:
        session_id: the session.
        attempt_id: the reading.
        reviewer: who judged it.
        value: whether it is right.
    """

    session_id: str
    attempt_id: str
    reviewer: str
    value: Judgement


_STANDING = f"""
WITH RECURSIVE {MOVED}, {LAST_STEPS},
standing AS (
    SELECT r.* REPLACE (coalesce(now_of, r.turn_id) AS turn_id, coalesce(t.turn_index, r.turn_index) AS turn_index),
           coalesce(external_id, '') AS session, now_of IS NOT NULL AS is_of_earlier_state
    FROM last_steps AS r LEFT JOIN there ON said_of = r.turn_id LEFT JOIN turn_starts AS t ON t.turn_id = now_of
    LEFT JOIN (SELECT DISTINCT ON (session_id) session_id, external_id FROM session_starts) AS s ON s.session_id = r.session_id)
SELECT {{columns}} FROM standing WHERE {{condition}} ORDER BY reviewed_at, review_id"""

_COLUMNS = picked(
    Review,
    reviewer="said_by",
    changed_by="reviewer",
    changed_at="reviewed_at",
    span="CASE WHEN span_start IS NOT NULL THEN [span_start, span_end] END",
)

_STEPS = """
SELECT step, reviewer, value, reviewed_at FROM reviews WHERE review_id = $id::UUID ORDER BY reviewed_at, step <> 'given'"""

_JUDGED = """
WITH last_steps AS (
    SELECT * FROM reviews WHERE aspect = 'verdict'
    QUALIFY row_number() OVER (PARTITION BY review_id ORDER BY reviewed_at DESC, step <> 'given' DESC) = 1)
SELECT session_id::VARCHAR AS session_id, attempt_id::VARCHAR AS attempt_id, reviewer, value FROM last_steps
WHERE step <> 'withdrawn'
    AND attempt_id IN (SELECT attempt_id FROM parse_attempts WHERE {condition})
ORDER BY session_id, attempt_id, reviewer"""

_PEOPLE = """
SELECT name FROM (
    SELECT reviewer AS name, reviewed_at FROM reviews
    UNION ALL SELECT value, reviewed_at FROM reviews WHERE aspect = 'assignment')
GROUP BY name ORDER BY max(reviewed_at) DESC, name"""

_LABELS = """
SELECT value FROM reviews WHERE aspect = 'label' GROUP BY value ORDER BY count(*) DESC, value"""


def reviews(
    ledger: Queryable,
    within: Filter = EVERYTHING,
    *,
    session: Called | None = None,
    turn: int | None = None,
    aspects: Sequence[ReviewAspect | str] = (),
    by: str | None = None,
    assigned_to: str | None = None,
    since: datetime | None = None,
    only_open: bool = False,
    withdrawn: bool = False,
) -> list[Review]:
    """Return what people say of turns, as it stands now, what was changed last at the end.

    Args:
        ledger: what to ask.
        within: the turns that it is about, and when the responses were made; a run narrows nothing.
        session: the one session that it is about: its id, its own name, the beginning of either, or its title.
        turn: the one turn's place in its session.
        aspects: which kinds of things; empty for all.
        by: who said it.
        assigned_to: to whom the turn is assigned; then nothing but assignments is returned.
        since: from when on it was said or changed, UTC without a zone.
        only_open: whether only what somebody still has to do something about.
        withdrawn: whether also what was withdrawn.

    Raises:
        UsageError: there is no such session, or several are called that.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     _ = ledger.record_turn("s1", "On it.")
        ...     _ = al.review(ledger, "s1", 0, by="ann", label="brief")
        ...     [(str(each.aspect), each.value, each.reviewer) for each in al.reviews(ledger)]
        [('label', 'brief', 'ann')]
    """
    refuse_no_ledger(ledger)
    require_names("aspects", aspects)
    require_kind(by, str | None, "Who said it is named by a text")
    require_kind(assigned_to, str | None, "Whom a turn is assigned to is named by a text")
    require_kind(since, datetime | None, "since is a datetime")
    session_id = None if session is None else one_session(ledger, session)
    parts, bound = of_turn(within)
    conditions = {
        "occurred_at >= $from": ("from", within.since),
        "occurred_at < $until": ("until", within.until),
        "session_id = $session::UUID": ("session", session_id),
        "turn_index = $turn": ("turn", None if turn is None else turn_place(turn)),
        "said_by = $by": ("by", by),
        "aspect = 'assignment' AND value = $assigned": ("assigned", assigned_to),
        "reviewed_at >= $since": ("since", since),
        "list_contains($aspects, aspect)": ("aspects", [str(aspect) for aspect in aspects] or None),
    }
    for condition, (name, value) in conditions.items():
        if value is not None:
            parts.append(condition)
            bound[name] = value
    if only_open:
        settled = ", ".join(f"'{aspect}'" for aspect in ReviewAspect if aspect.can_be_settled)
        parts.append(f"aspect IN ({settled}) AND step IN ('given', 'changed')")
    elif not withdrawn:
        parts.append("step <> 'withdrawn'")
    return _standing(ledger, " AND ".join(parts) or "true", bound)


def _standing(ledger: Queryable, condition: str, bound: Parameters) -> list[Review]:
    return rows(ledger, Review, _STANDING.format(columns=_COLUMNS, condition=condition), bound)


def review_called(ledger: Queryable, review_id: str) -> Review | None:
    """Return what is said under an identifier, as it stands now, also withdrawn; None where there is none."""
    if not is_uuid(review_id):
        return None
    return next(iter(_standing(ledger, "review_id = $id::UUID", {"id": review_id})), None)


def review_steps(ledger: Queryable, review_id: str) -> list[ReviewChange]:
    """Return how something that is said came to be what it is, step by step; none where there is no such thing."""
    return rows(ledger, ReviewChange, _STEPS, {"id": review_id}) if is_uuid(review_id) else []


def judged(ledger: Queryable, within: Filter = EVERYTHING) -> list[Judged]:
    """Return each person's judgement of each reading that a filter picks, as it stands now.

    A reading that is not there any more, since its turn was superseded, is judged no more.

    Args:
        ledger: what to ask.
        within: which readings.
    """
    condition, parameters = scope(within)
    return rows(ledger, Judged, _JUDGED.format(condition=condition), parameters)


def reviewers(ledger: Queryable) -> list[str]:
    """Return who has said something or was assigned something, the latest first."""
    return [str(name) for (name,) in ledger.sql(_PEOPLE).fetchall()]


def labels(ledger: Queryable) -> list[str]:
    """Return the labels that were ever given, the most frequent first."""
    return [str(label) for (label,) in ledger.sql(_LABELS).fetchall()]
