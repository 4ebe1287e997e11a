"""Compares two runs over the same turns, pair by pair."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

from actionledger.core.errors import UsageError, called
from actionledger.core.ids import is_uuid
from actionledger.core.rates import Clustering, Rate
from actionledger.core.text import counted
from actionledger.core.vocabulary import Outcome
from actionledger.ledger.queries.base import (
    INTENT,
    READ,
    RUNNABLE,
    Queryable,
    as_rate,
    clustering_sql,
    rate_sql,
    rows,
)
from actionledger.ledger.queries.filters import EVERYTHING, NO_DIALECT, Filter, rated
from actionledger.ledger.queries.scopes import FIRST_READING, turn_scope

Bucket: TypeAlias = Literal[
    "same",
    "recovered",
    "lost",
    "newly_rejected",
    "newly_accepted",
    "changed_actions",
    "changed_arguments",
    "newly_intent",
    "no_longer_intent",
    "no_intent",
]
"""How the second run's parse of a turn differs from the first.

If both runs find intent, the first match counts: fully parsed only now, or only before; an action newly rejected or newly accepted; other actions
or another order; other arguments; the same. Otherwise only the second run finds intent, only the first, or neither.
"""

QUIET: frozenset[Bucket] = frozenset({"same", "no_intent"})
"""The buckets of unchanged turns."""

_BUCKETS: tuple[Bucket, ...] = get_args(Bucket)
CHANGED: tuple[Bucket, ...] = tuple(bucket for bucket in _BUCKETS if bucket not in QUIET)
"""The buckets of changed turns, in the order of ``Bucket``."""


@dataclass(frozen=True, slots=True)
class ComparedTurn:
    """One turn that both runs parsed.

    Args:
        bucket: how the second parse differs.
        turn_id, session_id, turn_index: identify the turn.
        external_id: the session's name at its source; empty if it has none.
        model: the language model.
        before, after: the parse outcomes.
    """

    bucket: Bucket
    turn_id: str
    session_id: str
    turn_index: int
    external_id: str
    model: str
    before: Outcome
    after: Outcome


@dataclass(frozen=True, slots=True)
class Pairing:
    """Turns that two runs both parsed.

    A success is a fully parsed response. Successes are counted over the turns with intent in both runs. Intent in only one run is neither a gain
    nor a loss; otherwise a parser that finds calls where there are none would look better.
    """

    counts: Mapping[Bucket, int]  # the number of turns in each bucket; their sum is the number of pairs
    # before, after: each run's success, over the turns with intent in both
    before: Rate
    after: Rate
    # the difference between the two, clustered by session; a turn's score is 1 if recovered and -1 if lost
    net: Clustering
    # the number of sessions for each number of turns with intent in both and each sum of scores
    cells: Mapping[tuple[int, int], int]

    @property
    def pairs(self) -> int:
        """How many turns both runs parsed."""
        return sum(self.counts.values())

    @property
    def intent(self) -> int:
        """How many turns have intent in both runs."""
        return self.before.count

    @property
    def only_before(self) -> int:
        """How many turns with intent in both only the first run fully parsed."""
        return self.counts["lost"]

    @property
    def only_after(self) -> int:
        """How many turns with intent in both only the second run fully parsed."""
        return self.counts["recovered"]

    @property
    def shifts(self) -> Mapping[int, int]:
        """The number of sessions by their sum of scores, without sums of 0."""
        sums: Counter[int] = Counter()
        for (_, score), sessions in self.cells.items():
            sums[score] += sessions
        return {score: sessions for score, sessions in sorted(sums.items()) if score}


@dataclass(frozen=True, slots=True)
class Comparison(Pairing):
    """Two runs over the same turns: their pairs, the unpaired turns, and examples."""

    # unpaired_before, unpaired_after: turns that the other run did not parse; no other number includes them
    unpaired_before: int
    unpaired_after: int
    turns: Mapping[Bucket, tuple[ComparedTurn, ...]]  # examples of each bucket


@dataclass(frozen=True, slots=True)
class ComparedGroup(Pairing):
    """The turns of one group that both runs parsed."""

    label: str  # the group's label


Grouping: TypeAlias = Literal["model", "profile", "task", "source", "dialect"]
"""How compared turns are grouped. A turn's dialect is the one that the first run detected, or else the second: a dialect that only one run detects
describes the change itself."""

_BEFORE = "run_id = $before::UUID"

_PAIRS = """
WITH read AS (
    SELECT run_id = $after::UUID AS is_after, turn_id, min_by(attempt_id, (parsed_at, attempt_id)) AS attempt_id
    FROM parse_attempts WHERE (run_id = $after::UUID OR {before}) AND {condition} AND {only} GROUP BY is_after, turn_id),
found AS (
    SELECT is_after, attempt_id, read.turn_id, name, arguments::VARCHAR AS arguments, action_index,
           list_contains($runnable, status) AS may_run
    FROM actions JOIN read USING (attempt_id) WHERE status <> 'illustration' AND {only}),
