"""Nothing that names an offered tool in call position ends without an action or an issue, nor grows out of hand."""

import warnings

import pytest
from effort import is_soak
from wild.measurement import readings, samples
from wild.recordings import CORPORA, recorded
from wild.silence import named_calls, silent_calls

import actionledger as al
from actionledger.core.vocabulary import Outcome

EACH = 12 if is_soak() else 36
"""Of so many texts of a recording's folder one is read here; ``python -m wild.silent`` reads all."""

EACH_GENERATED = 1 if is_soak() else 4
"""Of so many generated texts one: the same styles and surroundings come again and again."""


@pytest.mark.scaled
def test_generated_texts_are_never_silent():
    """Each style in each surrounding that is built with, and all that only looks like it."""
    calls = 0
    chosen = list(samples("train", 7, 1, with_leaderboard=False))[::EACH_GENERATED]
    for sample, result in readings(chosen):
        calls += len(named_calls(sample.text, sample.question.names))
        assert silent_calls(sample.text, sample.question.names, result) == [], sample.text
    assert calls > 1_000 // EACH_GENERATED


@pytest.mark.scaled
@pytest.mark.skipif(not CORPORA.is_dir(), reason="the recordings are not here")
def test_recorded_texts_are_never_silent():
    """What others wrote, with the names of the tools that they were offered."""
    calls = silent = 0
    for index, each in enumerate(recorded()):
        if index % EACH:
            continue
        tools = [{"name": name, "parameters": {"type": "object"}} for name in each.names]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = al.parse(each.text, dialects="auto", tools=tools)
        calls += len(named_calls(each.text, each.names))
        silent += len(silent_calls(each.text, each.names, result))
    assert calls > 1_200 // EACH
    assert silent <= calls // 1_000


def test_what_begins_in_a_block_that_cannot_be_read_is_said_behind_it():
    """The list begins in the block, whose issue covers no more than the block."""
    block = '<<<<<<< SEARCH\n    made = "|" + join(\n        [r"\\\\" + each for each in commands]\n>>>>>>> REPLACE\n'
    text = f'{block}>     units = get_units()  \n>     units.update(self["units"])  \n'
    tools = [{"name": name, "parameters": {"type": "object"}} for name in ("get_units", "join")]
    result = al.parse(text, dialects="auto", tools=tools)
    assert silent_calls(text, ("get_units", "join"), result) == []
    assert not result.actions


@pytest.mark.parametrize("text", ["<read_file notes.txt", "<read_file>notes.txt"])
def test_a_tag_that_never_ends_is_no_text(text):
    """It is all that the model wrote, and nothing else of it can be read."""
    assert al.parse(text, profile="coder").outcome is Outcome.FAILED


def test_a_tag_that_a_sentence_names_is_text():
    assert al.parse("I use <read_file> to read a file.", profile="coder").outcome is Outcome.NO_ACTION
