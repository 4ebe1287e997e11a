"""Harmony's messages: recipients, thoughts, and where a message ends."""

import pytest

from actionledger.core.vocabulary import BlockStatus, Outcome, Reason
from actionledger.reading.dialects.harmony import Harmony
from actionledger.reading.parsers import DialectParser, parser_named

PARSER = DialectParser(name="p", dialects=(Harmony(),))


def message(body, header="<|channel|>commentary to=functions.f <|constrain|>json", end="<|call|>"):
    return f"{header}<|message|>{body}{end}"


@pytest.mark.parametrize(
    "header",
    [
        "<|channel|>commentary to=functions.f <|constrain|>json",
        "<|channel|>commentary to=functions.f<|constrain|>json",
        "<|channel|>commentary to=functions.f json",
        "<|channel|>commentary to=functions.f",
        "<|channel|>commentary to=f code",
        "<|channel|>analysis to=functions.f <|constrain|>json",
        "<|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json",
        "<|start|>assistant to=functions.f<|channel|>commentary json",
        "<|start|>assistant to=functions.f <|channel|>commentary <|constrain|>json",
    ],
)
def test_a_recipient_makes_a_call_wherever_it_stands(header):
    """With the role or with the channel, with or without the type of the content."""
    text = message('{"a": 1}', header)
    reading = PARSER.read(text)
    assert reading.outcome is Outcome.CLEAN
    assert [(action.name, action.arguments) for action in reading.actions] == [("f", {"a": 1})]
    assert reading.blocks[0].span.of(text) == reading.actions[0].span.of(text) == text
    assert reading.blocks[0].body.of(text) == '{"a": 1}'


@pytest.mark.parametrize("role", [" ", "", "assistant ", "<|start|>assistant "])
@pytest.mark.parametrize("channel", ["commentary", "analysis"])
@pytest.mark.parametrize("kind", [" json", " <|constrain|>json", "<|constrain|>json", "", " code"])
@pytest.mark.parametrize("parser", [PARSER, parser_named("auto")])
def test_a_response_may_begin_with_the_recipient(role, channel, kind, parser):
    """The template has written the role, and xgrammar's grammar of gpt-oss lets the model go straight to a call."""
    first = message('{"a": 1}', f"{role}to=functions.f<|channel|>{channel}{kind}")
    further = message('{"a": 2}', "<|start|>assistant to=functions.f<|channel|>commentary json")
    reading = parser.read(first + further)
    assert reading.outcome is Outcome.CLEAN
    assert [(action.name, action.arguments) for action in reading.actions] == [
        ("f", {"a": 1}),
        ("f", {"a": 2}),
    ]
    assert reading.narrative == ""


@pytest.mark.parametrize("role", [" ", "assistant "])
@pytest.mark.parametrize("parser", [PARSER, parser_named("auto")])
def test_a_first_recipient_that_is_cut_off_is_no_call(role, parser):
    """Wherever the text ends behind the name's beginning, what is lost is said; nothing runs before its value is whole."""
    text = role + message('{"a": "x"}', "to=functions.f<|channel|>commentary <|constrain|>json", end="")
    for stop in range(len(role) + len("to=functions."), len(text)):
        reading = parser.read(text[:stop])
        assert (reading.outcome, reading.actions) == (Outcome.FAILED, ())
        assert {issue.code for issue in reading.issues} <= {Reason.TRUNCATED, Reason.MALFORMED_JSON}


@pytest.mark.parametrize(
    "before",
    [
        "Hello",
        "Hello\n",
        "You would write\n ",
        "<|channel|>final<|message|>I write\n",
        "A `",
        "\n\n",
        "> a\n",
    ],
)
def test_a_recipient_further_on_has_no_role(before):
    """Within a message it is text: only what a response begins with stands behind the role that the template wrote."""
    text = before + message("{}", " to=functions.f<|channel|>commentary json")
    assert PARSER.read(text).actions == parser_named("auto").read(text).actions == ()


def test_a_shown_recipient_is_an_example():
    """In somebody's fence or quotation nothing is meant."""
    text = message("{}", "to=functions.f<|channel|>commentary json")
    for shown in (f"```\n{text}\n```", f"> {text}"):
        assert PARSER.read(shown).outcome is not Outcome.CLEAN


@pytest.mark.parametrize("end", ["<|call|>", "<|end|>", "<|return|>"])
def test_any_closing_token_ends_a_call(end):
    """Recorded conversations hold each of them."""
    assert PARSER.read(message("{}", end=end) + "<|start|>user<|message|>ok<|end|>").outcome is Outcome.CLEAN


def test_a_call_that_the_next_message_ends_is_repaired():
    """The token is missing, and it is plain where it belongs."""
    reading = PARSER.read(message("{}", end="<|start|>assistant") + message("{}"))
    assert [block.status for block in reading.blocks] == [BlockStatus.REPAIRED, BlockStatus.STRICT]


@pytest.mark.parametrize("thoughts", ["", "to=functions.f {", "<|channel|> is a token", "```\n<|call", "{}"])
def test_thoughts_are_passed_over(thoughts):
    """No action in them is meant, and they are no narrative."""
    text = f"<|channel|>analysis<|message|>{thoughts}<|end|>" + message(
        "{}", "<|start|>assistant<|channel|>commentary to=f"
    )
    reading = PARSER.read(text)
    assert [block.reason for block in reading.blocks] == [Reason.REASONING, None]
    assert [action.name for action in reading.actions] == ["f"]
    assert reading.narrative == ""


def test_thoughts_that_are_cut_off_say_so():
    """The model ran out of room before it answered."""
    reading = PARSER.read("<|channel|>analysis<|message|>First I")
    assert [issue.code for issue in reading.issues] == [Reason.UNCLOSED_TAG]
    assert reading.outcome is Outcome.NO_ACTION


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("[1]", Reason.WRONG_SHAPE),
        ("5", Reason.WRONG_SHAPE),
        ('"x"', Reason.WRONG_SHAPE),
        ('{"a": 1} x', Reason.TEXT_AFTER_VALUE),
        ('{"a": }', Reason.MISSING_VALUE),
        ('{"a": "x', Reason.MALFORMED_JSON),
        ("{a: b}", Reason.UNQUOTED_VALUE),
    ],
)
def test_content_that_is_no_object_is_refused(body, reason):
    """A call's arguments have names; the block ends with its own token."""
    text = message(body) + " behind"
    (block,) = PARSER.read(text).blocks
    assert block.reason is reason
    assert block.span.of(text) == message(body)


@pytest.mark.parametrize(
    "text", ["<|channel|>", "A <|channel|> to=x.", "<|start|>assistant", "<|channel|>final<|message|>ok"]
)
def test_what_addresses_no_tool_is_no_call(text):
    """A mention, a role, or what the user is told."""
    assert PARSER.read(text).actions == ()


def test_source_text_for_python_is_kept_to_the_character():
    """It is no JSON: its end is the token."""
    reading = PARSER.read("<|channel|>analysis to=python code<|message|>\nprint('{}')\n<|call|>")
    assert reading.actions[0].arguments == {"code": "\nprint('{}')\n"}
