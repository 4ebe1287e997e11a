"""What a model thinks to itself: out of the narrative, and never an action."""

import pytest

import actionledger as al
from actionledger.core.vocabulary import BlockStatus, Outcome, Reason
from actionledger.reading.parsers import PARSERS, DialectParser, parser_for

ASSISTANT = PARSERS["assistant"]
BLOCK = '```actions\n{"actions": [{"type": "%s"}]}\n```'


def reasons(reading):
    return [block.reason for block in reading.blocks]


def test_thoughts_are_an_ignored_block_with_an_exact_place():
    """Tag to tag, and what is between."""
    text = "<think>\nHm 🍅.\n</think>\nDone."
    reading = ASSISTANT.read(text)
    (block,) = reading.blocks
    assert (block.status, block.reason, block.dialect) == (
        BlockStatus.IGNORED,
        Reason.REASONING,
        "reasoning",
    )
    assert (block.span.of(text), block.body.of(text)) == ("<think>\nHm 🍅.\n</think>", "\nHm 🍅.\n")
    assert (reading.outcome, reading.narrative, reading.issues) == (Outcome.NO_ACTION, "Done.", ())


def test_an_action_in_thoughts_is_not_meant():
    """What the model considers is no order; what it writes after is one."""
    reading = ASSISTANT.read(f"<think>\n{BLOCK % 'a'}\n</think>\n{BLOCK % 'b'}")
    assert reasons(reading) == [Reason.REASONING, None]
    assert [action.name for action in reading.actions] == ["b"]
    assert reading.outcome is Outcome.CLEAN


def test_a_closing_tag_alone_ends_the_thoughts_that_the_response_begins_with():
    """Some templates write the opening tag for the model."""
    text = f"I might\n{BLOCK % 'a'}\n</think>\nSo:\n{BLOCK % 'b'}"
    reading = ASSISTANT.read(text)
    assert reasons(reading) == [Reason.REASONING] * 3 + [None]
    assert reading.blocks[2].span.of(text).endswith("</think>")
    thought, meant = reading.actions
    assert (thought.name, thought.illustration) == ("a", Reason.REASONING)
    assert (meant.name, meant.illustration) == ("b", None)
    assert reading.narrative == "So:"


@pytest.mark.parametrize("start", ["", " \n"])
def test_a_response_that_is_cut_off_thinking_says_so(start):
    """Nothing was decided yet: no action, and an issue that tells why."""
    text = f"{start}<think>\nLet me see."
    reading = ASSISTANT.read(text)
    assert (reading.outcome, reading.narrative, reading.actions) == (Outcome.NO_ACTION, "", ())
    assert [(issue.code, issue.span.of(text)) for issue in reading.issues] == [
        (Reason.UNCLOSED_TAG, "<think>")
    ]


@pytest.mark.parametrize("start", ["", " \n", "Let me think. ", "Hm.\n"])
def test_a_call_in_thoughts_that_nothing_closes_waits(start):
    """The model may have gone from its thoughts to the call without a word."""
    block = BLOCK % "a"
    text = f"{start}<think>\nI do it.\n{block}"
    reading = ASSISTANT.read(text)
    assert (reading.outcome, [action.doubt for action in reading.actions]) == (
        Outcome.PARTIAL,
        [Reason.REASONING],
    )
    assert [(issue.code, issue.span.of(text)) for issue in reading.issues] == [
        (Reason.UNCLOSED_TAG, "<think>"),
        (Reason.REASONING, block),
    ]


@pytest.mark.parametrize("fence", ["```", "~~~"])
def test_a_fence_of_either_sign_that_thoughts_end_with_waits(fence):
    text = f"<think>\nI ping it.\n{fence}python\nping(host='a')\n{fence}\n</think>\n"
    result = al.parse(
        text, dialects=["python_fence"], tools=[{"name": "ping", "parameters": {"type": "object"}}]
    )
    assert [(call.name, str(call.status)) for call in result.actions] == [("ping", "needs_approval")]


