"""What an examination finds: a sentence for each check, and the figures that they rest on."""

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
    """How much a finding matters."""

    FINE = "fine"
    NOTE = "note"
    FAULT = "needs you"


class Check(StrEnum):
    """What is looked at, in this order."""

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
    """What one check says.

    Args:
        check: which.
        level: how much it matters.
        sentence: what is so.
        to_do: what a person can do about it, in a sentence; empty for nothing.
        is_mendable: whether ``mend`` does it.
    """

    check: Check
    level: Level
    sentence: str
    to_do: str = ""
    is_mendable: bool = False


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds one of a ledger's locks.

    Args:
        what: what the lock is of: ``ingest``, ``decisions``, ``session S``, ``segment W`` or ``published file``.
        process: the process's number; None where the system doesn't say.
        program: what it is called; empty where the system doesn't say.
        is_stopped: whether it was stopped, and so neither works nor lets go.
    """

    what: str
    process: int | None
    program: str = ""
    is_stopped: bool = False

    @property
    def named(self) -> str:
        """What it is called in a sentence."""
        if self.process is None:
            return "a process that the system doesn't name"
        return f"process {self.process} ({self.program})" if self.program else f"process {self.process}"


@dataclass(frozen=True, slots=True)
class Size:
    """How much a part of a ledger takes.

    Args:
        part: the part's name.
        files: how many files it is.
        bytes: how much they take.
    """

    part: str
    files: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """What was flushed and is not published yet.

    Args:
        segments: in how many segments.
        bytes: how much.
        seconds: for how long the oldest of it has waited; None where nothing waits.
        live_segments: how many segments have a writer that lives, whether anything of them waits or not.
    """

    segments: int = 0
    bytes: int = 0
    seconds: float | None = None
    live_segments: int = 0


@dataclass(frozen=True, slots=True)
class Health:
    """How a ledger is.

    Args:
        ledger: its published file.
        examined_at: when it was looked at, UTC without a zone.
        findings: what the checks say, in their order; each check says something.
        waiting: what is not published yet.
        holders: who holds which lock.
        sizes: what its parts take.
        free_bytes: how much room the disk has.
        schema_version: the ledger's version of the schema; None where it can't be read.
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
        """Whether anything is wrong that a person should do something about."""
        return any(finding.level is Level.FAULT for finding in self.findings)
