"""The four fenced JSON formats: exact places, and which of several reasons a block is given."""

import json

import pytest

import actionledger as al
from actionledger.core.values import Span
from actionledger.core.vocabulary import BlockStatus, Outcome, Reason, RepairKind
from actionledger.reading.parsers import PARSERS, DialectParser, parser_for

FORMATS = {
    "actions": ("actions", "type", '{"actions": [%s]}'),
    "iteration": ("iteration", "type", '{"next_actions": [%s]}'),
    "json_action": ("json", "action", "[%s]"),
    "plan": ("json", "action", '{"actions": [%s]}'),
}
each_format = pytest.mark.parametrize("name", FORMATS)


def written(name, *objects, close="\n```"):
    label, _, shape = FORMATS[name]
    return f"```{label}\n{shape % ', '.join(objects)}{close}"


def item(name, action, **fields):
    return json.dumps({FORMATS[name][1]: action} | fields)


@each_format
def test_block_body_and_actions_have_exact_places(name):
    """The block is fence to fence, the body what is between, an action the object that it came from."""
    first, second = item(name, "a", x=1), item(name, "b")
    block_text = written(name, first, second)
    text = f"🍅 é\n\n{block_text}\n\nafter"
    reading = parser_for((name,)).read(text)
    (block,) = reading.blocks
    assert block.span.of(text) == block_text
    assert block.body.of(text) == FORMATS[name][2] % f"{first}, {second}"
    assert [action.span.of(text) for action in reading.actions] == [first, second]
    assert [(action.name, action.arguments) for action in reading.actions] == [("a", {"x": 1}), ("b", {})]


@each_format
def test_a_thousand_actions_keep_their_places(name):
    """Equal objects are told apart by where they stand."""
    text = written(name, *[item(name, "same")] * 1000)
    spans = [action.span for action in parser_for((name,)).read(text).actions]
    assert len(set(spans)) == 1000
    assert spans == sorted(spans)


@each_format
def test_what_is_no_object_has_the_values_place(name):
    """A string in the list has no place of its own; the list formats keep it, the other one takes it for data."""
    text = written(name, '"a"', item(name, "b"))
    actions = parser_for((name,)).read(text).actions
    if name == "json_action":
        assert [action.name for action in actions] == ["b"]
    else:
        assert (actions[0].name, actions[0].arguments) == ("", {"value": "a"})
        assert actions[0].span.of(text) == FORMATS[name][2] % f'"a", {item(name, "b")}'


@each_format
def test_a_fence_without_an_end_is_repaired_at_the_end(name):
    """The repair stands where the fence is missing and says which one."""
    text = written(name, item(name, "a"), close="\n\n")
    (block,) = parser_for((name,)).read(text).blocks
    (repair,) = block.repairs
    assert (repair.kind, repair.span, repair.after) == (
        RepairKind.UNCLOSED_FENCE,
        Span(len(text), len(text)),
        "\n```",
    )
    assert block.span.end == len(text)


@each_format
def test_a_fence_without_an_end_is_refused_where_that_is_not_allowed(name):
    """The reason is the fence, not the value."""
    parser = DialectParser(
        name="p", dialects=parser_for((name,)).dialects, decoding={"repairs": ["missing_closer"]}
    )
    (block,) = parser.read(written(name, item(name, "a"), close="")).blocks
    assert (block.status, block.reason) == (BlockStatus.MALFORMED, Reason.UNCLOSED_FENCE)


@each_format
def test_a_cut_action_is_never_among_the_actions(name):
    """Wherever the text ends, what is read is a first part of what was written, each action whole."""
    objects = [item(name, "a", x=1), item(name, "b", y={"z": [1, 2]}), item(name, "c")]
    whole = written(name, *objects)
    full = [(json.loads(one).get("x"), json.loads(one).get("y")) for one in objects]
    parser = parser_for((name,))
    for end in range(len(whole)):
        reading = parser.read(whole[:end])
        seen = [(action.arguments.get("x"), action.arguments.get("y")) for action in reading.actions]
        assert seen == full[: len(seen)]
        if reading.actions and len(seen) < 3:
            assert Reason.TRUNCATED in {issue.code for issue in reading.issues}