def test_a_call_that_thoughts_and_response_end_with_waits():
    """Trinity calls tools before it closes its thoughts."""
    reading = ASSISTANT.read(f"<think>\nI do it.\n{BLOCK % 'a'}\n</think>\n<|im_end|>")
    assert [action.doubt for action in reading.actions] == [Reason.REASONING]
    answered = ASSISTANT.read(f"<think>\nI do it.\n{BLOCK % 'a'}\n</think>\nNo.")
    assert (answered.actions, answered.outcome) == ((), Outcome.NO_ACTION)
    assert [issue.code for issue in answered.issues] == [Reason.REASONING]


CALL = '<tool_call>{"name": "a", "arguments": {}}</tool_call>'


@pytest.mark.parametrize(
    "closer",
    ["</think>", "</thinking>", "</think:opensource>", "[/THINK]", "</seed:think>", "<|END_THINKING|>"],
)
@pytest.mark.parametrize("behind", ["Done.", " Done.", "\n\nDone."])
def test_a_closing_marker_alone_ends_thoughts_wherever_its_line_goes_on(closer, behind):
    """No line break has to follow; what it closed is said, and not run."""
    text = f"I might {CALL} no.{closer}{behind}"
    reading = PARSERS["auto"].read(text)
    assert [action.illustration for action in reading.actions] == [Reason.REASONING]
    assert [(issue.code, issue.span.of(text)) for issue in reading.issues] == [(Reason.REASONING, CALL)]
    assert reading.narrative == "Done."


@pytest.mark.parametrize(
    "text",
    [
        f"{CALL}\nThoughts end with `</think>`.",
        f'{CALL}\nThoughts end with "</think>".',
        f"{CALL}\n```\n</think>\n```",
    ],
)
def test_a_closing_marker_that_is_named_ends_nothing(text):
    """In inline code, between quotation marks and in a fence."""
    reading = PARSERS["auto"].read(text)
    assert [(action.name, action.doubt, action.illustration) for action in reading.actions] == [
        ("a", None, None)
    ]


def test_a_closing_marker_that_may_be_named_leaves_it_open():
    """A sentence that goes on behind it may be about the tag."""
    reading = PARSERS["auto"].read(f"{CALL}\nI close my thoughts with </think> as always.")
    assert [action.doubt for action in reading.actions] == [Reason.REASONING]


@pytest.mark.parametrize(
    "text",
    [
        f"<think>a <think>b</think>I might {CALL} no.</think>Done.",
        f"<think>a</think>I might {CALL} no.</think>Done.",
    ],
)
def test_thoughts_within_thoughts_and_two_closing_markers_run_nothing(text):
    reading = PARSERS["auto"].read(text)
    assert not [action for action in reading.actions if action.illustration is None]
    assert [issue.span.of(text) for issue in reading.issues] == [CALL]


