"""A response whose lines end with a carriage return alone is read as one with line feeds, at the same places."""

import pytest

from actionledger import StreamParser, parse
from actionledger.core.values import Span
from actionledger.reading.parsers import PARSERS

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
