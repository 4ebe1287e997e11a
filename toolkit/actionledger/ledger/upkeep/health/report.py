"""The result of a health examination: a sentence for each check, and the figures behind them."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

_UNITS = ("bytes", "kB", "MB", "GB", "TB")
_STEP = 1000


def size_words(count: int) -> str:
    """Return a number of bytes in the unit that keeps it short."""
    number = float(count)
    for unit in _UNITS[:-1]:
        if number < _STEP:
            return f"{number:,.0f} {unit}" if unit == "bytes" else f"{number:.1f} {unit}"
        number /= _STEP
    return f"{number:,.1f} {_UNITS[-1]}"


def time_words(seconds: float) -> str:
    """Return a time in the unit that keeps it short."""
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:,.0f} {unit}s"
    return f"{seconds:,.0f} seconds" if seconds >= 2 else f"{seconds:.1f} seconds"


class Level(StrEnum):
    """The severity of a finding."""

    FINE = "fine"
    NOTE = "note"
    FAULT = "needs you"


class Check(StrEnum):
    """The checks, in their order."""

    PUBLISHED = "published file"
    VERSIONS = "versions"
    FOLDER = "folder"
    SEGMENTS = "segments"
    INGEST = "ingest"
    LOCKS = "locks"
    HELD = "pending spans"
    QUARANTINE = "quarantine"
    ROLLUP = "pre-aggregation"
    LEFTOVERS = "leftovers"
    DISK = "disk"
    EXTENSIONS = "extensions"
    LEFT_OUT = "skipped"


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check.

    Args:
        check: the check.
        level: its severity.
        sentence: the result.
        to_do: what a person can do about it, in a sentence; empty for nothing.
        is_mendable: whether ``mend`` can do it.
    """

    check: Check
    level: Level
    sentence: str
    to_do: str = ""
    is_mendable: bool = False


@dataclass(frozen=True, slots=True)
class Holder:
    """The holder of one of a ledger's locks.

    Args:
        what: the lock: ``ingest``, ``decisions``, ``session S``, ``segment W`` or ``published file``.
        process: the process id; None if unknown.
        program: the process's name; empty if unknown.
        is_stopped: whether it is suspended, and so neither works nor releases the lock.
    """

    what: str
    process: int | None
    program: str = ""
    is_stopped: bool = False

    @property
    def named(self) -> str:
        """The holder's name in a sentence."""
        if self.process is None:
            return "a process that the system doesn't name"
        return f"process {self.process} ({self.program})" if self.program else f"process {self.process}"


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a part of a ledger.

    Args:
        part: the part's name.
        files: its number of files.
        bytes: their total size.
    """

    part: str
    files: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """The data that is flushed but not published.

    Args:
        segments: the number of segments with such data.
        bytes: its size.
        seconds: the age of the oldest of it; None if nothing is pending.
        live_segments: the number of segments with a live writer, pending or not.
    """

    segments: int = 0
    bytes: int = 0
    seconds: float | None = None
    live_segments: int = 0


@dataclass(frozen=True, slots=True)
class Health:
    """The health of a ledger.

    Args:
        ledger: its published file.
        examined_at: the time of the examination, UTC without a zone.
        findings: the findings, in the order of the checks; each check has at least one.
        waiting: the data that is not published yet.
        holders: who holds which lock.
        sizes: the sizes of its parts.
        free_bytes: the free space on the disk, in bytes.
        schema_version: the ledger's schema version; None if unreadable.
    """

    ledger: Path
    examined_at: datetime
    findings: tuple[Finding, ...]
    waiting: Waiting
    holders: tuple[Holder, ...]
    sizes: tuple[Size, ...]
    free_bytes: int
    schema_version: int | None

    @property
    def needs_person(self) -> bool:
        """Whether a person should act on some finding."""
        return any(finding.level is Level.FAULT for finding in self.findings)
