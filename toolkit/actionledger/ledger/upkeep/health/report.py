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
    """The result of one check."""

    check: Check
    level: Level  # its severity
    sentence: str  # the result
    to_do: str = ""  # what a person can do about it, in a sentence; empty for nothing
    is_mendable: bool = False  # whether `mend` can do it


@dataclass(frozen=True, slots=True)
class Holder:
    """The holder of one of a ledger's locks."""

    what: str  # the lock: `ingest`, `decisions`, `session S`, `segment W` or `published file`
    process: int | None  # the process id; None if unknown
    program: str = ""  # the process's name; empty if unknown
    is_stopped: bool = False  # whether it is suspended, and so neither works nor releases the lock

    @property
    def named(self) -> str:
        """The holder's name in a sentence."""
        if self.process is None:
            return "a process that the system doesn't name"
        return f"process {self.process} ({self.program})" if self.program else f"process {self.process}"


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a part of a ledger."""

    part: str  # the part's name
    files: int  # its number of files
    bytes: int  # their total size


@dataclass(frozen=True, slots=True)
class Waiting:
    """The data that is flushed but not published."""

    segments: int = 0  # the number of segments with such data
    bytes: int = 0  # its size
    seconds: float | None = None  # the age of the oldest of it; None if nothing is pending
    live_segments: int = 0  # the number of segments with a live writer, pending or not


@dataclass(frozen=True, slots=True)
class Health:
    """The health of a ledger."""

    ledger: Path  # its published file
    examined_at: datetime  # the time of the examination, UTC without a zone
    findings: tuple[Finding, ...]  # the findings, in the order of the checks; each check has at least one
    waiting: Waiting  # the data that is not published yet
    holders: tuple[Holder, ...]  # who holds which lock
    sizes: tuple[Size, ...]  # the sizes of its parts
    free_bytes: int  # the free space on the disk, in bytes
    schema_version: int | None  # the ledger's schema version; None if unreadable

    @property
    def needs_person(self) -> bool:
        """Whether a person should act on some finding."""
        return any(finding.level is Level.FAULT for finding in self.findings)
