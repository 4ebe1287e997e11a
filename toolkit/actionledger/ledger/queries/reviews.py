"""People's reviews of turns: their current state (``scopes.py`` has it as SQL), their history, and verdicts.

Reviews of a turn that its recording has superseded are marked as of an earlier state.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from actionledger.core.errors import require_kind, require_names
from actionledger.core.ids import is_uuid
from actionledger.core.values import Span
from actionledger.core.vocabulary import Judgement, Outcome, Reason, ReviewAspect, ReviewStep
from actionledger.ledger.queries.base import (
    NOT_DONE,
    NOT_READ,
    REFUSED,
    Parameters,
    Queryable,
    number,
    picked,
    refuse_no_ledger,
    rows,
)
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.ledger.queries.labels import LAST_STEPS, MOVED
from actionledger.ledger.queries.names import Called, one_session, turn_place
from actionledger.ledger.queries.scopes import FAILING, of_turn, scope


@dataclass(frozen=True, slots=True)
class Review:
    """A review of a turn, in its current state.

    Args:
        review_id: identifies it.
        session_id, session: the session, and its name at its source; empty for live sessions.
        turn_index: the turn's position in it, from 0.
        turn_id: the turn; if it was superseded, the turn that replaces it.
        attempt_id: the reviewed parse attempt; None if the review is of the response itself.
        aspect: the kind of review.
        value: the verdict, the label, the comment, or the assigned person.
        step: the last step.
        reviewer: its author.
        changed_by: who took the last step.
        given_at, changed_at: the times of the first and the last step, UTC without a zone.
        steps: the number of steps.
        span: the reviewed span of the response; None for all of it.
        quote: the beginning of that span at the time; empty without one.
        is_of_earlier_state: whether the recording now has more of the same response, so that the span may cover another text.

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
        """Whether somebody still has to act on it."""
        return self.aspect.can_be_settled and self.step in {ReviewStep.GIVEN, ReviewStep.CHANGED}


@dataclass(frozen=True, slots=True)
class Judged:
    """One person's verdict on one parse attempt."""

    session_id: str
    attempt_id: str  # the parse attempt
    reviewer: str  # the person
    value: Judgement  # the verdict


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
    """Return the reviews of turns in their current state, the last changed one at the end.

    Args:
        ledger: the ledger to query.
        within: selects the turns, and the times of the responses; its run is ignored.
        session: selects one session: its id, its own name, the beginning of either, or its title.
        turn: selects one turn by its position in its session.
        aspects: the kinds of reviews; empty for all.
        by: the author.
        assigned_to: the person whose assignments to return; other reviews are then not returned.
        since: the earliest time of the first or the last step, UTC without a zone.
        only_open: whether to return only reviews that somebody still has to act on.
        withdrawn: whether to include withdrawn reviews.

    Raises:
        UsageError: no session or several match.

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
    parts, bound = of_turn(within)
    conditions = {
        "occurred_at >= $from": ("from", within.since),
        "occurred_at < $until": ("until", within.until),
        "session_id = $session::UUID": ("session", None if session is None else one_session(ledger, session)),
        "turn_index = $turn": ("turn", None if turn is None else turn_place(turn)),
        "said_by = $by": ("by", by),
        "aspect = 'assignment' AND value = $assigned": ("assigned", assigned_to),
        "reviewed_at >= $since": ("since", since),
        "list_contains($aspects, aspect)": ("aspects", [str(aspect) for aspect in aspects] or None),
    }
    given = {condition: pair for condition, pair in conditions.items() if pair[1] is not None}
    parts += [*given, *_of_step(only_open=only_open, withdrawn=withdrawn)]
    return _standing(ledger, " AND ".join(parts) or "true", bound | dict(given.values()))


def _of_step(*, only_open: bool, withdrawn: bool) -> list[str]:
    """Return the condition on a review's last step, if there is one."""
    if only_open:
        settled = ", ".join(f"'{aspect}'" for aspect in ReviewAspect if aspect.can_be_settled)
        return [f"aspect IN ({settled}) AND step IN ('given', 'changed')"]
    return [] if withdrawn else ["step <> 'withdrawn'"]


def _standing(ledger: Queryable, condition: str, bound: Parameters) -> list[Review]:
    return rows(ledger, Review, _STANDING.format(columns=_COLUMNS, condition=condition), bound)


def review_called(ledger: Queryable, review_id: str) -> Review | None:
    """Return the current state of a review, even if withdrawn; None if there is none."""
    if not is_uuid(review_id):
        return None
    return next(iter(_standing(ledger, "review_id = $id::UUID", {"id": review_id})), None)


def judged(ledger: Queryable, within: Filter = EVERYTHING) -> list[Judged]:
    """Return each person's current verdict on each parse attempt that a filter selects. Parse attempts that were removed with a superseded turn have no verdicts."""
    return rows(ledger, Judged, *scope(within).filled(_JUDGED))


def reviewers(ledger: Queryable) -> list[str]:
    """Return the people with a review or an assignment, the latest first."""
    return [str(name) for (name,) in ledger.sql(_PEOPLE).fetchall()]


