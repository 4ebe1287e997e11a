"""The profile of a session: how it is read, checked, decided and run; its execution settings and its prompt."""

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Literal, TypeAlias, get_args

from actionledger.actions.catalogue import Catalogue
from actionledger.actions.guidance import Render, instructions
from actionledger.core.errors import UsageError, require_names, require_number
from actionledger.core.records import dataclass
from actionledger.reading.dialects import Dialect, dialect_named
from actionledger.reading.dialects.parts.writing import PlainCall
from actionledger.reading.parsers import BaselineParser, DialectParser
from actionledger.runtime.execution.approval import Policy
from actionledger.runtime.execution.handlers import HandlerFactory, no_handlers
from actionledger.runtime.execution.limits import STANDARD_LIMITS, Limits
from actionledger.runtime.repetition.limits import STANDARD_REPETITION, RepetitionLimits

Outside: TypeAlias = Literal["programs", "network", "other"]
"""What an action may touch that no workspace keeps track of."""


@dataclass(frozen=True, slots=True)
class ActionSettings:
    """How one action is run.

    Args:
        timeout: how long a try may take, in seconds; None to wait without end, in the caller's own thread.
        retries: how often a try that failed in passing is repeated.
        delay: how long to wait before the first repetition, in seconds; it doubles each time.
        idempotent: whether running it twice does no more than running it once, so that it is run again where nobody
            knows what became of the first time.
        parallel: whether it may run beside other such actions.
        outside: what it touches outside of its workspace and its profile's store: ``programs`` of this machine, whose effects
            nobody can bound in advance, the ``network``, or ``other`` things. What is run again for the record leaves it
            out, and a rerun takes its recorded result.
        reads, writes: what it reads and changes of what actions have in common, by names of one's own.

    Raises:
        UsageError: a number is negative, the timeout is 0, or what is outside is none of these.

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
        """Return whether both may run at the same time: neither changes what the other one reads or changes.

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
    """A table of (glob over action names, settings); the first row that fits decides.

    Args:
        rows: the table, from the top.
        otherwise: the settings of actions that no row fits.

    Example:
        >>> execution_settings = al.ExecutionSettings((("read_*", al.ActionSettings(parallel=True)),))
        >>> execution_settings.of("read_file").parallel, execution_settings.of("create_file").parallel
        (True, False)
    """

    rows: Sequence[tuple[str, ActionSettings]] = ()
    otherwise: ActionSettings = _STANDARD

    def of(self, name: str) -> ActionSettings:
        """Return how the action of that name is run.

        Example:
            >>> al.ExecutionSettings((("slow_*", al.ActionSettings(timeout=300)),)).of("slow_search").timeout
            300
        """
        return next((settings for glob, settings in self.rows if fnmatchcase(name, glob)), self.otherwise)


STANDARD_SETTINGS = ExecutionSettings()
"""Every action has half a minute and three retries."""


@dataclass(frozen=True, slots=True)
class Profile:
    """One way of working with a model.

    Args:
        name: what records and people call it.
        parser: how its responses are read.
        catalogue: which actions exist, and whether they may refer to each other's results.
        policy: which of them may run.
        handlers: makes what runs them.
        execution_settings: how each is run: time-outs, retries, side by side.
        limits: how much a session may do.
        repetition: what counts as going in circles, and what comes of it.
        workers: how many actions may run at the same time, of those whose settings allow it.

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


def prompt_of(profile: Profile, dialect: str | None = None, *, short: bool = False) -> str:
    """Return the instructions for the model of a profile: how actions are written, and which there are.

    Args:
        profile: what the model works under.
        dialect: how it writes actions; the profile's first dialect if not given.
        short: whether each action gets only a line, and one example stands for all.

    Raises:
        UnknownNameError: there is no such dialect.
        UsageError: the profile is read by a baseline parser, and no dialect is given.
        RenderError: the dialect can't write one of the actions.
    """
    chosen = dialect_of(profile, dialect)
    rules = (*chosen.rules, *_demands(profile.parser))
    return instructions(profile.catalogue, writer(chosen), rules, short=short)


def dialect_of(profile: Profile, name: str | None = None) -> Dialect:
    """Return a dialect as a profile has it: by name, or the first one if no name is given.

    Raises:
        UnknownNameError: there is no such dialect.
        UsageError: the profile is read by a baseline parser, and no name is given.
    """
    own = profile.parser.dialects if isinstance(profile.parser, DialectParser) else ()
    if name is None and not own:
        raise UsageError(
            f"The profile {profile.name!r} is read by {profile.parser.name!r}, which has no dialect to write; name one."
        )
    if name is None:
        return own[0]
    return next((dialect for dialect in own if dialect.name == name), None) or dialect_named(name)


def writer(dialect: Dialect) -> Render:
    """Return what writes one action in a dialect, given its name and its arguments."""

    def write(name: str, arguments: Mapping[str, Any]) -> str:
        return dialect.render([PlainCall(name, dict(arguments))])

    return write


def _demands(parser: DialectParser | BaselineParser) -> Iterator[str]:
    """Yield what the parser asks of a response beyond its form."""
    if parser.requires_action:
        yield "Every response has to hold an action."
    if isinstance(parser, DialectParser) and parser.max_blocks is not None:
        yield f"At most {parser.max_blocks} blocks with actions are read in one response."
