"""Containers: how they are opened, filled and closed.

The reader takes the steps from token to token; this is what a step does to the containers that are open.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from actionledger.core.text import counted
from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import Reason
from actionledger.reading.tolerant_json import faults
from actionledger.reading.tolerant_json.contexts import CALL, JSON_CLOSERS, OBJECT, ROOT, TUPLE, context
from actionledger.reading.tolerant_json.locating import Places
from actionledger.reading.tolerant_json.options import DecodeOptions
from actionledger.reading.tolerant_json.shapes import brief
from actionledger.reading.tolerant_json.shortcuts import Shortcuts
from actionledger.reading.tolerant_json.state import Frame, State

_MOST_DUPLICATE_KEYS = 100

Step = Callable[[], "Step | None"]

_PYTHON_FORMS = frozenset(fault.kind for fault in faults.FAULTS if fault.is_python)
"""What needs a repair in JSON and none inside a Python call."""


class Containers(State, ABC):
    """Holds what was read: opens containers, puts values into them, closes them.

    Attributes:
        root: the value.
        start: where it begins.
        opened: the objects and calls that were read piece by piece, each with its start and end.
        shortcuts: the containers that were read in one go.
        duplicates: how many keys are there twice.
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
        """Read what stands behind a value."""

    @abstractmethod
    def after_root(self, frame: Frame) -> Step | None:
        """Read what stands behind the outermost container, if that shows that it goes on."""

    def ended(self) -> Step | None:
        """End; a step of its own, for who closes a bracket has to say that something was done."""
        return None

    # Values in their places

    def put(self, value: Any) -> Step | None:
        """Put a value where it belongs; say what comes behind it."""
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
        """Keep in mind that something has followed the last comma, or what stands in its place."""
        if frame.comma >= 0 and self.text[frame.comma] != ",":
            self.notes.add(faults.SEPARATOR, frame.comma, frame.comma + 1)
        frame.comma = -1

    def put_named(self, frame: Frame, members: dict[str, Any], value: Any) -> None:
        """Put a value under its key; of two values under one key the last counts, as in any JSON reader."""
        key = frame.key
        if key in members:
            self.add_duplicate(frame, f"its values are {brief(members[key])} and {brief(value)}")
            frame.replaced = frame.key_start, members[key]
        members[key] = value

    def add_duplicate(self, frame: Frame, values: str) -> None:
        """Say that a key is there twice; of a great many, the last issue names the rest together."""
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
        return self.member if kind == OBJECT else self.element

    def close(self, end: int) -> Step | None:
        """Close the innermost container, whose bracket stands before ``end``."""
        frame = self.frames[-1]
        if frame.kind == TUPLE:
            if len(frame.value) == 1 and frame.comma < 0:
                self.at = frame.start
                self.doubt(Reason.AMBIGUOUS, "The brackets may hold a value or a list of one.")
            self.notes.add(faults.BRACKETS, end - 1, end, "]")
        return self.closed(end)

    def close_unwritten(self, at: int) -> Step | None:
        """Close the innermost container, whose bracket is missing."""
        self.notes.add(faults.MISSING_CLOSER, at, at, JSON_CLOSERS[self.frames[-1].kind])
        return self.closed(at)

    def closed(self, end: int) -> Step | None:
        """Go on behind the innermost container."""
        frame = self.pop()
        self.note_last_comma(frame)
        self.at = end
        self.leave(frame, end)
        if not self.frames:
            return self.after_root(frame) or self.ended
        self.frames[-1].item_end = end
        return self.after_value

    def note_last_comma(self, frame: Frame) -> None:
        """Note a comma that nothing follows; it is none too many in a tuple, but JSON has it nowhere."""
        if frame.comma >= 0:
            fault = faults.BRACKETS if frame.kind == TUPLE else faults.TRAILING_COMMA
            self.notes.add(fault, frame.comma, frame.comma + 1)

    def leave(self, frame: Frame, end: int) -> None:
        """Keep where a container stands that is no longer open."""
        if frame.kind in {OBJECT, CALL}:
            self.opened.add(frame.value, frame.start, end)
        elif frame.kind == TUPLE:
            self.notes.add(faults.BRACKETS, frame.start, frame.start + 1, "[")
        if frame.kind == CALL:
            self.forgive_python(frame)

    def forgive_python(self, frame: Frame) -> None:
        """Forget what is no fault inside a call, once the outermost one ends."""
        if not any(outer.kind == CALL for outer in self.frames):
            self.notes.keep(lambda note: note[0] not in _PYTHON_FORMS, frame.notes)