def labels(ledger: Queryable) -> list[str]:
    """Return all labels that were ever given, the most frequent first."""
    return [str(label) for (label,) in ledger.sql(_LABELS).fetchall()]


class Queue(StrEnum):
    """Which turns a person looks at: those that are theirs, that others have judged and they have not, that failed, or all."""

    MINE = "assigned to me"
    SECOND = "judged by others, not by me"
    FAILING = "failing, not judged by me"
    UNJUDGED = "not judged by me"
    JUDGED = "judged by me"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class TurnToReview:
    """A turn of a review queue."""

    session_id: str
    turn_index: int
    model: str  # its session's language model
    occurred_at: datetime | None  # the response's time; None if unknown
    outcome: Outcome  # its parse outcome
    # its reasons of failure in parsing, checking and acting, in this order, each once
    reasons: tuple[Reason, ...]
    is_failing: bool  # whether something failed in it, as in `Filter.is_failing`
    judged_by: int  # how many people gave a verdict on this parse
    is_mine: bool  # whether the current person gave one
    assigned_to: str  # the person it is assigned to; empty for nobody
    labels: tuple[str, ...]  # its labels, each once
    comments: int  # the number of its comments


_TURNS = f"""
WITH last_steps AS (
    SELECT turn_id, attempt_id, aspect, step, value,
           first_value(reviewer) OVER (PARTITION BY review_id ORDER BY reviewed_at) AS reviewer
    FROM reviews
    QUALIFY row_number() OVER (PARTITION BY review_id ORDER BY reviewed_at DESC, step <> 'given' DESC) = 1),
said AS (
    SELECT turn_id, count(*) FILTER (aspect = 'comment') AS comments,
           coalesce(list_sort(list(DISTINCT value) FILTER (aspect = 'label')), []) AS labels,
           coalesce(max(value) FILTER (aspect = 'assignment' AND step <> 'done'), '') AS assigned_to
    FROM last_steps WHERE step <> 'withdrawn' GROUP BY turn_id),
verdicts AS (
    SELECT attempt_id, count(*) AS judged_by, bool_or(reviewer = $by) AS is_mine
    FROM last_steps WHERE step <> 'withdrawn' AND aspect = 'verdict' GROUP BY attempt_id),
found AS (
    SELECT a.attempt_id, a.session_id::VARCHAR AS session_id, turn_index, model, occurred_at, outcome, reason,
           {FAILING} AS is_failing,
           coalesce(judged_by, 0) AS judged_by, coalesce(is_mine, false) AS is_mine,
           coalesce(assigned_to, '') AS assigned_to, coalesce(labels, []) AS labels, coalesce(comments, 0) AS comments
    FROM (SELECT * FROM parse_attempts WHERE {{condition}}) AS a
    LEFT JOIN verdicts USING (attempt_id) LEFT JOIN said USING (turn_id))"""

_QUEUES = {
    Queue.MINE: "assigned_to = $by",
    Queue.SECOND: "judged_by > 0 AND NOT is_mine",
    Queue.FAILING: "is_failing AND NOT is_mine",
    Queue.UNJUDGED: "NOT is_mine",
    Queue.JUDGED: "is_mine",
    Queue.ALL: "$by IS NOT NULL",
}

_ROWS = f"""{_TURNS},
page AS (
    SELECT * FROM found WHERE {{queue}}
    ORDER BY occurred_at DESC NULLS LAST, session_id, turn_index LIMIT $limit OFFSET $offset),
causes AS (
    SELECT 0 AS stage, attempt_id, reason AS code, 0 AS place FROM page WHERE {NOT_READ}
    UNION ALL
    SELECT 1, attempt_id, code, action_index FROM validation_errors
    WHERE {REFUSED} AND attempt_id IN (SELECT attempt_id FROM page)
    UNION ALL
    SELECT 2, attempt_id, reason, action_index FROM executions WHERE {NOT_DONE} AND attempt_id IN (SELECT attempt_id FROM page)),
named AS (SELECT attempt_id, list(code ORDER BY stage, place) AS codes FROM causes GROUP BY attempt_id)
SELECT page.* EXCLUDE (attempt_id, reason),
       coalesce(list_filter(codes, lambda code, place: list_position(codes, code) = place), []) AS reasons
FROM page LEFT JOIN named USING (attempt_id)
ORDER BY occurred_at DESC NULLS LAST, session_id, turn_index"""


def turns_to_review(
    ledger: Queryable, queue: Queue, by: str, within: Filter = EVERYTHING, *, limit: int = 50, offset: int = 0
) -> list[TurnToReview]:
    """Return turns of a queue, the latest first; without a run in the filter, the first parse attempt of each turn counts."""
    condition, parameters = scope(within)
    query = _ROWS.format(condition=condition, queue=_QUEUES[queue])
    return rows(ledger, TurnToReview, query, parameters | {"by": by, "limit": limit, "offset": offset})


def count_turns_to_review(ledger: Queryable, queue: Queue, by: str, within: Filter = EVERYTHING) -> int:
    """Return how many turns a queue has."""
    condition, parameters = scope(within)
    query = f"{_TURNS} SELECT count(*) FROM found WHERE {_QUEUES[queue]}"
    return number(ledger, query.format(condition=condition), parameters | {"by": by})
