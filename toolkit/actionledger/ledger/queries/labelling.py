"""What sessions and turns are labelled, scored and judged, with how many: what a person may filter by, and what a list shows of each."""

from collections.abc import Sequence
from dataclasses import dataclass

from actionledger.ledger.queries.base import Queryable, rows
from actionledger.ledger.queries.standing import LABELS, VERDICTS, filed
from actionledger.ledger.storage.schema import sessions_of


@dataclass(frozen=True, slots=True)
class LabelCount:
    """A label, and how much goes by it.

    Args:
        label: it.
        count: how many sessions their sources have filed under it, or how many turns people have given it.
        is_of_turns: which of the two.
    """

    label: str
    count: int
    is_of_turns: bool


@dataclass(frozen=True, slots=True)
class ScoreCount:
    """A score by its name, and how many sessions have it.

    Args:
        name: what it is called.
        sessions: how many have it.
        low, high: the least and the greatest of them.
    """

    name: str
    sessions: int
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class VerdictCount:
    """A verdict, and how many readings somebody has judged so.

    Args:
        verdict: it.
        readings: how many.
    """

    verdict: str
    readings: int


@dataclass(frozen=True, slots=True)
class Labelled:
    """The labels of a session or of a turn.

    Args:
        session_id: the session.
        turn_index: the turn's place in it; None for what the session is filed under.
        labels: each once, sorted.
    """

    session_id: str
    turn_index: int | None
    labels: tuple[str, ...]


_COUNTS = f"""
SELECT label, count(DISTINCT turn_id) AS count, true AS is_of_turns FROM ({LABELS}) GROUP BY label
UNION ALL SELECT label, count(DISTINCT session_id), false FROM ({filed()}) GROUP BY label
ORDER BY is_of_turns DESC, count DESC, label"""

_SCORES = f"""
SELECT name, count(*) AS sessions, min(score) AS low, max(score) AS high FROM (
    SELECT unnest(map_entries(scores::MAP(VARCHAR, DOUBLE)), recursive := true)
    FROM ({sessions_of("session_id IN (SELECT session_id FROM session_ends WHERE scores <> '{}')")})
    WHERE scores <> '{{}}') AS each (name, score)
WHERE score IS NOT NULL GROUP BY name ORDER BY name"""

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
"""The labels of each session that has any, as SQL: what it is filed under, then those of its turns, each once, as a list shows them."""

LABELS_OF_TURNS = f"""
SELECT session_id, turn_index, {_BOTH} AS labels
FROM (SELECT session_id, turn_index FROM turn_starts) LEFT JOIN ({_FILED}) USING (session_id) LEFT JOIN (
    SELECT session_id, turn_index, list(DISTINCT label ORDER BY label) AS given FROM ({_GIVEN}) GROUP BY ALL)
USING (session_id, turn_index) WHERE filed IS NOT NULL OR given IS NOT NULL"""
"""The same of each turn: what its session is filed under, then its own."""


def label_counts(ledger: Queryable) -> list[LabelCount]:
    """Return every label that stands: those of turns, then those of sessions, each time the most frequent first.

    Args:
        ledger: what to ask.
    """
    return rows(ledger, LabelCount, _COUNTS)


def score_counts(ledger: Queryable) -> list[ScoreCount]:
    """Return every score that sessions have, by name.

    Args:
        ledger: what to ask.
    """
    return rows(ledger, ScoreCount, _SCORES)


def verdict_counts(ledger: Queryable) -> list[VerdictCount]:
    """Return what readings were judged to be, the most frequent first.

    Args:
        ledger: what to ask.
    """
    return rows(ledger, VerdictCount, _VERDICTS)


def labelled(ledger: Queryable, session_ids: Sequence[str]) -> list[Labelled]:
    """Return what some sessions are filed under, and how their turns are labelled.

    Args:
        ledger: what to ask.
        session_ids: which sessions.
    """
    return rows(ledger, Labelled, _LABELLED, {"sessions": list(session_ids)})
