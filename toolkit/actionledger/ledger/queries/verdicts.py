"""What recordings say of their own sessions, beside what is read here: verdicts of their judges, and the counts of their harness.

A parse rate is of the parser that read the responses; where the prompt asked for another format it says nothing of the model. What the
recording itself says does not hang on that (the view ``recorded_verdicts``, ``ledger/verdicts.py``).
"""

from collections import Counter, defaultdict
from dataclasses import dataclass

from actionledger.core.errors import called
from actionledger.core.rates import Cells, Clustering, Rate
from actionledger.ledger.queries.base import Queryable, refuse_no_ledger
from actionledger.ledger.queries.filters import EVERYTHING, Filter, rated
from actionledger.ledger.queries.funnel import LABELS, Dimension
from actionledger.ledger.queries.scopes import scope


@dataclass(frozen=True, slots=True)
class RecordedVerdicts:
    """What the recordings of one label say of their sessions.

    Args:
        label: the value of the dimension that they are split by; empty where they are not split.
        succeeded: sessions that their source calls a success, of those of which it says so or the contrary.
        took: responses in which the harness took an action, of those that it counted.
    """

    label: str
    succeeded: Rate
    took: Rate


_VERDICTS = """
WITH read AS (
    SELECT DISTINCT {label} AS label, session_id FROM (SELECT *, run_id AS reader FROM parse_attempts) {join} WHERE {condition})
SELECT label, success, took, counted, count(*)
FROM read JOIN (SELECT session_id, success, took, counted FROM recorded_verdicts) USING (session_id) GROUP BY ALL"""


def recorded_verdicts(
    ledger: Queryable, dimension: Dimension | None = None, within: Filter = EVERYTHING
) -> list[RecordedVerdicts]:
    """Return what recordings say of their sessions, for each value of a dimension.

    Args:
        ledger: what to ask.
        dimension: what to split by; None for all together.
        within: which responses; a session is looked at where one of its responses is among them.

    Returns:
        Those labels of which a recording says something, the one with the most sessions first.

    Raises:
        UnknownNameError: responses are not told apart by ``dimension``.
    """
    refuse_no_ledger(ledger)
    label = None if dimension is None else called(dimension, "way to group responses", LABELS)
    condition, parameters = scope(rated(within))
    query = _VERDICTS.format(
        label="''" if label is None else label.of_rows,
        join="" if label is None else label.join,
        condition=condition,
    )
    verdicts: defaultdict[str, Counter[bool]] = defaultdict(Counter)
    counts: defaultdict[str, Counter[tuple[int, int]]] = defaultdict(Counter)
    for name, success, took, counted, sessions in ledger.sql(query, parameters).fetchall():
        if success is not None:
            verdicts[name][success] += sessions
        if counted:
            counts[name][counted, took] += sessions
    found = [
        RecordedVerdicts(name, Rate(verdicts[name][True], verdicts[name].total()), _rate(counts[name]))
        for name in {**verdicts, **counts}
    ]
    return sorted(found, key=lambda each: (-each.succeeded.count, -each.took.count, each.label))


def _rate(cells: Cells) -> Rate:
    """Return the rate over sessions that are counted by their things and hits."""
    sessions = [(count, hits, alike) for (count, hits), alike in cells.items()]
    things = sum(count * alike for count, _, alike in sessions)
    clustering = Clustering(
        sum(cells.values()),
        sum(count * count * alike for count, _, alike in sessions),
        sum(hits * hits * alike for _, hits, alike in sessions),
        sum(count * hits * alike for count, hits, alike in sessions),
        cells,
    )
    return Rate(sum(hits * alike for _, hits, alike in sessions), things, clustering if things else None)
