"""Calls in formats that a profile doesn't read."""

import pytest

import actionledger as al
from actionledger.parsing.stream import StreamParser
from actionledger.vocabulary import Outcome

OFFERED = {
    "assistant": ("create_task", {"content": "Paris"}),
    "orchestrator": ("escalate", {"reason": "Paris"}),
    "coder": ("read_file", {"path": "a.txt"}),
    "reasoner": ("speak", {"context": "Hi"}),
    "mint": ("execute", {"code": "print(1)"}),
}
MARKED = (
    "glm",
    "hermes",
    "harmony",
    "kimi_k2",
    "mistral",
    "deepseek_v31",
    "react",
    "llama3_json",
    "qwen3_coder",
)


def texts(name: str, arguments: dict[str, str]) -> dict[str, str]:
    """Return a call in every dialect that can write it, and in forms that no dialect has."""
    found = {}
    for dialect in al.dialect_names():
        try:
            found[dialect] = al.render([(name, arguments)], dialect)
        except al.ActionLedgerError:
            continue
    key, value = next(iter(arguments.items()))
    return found | {
        "yaml": f"```yaml\naction: {name}\n{key}: {value}\n```",
        "python_tag": f'<|python_tag|>{name}.call({key}="{value}")',
        "gemma 4": f'<|tool_call>call:{name}{{{key}:<|"|>{value}<|"|>}}<tool_call|>',
        "another fence": f'```tool\n{{"name": "{name}", "arguments": {{"{key}": "{value}"}}}}\n```',
        "transcript": f'[Tool Use: {name}]\n{{"{key}": "{value}"}}',
    }


@pytest.mark.parametrize("profile", OFFERED)
@pytest.mark.parametrize("lead", ["", "I look.\n\n"])
def test_nothing_is_silent_in_a_profile(profile, lead):
    """What another format holds of the profile's own actions is read or lost, and counts as meant."""
    for form, text in texts(*OFFERED[profile]).items():
        result = al.parse(lead + text, profile=profile)
        assert result.outcome.has_intent, form
        assert result.actions or result.issues, form


@pytest.mark.parametrize("profile", [each for each in OFFERED if each != "mint"])
@pytest.mark.parametrize("form", [*MARKED, "another fence"])
def test_a_name_that_was_not_offered_is_lost_with_its_place(profile, form):
    text = texts("juggle", {"ball": "red"})[form]
    result = al.parse(text, profile=profile)
    assert result.outcome is Outcome.FAILED
    assert [text[slice(*issue.span)].count("juggle") for issue in result.issues if issue.span] == [1]


@pytest.mark.parametrize(
    "text",
    [
        "```python\nimport os\n\nprint(os.sep)\n```",
        '```json\n{"compilerOptions": {"strict": true}}\n```',
        "A model writes `<tool_call>juggle` there.",
        'So it looks, for example:\n```text\n<tool_call>\n{"name": "juggle", "arguments": {}}\n</tool_call>\n```',
        "<b>bold</b> and [a link](x)",
        "```sh\nls -l\n```",
    ],
)
@pytest.mark.parametrize("profile", ["assistant", "orchestrator", "coder", "reasoner"])
def test_what_is_no_call_is_not_lost(profile, text):
    assert not al.parse(text, profile=profile).outcome.has_intent


def test_a_second_call_in_another_format_is_lost():
    """What closes it says that one was written."""
    own = al.render([OFFERED["assistant"]], "actions")
    text = f'{own}\n<tool_call>{{"name": "juggle", "arguments": {{}}}}</tool_call>'
    assert al.parse(text, profile="assistant").outcome is Outcome.PARTIAL


@pytest.mark.parametrize("size", [1, 7, 64, 1000])
def test_a_stream_gives_out_the_blocks_of_the_whole(size):
    """A call in another format before thoughts is a block before theirs."""
    text = (
        '<tool_call>\n{"name": "juggle", "arguments": {}}\n</tool_call>\n<think>Hm.</think>\nThen so.'
        + " More." * 40
    )
    parser = al.parser("assistant")
    stream = StreamParser(parser, frozenset({"create_task"}))
    given = [block for at in range(0, len(text), size) for block, _ in stream.feed(text[at : at + size])]
    whole = parser.read(text, frozenset({"create_task"}))
    assert stream.finish() == whole
    assert tuple(given) == whole.blocks[: len(given)]
    assert [str(block.status) for block in whole.blocks] == ["malformed", "ignored"]
