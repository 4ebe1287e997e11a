"""What begins as a call in a format's own marks and can't be read has failed, also where nobody knows which tools there are."""

import pytest

from actionledger.core.vocabulary import BlockStatus, Outcome, Reason
from actionledger.reading.parsers import parser_for
from actionledger.reading.stream import StreamParser

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
