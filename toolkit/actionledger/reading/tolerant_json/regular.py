"""Faults that can be repaired one by one: a container is rewritten as valid JSON, which the C scanner then reads.

Single quotes, bare keys, comments, extra or missing commas: each shows in one token and its neighbours. One
pattern runs from fault to fault, past all valid text between them; each fault is replaced, and the whole is scanned
in C. That is several times as fast as building the value token by token. It guesses nothing: strings end where the
reader would end them. Unknown faults, and results that are still no JSON, are left to the reader.
"""

from array import array
from collections.abc import Callable, Sequence
from json.encoder import encode_basestring
from string import ascii_letters
from typing import NamedTuple

from actionledger.core.patterns import regex
from actionledger.reading.tolerant_json import faults
from actionledger.reading.tolerant_json.contexts import KEY, ROOT, context
from actionledger.reading.tolerant_json.decoded import Mended
from actionledger.reading.tolerant_json.endings import QUOTES, Memory
from actionledger.reading.tolerant_json.notes import CutError, Fault, Notes, RefusedError
from actionledger.reading.tolerant_json.patterns import (
    BEHIND_BARE_TEXT,
    ENDS_WORD,
    GAP,
    KEYS,
    LITERALS,
    VALID_LITERALS,
    VALUE_AHEAD,
    WORD,
    is_doubtful,
    may_be_text,
    number_at,
)
from actionledger.reading.tolerant_json.rewriting import (
    CLOSES,
    LOOSE,
    OPENS,
    STEP,
    USUAL,
    IrregularError,
    Rewriting,
    read_usual,
)
from actionledger.reading.tolerant_json.strings import Strings
from actionledger.reading.tolerant_json.valid import SCAN_ERRORS

_KEY_PLACE = context(KEY, ROOT)
_ENDS_OF_VALUES = frozenset("}].").union(*QUOTES.values())

_GAP = regex(GAP)
_ITEM_BEHIND_STRING = {"{": regex(KEYS["sure"]), "[": regex(r"[\"{\[]")}
_ITEM_WITHOUT_COMMA = {"{": regex(KEYS["sure"]), "[": regex(r"[\"'{\[\-]|[1-9](?!\d\d(?![\d.]))")}


class Look(NamedTuple):
    """The result of looking at a container."""

    mended: Mended | None  # the container, if each of its faults could be repaired by itself
    notes: Notes  # what was changed in it
    end: int  # how far the look went
    hopeless: Sequence[int]  # where containers begin that can't be repaired this way
    faulty: Sequence[int]  # where invalid containers begin; all others before `end` may be valid


def read_regular(text: str, start: int, levels: int, parent: str, memory: Memory) -> Look:
    """Read the container that begins at ``start``, if each of its faults can be repaired by itself."""
    if start >= memory.unusual and (look := _look_for_usual(text, start, levels, memory)):
        return look
    mending = _Mending(text, start, levels, parent, memory)
    mended = None
    try:
        mending.run()
        mended = mending.mended(levels)
    except (IrregularError, CutError, RefusedError, *SCAN_ERRORS):
        mending.faulty.extend(mending.opened)
    return Look(mended, mending.notes, mending.at, mending.opened or [start], mending.faulty)


def _look_for_usual(text: str, start: int, levels: int, memory: Memory) -> Look | None:
    """Read the container that begins at ``start``, if all of its faults are usual ones."""
    mended, notes, memory.unusual = read_usual(text, start, levels)
    return None if mended is None else Look(mended, notes, mended.end, (), ())


