"""A call that the text ends in runs only if all of it is there, whatever could be completed: cut at every character."""

import pytest

import actionledger as al
from actionledger.core.errors import RenderError
from actionledger.core.vocabulary import BlockStatus, Outcome, Reason
from actionledger.reading.dialects import DIALECTS
from actionledger.reading.parsers import parser_for

ARGUMENTS = {"table": "a", "limit": 10, "dry_run": True}
MEANT = (ARGUMENTS, {"table": "a", "limit": "10", "dry_run": "true"})
NAMES = frozenset({"delete_rows", "ping"})
CALL = [("delete_rows", ARGUMENTS)]
WHOLE_WITH = {
    "beam": "<|call|>",
    "iquest_q1": "</iquest_tool_call>",
    "iquest_coder": "</iquestcoder_tool_call>",
    "qwen3_coder": "</function>",
    "glm": "</tool_call>",
    "minimax": "</invoke>",
    "deepseek_dsml": "</｜DSML｜invoke>",
    "step3": "</steptml:invoke>",
    "dots": "</invoke>",
    "gigachat35": "</｜GCML｜invoke>",
    "cohere_xml": "</cofl:tool_call>",
    "k2_horizon": "</ifm|tool_call>",
    "kimi_k3": "<|close|>call<|sep|>",
    "longcat": "</longcat_tool_call>",
    "muse_glimmer": "</atem:invoke>",
    "seed_oss": "</function>",
    "solar_open2": "<|tool_call:end|>",
}
"""What a call in tags ends with when all of it is there; one in JSON or Python ends with its own last bracket."""

LAST_BRACKETS = ("true}}", "true}", "True)")

READ_TO_THE_END = {"lfm2", "minicpm", "gemma"}
"""Whose Python is not read unless the list, the print or the fence around it is closed."""


def written(dialect, calls):
    try:
        return al.render(calls, dialect)
    except RenderError:
        return None


WRITTEN = {name: text for name in (each.name for each in DIALECTS) if (text := written(name, CALL))}
"""The call in each dialect that can write it."""


def meant(reading):
    return [action for action in reading.actions if action.illustration is None]


def whole_from(dialect):
    """Return from where on no more is missing of the call than closers that are declared, or that end more than the call."""
    text = WRITTEN[dialect]
    marks = [WHOLE_WITH[dialect]] if dialect in WHOLE_WITH else LAST_BRACKETS
    return next(text.index(mark) + len(mark) for mark in marks if mark in text)


@pytest.mark.parametrize("dialect", WRITTEN)
def test_a_call_cut_anywhere_runs_only_if_all_of_it_is_there(dialect):
    text = WRITTEN[dialect]
    parser = parser_for((dialect,))
    for at in range(1, len(text) + 1):
        reading = parser.read(text[:at], NAMES)
        for action in meant(reading):
            if action.doubt is None:
                assert action.arguments in MEANT, text[:at]
                assert at >= whole_from(dialect), text[:at]
            else:
                assert action.doubt is Reason.TRUNCATED
                assert action.arguments
                block = reading.blocks[action.block]
                assert block.status in {BlockStatus.STRICT, BlockStatus.REPAIRED}
                assert Reason.TRUNCATED in {issue.code for issue in block.issues}
                assert reading.outcome is Outcome.PARTIAL


@pytest.mark.parametrize("dialect", WRITTEN)
def test_a_call_whose_own_end_is_there_runs(dialect):
    """What is missing behind it, a server takes away, or it ends more than the call."""
    text = WRITTEN[dialect]
    for end in (len(text) if dialect in READ_TO_THE_END else whole_from(dialect), len(text)):
        [action] = meant(parser_for((dialect,)).read(text[:end], NAMES))
        assert (action.doubt, action.arguments in MEANT) == (None, True)


@pytest.mark.parametrize("dialect", WRITTEN)
def test_of_two_calls_the_first_runs_and_the_cut_one_does_not(dialect):
    """What is whole behind a first call's end runs as before."""
    text = written(dialect, [("ping", {"a": "b"}), *CALL])
    if text is None:
        pytest.skip("one call a response")
    parser = parser_for((dialect,))
    for at in range(text.index("delete_rows"), len(text) + 1):
        calls = meant(parser.read(text[:at], NAMES))
        running = [action for action in calls if action.doubt is None]
        assert [action.name for action in running] in (["ping"], ["ping", "delete_rows"], []), text[:at]
        assert all(action.arguments in ({"a": "b"}, *MEANT) for action in running), text[:at]


@pytest.mark.parametrize("dialect", WRITTEN)
def test_a_cut_call_reads_the_same_in_a_stream(dialect):
    text = WRITTEN[dialect]
    parser = parser_for((dialect,))
    for at in range(len(text) // 2, len(text), 7):
        stream = al.StreamParser(parser, NAMES)
        settled = [
            block for start in range(0, at, 9) for block in stream.feed(text[start : min(at, start + 9)])
        ]
        reading = parser.read(text[:at], NAMES)
        assert stream.finish() == reading
        assert [block for block, _ in settled] == list(reading.blocks[: len(settled)])


@pytest.mark.parametrize("dialect", WRITTEN)
def test_where_a_model_was_stopped_behind_a_closing_mark_the_call_is_whole(dialect):
    """Two dialects write no mark that closes a call: what takes its place, servers take away."""
    parser = parser_for((dialect,))
    [action] = meant(parser.read(WRITTEN[dialect], NAMES, is_cut=True))
    assert (action.doubt is None) == (dialect not in {"gigachat3", "react"})


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("harmony", '<|channel|>commentary to=functions.f <|message|>{"a": 1}'),
        ("hermes", '<tool_call>{"name": "f", "arguments": {"a": 1}}'),
        ("qwen3_coder", "<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n</function>\n"),
        ("inkling", '<|content_invoke_tool_json|>{"name": "f", "args": {"a": 1}}'),
        ("react", "Action: f\nAction Input: half a sen"),
    ],
)
def test_only_what_a_server_takes_away_is_missing(dialect, text):
    """Such a call runs, unless it is known that the model was stopped there."""
    assert [str(each.status) for each in al.parse(text, dialects=[dialect]).actions] == ["not_checked"]
    stopped = al.parse(text, dialects=[dialect], is_cut=True)
    assert [str(each.status) for each in stopped.actions] == ["needs_approval"]
    assert [each.code for each in stopped.issues] == [Reason.TRUNCATED]


