"""Lines of much that is recorded at once: those of the kinds whose rows DuckDB makes apart from the others."""

import re
from dataclasses import dataclass

from actionledger.events import Event
from actionledger.ledger.encoding import encoded
from actionledger.ledger.in_sql import IN_SQL
from actionledger.ledger.segments import Line

DIRECT = "import"
"""What stands in the place of a segment's name where a line was never in one."""

# What ``fitting`` replaces in a JSON text, escaped once more in its line.
_HALF_CHARACTER = re.compile(rb"\\u[dD][89a-fA-F]")


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


class Batch:
    """Lines of events that are taken in together, each event once.

    Attributes:
        others: the lines whose rows are made one by one.
        size: how much it is, in bytes.
    """

    def __init__(self) -> None:
        self._of_kinds: dict[type, LinesOfKind] = {}
        self._known: set[str] = set()
        self.others: list[Line] = []
        self.size = 0

    @property
    def of_kinds(self) -> list[LinesOfKind]:
        """The lines whose rows DuckDB makes."""
        return list(self._of_kinds.values())

    def add(self, event: Event) -> None:
        """Add an event, unless it is there.

        Raises:
            EventTooLargeError: the event is larger than the ledger takes.
            UsageError: the event holds a value that JSON has no form for.
        """
        line, is_same = encoded(event)
        if event.event_id in self._known:
            return
        self._known.add(event.event_id)
        self.size += len(line)
        kind = type(event)
        if is_same and kind in IN_SQL and _is_plain(event, line):
            if kind not in self._of_kinds:
                self._of_kinds[kind] = LinesOfKind(kind, bytearray())
            self._of_kinds[kind].add(line)
        else:
            self.others.append(Line(DIRECT, 0, line))

    def extend(self, other: "Batch") -> None:
        """Add the lines of another one, none of whose events is there."""
        for each in other.of_kinds:
            lines = self._of_kinds.setdefault(each.kind, LinesOfKind(each.kind, bytearray()))
            lines.data += each.data
            lines.count += each.count
            lines.longest = max(lines.longest, each.longest)
        self.others += other.others
        self.size += other.size

    def lines(self) -> list[Line]:
        """Return all of the lines, those of a kind together."""
        apart = [
            Line(DIRECT, 0, line)
            for each in self.of_kinds
            for line in bytes(each.data).splitlines(keepends=True)
        ]
        return self.others + apart


def _is_plain(event: Event, line: bytes) -> bool:
    """Return whether DuckDB reads a line as it is meant: it takes a time for another one whose zone has half an hour."""
    for name in IN_SQL[type(event)].times:
        at = getattr(event, name)
        if at is not None and at.tzinfo is not None:
            return False
    return not (b"\\u" in line and _HALF_CHARACTER.search(line))
