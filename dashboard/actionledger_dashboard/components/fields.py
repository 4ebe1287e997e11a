"""The allowed values of each filter field on a page."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time
from math import inf

from actionledger.core.errors import UsageError
from actionledger.core.text import writable
from actionledger.core.vocabulary import Capture, Ending, Origin, Outcome, Reason
from actionledger.ledger.queries import Dimensions, Run, ScoreBound
from actionledger.ledger.queries.fields import FIELDS, Field

FIRST_DAY, LAST_DAY = date(1970, 1, 1), date(2099, 12, 31)
"""The range of allowed days."""

RUN_BY = {str(Origin.RUNTIME): "actionledger", str(Origin.RECORDED): "the recorded agent"}


OFFERED = sorted(FIELDS, key=lambda field: field.kind != "day")
"""All filter fields, in the order in which they are offered."""


def options(field: Field, known: Dimensions, runs: Sequence[Run]) -> Mapping[str, str]:
    """Return a field's choices, each value with its label; empty for free text."""
    if field.name == "run_id":
        return {run.run_id: run_label(run) for run in runs}
    if field.name == "origin":
        return RUN_BY
    if field.name == "reasons":
        return {code: code for code in field.choices if code != Reason.CONVERTED}
    if field.kind == "switch":
        return {"1": "only"}
    if field.is_recorded:  # labels and dialects are shown unchanged
        return {value: value for value in getattr(known, field.name)}
    return {
        value: value.said if isinstance(value, Outcome | Ending | Capture) else value.replace("_", " ")
        for value in field.choices
    }


def is_known(field: Field, value: str, choices: Mapping[str, str]) -> bool:
    """Return whether a URL's value is valid for a field."""
    if field.kind == "day":
        return day_of(value) is not None
    if field.kind == "number":
        return size_of(value) is not None
    if field.kind == "score":
        return bound_of(value) is not None
    return bool(value) and value == writable(value) if field.kind == "text" else value in choices


def place_of(text: str) -> int:
    """Return the turn index that a text contains; -1, which no turn has, if it has none that a session could have."""
    return int(text) if text.isdecimal() and len(text) < 10 else -1


def bound_of(text: str) -> ScoreBound | None:
    """Return the score bound that a text contains, or None."""
    try:
        return ScoreBound.parse(text)
    except UsageError:
        return None


def size_of(text: str) -> float | None:
    """Return the number above 0 that a text contains, or None."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 < value < inf else None


def day_of(text: str) -> date | None:
    """Return the day that a text contains; None if it has none that a ledger can have."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if FIRST_DAY <= day <= LAST_DAY else None


def midnight(day: date) -> datetime:
    """Return the start of a day, UTC without a zone."""
    return datetime.combine(day, time())


def run_label(run: Run) -> str:
    """Return a run's label in a list of runs."""
    return f"{run.name or run.kind} · {run.run_id[-6:]}"
