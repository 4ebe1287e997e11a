"""The ground on which reading is measured: it is the same for a seed, its calls are known, and its counts are right."""

import ast
import json
from pathlib import Path

import pytest
from wild.measurement import STYLES, Sample, agrees, is_held_out, read, samples, scored
from wild.questions import Call, Question, own_questions
from wild.silence import named_calls

import actionledger as al
from actionledger.core.values import ActionCall, Span
from actionledger.core.vocabulary import ActionStatus

UNSEEN = {
    *("python/last-part", "python/strings-single", "fault/no-round-bracket", "fault/quoted-name"),
    *("json/flat", "json/flat-tool", "json/name-colon", "json/name-then-object", "json/name-over-object"),
}
"""Where the oracle, which is plain, sees less than all: no brackets or quotes to go by, or nothing that holds the arguments."""

MAY_KNOW = {
    "measurement": {"actionledger"},
    "silent": {"actionledger"},
    "broken_calls": {"actionledger"},
    "broken_json": {"actionledger"},
    "hazard_calls": {"actionledger"},
    "hazard_readings": {"actionledger"},
    "false_actions": {"actionledger.reading.parsers", "actionledger.core.values"},
}
"""What of the reader each module of the ground may know: what compares two settings of it has to name them."""


@pytest.fixture(scope="module")
def own():
    """One text of each combination, without the leaderboard, so that they are the same everywhere."""
    return list(samples("all", 1, 1, with_leaderboard=False))


def test_a_seed_gives_the_same_texts(own):
    again = list(samples("all", 1, 1, with_leaderboard=False))
    assert [sample.text for sample in again] == [sample.text for sample in own]
    others = samples("all", 2, 1, with_leaderboard=False)
    assert [sample.text for sample in others] != [sample.text for sample in own]


def test_a_third_of_the_combinations_is_held_out_whatever_the_seed(own):
    parts = {
        part: {sample.combination for sample in samples(part, seed, 1, with_leaderboard=False)}
        for part, seed in (("train", 3), ("held-out", 4))
    }
    everything = {sample.combination for sample in own}
    assert not parts["train"] & parts["held-out"]
    assert all(map(is_held_out, parts["held-out"]))
    assert not any(map(is_held_out, parts["train"]))
    assert len(everything - parts["train"] - parts["held-out"]) < len(everything) / 50
    assert 0.3 < len(parts["held-out"]) / len(everything) < 0.37


def test_what_is_held_out_stays_so_from_one_process_to_the_next():
    asked = [
        f"{style}|alone|{count}"
        for style in ("python/list", "json/map", "fault/apostrophe")
        for count in (1, 2)
    ]
    assert [name for name in asked if is_held_out(name)] == ["fault/apostrophe|alone|2"]


def test_each_style_and_each_negative_is_in_both_parts_or_has_few_combinations(own):
    held = {sample.style for sample in own if is_held_out(sample.combination)}
    rest = {sample.style for sample in own if not is_held_out(sample.combination)}
    combinations = {style.name: {s.combination for s in own if s.style == style.name} for style in STYLES}
    assert not [name for name, found in combinations.items() if len(found) > 12 and name not in held & rest]
    assert not [name for name, found in combinations.items() if not found]


def test_what_is_known_is_offered_and_fits_its_tool(own):
    for sample in own:
        for call in sample.question.calls:
            assert call.arguments.keys() <= set(sample.question.parameters(call.name)), sample
            assert "…" not in sample.text
            assert "@" not in sample.text.replace("@example.org", "")


def test_a_text_holds_what_is_known(own):
    """Each value of each call stands in the text, as Python or as JSON writes it, unless it is a fault that changes it."""
    for sample in own:
        if sample.is_negative or sample.style.startswith("fault/"):
            continue
        for call in sample.question.calls:
            for value in call.arguments.values():
                written = {repr(value), json.dumps(value, ensure_ascii=False), str(value)}
                plain = sample.text.replace("\\", "").replace("\n", "").replace(" ", "")
                assert any(each.replace("\\", "").replace(" ", "") in plain for each in written), sample


def test_python_styles_that_are_whole_are_python(own):
    """What Python's own parser makes of a list of calls are the calls that are known."""
    seen = 0
    for sample in own:
        if sample.style in {"python/list", "python/list-lines"} and sample.surrounding == "alone":
            calls = ast.parse(sample.text, mode="eval").body.elts
            found = [
                (ast.unparse(call.func), {each.arg: ast.literal_eval(each.value) for each in call.keywords})
                for call in calls
            ]
            assert found == [(call.name, call.arguments) for call in sample.question.calls]
            seen += 1
    assert seen == 4