MARKERS = [
    ("<thinking>", "</thinking>"),
    ("<think:opensource>", "</think:opensource>"),
    ("<|plamo:begin_think:plamo|>", "<|plamo:end_think:plamo|>"),
    ("Here is my thought process:", "Here is my response:"),
    ("Here's my thought process:", "Here's my response:"),
    ("[THINK]", "[/THINK]"),
    ("<mm:think>", "</mm:think>"),
    ("◁think▷", "◁/think▷"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    ("<|channel>thought\n", "<channel|>"),
]


@pytest.mark.parametrize("dialect", ["xml_tags", "mint", "search_replace", "hermes"])
@pytest.mark.parametrize(("opener", "closer"), MARKERS)
def test_families_markers_are_known_to_every_parser(opener, closer, dialect):
    """A call between them is said, and not run, whatever its format; the answer stays."""
    call = {
        "xml_tags": "<read_file><path>a</path></read_file>",
        "mint": "<execute>1</execute>",
        "hermes": CALL,
    }.get(dialect, "a.py\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n")
    text = f"{opener} I might do this:\n{call}\nNo. {closer} Done."
    reading = parser_for((dialect,)).read(text)
    assert (reading.actions, reading.narrative) == ((), "Done.")
    assert [issue.code for issue in reading.issues] == [Reason.REASONING]


def test_a_tool_with_the_name_of_a_tag_is_called_by_it():
    """The tag is no thought where a tool of that name was offered."""
    tags = "<think><text>Hm.</text></think>"
    reading = al.parse(
        tags,
        dialects=["xml_tags"],
        tools=[
            {"name": "think", "parameters": {"type": "object", "properties": {"text": {"type": "string"}}}}
        ],
    )
    assert [(action.name, action.arguments) for action in reading.actions] == [("think", {"text": "Hm."})]


@pytest.mark.parametrize(
    "call", ["Action: a\nAction Input: {}", '{"name": "a", "arguments": {}}', "```tool_code\na()\n```"]
)
def test_what_follows_thoughts_begins_a_line(call):
    """Where the closing marker and the call share one."""
    reading = PARSERS["auto"].read(f"<think>I do it.</think>{call}")
    assert [action.name for action in reading.actions] == ["a"]


def test_an_open_tag_in_the_middle_is_a_mention():
    """A tag that is named holds nothing."""
    reading = ASSISTANT.read(f"The <think> tag.\n{BLOCK % 'a'}")
    assert reasons(reading) == [None]


def test_tags_in_inline_code_are_quoted():
    """They stay in the narrative, as any quoted text does."""
    reading = ASSISTANT.read("Write `<think>so</think>` first.")
    assert reasons(reading) == [Reason.EXAMPLE]
    assert reading.narrative == "Write `<think>so</think>` first."
    assert reasons(ASSISTANT.read("It ends with `</think>`.")) == []


def test_tags_inside_a_block_are_content():
    """The block that begins first wins."""
    text = '```actions\n{"actions": [{"type": "a", "b": "<think>c</think>"}]}\n```'
    assert ASSISTANT.read(text).actions[0].arguments == {"b": "<think>c</think>"}


def test_tags_inside_a_foreign_fence_are_somebodys_code():
    """They are no thoughts of this model."""
    text = "```\n<think>a</think>\n```"
    reading = ASSISTANT.read(text)
    assert (reading.blocks, reading.narrative) == ((), text)


def test_a_parser_may_take_the_tags_for_prose():
    """The setting turns it off altogether."""
    plain = DialectParser(name="p", dialects=ASSISTANT.dialects, reasoning=False)
    reading = plain.read(f"<think>{BLOCK % 'a'}\n</think>")
    assert (reasons(reading), reading.narrative.startswith("<think>")) == ([None], True)


def test_a_closing_tag_within_a_line_is_a_mention():
    """A response that merely writes about the tag keeps its actions."""
    reading = ASSISTANT.read(f"{BLOCK % 'a'}\nI close my thoughts with </think> as always.")
    assert reasons(reading) == [None]
    assert [(action.name, action.illustration) for action in reading.actions] == [("a", None)]


@pytest.mark.parametrize(
    "call",
    [
        '<|python_start|>[ping(host="a")]]<|python_end|>',
        '<|tool_call_start|>[ping(host="a")]]<|tool_call_end|>',
    ],
)
def test_a_broken_call_in_thoughts_that_nothing_closes_waits(call):
    """What no dialect could read there is read by evidence, and is thought all the same."""
    tools = [{"name": "ping", "parameters": {"type": "object", "properties": {"host": {"type": "string"}}}}]
    result = al.parse(f"<think>I might do this:\n{call}\nbut no.", dialects="auto", tools=tools)
    assert result.valid_actions == ()
    assert {call.reason for call in result.actions} <= {Reason.REASONING}


def test_granites_thoughts_may_stand_behind_a_call():
    """They are known by both of their sentences."""
    one, two = (al.render([("ping", {"host": host})], "granite") for host in "ab")
    text = f"{one}\nHere is my thought process: I might {two} but no.\nHere is my response: Done."
    assert [call.arguments for call in al.parse(text, dialects=["granite"]).valid_actions] == [{"host": "a"}]
