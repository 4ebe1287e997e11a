"""Labels and verdicts that sources and people give to sessions, turns and parses: as SQL and as counts, and filters by scores."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Self, TypeAlias, get_args

from actionledger.core.errors import UsageError, require_number
from actionledger.core.patterns import regex
from actionledger.ledger.queries.base import Queryable, rows
from actionledger.ledger.storage.schema import sessions_of

Comparison: TypeAlias = Literal[">=", "<=", "="]
"""How a score is compared."""


_BOUND = regex(r"(?s)\s*(?P<name>[^<>=\s].*?)\s*(?P<comparison>>=|<=|=)\s*(?P<value>[-+\d.eE]+)\s*")


@dataclass(frozen=True, slots=True)
class ScoreBound:
    """A bound on a score.

    Args:
        name: the score's name by its source or a reviewer.
        comparison: at least, at most or exactly.
        value: the number; finite.

    Raises:
        UsageError: the comparison is unknown, or the number is not finite.

    Example:
        >>> str(al.ScoreBound("reward", ">=", 0.5))
        'reward>=0.5'
    """

    name: str
    comparison: Comparison
    value: float

    def __post_init__(self) -> None:
        require_number("What bounds a score", self.value)
        if self.comparison not in get_args(Comparison) or not math.isfinite(self.value):
            raise UsageError(
                f"{self.comparison}{self.value} bounds no score; write >=, <= or = and a number, such as reward>=0.5."
            )

    def __str__(self) -> str:
        return f"{self.name}{self.comparison}{str(self.value).removesuffix('.0')}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a bound such as ``reward>=0.5``.

        Args:
            text: a name, a comparison and a number.

        Raises:
            UsageError: the text is not a bound.

        Example:
            >>> al.ScoreBound.parse("reward >= 0.5").value
            0.5
        """
        if found := _BOUND.fullmatch(text):
            comparison = next(each for each in get_args(Comparison) if each == found["comparison"])
            try:
                return cls(found["name"], comparison, float(found["value"]))
            except ValueError:
                pass
        raise UsageError(
            f"{text!r} bounds no score; write a name, >=, <= or =, and a number, such as reward>=0.5."
        )


MOVED = """
moved AS (
    SELECT turn_id AS said_of, superseded_by AS turn_id FROM superseded SEMI JOIN reviews USING (turn_id)
    UNION SELECT said_of, superseded_by FROM moved JOIN superseded USING (turn_id)),
there AS (SELECT said_of, turn_id AS now_of FROM moved ANTI JOIN superseded USING (turn_id))"""
"""Which turn now replaces a reviewed turn that was superseded; recursive."""

LAST_STEPS = """
last_steps AS (
    SELECT *, first_value(reviewer) OVER steps_of AS said_by, first_value(reviewed_at) OVER steps_of AS given_at,
           count(*) OVER (PARTITION BY review_id) AS steps
    FROM reviews WINDOW steps_of AS (PARTITION BY review_id ORDER BY reviewed_at)
    QUALIFY row_number() OVER (PARTITION BY review_id ORDER BY reviewed_at DESC, step <> 'given' DESC) = 1)"""
"""The last step of each review, with its first reviewer and the time."""

LABELS = f"""
WITH RECURSIVE {MOVED}, {LAST_STEPS}
SELECT session_id, coalesce(now_of, turn_id) AS turn_id, value AS label FROM last_steps LEFT JOIN there ON said_of = turn_id
WHERE aspect = 'label' AND step <> 'withdrawn'"""
"""The labels that people have given to turns, one row each, regardless of the person."""

VERDICTS = f"""
WITH {LAST_STEPS} SELECT attempt_id, value AS verdict FROM last_steps WHERE aspect = 'verdict' AND step <> 'withdrawn'"""
"""People's verdicts on parses, one row each."""


def filed(condition: str = "true") -> str:
    """Return, as SQL, the labels that sources give to sessions."""
    labelled = f"session_id IN (SELECT session_id FROM session_ends WHERE labels <> '[]' AND {condition})"
    return f"""
SELECT session_id, label FROM (
    SELECT session_id, unnest(labels::VARCHAR[]) AS label FROM ({sessions_of(labelled)}) WHERE labels <> '[]')"""


