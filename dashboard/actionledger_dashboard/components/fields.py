"""What there is to filter by: each field with its query parameter, its name for people, and what it can be."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Literal, TypeAlias, get_args

from actionledger.core.errors import UsageError
from actionledger.core.text import writable
from actionledger.core.vocabulary import Capture, Ending, ExecutionStatus, Judgement, Origin, Outcome, Reason
from actionledger.ledger.queries import Dimensions, Run, ScoreBound, Stage

Kind: TypeAlias = Literal["many", "one", "day", "text", "score"]
"""How a field is picked: any number of what is there, one of it, a day, words of one's own, or a bound."""

FIRST_DAY, LAST_DAY = date(1970, 1, 1), date(2099, 12, 31)
"""What a day can be."""

RUN_BY = {str(Origin.RUNTIME): "this toolkit", str(Origin.RECORDED): "another runtime"}


@dataclass(frozen=True, slots=True)
class Field:
    """One thing to filter by.

    Args:
        name: the query parameter, repeated for several values.
        label: what it is called.
        kind: how it is picked.
        is_found: whether it is about what came of a response, so that no rate is made within it.
    """

    name: str
    label: str
    kind: Kind
    is_found: bool = False


FIELDS = (
    Field("run", "Run", "one"),
    Field("since", "From (UTC)", "day"),
    Field("until", "To (UTC)", "day"),
    Field("model", "Model", "many"),
    Field("profile", "Profile", "many"),
    Field("task", "Task", "many"),
    Field("source", "Source", "many"),
    Field("capture", "Capture", "many"),
    Field("label", "Label", "many"),
    Field("score", "Score", "score"),
    Field("outcome", "Outcome", "many", is_found=True),
    Field("ending", "Ended without a tool call", "many", is_found=True),
    Field("dialect", "Dialect", "many", is_found=True),
    Field("failing", "Failing", "one", is_found=True),
    Field("stage", "Went wrong in", "one", is_found=True),
    Field("code", "Reason", "many", is_found=True),
    Field("action", "Action", "text", is_found=True),
    Field("execution", "Execution", "many", is_found=True),
    Field("origin", "Run by", "one", is_found=True),
    Field("verdict", "Verdict", "many", is_found=True),
    Field("turn_label", "Turn label", "many", is_found=True),
    Field("search", "Text", "text", is_found=True),
)
"""Everything to filter by, in the order that it is offered in."""


def options(field: Field, known: Dimensions, runs: Sequence[Run]) -> Mapping[str, str]:
    """Return what a field can be, each value with what it is called; nothing for what is written freely."""
    if field.name == "run":
        return {run.run_id: run_label(run) for run in runs}
    if field.name == "origin":
        return RUN_BY
    if field.name == "failing":
        return {"1": "only"}
    if field.name == "code":
        return {str(code): str(code) for code in Reason if code is not Reason.CONVERTED}
    found: dict[str, Sequence[str]] = {
        "model": known.models,
        "profile": known.profiles,
        "task": known.tasks,
        "source": known.sources,
        "capture": [str(each) for each in Capture],
        "label": known.labels,
        "turn_label": known.turn_labels,
        "outcome": [str(each) for each in Outcome],
        "ending": [str(each) for each in Ending],
        "dialect": known.dialects,
        "stage": get_args(Stage),
        "execution": [str(each) for each in ExecutionStatus],
        "verdict": [str(each) for each in Judgement],
    }
    is_ours = field.name in {
        "outcome",
        "ending",
        "execution",
    }  # a label, a dialect or an action is called as it is
    return {value: value.replace("_", " ") if is_ours else value for value in found.get(field.name, ())}


def is_known(field: Field, value: str, choices: Mapping[str, str]) -> bool:
    """Return whether a value of the URL can be a field's."""
    if field.kind == "day":
        return day_of(value) is not None
    if field.kind == "score":
        return bound_of(value) is not None
    return bool(value) and value == writable(value) if field.kind == "text" else value in choices


def place_of(text: str) -> int:
    """Return the place of a turn that a text says; -1, which no turn has, where it says none that a session could have."""
    return int(text) if text.isdecimal() and len(text) < 10 else -1


def bound_of(text: str) -> ScoreBound | None:
    """Return the bound that a text says; None where it says none."""
    try:
        return ScoreBound.parse(text)
    except UsageError:
        return None


def day_of(text: str) -> date | None:
    """Return the day that a text says; None where it says none that a ledger can have."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if FIRST_DAY <= day <= LAST_DAY else None


def midnight(day: date) -> datetime:
    """Return when a day begins, UTC without a zone."""
    return datetime.combine(day, time())


def run_label(run: Run) -> str:
    """Return what a run is called in a list of runs."""
    return f"{run.name or run.kind} · {run.run_id[-6:]}"
