"""The profile of a session: parser, catalogue, policy, handlers, execution settings and prompt."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal, TypeAlias, get_args

from actionledger.actions.catalogue import Catalogue
from actionledger.actions.guidance import Render, instructions
from actionledger.core.errors import UsageError, require_names, require_number
from actionledger.reading.dialects import Dialect, dialect_named
from actionledger.reading.dialects.parts.writing import PlainCall
from actionledger.reading.parsers import BaselineParser, DialectParser
from actionledger.runtime.execution.approval import Policy
from actionledger.runtime.execution.handlers import HandlerFactory, no_handlers
from actionledger.runtime.execution.limits import STANDARD_LIMITS, Limits
from actionledger.runtime.repetition.limits import STANDARD_REPETITION, RepetitionLimits

Outside: TypeAlias = Literal["programs", "network", "other"]
"""Parts of the world that an action may touch and no workspace tracks."""


@dataclass(frozen=True, slots=True)
class ActionSettings:
    """How one action is run.

    Args:
        timeout: how long a try may take, in seconds; None for no limit, in the caller's own thread.
        retries: the maximum number of retries after a transient failure.
        delay: the pause before the first retry, in seconds; it doubles each time.
        idempotent: whether a second run has no further effect, so that the action may run again if the first
            run's outcome is unknown.
        parallel: whether it may run in parallel with other such actions.
        outside: what it touches outside of its workspace and its profile's store: ``programs`` of this machine, whose effects
            can't be limited in advance, the ``network``, or ``other`` things. A rerun skips such an action
            and takes its recorded result.
        reads, writes: names, freely chosen, of shared resources that it reads and changes.

    Raises:
        UsageError: a number is negative, the timeout is 0, or ``outside`` has another value.

    Example:
        >>> al.ActionSettings(timeout=5, retries=0, parallel=True).timeout
        5
    """

    timeout: float | None = 30.0
    retries: int = 3
    delay: float = 0.5
    idempotent: bool = False
    parallel: bool = False
    outside: frozenset[Outside] = frozenset()
    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        require_number("The timeout of an action", self.timeout, optional=True)
        require_number("retries", self.retries)
        require_number("delay", self.delay)
        if self.timeout is not None and self.timeout <= 0:
            raise UsageError(
                f"A timeout of {self.timeout} s lets nothing run; give a positive number or None."
            )
        if self.retries < 0 or self.delay < 0:
            raise UsageError(
                f"retries is {self.retries} and delay is {self.delay}; give numbers that are 0 or more."
            )
        require_names("outside", self.outside)
        if unknown := sorted(set(self.outside) - set(get_args(Outside))):
            raise UsageError(f"outside names {unknown[0]!r}; it knows {', '.join(get_args(Outside))}.")

    @property
    def touches_outside(self) -> bool:
        """Whether it has effects outside of its workspace and its profile's store.

        Example:
            >>> al.ActionSettings(outside=frozenset({"network"})).touches_outside, al.ActionSettings().touches_outside
            (True, False)
        """
        return bool(self.outside)

    def may_join(self, other: "ActionSettings") -> bool:
        """Return whether both may run at the same time: neither changes a resource that the other reads or changes.

        Example:
            >>> reader = al.ActionSettings(parallel=True, reads=frozenset({"files"}))
            >>> writer = al.ActionSettings(parallel=True, writes=frozenset({"files"}))
            >>> reader.may_join(reader), reader.may_join(writer)
            (True, False)
        """
        is_clear = self.writes.isdisjoint(other.reads | other.writes) and other.writes.isdisjoint(self.reads)
        return self.parallel and other.parallel and is_clear


_STANDARD = ActionSettings()


@dataclass(frozen=True, slots=True)
class ExecutionSettings:
    """A table of (glob over action names, settings); the first row that matches applies.

    Args:
        rows: the rows, in order.
        otherwise: the settings of actions without a matching row.

    Example:
        >>> execution_settings = al.ExecutionSettings((("read_*", al.ActionSettings(parallel=True)),))
        >>> execution_settings.of("read_file").parallel, execution_settings.of("create_file").parallel
        (True, False)
    """

    rows: Sequence[tuple[str, ActionSettings]] = ()
    otherwise: ActionSettings = _STANDARD

    def of(self, name: str) -> ActionSettings:
        """Return the settings of an action.

        Example:
            >>> al.ExecutionSettings((("slow_*", al.ActionSettings(timeout=300)),)).of("slow_search").timeout
            300
        """
        return next((settings for glob, settings in self.rows if fnmatchcase(name, glob)), self.otherwise)


STANDARD_SETTINGS = ExecutionSettings()
"""A timeout of half a minute and three retries for every action."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A configuration for working with a model: its parser, actions, policy and handlers.

    Args:
        name: its name, for records and people.
        parser: the parser of its responses.
        catalogue: its actions, and whether they may refer to each other's results.
        policy: which actions may run.
        handlers: makes the handlers.
        execution_settings: the settings of each action: timeouts, retries, parallel execution.
        limits: the limits on a session.
        repetition: what counts as repetition, and what follows from it.
        workers: the maximum number of actions that run at the same time, among those whose settings allow it.
        told: returns the full instructions for the model; made from the catalogue and the format if not given.

    Example:
        >>> coder = al.profile("coder")
        >>> coder.name, coder.catalogue.name, coder.workers
        ('coder', 'coder', 1)
    """

    name: str
    parser: DialectParser | BaselineParser
    catalogue: Catalogue
    policy: Policy
    handlers: HandlerFactory = no_handlers
    execution_settings: ExecutionSettings = STANDARD_SETTINGS
    limits: Limits = STANDARD_LIMITS
    repetition: RepetitionLimits = STANDARD_REPETITION
    workers: int = 1
    told: Callable[[], str] | None = None


def prompt_of(profile: Profile, dialect: str | None = None, *, short: bool = False) -> str:
    """Return a profile's instructions for the model: the format of actions and their list."""
    if profile.told and dialect is None and not short:
        return profile.told()
    chosen = dialect_of(profile, dialect)
    rules = (*chosen.rules, *_demands(profile.parser, chosen))
    return instructions(profile.catalogue, writer(chosen), rules, short=short)


def dialect_of(profile: Profile, name: str | None = None) -> Dialect:
    """Return a profile's dialect by name, or its first one if no name is given."""
    own = profile.parser.dialects if isinstance(profile.parser, DialectParser) else ()
    if name is None and not own:
        raise UsageError(
            f"The profile {profile.name!r} is read by {profile.parser.name!r}, which has no dialect to write; name one."
        )
    if name is None:
        return own[0]
    return next((dialect for dialect in own if dialect.name == name), None) or dialect_named(name)


def writer(dialect: Dialect) -> Render:
    """Return a function that writes an action in a dialect, from its name and arguments."""

    def write(name: str, arguments: Mapping[str, Any]) -> str:
        return dialect.render([PlainCall(name, dict(arguments))])

    return write


def _demands(parser: DialectParser | BaselineParser, dialect: Dialect) -> Iterator[str]:
    """Yield the parser's demands on a response beyond its format."""
    if parser.requires_action and dialect.name == "iteration":
        yield "Every response has to hold an action. Only the last one may hold none."
    elif parser.requires_action:
        yield "Every response has to hold an action."
    if isinstance(parser, DialectParser) and parser.max_blocks is not None:
        yield f"At most {parser.max_blocks} blocks with actions are read in one response."