calls AS (
    SELECT attempt_id, hash(list(name ORDER BY action_index)) AS names,
           hash(list(hash(name, arguments) ORDER BY action_index)) AS calls  -- the same for the same calls
    FROM found GROUP BY attempt_id),
counted AS (  -- by name and arguments, and by name alone: an action may be refused for what its arguments are now
    SELECT turn_id, count(*) FILTER (may_run AND NOT is_after) AS ran, count(*) FILTER (may_run AND is_after) AS runs,
           count(*) FILTER (NOT may_run AND NOT is_after) AS was_refused,
           count(*) FILTER (NOT may_run AND is_after) AS is_refused
    FROM found GROUP BY GROUPING SETS ((turn_id, name), (turn_id, name, arguments))),
checked AS (
    SELECT turn_id, bool_or(runs < ran AND is_refused > was_refused) AS rejected,
           bool_or(runs > ran AND is_refused < was_refused) AS accepted
    FROM counted GROUP BY turn_id),
readings AS (
    SELECT is_after, attempts.turn_id, session_id, turn_index, model, profile, task, dialect, outcome, names, calls
    FROM parse_attempts AS attempts JOIN read USING (attempt_id) LEFT JOIN calls USING (attempt_id) WHERE {only}),
pairs AS (
    SELECT turn_id, b.session_id, b.turn_index, b.model, b.profile, b.task, b.outcome AS before, a.outcome AS after,
           coalesce(nullif(b.dialect, ''), nullif(a.dialect, ''), $no_dialect) AS dialect,
           list_contains($intent, b.outcome) AS meant, list_contains($intent, a.outcome) AS means,
           list_contains($read, b.outcome) AS was, list_contains($read, a.outcome) AS now,
           CASE WHEN NOT meant AND NOT means THEN 'no_intent'
                WHEN NOT meant THEN 'newly_intent' WHEN NOT means THEN 'no_longer_intent'
                WHEN now AND NOT was THEN 'recovered' WHEN was AND NOT now THEN 'lost'
                WHEN rejected THEN 'newly_rejected' WHEN accepted THEN 'newly_accepted'
                WHEN b.names IS DISTINCT FROM a.names THEN 'changed_actions'
                WHEN b.calls IS DISTINCT FROM a.calls THEN 'changed_arguments' ELSE 'same' END AS bucket
    FROM readings AS b JOIN readings AS a USING (turn_id) LEFT JOIN checked USING (turn_id)
    WHERE NOT b.is_after AND a.is_after)
"""

_UNPAIRED = """
SELECT count(*) FILTER (NOT is_after), count(*) FILTER (is_after) FROM readings"""

_GROUPS = """,
labelled AS (SELECT pairs.*, {label} AS label FROM pairs {join}),
buckets AS (SELECT label, histogram(bucket) AS counts FROM labelled GROUP BY label),
by_session AS (
    SELECT label, count(*) AS intent, count(*) FILTER (was) AS read, count(*) FILTER (now) AS read_now,
           read_now - read AS net
    FROM labelled WHERE meant AND means GROUP BY label, session_id)
SELECT label, any_value(counts) AS counts, {before} AS before, {after} AS after, {net} AS net,
       coalesce(histogram(intent || ' ' || net) FILTER (intent > 0), MAP {{}}) AS cells
FROM buckets LEFT JOIN by_session USING (label) GROUP BY label ORDER BY label"""

_LABELS: dict[Grouping, tuple[str, str]] = {
    "model": ("model", ""),
    "profile": ("profile", ""),
    "task": ("task", ""),
    "source": ("source", "JOIN (SELECT session_id, source FROM session_starts) USING (session_id)"),
    "dialect": ("dialect", ""),
}

_RATES = {
    "before": rate_sql("read", "intent"),
    "after": rate_sql("read_now", "intent"),
    "net": clustering_sql("net", "intent"),
}

_NAMED = """
SELECT bucket, turn_id::VARCHAR AS turn_id, session_id::VARCHAR AS session_id, turn_index, coalesce(external_id, '') AS external_id,
       model, before, after
FROM picked LEFT JOIN (
    SELECT session_id, any_value(external_id) AS external_id FROM session_starts
    WHERE session_id IN (SELECT session_id FROM picked) GROUP BY session_id) USING (session_id)
