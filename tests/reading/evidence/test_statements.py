"""Each wild style is read as the call that it is, with a repair that names it."""

import pytest

PARIS = ("get_weather", {"city": "Paris", "days": 3})

STYLES = {
    "get_weather(city='Paris', days=3)": {"call_as_text"},
    "print(get_weather(city='Paris', days=3))": {"call_as_text", "call_in_print"},
    "await get_weather(city='Paris', days=3)": {"call_as_text", "call_awaited"},
    "result = get_weather(city='Paris', days=3)": {"call_as_text", "call_assigned"},
    "api.get_weather(city='Paris', days=3)": {"call_as_text", "module_prefix"},
    "get.weather(city='Paris', days=3)": {"call_as_text", "name_spelling"},
    "get\\_weather(city='Paris', days=3)": {"call_as_text", "name_spelling"},
    "get_weather({'city': 'Paris', 'days': 3})": {"call_as_text", "positional_argument"},
    "get_weather('Paris', 3)": {"call_as_text", "positional_argument"},
    "get_weather(**{'city': 'Paris', 'days': 3})": {"call_as_text", "arguments_unpacked"},
    "get_weather(city: 'Paris', days: 3)": {"call_as_text", "colon"},
    "get_weather(city='Paris', days=03)": {"call_as_text"},
    'get_weather {"city": "Paris", "days": 3}': {"call_as_text"},
    "[\"get_weather(city='Paris', days=3)\"]": {"call_as_text", "call_as_string"},
    "[('get_weather', {'city': 'Paris', 'days': 3})]": {"call_as_pair"},
    '{"get_weather": [{"city": "Paris", "days": 3}]}': {"tool_map"},
    '{"tool_name": "get_weather", "params": {"city": "Paris", "days": 3}}': {"name_key", "argument_key"},
    '{"function_name": "get_weather", "kwargs": {"city": "Paris", "days": 3}}': {"name_key", "argument_key"},
    '{"name": "get_weather", "city": "Paris", "days": 3}': {"flat_arguments"},
    '<get_weather>{"city": "Paris", "days": 3}</get_weather>': {"call_as_tag"},
    '<function name="get_weather">{"city": "Paris", "days": 3}</function>': {"call_as_tag"},
    "<|sep|>get_weather(city='Paris', days=3)<|sep|>": {"call_as_text", "stray_mark"},
    '"{\\"name\\": \\"get_weather\\", \\"arguments\\": {\\"city\\": \\"Paris\\", \\"days\\": 3}}"': {
        "nested_json"
    },
}


@pytest.mark.parametrize("text", STYLES)
def test_a_style_is_read_with_a_repair_that_names_it(read, text):
    """The whole response is the call: it is meant, and a dashboard can show how it deviates."""
    result = read(text)
    assert [(call.name, call.arguments) for call in result.actions] == [PARIS]
    assert STYLES[text] <= {str(repair.kind) for repair in result.repairs}
    assert [str(call.evidence) for call in result.actions] == ["whole"]
    assert all(repair.span.of(text) == repair.before != repair.after for repair in result.repairs)


@pytest.mark.parametrize("label", ["json", "python", "tool_code", "tool_call", "text", "bash", ""])
@pytest.mark.parametrize("body", ["get_weather(city='Paris', days=3)", "[get_weather(city='Paris', days=3)]"])
def test_a_fence_says_nothing_by_its_label(read, label, body):
    """What stands in it decides."""
    result = read(f"```{label}\n{body}\n```")
    assert [(call.name, call.arguments) for call in result.valid_actions] == [PARIS]


@pytest.mark.parametrize("between", ["\n", "; ", ", ", "<|sep|>", "[SEP]"])
def test_calls_follow_one_another(read, between):
    """Whatever parts them, they are two."""
    result = read(f"get_weather(city='Paris'){between}get_weather(city='Rome')")
    assert [call.arguments["city"] for call in result.valid_actions] == ["Paris", "Rome"]


@pytest.mark.parametrize(
    "text",
    [
        *("get_weather(city=town)", "get_weather(city=get_time())", "get_weather(city=f'{x}')"),
        *(
            "def get_weather(city='Paris'): ...",
            "get_weather(city='Paris').temperature",
            "get_weather(*towns)",
        ),
        "```python\nfrom tools import get_weather\nget_weather(city='Paris')\n```",
        "```python\nlimit = 3\nresult = get_weather(city='Paris')\nprint(result[:limit])\n```",
        '{"name": "get_weather", "arguments": {"city": "Paris"}, "result": 42}',
        '{"name": "get_weather", "description": "Tells.", "parameters": {"type": "dict", "properties": {"city": {}}}}',
    ],
)
def test_nothing_is_invented(read, text):
    """A variable, a definition, a program, a record and a description are no calls; none is passed over."""
    result = read(text)
    assert not result.valid_actions
    assert result.issues or not text.startswith("{")


def test_a_quote_swallows_no_call(read):
    """A string that another call seems to stand in ends before it."""
    result = read('[get_weather(city="the "old" town", days=1), clock.get_time(zone="UTC")]')
    assert [call.name for call in result.valid_actions] == ["get_weather", "clock.get_time"]


@pytest.mark.parametrize("label", ["ndjson", "jsonl", "json lines"])
def test_lines_of_json_are_calls(read, label):
    lines = (f'{{"name": "get_weather", "arguments": {{"city": "{city}"}}}}' for city in ("Paris", "Rome"))
    result = read("```" + label + "\n" + "\n".join(lines) + "\n```")
    assert [call.arguments["city"] for call in result.valid_actions] == ["Paris", "Rome"]


@pytest.mark.parametrize(
    "value",
    [
        "{'name': 'get_weather', 'arguments': {'city': 'Paris'}}",
        "{'action': 'get_weather', 'city': 'Paris'}",
        "{'get_weather': {'city': 'Paris'}}",
    ],
)
def test_a_value_with_single_quotes_within_a_line_is_said(read, value):
    """It stands in a sentence, and its span is the value's."""
    result = read(f"I do {value} now.")
    assert not result.valid_actions
    assert [(str(issue.code), issue.span.of(result.text).strip()) for issue in result.issues] == [
        ("call_in_prose", value)
    ]


@pytest.mark.parametrize(
    "text", ["print({}, end='')", "show({})", "print(show({}))", "print(show({}, wide=True))"]
)
def test_only_what_is_printed_and_no_more_is_meant(read, text):
    """Other functions, and print with settings, are somebody's program around the call."""
    result = read(text.replace("{}", "get_weather(city='Paris', days=3)"))
    assert str(result.outcome) == "no_action"
