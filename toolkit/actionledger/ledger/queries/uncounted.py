"""What is in a ledger, or was to come into it, and is in no number: each with how much there is, and the statement that lists it."""

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from actionledger.core.plurals import counted
from actionledger.ledger.queries.base import AUDITABLE, INTENT, IS_RECORDED, Queryable, number
from actionledger.ledger.queries.scopes import FIRST_READING
from actionledger.ledger.queries.skipped import REFUSED, count_left_out, count_refused

Kind: TypeAlias = Literal[
    "never_read", "not_recorded", "not_auditable", "left_out", "refused", "quarantined", "superseded"
]

LEAD = "Not in the numbers"
"""What stands before all of it."""

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
    """What is in no number for one reason.

    Args:
        kind: why.
        count: how much there is.
        words: the same, as people read it.
        listing: the statement that lists it, of the whole ledger.
    """

    kind: Kind
    count: int
    words: str
    listing: str


def uncounted(
    ledger: Queryable,
    *,
    never_read: int = 0,
    not_recorded: int = 0,
    not_auditable: int = 0,
    is_narrowed: bool = False,
) -> list[Uncounted]:
    """Return what is in no number, as far as there is anything: first of the responses that a filter picks, then of the whole ledger.

    Args:
        ledger: what to ask.
        never_read: how many of those responses nothing has read, as ``unread`` counts them.
        not_recorded: of how many no more than tokens and times is recorded, as their funnel has it.
        not_auditable: how many are in no rate of reading, as their funnel has it.
        is_narrowed: whether a filter picks them, so that it is to be said what is of the whole ledger.
    """
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
        ("left_out", things, f"{counted(things, 'thing')} left out by imports"),
        (
            "refused",
            refused,
            f"{counted(refused, 'line, file or turn', 'lines, files or turns')} refused by imports",
        ),
        ("quarantined", quarantined, f"{counted(quarantined, 'line')} in quarantine"),
        ("superseded", superseded, f"{counted(superseded, 'turn')} superseded by more of the same"),
    ]
    found = [
        Uncounted(kind, count, words, _LISTING[kind]) for kind, count, words in (*of_picked, *of_all) if count
    ]
    first = next((part for part in found if part.kind not in _OF_PICKED), None)
    return [
        replace(part, words=f"{_OF_ALL}{part.words}") if is_narrowed and part is first else part
        for part in found
    ]
