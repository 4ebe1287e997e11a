"""What the prose around a call says in fourteen languages: that it is being made, that it is only shown, that it is taken back.

Each language is a row of tables, see ``phrases.Language``. None has to be complete: see ``prose`` for what is made of a sentence that says nothing of
either.
"""

from functools import cache

from actionledger.core.patterns import regex
from actionledger.reading.prose_words import english, work
from actionledger.reading.prose_words.eastern import CHINESE, JAPANESE, KOREAN, RUSSIAN
from actionledger.reading.prose_words.others import ARABIC, DUTCH, ITALIAN, POLISH, TURKISH
from actionledger.reading.prose_words.phrases import Phrases, Vocabulary
from actionledger.reading.prose_words.sequels import REFERS
from actionledger.reading.prose_words.stems import STEMS
from actionledger.reading.prose_words.western import FRENCH, GERMAN, SPANISH
from actionledger.reading.scan.line_starts import AnyCase

_WESTERN = (english.ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN, DUTCH, POLISH, TURKISH)
_ALL = (*_WESTERN, CHINESE, JAPANESE, RUSSIAN, KOREAN, ARABIC)

BEFORE, _THEN, _BETWEEN = Vocabulary(STEMS), Vocabulary(), Vocabulary()
"""The words of the tables that every sentence before a call is asked about, cues among them, of those for which the first leave it open,
and of what stands between two calls."""

ANNOUNCES = Phrases([row for each in _ALL for row in each.announces], _THEN)
"""What says that its writer makes the call now."""

SHOWS = Phrases([row for each in _ALL for row in each.shows], BEFORE)
"""What says plainly that a call is not made: enough against one with its format's marks, too."""

OPEN = Phrases([row for each in _ALL for row in each.open], _THEN)
"""What leaves open whether the call is made, or says of something else that it was: a condition, the past, a log, a document."""

UNDERTAKES = Phrases(work.UNDERTAKES, _THEN)
"""What says so in so many words that nothing else in the sentence speaks against it but a condition."""

CONDITIONS = Phrases([row for each in _ALL for row in each.conditions], BEFORE)
"""What says that something else has to come before the call, or would have had to."""

CORRECTS = Phrases([row for each in _ALL for row in each.corrects], _BETWEEN)
"""What says between two calls that the second one stands for the first."""

_CODE = regex("`[^`\n]++`")
_ASKS = regex(r"[^.!?。？\n]{0,160}[?？]")


def asks(text: str) -> bool:
    """Return whether the first sentence behind a call is a question, and not one about something else."""
    return ("?" in text or "？" in text or "か。" in text) and _question().match(text) is not None


def describes(behind: str) -> bool:
    """Return whether a text begins with what says what the call before it was; a question does not."""
    return _describing().match(behind) is not None and not _ASKS.match(behind)


def defers(behind: str) -> bool:
    """Return whether a text begins with what leaves it to somebody else whether the call before it is made."""
    return _deferring().match(behind) is not None


def offers(sentence: str) -> bool:
    """Return whether a sentence before a call asks whether to make it."""
    return is_question(sentence) and _offer().search(sentence) is not None


def bids(sentence: str) -> bool:
    """Return whether a sentence says what to do, or names it, as a note to its writer; code in it is no words."""
    said = _CODE.sub("`x`", sentence) if "`" in sentence else sentence
    return _bid().match(said) is not None or (":" in said and _note().match(said) is not None)


def is_about_work(sentence: str) -> bool:
    """Return whether a sentence of plain English letters speaks of no text, such as a message, a log or a format."""
    return sentence.isascii() and not _of_texts().search(_CODE.sub("`x`", sentence))


def is_question(sentence: str) -> bool:
    end = sentence.rstrip("\"'”’)*_` ")[-2:]
    return end[-1:] in ("?", "？") or end == "か。"


def says_nothing(text: str) -> bool:
    """Return whether a text holds no word of what says that a call is not made, or not yet: ``SHOWS`` and ``CONDITIONS``."""
    words = BEFORE.heard(text)
    return words is not None and (not words or _against().isdisjoint(words))


def judges(behind: str) -> bool:
    """Return whether a text begins with what takes the call back that it follows, describes it, or leaves it to somebody else."""
    return _judging().match(behind) is not None


def goes_on_about(behind: str) -> bool:
    """Return whether a text begins with what judges the call that it follows, or refers to it."""
    return _going_on().match(behind) is not None


def takes_back(text: str) -> bool:
    """Return whether a text begins with what takes the call back that it follows."""
    return _taking_back().match(text) is not None


@cache
def _against() -> frozenset[str]:
    return frozenset(
        word for rows in (SHOWS.rows, CONDITIONS.rows) for row in rows for word in row.words.split("|")
    )


@cache
def _judging() -> AnyCase:
    return _any_of(_taking_back(), _describing(), _deferring())


@cache
def _going_on() -> AnyCase:
    return _any_of(_judging(), REFERS)


def _any_of(*patterns: AnyCase) -> AnyCase:
    """Return what finds any of several patterns for a text's first words."""
    firsts = (each.pattern.removeprefix(r"\W*") for each in patterns)
    return AnyCase(rf"\W*(?:{'|'.join(firsts)})")


@cache
def _taking_back() -> AnyCase:
    leads = "|".join(each.leads for each in _ALL if each.leads)
    patterns = "|".join(pattern for each in _ALL for pattern in each.takes_back)
    halts = "|".join(each.halts for each in _ALL)
    return AnyCase(rf"\W*(?:(?:{halts})|(?:{leads})*+(?:{patterns}))")


@cache
def _describing() -> AnyCase:
    return AnyCase(rf"\W*(?:{'|'.join(each.describes for each in _ALL)})")


@cache
def _deferring() -> AnyCase:
    return AnyCase(rf"\W*(?:{'|'.join(each.defers for each in _ALL)})")


@cache
def _bid() -> AnyCase:
    return AnyCase(work.BIDS)


@cache
def _note() -> AnyCase:
    return AnyCase(work.NOTES)


@cache
def _of_texts() -> AnyCase:
    return AnyCase(work.OF_TEXTS)


@cache
def _offer() -> AnyCase:
    return AnyCase("|".join(each.offers for each in _ALL))


@cache
def _question() -> AnyCase:
    other = "|".join(each.anything_else for each in _ALL if each.anything_else)
    return AnyCase(
        rf"(?!\s*+[^.!?？。\n]*(?:{other}))\s*+(?:[^.!?？。\n]{{0,160}}[?？]|[^.!?？。\n]{{0,80}}か。)"
    )