class _Mending(Rewriting):
    """The walk from fault to fault."""

    __slots__ = ("faulty", "kinds", "levels", "opened", "parent", "strings")

    def __init__(self, text: str, start: int, levels: int, parent: str, memory: Memory) -> None:
        super().__init__(text, start)
        self.levels = levels
        self.parent = parent
        self.kinds = [text[start]]
        self.opened = [start]
        self.faulty = array("I")
        self.strings = Strings(text, self.notes, memory, self.kinds)

    def run(self) -> None:
        """Repair everything up to the container's end."""
        text, kinds = self.text, self.kinds
        while kinds:
            step = STEP.match(text, self.at)
            assert step is not None
            group = step.lastindex
            if group is None:
                at = step.end()
                _HANDLERS.get(text[at : at + 1], _Mending.other)(self, at)
            elif group == OPENS:
                self.open(step.end() - 1)
            elif group == CLOSES:
                self.leave(step.end())
            elif group == LOOSE:
                self.loose_string(*step.span(group))
            else:
                self.mend(USUAL[group], *step.span(group))

    # Around a token

    def before(self, at: int) -> int:
        """Return where the last character before a place is, skipping blanks."""
        text, at = self.text, at - 1
        while text[at] in " \t\r\n":
            at -= 1
        return at

    def is_key(self, at: int) -> bool:
        """Return whether a key is due at a place."""
        return self.kinds[-1] == "{" and self.text[self.before(at)] in "{,;"

    def is_behind_item(self, at: int) -> bool:
        """Return whether only blanks are between a value's end and a place."""
        last = self.text[self.before(at)]
        return last.isalnum() or last in _ENDS_OF_VALUES

    def is_behind_bare_key(self, at: int) -> bool:
        """Return whether a value's key has no quotes."""
        colon = self.before(at)
        return self.text[colon] == ":" and self.text[self.before(colon)] not in QUOTES

    def expect_behind_item(self, end: int) -> None:
        """Check what follows a value: a comma, a bracket, or the next item without its comma."""
        behind = self.behind(end)
        if self.text[behind] in ",;}]":
            return
        if behind == end and self.text[end - 1].isalnum() and self.text[end] == '"':
            raise IrregularError  # perhaps a text without its first quote
        if self.text[end - 2] == "," and self.text[end - 1] in QUOTES:
            raise IrregularError  # perhaps the missing comma
        if not _ITEM_WITHOUT_COMMA[self.kinds[-1]].match(self.text, behind):
            raise IrregularError
        self.insert(faults.MISSING_COMMA, end, behind)

    def expect_colon(self, end: int) -> None:
        """Check what follows a key: a colon or its substitute, or the value without its colon."""
        behind = self.behind(end)
        if self.text[behind] in ":=":
            return
        if not VALUE_AHEAD.match(self.text, behind):
            raise IrregularError
        self.insert(faults.MISSING_COLON, end, behind)

    def insert(self, fault: Fault, end: int, at: int) -> None:
        """Write a missing sign between two tokens."""
        if self.text[end:at].strip(" \t\r\n"):
            raise IrregularError  # a comment is between them, and must be repaired first
        self.mend(fault, at, at)

    def behind(self, at: int) -> int:
        """Return where the next token is, skipping blanks and comments."""
        behind = _GAP.match(self.text, at).end()  # type: ignore[union-attr]
        if behind >= len(self.text):
            raise IrregularError  # the container isn't closed
        return behind

    # Faults, each by the text at ``at``

    def open(self, at: int) -> None:
        """Enter a container."""
        if self.is_key(at):
            raise IrregularError
        self.kinds.append(self.text[at])
        self.opened.append(at)
        self.at = at + 1
        if len(self.kinds) > self.levels:
            raise IrregularError

    def leave(self, end: int) -> None:
        """Leave a container; it was changed if the last change is after its beginning."""
        self.kinds.pop()
        start = self.opened.pop()
        if self.copied > start:
            self.faulty.append(start)
        self.at = end

    def close(self, at: int) -> None:
        """Leave a container before something unexpected."""
        self.leave(at + 1)
        if self.kinds:
            self.expect_behind_item(self.at)

    def comma(self, at: int) -> None:
        """Repair a comma before a bracket or another comma."""
        character = self.text[self.behind(at + 1)]
        self.at = at + 1
        if character in "}]":
            if not self.is_behind_item(at):
                raise IrregularError
            self.mend(faults.TRAILING_COMMA, at, at + 1)
        elif character in ",;":
            raise IrregularError  # more than two commas, or a comment between them

    def semicolon(self, at: int) -> None:
        """Replace a semicolon by a comma."""
        if self.text[self.behind(at + 1)] in ",;}]" or not self.is_behind_item(at):
            raise IrregularError
        self.mend(faults.SEPARATOR, at, at + 1)

    def comment(self, at: int) -> None:
        """Replace a comment by blanks."""
        match = faults.COMMENT.looks.match(self.text, at)
        if match is None or may_be_text(match[0]):
            raise IrregularError
        self.mend(faults.COMMENT, at, match.end())

    def other(self, at: int) -> None:
        """Read text that begins with no sign of the grammar: a word, or blanks that JSON doesn't know."""
        if space := faults.SPACE.looks.match(self.text, at):
            self.mend(faults.SPACE, at, space.end())
        else:
            self.word(at)

    def colon(self, at: int) -> None:
        """Replace another sign by a colon."""
        match = faults.COLON.looks.match(self.text, at)
        if match is None or self.kinds[-1] != "{":
            raise IrregularError
        self.mend(faults.COLON, at, match.end())

    def quote(self, at: int) -> None:
        """Read a string in other quotes, with faults, or with something odd after it."""
        if self.text.startswith("```", at):
            raise IrregularError
        self.string(at)

    def loose_string(self, at: int, behind: int) -> None:
        """Write the missing comma or colon after a valid string, if that is its fault."""
        if not self.is_key(at):
            fault = faults.MISSING_COMMA
            fits = _ITEM_BEHIND_STRING[self.kinds[-1]].match(self.text, behind)
        else:
            fault = faults.MISSING_COLON
            fits = VALUE_AHEAD.match(self.text, behind) if self.text.find(":", at, behind) < 0 else None
        if fits is None:
            self.string(at)
            return
        if fault is faults.MISSING_COMMA and ',"' in self.text[at:behind]:
            raise IrregularError  # perhaps the missing comma
        self.mend(fault, behind, behind)

    def string(self, at: int) -> None:
        """Read a string by the reader's rules."""
        is_key = self.is_key(at)
        parent = self.kinds[-2] if len(self.kinds) > 1 else self.parent
        place = _KEY_PLACE if is_key else context(self.kinds[-1], parent)
        value, end = self.strings.read(at, place, "bare" if self.is_behind_bare_key(at) else "sure")
        self.replace(at, end, encode_basestring(value))
        if is_key:
            self.expect_colon(end)
        else:
            self.expect_behind_item(end)

    def number(self, at: int) -> None:
        """Read a number that JSON writes in another way, or with something unexpected after it."""
        found = number_at(self.text, at)
        if found is None:
            raise IrregularError
        _, end, is_valid = found
        self.at = end
        if not is_valid:
            self.mend(faults.NUMBER, at, end)
        self.expect_behind_item(end)

    def word(self, at: int) -> None:
        """Read a key or a text without quotes, or a literal."""
        if self.is_key(at):
            self.bare_key(at)
            return
        match = WORD.match(self.text, at)
        if match is None:
            raise IrregularError
        word, end = match[0], match.end()
        self.at = end
        if not ENDS_WORD.match(self.text, end):
            raise IrregularError
        if word in VALID_LITERALS:
            self.expect_behind_item(end)
        elif word in LITERALS:
            self.mend(faults.of_literal(LITERALS[word]), at, end)
            self.expect_behind_item(end)
        elif not is_doubtful(word) and BEHIND_BARE_TEXT[self.kinds[-1]].match(self.text, end):
            self.mend(faults.UNQUOTED_VALUE, at, end)
        else:
            raise IrregularError

    def bare_key(self, at: int) -> None:
        """Read a key without quotes."""
        match = faults.UNQUOTED_KEY.looks.match(self.text, at)
        if match is None or self.text[self.behind(match.end())] not in ":=":
            raise IrregularError
        self.mend(faults.UNQUOTED_KEY, at, match.end())


_HANDLERS: dict[str, Callable[[_Mending, int], None]] = {
    **dict.fromkeys(ascii_letters, _Mending.word),
    **dict.fromkeys("{[", _Mending.open),
    **dict.fromkeys("}]", _Mending.close),
    **dict.fromkeys(QUOTES, _Mending.quote),
    **dict.fromkeys("+-.0123456789", _Mending.number),
    **dict.fromkeys("/#<", _Mending.comment),
    ",": _Mending.comma,
    ";": _Mending.semicolon,
    "=": _Mending.colon,
}
