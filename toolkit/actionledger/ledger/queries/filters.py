"""Which responses a number or a list is about, as a value.

A filter says two kinds of things: what was known before a response was read (``given``), and what came of it: the dialect that it was
found in, its outcome, why it failed, what its actions came to, the texts in all of these. Lists, searches and exports take both. A rate is
made within the first kind alone: within the second it would be a rate within its own outcome, and ``rated`` refuses it.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime, time
from typing import Any, get_args

from actionledger.core.errors import UsageError, require_kind
from actionledger.core.records import dataclass
from actionledger.core.text import writable
from actionledger.core.vocabulary import Capture, Ending, ExecutionStatus, Judgement, Origin, Outcome, Reason
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
from actionledger.ledger.queries.scores import ScoreBound
from actionledger.ledger.storage.projection import is_uuid

NO_DIALECT = "none"
"""What the dialect of a response is called in which none was found."""

_FOUND = (
    "dialects",
    "outcomes",
    "endings",
    "is_failing",
    "stage",
    "reasons",
    "action",
    "executions",
    "origin",
    "verdicts",
    "turn_labels",
    "text",
)
"""What of a filter is about what came of a response."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which responses to look at; what is left empty leaves nothing out, and what has several values takes any of them.

    Args:
        run_id: the run whose readings count, as text or as the UUID that SQL gives, which is kept as text; None for the first reading of
            every response.
        profiles, tasks, sources: the sessions' own.
        models: what wrote the responses; a session can go on with another one.
        captures: how much was kept of what the model wrote.
        labels: what the sessions are filed under by their source.
        scores: what the sessions' scores must be, all of them.
        since: from when on, in UTC where it has no zone; a response without a time is left out.
        until: up to but not including when.
        dialects: the dialects that responses were found to be in, ``"none"`` among them; this and all below say what came of a response.
        outcomes: what came of reading it.
        endings: how it ended, where no call was read of it.
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
    captures: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    scores: tuple[ScoreBound, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    dialects: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = ()
    endings: tuple[str, ...] = ()
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
                    f"{self.run_id!r} is no run's id; 'actionledger sql \"FROM runs\"' lists them."
                )
        _refuse_single_values(self)
        for name in ("since", "until"):
            object.__setattr__(self, name, _in_utc(name, getattr(self, name)))
        _refuse_strangers("capture", self.captures, Capture)
        _refuse_strangers("outcome", self.outcomes, Outcome)
        _refuse_strangers("ending", self.endings, Ending)
        _refuse_strangers("stage", [self.stage] if self.stage else (), get_args(Stage))
        _refuse_strangers("reason", self.reasons, Reason)
        _refuse_strangers("execution", self.executions, ExecutionStatus)
        _refuse_strangers("verdict", self.verdicts, Judgement)
        _refuse_strangers("origin", [self.origin] if self.origin else (), Origin)
        texts = (
            *self.profiles,
            *self.models,
            *self.tasks,
            *self.sources,
            *self.labels,
            *self.turn_labels,
            *self.dialects,
        )
        for score in self.scores:
            require_kind(
                score,
                ScoreBound,
                "A score is bound by a ScoreBound, as in al.ScoreBound('reward', '>=', 0.5)",
            )
        names = (score.name for score in self.scores)
        for text in (*texts, *names, self.action or "", self.text):
            require_kind(text, str, "What a filter names is a text")
            if text != writable(text):
                raise UsageError(f"{text!r} holds half of a character, which no ledger can; write it anew.")

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
        return Filter(**{name: getattr(self, name) for name in _FOUND})

    @property
    def words(self) -> str:
        """What it picks, in words, for messages.

        Example:
            >>> al.Filter(models=("small",), profiles=("coder",)).words
            'profile coder, model small'
        """
        parts = [_any_of("profile", self.profiles), _any_of("model", self.models)]
        parts += [_any_of("task", self.tasks), _any_of("source", self.sources)]
        parts += [f"run {self.run_id}"] if self.run_id else []
        parts += [_any_of("capture", self.captures), _any_of("label", self.labels)]
        parts += [f"score {score}" for score in self.scores]
        parts += [f"since {self.since:%Y-%m-%d %H:%M}"] if self.since else []
        parts += [f"until {self.until:%Y-%m-%d %H:%M}"] if self.until else []
        parts += [_any_of("dialect", self.dialects), _any_of("outcome", self.outcomes)]
        parts += [_any_of("ending", self.endings)]
        parts += ["failing"] if self.is_failing else []
        parts += [f"failed in {self.stage}"] if self.stage else []
        parts += [_any_of("reason", self.reasons)]
        parts += [f"action {self.action}"] if self.action else []
        parts += [_any_of("execution", self.executions)]
        parts += [f"run by {self.origin}"] if self.origin else []
        parts += [_any_of("verdict", self.verdicts), _any_of("turn label", self.turn_labels)]
        parts += [f"text {self.text!r}"] if self.text else []
        return ", ".join(filter(None, parts)) or "everything"


