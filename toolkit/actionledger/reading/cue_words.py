"""Words without one of which no sentence has a cue: where none stands, none of the cues' patterns has to be asked.

Behind blocks that nothing closes, such as messages one after the other, the sentence before a block is all of them that
is looked at. Asking it takes eight patterns a millisecond; here the text is gone through once, for all of its blocks.
"""

import re

from actionledger.reading.prose_words.phrases import FOLDED, Vocabulary
from actionledger.reading.scan.openings import any_of

NEGATIONS = frozenset(
    {
        *("not", "don't", "don’t", "won't", "won’t", "never", "avoid", "refuse", "nicht", "nie", "pas"),
        *("jamais", "nunca", *(f"no{blank}" for blank in " \t\n\r\f\v\x1c\x1d\x1e\x1f")),
    }
)
"""What forbids, of whatever language."""

EXAMPLES = frozenset(
    {
        *("exampl", "instance", "sample", "beispiel", "exempl", "ejempl"),
        *("e.g", "e. g", "z.b", "z. b", "p.ex", "p. ex", "p.ej", "p. ej"),
    }
)
"""What says "example"."""

POSSIBILITIES = frozenset(
    {
        *("could", "might", "look", "you can", "kann", "könn", "pouvez", "tu peux", "on peut", "pourr"),
        *("puede", "podr"),
    }
)
"""What says what somebody could do."""

FORMATS = frozenset({"form", "syntax"})
"""What says how something is written."""

_STEMS = (
    NEGATIONS
    | EXAMPLES
    | POSSIBILITIES
    | FORMATS
    | {
        *("sintax", "schem", "schém", "usage", "writ", "wrote", "geschrieb", "écri", "escrib"),
        *("sieht", "sehen", "ressembl", "se ve"),
        *("such as", "instead", "rather", "statt", "au lieu", "en lugar", "en vez"),
        *("sent", "print", "return", "answer", "said", "result", "output", "respon", "observ"),
        *("wrong", "bad", "incorrect", "falsch", "schlecht", "faux", "mal"),
    }
)
_NO = r"no\s"
_HAN = re.compile("[\u4e00-\u9fff]")
_VOCABULARY = Vocabulary(_STEMS)


def may_hold(text: str, stems: frozenset[str]) -> bool:
    """Return whether a pattern all of whose matches hold one of some stems may match in a text."""
    return not text.isascii() or not stems.isdisjoint(_VOCABULARY.heard(text).words or ())


class Words:
    """The stems, looked for in lower case: a pattern that ignores case takes seven times as long."""

    _all = re.compile(f"{any_of(_STEMS)}|{_NO}")

    def may_stand_in(self, text: str) -> bool:
        """Return whether a match of any pattern that finds a cue may stand in a text: with no look at what stands around it."""
        if text.isascii():
            return bool(_VOCABULARY.heard(text).words)
        is_odd = _HAN.search(text) or FOLDED.search(text)
        return is_odd is not None or self._all.search(text.lower()) is not None


WORDS = Words()

_PIECE = 128
_LONGEST = max(map(len, _STEMS))


class CueWords:
    """Which pieces of one text hold such a word; each piece is gone through once."""

    def __init__(self) -> None:
        self._known: dict[int, bool] = {}

    def may_stand_in(self, text: str, start: int, end: int) -> bool:
        """Return whether one may stand in ``text[start:end]``; of a long stretch its surroundings decide as well."""
        if end - start <= _PIECE:
            return WORDS.may_stand_in(text[start:end])
        return any(self._begins_in(text, number) for number in range(start // _PIECE, -(-end // _PIECE)))

    def _begins_in(self, text: str, number: int) -> bool:
        if number not in self._known:
            first = number * _PIECE
            self._known[number] = WORDS.may_stand_in(text[first : first + _PIECE + _LONGEST])
        return self._known[number]
