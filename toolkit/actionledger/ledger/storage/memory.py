"""Limits of the memory for reading a ledger, the folders for data that doesn't fit, and packages that DuckDB would load for nothing."""

import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Lock
from types import FrameType

import duckdb
from duckdb import DuckDBPyConnection

from actionledger.core.errors import MemoryNeededError, UsageError
from actionledger.core.files import TemporaryFolder
from actionledger.core.ids import new_id
from actionledger.core.patterns import regex
from actionledger.core.processes import abandon, watch
from actionledger.core.text import sql_text

_OF_FRAMES = frozenset({"numpy", "pandas", "polars", "pyarrow", "pyarrow.dataset"})
_MAKE_FRAMES = ("actionledger.ledger.stopping", "actionledger.ledger.guarding")
"""The modules from which DuckDB is asked for a data frame or an Arrow table."""


class _OnlyWhereMeant:
    """An import hook that Python asks first for a module that is not loaded."""

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> None:
        """Refuse the modules that DuckDB imports while it binds values."""
        if name in _OF_FRAMES and _is_bound(name, sys._getframe(1)):  # noqa: SLF001 - no other way to know the importer
            raise ModuleNotFoundError(f"{name!r} is not needed for a value that is bound.", name=name)


def _is_bound(name: str, frame: FrameType | None) -> bool:
    """Return whether a call from the ledger's code caused an import, rather than an import statement, which names the module."""
    while frame is not None and frame.f_globals.get("__name__", "").startswith("importlib."):
        frame = frame.f_back
    if frame is None or name in frame.f_code.co_names:
        return False
    asking = frame.f_globals.get("__name__", "")
    return asking.startswith("actionledger.ledger.") and not asking.startswith(_MAKE_FRAMES)


def keep_frames_out() -> None:
    """From now on, keep pandas, pyarrow and numpy out of a process that only binds values.

    They take 100 MB, and half of a short command's time. DuckDB 1.5 imports them before it looks at a bound value or at registered rows. If they are
    not installed, it searches for them twice for each value. The hook refuses them only for the ledger's own statements: any other import gets
    them, in any thread and at any time, and modules that are already loaded don't reach it.
    """
    if not any(isinstance(each, _OnlyWhereMeant) for each in sys.meta_path):
        sys.meta_path.insert(0, _OnlyWhereMeant())


MEMORY_VARIABLE = "ACTIONLEDGER_MEMORY"
"""The setting: the maximum memory of a process for reading a ledger, as DuckDB writes it (``512MB``)."""

FIRST_VARIABLE = "ACTIONLEDGER_MEMORY_AT_FIRST"
"""The memory limit until a query needs more. A server sets it for itself, since it keeps what it has read for weeks."""

SHARE = 4
"""Without the setting, the limit is the machine's memory divided by this, since other programs run there, too."""

_LEAST, _PART_OF_FILE = 96_000_000, 16
"""A server's first limit for any ledger, in bytes; the file's size divided by the second number is added to it."""

_OF_EXPORT = 512_000_000
"""The first limit for writing a file of rows, in bytes: enough to sort half a million turns with their texts, and two million."""

_AMOUNT = regex(r"(\d+(?:\.\d+)?) ?([kmgt])(i?)b", re.IGNORECASE)
_OF_CONTAINER = Path("/sys/fs/cgroup/memory.max")


def reading_limit() -> str:
    """Return a reader's memory limit; DuckDB spills to disk what needs more."""
    given = os.environ.get(MEMORY_VARIABLE, "").strip()
    if given and not _AMOUNT.fullmatch(given):
        raise UsageError(
            f"{MEMORY_VARIABLE} is {given!r}, which is not an amount of memory; give one such as 512MB."
        )
    return given or f"{_machines_memory() // SHARE // 1_000_000}MB"


def first_limit() -> str:
    """Return a reader's memory limit until a query needs more."""
    most = reading_limit()
    return most if MEMORY_VARIABLE in os.environ else os.environ.get(FIRST_VARIABLE, most)


def more_than_first() -> Iterator[str]:
    """Yield the limits for a query that needs more than the first one: doubled each time, at last the maximum."""
    if MEMORY_VARIABLE in os.environ or FIRST_VARIABLE not in os.environ:
        return
    _, *more = _doubled(_in_bytes(first_limit()), reading_limit())
    yield from more


def export_limits() -> Iterator[str]:
    """Yield the limits for writing a file of rows, which may take long: little, doubled each time, at last the maximum."""
    yield from _doubled(_OF_EXPORT, reading_limit())


def _doubled(limit: int, most: str) -> Iterator[str]:
    end = _in_bytes(most)
    while limit < end:
        yield f"{limit // 1_000_000}MB"
        limit *= 2
    yield most


def _in_bytes(amount: str) -> int:
    found = _AMOUNT.fullmatch(amount)
    assert found is not None
    number, unit, is_binary = found.groups()
    return int(float(number) * (1024 if is_binary else 1000) ** ("kmgt".index(unit.lower()) + 1))


