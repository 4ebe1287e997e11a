"""How much memory reading a ledger takes, and where what doesn't fit is put meanwhile."""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Lock

import duckdb
from duckdb import DuckDBPyConnection

from actionledger.core.errors import MemoryNeededError, UsageError
from actionledger.core.files import TemporaryFolder
from actionledger.core.ids import new_id
from actionledger.core.patterns import regex
from actionledger.core.processes import abandon, watch
from actionledger.ledger.storage.binding import keep_frames_out

MEMORY_VARIABLE = "ACTIONLEDGER_MEMORY"
"""The setting: how much memory a ledger that is read may take of its process, as DuckDB writes it (``512MB``)."""

FIRST_VARIABLE = "ACTIONLEDGER_MEMORY_AT_FIRST"
"""How much of that it takes until a question needs more; a server says so to itself, which keeps what it has read for weeks."""

SHARE = 4
"""Without the setting, a reader takes this part of the machine's memory at most: others run there, too."""

_LEAST, _PART_OF_FILE = 96_000_000, 16
"""What a server gives to any ledger at first, in bytes, and the part of its size that it gives beside that."""

_OF_EXPORT = 512_000_000
"""What writing a file of rows takes at first, in bytes: enough to sort half a million turns with their texts, and two million."""

_AMOUNT = regex(r"(\d+(?:\.\d+)?) ?([kmgt])(i?)b", re.IGNORECASE)
_OF_CONTAINER = Path("/sys/fs/cgroup/memory.max")


def reading_limit() -> str:
    """Return how much memory a reader may take; what needs more is put on disk for as long as it is needed."""
    given = os.environ.get(MEMORY_VARIABLE, "").strip()
    if given and not _AMOUNT.fullmatch(given):
        raise UsageError(
            f"{MEMORY_VARIABLE} is {given!r}, which is not an amount of memory; give one such as 512MB."
        )
    return given or f"{_machines_memory() // SHARE // 1_000_000}MB"


def first_limit() -> str:
    """Return how much memory a reader takes as long as no question needs more."""
    most = reading_limit()
    return most if MEMORY_VARIABLE in os.environ else os.environ.get(FIRST_VARIABLE, most)


def more_than_first() -> Iterator[str]:
    """Yield how much a reader may take for a question that needs more than at first: twice as much each time, and at last all."""
    if MEMORY_VARIABLE in os.environ or FIRST_VARIABLE not in os.environ:
        return
    _, *more = _doubled(_in_bytes(first_limit()), reading_limit())
    yield from more


def export_limits() -> Iterator[str]:
    """Yield how much a reader may take to write a file of rows, which has time: little, twice as much each time, and at last all."""
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
    """Say which setting it is where a reader needs more memory than it may take."""
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
    """Return how much memory a server should give at first to a ledger that it shows for weeks: its usual questions take about as long.

    Args:
        ledger: the ledger's file, which need not be there yet, or the one that says where its lake is.
    """
    if ledger.suffix == ".toml":
        return reading_limit()
    most = _machines_memory() // SHARE
    size = ledger.stat().st_size if ledger.exists() else 0
    return f"{min(most, _LEAST + size // _PART_OF_FILE) // 1_000_000}MB"


def spilling_folder() -> str:
    """Return the path of a folder that nobody else uses, for what does not fit into memory; it goes at the latest when this process ends."""
    return str(_of_process(os.getpid()).path / new_id())


@cache
def _of_process(_pid: int) -> TemporaryFolder:
    """Return the folder of a process; a forked child has another one than its parent, who removes his."""
    return TemporaryFolder("spilled")


def _machines_memory() -> int:
    """Return how many bytes the machine has, or the container that this process runs in."""
    held = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with suppress(OSError, ValueError):
        held = min(held, int(_OF_CONTAINER.read_text()))
    return held


Config = Mapping[str, str | int]
"""DuckDB's settings, by name."""

_MOST = 4
"""So many are kept: a process that opens ledgers one after the other needs two or three."""


@dataclass(slots=True)
class Instance:
    """A DuckDB in memory.

    Args:
        connection: the connection to it; cursors of it may be given on.
        config: what it was begun with; None for one that is of no use to anybody else.
        spills_to: the folder for what does not fit into memory.
        views: the SELECT of each view that it has, by name: who finds those that it needs makes none.
        lacks: the tables that the ledger which is attached hasn't yet, being of an older version.
        has_tail: whether a database with the tables of a ledger, all of them empty, is attached to it.
    """

    connection: DuckDBPyConnection
    config: Config | None = None
    spills_to: str = ""
    views: Mapping[str, str] = field(default_factory=dict)
    has_tail: bool = False
    lacks: frozenset[str] = frozenset()

    def detach(self, *names: str) -> None:
        """Close databases that are attached."""
        self.connection.execute("USE memory")
        for name in names:
            self.connection.execute(f"DETACH DATABASE IF EXISTS {name}")


class _Kept:
    def __init__(self) -> None:
        self.start_over()
        watch(self)

    def start_over(self) -> None:
        """Forget the parent's in a forked child: their threads were not forked."""
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
    """Return a DuckDB that nobody uses: nothing is attached to it, and its views are those of somebody before."""
    instance = _kept.take(config)
    if instance is None:
        spills_to = str(config.get("temp_directory") or spilling_folder())
        connection = duckdb.connect(config={**config, "temp_directory": spills_to})
        instance = Instance(quiet(connection), config, spills_to)
    return instance


def keep(instance: Instance, *attached: str) -> None:
    """Keep a DuckDB that is done with."""
    if instance.config is None:
        instance.connection.close()
        return
    try:
        instance.detach(*attached)
        for name, value in {**instance.config, "temp_directory": instance.spills_to}.items():
            # Once it has spilled, that can't be set any more: who needs another folder begins anew.
            instance.connection.execute("SET {} = '{}'".format(name, str(value).replace("'", "''")))
    except duckdb.Error:
        instance.connection.close()
    else:
        _kept.put(instance)


@contextmanager
def borrowed(config: Config, *attached: str) -> Iterator[DuckDBPyConnection]:
    """Give a connection to a DuckDB that is kept afterwards, unless something went wrong."""
    instance = begin(config)
    try:
        # A cursor of its own takes along what is temporary: tables, variables.
        with instance.connection.cursor() as cursor:
            yield cursor
    except BaseException:
        instance.connection.close()
        raise
    keep(instance, *attached)


def quiet(connection: DuckDBPyConnection) -> DuckDBPyConnection:
    """Keep a connection and its cursors from drawing a bar into the standard output, as DuckDB 2 does after two seconds."""
    # In a notebook without the package that draws it, there is none to keep away.
    with suppress(duckdb.InvalidInputException):
        connection.execute("SET enable_progress_bar = false")
    return connection
