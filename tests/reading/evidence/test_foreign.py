"""Calls in formats that a profile doesn't read."""

import pytest

import actionledger as al
from actionledger.core.vocabulary import Outcome
from actionledger.reading.stream import StreamParser

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


def more_texts(name: str, arguments: dict[str, str]) -> dict[str, str]:
    """Return a call as models write it that have no format: as data, as code, as a tag, as a transcript."""
    key, value = next(iter(arguments.items()))
    return {
        "yaml bare": f"action: {name}\n{key}: {value}",
        "yaml with arguments": f"```yaml\ntool: {name}\narguments:\n  {key}: {value}\n```",
        "yaml list": f"```yml\n- action: {name}\n  {key}: {value}\n```",
        "toml": f'```toml\naction = "{name}"\n{key} = "{value}"\n```',
        "object": f'{{"action": "{name}", "{key}": "{value}"}}',
        "object in a fence": f'```json\n{{"action": "{name}", "{key}": "{value}"}}\n```',
        "plan": f'```json\n{{"steps": [{{"action": "{name}", "{key}": "{value}"}}]}}\n```',
        "python": f'{name}({key}="{value}")',
        "python in a fence": f'```python\n{name}({key}="{value}")\n```',
        "tag": f"<{name}>\n<{key}>{value}</{key}>\n</{name}>",
        "named in a transcript": f"[Tool Use: {name}]",
        "perl": f'[TOOL_CALL]{{tool => "{name}", args => {{ --{key} "{value}" }}}}[/TOOL_CALL]',
        "tag with a colon": f"<tool: {name}>\n{key} {value}\n</tool>",
        "open tag": f"<function={name}\n<parameter={key}>\n{value}\n</parameter>\n</function>",
    }


@pytest.mark.parametrize("profile", OFFERED)
@pytest.mark.parametrize("lead", ["", "I look.\n\n"])
@pytest.mark.parametrize(
    "call", [None, ("juggle", {"ball": "red"}), ("search_files", {"path": "."})], ids=str
)
def test_no_format_is_silent_in_a_profile(profile, lead, call):
    """Whatever a call is written in, and whether or not anybody knows its name, the response has failed, or it is read."""
    name, arguments = call or OFFERED[profile]
    for form, text in {**texts(name, arguments), **more_texts(name, arguments)}.items():
        result = al.parse(lead + text, profile=profile)
        assert result.outcome.has_intent, form
        assert result.actions or result.issues, form
        if profile != "mint" and not result.actions:
            assert any(issue.span for issue in result.issues), form


@pytest.mark.parametrize("profile", ["assistant", "assistant-iterative", "coder", "orchestrator", "reasoner"])
@pytest.mark.parametrize("form", ["%s", "I do it.\n\n%s", "I do it.\n%s", "I do it.\n\n%s\n\nDone."])
@pytest.mark.parametrize(
    "call",
    [
        '{"actions":[{"type":"complete_task","task_id":"t1"}]}',
        '{"tool_calls":[{"name":"search","query":"cats"}]}',
        '<rename_file path="old.txt" to="new.txt" />',
        '<rename_file path="old.txt"></rename_file>',
        "<rename_file old.txt new.txt>",
    ],
)
def test_a_name_that_nobody_knows_is_lost_without_marks(profile, form, call):
    """A list of actions and a tag with attributes name a call, whether or not anything offers it."""
    text = form % call
    [issue] = [issue for issue in al.parse(text, profile=profile).issues if issue.span]
    assert issue.span.of(text).strip() == call


@pytest.mark.parametrize("profile", ["assistant", "coder", "orchestrator", "reasoner"])
@pytest.mark.parametrize("form", ["%s", "I do it.\n\n%s", "I do it:\n%s\nLet me know if you need more!"])
@pytest.mark.parametrize(
    "call",
    [
        '```json\n{"actions": [{"type": "pay_bill", "bill": 3}]}\n```',
        '```json\n{"next_actions": {"type": "pay_bill", "bill": 3}, "is_final": false}\n```',
    ],
)
def test_a_labelled_list_of_calls_is_lost_anywhere(profile, form, call):
    """Text may stand behind it."""
    result = al.parse(form % call, profile=profile)
    assert result.outcome.has_intent
    assert not result.valid_actions


