"""Lines of much that is recorded at once: those of the kinds whose rows DuckDB makes apart from the others."""

import re
from dataclasses import dataclass
from typing import Any, NamedTuple

from actionledger.errors import UsageError
from actionledger.events import Event
from actionledger.ledger.encoding import Unmasked, dumped, masked
from actionledger.ledger.in_sql import IN_SQL
from actionledger.ledger.segments import Line
from actionledger.ledger.smallness import small_size

DIRECT = "import"
"""What stands in the place of a segment's name where a line was never in one."""

# What ``fitting`` replaces in a JSON text, escaped once more in its line.
_HALF_CHARACTER = re.compile(rb"\\u[dD][89a-fA-F]")

_TOGETHER_EVENTS, _TOGETHER_BYTES = 128, 256 * 1024
"""So many events, or so many bytes of them, are written together, and asked together what secrets they may hold: one by one, between the
steps of whoever makes them, writing them takes three times as long."""


@dataclass(slots=True)
class LinesOfKind:
    """Lines of one kind of events.

    Args:
        kind: the class of the events.
        data: the lines, each with its line break.
        count: how many there are.
        longest: the length of the longest one, in bytes.
    """

    kind: type
    data: bytearray
    count: int = 0
    longest: int = 0

    def add(self, line: bytes) -> None:
        """Put a line behind the others."""
        self.data += line
        self.count += 1
        self.longest = max(self.longest, len(line))


class _Waiting(NamedTuple):
    """An event that becomes a line with others.

    Args:
        event: the event.
        unmasked: the same as JSON; None where it is so small that it is written with the others.
        size: how much its line is, or about how much, in bytes.
    """

    event: Event
    unmasked: Unmasked | None
    size: int


class Batch:
    """Lines of events that are taken in together, each event once.

    Attributes:
        size: how much it is, in bytes; about how much, as long as some of it is not written.
    """

    def __init__(self) -> None:
        self._of_kinds: dict[type, LinesOfKind] = {}
        self._others: list[Line] = []
        self._known: set[str] = set()
        self._waiting: list[_Waiting] = []
        self._waiting_bytes = 0
        self.size = 0

    @property
    def of_kinds(self) -> list[LinesOfKind]:
        """The lines whose rows DuckDB makes."""
        self._write()
        return list(self._of_kinds.values())

    @property
    def others(self) -> list[Line]:
        """The lines whose rows are made one by one."""
        self._write()
        return self._others

    def add(self, event: Event) -> None:
        """Add an event, unless it is there.

        Raises:
            EventTooLargeError: the event is larger than the ledger takes.
            UsageError: the event, or one before it, holds a value that JSON has no form for; of all others nothing is lost.
        """
        if event.event_id in self._known:
            return
        size, unmasked = small_size(event), None
        if size is None:
            unmasked = dumped(event, checked=True)
            size = len(unmasked.line) + 1
        self._known.add(event.event_id)
        self._waiting.append(_Waiting(event, unmasked, size))
        self._waiting_bytes += size
        self.size += size
        if self._waiting_bytes >= _TOGETHER_BYTES or len(self._waiting) >= _TOGETHER_EVENTS:
            self._write()

    def extend(self, other: "Batch") -> None:
        """Add the lines of another one, none of whose events is there."""
        for each in other.of_kinds:
            lines = self._of_kinds.setdefault(each.kind, LinesOfKind(each.kind, bytearray()))
            lines.data += each.data
            lines.count += each.count
            lines.longest = max(lines.longest, each.longest)
        self._others += other.others
        self.size += other.size

    def _write(self) -> None:
        """Make lines of the events that wait for it.

        Raises:
            UsageError: one of them holds a value that JSON has no form for; the others still wait.
        """
        written = []
        for each in self._waiting:
            try:
                written.append(each.unmasked or dumped(each.event, checked=True))
            except UsageError:
                self._waiting.remove(each)
                raise
        waiting, self._waiting, self._waiting_bytes = self._waiting, [], 0
        for each, (line, is_same) in zip(waiting, masked(written), strict=True):
            kind = type(each.event)
            self.size += len(line) - each.size
            if (
                is_same
                and kind in IN_SQL
                and _has_plain_times(each.event)
                and not _has_half_a_character(line)
            ):
                if kind not in self._of_kinds:
                    self._of_kinds[kind] = LinesOfKind(kind, bytearray())
                self._of_kinds[kind].add(line)
            else:
                self._others.append(Line(DIRECT, 0, line))

    def __getstate__(self) -> dict[str, Any]:
        """Return it for another process: no secret leaves this one unmasked."""
        self._write()
        return self.__dict__

    def lines(self) -> list[Line]:
        """Return all of the lines, those of a kind together."""
        apart = [
            Line(DIRECT, 0, line)
            for each in self.of_kinds
            for line in bytes(each.data).splitlines(keepends=True)
        ]
        return self._others + apart


def _has_plain_times(event: Event) -> bool:
    """Return whether DuckDB reads an event's times as they are meant: it takes one for another whose zone has half an hour."""
    for name in IN_SQL[type(event)].times:
        at = getattr(event, name)
        if at is not None and at.tzinfo is not None:
            return False
    return True


def _has_half_a_character(line: bytes) -> bool:
    return b"\\u" in line and _HALF_CHARACTER.search(line) is not None
