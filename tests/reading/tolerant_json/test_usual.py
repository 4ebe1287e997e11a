"""Containers whose faults are all usual ones are rewritten in one run; whatever else stands in them, the run gives up."""

import pytest

from actionledger.core.vocabulary import RepairKind
from actionledger.reading.tolerant_json.rewriting import read_usual

USUAL = {
    "{a: 1}": {"a": 1},
    "{'a': 'b'}": {"a": "b"},
    "{“a”: 1}": {"a": 1},
    '{"a": True, "b": [None,]}': {"a": True, "b": [None]},
    '["a",\xa0"b"]': ["a", "b"],
    '["a", # note\n "b"]': ["a", "b"],
    '["a",, "b"; "c"]': ["a", "b", "c"],
    '{"a" = 1, "b" => 2}': {"a": 1, "b": 2},
}


@pytest.mark.parametrize("text", USUAL)
def test_usual_faults_are_mended_in_one_run(text):
    """The value, and its end in the text as it was."""
    mended, notes, _ = read_usual(text, 0, 10)
    assert mended is not None
    assert (mended.value, mended.end) == (USUAL[text], len(text))
    assert len(notes) > 0


def test_what_stands_behind_the_container_is_not_mended():
    """The run goes past its end, and forgets what it has noted there."""
    mended, notes, _ = read_usual("{a: 1} {b: 2}", 0, 10)
    assert mended is not None
    assert (mended.text, mended.end) == ('{"a": 1}', 6)
    assert [note[1] for note in notes] == [1]


def test_places_are_those_of_the_text_as_it_was():
    """Behind a thousand faults as well."""
    text = "x " + "[" + "{a: 1}, " * 1_000 + "{a: 1}]"
    mended, notes, _ = read_usual(text, 2, 10)
    assert mended is not None
    assert mended.end == len(text)
    assert text[mended.original(mended.text.rindex("{")) :] == "{a: 1}]"
    assert [kind for kind, *_ in notes] == [RepairKind.UNQUOTED_KEY] * 1_001


@pytest.mark.parametrize(
    "text", ['{a: "x "y" z"}', "{a: [1}", "{a: 1, a: 2}", "{a: [[1]]}", "{a: 1", "{a: b c}", "[a: 1]"]
)
def test_other_faults_are_left_alone(text):
    """Quotes inside, wrong brackets, keys that are there twice, too many levels, no end, texts, a member in a list."""
    mended, _, _ = read_usual(text, 0, 2)
    assert mended is None
