"""ReAct's lines: names, inputs, and what a model invents."""

import pytest

import actionledger as al
from actionledger.core.vocabulary import BlockStatus, Outcome, Reason
from actionledger.reading.dialects.react import React
from actionledger.reading.parsers import DialectParser

PARSER = DialectParser(name="p", dialects=(React(),))


def only_action(text, names=None):
    (action,) = PARSER.read(text, names).actions
    return action


@pytest.mark.parametrize(
    ("written", "arguments"),
    [
        ('{"a": 1}', {"a": 1}),
        ("{}", {}),
        ("[1, 2]", {"input": [1, 2]}),
        ('"x y"', {"input": "x y"}),
        ("x y", {"input": "x y"}),
        ("5", {"input": "5"}),
        ("03106", {"input": "03106"}),
        ("None", {"input": "None"}),
        ("[1, 2] and more", {"input": "[1, 2] and more"}),
        ('"x" or "y"', {"input": '"x" or "y"'}),
        ("x\ny", {"input": "x\ny"}),
        ("\nx", {"input": "x"}),
    ],
)
def test_an_input_is_json_or_text(written, arguments):
    """Text is never typed by its looks; JSON that is no object is one argument."""
    assert only_action(f"Action: f\nAction Input: {written}\nObservation:").arguments == arguments


@pytest.mark.parametrize(
    "line",
    [
        "Action: f",
        "Action:f",
        "Action 2: f",
        "**Action:** f",
        "**Action**: f",
        "Action: `f`",
        "Action: f  ",
        "  Action: f",
    ],
)
def test_a_label_may_be_decorated(line):
    """Numbers, asterisks, backticks and blanks are no part of the name."""
    assert only_action(f"Thought: x\n{line}\nAction Input: y").name == "f"


def test_the_block_is_the_two_lines():
    """The thought before and the observation behind are none of it."""
    text = 'Thought: t\nAction: f\nAction Input: {"é": "🍅"}\nObservation: o'
    (block,) = PARSER.read(text).blocks
    assert block.span.of(text) == 'Action: f\nAction Input: {"é": "🍅"}'
    assert block.body.of(text) == '{"é": "🍅"}'


def test_everything_behind_an_invented_observation_is_shown_only():
    """The first action is meant; those that rest on what the model imagined are not."""
    step = "Action: f\nAction Input: {}\nObservation: o\n"
    reading = PARSER.read(step * 3)
    assert [action.illustration for action in reading.actions] == [None, Reason.EXAMPLE, Reason.EXAMPLE]
    assert [issue.code for issue in reading.issues] == [Reason.EXAMPLE, Reason.EXAMPLE]
    assert reading.outcome is Outcome.CLEAN


def test_a_broken_action_behind_an_invented_observation_is_shown_too():
    """It can't be lost, for it was never meant."""
    reading = PARSER.read('Action: f\nAction Input: {}\nObservation: o\nAction: g\nAction Input: {"a"')
    assert [block.status for block in reading.blocks] == [BlockStatus.STRICT, BlockStatus.IGNORED]


@pytest.mark.parametrize("tool", ["Final Answer", "None", "N/A", ""])
def test_a_name_that_says_no_action_is_none(tool):
    """Models fill the line in when there is nothing to do."""
    assert PARSER.read(f"Action: {tool}\nAction Input: x").actions == ()


@pytest.mark.parametrize(
    ("text", "names", "reason"),
    [
        ("Action: f\nThen I wait.", ["f"], Reason.WRONG_SHAPE),
        ("Action: f\nThen I wait.", ["g"], None),
        ("Action: f\nThen I wait.", None, None),
        ("Action: f", ["f"], Reason.TRUNCATED),
        ("Action: f", None, Reason.TRUNCATED),
        ("Action: f\nAction In", None, Reason.TRUNCATED),
        ("Action: do it now", None, None),
        ("Action: f\nAction Input:", None, Reason.TRUNCATED),
    ],
)
def test_a_name_without_input_is_lost_where_it_was_meant(text, names, reason):
    """An offered name, or a name with which the text ends."""
    blocks = PARSER.read(text, names if names is None else frozenset(names)).blocks
    assert [block.reason for block in blocks] == ([reason] if reason else [])


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("{a: b}", Reason.UNQUOTED_VALUE),
        ('{"a": }', Reason.MISSING_VALUE),
        ('{"a": 1} x', Reason.TEXT_AFTER_VALUE),
        ('```json\n{"a": 1}\n', Reason.TEXT_AFTER_VALUE),
    ],
)
def test_an_object_that_can_not_be_read_is_not_taken_for_text(written, reason):
    """Whoever opens a brace means an object."""
    (block,) = PARSER.read(f"Action: f\nAction Input: {written}\nObservation: o").blocks
    assert block.reason is reason


@pytest.mark.parametrize(
    ("required", "given", "arguments"),
    [
        (["city"], "Paris", {"city": "Paris"}),
        (["city"], '"Paris"', {"city": "Paris"}),
        (["city"], '{"input": "Paris"}', {"input": "Paris"}),
        (["city", "days"], "Paris", {"input": "Paris"}),
        (["days"], "Paris", {"input": "Paris"}),
        ([], "Paris", {"input": "Paris"}),
    ],
)
def test_a_text_by_itself_is_the_only_required_parameter_if_that_is_a_string(required, given, arguments):
    """Of two, of a number, or of none, nobody can say that it is meant."""
    properties = {"city": {"type": "string"}, "days": {"type": "integer"}}
    schema = {"type": "object", "properties": properties, "required": required}
    text = f"Action: get_weather\nAction Input: {given}"
    result = al.parse(text, dialects=["react"], tools=[{"name": "get_weather", "parameters": schema}])
    assert [call.arguments for call in result.actions] == [arguments]
    is_named = "city" in arguments
    assert [str(repair.kind) for repair in result.repairs] == ["positional_argument"] * is_named


def test_an_object_without_its_first_bracket_is_no_text():
    """It would be handed over as one, brackets and all; a text with a colon in it stays a text."""
    broken = PARSER.read('Action: book\nAction Input: "place": "Roma", "guests": 4}\n')
    assert (broken.actions, broken.blocks[0].reason) == ((), Reason.MISSING_OPENER)
    for begins in ("[", "x"):
        broken = PARSER.read(f'Action: book\nAction Input: {begins}"place": "Roma", "guests": 4}}\n')
        assert (broken.actions, len(broken.blocks)) == ((), 1)
    text = '"Roma": a table for four'
    assert only_action(f"Action: book\nAction Input: {text}\n").arguments == {"input": text}


@pytest.mark.parametrize(
    ("text", "stray"),
    [
        ('Action: Action: search\nAction Input: {"query": "a"}', "Action: "),
        ('Action: search\nAction Input: Action Input: {"query": "a"}', "Action Input: "),
        ('Action: search\nAction Input:\nAction Input: {"query": "a"}', "\nAction Input: "),
    ],
)
def test_a_label_that_stands_twice_is_no_part_of_the_call(text, stray):
    result = al.parse(text, dialects=["react"])
    assert [(call.name, call.arguments) for call in result.actions] == [("search", {"query": "a"})]
    [repair] = result.repairs
    assert (str(repair.kind), repair.span.of(text)) == ("stray_mark", stray)
