"""Plain calls are read in one go, and lines that end otherwise are read at the same places."""

import sys
from collections.abc import Iterator

import pytest

import actionledger as al
from actionledger import StreamParser, parse
from actionledger.core.patterns import regex
from actionledger.core.values import Span
from actionledger.reading.dialects import DIALECTS
from actionledger.reading.dialects.parts import json_calls, markers, python_source
from actionledger.reading.dialects.parts.call_tags import TagGrammar
from actionledger.reading.parsers import PARSERS

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


CALL = '{"name": "get_weather", "arguments": {"city": "Paris"}}'
PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}}
TOOLS = [{"name": "get_weather", "parameters": PARAMETERS}]
TEXTS = {
    "a fence": f"Sure 👍.\n\n```json\n{CALL}\n```\n",
    "Python": '```python\nget_weather(city="Paris")\n```\n',
    "lines": 'Thought: a\nAction: get_weather\nAction Input: {"city": "Paris"}\n',
    "evidence": 'Sure:\n\nget_weather(city="Paris")\n',
    "edits": "a.py\n```python\n<<<<<<< SEARCH\na = 1\n=======\na = 2\n>>>>>>> REPLACE\n```\n",
    "an example": f"For example:\n\n```json\n{CALL}\n```\n\nBut I do not.",
}


@pytest.mark.parametrize("name", TEXTS)
def test_it_is_read_as_one_with_line_feeds(name, assert_invariants):
    text = TEXTS[name].replace("\n", "\r")
    found, usual = (parse(each, dialects="auto", tools=TOOLS) for each in (text, TEXTS[name]))
    assert [(each.name, each.span, each.status) for each in found.actions] == [
        (each.name, each.span, each.status) for each in usual.actions
    ]
    assert [issue.code for issue in found.issues] == [issue.code for issue in usual.issues]
    assert_invariants(PARSERS["auto"].read(text, frozenset({"get_weather"})), PARSERS["auto"])


def test_a_repair_says_so():
    reading = PARSERS["auto"].read(f"Sure.\r\r```json\r{CALL}\r```\r")
    [repair] = reading.blocks[0].repairs
    assert (str(repair.kind), repair.span, repair.before, repair.after) == ("space", Span(14, 15), "\r", "\n")
    assert str(reading.outcome) == "repaired"


def test_a_carriage_return_beside_line_feeds_is_content():
    text = "```json\n" + CALL.replace("Paris", "Pa\rris") + "\n```\n"
    assert PARSERS["auto"].read(text).actions[0].arguments == {"city": "Pa\rris"}


def test_whoever_repairs_nothing_takes_it_for_no_line_end():
    strict = PARSERS["auto"].model_copy(update={"decoding": {"repairs": []}})
    strict = type(strict).model_validate(strict.model_dump())
    assert not strict.read(f"```json\r{CALL}\r```\r").actions


def test_a_stream_says_the_same_at_its_end():
    text = TEXTS["a fence"].replace("\n", "\r") + "x" * 200
    stream = StreamParser(PARSERS["auto"])
    given = [block for sign in text for block, _ in stream.feed(sign)]
    reading = stream.finish()
    assert given == list(reading.blocks[: len(given)])
    assert reading == PARSERS["auto"].read(text)
