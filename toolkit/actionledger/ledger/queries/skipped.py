"""Data that a ledger does not count: inputs that imports skipped, and data that no number includes."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, TypeAlias

from actionledger.core.text import counted
from actionledger.core.vocabulary import LeftOutReason
from actionledger.ledger.queries.base import AUDITABLE, INTENT, IS_RECORDED, Queryable, number, picked, rows
from actionledger.ledger.queries.scopes import FIRST_READING


@dataclass(frozen=True, slots=True)
class Omission:
    """How much was skipped for one reason."""

    reason: LeftOutReason
    detail: str  # the kind of input, in a word or two; empty if the reason is enough
    count: int  # how many such inputs there are
    files: int  # the number of their files


@dataclass(frozen=True, slots=True)
class ImportOmission:
    """How much one import skipped for one reason."""

    run_id: str
    origin: str  # the source that it imported; empty if it had nothing else to record
    started_at: datetime  # its start, UTC without a zone
    reason: LeftOutReason
    detail: str  # the kind of input, in a word or two; empty if the reason is enough
    count: int  # how many such inputs there are
    files: int  # the number of their files


@dataclass(frozen=True, slots=True)
class Refused:
    """A line, a file or a turn that an import rejected."""

    run_id: str  # the first import that reported it
    origin: str  # the source that it imported; empty if it had nothing else to record
    said_at: datetime  # the time of the report, UTC without a zone
    # `line_refused` if it could not be read, `turn_differs` for a turn that is recorded with other content
    code: str
    message: str  # which input it is, and why


REFUSED = "code IN ('line_refused', 'turn_differs')"
"""The condition, as SQL, on events about rejected inputs."""

_REFUSED = f"""
SELECT {picked(Refused, origin="coalesce(source, '')", said_at="recorded_at")}
FROM (SELECT event_id, run_id, recorded_at, code, message FROM events WHERE {REFUSED})
LEFT JOIN (SELECT run_id, source FROM run_starts) USING (run_id)
ORDER BY recorded_at DESC, event_id LIMIT $limit OFFSET $offset"""

_COUNT_REFUSED = f"SELECT count(*) AS count FROM events WHERE {REFUSED}"

COUNT_LEFT_OUT = """
SELECT coalesce(sum(count), 0)::BIGINT, count(DISTINCT path)
FROM (SELECT path, sum(count) AS count FROM {left_out} GROUP BY path, reason, detail HAVING sum(count) <> 0)"""
"""The number of skipped inputs and of their files; ``left_out`` is the table's name in the statement."""

_LEFT_OUT = """
WITH last AS (
    SELECT path, reason, detail, sum(count) AS count FROM left_out GROUP BY path, reason, detail HAVING sum(count) <> 0)
SELECT reason, detail, sum(count)::BIGINT AS count, count(*) AS files
FROM last GROUP BY reason, detail ORDER BY sum(count) DESC, reason, detail LIMIT $limit"""

# An import with nothing else to record has no run.
_PICKED = picked(
    ImportOmission,
    origin="coalesce(origin, '')",
    started_at="coalesce(began, min(seen_at))",
    count="sum(count)::BIGINT",
    files="count(*)",
)

_BY_IMPORT = f"""
WITH last AS (
    SELECT arg_max(run_id, recorded_at) AS run_id, path, reason, detail, sum(count) AS count,
           max(recorded_at) AS seen_at
    FROM left_out GROUP BY path, reason, detail HAVING sum(count) <> 0),
known AS (SELECT run_id, source AS origin, started_at AS began FROM run_starts)
SELECT {_PICKED}
FROM last LEFT JOIN known USING (run_id) GROUP BY run_id, origin, began, reason, detail
ORDER BY started_at DESC, run_id, sum(count) DESC, reason, detail"""


def left_out(ledger: Queryable, *, limit: int = 100) -> list[Omission]:
    """Return the inputs of recordings that belong to no session, the most frequent first, by the latest import of each file."""
    return rows(ledger, Omission, _LEFT_OUT, {"limit": limit})


