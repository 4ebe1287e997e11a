"""How much memory reading a ledger takes, and where what doesn't fit is put meanwhile."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

import duckdb

from actionledger.core.errors import MemoryNeededError, UsageError
from actionledger.core.ids import new_id
from actionledger.core.temporary import TemporaryFolder

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

_AMOUNT = re.compile(r"(\d+(?:\.\d+)?) ?([kmgt])(i?)b", re.IGNORECASE)
_OF_CONTAINER = Path("/sys/fs/cgroup/memory.max")


def reading_limit() -> str:
    """Return how much memory a reader may take; what needs more is put on disk for as long as it is needed."""
    given = os.environ.get(MEMORY_VARIABLE, "").strip()
    if given and not _AMOUNT.fullmatch(given):
        raise UsageError(
            f"{MEMORY_VARIABLE} is {given!r}, which is no amount of memory; give one such as 512MB."
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
