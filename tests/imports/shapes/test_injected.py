"""What a person has said, apart from what their client says in their place."""

from time import process_time

import pytest

from actionledger.imports.shapes.placement import words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Fix it.", "Fix it."),
        ("<system-reminder>\nToday's date.\n</system-reminder>\n<system-reminder>x</system-reminder>\nFix it.", "Fix it."),
        ("<environment_context>\n  <cwd>/w</cwd>\n</environment_context>", ""),
        ("<session_context>\nThis is it.\n</session_context>\nFix it.", "Fix it."),
        ('<user_input mode="act">Fix <b>it</b>.</user_input>', "Fix <b>it</b>."),
        ("# AGENTS.md instructions for /w\n\nBe kind.", ""),
        ("What does <system-reminder> mean?", "What does <system-reminder> mean?"),
        ("", ""),
    ],
)  # fmt: skip
def test_the_words_are_what_is_left(text, words):
    assert words_of(text) == words


@pytest.mark.parametrize(
    "piece", ["<system-reminder>", "<command-name></command-nam", "</system-reminder><user_input>"]
)
def test_tags_that_nothing_closes_take_linear_time(piece):
    began = process_time()
    words_of(piece * 50_000)
    assert process_time() - began < 2
