"""Recordings of newer versions than a format was tested with, which may hold unknown content."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from actionledger.core.patterns import regex
from actionledger.core.text import counted
from actionledger.ledger.queries.base import Queryable
from actionledger.ledger.queries.versions import FORMAT_VERSIONS, VERSIONS, recorded_versions

_NUMBERS = regex(r"(?:[A-Za-z]{1,12}-)?v?(\d{1,9}(?:\.\d{1,9}){0,4})")


@dataclass(frozen=True, slots=True)
class Newer:
    """Sessions of an untested version."""

    source: str  # their format
    version: str
    tested: str  # the newest tested version of the format
    sessions: int = 0  # how many there are; 0 if not counted

    @property
    def words(self) -> str:
        """The same as a sentence."""
        who = counted(self.sessions, "session") if self.sessions else "what was read"
        return (
            f"{who} of {self.source} {self.version}, newer than {self.tested}, which was tested: what it has that is not known is left out, and "
            "counted by its kind"
        )


def version_of(metadata: dict[str, Any]) -> str:
    """Return the version of the agent or format that wrote a session; empty if unknown, or if another agent wrote it."""
    named = (metadata.get(name) for name in (*VERSIONS, *FORMAT_VERSIONS))
    said = next(filter(None, named), "")
    return str(said) if isinstance(said, str | int) and not metadata.get("agent") else ""


def newer(seen: Iterable[tuple[str, str]]) -> list[Newer]:
    """Return the versions that are newer than the tested ones."""
    return [found for source, version in sorted(set(seen)) if (found := _newer(source, version)) is not None]


def newer_recordings(ledger: Queryable) -> list[Newer]:
    """Return the untested newer versions in a ledger, those with the most sessions first."""
    found = (_newer(each.source, each.version, each.sessions) for each in recorded_versions(ledger))
    return [each for each in found if each is not None]


def _newer(source: str, version: str, sessions: int = 0) -> Newer | None:
    from actionledger.imports.sources.registry import known_source  # noqa: PLC0415 - slow to load, and many ledgers name no version

    known = known_source(source)
    tested = known.tested if known else ""
    is_newer = bool(tested) and _numbers(version) > _numbers(tested)
    return Newer(source, version, tested, sessions) if is_newer else None


def _numbers(version: str) -> tuple[int, ...]:
    """Return the numbers at the beginning of a version; empty if there are none."""
    found = _NUMBERS.match(version)
    return tuple(map(int, found[1].split("."))) if found else ()
