"""Families with marks of their own, or in another one's format."""

import pytest

import actionledger as al
from actionledger.core.errors import UnknownNameError
from actionledger.core.vocabulary import BlockStatus, Outcome, Reason, RepairKind
from actionledger.reading.dialects import DIALECTS, FAMILIES, dialect_named, dialects_named
from actionledger.reading.parsers import parser_for, parser_named

THINKING = {
    dialect.name: pairs for dialect in DIALECTS if (pairs := getattr(dialect, "thought_markers", None))
}
CALL = '<tool_call>\n{"name": "get_time", "arguments": {}}\n</tool_call>'


def test_a_family_is_given_the_dialect_that_it_writes():
    """Each names one that exists, under a name that none has."""
    names = {dialect.name for dialect in DIALECTS}
    assert not names & FAMILIES.keys()
    assert list(FAMILIES) == sorted(FAMILIES)
    for name, family in FAMILIES.items():
        assert tuple(dialect.name for dialect in dialects_named(name)) == family.dialects
        assert dialect_named(name).name == family.dialects[0]


def test_a_response_is_read_by_its_family():
    """What is read has the dialect's own name."""
    result = al.parse("<tool_call>get_time</tool_call>", dialects=["poolside"])
    assert [(action.name, action.dialect) for action in result.actions] == [("get_time", "glm")]


@pytest.mark.parametrize("text", [CALL, "<tool_call>\n<function=get_time>\n</function>\n</tool_call>"])
def test_a_family_may_write_several_formats(text):
    """Each is read under the family's name, once."""
    for dialects in (["mimo"], ["mimo", "hermes"]):
        assert [action.name for action in al.parse(text, dialects=dialects).actions] == ["get_time"]
    assert [dialect.name for dialect in parser_for(("mimo", "hermes")).dialects] == ["qwen3_coder", "hermes"]


def test_a_profile_may_be_of_a_family():
    """What it is to write is told of the first format."""
    actions = al.ActionSet("clock")

    @actions.action(example={})
    def get_time() -> str:
        "Say the time."
        return "noon"

    profile = al.custom_profile("clock", actions=actions, dialects=["mimo"])
    assert [action.name for action in al.parse(CALL, profile=profile).actions] == ["get_time"]


def test_a_name_that_nobody_has_is_told_families_too():
    """Who misspells a family is told which one was meant."""
    with pytest.raises(UnknownNameError, match="Did you mean 'jamba'"):
        dialect_named("jambo")


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
def test_auto_reads_every_example_as_its_dialect_does(dialect):
    """However many formats there are, each is told from all others."""
    names = frozenset({"get_weather", "get_time", "bash"})
    alone = parser_for((dialect.name,)).read(dialect.example, names)
    of_all = parser_named("auto").read(dialect.example, names)
    told = [(action.name, action.arguments, action.dialect, action.span) for action in of_all.actions]
    assert told == [(action.name, action.arguments, action.dialect, action.span) for action in alone.actions]
    assert of_all.outcome is Outcome.CLEAN


@pytest.mark.parametrize(
    ("name", "opener", "closer"),
    [(name, opener, closer) for name, pairs in THINKING.items() for opener, closer in pairs.items()],
)
def test_a_call_in_a_familys_thoughts_is_not_meant(name, opener, closer):
    """Whoever's format it is in; closed, never closed, and only mentioned."""
    parser = parser_named("auto")
    header = "to=self" if name == "muse_glimmer" else ""
    closed = parser.read(f"{header}{opener}I could: {CALL}{closer}No.")
    assert (closed.actions, [block.reason for block in closed.blocks]) == ((), [Reason.REASONING])
    assert [(issue.code, issue.span.of(closed.text)) for issue in closed.issues] == [(Reason.REASONING, CALL)]
    never = parser.read(f"{header}{opener}I could: {CALL}")
    assert [action.doubt for action in never.actions] == [Reason.REASONING]
    assert [issue.code for issue in never.issues] == [Reason.UNCLOSED_TAG, Reason.REASONING]
    mentioned = parser.read(f"Thoughts stand behind `{opener}`.\n{CALL}")
    assert [action.name for action in mentioned.actions] == ["get_time"]


PARSER = parser_for(("kimi_k2",))


def call(identifier, arguments="{}"):
    return f"<|tool_call_begin|>{identifier}<|tool_call_argument_begin|>{arguments}<|tool_call_end|>"


@pytest.mark.parametrize(
    ("identifier", "name"),
    [
        ("functions.get_time:0", "get_time"),
        ("functions.get_time:12", "get_time"),
        ("functions.get_time", "get_time"),
        ("get_time:0", "get_time"),
        ("functions.maps.find_2:1", "maps.find_2"),
        ("functions.2fa:0", "2fa"),
        (" functions.get_time:0 ", "get_time"),
    ],
)
def test_the_name_stands_in_the_identifier_which_is_kept_whole(identifier, name):
    """The answer to a call names it by all of its identifier."""
    (action,) = PARSER.read(call(identifier)).actions
    assert (action.name, action.call_id) == (name, identifier.strip())


@pytest.mark.parametrize("identifier", ["0", "functions.0:1", "12:3"])
def test_a_number_is_no_name(identifier):
    """Which tool was meant can't be known."""
    (block,) = PARSER.read(call(identifier)).blocks
    assert (block.status, block.reason) == (BlockStatus.MALFORMED, Reason.MISSING_NAME)


def test_a_call_without_the_token_before_its_arguments_is_malformed():
    """It was meant, so it is not passed over."""
    (block,) = PARSER.read('<|tool_call_begin|>functions.f:0{"a": 1}<|tool_call_end|>').blocks
    assert (block.status, block.reason) == (BlockStatus.MALFORMED, Reason.WRONG_SHAPE)


