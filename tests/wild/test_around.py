"""How a text is built around a call decides whether it runs, where no word says that it is only shown."""

import pytest
from wild.around import PREFIXES, STEPS, TOLD, meant, shown

import actionledger as al
from actionledger.reading.parsers import parser_for
from actionledger.reading.stream import StreamParser

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
    """It is how the model acts, so words behind it count only if they are about it."""
    read = lambda text: runs(al.parse(text.replace("…", OF_PROFILES[profile]), profile=profile))  # noqa: E731
    assert [text for text in shown(is_own=True) if read(text)] == []
    going_on = [f"{before}\n\n…\n\n{behind}" for before, behind in TOLD]
    assert [text for text in (*meant(is_marked=True), *going_on) if not read(text)] == []


CLOSING = (
    "That is all from my side.", "The next layer can start right away.", "That leaves the decision about comments for later.",
    "Note that I kept the old name in the API.", "Eso es todo por ahora.", "If port 8081 is taken, change it in one place only.",
)  # fmt: skip


@pytest.mark.parametrize("behind", CLOSING)
@pytest.mark.parametrize("profile", OF_PROFILES)
def test_words_that_close_an_answer_don_t_hold_a_profiles_action(profile, behind):
    assert runs(al.parse(f"It is a long list.\n\n{OF_PROFILES[profile]}\n\n{behind}", profile=profile))


@pytest.mark.parametrize("profile", OF_PROFILES)
def test_a_label_that_leads_to_the_next_action_is_no_speaker(profile):
    """It comes again before each of them."""
    text = "".join(f"And one more:\n\n{OF_PROFILES[profile]}\n\n" for _ in range(3))
    assert [call.status.is_runnable for call in al.parse(text, profile=profile).actions][0:1] == [True]
    assert "dialogue" not in " ".join(issue.detail for issue in al.parse(text, profile=profile).issues)


@pytest.mark.parametrize("text", STEPS)
def test_steps_with_words_between_them_all_run(text):
    """Only words behind the last of them go on behind a call."""
    paths = (f"<read_file>\n<path>{number}.txt</path>\n</read_file>" for number in range(3))
    for path in paths:
        text = text.replace("…", path, 1)
    assert [call.status.is_runnable for call in al.parse(text, profile="coder").actions] == [True] * 3


@pytest.mark.parametrize("prefix", PREFIXES)
def test_a_call_whose_every_line_has_a_prefix_does_not_run_and_is_said(prefix):
    lines = al.render([CALL], "react").split("\n")
    assert not runs(al.parse("\n".join(prefix + line for line in lines), dialects="auto", tools=[TOOL]))


@pytest.mark.parametrize("dialect", ["actions", "json", "gemma", "react", "hermes"])
def test_the_end_of_an_instruction_behind_a_call_is_no_text(dialect):
    """Some servers leave it there, as they do other tokens."""
    written = al.render([CALL], dialect)
    assert runs(al.parse(f"{written}[/INST]", dialects=[dialect], tools=[TOOL]))


@pytest.mark.parametrize("dialect", ["hermes", "kimi_k2"])
def test_a_stream_gives_out_no_call_that_waits_in_the_end(dialect, monkeypatch):
    monkeypatch.setattr("actionledger.reading.stream._SMALL_GROWTH", 1)
    monkeypatch.setattr("actionledger.reading.stream._SHARE_OF_GROWTH", 10**9)
    parser = parser_for((dialect,))
    for text in [each.replace("…", al.render([CALL], dialect)) for each in shown()]:
        reader = StreamParser(parser)
        given = [block for character in text for block, _ in reader.feed(character)]
        assert given == list(reader.finish().blocks[: len(given)]), text
