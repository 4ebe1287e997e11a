"""Rows of words: what is looked for in a sentence, and the words without one of which it can't be there.

Hundreds of patterns would take a sentence longer than all else that is asked about it. So it is gone through once for the words of
all rows, and only the rows whose words it holds are asked. Nothing is compiled before it is needed.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from actionledger.parsing.scan.any_case import AnyCase
from actionledger.parsing.scan.openings import any_of

FOLDED = re.compile("[\u0130\u0131\u017f\u1c80-\u1c88\ufb05\ufb06]")
"""Letters that a pattern takes for others, though they are none in lower case: where one stands, all rows are asked."""


class Phrase(NamedTuple):
    """One row.

    Args:
        words: in lower case, with ``|`` between them: whatever the pattern finds holds one of these.
        pattern: a regular expression; capitals and small letters are the same to it.
    """

    words: str
    pattern: str


class Phrases:
    """Rows of all languages that say the same.

    Args:
        rows: the rows.
    """

    def __init__(self, rows: Sequence[Phrase]) -> None:
        self.rows = tuple(rows)

    def search(self, text: str) -> bool:
        """Return whether any row's pattern is found in a text."""
        return any(compiled(row.pattern).search(text) for row in self._asked(text))

    def _asked(self, text: str) -> Iterator[Phrase]:
        """Yield the rows one of whose words stands in a text, each once."""
        if text.isascii():
            finder = self._ascii_words
        elif FOLDED.search(text):
            yield from self.rows
            return
        else:
            finder = self._words
        lowered, at = text.lower(), 0
        asked: set[int] = set()
        while found := finder.search(lowered, at):
            at = found.start() + 1
            for number in self._rows_of[found[0]]:
                if number not in asked:
                    asked.add(number)
                    yield self.rows[number]

    @cached_property
    def _rows_of(self) -> Mapping[str, Sequence[int]]:
        """The rows by each of their words, with those of the words that it begins with: only the longest one is found at a place."""
        numbers: dict[str, set[int]] = {}
        for number, row in enumerate(self.rows):
            for word in row.words.split("|"):
                numbers.setdefault(word, set()).add(number)
        return {
            word: sorted(
                {number for end in range(1, len(word) + 1) for number in numbers.get(word[:end], ())}
            )
            for word in numbers
        }

    @cached_property
    def _words(self) -> re.Pattern[str]:
        return re.compile(any_of(self._rows_of))

    @cached_property
    def _ascii_words(self) -> re.Pattern[str]:
        return re.compile(any_of(filter(str.isascii, self._rows_of)))


@lru_cache(maxsize=1024)
def compiled(pattern: str) -> AnyCase:
    """Return a row's pattern, ready to be searched for."""
    return AnyCase(pattern)
