"""A dialect made from a checkpoint's response template, as transformers 5.24 reads it."""

import copy

import pytest

import actionledger as al
from actionledger.core.errors import UsageError
from actionledger.core.vocabulary import ActionStatus, Outcome, Reason
from actionledger.reading.parsers import DialectParser

FUNCTION = {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}}
GEMMA = {
    "start_anchor": ["<|turn>model\n"],
    "fields": {
        "thinking": {"open": "<|channel>thought\n", "close": "<channel|>"},
        "tool_calls": {
            "open_pattern": r"<\|tool_call>call:(?P<name>\w+)",
            "close": "<tool_call|>",
            "repeats": True,
            "content": "json",
            "content_args": {"unquoted_keys": True, "string_delims": [['<|"|>', '<|"|>']]},
            "transform": FUNCTION,
        },
        "content": {"close": ["<turn|>", "<eos>"]},
    },
}
INVOKE = {
    "start_anchor": "<|begin|>assistant",
    "fields": {
        "reasoning_content": {"open_pattern": r"to=self<\|msg\|>", "close": "<|pause|>"},
        "tool_calls": {
            "open_pattern": r'<invoke\b[^>]*?\bname="(?P<name>[^"]+)">',
            "close": "</invoke>",
            "repeats": True,
            "content": "xml-inline",
            "content_args": {
                "tag_pattern": r'<param\b[^>]*?\bname="(?P<key>[^"]+)"[^>]*?>(?P<value>.*?)</param>',
                "value_parser": {"name": "json", "args": {"allow_non_json": True}},
            },
            "transform": FUNCTION,
        },
        "content": {"open_pattern": r"to=(?:user|note)<\|msg\|>", "close": ["<|end|>", "<|pause|>"]},
    },
}
LINES = {
    "start_anchor": "<|im_start|>assistant\n",
    "fields": {
        "tool_calls": {
            "open_pattern": r"<tool_call>\s*<function=(?P<name>[^>]+)>",
            "close_pattern": r"\s*</tool_call>",
            "content": "kv-lines",
            "transform": FUNCTION,
        },
        "content": {},
    },
}
PYTHON = {
    "start_anchor": "<|assistant|>",
    "fields": {
        "tool_calls": {
            "open": "<|calls|>",
            "close": "<|/calls|>",
            "content": "python-call-list",
            "transform_each": True,
            "transform": {"type": "function", "function": {"name": "{name}", "arguments": "{arguments}"}},
        },
        "content": {},
    },
}
PLAIN = {
    "start_anchor": "<|assistant|>",
    "fields": {
        "tool_calls": {
            "open": "<call>",
            "close": "</call>",
            "content": "json",
            "transform": {"type": "function", "function": "{content}"},
        },
        "content": {},
    },
}
CALL = '<call>{"name": "f", "arguments": {"a": 1}}</call>'
DAYS = [
    {
        "name": "f",
        "parameters": {
            "type": "object",
            "properties": {"a": {"type": "string"}, "days": {"type": "integer"}},
        },
    }
]


def read(template, text, tools=None):
    return al.parse(text, parser=al.response_template_parser(template), tools=tools)


def runnable(result):
    return [(each.name, each.arguments) for each in result.actions if each.status.is_runnable]


@pytest.mark.parametrize(
    ("template", "text", "calls"),
    [
        (GEMMA, '<|tool_call>call:f{a:<|"|>x, "y"\n<|"|>,b:[1,{c:true}]}<tool_call|>', [{"a": 'x, "y"\n', "b": [1, {"c": True}]}]),
        (GEMMA, "On it.<|tool_call>call:f{a:1}<tool_call|><|tool_call>call:f{a:2}<tool_call|>", [{"a": 1}, {"a": 2}]),
        (INVOKE, 'to=self<|msg|>Hm.<|pause|><invoke name="f"><param name="a">[1]</param>\n<param name="b">x y</param></invoke>', [{"a": [1], "b": "x y"}]),
        (LINES, "<tool_call>\n<function=f>\na: x: y\nb: 2\n</tool_call>", [{"a": "x: y", "b": "2"}]),
        (PYTHON, "<|calls|>[f(a='x', b=[1, None]), f()]<|/calls|>", [{"a": "x", "b": [1, None]}, {}]),
        (PLAIN, CALL, [{"a": 1}]),
    ],
)  # fmt: skip
def test_calls_are_read_as_the_template_says(template, text, calls):
    """Each kind of content gives the arguments that transformers give."""
    result = read(template, text)
    assert (result.outcome, runnable(result)) == (Outcome.CLEAN, [("f", each) for each in calls])


def test_texts_in_tags_and_lines_are_typed_by_the_tools():
    """A text stays one where the tool says so, and is a number where it says that."""
    text = "<tool_call><function=f>\na: 7\ndays: 3\n</tool_call>"
    assert runnable(read(LINES, text, DAYS)) == [("f", {"a": "7", "days": 3})]


