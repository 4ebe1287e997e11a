"""How an action is run: for how long, how often, and whether beside others."""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal, TypeAlias, get_args

from actionledger.core.errors import UsageError, require_names, require_number

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
