"""Each row is asked wherever its pattern is found: looking for its words first saves work and changes no answer."""

import random
import re
from typing import Any

import pytest
from hypothesis import given, strategies as st
from wild.shown_prose import MEANT, SHOWN as SHOWN_TEXTS

from actionledger.reading.prose_words import (
    ANNOUNCES,
    CONDITIONS,
    CORRECTS,
    OPEN,
    SHOWS,
    UNDERTAKES,
    asks,
    takes_back,
)
from actionledger.reading.prose_words.phrases import Phrase, Phrases, Vocabulary, compiled

KINDS = {
    "announces": ANNOUNCES,
    "shows": SHOWS,
    "open": OPEN,
    "corrects": CORRECTS,
    "undertakes": UNDERTAKES,
    "conditions": CONDITIONS,
}
MOST = 300
"""How many texts are tried for each pattern: those of its ways that are chosen are the same each time."""


def _ways(tree: Any, chooser: random.Random) -> list[str]:
    """Return texts for the ways through a pattern's alternatives, with and without what may be left out."""
    texts = [""]
    for kind, given_ in tree:
        further = _ways_of(str(kind), given_, chooser)
        texts = [text + more for text in texts for more in further]
        if len(texts) > MOST:
            texts = chooser.sample(texts, MOST)
    return texts


def _ways_of(kind: str, given_: Any, chooser: random.Random) -> list[str]:
    match kind:
        case "LITERAL":
            return [chr(given_)]
        case "BRANCH":
            return [way for tree in given_[1] for way in _ways(tree, chooser)]
        case "SUBPATTERN":
            return _ways(given_[-1], chooser)
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            least, _, repeated = given_
            ways = _ways(repeated, chooser)
            return [way * least for way in ways] if least else ["", *ways]
        case "IN":
            return [chr(of) if str(what) == "LITERAL" else "x" for what, of in given_]
        case "NOT_LITERAL" | "ANY":
            return ["x"]
        case "AT" | "ASSERT" | "ASSERT_NOT":
            return [""]
    raise NotImplementedError(kind)


@pytest.mark.parametrize("kind", KINDS)
def test_whatever_a_row_finds_holds_one_of_its_words(kind):
    missing = [
        (row, way)
        for row in KINDS[kind].rows
        for way in _ways(re._parser.parse(row.pattern, re.IGNORECASE), random.Random(1))
        if not any(word in way.lower() for word in row.words.split("|"))
    ]
    assert missing == []


WORDS = sorted({word for kind in KINDS.values() for row in kind.rows for word in row.words.split("|")})
TEXTS = [text for prose in (*SHOWN_TEXTS, *MEANT) for text in prose.texts]


@given(
    st.sampled_from(TEXTS) | st.lists(st.sampled_from([*WORDS, " ", "\n", ". ", "x", "İ", "ſ"])).map("".join),
    st.booleans(),
)
def test_the_answer_is_that_of_all_patterns(text, is_loud):
    text = text.upper() if is_loud else text
    for kind in KINDS.values():
        assert kind.search(text) is any(compiled(row.pattern).search(text) for row in kind.rows)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("ago|agony", "an hour agon"),
        ("hour|our ago", "an hour ago"),
        ("send", "ſEND"),
        ("confirm", "confırm"),
    ],
)
def test_a_word_is_found_within_a_longer_one_behind_another_and_in_other_letters(words, text):
    rows = Phrases([Phrase("agony|hour", "never"), Phrase(words, text)])
    assert rows.search(text)


def test_each_word_has_a_letter_by_which_it_is_found():
    """A text is taken apart into its own words, and a word of none but signs would be in none of them."""
    assert [word for word in WORDS if not re.search(r"\w", word)] == []


def test_a_table_hears_only_its_own_words_of_a_vocabulary():
    vocabulary = Vocabulary()
    tables = [Phrases([Phrase(word, word)], vocabulary) for word in ("look", "lookup", " the ", "it's")]
    for text in ("I lookup the time", "I look", "the end", "LOOKUP, it's the last", "ſ look the"):
        found = [word in text.lower() for word in ("look", "lookup", " the ", "it's")]
        assert [table.search(text) for table in tables] == found


def test_no_pattern_is_asked_without_its_words():
    rows = Phrases([Phrase("yesterday", "(")])  # would not even compile
    assert not rows.search("I create the task now.")


@pytest.mark.parametrize(
    ("text", "is_taken"),
    [
        ("But please do not run it.", True),
        ("请不要执行。", True),
        ("Пожалуйста, не выполняйте.", True),
        ("That is all.", False),
    ],
)
def test_what_takes_a_call_back_may_have_words_before_it(text, is_taken):
    assert takes_back(text) is is_taken


@pytest.mark.parametrize(
    ("text", "is_asked"),
    [
        ("Shall I?", True),
        ("实行しますか。", True),
        ("Anything else?", False),
        ("Sonst noch etwas?", False),
        ("Done.", False),
    ],
)
def test_a_question_about_something_else_asks_nothing(text, is_asked):
    assert asks(text) is is_asked
