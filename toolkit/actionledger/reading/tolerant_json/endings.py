"""Where a string ends: the text after a quote shows whether it closes the string.

The first quote closes the string if text that some writer may mean follows it (``Context.fits``). Otherwise the
first later quote closes it that the container's next item or end surely follows. Each search is one call of a
pattern. A failed search is remembered: "no such quote from here on" holds for all of the remaining text. So a
text full of quotes that never fit is searched once per context and not once per string.
"""

import re
from collections.abc import Sequence
from functools import cache
from itertools import islice

from actionledger.core.patterns import regex
from actionledger.core.vocabulary import Reason
from actionledger.reading.tolerant_json.contexts import (
    CALL,
    KEY,
    OTHER_QUOTES,
    ROOT,
    Context,
    end_before_closers,
    end_before_item,
    open_brackets,
)
from actionledger.reading.tolerant_json.notes import CutError, RefusedError
from actionledger.reading.tolerant_json.patterns import (
    BRACKET_INSIDE,
    COMPARES,
    STRUCTURE_BEHIND,
    UNCLOSED_KEY,
    VALUE_AHEAD,
)

QUOTES = {
    '"': '"',
    "'": "'",
    "`": "`",
    "“": "“”",
    "”": "“”",
    "„": "“”",
    "‘": "‘’",
    "’": "‘’",
    "«": "»",
    "»": "«",
}
"""Every opening quote with the characters that may close it."""

_LONGEST_MIXED = 2_000
_OPENS = {"”": "“", "’": "‘", "»": "«"}
_OTHER_CLOSERS = {'"': "”“", "'": '"’‘', "“": '"', "”": '"', "„": '"', "`": "'’", "‘": "'", "’": "'"}


def _up_to_other(closers: dict[str, str]) -> dict[str, re.Pattern[str]]:
    """Map each opening quote to the pattern of a string's text that another kind of quote closes."""
    return {
        quote: regex(rf"[^{re.escape(quote + close + closers[quote])}“\n]*+(?=[{closers[quote]}])")
        if quote in closers
        else regex("(?!)")
        for quote, close in QUOTES.items()
    }


_MIXED = _up_to_other(_OTHER_CLOSERS)
_MIXED_AT_LAST = _up_to_other({**_OTHER_CLOSERS, '"': "”“'"})

_OPENS_A_QUOTATION = regex(r"[\s(\[{=:,>]?[\"'`]\S")
_KEY_INSIDE = regex(r"[,;\n][ \t\r\n]*+([\"'])[\w$ .\-]{1,60}+\1[ \t]*+:(?!\S*+//)")
_CLOSES_AND_OPENS = regex(r"\"[ \t]++[^\"\n,]{1,60}+,(?:[^\"\n,]{0,60}+,)?[ \t\r\n]*+\"(?=\w)")
_STRUCTURE = regex(r"[{}\[\],:\n]")
_CANDIDATES = 16
_LONGEST_END = 200
_SCANS_THAT_MAY_FAIL = 8


@cache
def _up_to(close: str, width: int) -> re.Pattern[str]:
    """Return the pattern of the text up to the first unescaped closing quote; a triple quote is three of them."""
    return regex(rf"(?:[^\\{close}]++|\\.|[{close}](?![{close}]{{{width - 1}}}))*+(?=[{close}])", re.DOTALL)


@cache
def _escape_or(quote: str) -> re.Pattern[str]:
    return regex(rf"\\.|{quote}", re.DOTALL)


class Memory:
    """The known facts about a text, shared by all readers of its strings.

    Attributes:
        nowhere: failed searches, each with the place from which on there is no match.
        scans: how many scans in C may still fail: an error of the scanner counts all the lines before it, so many of
            them late in a long text would be slow.
        unusual: up to where it is known to have unusual faults, see ``rewriting.read_usual``.
        may_be_cut: whether the end of the text may cut through a string that has quotes inside it.
        is_likelier: whether an ambiguous string ends in the likelier place.
        has_doubled: whether a key is in doubled quotes.
    """

    __slots__ = ("has_doubled", "is_likelier", "may_be_cut", "nowhere", "scans", "unusual")

    def __init__(self, *, is_likelier: bool = False) -> None:
        self.is_likelier = is_likelier
        self.has_doubled = False
        self.nowhere: dict[object, int] = {}
        self.scans = _SCANS_THAT_MAY_FAIL
        self.unusual = 0
        self.may_be_cut = True


