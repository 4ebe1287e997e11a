"""Which responses a number or a list is about, as a value.

A filter says two kinds of things: what was known before a response was read (``given``), and what came of it: the dialect that it was
found in, its outcome, why it failed, what its actions came to, the texts in all of these. Lists, searches and exports take both. A rate is
made within the first kind alone: within the second it would be a rate within its own outcome, and ``rated`` refuses it.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, time
from math import inf
from typing import Any

from actionledger.core.errors import UsageError, require_kind
from actionledger.core.ids import is_uuid
from actionledger.core.text import writable
from actionledger.core.vocabulary import Origin
from actionledger.ledger.queries.addresses import (
    DAY,
    Parameters,
    day_of,
    is_page,
    only,
    parameters_in,
    query_of,
    switch,
)
from actionledger.ledger.queries.base import Stage
from actionledger.ledger.queries.fields import FIELDS, Field, Kind
from actionledger.ledger.queries.scores import ScoreBound

NO_DIALECT = "none"
"""What the dialect of a response is called in which none was found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which responses to look at; what is left empty leaves nothing out, and what has several values takes any of them.

    Args:
        run_id: the run whose readings count, as text or as the UUID that SQL gives, which is kept as text; None for the first reading of
            every response.
        profiles, tasks, sources: the sessions' own.
        projects, branches, agents: the folder and the git branch that the sessions ran in, and what ran them.
        models: what wrote the responses; a session can go on with another one.
        captures: how much was kept of what the model wrote.
        labels: what the sessions are filed under by their source.
        scores: what the sessions' scores must be, all of them.
        min_cost, max_cost: what the sessions cost at least and at most, in dollars, all of their responses together.
        min_duration, max_duration: how long they took at least and at most, in seconds, from their first response to their last one.
        since: from when on, in UTC where it has no zone; a response without a time is left out.
        until: up to but not including when.
        dialects: the dialects that responses were found to be in, ``"none"`` among them; this and all below say what came of a response.
        outcomes: what came of reading it.
        endings: how it ended, where no call was read of it.
        session_outcomes: how its session came out.
        is_failing: whether something must have gone wrong in its turn: in reading, in checking or in acting, a refusal among them.
        stage: where something went wrong in its turn.
        reasons: what went wrong there, or anywhere where no stage is named.
        action: an action that was read in it, as the model wrote its name; with a stage or reasons, the one that it went wrong with.
        executions: what came of an execution in the turn.
        origin: who had run what went wrong, or what came of which is asked for; None for anybody.
        verdicts: what somebody has judged the reading to be.
        turn_labels: how somebody has labelled the turn, after a look at what came of it.
        text: what the response, the arguments read in it, their results or the session's name hold, in any case; literally.

    Raises:
        UsageError: ``run_id`` is no identifier, a value is none of a closed list, a text stands where several are meant, a time is none, or a
            text can't stand in a ledger.

    Example:
        >>> al.Filter(models=("small",), profiles=("coder",)).models
        ('small',)
    """

    run_id: str | None = None
    profiles: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    branches: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    captures: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    scores: tuple[ScoreBound, ...] = ()
    min_cost: float | None = None
    max_cost: float | None = None
    min_duration: float | None = None
    max_duration: float | None = None
    since: datetime | None = None
    until: datetime | None = None
    dialects: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = ()
    endings: tuple[str, ...] = ()
    session_outcomes: tuple[str, ...] = ()
    is_failing: bool = False
    stage: Stage | None = None
    reasons: tuple[str, ...] = ()
    action: str | None = None
    executions: tuple[str, ...] = ()
    origin: Origin | None = None
    verdicts: tuple[str, ...] = ()
    turn_labels: tuple[str, ...] = ()
    text: str = ""

    def __post_init__(self) -> None:
        if self.run_id is not None:
            object.__setattr__(self, "run_id", str(self.run_id))  # SQL gives identifiers as UUIDs
            if not is_uuid(self.run_id):
                raise UsageError(
                    f"{self.run_id!r} is not a run's id; 'actionledger sql \"FROM runs\"' lists them."
                )
        for name in ("since", "until"):
            object.__setattr__(self, name, _in_utc(name, getattr(self, name)))
        for field in FIELDS:
            _refuse_wrong_values(field, getattr(self, field.name))

    @classmethod
    def of_address(cls, address: str) -> "Filter":
        """Return the filter of a page of the dashboard.

        Args:
            address: the page's, as the browser shows it; what it says of anything else than the filters is passed over.

        Raises:
            UsageError: a day or a run in it is none.

        Example:
            >>> al.Filter.of_address("http://localhost:8501/turns?model=small&until=2026-03-01").words
            'model small, until 2026-03-02 00:00'
        """
        return filter_of(address)

    @property
    def query(self) -> str:
        """The query of a dashboard's address that has this filter; the pages know days, and nothing shorter.

        Raises:
            UsageError: it begins or ends within a day.

        Example:
            >>> al.Filter(models=("small",)).query
            'model=small'
        """
        if not self.is_of_days:
            raise UsageError(f"{self.words!r} begins or ends within a day; pages know whole days alone.")
        return query_of(filter_parameters(self))

    @property
    def is_of_days(self) -> bool:
        """Whether its times are the beginnings of days, as a dashboard's address can have them."""
        return all(end is None or end.time() == time() for end in (self.since, self.until))

    @property
    def given(self) -> "Filter":
        """The same without all that is about what came of a response: what a rate is made within.

        Example:
            >>> al.Filter(models=("small",), outcomes=("failed",)).given.words
            'model small'
        """
        return replace(self, **_NOTHING_FOUND)

    @property
    def found(self) -> "Filter":
        """The same with nothing but what is about what came of a response.

        Example:
            >>> al.Filter(models=("small",), outcomes=("failed",)).found.words
            'outcome failed'
        """
        return Filter(**{field.name: value for field, value in set_fields(self) if field.is_found})

    @property
    def words(self) -> str:
        """What it picks, in words, for messages.

        Example:
            >>> al.Filter(models=("small",), profiles=("coder",)).words
            'profile coder, model small'
        """
        said = [words for field, value in set_fields(self) for words in _words(field, value)]
        return ", ".join(said) or "everything"


