"""What looks like a call and what stands beside one: said, failed or taken as meant."""

import json

import pytest

import actionledger as al
from actionledger.core.vocabulary import BlockStatus, Outcome, Reason, RepairKind
from actionledger.profiles.reasoner import sequence_of
from actionledger.reading.heads import bare_readers, with_looks
from actionledger.reading.parsers import PARSERS, parser_for, parser_named
from actionledger.reading.scan.source import Source
from actionledger.reading.stream import StreamParser
from actionledger.runtime.agent.endings import says_final

JSON = '{"name": "delete_file", "parameters": {"path": "a.txt"}}'
LIST = '[delete_file(path="a.txt")]'


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("llama3_json", f"I would then use this: {JSON} but I may not."),
        ("llama3_json", f"那么我会使用这个：{JSON} 但是我没有权限。"),
        ("llama3_json", "{" + JSON),
        ("pythonic", f"I would then use this: {LIST} but I may not."),
        ("pythonic", f"千万不要发送这个：{LIST}"),
        ("pythonic", "[" + LIST),
        ("pythonic", '[delete_file((path="a.txt")]'),
        ("json", f"```json\n{{{JSON}\n```"),
    ],
)
def test_what_looks_like_a_call_is_said(dialect, text):
    read = parser_for((dialect,)).read(text)
    assert read.outcome is Outcome.NO_ACTION
    assert [issue.code for issue in read.issues] == [Reason.CALL_IN_PROSE]


@pytest.mark.parametrize(
    "text",
    [
        "out[ref.Name()] = ref.Hash()",
        "model = Sequential([Dense(units=4)])",
        "found = names[pred.strip()]",
        'It is {"name": "Bern", "country": "CH"}.',
    ],
)
def test_code_and_data_are_no_calls(text):
    assert parser_for(("pythonic", "llama3_json")).read(text).issues == ()


def test_data_in_which_a_call_stands_is_said_to():
    """Another format takes the fence for data of its own."""
    read = parser_named("auto").read(f"Sure: ```json\n{JSON}\n```")
    assert Reason.CALL_IN_PROSE in [issue.code for issue in read.issues]


def test_where_tools_are_known_their_names_decide():
    text = f"Use this: {JSON} then."
    assert (
        with_looks(Source(text, frozenset({"search"})), [], bare_readers(parser_for(("json",)).dialects))
        == []
    )


@pytest.mark.parametrize("size", [1, 7, 64, 1000])
def test_a_stream_reads_them_as_the_whole_text(size):
    text = f"Use this: {JSON} then.\n\n{JSON}\n\n" + "And so on. " * 40
    stream = StreamParser(parser_for(("json",)))
    given = [block for at in range(0, len(text), size) for block, _ in stream.feed(text[at : at + size])]
    assert given == list(stream.finish().blocks[: len(given)])


BEAM = '<|constrain|>xml<|message|><rfl:parameter name="text">a</rfl:parameter><|call|>'
LOST = [
    (
        "inkling",
        '<|message_model|>put_note<|cntent_invoke_tool_json|>{"name": "put_note", "args": {}}<|end_message|>',
    ),
    ("inkling", "<|message_model|>put_note<|content_inv"),
    ("functionary", "<function=put_note"),
    ("functionary", "<function=put_note>"),
    ("mistral", '[TOOL_CALLS]put_note[ARRGS]{"text": "a"}'),
    ("mistral", "[TOOL_CALLS]put_note[AR"),
    ("lfm2", "<|tool_call_start|>[put_note"),
    ("minimax", '<minimax:tool_call>\n<invoke name="put_note"'),
    (
        "kimi_k2",
        '<|tool_call_begin|>functions.put_note:0<|tool_call_agument_begin|>{"text": "a"}<|tool_call_end|>',
    ),
    (
        "internlm",
        '<|action_start|><|plugin|><|plugin|>\n{"name": "put_note", "parameters": {"text": "a"}}<|action_end|>',
    ),
    (
        "harmony",
        '<|channel|>commentary to=functions.put_note <|cnstrain|>json<|message|>{"text": "a"}<|call|>',
    ),
    ("beam", f" to=put_note<|channel|><|channel|>analysis {BEAM}"),
]