@pytest.mark.parametrize("profile", ["assistant", "reasoner"])
@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"action": "pay_bill", "bill": 3}\n{"action": "pay_bill", "bill": 4}\n```',
        "<pay_bill>\n<bill>3</bill>\n</paybill>",
        "<pay_bill>\n<bill>3</bill>\n",
    ],
)
def test_several_objects_and_open_tags_are_lost(profile, text):
    """They name a call as the same with one object, or with a right end, does."""
    assert al.parse(text, profile=profile).outcome is Outcome.FAILED


@pytest.mark.parametrize(
    ("profile", "text"),
    [
        ("assistant", "| type | content |\n|---|---|\n| create_task | Call Ada |\n| create_task | Call Bo |"),
        (
            "assistant",
            "I add them:\n\n| Action | Content |\n|---|---|\n| `create_task` | Ada |\n| `create_task` | Bo |",
        ),
        ("reasoner", "1. think: what they feel\n2. speak: a greeting\n3. done"),
        ("assistant", "1. **create_task**: Call Ada\n2. **list_tasks**"),
    ],
)
def test_a_table_and_a_numbered_list_of_offered_names_are_lost(profile, text):
    assert al.parse(text, profile=profile).outcome is Outcome.FAILED


@pytest.mark.parametrize("profile", ["assistant", "coder", "reasoner"])
@pytest.mark.parametrize(
    "text",
    [
        "| action | description |\n|---|---|\n| create_task | Adds a task |\n| think | Ponders |",
        "| Name | Type | Notes |\n|---|---|---|\n| Ada | person | tea |\n| Bo | person | coffee |",
        "1. think of a number\n2. speak with a friend\n3. done with it",
        "You can ask me for:\n\n1. create_task: adds a task\n2. delete_task: removes it",
        "- think: works it out\n- speak: says it\n- done: ends it",
        'So it looks in general:\n\n```json\n{"name": "<tool>", "arguments": {"<arg>": "<value>"}}\n```\n\nReplace them.',
        'The webhook sends this:\n\n```json\n{"next_actions": [{"type": "pay_bill"}]}\n```\n\nAnd you answer.',
    ],
)
def test_what_describes_tools_is_not_lost(profile, text):
    """Neither a table or a list of what there is, nor a template."""
    assert not al.parse(text, profile=profile).outcome.has_intent


@pytest.mark.parametrize(
    ("profile", "text"),
    [
        ("coder", "<rename_file/>"),
        ("coder", "```bash\npytest -q\n```"),
        ("coder", "<replace_in_file a.txt 'one' 'two'"),
        ("coder", "<create_docs/a.html>\n<p>Hello</p>\n```"),
        ("assistant", '{"type": "complete_task", "id": 3}'),
    ],
)
def test_a_word_of_an_offered_name_makes_a_call(profile, text):
    result = al.parse(text, profile=profile)
    assert result.outcome is Outcome.FAILED
    assert result.issues[0].span == (0, len(text))


@pytest.mark.parametrize(
    "text",
    [
        '{"type": "FeatureCollection", "features": []}',
        '{"name": "task_list", "version": "1.0", "scripts": {"build": {"run": "make"}}}',
        'The settings are:\n{"actions": ["build", "test"]}',
        '<UserCard name="x" />',
        "It ends so:\n\n<end_of_turn>",
        'The log has such lines:\n\n<rename_file path="a" />',
        'In the text, <rename_file path="a" /> stands for it.',
        "<rename_file path> would be the tag.",
        "You can run the tests with:\n\n```bash\npytest -q\n```",
        "To count them, use the following command:\n\n```bash\nwc -l a.txt\n```\n\nIt prints a number.",
        "Here is the playbook:\n\n```yaml\naction: deploy\nhost: web\n```",
        'The webhook sends this:\n\n```json\n{"action": "opened", "number": 3}\n```',
        '```json\n{"action": "opened", "issue": {"user": {"login": "ada"}}}\n```',
        '```json\n{"name": "ada", "action": "opened"}\n```',
        'In Python you would write:\n\n```python\njuggle(ball="red")\n```',
        '```python\nprint(1, end="")\n```',
        "```python\njuggle(ball=red)\n```",
        "<details><summary>More</summary></details>",
        "The document looks so:\n\n<person><name>Ada</name></person>",
        "action: the hero runs",
        "I did it.\n\nResult: fine\nStatus: done",
        "A transcript has lines such as `[Tool Use: juggle]`.",
        'Do not run this:\n\njuggle(ball="red")',
        'juggle(ball="red")\n\nThat was the line in the log.',
    ],
)
@pytest.mark.parametrize("profile", ["assistant", "coder", "reasoner"])
def test_what_only_looks_like_a_call_of_nobody_is_not_lost(profile, text):
    assert not al.parse(text, profile=profile).outcome.has_intent


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
        "```sh\nls -l\nls -a\n```",
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


@pytest.mark.parametrize("depth", [2, 6, 300, 900])
@pytest.mark.parametrize("form", ["%s", "```json\n%s\n```", "```json\n%s\n```\nThere."])
@pytest.mark.parametrize(("opens", "closes"), [('{"actions": ', "}"), ('{"actions": [', "]}")])
def test_lists_of_calls_in_each_other_end_no_reading(opens, closes, form, depth):
    """However deep a model nests them."""
    text = form % (opens * depth + '{"type": "complete_task"}' + closes * depth)
    assert not al.parse(text, profile="coder").actions


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