@pytest.mark.parametrize(
    ("body", "reason", "place"),
    [
        ("", Reason.EMPTY_BLOCK, "\n"),
        ("\n  ", Reason.EMPTY_BLOCK, "\n  \n"),
        ("[]", Reason.WRONG_SHAPE, "[]"),
        ('{"a": 1}', Reason.WRONG_SHAPE, '{"a": 1}'),
        ("7", Reason.WRONG_SHAPE, "7"),
        ('{"actions": []} and', Reason.TEXT_AFTER_VALUE, " and\n"),
        ('{"actions": [}', Reason.MALFORMED_JSON, '{"actions": [}'),
        ('{"actions": [', Reason.MALFORMED_JSON, '{"actions": [\n'),
        ('{"actions": [{"type": }]}', Reason.MISSING_VALUE, "}"),
        ('{"actions": ["a', Reason.MALFORMED_JSON, '{"actions": ["a\n'),
        ('{"actions": [NaN]}', Reason.NON_FINITE_NUMBER, "NaN"),
        ("// nothing yet", Reason.MALFORMED_JSON, "// nothing yet\n"),
    ],
)
def test_a_block_that_cant_be_read_says_why_and_where(body, reason, place):
    """One issue, whose place lies inside the block, whatever follows it."""
    text = f'before\n```actions\n{body}\n```\nHe said "no" and "```" twice.'
    (block,) = PARSERS["assistant"].read(text).blocks
    assert (block.status, block.reason) == (BlockStatus.MALFORMED, reason)
    (issue,) = block.issues
    assert (issue.code, issue.span.of(text)) == (reason, place)
    assert block.span.of(text).endswith("```")


def test_the_shapes_issue_comes_before_those_inside_it():
    """Issues are in text order: the whole value begins before its second key."""
    text = '```actions\n{"a": 1, "a": 1}\n```'
    (block,) = PARSERS["assistant"].read(text).blocks
    assert [issue.code for issue in block.issues] == [Reason.WRONG_SHAPE, Reason.DUPLICATE_KEY]
    assert block.reason is Reason.WRONG_SHAPE


def test_blocks_that_swallow_each_other_again_and_again_are_read_in_the_end():
    """Strings that seem to reach to the end of the text cost a bounded part of it; the sound block is read."""
    trap = '```actions\n[//",//\n"\n```\n'
    reading = PARSERS["orchestrator"].read(
        trap.replace("actions", "json") * 200 + written("json_action", '{"action": "a"}')
    )
    assert [action.name for action in reading.actions] == ["a"]


@pytest.mark.parametrize(
    ("kind", "body", "reason"),
    [
        (RepairKind.SEVERAL_VALUES, '{"actions": []}\n{"actions": []}', Reason.TEXT_AFTER_VALUE),
        (RepairKind.NESTED_JSON, '"{\\"actions\\": []}"', Reason.WRONG_SHAPE),
    ],
)
def test_what_is_around_a_value_is_mended_only_where_that_is_allowed(kind, body, reason):
    """Each kind is allowed by itself, and without it the block can't be read."""
    text = f"```actions\n{body}\n```"
    dialects = PARSERS["assistant"].dialects
    (block,) = DialectParser(name="p", dialects=dialects, decoding={"repairs": {kind}}).read(text).blocks
    assert [repair.kind for repair in block.repairs] == [kind]
    (block,) = DialectParser(name="p", dialects=dialects, decoding={"repairs": []}).read(text).blocks
    assert (block.status, block.reason) == (BlockStatus.MALFORMED, reason)


@pytest.mark.parametrize("body", ['{"actions": [x]}', '{"actions": [{"type": "a"}, …]}'])
def test_guesses_are_read_only_by_a_parser_that_is_told_to(body):
    """A parser of actions withholds them by itself."""
    text = f"```actions\n{body}\n```"
    lenient = PARSERS["assistant"].model_copy(update={"decoding": {"repairs": list(RepairKind)}})
    assert PARSERS["assistant"].read(text).outcome is Outcome.FAILED
    assert lenient.read(text).outcome is Outcome.REPAIRED


@pytest.mark.parametrize(
    ("body", "opens"), [('{"type": "f"}', '{"actions": ['), ('[{"type": "f"}]', '{"actions": ')]
)
def test_actions_without_the_object_around_them_say_what_was_put_before(body, opens):
    """One alone lacks its list, too."""
    (block,) = parser_for(("actions",)).read(f"```actions\n{body}\n```").blocks
    assert [(repair.kind, repair.after) for repair in block.repairs] == [(RepairKind.MISSING_WRAPPER, opens)]


def test_an_object_whose_key_is_misspelt_is_no_data_beside_an_action():
    """Half of what was meant would run, and nothing would be said of the other half."""
    text = '```json\n[{"ation": "search", "query": "x"}, {"action": "note", "text": "y"}, {"a": "z"}]\n```'
    calls = al.parse(text, dialects=["json_action"]).actions
    assert [(call.name, call.status.is_runnable) for call in calls] == [("", False), ("note", True)]