def test_a_call_has_its_own_place_in_the_section():
    """It reaches from its first token to its last."""
    text = f"<|tool_calls_section_begin|>{call('f:0')}{call('g:1')}<|tool_calls_section_end|>"
    reading = PARSER.read(text)
    assert [action.span.of(text) for action in reading.actions] == [call("f:0"), call("g:1")]
    assert len(reading.blocks) == 1


MINIMAX_PARSER = parser_for(("minimax",))


def wrapped(body):
    return f"<minimax:tool_call>\n{body}\n</minimax:tool_call>"


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("", ""),
        ("x", "x"),
        ("  x  ", "  x  "),
        ("\nx\n", "x"),
        ("\n  x\n  ", "  x"),
        ("\n\nx\n\n", "\nx\n"),
        ("x\n", "x\n"),
        ("\r\nx\r\n", "x"),
        ('["a", "b"]', '["a", "b"]'),
    ],
)
def test_a_value_on_lines_of_its_own_loses_the_line_breaks_next_to_the_tags(body, value):
    """They are layout; where the value begins behind the tag, all of it is content."""
    text = wrapped(f'<invoke name="f">\n<parameter name="a">{body}</parameter>\n</invoke>')
    assert MINIMAX_PARSER.read(text).actions[0].arguments == {"a": value}


def test_an_invocation_has_its_own_place():
    """The action reaches from its tag to its closing tag."""
    call = '<invoke name="f">\n<parameter name="a">1</parameter>\n</invoke>'
    text = wrapped(f'{call}\n<invoke name="g">\n</invoke>')
    first, second = MINIMAX_PARSER.read(text).actions
    assert first.span.of(text) == call
    assert second.span.of(text) == '<invoke name="g">\n</invoke>'
    assert first.strings_only


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (
            '<invoke name="f"><parameter name="a">1<parameter name="b">2</parameter></invoke>',
            Reason.AMBIGUOUS,
        ),
        (
            '<invoke name="f"><parameter name="a">1</parameter><parameter name="a">2</parameter></invoke>',
            Reason.DUPLICATE_KEY,
        ),
        ('<invoke name="f"><parameter name="a">1</invoke>', Reason.UNCLOSED_TAG),
        ('<invoke name="f">1</invoke>', Reason.WRONG_SHAPE),
        ('<invoke name="f"></invoke> and more', Reason.TEXT_AFTER_VALUE),
    ],
)
def test_what_has_no_one_plain_reading_is_malformed(body, reason):
    """A quoted call in a value looks like one that was never closed; which it is can't be known."""
    (block,) = MINIMAX_PARSER.read(wrapped(body)).blocks
    assert (block.status, block.reason) == (BlockStatus.MALFORMED, reason)


def test_closing_tags_that_are_missing_are_named_where_they_belong():
    """Each repair stands behind the last parameter, or the last invocation."""
    text = '<minimax:tool_call><invoke name="f"><parameter name="a">1</parameter><invoke name="g"></invoke>'
    (block,) = MINIMAX_PARSER.read(text).blocks
    assert [(repair.kind, repair.after) for repair in block.repairs] == [
        (RepairKind.UNCLOSED_TAG, "</invoke>"),
        (RepairKind.UNCLOSED_TAG, "</minimax:tool_call>"),
    ]


MISTRAL_PARSER = parser_for(("mistral",))


@pytest.mark.parametrize(
    "text",
    [
        '[TOOL_CALLS] [{"name": "f", "arguments": {"a": 1}, "id": "abc123xyz"}]',
        '[TOOL_CALLS]f[CALL_ID]abc123xyz[ARGS]{"a": 1}',
        '[TOOL_CALLS] f [CALL_ID] abc123xyz [ARGS] {"a": 1}',
    ],
)
def test_the_identifier_of_a_call_is_kept_in_every_form(text):
    """The answer to a call names it."""
    (action,) = MISTRAL_PARSER.read(text).actions
    assert (action.name, action.arguments, action.call_id) == ("f", {"a": 1}, "abc123xyz")


def test_a_named_call_reaches_from_its_marker_to_its_arguments_end():
    """Block and action are the same stretch, and each call is one."""
    text = 'Hi[TOOL_CALLS]f[ARGS]{"a": 1}[TOOL_CALLS]g{} and'
    reading = MISTRAL_PARSER.read(text)
    assert [action.span.of(text) for action in reading.actions] == [
        '[TOOL_CALLS]f[ARGS]{"a": 1}',
        "[TOOL_CALLS]g{}",
    ]
    assert [block.span.of(text) for block in reading.blocks] == [
        action.span.of(text) for action in reading.actions
    ]


@pytest.mark.parametrize(
    "text", ["[TOOL_CALLS] f {", "[TOOL_CALLS] name", "[TOOL_CALLS]f is", "[TOOL_CALLS]: {}"]
)
def test_a_word_behind_the_marker_is_no_name_by_itself(text):
    """A blank before it, or other text behind it, makes a sentence of it."""
    assert MISTRAL_PARSER.read(text).outcome is Outcome.NO_ACTION


@pytest.mark.parametrize(
    "text", ["[TOOL_CALLS]", "[TOOL_CALLS]f", "[TOOL_CALLS]f[ARGS]", "[TOOL_CALLS]f[CALL_ID]abc[ARGS]\n"]
)
def test_a_call_that_the_text_ends_with_is_cut_off(text):
    """Somebody was about to call, and that is not passed over in silence."""
    (block,) = MISTRAL_PARSER.read(text).blocks
    assert (block.status, block.reason) == (BlockStatus.MALFORMED, Reason.TRUNCATED)
