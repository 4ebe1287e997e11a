"""The tolerant reader: reads one value that is not valid JSON, and notes every change that this takes.

Each step reads what stands at ``at`` and returns the step that comes next; a stack of frames takes the place of
recursion. A step reads as much as one call of a pattern or of the C scanner can: a valid container, a run of valid
members, and only then a token.
"""

from collections.abc import Callable
from re import Match
from typing import Any, NoReturn

from actionledger.parsing.scan.options import DecodeOptions
from actionledger.parsing.scan.tolerant import words
from actionledger.parsing.scan.tolerant.contexts import CALL, CLOSERS, LIST, OBJECT, ROOT, TUPLE, context
from actionledger.parsing.scan.tolerant.decoded import Call
from actionledger.parsing.scan.tolerant.keys import read_colon, read_key
from actionledger.parsing.scan.tolerant.patterns import (
    BARE_KEY_AHEAD,
    CALL_AHEAD,
    ELEMENTS,
    ELLIPSIS,
    EXTRA_CLOSERS,
    EXTRA_COMMAS,
    GOES_ON,
    KEYWORD,
    MEMBERS,
    MORE_CLOSERS,
    NEXT,
    PLUS_QUOTE,
    SURE_KEY_AHEAD,
    THREE_DIGITS,
    VALUE_AHEAD,
)
from actionledger.parsing.scan.tolerant.shapes import brief, closes_in_one_run, last_of
from actionledger.parsing.scan.tolerant.shortcuts import Shortcuts
from actionledger.parsing.scan.tolerant.state import Frame, State
from actionledger.parsing.scan.tolerant.strings import QUOTES
from actionledger.parsing.scan.tolerant.valid import SCAN_ERRORS, loads
from actionledger.values import Issue, Span
from actionledger.vocabulary import Reason, RepairKind

_LONGEST_INDENT = 200

Step = Callable[[], "Step | None"]

_PYTHON_FORMS = frozenset(
    {
        RepairKind.QUOTES,
        RepairKind.TRIPLE_QUOTES,
        RepairKind.STRING_PREFIX,
        RepairKind.LITERAL,
        RepairKind.NUMBER,
    }
    | {RepairKind.TRAILING_COMMA, RepairKind.COMMENT, RepairKind.BRACKETS}
)
"""What needs a repair in JSON and none inside a Python call."""