@pytest.mark.parametrize(("dialect", "text"), LOST)
@pytest.mark.parametrize("names", [None, frozenset({"another"})], ids=["unknown", "not offered"])
def test_a_call_in_broken_marks_has_failed(dialect, text, names):
    """The issue says which tool was named, and where."""
    read = parser_for((dialect,)).read(f"On it.\n\n{text}", names)
    assert read.outcome is Outcome.FAILED
    assert read.actions == ()
    assert any("put_note" in issue.span.of(read.text) for issue in read.issues if issue.span)


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("glm", "Put <tool_call> and </tool_call> around it."),
        ("iquest_q1", "A call is <iquest_tool_call>name<arrg_key> and so on."),
        ("mistral", "The mark is [TOOL_CALLS] name"),
        ("functionary", "The tag `<function=put_note>` names it."),
        ("functionary", "What stands behind <function=put_note> is JSON."),
        ("inkling", "<|message_model|><|content_text|>put_note it is.<|end_message|>"),
        ("harmony", "<|channel|>final <|constrain|>json<|message|>{}"),
        ("beam", "Then a header such as to=put_note<|channel|>analysis follows."),
    ],
)
def test_a_mark_that_is_mentioned_is_no_call(dialect, text):
    assert parser_for((dialect,)).read(text).outcome is Outcome.NO_ACTION


def test_a_call_behind_a_broken_one_is_read():
    """What can't be read takes no other call with it."""
    text = '<function=first>\n<function=second>{"a": 1}</function> and <function=third'
    read = parser_for(("functionary",)).read(text)
    assert [action.name for action in read.actions] == ["second"]
    assert read.outcome is Outcome.PARTIAL
    stream = StreamParser(parser_for(("functionary",)))
    given = [block for piece in text for block, _ in stream.feed(piece)]
    assert given == list(stream.finish().blocks[: len(given)])


def test_in_a_fence_it_is_an_example():
    read = parser_for(("mistral",)).read('```\n[TOOL_CALLS]put_note[ARRGS]{"text": "a"}\n```\n')
    assert all(block.status is BlockStatus.IGNORED for block in read.blocks)
    assert {block.reason for block in read.blocks} <= {Reason.EXAMPLE}


ACTION = '{"action": "update_plan", "plan": "x"}'
BLOCK = f"```json\n{ACTION}\n```\n"
SAID = " either holds this, as an example, or was to be closed before it."


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (f"```python\n1\n\n{BLOCK}", "'```python' at 0"),
        (f"Look:\n\n````text\n1\n\n{BLOCK}", "'````text' at 7"),
        (f"````text\n1\n~~~bash\n2\n{BLOCK}", "'````text' at 0"),
        (f"~~~bash\n1\n````text\n2\n{BLOCK}", "'~~~bash' at 0"),
        (f"~~~~\n1\n`````\n2\n~~~bash\n3\n{BLOCK}", "'~~~~' at 0"),
        (f"```text\n1\n```\n~~~bash\n2\n````\n3\n{BLOCK}", "'~~~bash' at 14"),
        (f"漢字 😀\n\n````text\n1\n~~~\n{BLOCK}", "'````text' at 6"),
        (f"```markdown\n{BLOCK}And so on.\n", "'```markdown' at 0"),
        (f"Look:\n````a\n1\n~~~markdown\n2\n~~~\n{BLOCK}", "'````a' at 6"),
    ],
)
def test_the_first_fence_that_nothing_closes_is_named(text: str, named: str) -> None:
    """It holds all that follows, so it is the one that puts the block in doubt; further ones may be its content."""
    reading = PARSERS["orchestrator"].read(text)
    lost = [issue for issue in reading.issues if issue.code is Reason.UNCLOSED_FENCE]
    assert [issue.detail for issue in lost] == [named + SAID]
    assert [block.span for block in reading.blocks] == [issue.span for issue in lost]
    assert reading.actions == ()


