"""A call that was meant and can't be read is a loss, with all of it as its span; in code and in sentences it is none."""

import pytest

WHOLE = [
    "get_weather(city=city_name)",
    "[TOOL] get_weather(city=Paris)",
    'get_weather("Paris", days=two)',
    "get_weather(city=clock.get_time())",
    "get_weather(*towns)",
    "result = get_weather(city=Paris)",
    "call:get_weather{city:Paris}",
    "get_weather {city: Paris}",
    "```python\nget_weather(city=Paris)\n```",
    "get_weather(\n  city=Paris,\n  days=3\n)",
]


@pytest.mark.parametrize("text", WHOLE)
def test_a_whole_response_that_cannot_be_read_has_failed(read, text):
    """The issue covers all of it."""
    result = read(text)
    assert str(result.outcome) == "failed"
    assert not result.actions
    assert [issue.span.of(text) for issue in result.issues] == [text]


@pytest.mark.parametrize(
    "text",
    [
        "I look it up:\n\nget_weather(city=Paris)",
        "I look it up:\n\n```\nget_weather(city=Paris)\n```",
        "get_weather(city=Paris)\nget_weather(city=Rome)",
    ],
)
def test_a_last_block_that_cannot_be_read_has_failed(read, text):
    """With prose before it, or with another call beside it."""
    result = read(text)
    assert str(result.outcome) == "failed"
    assert all(issue.span.of(text).strip("`\n").startswith("get_weather(") for issue in result.issues)


@pytest.mark.parametrize(
    "text",
    [
        "I would use get_weather(city=town) for it.",
        "town = 'Paris'\nget_weather(city=town)",
        "```python\ntown = 'Paris'\nget_weather(city=town)\n```",
        "```python\nget_weather(city=town)\nprint(towns[0])\n```",
        "get_weather(city=town)\n\nThat is what the loop does for each of them.",
        "For example:\n\nget_weather(city=town)",
        "get_weather(city: str, days: int = 3)",
        "get_weather(city=...)",
        "get_weather(city='Paris').temperature",
        "def get_weather(city=town):\n    return town",
    ],
)
def test_code_and_sentences_are_no_losses(read, text):
    """Nobody meant it to be done; it is said all the same."""
    result = read(text)
    assert str(result.outcome) == "no_action"
    assert {str(issue.code) for issue in result.issues} == {"example"}


@pytest.mark.parametrize(
    "text",
    [
        "get_weather: { city: string; days: number }",
        "get_weather {city: string, days: number}",
        "interface get_weather { city: string }",
    ],
)
def test_a_type_is_no_argument(read, text):
    """What a tool takes is a description of it."""
    assert not read(text).valid_actions


WORKFLOW = """name: CI
on: push
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
    - uses: actions/checkout@v4
    # looks it up
    - action: get_weather
      city: Paris
    - name: again
      action: get_weather
      city: Rome
"""


@pytest.mark.parametrize(
    "text",
    [
        f"Here is the workflow:\n\n```yaml\n{WORKFLOW}```\n",
        f"```yaml\n{WORKFLOW}```",
        WORKFLOW,
        WORKFLOW.replace("jobs", "\njobs"),
        WORKFLOW.replace("\n", "\r\n"),
        "The step:\n\n```yaml\n- action: get_weather\n  town: Paris\n  run: make\n```\n",
        "hooks:\n  weather:\n    tool: get_weather\n    city: Paris",
    ],
)
def test_a_setting_of_a_document_is_an_illustration(read, text):
    """What stands below other keys than those around calls, or has no key that is an argument, calls nothing; it is said."""
    result = read(text)
    assert str(result.outcome) == "no_action"
    assert {str(issue.code) for issue in result.issues} == {"example"}
    assert {issue.detail for issue in result.issues} == {"It is a setting of a document."}


@pytest.mark.parametrize(
    "text",
    [
        "```yaml\n- action: get_weather\n  city: Paris\n```",
        "actions:\n- action: get_weather\n  city: Paris",
        "thought: I look.\ntool_calls:\n  - id: 1\n    tool: get_weather\n    arguments:\n      city: Paris",
        "tool: get_weather\narguments:\n  city: Paris",
    ],
)
def test_a_call_as_lines_of_keys_is_lost_with_an_issue(read, text):
    """It stands by itself, or below what models put around calls."""
    result = read(text)
    assert str(result.outcome) == "failed"
    assert [str(issue.code) for issue in result.issues] == ["wrong_shape"]