"""

_TURNS = f""",
picked AS (
    SELECT * FROM pairs QUALIFY row_number() OVER (PARTITION BY bucket ORDER BY session_id, turn_index) <= $limit)
{_NAMED} ORDER BY bucket, session_id, turn_index"""

_LISTED = f""",
picked AS (
    SELECT * FROM pairs WHERE list_contains($buckets, bucket) AND {{where}}
    ORDER BY session_id, turn_index LIMIT $limit OFFSET $offset)
{_NAMED} ORDER BY session_id, turn_index"""


def compare_runs(
    ledger: Queryable,
    before_run_id: str | None,
    after_run_id: str,
    *,
    within: Filter = EVERYTHING,
    limit: int = 200,
) -> Comparison:
    """Return what changes between two runs (None: first parses), over the turns that both parsed; of each bucket at most ``limit`` turns, the counts include all."""
    if before_run_id == after_run_id:
        raise UsageError(f"Both sides are run {after_run_id}; name two.")
    pairs, bound = _pairs(before_run_id, after_run_id, within)
    [(in_before, in_after)] = ledger.sql(pairs + _UNPAIRED, bound).fetchall()
    whole = _groups(ledger, pairs, bound, "''", "")
    if not whole:
        raise UsageError(_why_no_pairs(before_run_id, in_before, after_run_id, in_after, within))
    [found] = whole
    turns = rows(ledger, ComparedTurn, pairs + _TURNS, bound | {"limit": limit})
    return Comparison(
        found.counts,
        found.before,
        found.after,
        found.net,
        found.cells,
        unpaired_before=in_before - found.pairs,
        unpaired_after=in_after - found.pairs,
        turns={bucket: tuple(turn for turn in turns if turn.bucket == bucket) for bucket in _BUCKETS},
    )


def _why_no_pairs(
    before_run_id: str | None, in_before: int, after_run_id: str, in_after: int, within: Filter
) -> str:
    if not in_before and not in_after:
        return f"No recorded turn fits {within.words}; 'actionledger report' says what the ledger holds."
    if before_run_id is None and not in_before:
        return f"The readings of run {after_run_id} are the first ones themselves; name one that has read these turns again."
    first = "The first readings are of" if before_run_id is None else f"Run {before_run_id} has read"
    return (
        f"{first} {counted(in_before, 'turn')} and run {after_run_id} has read {in_after:,}, none of them the same; only runs "
        "over the same turns compare: re-read one run's turns with 'actionledger replay'."
    )


def compare_groups(
    ledger: Queryable,
    before_run_id: str | None,
    after_run_id: str,
    by: Grouping,
    *,
    within: Filter = EVERYTHING,
) -> list[ComparedGroup]:
    """Return what changes between two runs (None: first parses) in each group of turns, by the groups' labels; the filter's own run is ignored."""
    label = called(by, "way to group turns", _LABELS)
    pairs, bound = _pairs(before_run_id, after_run_id, within)
    return _groups(ledger, pairs, bound, *label)


def compared_turns(
    ledger: Queryable,
    before_run_id: str | None,
    after_run_id: str,
    *,
    within: Filter = EVERYTHING,
    buckets: Sequence[Bucket] = CHANGED,
    session_id: str | None = None,
    dialect: str | None = None,
    limit: int | None = None,
    offset: int = 0,
) -> list[ComparedTurn]:
    """Return the turns that both runs parsed, ordered by session and turn."""
    if session_id is not None and not is_uuid(session_id):
        return []
    pairs, bound = _pairs(before_run_id, after_run_id, within, session_id)
    where = ["true"]
    if dialect is not None:
        where.append("dialect = $of_dialect")
        bound |= {"of_dialect": dialect}
    picked = {"buckets": list(buckets), "limit": limit, "offset": offset}
    return rows(ledger, ComparedTurn, pairs + _LISTED.format(where=" AND ".join(where)), bound | picked)


def _pairs(
    before_run_id: str | None, after_run_id: str, within: Filter, session_id: str | None = None
) -> tuple[str, dict[str, object]]:
    """Return the part of a statement that defines the pairs, of one session or all, and its values."""
    for run_id in filter(None, (before_run_id, after_run_id)):
        if not is_uuid(run_id):
            raise UsageError(f"{run_id!r} is not a run's id; 'actionledger sql \"FROM runs\"' lists them.")
    condition, parameters = turn_scope(replace(rated(within), run_id=None))
    words = {"read": READ, "intent": INTENT, "runnable": RUNNABLE, "no_dialect": NO_DIALECT}
    bound = parameters | words | {"after": after_run_id}
    if before_run_id is not None:
        bound["before"] = before_run_id
    if session_id is not None:
        bound["session_id"] = session_id
    before = _BEFORE if before_run_id is not None else FIRST_READING
    only = "true" if session_id is None else "session_id = $session_id::UUID"
    return _PAIRS.format(before=before, condition=condition, only=only), bound


def _groups(
    ledger: Queryable, pairs: str, bound: dict[str, object], label: str, join: str
) -> list[ComparedGroup]:
    groups = pairs + _GROUPS.format(label=label, join=join, **_RATES)
    return [
        ComparedGroup(
            {bucket: counts.get(bucket, 0) for bucket in _BUCKETS},
            as_rate(before),
            as_rate(after),
            Clustering(**net, cells=(known := {_cell(cell): sessions for cell, sessions in cells.items()})),
            known,
            name,
        )
        for name, counts, before, after, net, cells in ledger.sql(groups, bound).fetchall()
    ]


def _cell(text: str) -> tuple[int, int]:
    turns, score = text.split()
    return int(turns), int(score)