class Endings:
    """Finds the ends of one text's strings."""

    __slots__ = ("kinds", "memory", "text")

    def __init__(self, text: str, memory: Memory, kinds: Sequence[str]) -> None:
        self.text = text
        self.memory = memory
        self.kinds = kinds

    def of(self, start: int, inside: int, place: Context, sure: str) -> tuple[int, int, int]:
        """Return where a string ends."""
        width = inside - start
        if width == 1 and self.text[start] == "`" and (mixed := self._mixed_end(start, place)) >= 0:
            return mixed, mixed, mixed + 1
        try:
            first = self._first(inside, QUOTES[self.text[start]], width)
        except CutError:
            if width == 1 and (mixed := self._mixed_end(start, place, is_last=True)) >= 0:
                return mixed, mixed, mixed + 1
            words = UNCLOSED_KEY.match(self.text, inside) if place.kind == KEY else None
            if words is None or self.text[-_LONGEST_END:].rstrip()[-1:] not in "}])":
                raise
            return words.end(1), words.end(1), words.end(1)
        if place.fits.match(self.text, first + width):
            return first, first, first + width
        if self.text.startswith("```", first):
            raise RefusedError(Reason.AMBIGUOUS, first, first + 3, "A fence stands in a text in backticks.")
        return (first, *self._other_end(start, first, place, sure, width))

    def _first(self, inside: int, close: str, width: int) -> int:
        """Return where the first unescaped closing quote is."""
        if inside < self.memory.nowhere.get((close, width), len(self.text)):
            if match := _up_to(close, width).match(self.text, inside):
                return match.end()
            self.memory.nowhere[close, width] = inside
        raise CutError

    def _other_end(self, start: int, first: int, place: Context, sure: str, width: int) -> tuple[int, int]:
        """Return where a string's text and the string end if the first quote doesn't fit."""
        if place.kind == KEY and width == 1 and 0 <= (mixed := self._mixed_end(start, place)) < first:
            return mixed, mixed + 1
        if place.kind == KEY:
            return self._end_of_key(start, first, place, sure)
        if width == 1 and 0 <= (mixed := self._mixed_end(start, place)) < first:
            return mixed, mixed + 1
        if width == 1 and (stop := end_before_item(self.text, start, first, self.kinds)) is not None:
            return self._before_other_quote(start, stop), stop
        # Punctuation after the first quote shows that it was meant to close the string, whatever follows that.
        seems_closed = width == 1 and (
            STRUCTURE_BEHIND.match(self.text, first + 1)
            or (place.kind == CALL and COMPARES.match(self.text, first + 1))
        )
        stop = -1 if seems_closed else self._later(first + width, start, place, sure, width)
        if stop >= 0:
            stop = self._settled(start, stop, place, sure) if width == 1 else stop
            return stop, stop + width
        if not seems_closed and width == 1 and place.kind != ROOT and self._may_be_cut(first):
            raise CutError
        return first, first + width  # the reader reports the problem with what follows it

    def _before_other_quote(self, start: int, stop: int) -> int:
        """Return where the text of a string without a quote at ``stop`` ends: before its only quote of another kind."""
        last = self.text[stop - 1]
        if last not in OTHER_QUOTES or stop - 1 <= start:
            return stop
        if self.text[stop - 2] == "\\" and self.text.count("\\", start, stop) == 1:
            self.doubt(stop - 2, "The closing quote may be escaped, or the text ends with a backslash.")
        if any(self.text.find(quote, start + 1, stop - 1) >= 0 for quote in {last, _OPENS.get(last, last)}):
            self.doubt(stop, "The quote may close the string, or a quotation in it.")
            return stop
        return stop - 1

    def _mixed_end(self, start: int, place: Context, *, is_last: bool = False) -> int:
        """Return where a quote of another kind plainly closes a string on its line; else -1."""
        patterns = _MIXED_AT_LAST if is_last or place.kind == KEY else _MIXED
        found = patterns[self.text[start]].match(self.text, start + 1, start + _LONGEST_MIXED)
        fits = place.fits if self.text[start] == "`" else place.surely_fits
        if found is None or not fits.match(self.text, found.end() + 1):
            return -1
        # An apostrophe at the end of the text may be inside a word that continues.
        is_over = (
            self.text[found.end()] == "'"
            and not self.text[found.end() + 1 : found.end() + _LONGEST_MIXED].strip()
        )
        return -1 if is_over else found.end()

    def _later(self, at: int, start: int, place: Context, sure: str, width: int) -> int:
        """Return where the next quote is that surely closes the string; -1 if there is none."""
        close = QUOTES[self.text[start]]
        question = (close, width, place, sure)
        if at >= self.memory.nowhere.get(question, len(self.text)):
            return -1
        match = place.body(close, width, sure).match(self.text, at)
        stop = match.end() if match else at
        if self.text[stop : stop + 1] not in set(close):
            self.memory.nowhere[question] = at
            return -1
        return stop

    def _may_be_cut(self, first: int) -> bool:
        """Return whether the text may end inside a string: after its first quote, no more brackets close than open."""
        if self.memory.may_be_cut:
            self.memory.may_be_cut = min(open_brackets(self.text, first, len(self.text))) >= 0
        return self.memory.may_be_cut

    def before_closers(self, start: int) -> int | None:
        """Return where an unclosed string ends, see ``contexts.end_before_closers``."""
        if not self.kinds or not self.closes_nowhere(start):
            return None
        return end_before_closers(self.text, start, self.kinds)

    def closes_nowhere(self, start: int) -> bool:
        """Return whether no quote after a string's first one could close it."""
        return _up_to(QUOTES[self.text[start]], 1).match(self.text, start + 1) is None

    # A key

    def _end_of_key(self, start: int, first: int, place: Context, sure: str) -> tuple[int, int]:
        """Return where a key's text and the key end if no colon follows its first quote."""
        if (words := UNCLOSED_KEY.match(self.text, start + 1)) and words.end() <= first:
            return words.end(1), words.end(1)
        if self.text[start:first].rstrip().endswith(":"):
            self.doubt(first, "The quote may close the key, or open its value.")
        if not VALUE_AHEAD.match(self.text, first + 1):
            stop = self._later(first + 1, start, place, sure, 1)
            if stop >= 0 and not _STRUCTURE.search(self.text, start + 1, stop):
                return stop, stop + 1
        return first, first + 1  # the colon may be missing

    # A quote inside

    def _settled(self, start: int, stop: int, place: Context, sure: str) -> int:
        """Return where a string with inner quotes ends, if only one place is plausible.

        JSON or code in a string has brackets, with fitting quotes between them. If the brackets are
        unbalanced at the first place but balanced at a later one, both are plausible. The later one is plainly meant if the
        string begins with a bracket, or if its inner quotes are in pairs there but not at the first place. If the
        last quote opens a quotation, the next one is its partner, so the string's own quote may be missing.
        """
        inside = start + 1
        count, first, last = self._quotes_inside(start, stop)
        if self._leaves_open(inside, stop):
            later = stop
            for _ in range(_CANDIDATES):
                later = self._later(later + 1, start, place, sure, 1)
                if later < 0:
                    break
                if self._leaves_open(inside, later):
                    continue
                if self._begins_with_bracket(start) or (
                    count % 2 and self._quotes_inside(start, later)[0] % 2 == 0
                ):
                    return later
                self.doubt(stop, f"The string may end here, or at {later}.")
                break
        if count > 1 and self._swallows(inside, first, stop):
            self.doubt(first, f"The string may end here, or at {stop}.")
            return first
        if count % 2 and last == stop - 1:
            self.doubt(
                last, "The text may end with a quote of its own, or the one that closes it is doubled."
            )
        elif count % 2 and _OPENS_A_QUOTATION.match(self.text, max(inside, last - 1)):
            self.doubt(stop, "The quote may close the string, or only a quotation in it.")
        return stop

    def _begins_with_bracket(self, start: int) -> bool:
        """Return whether a string seems to hold JSON."""
        return BRACKET_INSIDE.match(self.text, start + 1) is not None

    def _leaves_open(self, start: int, end: int) -> bool:
        """Return whether a stretch opens brackets that it doesn't close."""
        return max(open_brackets(self.text, start, end)) > 0

    def _swallows(self, inside: int, first: int, stop: int) -> bool:
        """Return whether a string with inner quotes would hold structure: members, or elements, of its container.

        Its first quote seems to close the string, and the next text looks like a key of the container outside of
        the string's own brackets; or the next quote seems to open another string.
        """
        text = self.text
        for key in islice(_KEY_INSIDE.finditer(text, first, stop + 1), _CANDIDATES):
            if max(open_brackets(text, inside, key.start())) <= 0:
                return True
        return bool(_CLOSES_AND_OPENS.match(text, first, stop + 1)) and not text[first - 1].isspace()

    def _quotes_inside(self, start: int, stop: int) -> tuple[int, int, int]:
        """Return the number of quotes in a string that could close it, the first and the last.

        There are none if opening quotes look different.
        """
        close, count, first, last = QUOTES[self.text[start]], 0, -1, -1
        if len(close) > 1:
            return count, first, last
        for match in _escape_or(close).finditer(self.text, start + 1, stop):
            if match[0] == close:
                count, last = count + 1, match.start()
                first = last if first < 0 else first
        return count, first, last

    def doubt(self, stop: int, detail: str) -> None:
        """Refuse a string with two possible ends, unless the likelier one is taken."""
        if not self.memory.is_likelier:
            raise RefusedError(Reason.AMBIGUOUS, stop, stop + 1, detail)