@dataclass(frozen=True, slots=True)
class LabelCount:
    """A label and its count."""

    label: str
    count: int  # how many sessions have it from their source, or how many turns have it from people
    is_of_turns: bool  # True if turns are counted, False for sessions


@dataclass(frozen=True, slots=True)
class VerdictCount:
    """A verdict, and how many parses have it."""

    verdict: str
    readings: int  # the number of parses


@dataclass(frozen=True, slots=True)
class Labelled:
    """The labels of a session or of a turn."""

    session_id: str
    turn_index: int | None  # the turn's position in it; None for the labels of the session
    labels: tuple[str, ...]  # each once, sorted


_LABEL_COUNTS = f"""
SELECT label, count(DISTINCT turn_id) AS count, true AS is_of_turns FROM ({LABELS}) GROUP BY label
UNION ALL SELECT label, count(DISTINCT session_id), false FROM ({filed()}) GROUP BY label
ORDER BY is_of_turns DESC, count DESC, label"""

_VERDICTS = f"""
SELECT verdict, count(DISTINCT attempt_id) AS readings FROM ({VERDICTS}) GROUP BY verdict ORDER BY readings DESC, verdict"""

_THEIRS = "session_id IN (SELECT TRY_CAST(unnest($sessions) AS UUID))"

_LABELLED = f"""
SELECT session_id::VARCHAR AS session_id, turn_index, list_sort(list(DISTINCT label)) AS labels FROM (
    SELECT session_id, NULL AS turn_index, label FROM ({filed(_THEIRS)})
    UNION ALL
    SELECT t.session_id, turn_index, label FROM ({LABELS}) JOIN (FROM turn_starts WHERE {_THEIRS}) AS t USING (turn_id))
GROUP BY ALL ORDER BY session_id, turn_index NULLS FIRST"""

_BOTH = "coalesce(filed, []) || list_filter(coalesce(given, []), lambda label: NOT list_contains(coalesce(filed, []), label))"

_FILED = (
    f"SELECT session_id, list(DISTINCT label ORDER BY label) AS filed FROM ({filed()}) GROUP BY session_id"
)

_GIVEN = f"SELECT t.session_id, turn_index, label FROM ({LABELS}) JOIN turn_starts AS t USING (turn_id)"

LABELS_OF_SESSIONS = f"""
SELECT session_id, {_BOTH} AS labels FROM ({_FILED}) FULL JOIN (
    SELECT session_id, list(label ORDER BY turn_index, label) AS given FROM (
        SELECT session_id, label, min(turn_index) AS turn_index FROM ({_GIVEN}) GROUP BY session_id, label)
    GROUP BY session_id) USING (session_id)"""
"""The labels of each session that has any, as SQL: its own, then those of its turns, each once, as a list."""

LABELS_OF_TURNS = f"""
SELECT session_id, turn_index, {_BOTH} AS labels
FROM (SELECT session_id, turn_index FROM turn_starts) LEFT JOIN ({_FILED}) USING (session_id) LEFT JOIN (
    SELECT session_id, turn_index, list(DISTINCT label ORDER BY label) AS given FROM ({_GIVEN}) GROUP BY ALL)
USING (session_id, turn_index) WHERE filed IS NOT NULL OR given IS NOT NULL"""
"""The same for each turn: the labels of its session, then its own."""


def label_counts(ledger: Queryable) -> list[LabelCount]:
    """Return every current label: those of turns, then those of sessions, the most frequent first in each group."""
    return rows(ledger, LabelCount, _LABEL_COUNTS)


def verdict_counts(ledger: Queryable) -> list[VerdictCount]:
    """Return the verdicts on parses, the most frequent first."""
    return rows(ledger, VerdictCount, _VERDICTS)


def labelled(ledger: Queryable, session_ids: Sequence[str]) -> list[Labelled]:
    """Return the labels of some sessions and of their turns."""
    return rows(ledger, Labelled, _LABELLED, {"sessions": list(session_ids)})
