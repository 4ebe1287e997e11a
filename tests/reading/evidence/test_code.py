"""Calls that stand in a program are its own, and a text with other signs keeps its places."""

import pytest

import actionledger as al
from actionledger.reading.evidence.names import Mention
from actionledger.reading.evidence.stretches import FILLER, with_keywords, with_plain_names, without_filler

TOOLS = [
    {
        "type": "function",
        "function": {"name": name, "parameters": {"type": "object", "properties": {key: {}}}},
    }
    for name, key in (("get_weather", "city"), ("search", "query"))
]


def read(text: str) -> al.ParseResult:
    return al.parse(text, dialects="auto", tools=TOOLS)


@pytest.mark.parametrize(
    "program",
    [
        'def main():\n    get_weather(city="Oslo")\n',
        'def main(a: int) -> None:\n    x = 1\n    get_weather(city="Oslo")\n',
        'async def main():\n    get_weather(city="Oslo")\n',
        'class A(B):\n    get_weather(city="Oslo")\n',
        'for city in cities:\n    get_weather(city="Oslo")\n',
        'if done:\n    get_weather(city="Oslo")',
        'if done:\r\n    get_weather(city="Oslo")',
        'if a:\n    x = 1\nelif b:\n    get_weather(city="Oslo")',
        'else:\n    get_weather(city="Oslo")\n',
        'with a as b:\n    search(query="x")\n    get_weather(city="Oslo")',
        'match x:\n    case 1:\n        get_weather(city="Oslo")\n',
        'while (true) {\n  search({"query": "x"});\n}',
        'func main() {\n\tsearch({"query": "x"})\n}',
        'fn main() -> Weather {\n    get_weather(city="Oslo");\n}',
    ],
)
@pytest.mark.parametrize("lead", ["", "This is in the file:\n\n"])
def test_what_stands_in_a_program_is_no_action(lead, program):
    """Below a definition, a loop or a condition, in Python and in languages with braces."""
    result = read(lead + program)
    assert {str(action.status) for action in result.actions} <= {"illustration"}
    assert [str(issue.code) for issue in result.issues] == ["example"]


@pytest.mark.parametrize(
    "words",
    [
        "with these words:\n",
        "while I wait:\n\n",
        "for the weather (in Oslo):\n",
        "else:\n",
        "class of weather:\n",
        "try this:\n\n",
    ],
)
def test_what_stands_below_a_sentence_is_one(words):
    """A sentence that a colon ends, and nothing indented below it."""
    result = read(f'I look\n{words}get_weather(city="Oslo")')
    assert [(action.name, str(action.status)) for action in result.actions] == [("get_weather", "valid")]


def test_signs_that_python_has_not_are_replaced_and_said():
    text = "f(a: 1, b='x: 1', **{'c': 2}) and more"
    made, repairs, end = with_keywords(text, 0, len(text))
    assert made == "f(a= 1, b='x: 1',   {'c': 2}) and more"
    assert [(str(each.kind), each.span.of(text), each.after) for each in repairs] == [
        ("colon", ":", "="),
        ("arguments_unpacked", "**", ""),
    ]
    assert text[:end] == "f(a: 1, b='x: 1', **{'c': 2})"


def test_a_call_that_python_can_read_is_left_alone():
    assert with_keywords("f(a={'b': 1}) g(c: 1)", 0, 21) == ("", [], 13)
    assert with_keywords("f(a=[1, b: 1])", 0, 14) == ("", [], 14), "what stands deeper is no argument"


@pytest.mark.parametrize(
    ("spelt", "plain"),
    [("clock.get-time", f"clock{FILLER}get{FILLER}time"), ("clock.get_time", "clock.get_time")],
)
def test_a_name_becomes_one_in_python_of_the_same_length(spelt, plain):
    assert with_plain_names(f"{spelt}(1)", [Mention(spelt, "call", 0, len(spelt))]) == f"{plain}(1)"


def test_the_filler_is_taken_out_of_all_values():
    assert without_filler({f"a{FILLER}": [f"b{FILLER}", 1]}) == {"a": ["b", 1]}
