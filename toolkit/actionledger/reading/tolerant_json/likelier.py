"""Read a refused text in the likelier of two ways, on request, and report the doubts.

It runs only on refused texts. Its result always has an issue; a parser of actions never requests it.
"""

import re

from actionledger.core.patterns import regex
from actionledger.core.vocabulary import Reason
from actionledger.reading.tolerant_json import faults
from actionledger.reading.tolerant_json.brackets import Rule
from actionledger.reading.tolerant_json.containers import Step
from actionledger.reading.tolerant_json.contexts import CALL, LIST, OBJECT, ROOT, context, open_brackets
from actionledger.reading.tolerant_json.decoded import last_of
from actionledger.reading.tolerant_json.endings import QUOTES
from actionledger.reading.tolerant_json.escapes import doubly_requoted, value_of
from actionledger.reading.tolerant_json.notes import RefusedError
from actionledger.reading.tolerant_json.patterns import (
    ANOTHER_VALUE,
    BARE_KEY_AHEAD,
    BEGINS_MEMBERS,
    ELEMENTS_WITHOUT_BRACKET,
    GOES_ON,
    VALUE_AHEAD,
    WRAPPED_SCALAR,
)
from actionledger.reading.tolerant_json.reader import Reader, read_colon, read_key
from actionledger.reading.tolerant_json.state import Frame
from actionledger.reading.tolerant_json.valid import loads

_ESCAPED_QUOTES = regex(r'\\"((?:[^"\\]++|\\(?!")[\s\S]|\\\\\\")*+)\\"')
_KEY_OF_WORDS = regex(r"[\w$][\w$ .\-]{0,60}?(?=[ \t]*+[:=])")
_NEAR = 1_000
_MOST_REOPENED = 16
_CLOSERS_LOOKED_AT = 2
_BRACKET = regex(r"[{}\[\]]")


