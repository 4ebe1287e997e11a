"""Faults for the tolerant decoder, one at a time: each breaks valid JSON in one way that models do, at a random place.

What a fault does never changes what the text plainly means.
"""

import json
from random import Random

import pytest
from broken_json.documents import random_value
from broken_json.faults import TOKEN_FAULTS
from broken_json.signs import SIGN_FAULTS
from broken_json.tokens import document
from broken_json.wholes import cut

NESTED = "JSON in a string, unescaped"
IN_DOUBT = {
    *("text without quotes", "escaped quotes around", "escaped quotes around everything", "doubled quotes"),
    *("doubled quotes everywhere", "colon for comma", "comma for colon", "stray word behind a comma"),
    *("stray word behind a value", "no closing bracket in the middle", "no closing brackets at the end"),
    *("the same closing bracket twice", "round brackets for square ones", "no first bracket"),
    *("neither first nor last bracket", "no opening bracket", "comma at first", "semicolon at the end"),
    *("backtick and apostrophe", "a quote of each kind", "two colons", "other escapes"),
}
"""What is tested with several faults at a time, in ``test_broken.py``."""

FAULTS = {name: fault for name, fault in {**TOKEN_FAULTS, **SIGN_FAULTS}.items() if name not in IN_DOUBT}
NAMES = [*FAULTS, NESTED, "cut off"]


def pytest_generate_tests(metafunc):
    """Run a test that takes a fault once for each."""
    if "fault" in metafunc.fixturenames:
        metafunc.parametrize("fault", NAMES)


@pytest.fixture(scope="session")
def faults():
    """Return the names of all faults."""
    return NAMES


def broken(fault, value, text, random):
    """Return a text that means a value, broken, with what it means then; None where it has no place for the fault."""
    if fault == NESTED:
        nested = {"name": "f", "arguments": text, "last": 1}
        return (nested, f'{{"name": "f", "arguments": "{text}", "last": 1}}') if "\\" not in text else None
    if fault == "cut off":
        return value, cut(text, random)
    made = document(value, text)
    return (value, made.text) if FAULTS[fault](made, random) else None


@pytest.fixture(scope="session")
def broken_texts():
    """Return a function that yields broken texts of one fault, each with the value that is meant."""

    def make(fault, seed, count):
        random = Random(seed)
        while count:
            value = random_value(random)
            text = json.dumps(
                value, indent=random.choice([None, None, 2]), ensure_ascii=random.random() < 0.2
            )
            if pair := broken(fault, value, text, random):
                count -= 1
                yield pair

    return make