class Reader(State):
    """Reads the value that begins at ``at``.

    Attributes:
        root: the value.
        start: where it begins.
        opened: the objects and calls that were read piece by piece, each with its start and end.
        shortcuts: the containers that were read in one go.
    """

    __slots__ = (
        "_has_extra_closer",
        "_has_missing_closer",
        "_no_run_before",
        "opened",
        "root",
        "shortcuts",
        "start",
    )

    def __init__(self, text: str, start: int, options: DecodeOptions, *, is_whole: bool) -> None:
        super().__init__(text, start, options, is_whole=is_whole)
        self.root: Any = None
        self.start = start
        self.opened: list[tuple[Any, int, int]] = []
        self.shortcuts = Shortcuts(text, start, self.strings.memory)
        self._has_missing_closer = False
        self._has_extra_closer = False
        self._no_run_before = 0  # a run that holds a key twice is read member by member, not again and again

    def read(self) -> None:
        """Read the value.

        Raises:
            RefusedError: it can't be read, or not in one plain way.
            CutError: the text ends before it does.
        """
        self.skip()
        self.start = self.at
        step: Step | None = self.value
        for _ in range(self.options.work):
            assert step is not None
            step = step()
            if step is None:
                return
        self.refuse(Reason.TOO_MUCH_WORK, f"The limit is {self.options.work} steps.")

    # Values

    def value(self) -> Step | None:
        """Read a value of any kind."""
        character = self.skip()
        if self.item < 0:
            self.item = self.at
        if character in {"{", "["}:
            return self.container(character)
        if character in QUOTES:
            return self.put(words.read_string(self))
        if character.isdigit() or character in "+-.":
            if ELLIPSIS.match(self.text, self.at):
                self.refuse(Reason.MISSING_VALUE, "Dots stand for it.")
            return self.put(words.read_number(self))
        if character == "(" and self.frames:
            return self.open(TUPLE, [], self.at + 1)
        if self.options.calls and (call := CALL_AHEAD.match(self.text, self.at)):
            return self.open(CALL, Call(call[1]), call.end())
        if self.frames and self.frames[-1].kind in {OBJECT, CALL} and character in ",;}])…":
            self.refuse(Reason.MISSING_VALUE, f"The key is {self.frames[-1].key[:80]!r}.")
        return self.put(words.read_word(self))

    def put(self, value: Any) -> Step | None:
        """Put a value where it belongs; say what comes behind it."""
        self.item = -1
        if not self.frames:
            self.root = value
            return None
        frame = self.frames[-1]
        frame.comma = -1
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

    def put_named(self, frame: Frame, members: dict[str, Any], value: Any) -> None:
        """Put a value under its key; of two values under one key the last counts, as in any JSON reader."""
        key = frame.key
        if key in members:
            detail = f"The key is {key[:80]!r}; its values are {brief(members[key])} and {brief(value)}."
            self.issues.append(Issue(Reason.DUPLICATE_KEY, Span(frame.key_start, frame.key_end), detail))
        members[key] = value

    # Containers

    def container(self, bracket: str) -> Step | None:
        """Read an object or a list: in one go if it is valid or its faults are simple, else piece by piece."""
        start = self.at
        parent = self.frames[-1].kind if self.frames else ROOT
        read = self.shortcuts.read(start, self.options.max_depth - len(self.frames), parent)
        if read is None:
            return self.open(bracket, {} if bracket == OBJECT else [], start + 1)
        self.notes += read.notes
        self.at = read.end
        return self.put(read.value)

    def open(self, kind: str, value: Any, inside: int) -> Step | None:
        """Open a container whose content begins at ``inside``."""
        if len(self.frames) >= self.options.max_depth:
            self.refuse(Reason.TOO_DEEP, f"The limit is {self.options.max_depth} levels.")
        parent = self.frames[-1].kind if self.frames else ROOT
        start = self.at
        self.put(value)
        self.frames.append(Frame(kind, value, start, context(kind, parent), len(self.notes)))
        self.at = inside
        return self.member if kind == OBJECT else self.element

    def close(self, end: int) -> Step | None:
        """Close the innermost container, which ends here."""
        frame = self.frames.pop()
        if frame.comma >= 0 and frame.kind != TUPLE:
            self.note(RepairKind.TRAILING_COMMA, frame.comma, frame.comma + 1, "")
        if frame.kind == TUPLE:
            self.close_tuple(frame, end)
        self.at = end
        self.leave(frame, end)
        return self.after_value if self.frames else self.after_root(frame)

    def leave(self, frame: Frame, end: int) -> None:
        """Keep where a container stands that is no longer open."""
        if frame.kind in {OBJECT, CALL}:
            self.opened.append((frame.value, frame.start, end))
        if frame.kind == CALL:
            self.forgive_python(frame)

    def close_tuple(self, frame: Frame, end: int) -> None:
        """Take a tuple for a list, if it is one: brackets around one value may be just that."""
        if len(frame.value) == 1 and frame.comma < 0:
            self.at = frame.start
            self.refuse(Reason.AMBIGUOUS, "The brackets may hold a value or a list of one.")
        self.note(RepairKind.BRACKETS, frame.start, frame.start + 1, "[")
        self.note(RepairKind.BRACKETS, end - 1, end, "]")

    def forgive_python(self, frame: Frame) -> None:
        """Forget what is no fault inside a call, once the outermost one ends."""
        if not any(outer.kind == CALL for outer in self.frames):
            self.notes[frame.notes :] = [n for n in self.notes[frame.notes :] if n[0] not in _PYTHON_FORMS]

    # Members and elements

    def member(self) -> Step | None:
        """Read a member of an object, or several."""
        frame = self.frames[-1]
        if self.at >= self._no_run_before and (run := MEMBERS.match(self.text, self.at)):
            if self.take_members(frame, run):
                return self.member
            self._no_run_before = run.end()
        character = self.skip()
        if character == "}":
            return self.close(self.at + 1)
        if other := self.no_item(frame, character):
            return other
        self.item = self.at
        read_key(self, frame)
        read_colon(self, frame)
        return self.value

    def take_members(self, frame: Frame, run: Match[str]) -> bool:
        """Take a run of valid members, if none of their keys is there twice."""
        try:
            members = loads("{" + self.text[self.at : run.end() - 1] + "}")
        except SCAN_ERRORS:
            return False
        if not frame.value.keys().isdisjoint(members):
            return False
        frame.value.update(members)
        frame.sure = "sure"
        self.pass_comma(frame, run.end() - 1)
        return True

    def take_elements(self, frame: Frame, run: Match[str]) -> bool:
        """Take a run of valid elements."""
        try:
            frame.value.extend(loads("[" + self.text[self.at : run.end() - 1] + "]"))
        except SCAN_ERRORS:
            return False
        self.pass_comma(frame, run.end() - 1)
        return True

    def pass_comma(self, frame: Frame, at: int) -> Step:
        """Go on behind the comma that stands at ``at``."""
        frame.comma = at
        self.at = at + 1
        return self.member if frame.kind == OBJECT else self.element

    def element(self) -> Step | None:
        """Read an element of a list, or several; or an argument of a call."""
        frame = self.frames[-1]
        if (
            frame.kind == LIST
            and (run := ELEMENTS.match(self.text, self.at))
            and self.take_elements(frame, run)
        ):
            return self.element
        character = self.skip()
        if character == CLOSERS[frame.kind]:
            return self.close(self.at + 1)
        if other := self.no_item(frame, character):
            return other
        self.item = self.at
        if frame.kind == CALL and (name := KEYWORD.match(self.text, self.at)):
            frame.key, frame.key_start, frame.key_end = name[1], name.start(1), name.end(1)
            self.at = name.end()
        return self.value

    def no_item(self, frame: Frame, character: str) -> Step | None:
        """Pass what stands where an item belongs and is none; return None where it may be one."""
        again = self.member if frame.kind == OBJECT else self.element
        if commas := EXTRA_COMMAS.match(self.text, self.at):
            self.note(RepairKind.EXTRA_COMMA, self.at, commas.end(), "")
            self.at = commas.end()
            return again
        if dots := ELLIPSIS.match(self.text, self.at):
            self.note(RepairKind.ELLIPSIS, self.at, dots.end(), "")
            self.at = dots.end()
            frame.comma = -1
            return again
        if character in "}])":
            return self.wrong_closer(frame, character)
        return None

    # What comes behind a value

    def after_value(self) -> Step | None:
        """Pass the comma behind a value, or close its container."""
        frame = self.frames[-1]
        if match := NEXT.match(self.text, self.at):
            if match[1] == ",":
                return self.pass_comma(frame, match.end() - 1)
            if match[1] == CLOSERS[frame.kind]:
                return self.close(match.end())
        character = self.skip()
        if character in ",;":
            if character == ";":
                self.note(RepairKind.SEPARATOR, self.at, self.at + 1, ",")
            return self.pass_comma(frame, self.at)
        if character == CLOSERS[frame.kind]:
            return self.close(self.at + 1)
        if character in "}])":
            return self.wrong_closer(frame, character)
        return self.without_comma(frame, character)

    def without_comma(self, frame: Frame, character: str) -> Step | None:
        """Go on with an item that no comma precedes, if it plainly is one."""
        if dots := ELLIPSIS.match(self.text, self.at):
            self.note(RepairKind.ELLIPSIS, self.at, dots.end(), "")
            self.at = dots.end()
            return self.pass_comma(frame, dots.end() - 1) if dots[0].endswith(",") else self.after_value
        if character == "+":
            return self.sum_of_strings(frame)
        if isinstance(last_of(frame.value), int | float) and THREE_DIGITS.match(self.text, self.at):
            self.refuse(
                Reason.AMBIGUOUS, "It may be a number of its own, or the last digits of the one before it."
            )
        again = self.member if frame.kind == OBJECT else self.element
        if not (self.is_member_ahead() if frame.kind == OBJECT else VALUE_AHEAD.match(self.text, self.at)):
            self.refuse_here(f"a comma or {CLOSERS[frame.kind]!r}")
        self.note(RepairKind.MISSING_COMMA, self.at, self.at, ",")
        return again

    def is_member_ahead(self) -> bool:
        """Return whether a member plainly begins here: a key in quotes, or one without at the beginning of a line."""
        if SURE_KEY_AHEAD.match(self.text, self.at):
            return True
        line = self.text.rfind("\n", max(0, self.at - _LONGEST_INDENT), self.at)
        is_first = line >= 0 and self.text[line : self.at].isspace()
        return is_first and BARE_KEY_AHEAD.match(self.text, self.at) is not None

    def sum_of_strings(self, frame: Frame) -> Step | None:
        """Read ``"a" + "b"`` as one string."""
        plus = self.at
        self.at += 1
        if self.skip() not in QUOTES or frame.kind == CALL:
            self.at = plus
            self.refuse_here(f"a comma or {CLOSERS[frame.kind]!r}")
        left = frame.value.pop(frame.key) if frame.kind == OBJECT else frame.value.pop()
        self.item = frame.key_start if frame.kind == OBJECT else plus
        if not isinstance(left, str):
            self.refuse_here("a number")
        parts = [left, words.read_string(self)]
        self.note(RepairKind.CONCATENATION, plus, plus + 1, "")
        while more := PLUS_QUOTE.match(self.text, self.at):
            self.note(RepairKind.CONCATENATION, more.start(1), more.end(1), "")
            self.at = more.end()
            parts.append(words.read_string(self))
        return self.put("".join(parts))

    def wrong_closer(self, frame: Frame, closer: str) -> Step | None:
        """Pass a bracket that doesn't close the innermost container: one is missing, or this is one too many."""
        if any(CLOSERS[outer.kind] == closer for outer in self.frames):
            self._has_missing_closer = True
            self.note(RepairKind.MISSING_CLOSER, self.at, self.at, CLOSERS[frame.kind])
            step = self.close(self.at)
        else:
            self._has_extra_closer = True
            if not closes_in_one_run(last_of(frame.value)):
                self.refuse_mixed_closers()
            closers = EXTRA_CLOSERS.match(self.text, self.at)
            assert closers is not None
            self.note(RepairKind.EXTRA_CLOSER, self.at, closers.end(), "")
            self.at = closers.end()
            step = self.after_value
        if self._has_missing_closer and self._has_extra_closer:
            self.refuse_mixed_closers()
        return step

    def after_root(self, frame: Frame) -> Step | None:
        """End, unless what follows shows that the outermost container goes on or that its brackets don't add up."""
        if GOES_ON.match(self.text, self.at):
            is_plain = frame.kind == OBJECT and closes_in_one_run(frame.value)
            if not is_plain or self._has_missing_closer or self.issues:
                self.refuse_mixed_closers()  # a duplicate key hides what it replaced, brackets and all
            self._has_extra_closer = True
            self.note(RepairKind.EXTRA_CLOSER, self.at - 1, self.at, "")
            self.opened.pop()
            self.frames.append(frame)
            return self.after_value
        if closers := MORE_CLOSERS.match(self.text, self.at):
            if self._has_missing_closer:
                self.refuse_mixed_closers()
            if self.is_whole and closers.end() == len(self.text):
                self.note(RepairKind.EXTRA_CLOSER, *closers.span(1), "")
                self.at = closers.end(1)
        return None

    def refuse_mixed_closers(self) -> NoReturn:
        """Give up where it can't be known which bracket is the wrong one."""
        self.refuse(
            Reason.AMBIGUOUS, "The brackets don't add up; more than one of them may be the wrong one."
        )
