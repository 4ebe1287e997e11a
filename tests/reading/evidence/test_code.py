"""Calls that stand in a program are its own, and no actions; sentences that begin with a program's words are sentences."""

import pytest

import actionledger as al

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
