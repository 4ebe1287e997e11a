"""What is counted of a session for the rates of a funnel and of a trend: once, for whoever counts rows and for whoever rolls them up.

A rate needs to know how alike a session's things are, so that sessions are counted first, each to a row of numbers, and summed
then. A row may stand for several sessions whose numbers are the same, of which it says how many they are; for what sums them up
that makes no difference, so that there is one statement for rows that were counted now and for those that were rolled up.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

from actionledger.core.vocabulary import ActionStatus, Capture, ExecutionStatus, Outcome
from actionledger.ledger.queries.base import (
    ATTEMPTED,
    AUDITABLE,
    INTENT,
    IS_CHECKED,
    IS_RECORDED,
    READ,
    RUN_ELSEWHERE,
    RUN_HERE,
    RUNNABLE,
    TAKEN_BACK,
    rate_sql,
)
from actionledger.ledger.storage.schema import STATUS_OF_ACTION

Word = TypeVar("Word", bound=StrEnum)


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """What is counted of some rows of a session.

    Args:
        table: the table that the rows are of.
        source: the same with what is needed beside it, as SQL behind FROM.
        which: which of its rows, as SQL.
        columns: the aggregate of each number, by its name.
        is_by_session: whether a rate is made of them; of others it is enough to know what they sum up to.
    """

    table: str
    source: str
    which: str
    columns: Mapping[str, str]
    is_by_session: bool = True


def _words(prefix: str, words: Iterable[str], column: str, also: str = "") -> dict[str, str]:
    """Return the numbers of rows that have each word of a closed list in a column."""
    return {f"{prefix}_{word}": f"count(*) FILTER ({column} = '{word}'{also})" for word in words}


def _one_of(column: str, words: Iterable[str]) -> str:
    listed = ", ".join(f"'{word}'" for word in words)
    return f"{column} IN ({listed})"


_MEANT, _READ = _one_of("outcome", INTENT), _one_of("outcome", READ)

PARSED = {
    "audited": f"count(*) FILTER ({AUDITABLE} AND {_MEANT})",
    "read": f"count(*) FILTER ({AUDITABLE} AND {_READ})",
    "strict": f"count(*) FILTER ({AUDITABLE} AND outcome = 'clean')",
}
"""The responses that meant to act and can be audited, and how many of them were read whole, and without a repair."""

_ATTEMPTS = "(SELECT *, run_id AS reader FROM parse_attempts)"
READING = Counts(
    "parse_attempts",
    _ATTEMPTS,
    "true",
    {"responses": f"count(*) FILTER ({IS_RECORDED})", "meant": f"count(*) FILTER ({_MEANT})"} | PARSED,
)
READ_AS = Counts(
    "parse_attempts",
    _ATTEMPTS,
    "true",
    _words("outcome", Outcome, "outcome")
    | _words("capture", Capture, "capture", f" AND {_MEANT}")
    | {
        "only_shown": f"count(*) FILTER (action_count > 0 AND NOT {_MEANT})",
        "with_valid": f"count(*) FILTER ({AUDITABLE} AND valid_count > 0 AND {_READ})",
    },
    is_by_session=False,
)
_EVIDENCE = """
SELECT attempt_id, count(block_index) > 0 AS is_by_evidence, count(*) - count(block_index) AS prose
FROM (SELECT attempt_id, block_index FROM blocks WHERE evidence IS NOT NULL AND status = 'repaired'
      UNION ALL SELECT attempt_id, NULL FROM issues WHERE code = 'call_in_prose')
GROUP BY attempt_id"""
BY_EVIDENCE = Counts(
    "parse_attempts",
    f"{_ATTEMPTS} JOIN ({_EVIDENCE}) USING (attempt_id)",
    "true",
    {
        "by_evidence": f"count(*) FILTER ({AUDITABLE} AND is_by_evidence AND {_READ})",
        "in_sentences": "sum(prose)::BIGINT",
    },
    is_by_session=False,
)
"""Few responses have any, so that they are counted apart: to ask each of all responses takes longer than all else."""

CHECKING = Counts(
    "actions",
    "actions",
    IS_CHECKED,
    {"checked": "count(*)", "valid": f"count(*) FILTER ({_one_of('status', RUNNABLE)})"},
)
CHECKED_AS = Counts(
    "actions", "actions", "true", _words("status", ActionStatus, f"({STATUS_OF_ACTION})"), is_by_session=False
)


_ATTEMPTED = _one_of("status", ATTEMPTED)
ACTING = Counts(
    "executions",
    "executions",
    _ATTEMPTED,
    {
        "here_attempted": f"count(*) FILTER ({RUN_HERE})",
        "here_done": f"count(*) FILTER ({RUN_HERE} AND status = 'succeeded')",
        "elsewhere_attempted": f"count(*) FILTER ({RUN_ELSEWHERE})",
        "elsewhere_done": f"count(*) FILTER ({RUN_ELSEWHERE} AND status = 'succeeded')",
    },
)
ACTED_AS = Counts(
    "executions",
    "executions",
    "true",
    _words("here", ExecutionStatus, "status", f" AND {RUN_HERE}")
    | _words("elsewhere", ExecutionStatus, "status", f" AND {RUN_ELSEWHERE}"),
    is_by_session=False,
)
UNDOING = Counts(
    "executions",
    f"executions LEFT JOIN (SELECT action_id, true AS is_undone FROM ({TAKEN_BACK})) USING (action_id)",
    f"status = 'succeeded' AND {RUN_HERE}",
    {
        "done": "count(DISTINCT action_id)",
        "undone": "count(DISTINCT action_id) FILTER (is_undone)",
    },
)
ALL = (
    READING,
    READ_AS,
    BY_EVIDENCE,
    CHECKING,
    CHECKED_AS,
    ACTING,
    ACTED_AS,
    UNDOING,
)

RATES = {
    "intent": ("meant", "responses"),
    "parsed": ("read", "audited"),
    "strictly": ("strict", "audited"),
    "validated": ("valid", "checked"),
    "succeeded": ("here_done", "here_attempted"),
    "succeeded_elsewhere": ("elsewhere_done", "elsewhere_attempted"),
    "taken_back": ("undone", "done"),
}
"""Each rate: what has the property, and of how many, over the numbers of a session."""


def summed_sql(columns: Iterable[str], rates: Iterable[str]) -> str:
    """Return what is selected of rows that stand for ``alike`` sessions each: sums of numbers, then rates, by their names."""
    sums = [f"coalesce(sum(alike * {name}), 0)::BIGINT AS {name}" for name in columns]
    return ", ".join([*sums, *(f"{rate_sql(*RATES[name], 'alike')} AS {name}" for name in rates)])


def by_word(words: Iterable[Word], prefix: str, row: Mapping[str, Any]) -> dict[Word, int]:
    """Return the numbers of a closed list's words that occur."""
    counts = {word: row.get(f"{prefix}_{word}", 0) for word in words}
    return {word: count for word, count in counts.items() if count}
