"""Plain calls are read in one go, exactly as they are where each sign is looked at; and a hundred of them cost little."""

import sys
from collections.abc import Iterator

import pytest

import actionledger as al
from actionledger.core.patterns import regex
from actionledger.reading.dialects import DIALECTS
from actionledger.reading.dialects.parts import json_calls, markers, python_source
from actionledger.reading.dialects.parts.call_tags import TagGrammar

NOWHERE = regex("(?!)")
MOST = 240
"""How many functions are called for each call of a response with a hundred, those in C included: with the longer way, up to 330."""

ARGUMENTS = (
    {},
    {"city": "Paris", "days": 3},
    {"city": "", "on": True, "off": False, "none": None, "days": -1},
    {"city": 'a "b" c', "text": "it's"},
    {"text": "two\nlines", "path": "C:\\x"},
    {"text": "</b> & <i>", "list": [1, "x"], "held": {"a": {"b": 1}}},
    {"text": " around ", "word": "x = 5, y", "large": 10**20, "part": 2.5},
    {"text": "/parameter>", "other": "arg_value>", "more": "漢 #c"},
)
HURT = ("", ",", '"', ")", "}", "]", "<", "</", ">", " x", "\n", "#c\n", "=", "\\", "7")


def plain_less(monkeypatch) -> None:
    """Have every reader look at each sign."""
    monkeypatch.setattr(python_source, "_plain_call", lambda *_: None)
    monkeypatch.setattr(markers, "plain_arguments", lambda *_: None)
    monkeypatch.setattr(json_calls, "_USUAL", -1)
    for dialect in DIALECTS:
        for each in (dialect, *getattr(dialect, "generations", ())):
            grammar = getattr(each, "grammar", None)
            if isinstance(grammar, TagGrammar):
                monkeypatch.setattr(grammar, "plain_value", NOWHERE)
                monkeypatch.setattr(grammar, "plain_json", NOWHERE)
                monkeypatch.setattr(grammar, "has_kinds", True)


def texts(dialect: str) -> Iterator[str]:
    """Yield calls as they are written, whole and hurt at one place."""
    for arguments in ARGUMENTS:
        try:
            text = al.render([("get_weather", arguments), ("a.b", {"city": "Rome"})], dialect)
        except al.ActionLedgerError:
            continue
        yield text
        yield f"I do it.\n\n{text}\n\nDone."
        for number, sign in enumerate(HURT):
            at = len(text) * (number + 1) // (len(HURT) + 1)
            yield text[:at] + sign + text[at:]
            yield text[:at] + text[at + 1 :]


@pytest.mark.parametrize("dialect", [each.name for each in DIALECTS])
def test_what_is_plain_is_read_as_it_is_sign_by_sign(dialect, monkeypatch):
    given = list(texts(dialect))
    quickly = [al.parse(text, dialects=[dialect]) for text in given]
    plain_less(monkeypatch)
    for text, result in zip(given, quickly, strict=True):
        assert al.parse(text, dialects=[dialect]) == result


@pytest.mark.parametrize("dialect", [each.name for each in DIALECTS])
def test_a_hundred_calls_cost_little(dialect):
    calls = [
        ("get_weather", {"city": f"Paris {number}", "days": number, "unit": "celsius"})
        for number in range(100)
    ]
    try:
        text = al.render(calls, dialect)
    except al.ActionLedgerError:
        pytest.skip("it has no such calls")
    al.parse(text, dialects=[dialect])
    counted = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal counted
        counted += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        al.parse(text, dialects=[dialect])
    finally:
        sys.setprofile(before)
    assert counted / len(calls) <= MOST
