"""Which responses a number is about, as a value; and the same as SQL.

A filter knows only what was known before a response was read. What reading found, a dialect among it, picks turns
(``behind.Mark``) and is no filter: a rate within it would be a rate within its own outcome.

A filter picks parse attempts. Actions, validation errors and executions belong to the attempts that it picks, so that
every number on a page is about the same responses.
"""

import re
from dataclasses import dataclass
from datetime import datetime, time
from typing import NamedTuple

from actionledger.errors import UsageError
from actionledger.ledger.queries.base import is_uuid
from actionledger.vocabulary import RunKind

NO_DIALECT = "none"
"""What the dialect of a response is called in which none was found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which responses to look at; what is left empty leaves nothing out.

    Args:
        run_id: the run whose readings count; None for the first reading of every response.
        profiles, models, tasks, sources: the sessions' own.
        since: from when on, UTC without a zone; a response without a time is left out.
        until: up to but not including when.

    Raises:
        UsageError: ``run_id`` is no identifier.

    Example:
        >>> al.Filter(models=("small",), profiles=("coder",)).models
        ('small',)
    """

    run_id: str | None = None
    profiles: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None

    def __post_init__(self) -> None:
        if self.run_id is not None and not is_uuid(self.run_id):
            raise UsageError(f"{self.run_id!r} is no run's id; 'actionledger sql \"FROM runs\"' lists them.")

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
        from actionledger.ledger.queries.addresses import filter_of  # noqa: PLC0415 - it makes filters

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
        from actionledger.ledger.queries.addresses import filter_parameters, query_of  # noqa: PLC0415

        if not self.is_of_days:
            raise UsageError(f"{self.words!r} begins or ends within a day; pages know whole days alone.")
        return query_of(filter_parameters(self))

    @property
    def is_of_days(self) -> bool:
        """Whether its times are the beginnings of days, as a dashboard's address can have them."""
        return all(end is None or end.time() == time() for end in (self.since, self.until))

    @property
    def words(self) -> str:
        """What it picks, in words, for messages.

        Example:
            >>> al.Filter(models=("small",), profiles=("coder",)).words
            'profile coder, model small'
        """
        lists = {"profile": self.profiles, "model": self.models, "task": self.tasks, "source": self.sources}
        parts = [f"{name} {' or '.join(values)}" for name, values in lists.items() if values]
        parts += [f"run {self.run_id}"] if self.run_id else []
        parts += [f"since {self.since:%Y-%m-%d %H:%M}"] if self.since else []
        parts += [f"until {self.until:%Y-%m-%d %H:%M}"] if self.until else []
        return ", ".join(parts) or "everything"


EVERYTHING = Filter()
"""The first reading of every response."""


class Scope(NamedTuple):
    """A filter as SQL.

    Args:
        condition: what stands behind WHERE.
        parameters: its values.
    """

    condition: str
    parameters: dict[str, object]

    def beside(self, prefix: str) -> "Scope":
        """Return the same with other names for its values, to stand beside another one in a statement.

        Args:
            prefix: what the names begin with.
        """
        names = {name: f"{prefix}{name}" for name in self.parameters}
        condition = re.sub(r"\$(\w+)", lambda found: f"${names[found[1]]}", self.condition)
        return Scope(condition, {names[name]: value for name, value in self.parameters.items()})


_OF_RUN = "run_id = $run_id::UUID"
_OF_ATTEMPTS = "attempt_id IN (SELECT attempt_id FROM parse_attempts WHERE run_id = $run_id::UUID)"
_OF_SOURCES = "session_id IN (SELECT session_id FROM session_starts WHERE list_contains($sources, source))"
_AGAIN = ", ".join(f"'{kind}'" for kind in RunKind if not kind.is_first_reading)
FIRST_READING = f"run_kind NOT IN ({_AGAIN})"
"""Which parse attempts, or what was found by them, are of turns that were read for the first time, as SQL."""
FIRST_EXECUTIONS = f"run_id NOT IN (SELECT run_id FROM run_starts WHERE run_kind IN ({_AGAIN}))"
"""Which executions are of actions that were carried out for the first time, and not once more by a rerun, as SQL."""


def scope(within: Filter, table: str = "parse_attempts", *, every_reading: bool = False) -> Scope:
    """Return a filter as a condition on the rows of one table.

    Args:
        within: the filter.
        table: ``parse_attempts``, or a table or view whose rows name their ``attempt_id``.
        every_reading: whether a filter without a run means all of them, and not the first readings alone.

    Returns:
        The condition and its parameters; never empty.
    """
    parts, parameters = of_session(within)
    _add_times(within, parts, parameters)
    if within.run_id is not None:
        parts.append(_OF_RUN if table == "parse_attempts" else _OF_ATTEMPTS)
        parameters["run_id"] = within.run_id
    elif not every_reading:
        parts.append(FIRST_EXECUTIONS if table == "executions" else FIRST_READING)
    return Scope(" AND ".join(parts) or "true", parameters)


def turn_scope(within: Filter) -> Scope:
    """Return a filter as a condition on responses, read or not."""
    parts, parameters = of_session(within)
    _add_times(within, parts, parameters)
    if within.run_id is not None:
        parts.append(_OF_RUN)
        parameters["run_id"] = within.run_id
    return Scope(" AND ".join(parts) or "true", parameters)


def of_session(within: Filter) -> tuple[list[str], dict[str, object]]:
    """Return what a filter says of sessions: conditions to join by AND, and their values."""
    parts: list[str] = []
    parameters: dict[str, object] = {}
    lists = {"profiles": within.profiles, "models": within.models, "tasks": within.tasks}
    for name, values in lists.items():
        if values:
            parts.append(f"list_contains(${name}, {name.removesuffix('s')})")
            parameters[name] = list(values)
    if within.sources:
        parts.append(_OF_SOURCES)
        parameters["sources"] = list(within.sources)
    return parts, parameters


def _add_times(within: Filter, parts: list[str], parameters: dict[str, object]) -> None:
    if within.since is not None:
        parts.append("occurred_at >= $since")
        parameters["since"] = within.since
    if within.until is not None:
        parts.append("occurred_at < $until")
        parameters["until"] = within.until
