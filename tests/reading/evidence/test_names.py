"""Offered names, as models write them, and where they are called."""

import pytest

import actionledger as al
from actionledger.reading.evidence.names import names_of, prefix_before

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
        ("getWeather", "get_weather"),
        ("GetWeather", "get_weather"),
        ("getweather", None),
        ("clockGetTime", "clock.get_time"),
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


def test_words_run_together_and_apart_are_one_name():
    names = names_of(frozenset({"getWeather", "Bash", "_check_it"}))
    assert [names.meant(spelt) for spelt in ("get_weather", "get-weather", "bash", "Bash")] == [
        *("getWeather", "getWeather", None, "Bash")
    ]
    assert [mention.name for mention in names.mentions("_check_it(), bash(), get_weather()", 0, 34)] == [
        *("_check_it", "getWeather")
    ]


def test_of_two_such_names_each_is_its_own():
    names = names_of(frozenset({"getWeather", "get_weather"}))
    assert [names.meant(spelt) for spelt in ("getWeather", "get_weather", "GetWeather")] == [
        *("getWeather", "get_weather", None)
    ]


TOOLS = [
    {"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}
]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("action: get_weather\ncity: Paris", "action: get_weather\ncity: Paris"),
        ("```yaml\naction: get_weather\ncity: Paris\n```", "```yaml\naction: get_weather\ncity: Paris\n```"),
        (
            'é🙂\n\ntool: "get_weather"\r\nargs:\r\n  city: Paris\n\nDone',
            'tool: "get_weather"\r\nargs:\r\n  city: Paris',
        ),
        (
            "Sure:\n\n- tool: get_weather\n  args:\n    city: Paris\n",
            "- tool: get_weather\n  args:\n    city: Paris",
        ),
        ("get_weather --city Paris", "get_weather --city Paris"),
        ("$ get_weather --city=Paris\n", "$ get_weather --city=Paris"),
    ],
)
def test_arguments_as_lines_and_options_fail_with_their_place(text: str, meant: str):
    result = al.parse(text, dialects="auto", tools=TOOLS)
    assert [(issue.code, issue.span.of(text)) for issue in result.issues if issue.span] == [
        ("wrong_shape", meant)
    ]
    assert result.outcome == "failed"


@pytest.mark.parametrize(
    "text",
    [
        "function: get_weather\ndescription: says how the weather is\n",
        "Call the tool: get_weather\nNote: it is slow",
        "You can run get_weather --city Paris",
        "```yaml\ntools:\n  - name: get_weather\n    parameters: x\n```",
        "For example:\n\naction: get_weather\ncity: Paris\n",
        "run = lambda: get_weather(city='Paris')",
    ],
)
def test_what_describes_a_tool_is_no_call(text: str):
    assert al.parse(text, dialects="auto", tools=TOOLS).outcome == "no_action"


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("getWeather(city='Paris')", "repaired"),
        ("```js\ngetWeather({city: 'Paris'})\n```", "repaired"),
        ('Sure:\n\n{"name": "getWeather", "arguments": {"city": "Paris"}}', "repaired"),
        ("Sure:\n\nget_weather(city='Paris')\ngetWeather(city='Rome')", "repaired"),
        ("Use this:\n```js\ngetWeather('Paris')\n```", "no_action"),
        ("getWeather('Paris')\n\nreads it.", "no_action"),
    ],
)
def test_nearly_a_tools_name_may_be_a_programs_own(text: str, outcome: str):
    result = al.parse(text, dialects="auto", tools=TOOLS)
    assert result.outcome == outcome
    assert result.actions or [issue.code for issue in result.issues] == ["example"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("get_time(zone='UTC')", ["clock.get_time"]),
        ("get_time(place='Paris')", []),
        ("get_time()", []),
        ("clock.get_time()", ["clock.get_time"]),
        ("raw(place='Paris')", []),
    ],
)
def test_a_name_without_its_module_needs_arguments_that_are_the_tools(text: str, names: list[str]):
    """``get_time`` alone may be anybody's, above all where nobody knows what the tool takes."""
    timed = {"name": "clock.get_time", "parameters": {"properties": {"zone": {"type": "string"}}}}
    result = al.parse(text, dialects="auto", tools=[timed, {"name": "clock.raw"}])
    assert [call.name for call in result.actions] == names


@pytest.mark.parametrize(
    "offered",
    [
        {"get_weather", "get_time"},
        {"Weather"},
        {"a.b.search", "searchAll"},
        {"ΑΣ_Σ", "größe"},
        {"___"},
        {"_"},
        {"İstanbul_x"},
    ],
)
def test_no_name_is_missed_by_the_look_whether_any_is_there(offered):
    """Where that look finds none, neither names nor what has grown together with them are searched for."""
    names = names_of(frozenset(offered))
    for name in offered:
        for spelt in (name, name.upper(), name.title(), name.replace("_", "-"), name.replace("_", "\\_")):
            text = f"Σ İ I call {spelt}(1) and {spelt}0."
            is_there = [*names.mentions(text, 0, len(text))] or name in text
            assert names.may_be_in(text.lower()) or not is_there
