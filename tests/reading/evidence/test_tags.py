"""Tags with a tool's name, and tags whose signs are escaped, are read or said."""

import pytest

import actionledger as al
from actionledger.core.vocabulary import Outcome, Reason

FILES = {
    "name": "create_file",
    "parameters": {
        "type": "object",
        "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
        "required": ["path"],
    },
}


@pytest.mark.parametrize(
    "text",
    [
        '<get_weather>{"city": "Paris"}</get_weather>',
        '<get_weather city="Paris"/>',
        "<get_weather><city>Paris</city></get_weather>",
        "<tool_call><get_weather><city>Paris</city></get_weather></tool_call>",
        '<call name="get_weather"><parameter name="city">Paris</parameter></call>',
        "<get_weather><arguments><city>Paris</city></arguments></get_weather>",
    ],
)
def test_a_tag_with_a_tools_name_is_its_call(read, text):
    """Attributes, an object, a tag for each argument."""
    [call] = read(text).valid_actions
    assert (call.name, call.arguments) == ("get_weather", {"city": "Paris"})


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("\nif x:\n    y\n\n", "if x:\n    y\n"),
        ("if x:\n    y\n", "if x:\n    y\n"),
        (" a ", "a"),
        ("\n    a\n  ", "a"),
    ],
)
def test_a_value_of_several_lines_loses_the_breaks_around_it_alone(written, value):
    text = f"<create_file><path>a</path><content>{written}</content></create_file>"
    [call] = al.parse(text, dialects=["hermes"], tools=[FILES]).valid_actions
    assert call.arguments == {"path": "a", "content": value}


@pytest.mark.parametrize(
    "text", ["I use <get_weather> for it.", "The tag <get_weather> is empty: <get_weather>"]
)
def test_a_tag_that_holds_nothing_is_a_word(read, text):
    """It is no call, and no loss."""
    assert str(read(text).outcome) == "no_action"


@pytest.mark.parametrize(
    "text",
    [
        "<get_weather><country>France</country></get_weather>",
        "<get_weather><city>Paris</get_weather>",
        '<get_weather>{"city": "Paris"</get_weather>',
    ],
)
def test_a_tag_that_cannot_be_read_is_said(read, text):
    """Another tool's field, a field that is never closed, an object that is cut."""
    result = read(text)
    assert not result.valid_actions
    assert result.issues


@pytest.mark.parametrize("signs", [("&lt;", "&gt;"), ("\\<", ">")])
def test_an_escaped_tag_around_a_value_is_read_over(read, signs):
    """The value says it all."""
    opens, closes = signs
    call = '{"name": "get_weather", "arguments": {"city": "Paris"}}'
    result = read(f"{opens}tool_call{closes}{call}{opens}/tool_call{closes}")
    [action] = result.valid_actions
    assert action.arguments == {"city": "Paris"}
    assert [str(repair.kind) for repair in result.repairs].count("stray_mark") == 2


@pytest.mark.parametrize(
    "text",
    [
        "<function=get_weather><parameter=city>Paris</parameter></function>",
        '<invoke name="get_weather"><parameter name="city">Paris</parameter></invoke>',
        "<get_weather><city>Paris</city></get_weather>",
    ],
)
def test_escaped_tags_of_a_call_are_a_loss_that_is_said(read, text):
    """What was escaped in its fields can't be known."""
    escaped = text.replace("<", "&lt;").replace(">", "&gt;")
    result = read(escaped)
    assert not result.actions
    assert str(result.outcome) == "failed"
    assert any("escaped" in issue.detail for issue in result.issues)


@pytest.mark.parametrize(
    "text",
    [
        "<svg><path>M0 0</path></svg>",
        "<svg><path>M0 0</path><content>x</content></svg>",
        '<svg width="3"><path d="M0 0"/></svg>',
        "Here it is:\n\n<g>\n<path>M0 0</path>\n<content>x</content>\n</g>",
    ],
)
def test_markup_is_not_taken_for_a_tool(text):
    """An element of SVG may have the name of a tool's field."""
    result = al.parse(text, dialects="auto", tools=[FILES])
    assert (str(result.outcome), result.issues) == ("no_action", ())


WEATHER = {
    "name": "get_weather",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}


@pytest.mark.parametrize("name", ["Get_Weather", "GET_WEATHER", "Get_weather"])
@pytest.mark.parametrize(
    "form",
    [
        "<{}>\n<city>Oslo</city>\n</{}>",
        '<{} city="Oslo"/>',
        "I look it up.\n\n<tool_call><{}><city>Oslo</city></{}></tool_call>",
        '{}(city="Oslo")',
        '{{"{}": {{"city": "Oslo"}}}}',
        '{{"name": "{}", "arguments": {{"city": "Oslo"}}}}',
    ],
)
def test_a_name_in_other_capitals_has_failed_and_says_which_tool_there_is(form, name):
    result = al.parse(form.format(name, name), dialects="auto", tools=[WEATHER])
    assert result.outcome is Outcome.FAILED
    assert not result.actions
    details = [issue.detail for issue in result.issues if issue.code is Reason.UNKNOWN_ACTION]
    assert details == [f"The name is {name!r}; the tool is called 'get_weather'."]


@pytest.mark.parametrize(
    "text",
    [
        "Use <Search> for that.",
        '<Search placeholder="Find a book" onChange={set}/>',
        "Search(query) is what the page calls.",
        "**Search:** I found nothing.",
        "Wrap it in <Get_Weather>the forecast</Get_Weather> as the page does.",
    ],
)
def test_a_word_in_capitals_is_no_call(text):
    search = {"name": "search", "parameters": {"type": "object", "properties": {"query": {"type": "string"}}}}
    assert al.parse(text, dialects="auto", tools=[WEATHER, search]).outcome is Outcome.NO_ACTION


def test_a_tool_may_have_the_name_of_another_in_capitals():
    other = WEATHER | {"name": "Get_Weather"}
    text = "<{0}>\n<city>Oslo</city>\n</{0}>"
    result = al.parse(text.format("Get_Weather"), dialects="auto", tools=[WEATHER, other])
    assert [(call.name, call.status.is_runnable) for call in result.actions] == [("Get_Weather", True)]