def test_the_oracle_sees_each_call_that_is_written(own):
    """In each surrounding, but for the styles that are named."""
    unseen = {
        sample.style
        for sample in own
        if not sample.is_negative
        and sample.style != "json/map-of-lists"
        and len(named_calls(sample.text, sample.question.names)) < len(sample.question.calls)
    }
    assert unseen == UNSEEN


def sample_of(*calls, negative=False):
    question = Question(own_questions()[0].tools, calls)
    return Sample("s", "alone", len(calls), "", question, is_negative=negative)


def result_of(*calls, status=ActionStatus.VALID):
    actions = tuple(
        ActionCall(name, arguments, status, Span(0, 0), dialect="x", block=0) for name, arguments in calls
    )
    return al.ParseResult("", "clean", actions, (), (), "", "id", "auto", None)


KNOWN = Call("math.hypot", {"x": 4, "y": 5}, {"y": [5, 6]})
SECOND = Call("lights_off", {"room": "kitchen"}, {})


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ([], (0, 0, 0)),
        ([("math.hypot", {"x": 4, "y": 5}), ("lights_off", {"room": "kitchen"})], (1, 1, 0)),
        ([("lights_off", {"room": "kitchen"}), ("math.hypot", {"x": 4.0, "y": 6})], (1, 1, 0)),
        ([("math.hypot", {"x": 4, "y": 5})], (1, 0, 0)),
        ([("math.hypot", {"x": 4, "y": 7}), ("lights_off", {"room": "kitchen"})], (1, 0, 0)),
        ([("math.hypot", {"x": 4}), ("lights_off", {"room": "kitchen"})], (1, 0, 0)),
        ([("math.hypot", {"x": 4, "y": True}), ("lights_off", {"room": "kitchen"})], (1, 0, 0)),
        ([("math_hypot", {"x": 4, "y": 5}), ("lights_off", {"room": "kitchen"})], (1, 0, 1)),
        (
            [("math.hypot", {"x": 4, "y": 5}), *[("lights_off", {"room": "kitchen"})] * 2],
            (1, 0, 1),
        ),
    ],
)
def test_a_reading_is_counted(found, expected):
    score = scored(sample_of(KNOWN, SECOND), result_of(*found))
    assert (score.read, score.right, score.invented) == expected


def test_any_action_of_a_negative_is_invented_and_an_illustration_is_none():
    call = ("math.hypot", {"x": 4, "y": 5})
    for status, invented in (
        (ActionStatus.VALID, 1),
        (ActionStatus.INVALID, 1),
        (ActionStatus.ILLUSTRATION, 0),
    ):
        score = scored(sample_of(KNOWN, negative=True), result_of(call, status=status))
        assert (score.read, score.right, score.invented) == (invented, 0, invented)


def test_one_is_not_true_and_a_text_is_no_number():
    assert agrees("f", {"a": 1.0}, Call("f", {"a": 1}, {}))
    assert not agrees("f", {"a": True}, Call("f", {"a": 1}, {}))
    assert not agrees("f", {"a": "1"}, Call("f", {"a": 1}, {}))
    assert agrees("f", {"a": {"b": [1]}}, Call("f", {"a": 2}, {"a": [{"b": [1.0]}]}))


def test_a_plain_call_is_read_rightly_through_the_public_function():
    [question] = [each for each in own_questions() if each.calls[0].arguments == {"x": 4, "y": 5}]
    text = '<tool_call>{"name": "math.hypot", "arguments": {"x": 4, "y": 5}}</tool_call>'
    sample = Sample("s", "alone", 1, text, question)
    assert scored(sample, read(sample)).right == 1


def test_the_oracle_and_the_ground_know_nothing_of_the_reader():
    """The oracle shares no code with it, and the ground reaches it by the public function alone."""
    for path in (Path(__file__).parents[1] / "support" / "wild").glob("*.py"):
        modules = {
            node.module if isinstance(node, ast.ImportFrom) else node.names[0].name
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Import | ast.ImportFrom)
        }
        inner = {module for module in modules if module and module.startswith("actionledger")}
        assert inner <= MAY_KNOW.get(path.stem, set()), path