@pytest.mark.parametrize(
    "text",
    [
        '{"name":"put_note","arguments":{"text":"a","count":1',
        'put_note(text="a", count=1',
        '[put_note(text="a", count=1',
        '```json\n{"name": "put_note", "arguments": {"text": "a"',
    ],
)
def test_a_bare_call_that_is_cut_waits(text):
    tools = [
        {
            "type": "function",
            "function": {
                "name": "put_note",
                "parameters": {
                    "type": "object",
                    "properties": {"text": {"type": "string"}, "count": {"type": "integer"}},
                },
            },
        }
    ]
    result = al.parse(text, dialects="auto", tools=tools)
    assert [str(each.status) for each in result.actions] == ["needs_approval"]
    assert result.outcome is Outcome.PARTIAL
    [issue] = result.issues
    assert issue.code is Reason.TRUNCATED
    assert issue.span


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("xml_tags", "<create_file>\n<path>a.py</path>\n<content>x</content>\n"),
        ("harmony", "<|channel|>commentary to=python<|message|>remove({'a'}"),
        ("minicpm", '<function name="f"><param name="a">x</param>'),
        ("hunyuan", "<tool_call>f<arg_key>a</arg_key><arg_value>x</arg_value>"),
        ("nemotron", "<tool_call>\n<function=f>\n<parameter=a>\nx\n</parameter>\n"),
        (
            "longcat",
            "<longcat_tool_call>f\n<longcat_arg_key>a</longcat_arg_key>\n<longcat_arg_value>}</longcat_arg_value>",
        ),
    ],
)
def test_a_call_waits_where_more_of_it_may_follow(dialect, text):
    result = al.parse(text, dialects=[dialect])
    assert [str(each.status) for each in result.actions] == ["needs_approval"]
    assert [each.code for each in result.issues] == [Reason.TRUNCATED]


def test_of_a_cut_call_without_arguments_there_is_nothing_to_approve():
    result = al.parse("ping(", dialects="auto", tools=[{"type": "function", "function": {"name": "ping"}}])
    assert (result.actions, result.outcome) == ((), Outcome.FAILED)


CUT_VALUES = [
    '<tool_call>\n{"name": "delete_rows", "arguments": {"table": "a", "limit": 10',
    '<tool_call>\n{"name": "delete_rows", "arguments": {"table": "a"}',
    "<|tool_call_start|>[delete_rows(table='a', limit=10",
    "<|tool_call_start|>[delete_rows(table='a',",
    '[TOOL_CALLS]delete_rows[ARGS]{"table": "a"',
    '<function=delete_rows>{"table": "a"',
    '<|channel|>commentary to=functions.delete_rows <|constrain|>json<|message|>{"table": "a"',
    '<|tool_call_begin|>functions.delete_rows:0<|tool_call_argument_begin|>{"table": "a"',
]


@pytest.mark.parametrize("text", CUT_VALUES)
@pytest.mark.parametrize("names", [NAMES, None], ids=["offered", "unknown"])
def test_a_value_behind_a_marker_that_lacks_its_brackets_alone_waits(text, names):
    """It is recorded as far as it goes, with the bracket that was added as a repair at the end of the text."""
    read = parser_for(("hermes", "lfm2", "mistral", "functionary", "harmony", "kimi_k2")).read(text, names)
    [action] = read.actions
    assert (action.name, action.arguments["table"], action.doubt) == ("delete_rows", "a", Reason.TRUNCATED)
    assert Reason.TRUNCATED in [issue.code for issue in read.issues]
    [block] = read.blocks
    assert block.span.end == len(text)
    assert all(repair.span.of(text) == repair.before for repair in block.repairs)


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>\n{"name": "delete_rows", "arguments": {"table": "a',
        '<tool_call>\n{"name": "delete_rows", "arguments": {"table": "a", "limit":',
        '<tool_call>\n{"name": "delete_rows", "arguments": {"table": "a", "limit"',
        '<tool_call>\n{"name": "delete_rows", "arguments": {"table": "a", "dry_run": tr',
        '<tool_call>\n{"name": "delete_rows", "arguments": {',
        "<|tool_call_start|>[delete_rows(table='a', lim",
        "<|tool_call_start|>[delete_rows(table='a', limit=",
    ],
)
def test_a_value_that_is_cut_within_one_of_its_parts_has_failed(text):
    read = parser_for(("hermes", "lfm2")).read(text, NAMES)
    assert read.outcome is Outcome.FAILED
    assert read.actions == ()


def test_calls_before_one_that_is_cut_stay_what_they_are():
    text = '[TOOL_CALLS][{"name": "ping", "arguments": {"a": 1}}, {"name": "delete_rows", "arguments": {"table": "a"'
    read = parser_for(("mistral",)).read(text, NAMES)
    assert [(action.name, action.doubt) for action in read.actions] == [
        ("ping", None),
        ("delete_rows", Reason.TRUNCATED),
    ]