class LikelierReader(Reader):
    """Reads what the reader refuses, in the likelier way."""

    __slots__ = ("last_value",)

    def first_step(self) -> Step:
        """Begin, with a bracket added if members or elements plainly begin here."""
        kind = ""
        if BEGINS_MEMBERS.match(self.text, self.at):
            kind = OBJECT
        elif ELEMENTS_WITHOUT_BRACKET.match(self.text, self.at) and self.text.rstrip().endswith("]"):
            kind = LIST
        return self.open_unwritten(kind, ROOT) if kind else super().first_step()

    def open_unwritten(self, kind: str, parent: str) -> Step:
        """Open a container without a bracket."""
        self.doubt(Reason.MISSING_OPENER)
        start = self.item = self.at
        self.notes.add(faults.MISSING_OPENER, start, start, kind)
        value: dict[str, object] | list[object] = {} if kind == OBJECT else []
        self.put(value)
        self.push(Frame(kind, value, start, context(kind, parent), len(self.notes)))
        return self.member if kind == OBJECT else self.element

    # Values

    def container(self, bracket: str) -> Step | None:
        """Read the outermost container piece by piece: its last bracket may not be the apparent one."""
        if self.frames:
            return super().container(bracket)
        return self.open(bracket, {} if bracket == OBJECT else [], self.at + 1)

    def value(self) -> Step | None:
        """Read a value of any kind, or null if it is missing."""
        character = self.skip(is_value_due=bool(self.frames) and self.frames[-1].kind == OBJECT)
        self.last_value = self.at
        if self.item < 0:
            self.item = self.at
        if dots := faults.ELLIPSIS.looks.match(self.text, self.at):
            return self.missing_value(dots.end())
        if self.frames and self.frames[-1].kind in {OBJECT, CALL} and character in ",;}])":
            return self.missing_value(self.at)
        if wrapped := WRAPPED_SCALAR.match(self.text, self.at):
            return self.put(self.scalar_in_call(wrapped))
        if character == "\\" and (quoted := self.text_in_escaped_quotes()) is not None:
            return self.put(quoted)
        return super().value()

    def scalar_in_call(self, wrapped: re.Match[str]) -> object:
        """Return the only argument of a call, such as a database shell's call around a number or a text."""
        self.doubt(Reason.SKIPPED, f"The value stands in {wrapped[1][:80]!r}.")
        self.notes.add(faults.SKIPPED, self.at, wrapped.start(2))
        self.notes.add(faults.SKIPPED, wrapped.end(2), wrapped.end())
        self.at = wrapped.end()
        return loads(wrapped[2])

    def missing_value(self, end: int) -> Step | None:
        """Use null for a missing value."""
        self.doubt(Reason.MISSING_VALUE)
        self.notes.add(faults.MISSING_VALUE, self.at, end, "null")
        self.at = end
        return self.put(None)

    def text_in_escaped_quotes(self) -> str | None:
        """Read the string in escaped quotes that begins here; None if there is none."""
        found = _ESCAPED_QUOTES.match(self.text, self.at)
        if found is None:
            return None
        self.notes.add(faults.QUOTES, self.at, found.end(), doubly_requoted)
        self.at = found.end()
        return value_of(found[1])

    # Members and elements

    def read_member(self, frame: Frame) -> Step | None:
        """Read a key and its colon, or their substitutes."""
        start = self.at
        if self.text[start] == "\\" and (key := self.text_in_escaped_quotes()) is not None:
            frame.key, frame.key_start, frame.key_end = key, start, self.at
            read_colon(self, frame)
            return self.value
        if not BARE_KEY_AHEAD.match(self.text, start):
            if words := _KEY_OF_WORDS.match(self.text, start):
                return self.key_of_words(frame, words.end())
            if self.skipped_word() is not None:
                return self.member
        if self.text[start] in "{[" and (other := self.close_up_to_list(frame)):
            return other
        read_key(self, frame)
        try:
            read_colon(self, frame)
        except RefusedError as refused:
            return self.without_colon(frame, refused)
        return self.value

    def key_of_words(self, frame: Frame, end: int) -> Step:
        """Read a key of several words without quotes."""
        self.doubt(Reason.AMBIGUOUS, "The key has no quotes.")
        frame.key, frame.key_start, frame.key_end = self.text[self.at : end].rstrip(), self.at, end
        self.notes.add(faults.UNQUOTED_KEY, self.at, end)
        self.at = end
        read_colon(self, frame)
        return self.value

    def without_colon(self, frame: Frame, refused: RefusedError) -> Step:
        """Use a comma as a colon, or null as the missing value of a key."""
        character = self.text[self.at]
        if character in QUOTES:
            self.add_doubt(refused.issue)
            self.notes.add(faults.MISSING_COLON, self.at, self.at)
            return self.value
        if character not in ",;}])" or frame.sure == "bare":
            raise refused
        self.add_doubt(refused.issue)
        is_key_ahead = GOES_ON.match(self.text, self.at)
        if character == "," and not is_key_ahead and VALUE_AHEAD.match(self.text, self.at + 1):
            self.notes.add(faults.COLON, self.at, self.at + 1)
            self.at += 1
        else:
            self.notes.add(faults.MISSING_COLON, self.at, self.at)
        return self.value

    def skipped_word(self) -> int | None:
        """Skip a word that does not belong here; return its end."""
        stray = faults.SKIPPED.looks.match(self.text, self.at)
        if stray is None:
            return None
        self.doubt(Reason.SKIPPED, f"The text is {stray[0][:80]!r}.")
        self.notes.add(faults.SKIPPED, self.at, stray.end())
        self.at = stray.end()
        return self.at

    def close_up_to_list(self, frame: Frame) -> Step | None:
        """Close an object before an element of an outer list."""
        if LIST not in self.kinds[:-1] or frame.comma < 0:
            return None
        self.refuse_brackets()
        return self.close_before_comma(frame, frame.comma)

    # After a value

    def without_comma(self, frame: Frame, character: str) -> Step | None:
        """Continue after a value by adding a missing bracket or comma, or by skipping a word."""
        if character == ":" and isinstance(last_of(frame.value), str) and frame.kind in {OBJECT, LIST}:
            return self.behind_text_with_colon(frame)
        if character == ":" and frame.kind == LIST:
            return self.colon_for_comma(frame)
        try:
            return super().without_comma(frame, character)
        except RefusedError:
            if frame.kind == OBJECT and BARE_KEY_AHEAD.match(self.text, self.at):
                self.doubt(Reason.MISSING_COMMA)
                self.notes.add(faults.MISSING_COMMA, self.at, self.at)
                return self.member
            if self.skipped_word() is not None:
                return self.after_value
            raise

    def after_root(self, frame: Frame) -> Step | None:
        """End, unless another element and a bracket of the list follow."""
        has_more = frame.kind == LIST and len(self.bracket_faults) < _MOST_REOPENED
        if has_more and ANOTHER_VALUE.match(self.text, self.at) and self.has_own_bracket_ahead():
            self.add_bracket_fault(Rule.EXTRA)
            self.refuse_brackets()
            return self.reopen(frame)
        return super().after_root(frame)

    def has_own_bracket_ahead(self) -> bool:
        """Return whether the rest of the text closes more lists than it opens."""
        return open_brackets(self.text, self.at, len(self.text))[1] < 0

    def behind_text_with_colon(self, frame: Frame) -> Step | None:
        """Use the text before a colon as the key of a never opened object, or the colon as a comma."""
        closers = self.own_closers()
        if frame.kind == LIST and not closers.startswith("}"):
            return self.colon_for_comma(frame)
        if frame.kind == LIST and not closers.startswith("}]") and (other := self.member_in_list(frame)):
            return other
        if frame.item_end <= frame.item:
            self.refuse_here("a comma")
        self.refuse_brackets()
        key = frame.value.pop(frame.key if frame.kind == OBJECT else -1)
        return self.open_with_key(frame, key)

    def own_closers(self) -> str:
        """Return the next two brackets that close open containers, judged by brackets alone."""
        found, depth = "", 0
        for bracket in _BRACKET.finditer(self.text, self.at, self.at + _NEAR):
            if bracket[0] in "{[":
                depth += 1
            elif depth:
                depth -= 1
            else:
                found += bracket[0]
                if len(found) == _CLOSERS_LOOKED_AT:
                    break
        return found

    def open_with_key(self, frame: Frame, key: str) -> Step:
        """Open an object in a container, with that container's last item as the key."""
        ends = self.at
        self.at = self.item = self.last_value
        self.open_unwritten(OBJECT, frame.kind)
        inner = self.frames[-1]
        inner.key, inner.key_start, inner.key_end = key, self.at, ends
        self.at = ends
        self.item = inner.start
        read_colon(self, inner)
        return self.value

    def colon_for_comma(self, frame: Frame) -> Step:
        """Use a colon between two elements as a comma."""
        self.doubt(Reason.SEPARATOR)
        frame.comma = self.at
        self.at += 1
        return self.element
