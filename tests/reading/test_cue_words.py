"""Words without one of which no sentence has a cue: asking for them first saves work and changes no answer."""

import re
from itertools import product
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, strategies as st

from actionledger.reading import cues
from actionledger.reading.cues import WORDS, CueWords
from actionledger.reading.parsers import PARSERS
from actionledger.reading.prose_words import stems
from actionledger.reading.scan.source import Source

FINDING = ("_ANYWHERE", "_ENDS_SO", "_FORBIDS", "_PRESCRIBES", "_LAST", "_TELLS_FORMAT")
"""The patterns that find a cue anywhere in a sentence."""

MESSAGES = [
    '>>>f\n{"a": "x"}',
    ">>>f\n{",
    "<function=f>{",
    '<function=f>{"a": "x"}\n',
    '<|tool_call|>{"a": "x"',
]
"""Openers with a body that nothing closes, so that no sentence ends between them."""


def _shortest(tree: Any) -> list[str]:
    """Return a text for each way through a pattern's alternatives, with no more in it than there has to be, but for single signs."""
    return ["".join(parts) for parts in product(*(_ways(kind, given) for kind, given in tree))]


def _ways(kind: Any, given: Any) -> list[str]:
    match str(kind):
        case "LITERAL":
            return [chr(given)]
        case "BRANCH":
            return [way for tree in given[1] for way in _shortest(tree)]
        case "SUBPATTERN":
            return _shortest(given[-1])
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            least, _, repeated = given
            if least:
                return [way * least for way in _shortest(repeated)]
            is_sign = [str(what) for what, _ in repeated] == ["LITERAL"]
            return ["", *(_shortest(repeated) if is_sign else [])]
        case "IN":
            return [chr(of) if str(what) == "LITERAL" else " " for what, of in given]
        case "AT" | "ASSERT" | "ASSERT_NOT":
            return [""]
    raise NotImplementedError(kind)


@pytest.mark.parametrize("name", [*FINDING, "_FORMAT"])
def test_whatever_a_pattern_finds_holds_such_a_word(name):
    """A cue that is added without its word would never be found."""
    pattern = getattr(cues, name)
    ways = _shortest(re._parser.parse(pattern.pattern, pattern.flags))
    assert [way for way in ways if not WORDS.may_stand_in(way)] == []


ASKED = {
    "_FORBIDS": stems.NEGATIONS,
    "_ENDS_SO": stems.EXAMPLES,
    "_PRESCRIBES": stems.FORMATS,
    "_ANYWHERE": stems.EXAMPLES | stems.POSSIBILITIES,
}
"""The words without one of which each of these patterns is not asked."""


@pytest.mark.parametrize("name", ASKED)
def test_whatever_a_pattern_finds_holds_a_word_of_those_that_it_is_asked_for(name):
    pattern = getattr(cues, name)
    ways = _shortest(re._parser.parse(pattern.pattern, pattern.flags))
    assert [way for way in ways if not cues.may_hold(way, ASKED[name])] == []
    assert not cues.may_hold("The trains are late today.", ASKED[name])


@given(
    st.lists(st.sampled_from([*sorted(stems.STEMS), "x" * 100, "e.", " no", "\n", "例"]), max_size=8),
    st.data(),
)
def test_pieces_miss_no_word(parts, data):
    """A word that begins in one piece and ends in the next one, and any stretch of the text, asked for in any order."""
    text, words = "".join(parts), CueWords()
    places = st.integers(0, len(text))
    for start, end in data.draw(st.lists(st.tuples(places, places).map(sorted), max_size=6)):
        assert words.may_stand_in(text, start, end) or not WORDS.may_stand_in(text[start:end])


class _Counting:
    """A pattern, or words, that notes how many characters it was asked about."""

    def __init__(self, pattern: Any) -> None:
        self._pattern, self.characters = pattern, 0

    def may_stand_in(self, text: str) -> bool:
        self.characters += len(text)
        return self._pattern.may_stand_in(text)

    def search(self, text: str, start: int = 0, end: int | None = None) -> re.Match[str] | None:
        end = len(text) if end is None else min(end, len(text))
        self.characters += end - start
        return self._pattern.search(text, start, end)


@pytest.mark.parametrize("message", MESSAGES)
def test_messages_behind_one_another_are_gone_through_for_cues_once(message):
    """Eight patterns went through six hundred characters for each message, of fifteen characters: a millisecond."""
    text = message * (6_000 // len(message))
    counting = {name: _Counting(getattr(cues, name)) for name in FINDING} | {"WORDS": _Counting(WORDS)}
    with (
        mock.patch.multiple(cues, **{name: counting[name] for name in FINDING}),
        mock.patch.object(cues, "WORDS", counting["WORDS"]),
    ):
        reading = PARSERS["auto"].read(text, frozenset({"f"}))
    assert len(reading.blocks) > 100
    assert sum(each.characters for each in counting.values()) < 3 * len(text)


@given(
    st.lists(
        st.sampled_from([*sorted(stems.STEMS), "I", "this", ".", ":", "\n\n", "\n", "- ", "例如"]), max_size=9
    )
)
def test_a_paragraph_without_such_a_word_shows_nothing(parts):
    """It is asked for them before its last sentence is looked for: that saves work and changes no answer."""
    text = " ".join(parts)
    for source in (Source(text), Source(f"{text}\n\n```json\n{{}}\n```")):
        start = min(len(source.text), len(text) + 2)
        found = cues.is_shown(source, start)
        with mock.patch.object(cues, "_says_nothing", return_value=False):
            assert cues.is_shown(Source(source.text), start) == found