def test_json_is_repaired_as_everywhere():
    """A comma too many is a named repair."""
    result = read(PLAIN, '<call>{"name": "f", "arguments": {"a": 1,}}</call>')
    assert (result.outcome, runnable(result)) == (Outcome.REPAIRED, [("f", {"a": 1})])


@pytest.mark.parametrize(
    ("template", "text"),
    [
        (GEMMA, "<|channel>thought\nI might <|tool_call>call:f{a:1}<tool_call|> no.<channel|>Done."),
        (INVOKE, 'to=self<|msg|><invoke name="f"></invoke><|pause|>'),
        (INVOKE, 'to=user<|msg|>Write <invoke name="f"></invoke> there.<|end|>'),
        (PLAIN, f"Write `{CALL}` for that."),
    ],
)
def test_what_is_thought_or_shown_does_not_run(template, text):
    """What stands in a field of thoughts, in another one that is opened, or in inline code is no call."""
    assert runnable(read(template, text)) == []


@pytest.mark.parametrize(
    ("template", "text", "reason"),
    [
        (GEMMA, "<|tool_call>call:f{a:1,b:", Reason.TRUNCATED),
        (INVOKE, '<invoke name="f"><param name="a">1</param>', Reason.TRUNCATED),
        (LINES, "<tool_call><function=f>\na: 1", Reason.TRUNCATED),
        (PLAIN, '<call>{"name": "f", "arguments": {"a": 1', Reason.TRUNCATED),
        (INVOKE, '<invoke name="f"><param name="a">1</param><param name="a">2</param></invoke>', Reason.DUPLICATE_KEY),
        (INVOKE, '<invoke name="f">with <param name="a">1</param></invoke>', Reason.WRONG_SHAPE),
        (LINES, "<tool_call><function=f>\na: 1\na: 2</tool_call>", Reason.DUPLICATE_KEY),
        (PYTHON, "<|calls|>[f(a=x)]<|/calls|>", Reason.EXAMPLE),
        (PLAIN, '<call>{"arguments": {}}</call>', Reason.MISSING_NAME),
        (PLAIN, '<call>{"name": "f", "arguments": [1]}</call>', Reason.WRONG_SHAPE),
    ],
)  # fmt: skip
def test_what_can_not_be_read_is_refused(template, text, reason):
    """It is reported with its reason and never run."""
    result = read(template, text)
    assert runnable(result) == []
    assert reason in {issue.code for issue in result.issues} or result.blocks[0].reason is reason


def test_a_call_without_its_end_waits():
    """What closes it may have been cut with more of it."""
    result = read(PLAIN, CALL.removesuffix("</call>"))
    assert [each.status for each in result.actions] == [ActionStatus.NEEDS_APPROVAL]


@pytest.mark.parametrize("cut", range(0, len(CALL), 3))
def test_no_beginning_of_a_call_runs(cut):
    """Nothing but the whole call is run."""
    assert runnable(read(PLAIN, CALL[:cut])) == []


@pytest.mark.parametrize(
    "change",
    [
        {"fields": None},
        {"fields": {"content": {}}},
        {"version": 2},
        {"fields": {"tool_calls": {"content": "json"}}},
        {"fields": {"tool_calls": {"open": "", "content": "json"}}},
        {"fields": {"tool_calls": {"open": "<a>", "content": "yaml"}}},
        {"fields": {"tool_calls": {"open_pattern": "(", "content": "json"}}},
        {"fields": {"tool_calls": {"open_pattern": r"\w+:", "content": "json"}}},
        {"fields": {"tool_calls": {"open_pattern": "<a>|<b>", "content": "json"}}},
        {"fields": {"tool_calls": {"open": "<a>", "content": "xml-inline"}}},
        {"fields": {"tool_calls": 3}},
    ],
)
def test_what_is_no_template_is_refused(change):
    """A definition by which no call can be found says so when the parser is made, in words."""
    with pytest.raises(UsageError):
        al.response_template_parser({**copy.deepcopy(PLAIN), **change})


def test_a_parser_of_a_template_is_a_configuration():
    """A record can hold it: it is made anew from its text, and two templates have two ids."""
    parser = al.response_template_parser(GEMMA)
    assert DialectParser.model_validate_json(parser.configuration).id == parser.id
    assert al.response_template_parser(PLAIN).id != parser.id
    assert parser.dialects[0].name == "response_template"


@pytest.mark.parametrize("unit", ["<call>", '<call>{"', "<call>{}</call>", "</call>", "<cal"])
def test_repeated_marks_are_read_once(unit):
    """A long text of them takes no longer than another."""
    assert runnable(read(PLAIN, unit * 20_000)) == []
