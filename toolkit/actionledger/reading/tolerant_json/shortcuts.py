"""Containers that are read in one go: valid ones by the C scanner, ones with simple faults by rewriting them first.

An attempt that fails takes time and yields nothing. So the characters of failed attempts are counted, and after a few
times the text's length there are no more of them: the time stays linear. And what an attempt has shown is kept: which of
the containers that it passed are valid, and which it can't mend.
"""

from typing import Any, NamedTuple

from actionledger.reading.tolerant_json.contexts import ROOT
from actionledger.reading.tolerant_json.endings import Memory
from actionledger.reading.tolerant_json.locating import Mended, Places
from actionledger.reading.tolerant_json.notes import Notes
from actionledger.reading.tolerant_json.patterns import GOES_ON, MORE_CLOSERS
from actionledger.reading.tolerant_json.regular import read_regular
from actionledger.reading.tolerant_json.valid import SCAN_ERRORS, is_deeper, scan

_COST_OF_AN_ERROR = 64


class ReadInOneGo(NamedTuple):
    """A container: its value, its end, and what was changed in it."""

    value: Any
    end: int
    notes: Notes | None = None


class Shortcuts:
    """Reads containers of one text in one go, where that works.

    Args:
        text: the text.
        start: where its value begins, which is no valid JSON.
        memory: what is known of its strings.
        apart: where a bracket stands that no container may be read past in one go; -1 where there is none.
    """

    __slots__ = (
        "_apart",
        "_budget",
        "_expects_faults",
        "_faulty",
        "_hopeless",
        "_memory",
        "mended",
        "scanned",
        "text",
    )

    def __init__(self, text: str, start: int, memory: Memory, apart: int = -1) -> None:
        self.text = text
        self._memory = memory
        self._apart = apart
        self.scanned = Places()
        self.mended: list[Mended] = []
        self._budget = 3 * (len(text) - start) + 4096
        self._faulty = {start}
        self._hopeless: set[int] = set()
        self._expects_faults = False

    def read(self, start: int, levels: int, parent: str) -> ReadInOneGo | None:
        """Read the container that begins at ``start``; None where its tokens have to be read one by one."""
        if start in self._hopeless or self._budget <= 0:
            return None
        if not self._expects_faults and start not in self._faulty:
            read = self._scanned(start, levels)
            if read is not None:
                return read
        return self._mended(start, levels, parent)

    def _scanned(self, start: int, levels: int) -> ReadInOneGo | None:
        try:
            value, end = scan(self.text, start)
        except SCAN_ERRORS as error:
            stopped = getattr(error, "pos", start)
            self._budget -= stopped - start + _COST_OF_AN_ERROR
            self._budget -= stopped // 16  # making the error counts all lines before it
            return None
        if start < self._apart < end or is_deeper(self.text, start, end, value, levels):
            return None
        self.scanned.add(value, start, end)
        return ReadInOneGo(value, end)

    def _mended(self, start: int, levels: int, parent: str) -> ReadInOneGo | None:
        look = read_regular(self.text, start, levels, parent, self._memory)
        mended = look.mended
        self._expects_faults = mended is None or len(look.notes) > 0
        if mended is None:
            self._faulty.update(look.faulty)
            self._hopeless.update(look.hopeless)
            self._budget -= look.end - start + _COST_OF_AN_ERROR
            return None
        if start < self._apart < mended.end:
            return None
        if parent == ROOT and (
            GOES_ON.match(self.text, mended.end) or MORE_CLOSERS.match(self.text, mended.end)
        ):
            return None
        self.mended.append(mended)
        return ReadInOneGo(mended.value, mended.end, look.notes)
