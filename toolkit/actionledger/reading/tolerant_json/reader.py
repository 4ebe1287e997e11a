"""The tolerant reader: reads one invalid JSON value and notes every repair.

Each step reads at ``at`` and returns the next step; a stack of frames replaces recursion. A step reads as much as
one call of a pattern or of the C scanner can: a valid container, a run of valid members, and only then a token.
"""

from re import Match

from actionledger.core.patterns import regex
from actionledger.core.vocabulary import Reason, RepairKind
from actionledger.reading.tolerant_json import faults, words
from actionledger.reading.tolerant_json.brackets import Supposition, UnevenContainers
from actionledger.reading.tolerant_json.containers import Step
from actionledger.reading.tolerant_json.contexts import CALL, CLOSERS, KEY, LIST, OBJECT, ROOT, TUPLE, context
from actionledger.reading.tolerant_json.decoded import Call, last_of
from actionledger.reading.tolerant_json.endings import QUOTES
from actionledger.reading.tolerant_json.faults import DecodeOptions
from actionledger.reading.tolerant_json.notes import CutError, RefusedError
from actionledger.reading.tolerant_json.patterns import (
    BARE_KEY_AHEAD,
    CALL_AHEAD,
    CLOSED_TEXT,
    COLON,
    ELEMENTS,
    KEYWORD,
    MEMBERS,
    NEXT,
    SURE_KEY_AHEAD,
    THREE_DIGITS,
    UNOPENED_KEY,
    VALUE_AHEAD,
    WIDE_COMMAS,
)
from actionledger.reading.tolerant_json.state import Frame, State
from actionledger.reading.tolerant_json.valid import SCAN_ERRORS, loads

_WIDTHS = {RepairKind.QUOTES: 1, RepairKind.TRIPLE_QUOTES: 3}
_NOTES_OF_A_STRING = 8  # about its prefix, its quotes and its content, and about the sum that it ends


def read_sum(state: State, left: str, end: int) -> str:
    """Read a sum of strings as one string.

    The quotes between two of them belong only to the repair that joins them.
    """
    parts = [left]
    while plus := faults.CONCATENATION.looks.match(state.text, end):
        closing = _give_up_last_quote(state, end)
        state.at = plus.end()
        parts.append(words.read_string(state))
        end = state.at
        state.notes.add(faults.CONCATENATION, closing, _give_up_first_quote(state, plus.end()))
        state.notes.pack()
    return "".join(parts)


def _last_notes(state: State) -> range:
    """Return the range of notes that includes those about the last string."""
    count = len(state.notes.recent)
    return range(max(0, count - _NOTES_OF_A_STRING), count)


def _give_up_last_quote(state: State, end: int) -> int:
    """Remove a string's closing quote from the note of its quotes, if any; return its place."""
    for index in _last_notes(state):
        kind, start, stop, _ = state.notes.recent[index]
        if kind in _WIDTHS and stop == end:
            stop -= _WIDTHS[kind]
            _cut_note(state, index, start, stop, slice(0, -1))
            return stop
    return end - 1


def _give_up_first_quote(state: State, start: int) -> int:
    """Remove a string's opening quote from the note of its quotes, if any; return where the string's text begins."""
    for index in _last_notes(state):
        kind, begin, stop, _ = state.notes.recent[index]
        if kind in _WIDTHS and begin == start:
            begin += _WIDTHS[kind]
            _cut_note(state, index, begin, stop, slice(1, None))
            return begin
    return start + 1


def _cut_note(state: State, index: int, start: int, end: int, kept: slice) -> None:
    """Shorten a note to the rest of its stretch and replacement; drop it if both are equal."""
    kind, begin, stop, after = state.notes.recent[index]
    whole = after if isinstance(after, str) else after(state.text[begin:stop])
    if state.text[start:end] == whole[kept]:
        del state.notes.recent[index]
    else:
        state.notes.recent[index] = (kind, start, end, whole[kept])


KEY_PLACE = context(KEY, ROOT)
_COLONS = regex(r":[:\s]*+")


def read_key(state: State, frame: Frame) -> None:
    """Read the key here and record whether it has quotes, since the object's other keys will be alike."""
    text, start = state.text, state.at
    if text[start] in QUOTES:
        frame.key, state.at = state.strings.read(start, KEY_PLACE, "sure")
        frame.sure = "sure"
    elif unopened := UNOPENED_KEY.match(text, start):
        frame.key, state.at = state.strings.unopened(start, unopened.end()), unopened.end() + 1
    elif bare := faults.UNQUOTED_KEY.looks.match(text, start):
        frame.key, state.at = bare[0], bare.end()
        frame.sure = "bare"
        state.notes.add(faults.UNQUOTED_KEY, start, state.at)
    else:
        state.refuse_here("a key")
    frame.key_start, frame.key_end = start, state.at