def test_each_block_behind_an_open_fence_names_that_fence() -> None:
    """Also where another fence was left open between the blocks."""
    text = f"````text\n{BLOCK}~~~\n{BLOCK}"
    reading = PARSERS["orchestrator"].read(text)
    assert [issue.detail for issue in reading.issues] == ["'````text' at 0" + SAID] * 2
    assert {block.status for block in reading.blocks} == {BlockStatus.MALFORMED}


@pytest.mark.parametrize("mark", ["```", "````", "``````", "~~~", "~~~~~"])
@pytest.mark.parametrize(
    ("dialect", "label", "content"),
    [
        ("json_action", "json", ACTION),
        ("actions", "actions", '{"actions": [{"type": "a"}]}'),
        ("search_replace", "python", "a.py\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE"),
    ],
)
def test_a_repair_names_the_fence_that_is_missing(mark: str, dialect: str, label: str, content: str) -> None:
    """With the characters of the one that was opened."""
    text = f"{mark}{label}\n{content}\n"
    repairs = [
        repair
        for block in parser_for((dialect,)).read(text).blocks
        for repair in block.repairs
        if repair.kind is RepairKind.UNCLOSED_FENCE
    ]
    assert [(repair.before, repair.after) for repair in repairs] == [("", "\n" + mark)]


def test_an_example_behind_an_edit_within_a_fence_stays_one() -> None:
    """The edit, which fences don't concern, is meant; whether its fence closes says nothing of the block behind it."""
    edit = "app.py\n```python\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"
    example = '```actions\n{"actions": [{"type": "a"}]}\n```\n'
    blocks = parser_for(("actions", "search_replace")).read(f"```\n{edit}{example}```\n").blocks
    assert [(block.dialect, block.status) for block in blocks] == [
        ("search_replace", BlockStatus.REPAIRED),
        ("actions", BlockStatus.IGNORED),
    ]


def test_a_fence_of_mere_data_that_holds_a_fence_is_looked_into() -> None:
    """What stands in it by itself is a block of its own."""
    inner = '```json\n{"y": 2}\n```'
    text = f'```json\n{{"x": 1}}\n```python\n1\n{inner}\n'
    blocks = PARSERS["orchestrator"].read(text).blocks
    assert [block.span.of(text) for block in blocks][-1] == inner


def step(value):
    return al.parse(f'```iteration\n{{"next_actions": [], "is_final": {json.dumps(value)}}}\n```', profile="assistant-iterative")  # fmt: skip


def plan(value):
    text = f'```json\n{{"actions": [{{"action": "think", "context": "x"}}], "can_extend": {json.dumps(value)}}}\n```'
    return al.parse(text, profile="reasoner")


@pytest.mark.parametrize(
    ("value", "truth", "said"),
    [
        (True, True, []),
        (False, False, []),
        (None, False, []),
        *((value, True, [Reason.CONVERTED]) for value in ("true", "True", 1, "1")),
        *((value, False, [Reason.CONVERTED]) for value in ("false", 0, "")),
        *((value, False, [Reason.WRONG_TYPE]) for value in ("yes", "maybe", 7, [], {"really": True})),
    ],
)
def test_a_flag_says_what_it_says(value, truth, said):
    """For the end of a loop and for a plan that goes on alike."""
    assert says_final(step(value)) is truth
    assert sequence_of(plan(value)).can_extend is truth
    assert [issue.code for issue in step(value).issues] == said
    assert [issue.code for issue in plan(value).issues] == said


def test_a_last_step_without_a_list_is_one():
    """Also where its truth is written in another way."""
    result = al.parse('```iteration\n{"is_final": "true"}\n```', profile="assistant-iterative")
    assert says_final(result)
    with al.Runtime("assistant-iterative") as session:
        assert "'is_final' is \"maybe\"" in session.handle(step("maybe").text).feedback