@contextmanager
def within_reading_limit() -> Iterator[None]:
    """Name the setting if a reader needs more memory than its limit."""
    try:
        yield
    except duckdb.OutOfMemoryException as error:
        given = os.environ.get(MEMORY_VARIABLE)
        bound = f"{MEMORY_VARIABLE}={given}" if given else f"{reading_limit()}, a quarter of what is here"
        [why, *_] = str(error).removeprefix("Out of Memory Error: ").splitlines()
        raise MemoryNeededError(
            f"Reading the ledger needs more memory than it may take ({bound}), or more room for what doesn't fit in it: {why}. "
            f"Ask for less at a time, or set {MEMORY_VARIABLE} to more, such as 4GB."
        ) from error


def limit_for(ledger: Path) -> str:
    """Return a server's first memory limit for a ledger that it shows for weeks; usual queries take about as long with it.

    Args:
        ledger: the ledger's file, which need not exist yet, or the one that locates its lake.
    """
    if ledger.suffix == ".toml":
        return reading_limit()
    most = _machines_memory() // SHARE
    size = ledger.stat().st_size if ledger.exists() else 0
    return f"{min(most, _LEAST + size // _PART_OF_FILE) // 1_000_000}MB"


def spilling_folder() -> str:
    """Return the path of a new folder for spilled data, which nobody else uses. It is removed at the end of this process at the latest."""
    return str(_of_process(os.getpid()).path / new_id())


@cache
def _of_process(_pid: int) -> TemporaryFolder:
    """Return the folder of a process; a forked child has its own, since the parent removes the other."""
    return TemporaryFolder("spilled")


def _machines_memory() -> int:
    """Return the memory of the machine or of this process's container, in bytes."""
    held = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with suppress(OSError, ValueError):
        held = min(held, int(_OF_CONTAINER.read_text()))
    return held


Config = Mapping[str, str | int]
"""DuckDB's settings, by name."""

_MOST = 4
"""The maximum number of DuckDBs that are kept: a process that opens ledgers one after the other needs two or three."""


@dataclass(slots=True)
class Instance:
    """A DuckDB in memory."""

    connection: DuckDBPyConnection  # its connection; callers may get cursors of it
    config: Config | None = None  # its settings; None for one that can't be reused
    spills_to: str = ""  # the folder for spilled data
    # the SELECT of each of its views, by name, so that existing ones are not created again
    views: Mapping[str, str] = field(default_factory=dict)
    has_tail: bool = False  # whether a database with a ledger's tables, all of them empty, is attached
    # the tables that the attached ledger lacks, if it is of an older version
    lacks: frozenset[str] = frozenset()

    def detach(self, *names: str) -> None:
        """Detach databases."""
        self.connection.execute("USE memory")
        for name in names:
            self.connection.execute(f"DETACH DATABASE IF EXISTS {name}")


class _Kept:
    def __init__(self) -> None:
        self.start_over()
        watch(self)

    def start_over(self) -> None:
        """Abandon the parent's instances in a forked child, since their threads were not forked."""
        for instance in getattr(self, "_instances", ()):
            abandon(instance)
        self._lock = Lock()
        self._instances: list[Instance] = []

    def take(self, config: Config) -> Instance | None:
        with self._lock:
            instance = next((each for each in self._instances if each.config == config), None)
            if instance is not None:
                self._instances.remove(instance)
            return instance

    def put(self, instance: Instance) -> None:
        with self._lock:
            self._instances.insert(0, instance)
            gone = self._instances[_MOST:]
            del self._instances[_MOST:]
        for each in gone:
            each.connection.close()


_kept = _Kept()
keep_frames_out()


def begin(config: Config) -> Instance:
    """Return an unused DuckDB: nothing is attached to it, and it may have an earlier user's views."""
    instance = _kept.take(config)
    if instance is None:
        spills_to = str(config.get("temp_directory") or spilling_folder())
        connection = duckdb.connect(config={**config, "temp_directory": spills_to})
        instance = Instance(quiet(connection), config, spills_to)
    return instance


def keep(instance: Instance, *attached: str) -> None:
    """Keep a DuckDB for reuse."""
    if instance.config is None:
        instance.connection.close()
        return
    try:
        instance.detach(*attached)
        for name, value in {**instance.config, "temp_directory": instance.spills_to}.items():
            # The folder can't be changed after spilling: another folder then needs a new DuckDB.
            instance.connection.execute(f"SET {name} = {sql_text(value)}")
    except duckdb.Error:
        instance.connection.close()
    else:
        _kept.put(instance)


@contextmanager
def borrowed(config: Config, *attached: str) -> Iterator[DuckDBPyConnection]:
    """Give a connection to a DuckDB, which is kept for reuse unless an error is raised."""
    instance = begin(config)
    try:
        # A separate cursor ends its temporary tables and variables with it.
        with instance.connection.cursor() as cursor:
            yield cursor
    except BaseException:
        instance.connection.close()
        raise
    keep(instance, *attached)


def quiet(connection: DuckDBPyConnection) -> DuckDBPyConnection:
    """Keep a connection and its cursors from printing a progress bar, as DuckDB 2 does after two seconds."""
    # In a notebook without the package that draws it, the setting raises.
    with suppress(duckdb.InvalidInputException):
        connection.execute("SET enable_progress_bar = false")
    return connection
