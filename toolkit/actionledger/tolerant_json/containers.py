"""Containers: how they are opened, filled and closed, and what is done where a bracket doesn't fit.

The reader takes the steps from token to token; this is what a step does to the containers that are open.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NoReturn

from actionledger.plurals import counted
from actionledger.tolerant_json import faults
from actionledger.tolerant_json.brackets import (
    Rule,
    Supposition,
    closes_in_one_run,
    guess,
    is_indented,
    may_end_later,
    other_place,
)
from actionledger.tolerant_json.contexts import (
    CALL,
    CLOSERS,
    JSON_CLOSERS,
    LIST,
    OBJECT,
    ROOT,
    TUPLE,
    context,
)
from actionledger.tolerant_json.locating import Places
from actionledger.tolerant_json.notes import RefusedError
from actionledger.tolerant_json.options import DecodeOptions
from actionledger.tolerant_json.patterns import (
    ANOTHER_VALUE,
    GOES_ON,
    MORE_CLOSERS,
    SCALAR_ELEMENT,
)
from actionledger.tolerant_json.shapes import brief, last_of
from actionledger.tolerant_json.shortcuts import Shortcuts
from actionledger.tolerant_json.state import Frame, State
from actionledger.values import Issue, Span
from actionledger.vocabulary import Reason, RepairKind

_MOST_CLOSERS_TOO_MANY = 16
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
        supposition: what is taken to be the one fault of the brackets; None where the usual one is looked for.
        bracket_faults: what was wrong with the brackets so far, in text order.
        suspect: where the first bracket stands that may be the wrong one; -1 where there is none.
        doubt: why a reading is refused whose brackets come out even; None where it isn't.
        duplicates: how many keys are there twice.
    """

    __slots__ = (
        "bracket_faults",
        "doubt",
        "duplicates",
        "opened",
        "root",
        "shortcuts",
        "start",
        "supposition",
        "suspect",
    )

    def __init__(
        self,
        text: str,
        start: int,
        options: DecodeOptions,
        *,
        is_whole: bool,
        supposition: Supposition | None = None,
    ) -> None:
        super().__init__(text, start, options, is_whole=is_whole)
        self.root: Any = None
        self.start = start
        self.opened = Places()
        self.shortcuts = Shortcuts(text, start, self.strings.memory, supposition.at if supposition else -1)
        self.supposition = supposition
        self.bracket_faults: list[Rule] = []
        self.suspect = -1
        self.doubt: RefusedError | None = None
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

    def ended(self) -> Step | None:
        """End."""
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
        """Keep in mind that something has followed the last comma, or the semicolon in its place."""
        if frame.comma >= 0 and self.text[frame.comma] == ";":
            self.notes.add(faults.SEPARATOR, frame.comma, frame.comma + 1)
        frame.comma = -1

    def put_named(self, frame: Frame, members: dict[str, Any], value: Any) -> None:
        """Put a value under its key; of two values under one key the last counts, as in any JSON reader."""
        key = frame.key
        if key in members:
            self.add_duplicate(frame, f"its values are {brief(members[key])} and {brief(value)}")
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
        if self.supposition is not None and self.supposition.at == end - 1:
            return self.as_supposed()
        frame = self.frames[-1]
        if frame.kind == TUPLE:
            if len(frame.value) == 1 and frame.comma < 0:
                self.at = frame.start
                self.refuse(Reason.AMBIGUOUS, "The brackets may hold a value or a list of one.")
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

    # Brackets that don't add up

    def wrong_closer(self, frame: Frame, closer: str) -> Step | None:
        """Pass a bracket that doesn't close the innermost container."""
        if self.supposition is not None:
            return self.as_supposed() if self.supposition.at == self.at else self.refuse_brackets()
        if self.suspect < 0:
            self.suspect = self.at
        rule = guess(self.kinds, closer)
        self.add_bracket_fault(rule)
        if rule is Rule.MISSING:
            self.check_place_of_missing_closer(frame)
            return self.close_unwritten(self.at)
        if not closes_in_one_run(last_of(frame.value)):
            self.refuse_brackets()
        closers = faults.EXTRA_CLOSER.looks.match(self.text, self.at)
        assert closers is not None
        return self.drop_closers(frame, closers.end())

    def add_bracket_fault(self, rule: Rule) -> None:
        """Keep in mind what is wrong with the brackets; faults of two kinds may cancel out, and many are no accident."""
        self.bracket_faults.append(rule)
        has_others = self.bracket_faults[0] is not rule
        if has_others or (rule is Rule.EXTRA and len(self.bracket_faults) > _MOST_CLOSERS_TOO_MANY):
            self.refuse_brackets()

    def as_supposed(self) -> Step | None:
        """Pass the bracket that is supposed to be the one that is wrong."""
        assert self.supposition is not None
        frame, self.at = self.frames[-1], self.supposition.at
        self.add_bracket_fault(self.supposition.rule)
        fits = self.text[self.at] == CLOSERS[frame.kind]
        if self.supposition.rule is Rule.EXTRA:
            if not closes_in_one_run(frame.value if fits else last_of(frame.value)):
                self.refuse_brackets()
            return self.drop_closers(frame, self.at + 1)
        if fits or not frame.value:  # of an empty container, nothing says which bracket is the wrong one
            self.refuse_brackets()
        self.notes.add(faults.MISSING_CLOSER, self.at, self.at, JSON_CLOSERS[frame.kind])
        self.notes.add(faults.EXTRA_CLOSER, self.at, self.at + 1)
        return self.closed(self.at + 1)

    def drop_closers(self, frame: Frame, end: int) -> Step | None:
        """Pass brackets that close nothing."""
        self.notes.add(faults.EXTRA_CLOSER, self.at, end)
        self.at = end
        if frame.comma < 0 and frame.value:
            return self.after_value
        return self.member if frame.kind == OBJECT else self.element

    def check_place_of_missing_closer(self, frame: Frame) -> None:
        """See whether the innermost container's bracket was forgotten here, or may have been before."""
        if self.doubt:
            return
        place = "before it" if self.issues else other_place(frame.kind, self.outer, frame.value)
        if place and not self.is_indented(frame, self.at):
            detail = f"A {CLOSERS[frame.kind]!r} is missing: here, or {place}."
            self.doubt = RefusedError(Reason.AMBIGUOUS, self.at, self.at + 1, detail)

    def is_indented(self, frame: Frame, stop: int) -> bool | None:
        """Return what the indentation says of a container that ends there, see ``brackets.is_indented``."""
        if any(kind is RepairKind.CONTROL_CHARACTER for kind, *_ in self.notes.since(frame.notes)):
            return None  # some lines are in strings
        return is_indented(self.text, frame.start, stop)

    def close_before_comma(self, frame: Frame, comma: int) -> Step | None:
        """Close a container whose bracket was forgotten before a comma, for what follows belongs to the one around."""
        self.at = comma
        self.check_place_of_missing_closer(frame)
        self.forget_from(comma)
        self.add_bracket_fault(Rule.MISSING)
        self.item = frame.comma = -1
        return self.close_unwritten(comma)

    def forget_from(self, at: int) -> None:
        """Forget the notes of what stands from a comma on: it is dropped, or read again."""
        self.notes.keep(lambda note: note[2] <= at)

    def element_in_object(self, frame: Frame) -> Step | None:
        """Take an item of an object that is no member for an element of the list around it; None if it may be neither."""
        is_element = self.outer == LIST and frame.comma >= 0 and SCALAR_ELEMENT.match(self.text, self.item)
        if not is_element or self.bracket_faults or self.supposition:
            return None
        return self.close_before_comma(frame, frame.comma)

    def member_in_list(self, frame: Frame) -> Step | None:
        """Take an element of a list that a colon follows for a member of the object around it, or of the one before it."""
        comma = frame.item_comma
        if comma < 0 or not isinstance(last_of(frame.value), str) or self.bracket_faults or self.supposition:
            return None
        closer = len(self.text[frame.start : comma].rstrip()) + frame.start - 1
        if self.text[closer] == "}":
            self.suspect = closer
        if self.outer == OBJECT:
            frame.value.pop()
            return self.close_before_comma(frame, comma)
        return self.refuse_brackets() if self.suspect >= 0 else None

    def after_root(self, frame: Frame) -> Step | None:
        """End, unless what follows shows that the outermost container goes on or that its brackets don't add up."""
        if GOES_ON.match(self.text, self.at):
            is_plain = frame.kind == OBJECT and closes_in_one_run(frame.value)
            if not is_plain or self.issues or self.supposition:
                self.refuse_brackets()  # a duplicate key hides what it replaced, brackets and all
            self.add_bracket_fault(Rule.EXTRA)
            self.notes.add(faults.EXTRA_CLOSER, self.at - 1, self.at)
            self.opened.drop_last()
            self.push(frame)
            return self.after_value
        closers = MORE_CLOSERS.match(self.text, self.at)
        if self.bracket_faults and (closers or ANOTHER_VALUE.match(self.text, self.at)):
            self.refuse_brackets()
        if closers and self.is_whole and closers.end() == len(self.text):
            if self.issues or (
                self.text[closers.start(1)] == CLOSERS[frame.kind] and may_end_later(frame.value)
            ):
                self.refuse(Reason.AMBIGUOUS, "A bracket closes too much: this one, or one before it.")
            self.notes.add(faults.EXTRA_CLOSER, self.at, closers.end(1))
            self.at = closers.end(1)
        if self.doubt:
            raise self.doubt
        return None

    def refuse_brackets(self) -> NoReturn:
        """Give up where it can't be known which bracket is the wrong one."""
        end = min(self.at + 1, len(self.text))
        detail = "The brackets don't add up; any of several may be the wrong one."
        raise RefusedError(Reason.AMBIGUOUS, self.at, end, detail)
