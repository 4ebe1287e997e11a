"""Selects the responses that a number or a list is about.

A filter has two kinds of fields: those known before parsing (``given``), and those that depend on the outcome. The second kind includes the
dialect, the outcome, the reasons of failure, the results of actions and their texts. Lists, searches and exports accept both. A rate accepts only
the first kind, since otherwise it would be computed within its own outcome; ``rated`` refuses the second.
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
from actionledger.ledger.queries.labels import ScoreBound

NO_DIALECT = "none"
"""The dialect of a response in which none was detected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Selects responses; an empty field selects all, and a field with several values selects any of them.

    Args:
        run_id: the run whose parses count, as text or as the UUID that SQL returns, which is stored as text; None for the first parse of every
            response.
        profiles, tasks, sources: those of the sessions.
        projects, branches, agents: the folder, the git branch and the agent of the sessions.
        models: the models that wrote the responses; a session may continue with another one.
        captures: how much of the model's output was kept.
        labels: the labels that sources give to the sessions.
        scores: bounds that the sessions' scores must all meet.
        min_cost, max_cost: the lowest and the highest cost of a session, in dollars, over all its responses.
        min_duration, max_duration: the shortest and the longest session, in seconds, from its first response to its last one.
        since: the earliest time, in UTC if it has no zone; responses without a time are not selected.
        until: the end of the time range, exclusive.
        dialects: the detected dialects of responses, ``"none"`` among them; this and all fields below depend on the outcome.
        outcomes: the parse outcomes.
        endings: how the responses without a parsed call ended.
        session_outcomes: the outcomes of the sessions.
        is_failing: whether something must have failed in the turn: parsing, checking or acting, refusals included.
        stage: where something failed in the turn.
        reasons: the reasons of failure in that stage, or in any without a stage.
        action: the name of a parsed action, as the model wrote it; with a stage or reasons, the action that failed.
        executions: statuses of executions in the turn.
        origin: who ran the failed action or the execution; None for anybody.
        verdicts: people's verdicts on the parse.
        turn_labels: labels that people gave to the turn, after a look at its outcome.
        text: a literal text in the response, the parsed arguments, their results or the session's name, in any case.

    Raises:
        UsageError: ``run_id`` is not an identifier, a time is invalid, or a value is not in its closed list. Also if a text is given instead of
            several, or can't be stored in a ledger.

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
            object.__setattr__(self, "run_id", str(self.run_id))  # SQL returns identifiers as UUIDs
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
            address: the page's address, as the browser shows it; other parameters than the filters are ignored.

        Raises:
            UsageError: a day or a run in it is invalid.

        Example:
            >>> al.Filter.of_address("http://localhost:8501/turns?model=small&until=2026-03-01").words
            'model small, until 2026-03-02 00:00'
        """
        return filter_of(address)

    @property
    def query(self) -> str:
        """The query of a dashboard's address with this filter; the pages accept only whole days.

        Raises:
            UsageError: it starts or ends within a day.

        Example:
            >>> al.Filter(models=("small",)).query
            'model=small'
        """
        if not self.is_of_days:
            raise UsageError(f"{self.words!r} begins or ends within a day; pages know whole days alone.")
        return query_of(filter_parameters(self))

    @property
    def is_of_days(self) -> bool:
        """Whether its times are starts of days, as in a dashboard's address."""
        return all(end is None or end.time() == time() for end in (self.since, self.until))

    @property
    def given(self) -> "Filter":
        """The filter without the fields that depend on the outcome: a rate can be computed within it.

        Example:
            >>> al.Filter(models=("small",), outcomes=("failed",)).given.words
            'model small'
        """
        return replace(self, **_NOTHING_FOUND)

    @property
    def found(self) -> "Filter":
        """Only the fields of this filter that depend on the outcome.

        Example:
            >>> al.Filter(models=("small",), outcomes=("failed",)).found.words
            'outcome failed'
        """
        return Filter(**{field.name: value for field, value in set_fields(self) if field.is_found})

    @property
    def words(self) -> str:
        """A description of the filter, for messages.

        Example:
            >>> al.Filter(models=("small",), profiles=("coder",)).words
            'profile coder, model small'
        """
        said = [words for field, value in set_fields(self) for words in _words(field, value)]
        return ", ".join(said) or "everything"


def set_fields(within: Filter) -> Iterator[tuple[Field, Any]]:
    """Yield each field of a filter that is set, with its value."""
    for field in FIELDS:
        if value := getattr(within, field.name):
            yield field, value


def _words(field: Field, value: Any) -> list[str]:
    if field.kind == "many":
        return [field.words.format(" or ".join(value))]
    return [field.words.format(each) for each in (value if field.kind == "score" else [value])]


def _refuse_wrong_values(field: Field, value: Any) -> None:
    """Refuse values that a field doesn't accept."""
    if field.kind in {"many", "score"}:
        # A text would be split into its letters, and nothing found.
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
        elif field.choices:  # any other value would silently select nothing
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
"""The first parse of every response."""


def refuse_no_filter(within: object) -> None:
    """Refuse an object that is not a filter, such as a dict of fields or a page's address."""
    asked = "What is looked at is given as a Filter, as in al.Filter(models=('small',)) or al.Filter.of_address(…)"
    require_kind(within, Filter, asked)


def rated(within: Filter) -> Filter:
    """Return a filter if a rate may be computed within it: none of its fields depends on the outcome."""
    refuse_no_filter(within)
    if within.given != within:
        raise UsageError(
            f"A rate within {within.found.words} would be a rate within its own outcome; leave that out (Filter.given), or list the "
            "turns themselves."
        )
    return within


FILTERS = tuple(field.parameter for field in FIELDS)
"""The query parameters of a filter."""


def filter_parameters(within: Filter) -> Parameters:
    """Return a filter as the query parameters of a page."""
    return {field.parameter: _in_address(field, value) for field, value in set_fields(within)}


def _in_address(field: Field, value: Any) -> str | list[str]:
    """Return a field's value as in an address, which includes the last day."""
    if field.kind == "day":
        day: datetime = value - DAY if field.name == "until" else value
        return day.date().isoformat()
    if field.kind == "switch":
        return "1"
    return [str(each) for each in value] if field.kind in {"many", "score"} else str(value)


def filter_of(address: str) -> Filter:
    """Return the filter of an address; parameters of pages and lists are ignored."""
    there = parameters_in(address)
    if not there and not is_page(address):
        raise UsageError(
            f"{address!r} is neither an address nor a filter as one has it; write turns?model=small, or model=small alone."
        )
    return filter_of_parameters(there)


def filter_of_parameters(there: Mapping[str, Sequence[str]]) -> Filter:
    """Return the filter of query parameters."""
    found = {field.name: _of_address(field, there) for field in FIELDS if there.get(field.parameter)}
    return Filter(**{name: value for name, value in found.items() if value is not None})


def _of_address(field: Field, there: Mapping[str, Sequence[str]]) -> Any:
    """Return a field's value in an address; None if it is missing."""
    if field.kind in {"many", "score"}:
        read = ScoreBound.parse if field.kind == "score" else str
        return tuple(map(read, there[field.parameter]))
    if field.kind == "day":
        day = only(there, field.parameter, day_of)
        return day + DAY if day and field.name == "until" else day
    reads: dict[Kind, Callable[[str], Any]] = {"switch": switch, "number": float}
    return only(there, field.parameter, reads.get(field.kind, str))
