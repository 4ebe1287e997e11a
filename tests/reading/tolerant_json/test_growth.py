"""Steps grow with the text and not faster, memory too, whatever the text is made of."""

import gc
import json
import pickle
import tracemalloc

import pytest
from steps import growth_fault

from actionledger.reading.tolerant_json import LENIENT, decode, decode_all, find_value

OPTIONS = LENIENT.model_copy(update={"calls": True})

FAMILIES = {
    "a quote that is never closed": ('{"a": "', "x", ""),
    "braces in such a string": ('{"a": "', "x}", ""),
    "opening brackets": ("", "[", ""),
    "opening braces": ("", '{"a":', ""),
    "fences": ('{"a": "', "```\n", ""),
    "backslashes in a string": ('{"a": "', "\\", ""),
    "backslashes outside": ("{", "\\", ""),
    "quotes": ('{"a": ', '"', ""),
    "quotes and commas": ('{"a": "', '", "', ""),
    "a quote left open on each line": ("{", '"k": "abc,\n', ""),
    "two kinds of quotes": ('{"a": ', "\"'", ""),
    "quotes inside": ('{"a": "', 'say "x" y ', '"}'),
    "openings of comments": ('{"a": ', "/*", ""),
    "comments with quotes": ('{"a": 1', '//"\n', ""),
    "quotes with comments behind": ("[", '"//"//"\n', ""),
    "quotes with hashes behind": ('{"a": "', '"#"#"\n', ""),
    "colons": ('{"a"', ":", ""),
    "words": ('{"a": ', "word ", ""),
    "commas": ("[", ",", ""),
    "closing braces": ("[", "}", ""),
    "blanks behind a key": ('{"a"', " ", ""),
    "quotes far from each other": ('{"a": "', '"' + " " * 50, ""),
    "bare keys": ("", "{a: ", ""),
    "no commas": ("[", '"a" ', "]"),
    "numbers without commas": ("[", "1 ", ""),
    "literals": ("[", "True, ", "]"),
    "triple quotes": ('{"a": ', '"""', ""),
    "small objects with quotes inside": ("[", '{"a": "x "y" z"} ', "]"),
    "small objects with bare texts": ("[", '{"a": b c d, "e": 1},', "]"),
    "deep, then broken": ('{"a":[' * 50, '"x "y" z",', ""),
    "duplicate keys": ("[", '{"a":1,"a":2},', "]"),
    "control characters": ("[", '"a\nb",', "]"),
    "bad escapes": ("[", '"a\\db",', "]"),
    "braces and quotes inside": ("[", '"a {"x" y",', "]"),
    "sums": ('{"a": "x"', ' + "y"', "}"),
    "digits": ("[", "1", "]"),
    "lines without commas": ("{", "a: b\n", "}"),
    "other blanks": ("[", "1,\xa0", "]"),
    "tuples": ("[", "(1, 2),", "]"),
    "calls": ("[", 'f(a=1, b="x"),', "]"),
    "objects that go on": ('{"a": 1}', ', "b": 1}', ""),
    "keys with quotes inside": ('{"', 'a" ', '": 1}'),
    "keys left open": ("{", '"a: 1, ', "}"),
    "lists that go on": ("[1", "], 2", "]"),
    "texts with colons in a list": ("[", '"a": ', ""),
    "words between elements": ("[", '"a" and, ', "]"),
    "doubled quotes": ("{", '""a"": ""b"", ', "}"),
    "escaped quotes": ("{", '\\"a\\": 1, ', "}"),
    "quotes of two kinds": ("[", '"a”, ', "]"),
    "backticks left open": ("[", "`a', ", "]"),
    "missing values": ("{", '"a": , ', "}"),
    "members without a brace": ("", '"a": 1, ', ""),
}


def text_of(family, size):
    """Return a text of about that many characters."""
    head, unit, tail = FAMILIES[family]
    return head + unit * (size // len(unit)) + tail


@pytest.mark.soak
@pytest.mark.parametrize("family", FAMILIES)
def test_steps_grow_no_faster_than_the_text(family):
    """Eight times the text takes at most ten times the steps: a square would take 64 times.

    What is looked at behind a fault, up to 400 characters, is small beside the smaller text.
    """

    def read(text):
        decode(text, options=OPTIONS)

    assert not growth_fault(read, text_of(family, 8_000), text_of(family, 64_000))


def peak(text):
    """Return the most memory that reading a text takes beside the value, in bytes a character."""
    gc.collect()
    tracemalloc.start()
    decoded = decode(text, options=OPTIONS)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    pickled = pickle.dumps(decoded.value)
    tracemalloc.start()
    value = pickle.loads(pickled)
    alone, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert value == decoded.value
    return (most - alone) / len(text)


def test_memory_for_a_text_with_a_fault_here_and_there_is_a_small_multiple_of_it():
    """The value itself takes most of it."""
    action = {
        "type": "create_task",
        "content": "Review the plan with the others",
        "tags": ["a", "b"],
        "n": 12,
    }
    text = json.dumps({"actions": [action] * 500})
    assert peak(text.replace('12}, {"type"', '12,}, {"type"', 50)) < 5


@pytest.mark.soak
@pytest.mark.parametrize("family", FAMILIES)
def test_memory_is_a_small_multiple_of_the_text(family):
    """Twelve bytes for a note, and some hundred kilobytes for what is at hand; the scanner has a pair for each member."""
    decode(text_of(family, 1_000), options=OPTIONS)
    assert peak(text_of(family, 50_000)) < 20


def test_many_values_take_linear_time():
    """A value's cost doesn't depend on how much stands before and behind it."""
    line = "{'a': 'its', b: [1, 2,]}\n"
    assert len(decode_all(line * 2_000)) == 2_000
    assert not growth_fault(decode_all, line * 200, line * 2_000)


def test_a_text_full_of_openers_is_searched_in_linear_time():
    """Looking for a value gives up in time."""
    assert not growth_fault(find_value, "see [1 or {x " * 200, "see [1 or {x " * 2_000)
