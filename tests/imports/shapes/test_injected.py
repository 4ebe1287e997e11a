"""What a person has said, apart from their client's words, and what Codex' threads are called."""

import json
from time import process_time

import pytest

from actionledger.imports.formats.codex import read
from actionledger.imports.shapes.codex_items import title_of
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


META = {
    "timestamp": "2026-11-29T07:00:00.000Z",
    "type": "session_meta",
    "payload": {"id": "t1", "cli_version": "0.171.0"},
}
SAID = {
    "timestamp": "2026-11-29T07:00:01.000Z",
    "type": "response_item",
    "payload": {
        "type": "message",
        "role": "assistant",
        "id": "m",
        "content": [{"type": "output_text", "text": "Hi"}],
    },
}


@pytest.fixture
def rollout(tmp_path):
    folder = tmp_path / "home/sessions/2026/11/29"
    folder.mkdir(parents=True)
    path = folder / "rollout-2026-11-29T07-00-00-t1.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in (META, SAID)))
    return path


def named(rollout, *entries):
    index = rollout.parents[4] / "session_index.jsonl"
    index.write_text("".join(each if isinstance(each, str) else json.dumps(each) + "\n" for each in entries))


def test_the_newest_name_counts(rollout):
    """What is no entry is passed by; another thread's name is another's."""
    named(
        rollout,
        {"id": "t1", "thread_name": "First"},
        "[1]\n{\n",
        {"id": "t2", "thread_name": "x"},
        {"id": "t1", "thread_name": "Then"},
    )
    assert title_of(rollout, "t1") == "Then"
    assert title_of(rollout, "t3") == ""
    session = next(item for item in read(rollout) if hasattr(item, "metadata"))
    assert (session.metadata["title"], session.metadata["title_source"]) == ("Then", "index")


def test_without_an_index_there_is_no_title(rollout, tmp_path):
    assert title_of(rollout, "t1") == title_of(tmp_path / "a.jsonl", "t1") == ""
