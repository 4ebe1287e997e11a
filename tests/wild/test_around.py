"""How a text is built around a call decides whether it runs, where no word says that it is only shown."""

import pytest
from wild.around import meant, shown

import actionledger as al

TOOL = {
    "name": "get_weather",
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
        "required": ["city"],
    },
}
CALL = ("get_weather", {"city": "Oslo", "days": 2})
DIALECTS = ("hermes", "glm", "deepseek_v3", "kimi_k2", "qwen3_coder", "llama3_json", "pythonic")
OF_PROFILES = {
    "assistant": '```actions\n{"actions": [{"type": "list_tasks"}]}\n```',
    "orchestrator": '```json\n{"action": "update_plan", "plan": "First the index."}\n```',
    "coder": "<read_file>\n<path>a.txt</path>\n</read_file>",
}


def runs(result):
    """Return whether a call runs; something is said of it either way."""
    assert result.actions or result.issues
    return any(call.status.is_runnable for call in result.actions)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_dialects_call_runs_where_it_is_meant(dialect):
    written = al.render([CALL], dialect)
    read = lambda text: runs(al.parse(text.replace("…", written), dialects="auto", tools=[TOOL]))  # noqa: E731
    assert [text for text in shown() if read(text)] == []
    assert [
        text for text in meant(is_marked=dialect not in {"llama3_json", "pythonic"}) if not read(text)
    ] == []


@pytest.mark.parametrize("profile", OF_PROFILES)
def test_a_profiles_action_runs_where_it_is_meant(profile):
    read = lambda text: runs(al.parse(text.replace("…", OF_PROFILES[profile]), profile=profile))  # noqa: E731
    assert [text for text in shown() if read(text)] == []
    assert [text for text in meant(is_marked=True) if not read(text)] == []
