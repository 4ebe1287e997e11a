"""Valid JSON is read as the C scanner reads it, and the places of its actions come with it."""

import json

import pytest
from effort import examples
from hypothesis import given, settings, strategies as st

from actionledger.reading.tolerant_json.valid import outlined, read_valid

DEPTH = 200

KEYS = st.sampled_from(["actions", "type", "a b", 'q"\\', "{", "]", "é😀", ""])
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
LEAVES = SCALARS | st.text(st.sampled_from('ab"\\{}[],: \n😀'), max_size=8)


def objects(values):
    return st.dictionaries(KEYS, values, max_size=4)


VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | objects(inner), max_leaves=12)

LISTS = st.lists(objects(VALUES), min_size=1, max_size=4)
OUTER = LISTS | st.dictionaries(KEYS, LISTS | VALUES, min_size=1, max_size=5) | VALUES
INDENTS = st.sampled_from([None, 0, 2, "\t"])


def plainly(text, start=0, levels=DEPTH):
    """Return value and end as the scanner gives them in one call."""
    read = read_valid(text, start, levels)
    return read and (json.dumps(read[0]), read[1])


def walked(text, start=0, levels=DEPTH):
    """Return value and end as they come with the places."""
    found = outlined(text, start, levels)
    return found and (json.dumps(found.value), found.end)


@given(OUTER, INDENTS, st.sampled_from(["", " and more", "}", ",", "\n```"]))
@settings(max_examples=examples(300))
def test_valid_json_is_read_as_the_scanner_reads_it(value, indent, behind):
    """The walk through the outer parts changes neither the value nor its end."""
    text = "> " + json.dumps(value, indent=indent, ensure_ascii=False) + behind
    assert walked(text, 2) == plainly(text, 2)


@given(OUTER, INDENTS)
@settings(max_examples=examples(200))
def test_every_known_place_holds_its_object(value, indent):
    """What stands at the place of an object is that object, and nothing else."""
    text = "> " + json.dumps(value, indent=indent) + " <"
    found = outlined(text, 2, DEPTH)
    parts = found.value.values() if isinstance(found.value, dict) else [found.value]
    items = [item for part in parts if isinstance(part, list) for item in part if isinstance(item, dict)]
    known = [item for item in items if id(item) in found.places]
    assert len(known) == len(found.places)
    for item in known:
        start, end = found.places[id(item)]
        assert json.loads(text[start:end]) == item


@given(OUTER, INDENTS, st.data())
@settings(max_examples=examples(400))
def test_what_the_scanner_refuses_is_refused(value, indent, data):
    """One character too many, too few or another one: both say the same of it."""
    text = json.dumps(value, indent=indent)
    at = data.draw(st.integers(0, len(text)))
    other = data.draw(st.sampled_from(["", ",", ":", '"', "}", "]", "{", "[", "\\", " ", "1", "\n"]))
    text = text[:at] + other + text[at + data.draw(st.integers(0, 1)) :]
    assert walked(text) == plainly(text)


@pytest.mark.parametrize(
    "text",
    [
        '[{"a": 1}, {"a": 2, "a": 3}]',
        '{"actions": [{"a": 1}], "actions": []}',
        '{"actions": [{"a": {"b": 1, "b": 1}}]}',
    ],
)
def test_a_key_that_stands_twice_is_noticed_at_every_level(text):
    """The tolerant reader knows where they stand, so it is left to that."""
    assert outlined(text, 0, DEPTH) is None


@pytest.mark.parametrize(
    "text", ['[{"a": NaN}]', '{"x": Infinity, "l": [{}]}', '{"l": [{}], "x": -Infinity}']
)
def test_words_for_numbers_that_are_none_are_refused(text):
    """They are no JSON, whoever reads them."""
    assert outlined(text, 0, DEPTH) is None


@pytest.mark.parametrize(
    ("before", "behind", "outside"),
    [("[{}, ", "]", 1), ('{"l": [{}, ', "]}", 2), ('{"l": [{}], "x": ', "}", 1), ('{"x": ', "}", 1)],
)
def test_the_depth_is_counted_through_the_walk(before, behind, outside):
    """As many levels as allowed are read, one more is not."""
    blanks = " " * 2 * DEPTH  # a short value can't be deep, so nothing is counted there
    for more, is_read in ((0, True), (1, False)):
        depth = DEPTH - outside + more
        text = before + "[" * depth + blanks + "]" * depth + behind
        assert (outlined(text, 0, DEPTH) is not None) is is_read
        assert walked(text) == plainly(text)


@pytest.mark.parametrize(
    "text", ['{"actions": [{"a": "}"}, {"b": {}}]}', '{"n": 1, "actions": [{"a": 1}]}', '[{}, {"a": []}]']
)
def test_the_objects_of_a_list_near_the_beginning_have_places(text):
    """Nobody has to look for the actions afterwards."""
    found = outlined(text, 0, DEPTH)
    items = found.value if isinstance(found.value, list) else found.value["actions"]
    assert [json.loads(text[slice(*found.places[id(item)])]) for item in items] == items
