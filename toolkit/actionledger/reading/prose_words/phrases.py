"""Rows of words: what is looked for in a sentence, and the words without one of which it can't be there.

Hundreds of patterns would take a sentence longer than all else that is asked about it. So it is gone through once for the words of
several tables, and only the rows whose words it holds are asked. Nothing is compiled before it is needed.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import filterfalse
from typing import NamedTuple

from actionledger.core.patterns import regex
from actionledger.reading.scan.line_starts import AnyCase
from actionledger.reading.scan.openings import any_of

FOLDED = regex("[\u0130\u0131\u017f\u1c80-\u1c88\ufb05\ufb06]")
"""Letters that a pattern takes for others, though they are none in lower case: where one stands, all rows are asked."""

_MOST_TEXTS = 8
"""How many texts a vocabulary remembers: the sentences around one call."""

_MOST_PARTS, _LONGEST_PART = 4096, 40
"""Of how many parts of texts it is remembered what may begin in them, and up to how many code points such a part has."""

_RUN = regex(r"\w+")


class Phrase(NamedTuple):
    """One row."""

    words: str  # in lower case, with `|` between them: whatever the pattern finds holds one of these
    pattern: str  # a regular expression; capitals and small letters are the same to it


class Language(NamedTuple):
    """What the prose around a call says in one language."""

    announces: tuple[Phrase, ...]  # what says that its writer makes the call now
    # what says that something else has to come before the call, or would have had to
    conditions: tuple[Phrase, ...]
    # what says plainly that a call is not made: enough against one with its format's marks, too
    shows: tuple[Phrase, ...]
    open: tuple[Phrase, ...]  # what leaves open whether the call is made
    takes_back: tuple[str, ...]  # what takes a call back that stands before it
    halts: str  # the exclamation that does: "Wait, no"; empty where nothing is known
    corrects: tuple[Phrase, ...]  # what says between two calls that the second one stands for the first
    leads: str  # what a sentence may begin with that says nothing of the call; empty where nothing is known
    describes: str  # what begins a text behind a call that says what it was
    defers: str  # what leaves it to somebody else whether the call is made
    offers: str  # what asks whether to make a call
    anything_else: str  # what a question holds that is about something else; empty where nothing is known


class _Sought(NamedTuple):
    """The words of a vocabulary that are alike in what of them stands before their first blank."""

    words: Sequence[str]
    head: str  # what stands before that blank
    begins: bool  # whether a blank stands before them, too
    ends: bool  # whether there is that blank

    def may_begin_in(self, part: str) -> bool:
        """Return whether one may begin in a part of a text without blanks."""
        if self.begins:
            return part == self.head if self.ends else part.startswith(self.head)
        return part.endswith(self.head) if self.ends else self.head in part


class Vocabulary:
    """The words of several tables, for which a text is gone through once: what is asked next is mostly the same text.

    A text is taken apart at its blanks. Most of its parts are common ones: of each it is remembered which of the vocabulary's words may
    begin in it, nearly always none.

    Args:
        words: the words, in lower case and each with a letter in it; more may be added until a text is gone through.
    """

    def __init__(self, words: Iterable[str] = ()) -> None:
        self.words = set(words)
        self.heard = lru_cache(maxsize=_MOST_TEXTS)(self._heard)
        self._silent: set[str] = set()
        self._begun_in: dict[str, set[str]] = {}

    def _heard(self, text: str) -> Collection[str] | None:
        """Return which of the words stand in a text, None where that is unknown; the last few texts are known."""
        if not text.isascii() and FOLDED.search(text):
            return None
        lowered = text.lower()
        sought, begun_in = set[str](), self._begun_in
        for part in filterfalse(self._silent.__contains__, lowered.split()):
            sought |= begun_in[part] if part in begun_in else self._beginning_in(part)
        return [word for word in sought if word in lowered] if sought else ()

    def _beginning_in(self, part: str) -> set[str]:
        """Return the words that may begin in a part of a text; those of short parts are remembered."""
        begun = {
            word
            for own in _RUN.findall(part)
            for run in self._runs.findall(own)
            for each in self._by_run[run]
            if each.may_begin_in(part)
            for word in each.words
        }
        if len(part) <= _LONGEST_PART:
            if len(self._begun_in) >= _MOST_PARTS:
                self._begun_in, self._silent = {}, set()
            self._begun_in[part] = begun
            if not begun:
                self._silent.add(part)
        return begun

    @cached_property
    def _by_run(self) -> Mapping[str, Sequence[_Sought]]:
        """The words by their first run, with those whose run it begins with: only the longest one is found at a place."""
        alike: dict[tuple[str, bool, bool], list[str]] = {}
        for word in self.words:
            head = word.split()[0]
            look = head, not word.startswith(head), len(word.lstrip()) > len(head)
            alike.setdefault(look, []).append(word)
        by_run: dict[str, list[_Sought]] = {}
        for look, words in alike.items():
            by_run.setdefault(_RUN.findall(look[0])[0], []).append(_Sought(words, *look))
        return {
            run: [each for end in range(1, len(run) + 1) for each in by_run.get(run[:end], ())]
            for run in by_run
        }

    @cached_property
    def _runs(self) -> re.Pattern[str]:
        return regex(f"(?=({any_of(self._by_run)}))")


class Phrases:
    """Rows of all languages that say the same.

    Args:
        rows: the rows.
        vocabulary: what goes through a text for their words, and for those of the tables that are asked about it, too; its own
            where None.
    """

    def __init__(self, rows: Sequence[Phrase], vocabulary: Vocabulary | None = None) -> None:
        self.rows = tuple(rows)
        self._vocabulary = vocabulary or Vocabulary()
        self._vocabulary.words.update(*(row.words.split("|") for row in self.rows))

    def search(self, text: str) -> bool:
        """Return whether any row's pattern is found in a text."""
        heard = self._vocabulary.heard(text)
        if heard is None:
            return any(compiled(row.pattern).search(text) for row in self.rows)
        asked, rows_of = set[int](), self._rows_of
        for word in heard:
            if word in rows_of:
                asked |= rows_of[word]
        for number in asked:  # noqa: SIM110 - no generator for texts without such a word
            if compiled(self.rows[number].pattern).search(text):
                return True
        return False

    @cached_property
    def _rows_of(self) -> Mapping[str, set[int]]:
        """The rows by each word of the vocabulary, with those of the words that it begins with: only the longest one is heard at a place."""
        numbers: dict[str, set[int]] = {}
        for number, row in enumerate(self.rows):
            for word in row.words.split("|"):
                numbers.setdefault(word, set()).add(number)
        rows = {
            word: {number for end in range(1, len(word) + 1) for number in numbers.get(word[:end], ())}
            for word in self._vocabulary.words
        }
        return {word: found for word, found in rows.items() if found}


@lru_cache(maxsize=1024)
def compiled(pattern: str) -> AnyCase:
    """Return a row's pattern, ready to be searched for."""
    return AnyCase(pattern)
