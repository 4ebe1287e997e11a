"""Open, fill and close containers, or read them in one go.

The reader steps from token to token; this module applies each step to the open containers.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

from actionledger.core.text import counted
from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import Reason
from actionledger.reading.tolerant_json import faults
from actionledger.reading.tolerant_json.contexts import CALL, JSON_CLOSERS, OBJECT, ROOT, TUPLE, context
from actionledger.reading.tolerant_json.decoded import Mended, Places, brief
from actionledger.reading.tolerant_json.endings import Memory
from actionledger.reading.tolerant_json.faults import DecodeOptions
from actionledger.reading.tolerant_json.notes import Notes
from actionledger.reading.tolerant_json.patterns import DOUBLED_OPENER, GOES_ON, MORE_CLOSERS
from actionledger.reading.tolerant_json.regular import read_regular
from actionledger.reading.tolerant_json.state import Frame, State
from actionledger.reading.tolerant_json.valid import SCAN_ERRORS, is_deeper, scan

_COST_OF_AN_ERROR = 64


class ReadInOneGo(NamedTuple):
    """A container: its value, its end, and what was changed in it."""

    value: Any
    end: int
    notes: Notes | None = None


class Shortcuts:
    """Reads containers of one text in one go if possible, none past the bracket ``apart`` (-1: none)."""

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
        """Read the container that begins at ``start``; None if its tokens must be read one by one."""
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
            self._budget -= stopped // 16  # creating the error counts all lines before it
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


_MOST_DUPLICATE_KEYS = 100

Step = Callable[[], "Step | None"]

_PYTHON_FORMS = frozenset(fault.kind for fault in faults.FAULTS if fault.is_python)
"""The kinds of repair that JSON needs, but not inside a Python call."""


class Containers(State, ABC):
    """The values read so far: opens containers, puts values into them, closes them.

    Attributes:
        root: the value.
        start: where it begins.
        opened: the objects and calls that were read piece by piece, each with its start and end.
        shortcuts: the containers that were read in one go.
        duplicates: the number of duplicate keys.
    """

    __slots__ = ("duplicates", "opened", "root", "shortcuts", "start")

    def __init__(
        self,
        text: str,
        start: int,
        options: DecodeOptions,
        *,
        is_whole: bool,
        is_likelier: bool = False,
        apart: int = -1,
    ) -> None:
        super().__init__(text, start, options, is_whole=is_whole, is_likelier=is_likelier)
        self.root: Any = None
        self.start = start
        self.opened = Places()
        self.shortcuts = Shortcuts(text, start, self.strings.memory, apart)
        self.duplicates = 0

    @abstractmethod
    def member(self) -> Step | None:
        """Read a member of an object."""

    @abstractmethod
    def element(self) -> Step | None:
        """Read an element of a list or an argument of a call."""

    @abstractmethod
    def after_value(self) -> Step | None:
        """Read the text after a value."""

    @abstractmethod
    def after_root(self, frame: Frame) -> Step | None:
        """Read the text after the outermost container, if it shows that the container continues."""

    def ended(self) -> Step | None:
        """End. This is a separate step, since a caller that closes a bracket must return a step."""
        return None

    # Values in their places

    def put(self, value: Any) -> Step | None:
        """Put a value in its place and return the step after it."""
        if not self.frames:
            self.root, self.item = value, -1
            return None
        frame = self.frames[-1]
        frame.item, frame.item_end, frame.item_comma = self.item, self.at, frame.comma
        self.use_comma(frame)
        self.item = -1
        self.notes.pack()
        if frame.kind == OBJECT:
            self.put_named(frame, frame.value, value)
        elif frame.kind != CALL:
            frame.value.append(value)
        elif frame.key:
            self.put_named(frame, frame.value.keywords, value)
            frame.key = ""
        else:
            frame.value.arguments.append(value)
        return self.after_value

    def use_comma(self, frame: Frame) -> None:
        """Record that something follows the last comma, or its substitute."""
        if frame.comma >= 0 and self.text[frame.comma] != ",":
            self.notes.add(faults.SEPARATOR, frame.comma, frame.comma + 1)
        frame.comma = -1

    def move_comma_out(self, frame: Frame, left: str) -> None:
        """Take the comma at a text's end as the missing one after it; that is a guess."""
        end = frame.item_end
        self.doubt(
            Reason.AMBIGUOUS, "The comma within the quotes may be the one that is missing behind them."
        )
        self.notes.add(faults.MISSING_COMMA, end - 2, end, '",')
        frame.value[frame.key if frame.kind == OBJECT else -1] = left.removesuffix(",")

    def put_named(self, frame: Frame, members: dict[str, Any], value: Any) -> None:
        """Put a value under its key; the last of two values under one key counts, as in any JSON reader."""
        key = frame.key
        if key in members:
            self.add_duplicate(frame, f"its values are {brief(members[key])} and {brief(value)}")
            frame.replaced = frame.key_start, members[key]
        members[key] = value

    def add_duplicate(self, frame: Frame, values: str) -> None:
        """Report a duplicate key; beyond a limit, the last issue reports the rest together."""
        start, code = frame.key_start, Reason.DUPLICATE_KEY
        detail = f"The key is {frame.key[:80]!r}; {values}."
        self.duplicates += 1
        if self.duplicates > _MOST_DUPLICATE_KEYS:
            rest = self.issues.pop().span
            assert rest is not None
            start = rest.start
            count = self.duplicates - _MOST_DUPLICATE_KEYS + 1
            detail = (
                f"That happens {counted(count, 'time')} from here on, the last time with {frame.key[:80]!r}."
            )
        self.issues.append(Issue(code, Span(start, frame.key_end), detail))

    # Opening and closing

    def open(self, kind: str, value: Any, inside: int) -> Step | None:
        """Open a container whose content begins at ``inside``."""
        if len(self.frames) >= self.options.max_depth:
            self.refuse(Reason.TOO_DEEP, f"The limit is {self.options.max_depth} levels.")
        parent = self.frames[-1].kind if self.frames else ROOT
        start = self.at
        self.put(value)
        self.push(Frame(kind, value, start, context(kind, parent), len(self.notes)))
        self.at = inside
        if (
            kind == OBJECT
            and self.text[inside : inside + 1] == "{"
            and DOUBLED_OPENER.match(self.text, start)
        ):
            self.frames[-1].is_doubled = True
            self.notes.add(faults.BRACKETS, start, start + 2, "{")
            self.at = start + 2
        return self.member if kind == OBJECT else self.element

    def close(self, end: int) -> Step | None:
        """Close the innermost container, whose bracket is before ``end``."""
        frame = self.frames[-1]
        if frame.kind == TUPLE:
            if len(frame.value) == 1 and frame.comma < 0:
                self.at = frame.start
                self.doubt(Reason.AMBIGUOUS, "The brackets may hold a value or a list of one.")
            self.notes.add(faults.BRACKETS, end - 1, end, "]")
        if frame.is_doubled:
            if not self.text.startswith("}", end):
                self.refuse(Reason.AMBIGUOUS, "The bracket that opens it stands there twice.")
            self.notes.add(faults.BRACKETS, end - 1, end + 1, "}")
            end += 1
        return self.closed(end)

    def close_unwritten(self, at: int) -> Step | None:
        """Close the innermost container, which has no bracket."""
        self.notes.add(faults.MISSING_CLOSER, at, at, JSON_CLOSERS[self.frames[-1].kind])
        return self.closed(at)

    def closed(self, end: int) -> Step | None:
        """Continue after the innermost container."""
        frame = self.pop()
        self.note_last_comma(frame)
        self.at = end
        self.leave(frame, end)
        if not self.frames:
            return self.after_root(frame) or self.ended
        self.frames[-1].item_end = end
        return self.after_value

    def note_last_comma(self, frame: Frame) -> None:
        """Note a comma that nothing follows: a tuple may have it, but JSON never does."""
        if frame.comma >= 0:
            fault = faults.BRACKETS if frame.kind == TUPLE else faults.TRAILING_COMMA
            self.notes.add(fault, frame.comma, frame.comma + 1)

    def leave(self, frame: Frame, end: int) -> None:
        """Record the place of a container that is no longer open."""
        if frame.kind in {OBJECT, CALL}:
            self.opened.add(frame.value, frame.start, end)
        elif frame.kind == TUPLE:
            self.notes.add(faults.BRACKETS, frame.start, frame.start + 1, "[")
        if frame.kind == CALL:
            self.forgive_python(frame)

    def forgive_python(self, frame: Frame) -> None:
        """Drop notes about forms that are no fault in a call, once the outermost call ends."""
        if not any(outer.kind == CALL for outer in self.frames):
            self.notes.keep(lambda note: note[0] not in _PYTHON_FORMS, frame.notes)