def count_left_out(ledger: Queryable) -> tuple[int, int]:
    """Return how many inputs of recordings belong to no session, and the number of their files."""
    [(things, files)] = ledger.sql(COUNT_LEFT_OUT.format(left_out="left_out")).fetchall()
    return things, files


def left_out_by_import(ledger: Queryable) -> list[ImportOmission]:
    """Return the same by the last import that reported it, the latest import first."""
    return rows(ledger, ImportOmission, _BY_IMPORT)


def refused(ledger: Queryable, *, limit: int = 100, offset: int = 0) -> list[Refused]:
    """Return the inputs that imports rejected, as reported at the time: the latest first, each once.

    Inputs that were fixed and imported since remain, since they could not be read before.
    """
    return rows(ledger, Refused, _REFUSED, {"limit": limit, "offset": offset})


def count_refused(ledger: Queryable) -> int:
    """Return how many inputs imports rejected."""
    return number(ledger, _COUNT_REFUSED)


Kind: TypeAlias = Literal[
    "never_read", "not_recorded", "not_auditable", "left_out", "refused", "quarantined", "superseded"
]

LEAD = "Not in the numbers"
"""The text before the list of all of them."""

_OF_ALL = "in the whole ledger "
_OF_PICKED = ("never_read", "not_recorded", "not_auditable")
_QUARANTINED, _SUPERSEDED = "SELECT count(*) FROM quarantine", "SELECT count(*) FROM superseded"
_LISTING: dict[Kind, str] = {
    "never_read": "FROM turns ANTI JOIN parse_attempts USING (turn_id)",
    "not_recorded": f"FROM parse_attempts WHERE {FIRST_READING} AND NOT ({IS_RECORDED})",
    "not_auditable": f"FROM parse_attempts WHERE {FIRST_READING} AND NOT ({AUDITABLE}) AND list_contains({INTENT}, outcome)",
    "left_out": "FROM left_out",
    "refused": f"FROM events WHERE {REFUSED}",
    "quarantined": "FROM quarantine",
    "superseded": "FROM superseded",
}


@dataclass(frozen=True, slots=True)
class Uncounted:
    """Data that no number includes, for one reason."""

    kind: Kind  # the reason
    count: int
    words: str  # the same, as text for people
    listing: str  # the statement that lists them, for the whole ledger


def uncounted(
    ledger: Queryable,
    *,
    never_read: int = 0,
    not_recorded: int = 0,
    not_auditable: int = 0,
    is_narrowed: bool = False,
) -> list[Uncounted]:
    """Return the data that no number includes, without zeros: first of the selected responses, then of the whole ledger, named as such if a filter selects."""
    things, _ = count_left_out(ledger)
    of_picked: list[tuple[Kind, int, str]] = [
        ("never_read", never_read, f"{counted(never_read, 'response')} never read"),
        (
            "not_recorded",
            not_recorded,
            f"{counted(not_recorded, 'response')} not recorded but for tokens and times (in no rate)",
        ),
        (
            "not_auditable",
            not_auditable,
            f"{counted(not_auditable, 'response')} not auditable (in no rate of reading)",
        ),
    ]
    refused, quarantined, superseded = (
        count_refused(ledger),
        number(ledger, _QUARANTINED),
        number(ledger, _SUPERSEDED),
    )
    of_all: list[tuple[Kind, int, str]] = [
        ("left_out", things, f"{counted(things, 'thing')} skipped on import"),
        (
            "refused",
            refused,
            f"{counted(refused, 'line, file or turn', 'lines, files or turns')} refused by imports",
        ),
        ("quarantined", quarantined, f"{counted(quarantined, 'line')} in quarantine"),
        ("superseded", superseded, f"{counted(superseded, 'turn')} replaced by their complete version"),
    ]
    found = [
        Uncounted(kind, count, words, _LISTING[kind]) for kind, count, words in (*of_picked, *of_all) if count
    ]
    first = next((part for part in found if part.kind not in _OF_PICKED), None)
    return [
        replace(part, words=f"{_OF_ALL}{part.words}") if is_narrowed and part is first else part
        for part in found
    ]
