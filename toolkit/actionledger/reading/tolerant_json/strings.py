"""Strings in any quotes: their meaning, and notes about them.

A string that the C scanner reads, with allowed text after it, is taken unchanged. For any other one
``endings`` decides which quote closes it.
"""

from collections.abc import Sequence
from json.decoder import scanstring  # type: ignore[attr-defined]

from actionledger.core.patterns import regex
from actionledger.reading.tolerant_json import faults
from actionledger.reading.tolerant_json.contexts import KEY, Context
from actionledger.reading.tolerant_json.endings import QUOTES, Endings, Memory
from actionledger.reading.tolerant_json.escapes import (
    CONTROL,
    doubly_requoted,
    escaped,
    requoted,
    unescape,
    value_of,
)
from actionledger.reading.tolerant_json.notes import Notes
from actionledger.reading.tolerant_json.patterns import DOUBLED_ONCE

_CONTROL = regex(CONTROL)
_BLANK = regex(r"\s|\\[nrt]")
_BEHIND_DOUBLED = regex(r"\s*+[,;}\])]")
_DOUBLED = regex(r'""((?!")(?:[^"\\\n]++|\\.|"(?!"))++)""(?!")')


class Strings:
    """Reads the strings of one text."""

    __slots__ = ("endings", "memory", "notes", "text")

    def __init__(self, text: str, notes: Notes, memory: Memory, kinds: Sequence[str]) -> None:
        self.text = text
        self.notes = notes
        self.memory = memory
        self.endings = Endings(text, memory, kinds)

    def read(self, start: int, place: Context, sure: str, *, is_raw: bool = False) -> tuple[str, int]:
        """Read the string whose opening quote is at ``start``."""
        quote = self.text[start]
        if quote == '"' and self.memory.scans and not is_raw and not self.text.startswith('"""', start):
            try:
                value, end = scanstring(self.text, start + 1, False)
            except ValueError:
                self.memory.scans -= 1
            else:
                if place.fits.match(self.text, end):
                    self._note_controls(start + 1, end - 1)
                    return value, end
        if quote == '"' and not is_raw and (doubled := self._doubled(start, place)) is not None:
            return doubled
        inside = start + self._width(start, quote, place)
        first, stop, end = self.endings.of(start, inside, place, sure)
        if end == stop:
            return self.left_open(start, stop), stop
        if end - stop == 1 and quote == '"' and self.text[stop] != quote:
            self.notes.add(faults.QUOTES, start, end, requoted)
            return value_of(self.text[inside:stop]), end
        return self._content(start, inside, first, stop, end, is_raw=is_raw), end

    def _doubled(self, start: int, place: Context) -> tuple[str, int] | None:
        """Return the string in doubled quotes here, and its end: a key, or a text after such a key."""
        if place.kind == KEY and (once := DOUBLED_ONCE.match(self.text, start)):
            extra = 1 if once[1] else 4
            self.notes.add(faults.QUOTES, *once.span(extra), "")
            return value_of(once[2] or once[3]), once.end()
        if not self.text.startswith('""', start) or place.fits.match(self.text, start + 2):
            return None
        found = _DOUBLED.match(self.text, start)
        behind = place.fits if place.kind == KEY else _BEHIND_DOUBLED
        if found is None or not behind.match(self.text, found.end()):
            return None
        if place.kind == KEY:
            self.memory.has_doubled = True
        elif not self.memory.has_doubled:
            if _BLANK.search(found[1]):
                return None  # a phrase may well be in quotes of its own
            self.endings.doubt(start, "The quotes may be the text's own, or doubled.")
        self.notes.add(faults.QUOTES, start, found.end(), doubly_requoted)
        return value_of(found[1]), found.end()

    def left_open(self, start: int, stop: int, end: int = -1) -> str:
        """Return the meaning of a string without a closing quote, and note that; the text up to ``end`` is ignored."""
        self.notes.add(faults.UNCLOSED_STRING, stop, max(stop, end))
        return self._content(start, start + 1, stop, stop, stop, is_raw=False)

    def unopened(self, start: int, stop: int) -> str:
        """Return the meaning of a string without an opening quote that is closed at ``stop``, and note that."""
        self.notes.add(faults.UNCLOSED_STRING, start, start)
        return self._content(start, start, stop, stop, stop + 1, is_raw=False)

    def opened_by_escape(self, start: int, stop: int) -> str:
        """Return the meaning of a string with only its opening quote escaped, and note that."""
        self.notes.add(faults.QUOTES, start, start + 2, '"')
        return self._content(start + 2, start + 2, stop, stop, stop + 1, is_raw=False)

    def _width(self, start: int, quote: str, place: Context) -> int:
        """Return 3 if triple quotes open a string, else 1."""
        if quote not in "\"'" or place.kind == KEY or not self.text.startswith(quote * 3, start):
            return 1
        return 3

    def _content(self, start: int, inside: int, first: int, stop: int, end: int, *, is_raw: bool) -> str:
        """Return the meaning of a string, and note what JSON would write otherwise."""
        notes, written = self.notes, self.text[inside:stop]
        is_json = inside == start or self.text[start:inside] == '"'
        if is_json and not is_raw:
            return unescape(written, notes, inside)
        value = written if is_raw else value_of(written)
        fault = faults.QUOTES if inside - start == 1 else faults.TRIPLE_QUOTES
        if stop == first and end > stop and not is_raw:
            notes.add(fault, start, end)
            return value
        if not is_json:
            notes.add(fault, start, inside, '"')
            if end > stop and self.text[stop:end] != '"':
                notes.add(fault, stop, end, '"')
        if stop > first:
            begins, ends, after = self._inner_quotes(start, inside, first, stop, escaped(value))
            if after != self.text[begins:ends]:
                notes.add(faults.INNER_QUOTE, begins, ends, after)
            elif end > stop:
                # JSON writes these quotes unchanged: the quote that closes the string shows that they don't.
                notes.recent.pop()
                notes.add(faults.INNER_QUOTE, first, end, self.text[first:stop] + '"')
        elif (after := escaped(value)) != written:
            notes.add(faults.STRING_PREFIX if is_raw else fault, inside, stop, after)
        return value

    def _inner_quotes(
        self, start: int, inside: int, first: int, stop: int, after: str
    ) -> tuple[int, int, str]:
        """Return the stretch of a string from its first inner quote to its last, or all of it if more must be rewritten."""
        last = max(self.text.rfind(quote, first, stop) for quote in QUOTES[self.text[start]]) + 1
        before, behind = self.text[inside:first], self.text[last:stop]
        if escaped(before) != before or escaped(behind) != behind:
            return inside, stop, after
        return first, last, after[len(before) : len(after) - len(behind)]

    def _note_controls(self, start: int, end: int) -> None:
        """Note the control characters of an otherwise valid string: one stretch from the first to the last."""
        text = self.text[start:end]
        if text.isprintable():  # many times as fast as the pattern, and true of most strings
            return
        if first := _CONTROL.search(text):
            last = _CONTROL.search(text[::-1])
            assert last is not None
            self.notes.add(faults.CONTROL_CHARACTER, start + first.start(), end - last.start())