def read_colon(state: State, frame: Frame) -> None:
    """Read a key's colon, or its substitute."""
    if match := COLON.match(state.text, state.at):
        state.at = match.end()
        if again := _COLONS.match(state.text, state.at):
            state.notes.add(faults.COLON, state.at, again.end(), "")
            state.at = again.end()
        return
    character = state.skip()
    if character == ":":
        state.at += 1
    elif match := faults.COLON.looks.match(state.text, state.at):
        state.notes.add(faults.COLON, state.at, match.end())
        state.at = match.end()
    elif character in ",;}])":
        state.refuse(Reason.MISSING_VALUE, f"The key is {frame.key[:80]!r}.")
    elif frame.sure == "bare":
        state.refuse(Reason.AMBIGUOUS, f"The key may be {frame.key[:80]!r} or go on; it has no quotes.")
    elif VALUE_AHEAD.match(state.text, state.at):
        state.notes.add(faults.MISSING_COLON, state.at, state.at)
    else:
        state.refuse_here("a colon")


_LONGEST_INDENT = 200
_ITEM_SEPARATORS = f",;{WIDE_COMMAS}"


class Reader(UnevenContainers):
    """Reads the value that begins at ``at``, step by step; see ``Containers`` for its results."""

    __slots__ = ("_no_run_before",)

    def __init__(
        self,
        text: str,
        start: int,
        options: DecodeOptions,
        *,
        is_whole: bool,
        is_likelier: bool = False,
        supposition: Supposition | None = None,
    ) -> None:
        super().__init__(
            text, start, options, is_whole=is_whole, is_likelier=is_likelier, supposition=supposition
        )
        self._no_run_before = 0  # a run with a duplicate key is read member by member, not repeatedly

    def read(self) -> None:
        """Read the value."""
        self.skip()
        self.start = self.at
        step: Step | None = self.first_step()
        for _ in range(self.options.work):
            assert step is not None
            step = step()
            if step is None:
                return
        self.refuse(Reason.TOO_MUCH_WORK, f"The limit is {self.options.work} steps.")

    def first_step(self) -> Step:
        """Begin with the value."""
        return self.value

    # Values

    def value(self) -> Step | None:
        """Read a value of any kind."""
        character = self.skip(is_value_due=bool(self.frames) and self.frames[-1].kind == OBJECT)
        if self.item < 0:
            self.item = self.at
        if character in {"{", "["}:
            return self.container(character)
        if character in QUOTES and not self.text.startswith("```", self.at):
            return self.put(words.read_string(self) if self.frames else self.root_string())
        if character.isdigit() or character in "+-.":
            if faults.ELLIPSIS.looks.match(self.text, self.at):
                self.refuse(Reason.MISSING_VALUE, "Dots stand for it.")
            return self.put(words.read_number(self))
        if character == "(" and self.frames:
            return self.open(TUPLE, [], self.at + 1)
        if self.options.calls and (call := CALL_AHEAD.match(self.text, self.at)):
            return self.open(CALL, Call(call[1]), call.end())
        if self.frames and self.frames[-1].kind in {OBJECT, CALL} and character in ",;}])…":
            self.refuse(Reason.MISSING_VALUE, f"The key is {self.frames[-1].key[:80]!r}.")
        return self.put(words.read_word(self))

    def root_string(self) -> str:
        """Read a text outside of containers, or a sum of several."""
        left = words.read_string(self)
        is_sum = self.cut_at < 0 and faults.CONCATENATION.looks.match(self.text, self.at)
        return read_sum(self, left, self.at) if is_sum else left

    # Containers

    def container(self, bracket: str) -> Step | None:
        """Read an object or a list: in one go if it is valid or its faults are simple, else piece by piece."""
        start = self.at
        parent = self.frames[-1].kind if self.frames else ROOT
        read = self.shortcuts.read(start, self.options.max_depth - len(self.frames), parent)
        if read is None:
            return self.open(bracket, {} if bracket == OBJECT else [], start + 1)
        if read.notes is not None:
            self.notes.take(read.notes)
        self.at = read.end
        return self.put(read.value)

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
        try:
            return self.read_member(frame)
        except RefusedError:
            if other := self.element_in_object(frame):
                return other
            raise

    def read_member(self, frame: Frame) -> Step | None:
        """Read a member's key and colon."""
        read_key(self, frame)
        read_colon(self, frame)
        return self.value

    def take_members(self, frame: Frame, run: Match[str]) -> bool:
        """Read a run of valid members, if their keys are unique."""
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
        """Read a run of valid elements."""
        try:
            frame.value.extend(loads("[" + self.text[self.at : run.end() - 1] + "]"))
        except SCAN_ERRORS:
            return False
        self.pass_comma(frame, run.end() - 1)
        return True

    def pass_comma(self, frame: Frame, at: int) -> Step:
        """Continue after the comma at ``at``."""
        self.use_comma(frame)  # unless a value was inserted after it
        frame.comma = at
        self.at = at + 1
        return self.member if frame.kind == OBJECT else self.element

    def element(self) -> Step | None:
        """Read an element of a list, or several; or an argument of a call."""
        frame = self.frames[-1]
        run = ELEMENTS.match(self.text, self.at) if frame.kind == LIST else None
        if run and self.take_elements(frame, run):
            return self.element
        character = self.skip()
        if character == CLOSERS[frame.kind]:
            return self.close(self.at + 1)
        if other := self.no_item(frame, character):
            return other
        self.item = self.at
        if frame.kind == CALL and (name := KEYWORD.match(self.text, self.at)):
            group = "name" if name["name"] else "quoted"
            frame.key, frame.key_start, frame.key_end = name[group], *name.span(group)
            if name["quoted"]:
                self.notes.add(faults.COLON, *name.span(), f"{frame.key}=")
            self.at = name.end()
        return self.value

    def no_item(self, frame: Frame, character: str) -> Step | None:
        """Skip text that is no item; None if it may be one."""
        again = self.member if frame.kind == OBJECT else self.element
        if commas := faults.EXTRA_COMMA.looks.match(self.text, self.at):
            self.notes.add(faults.EXTRA_COMMA, self.at, commas.end())
            self.at = commas.end()
            return again
        if dots := faults.ELLIPSIS.looks.match(self.text, self.at):
            place = KEY_PLACE if frame.kind == OBJECT else frame.place
            if self.text.startswith('"', dots.end()) and place.fits.match(self.text, dots.end() + 1):
                self.refuse(Reason.AMBIGUOUS, "The dots may be a text that lacks its first quote.")
            self.notes.add(faults.ELLIPSIS, self.at, dots.end())
            self.at = dots.end()
            return again
        if character in "}])":
            return self.wrong_closer(frame, character)
        return None

    # After a value

    def after_value(self) -> Step | None:
        """Skip the comma after a value, or close its container."""
        frame = self.frames[-1]
        if match := NEXT.match(self.text, self.at):
            if match[1] == ",":
                return self.pass_comma(frame, match.end() - 1)
            if match[1] == CLOSERS[frame.kind]:
                return self.close(match.end())
        character = self.skip()
        if character in _ITEM_SEPARATORS:
            return self.pass_comma(frame, self.at)
        if character == CLOSERS[frame.kind]:
            return self.close(self.at + 1)
        if character in "}])":
            return self.wrong_closer(frame, character)
        return self.without_comma(frame, character)

    def without_comma(self, frame: Frame, character: str) -> Step | None:
        """Continue with an item without a comma before it, if it plainly is one."""
        if dots := faults.ELLIPSIS.looks.match(self.text, self.at):
            end = dots.end() - dots[0].endswith(",")  # the comma belongs to what is before the dots
            self.notes.add(faults.ELLIPSIS, self.at, end)
            self.at = end
            return self.after_value
        if character == ":" and frame.kind == LIST and (other := self.member_in_list(frame)):
            return other
        if character == "+":
            return self.sum_of_strings(frame)
        if isinstance(last_of(frame.value), int | float) and THREE_DIGITS.match(self.text, self.at):
            self.refuse(
                Reason.AMBIGUOUS, "It may be a number of its own, or the last digits of the one before it."
            )
        if character == '"' and frame.kind == LIST and self.text[self.at - 1].isalnum():
            self.check_text_is_closed()
        again = self.member if frame.kind == OBJECT else self.element
        if not (self.is_member_ahead() if frame.kind == OBJECT else VALUE_AHEAD.match(self.text, self.at)):
            self.refuse_here(f"a comma or {CLOSERS[frame.kind]!r}")
        if self.text.endswith(',"', 0, frame.item_end) and isinstance(left := last_of(frame.value), str):
            self.move_comma_out(frame, left)
            return again
        self.notes.add(faults.MISSING_COMMA, self.at, self.at)
        return again

    def check_text_is_closed(self) -> None:
        """Check that a quote right after a number or a literal opens a text rather than ending one."""
        if not CLOSED_TEXT.match(self.text, self.at):
            self.refuse(
                Reason.AMBIGUOUS, "It may be the end of a text that lacks its first quote, or begin one."
            )

    def is_member_ahead(self) -> bool:
        """Return whether a member plainly begins here: a key in quotes, or an unquoted one at the start of a line."""
        if SURE_KEY_AHEAD.match(self.text, self.at):
            return True
        line = self.text.rfind("\n", max(0, self.at - _LONGEST_INDENT), self.at)
        is_first = line >= 0 and self.text[line : self.at].isspace()
        return is_first and BARE_KEY_AHEAD.match(self.text, self.at) is not None

    def sum_of_strings(self, frame: Frame) -> Step | None:
        """Read ``"a" + "b"`` as one string."""
        left = frame.value.get(frame.key) if frame.kind == OBJECT else last_of(frame.value)
        is_sum = faults.CONCATENATION.looks.match(self.text, frame.item_end) and isinstance(left, str)
        if not is_sum:
            self.refuse_here(f"a comma or {CLOSERS[frame.kind]!r}")
        try:
            whole = read_sum(self, left, frame.item_end)
        except CutError:
            self.item, frame.comma = frame.item, frame.item_comma
            frame.take_back()
            raise
        frame.value[frame.key if frame.kind == OBJECT else -1] = whole
        frame.item_end = self.at
        return self.after_value