def _any_of(name: str, values: tuple[str, ...]) -> str:
    return f"{name} {' or '.join(values)}" if values else ""


def _refuse_strangers(name: str, values: Iterable[str], known: Iterable[str]) -> None:
    """Refuse a value that is none of a closed list, which would pick nothing without a word."""
    if strangers := [value for value in values if value not in list(known)]:
        raise UsageError(f"{strangers[0]!r} is no {name}; choose from {', '.join(map(str, known))}.")


def _refuse_single_values(given: Filter) -> None:
    """Refuse one value where several are meant: each letter of a text would be one of them, and nothing found."""
    for each in fields(given):
        value = getattr(given, each.name)
        if each.default != ():
            continue
        if isinstance(value, str):
            raise UsageError(
                f"{each.name} takes several texts, as in {each.name}=({value!r},); a text alone is none."
            )
        require_kind(value, Collection, f"{each.name} takes several, as in {each.name}=(…, …)")


def _in_utc(name: str, at: object) -> datetime | None:
    if at is None:
        return None
    if not isinstance(at, datetime):
        raise UsageError(f"{name} takes a datetime in UTC, such as datetime(2026, 3, 1); {at!r} is none.")
    return at if at.tzinfo is None else at.astimezone(UTC).replace(tzinfo=None)


_NOTHING_FOUND: dict[str, Any] = {each.name: each.default for each in fields(Filter) if each.name in _FOUND}

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


FILTERS = (
    *("run", "profile", "model", "task", "source", "capture", "label", "score", "since", "until"),
    *(
        "outcome",
        "ending",
        "dialect",
        "failing",
        "stage",
        "code",
        "action",
        "execution",
        "origin",
        "verdict",
        "turn_label",
        "search",
    ),
)
"""The query parameters that a filter stands in."""


def filter_parameters(within: Filter) -> Parameters:
    """Return a filter as the query parameters that the pages read."""
    repeated = {
        "profile": within.profiles,
        "model": within.models,
        "task": within.tasks,
        "source": within.sources,
        "capture": within.captures,
        "label": within.labels,
        "score": tuple(map(str, within.scores)),
        "outcome": within.outcomes,
        "ending": within.endings,
        "dialect": within.dialects,
        "failing": ("1",) if within.is_failing else (),
        "stage": (within.stage,) if within.stage else (),
        "code": within.reasons,
        "execution": within.executions,
        "verdict": within.verdicts,
        "turn_label": within.turn_labels,
    }
    found: Parameters = {name: list(values) for name, values in repeated.items() if values}
    ones = {"run": within.run_id, "action": within.action, "origin": within.origin, "search": within.text}
    found |= {name: str(value) for name, value in ones.items() if value}
    if within.since is not None:
        found["since"] = within.since.date().isoformat()
    if within.until is not None:
        found["until"] = (within.until - DAY).date().isoformat()
    return found


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
    since, until = (only(there, name, day_of) for name in ("since", "until"))
    one: dict[str, Any] = {name: only(there, name, str) for name in ("run", "stage", "action", "search")}
    return Filter(
        run_id=one["run"],
        profiles=tuple(there.get("profile", ())),
        models=tuple(there.get("model", ())),
        tasks=tuple(there.get("task", ())),
        sources=tuple(there.get("source", ())),
        captures=tuple(there.get("capture", ())),
        labels=tuple(there.get("label", ())),
        scores=tuple(map(ScoreBound.parse, there.get("score", ()))),
        since=since,
        until=until + DAY if until else None,
        dialects=tuple(there.get("dialect", ())),
        outcomes=tuple(there.get("outcome", ())),
        endings=tuple(there.get("ending", ())),
        is_failing=bool(only(there, "failing", switch)),
        stage=one["stage"],
        reasons=tuple(there.get("code", ())),
        action=one["action"],
        executions=tuple(there.get("execution", ())),
        origin=only(there, "origin", Origin),
        verdicts=tuple(there.get("verdict", ())),
        turn_labels=tuple(there.get("turn_label", ())),
        text=one["search"] or "",
    )
