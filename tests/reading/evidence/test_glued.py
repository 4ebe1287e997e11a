"""Calls whose special tokens a server has taken away, so that their names have grown together with what stood beside them."""

import pytest

from actionledger.core.values.calls import Offer
from actionledger.core.vocabulary import Outcome
from actionledger.reading.evidence.rests import glued

OFFER = Offer({"get_weather": ("city", "days"), "put_note": ("text",)})
LEFT = [
    'functionget_weather\n```json\n{"city": "Paris"}\n```',
    '0get_weather{"city": "Paris"}',
    ' to=get_weatheranalysis xml<rfl:parameter name="city">Paris</rfl:parameter>',
    'get_weathercity="Paris", days=3)]',
]


def found(text):
    return [(each.name, each.span.of(text)) for each in glued(text, 0, len(text), OFFER)]


@pytest.mark.parametrize("text", LEFT)
def test_what_is_left_of_a_call_is_found(text):
    assert found(text) == [("get_weather", "get_weather")]


@pytest.mark.parametrize("text", LEFT)
@pytest.mark.parametrize("around", ["{}", "I look it up.\n\n{}\n\nOne moment."])
def test_it_has_failed_and_never_runs(read, text, around):
    result = read(around.replace("{}", text))
    assert result.outcome is Outcome.FAILED
    assert not result.actions


@pytest.mark.parametrize(
    "text",
    [
        "get_weathers are functions",
        "functionget_weather is a name",
        'get_weathercity = "Paris"',
        'get_weathercity="Paris"\nprint("(a)")',
        "my_get_weather{}",
        "20get_weather",
    ],
)
def test_words_that_hold_a_name_are_no_calls(text):
    assert found(text) == []


@pytest.mark.parametrize(
    "text",
    [
        'functions.get_weather:0{"city": "Paris"}',
        'get_weather>{"city": "Paris"}',
        '{"naame": "get_weather", "arguments": {"city": "Paris"}}',
        '```json\n{"acction": "get_weather", "city": "Paris"}\n```',
        '**get_weather**(city="Paris")',
        '**get_weather**: {"city": "Paris"}',
        '[get_weather](city="Paris")',
        'get_weather -> {"city": "Paris"}',
        'get_weather, {"city": "Paris"}',
        'get_weather[city="Paris"]',
        'get_weather city="Paris" days=3',
        '(get_weather city="Paris")',
        "name: get_weather\narguments:\n  city: Paris",
        "```yaml\nname: get_weather\narguments:\n  city: Paris\n```",
        "[Called tool: get_weather]",
        "[Calling the function: get_weather]",
        '{"name": "get_weather',
        '```json\n{"name": "get_weather',
        "[get_weather",
        "```python\nget_weather",
        "<|tool_call_start|>[get_weather",
    ],
)
@pytest.mark.parametrize("before", ["", "I look it up.\n\n"])
def test_a_call_with_a_misspelt_key_or_cut_behind_its_name_has_failed(read, before, text):
    result = read(before + text)
    assert result.outcome is Outcome.FAILED
    assert not result.actions
    assert any(issue.span and "get_weather" in issue.span.of(before + text) for issue in result.issues)


@pytest.mark.parametrize(
    "text",
    [
        '{"naame": "get_weather", "country": "France"}',
        '{"gamer": "get_weather", "arguments": {"city": "Paris"}}',
        "I would ask the tool get_weather",
        "Its name is get_weather:0 in the list.",
        "[get_weather](docs/weather.md)",
        "**get_weather** (by city) tells the weather.",
        "get_weather, {days} at most",
        "tools:\n  - name: get_weather\n    arguments: city",
        "The answer of get_weather -> {} is empty.",
        "get_weather city=where it is",
    ],
)
def test_data_and_mentions_are_no_losses(read, text):
    assert read(text).outcome is Outcome.NO_ACTION


@pytest.mark.parametrize(
    "text", ['functions.get_weather:0{"city": "Paris"}', 'get_weather>{"city": "Paris"}', LEFT[1]]
)
def test_in_thoughts_it_is_said(read, text):
    result = read(f"<think>I might {text} or not.</think>Done.")
    assert result.outcome is Outcome.NO_ACTION
    assert [str(issue.code) for issue in result.issues] == ["reasoning"]
