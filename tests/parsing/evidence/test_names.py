"""Offered names, as models write them, and where they are called."""

import pytest

import actionledger as al
from actionledger.parsing.evidence.names import names_of, prefix_before

NAMES = names_of(frozenset({"clock.get_time", "get_weather"}))


@pytest.mark.parametrize(
    ("spelt", "name"),
    [
        ("get_weather", "get_weather"),
        ("get\\_weather", "get_weather"),
        ("api.v1.get_weather", "get_weather"),
        ("clock_get_time", "clock.get_time"),
        ("get_time", "clock.get_time"),
        ("forget_weather", None),
        ("a-b.get_weather", None),
        ("x" * 400, None),
    ],
)
def test_a_name_is_known_in_its_spellings(spelt, name):
    assert NAMES.meant(spelt) == name


def test_two_names_of_one_spelling_are_nobodys():
    names = names_of(frozenset({"a.b", "a_b"}))
    assert [names.meant(spelt) for spelt in ("a.b", "a_b", "a-b")] == ["a.b", "a_b", None]


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("get_weather(", "call"),
        ('{"name": "get_weather"}', "text"),
        ('{"name": "functions.get_weather"}', "text"),
        ('{"get_weather": {}}', "key"),
        ('["get_weather", {}]', "pair"),
        ('get_weather {"city": 1}', "object"),
        ("<get_weather>", "tag"),
        ('{"name": get_weather, "arguments": {}}', "text"),
        ("{tool: get_weather}", "text"),
        ('{"city": 1, function = get_weather }', "text"),
        ("name: get_weather, please", None),
        ("{title: get_weather}", None),
        ("Use {get_weather} and get_weather, too.", None),
        ("get_weather is nice", None),
        ('{"title": "get_weather"}', None),
        ("my_get_weather(", None),
    ],
)
def test_a_mention_is_where_a_name_is_called(text, form):
    found = list(NAMES.mentions(text, 0, len(text)))
    assert [each.form for each in found] == ([form] if form else [])
    assert all(each.span.of(text) == "get_weather" for each in found)


def test_a_name_without_its_own_module_is_a_short_one():
    assert NAMES.is_short("get_time", "clock.get_time")
    assert not NAMES.is_short("clock.get_time", "clock.get_time")


def test_modules_before_a_name_are_found():
    assert [prefix_before("x api.v1.f", 9), prefix_before("f", 0), prefix_before("1.f", 2)] == [2, 0, 2]


@pytest.mark.parametrize(
    "name",
    [
        "{name: get_weather, arguments: {city: Paris}}",
        '{"name": get_weather, "arguments": {"city": "Paris"}}',
    ],
)
def test_a_name_without_its_quotes_is_not_passed_over(name):
    """What may be a text or a variable is not read, and it is said."""
    tool = {"name": "get_weather", "parameters": {"properties": {"city": {"type": "string"}}}}
    result = al.parse(f"漢😀\n\n{name}", dialects="auto", tools=[tool])
    assert result.actions == ()
    [issue] = result.issues
    assert issue.span.of(result.text) == name[: name.index("get_weather") + len("get_weather")]