def set_fields(within: Filter) -> Iterator[tuple[Field, Any]]:
    """Yield each field of a filter that says something, with its value."""
    for field in FIELDS:
        if value := getattr(within, field.name):
            yield field, value


def _words(field: Field, value: Any) -> list[str]:
    if field.kind == "many":
        return [field.words.format(" or ".join(value))]
    return [field.words.format(each) for each in (value if field.kind == "score" else [value])]


def _refuse_wrong_values(field: Field, value: Any) -> None:
    """Refuse what a field can't take."""
    if field.kind in {"many", "score"}:
        # Each letter of a text would be one of them, and nothing found.
        if isinstance(value, str):
            raise UsageError(
                f"{field.name} takes several texts, as in {field.name}=({value!r},); a single text is not allowed."
            )
        require_kind(value, Collection, f"{field.name} takes several, as in {field.name}=(…, …)")
    elif field.kind == "number":
        _refuse_no_size(field, value)
        return
    elif not value or field.kind in {"switch", "day"}:
        return
    for each in value if field.kind in {"many", "score"} else [value]:
        if field.kind == "score":
            asked = "A score is bound by a ScoreBound, as in al.ScoreBound('reward', '>=', 0.5)"
            require_kind(each, ScoreBound, asked)
            _refuse_unwritable(each.name)
        elif field.choices:  # another one would pick nothing without a word
            if each not in field.choices:
                raise UsageError(
                    f"{each!r} is not a valid {field.noun}; choose from {', '.join(field.choices)}."
                )
        else:
            require_kind(each, str, "What a filter names is a text")
            _refuse_unwritable(each)


def _refuse_no_size(field: Field, value: object) -> None:
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < inf):
        return
    raise UsageError(f"{field.noun} is a number above 0; {value!r:.100} is none.")


def _refuse_unwritable(text: str) -> None:
    if text != writable(text):
        raise UsageError(f"{text!r} holds half of a character, which no ledger can; write it anew.")


def _in_utc(name: str, at: object) -> datetime | None:
    if at is None:
        return None
    if not isinstance(at, datetime):
        raise UsageError(f"{name} takes a datetime in UTC, such as datetime(2026, 3, 1); {at!r} is none.")
    return at if at.tzinfo is None else at.astimezone(UTC).replace(tzinfo=None)


_IS_FOUND = {field.name for field in FIELDS if field.is_found}
_NOTHING_FOUND: dict[str, Any] = {
    each.name: each.default for each in fields(Filter) if each.name in _IS_FOUND
}

EVERYTHING = Filter()
"""The first reading of every response."""


def refuse_no_filter(within: object) -> None:
    """Refuse what is no filter, such as a dict of one's fields or a page's address.

    Raises:
        UsageError: it is none.
    """
    asked = "What is looked at is given as a Filter, as in al.Filter(models=('small',)) or al.Filter.of_address(…)"
    require_kind(within, Filter, asked)


def rated(within: Filter) -> Filter:
    """Return a filter that a rate may be made within, which says nothing of what came of responses.

    Args:
        within: the filter.

    Raises:
        UsageError: it does, or is no filter.
    """
    refuse_no_filter(within)
    if within.given != within:
        raise UsageError(
            f"A rate within {within.found.words} would be a rate within its own outcome; leave that out (Filter.given), or list the "
            "turns themselves."
        )
    return within


FILTERS = tuple(field.parameter for field in FIELDS)
"""The query parameters that a filter stands in."""


def filter_parameters(within: Filter) -> Parameters:
    """Return a filter as the query parameters that the pages read."""
    return {field.parameter: _in_address(field, value) for field, value in set_fields(within)}


def _in_address(field: Field, value: Any) -> str | list[str]:
    """Return a value of a field as an address has it, in which the last day counts."""
    if field.kind == "day":
        day: datetime = value - DAY if field.name == "until" else value
        return day.date().isoformat()
    if field.kind == "switch":
        return "1"
    return [str(each) for each in value] if field.kind in {"many", "score"} else str(value)


def filter_of(address: str) -> Filter:
    """Return the filter that an address has; what it says of pages and lists is passed over."""
    there = parameters_in(address)
    if not there and not is_page(address):
        raise UsageError(
            f"{address!r} is neither an address nor a filter as one has it; write turns?model=small, or model=small alone."
        )
    return filter_of_parameters(there)


def filter_of_parameters(there: Mapping[str, Sequence[str]]) -> Filter:
    """Return the filter that query parameters make.

    Args:
        there: each parameter's values.

    Raises:
        UsageError: something in them is no day, no run, or nothing that responses can have.
    """
    found = {field.name: _of_address(field, there) for field in FIELDS if there.get(field.parameter)}
    return Filter(**{name: value for name, value in found.items() if value is not None})


def _of_address(field: Field, there: Mapping[str, Sequence[str]]) -> Any:
    """Return the value that an address has for a field; None where it says nothing."""
    if field.kind in {"many", "score"}:
        read = ScoreBound.parse if field.kind == "score" else str
        return tuple(map(read, there[field.parameter]))
    if field.kind == "day":
        day = only(there, field.parameter, day_of)
        return day + DAY if day and field.name == "until" else day
    reads: dict[Kind, Callable[[str], Any]] = {"switch": switch, "number": float}
    return only(there, field.parameter, reads.get(field.kind, str))
