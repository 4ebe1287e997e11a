"""Two readings of a turn, action by action and field by field; and which bucket they put it in."""

import json
import random
from collections.abc import Sequence
from typing import Any

import pytest

from actionledger.core.errors import UsageError
from actionledger.core.ids import derived_id
from actionledger.core.recording import (
    RunKey,
    SessionKey,
    TurnKey,
    response_received,
    run_finished,
    run_started,
    session_started,
)
from actionledger.core.recording.turns import response_parsed
from actionledger.core.values import ActionCall, ParseResult, Span
from actionledger.core.vocabulary import ActionStatus, Outcome, RunKind
from actionledger.ledger import Ledger, open_ledger, queries
from actionledger.ledger.queries.differences import aligned, field_differences

LIVE = RunKey(run_id=derived_id("run", "live"), kind=RunKind.LIVE)
AGAIN = RunKey(run_id=derived_id("run", "again"), kind=RunKind.REPARSE)
SESSION = SessionKey(session_id=derived_id("session", "s"), profile="none", model="m", task="t")
VALID, INVALID, UNKNOWN = ActionStatus.VALID, ActionStatus.INVALID, ActionStatus.UNKNOWN
Action = tuple[str, ActionStatus, dict[str, Any]]


def a(status: ActionStatus = VALID, /, **arguments: Any) -> Action:
    return "a", status, arguments


def b(status: ActionStatus = VALID, /, **arguments: Any) -> Action:
    return "b", status, arguments


CASES: tuple[tuple[str, Sequence[Action], Sequence[Action], Outcome, Outcome], ...] = tuple(
    (bucket, before, after, *outcomes)
    for bucket, before, after, *outcomes in (
        ("same", [a(x=1)], [a(x=1)], "clean", "repaired"),
        ("same", [a(x=1)], [a(ActionStatus.COERCED, x=1)], "clean", "clean"),
        ("same", [a(x=1)], [a(x=1), b(ActionStatus.ILLUSTRATION)], "clean", "clean"),
        ("same", [], [], "failed", "failed"),
        ("newly_rejected", [a(x=1)], [a(INVALID, x=1)], "clean", "clean"),
        ("newly_rejected", [a(x=1)], [a(UNKNOWN, x=2)], "clean", "clean"),
        ("newly_rejected", [a(x=1), a(INVALID, x=2)], [a(INVALID, x=1), a(x=2)], "clean", "clean"),
        ("newly_rejected", [a(x=1)], [a(INVALID, x=1)], "partial", "partial"),
        ("newly_accepted", [a(INVALID, x=1)], [a(x=1)], "clean", "clean"),
        ("newly_accepted", [a(UNKNOWN)], [a(), b()], "clean", "clean"),
        ("changed_actions", [a(x=1)], [a(x=1), b()], "clean", "clean"),
        ("changed_actions", [a(), b()], [b(), a()], "clean", "clean"),
        ("changed_actions", [a()], [a(), a()], "clean", "clean"),
        ("changed_actions", [a(x=1)], [a(x=1), b(INVALID)], "clean", "clean"),
        ("changed_actions", [a()], [], "partial", "failed"),
        ("changed_arguments", [a(x=1)], [a(x=2)], "clean", "clean"),
        ("changed_arguments", [a(x=1), a(x=2)], [a(x=2), a(x=1)], "clean", "clean"),
        ("changed_arguments", [a(INVALID, x=1)], [a(INVALID, x="1")], "clean", "clean"),
        ("lost", [a()], [a(INVALID)], "clean", "partial"),
        ("recovered", [a(INVALID)], [a()], "failed", "repaired"),
        ("newly_intent", [], [a()], "no_action", "clean"),
        ("no_longer_intent", [a()], [], "clean", "empty"),
        ("no_intent", [], [], "empty", "abstained"),
    )
)


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory):
    """One session with a turn for each case, read twice."""
    with open_ledger(tmp_path_factory.mktemp("differences") / "team.duckdb") as opened:
        for run in (LIVE, AGAIN):
            opened.record(run_started(run, name="", source=""))
        opened.record(session_started(SESSION, LIVE.run_id, external_id="s", source="x", started_at=None))
        for index, (_, before, after, was, now) in enumerate(CASES):
            turn = key(index)
            opened.record(response_received(turn, LIVE.run_id, "text", None))
            for run, actions, outcome in ((LIVE, before, was), (AGAIN, after, now)):
                opened.record(response_parsed(result(actions, Outcome(outcome)), turn, run, 1))
        opened.record(run_finished(AGAIN, turns=len(CASES)))
        yield opened


def key(index: int) -> TurnKey:
    return TurnKey(session=SESSION, turn_id=derived_id("turn", index), index=index, occurred_at=None)


def result(actions: Sequence[Action], outcome: Outcome) -> ParseResult:
    calls = tuple(
        ActionCall(name, arguments, status, Span(0, 1), "d", 0) for name, status, arguments in actions
    )
    return ParseResult("text", outcome, calls, (), (), "", "p", "p", None)


@pytest.mark.parametrize("index", range(len(CASES)), ids=[f"{n}-{case[0]}" for n, case in enumerate(CASES)])
def test_each_turn_is_in_its_bucket(ledger: Ledger, index: int) -> None:
    """By what was read and checked, and by nothing else."""
    found = queries.compare_runs(ledger, LIVE.run_id, AGAIN.run_id)
    [bucket] = [
        bucket for bucket, turns in found.turns.items() if index in {turn.turn_index for turn in turns}
    ]
    assert bucket == CASES[index][0]


def test_the_buckets_are_all_pairs_and_success_is_over_what_both_take_for_intent(ledger: Ledger) -> None:
    """Check changes no rate of reading."""
    found = queries.compare_runs(ledger, LIVE.run_id, AGAIN.run_id)
    assert sum(found.counts.values()) == found.pairs == len(CASES)
    assert found.intent == len(CASES) - 3
    assert (found.only_before, found.only_after) == (1, 1)


def difference(ledger: Ledger, index: int) -> queries.TurnDifference:
    return queries.compare_turn(ledger, None, AGAIN.run_id, key(index).turn_id)


@pytest.mark.parametrize("index", range(len(CASES)))
def test_a_bucket_and_its_difference_never_contradict_each_other(ledger: Ledger, index: int) -> None:
    """What is same has no pair that differs in more than a repair; what is not, has one, where both have actions."""
    bucket = CASES[index][0]
    kinds = {pair.kind for pair in difference(ledger, index).actions}
    shown = {
        "newly_rejected": {"rejected"},
        "newly_accepted": {"accepted"},
        "changed_actions": {"added", "removed"},
        "changed_arguments": {"changed", "added", "removed"},
    }
    if bucket in shown:
        assert kinds & shown[bucket]
    if bucket == "same":
        assert kinds <= {"same", "changed"}
        assert not [pair for pair in difference(ledger, index).actions if pair.fields]


def test_an_inserted_action_shifts_no_other() -> None:
    """What agrees is paired, wherever it stands now."""
    before, after = ["x1", "y1", "x2"], ["z1", "x1", "x9", "y1", "x2"]
    pairs = list(aligned(before, after, lambda each: each, lambda each: each[0]))
    assert pairs == [(None, "z1"), ("x1", "x1"), (None, "x9"), ("y1", "y1"), ("x2", "x2")]


def test_what_differs_is_paired_by_name_between_what_agrees() -> None:
    pairs = list(
        aligned(["a1", "b1", "c1"], ["a2", "b1", "c2", "d1"], lambda each: each, lambda each: each[0])
    )
    assert pairs == [("a1", "a2"), ("b1", "b1"), ("c1", "c2"), (None, "d1")]


def test_nothing_is_lost_or_doubled_by_aligning() -> None:
    """In any two rows each thing stands once, on its side, in its order; also where they are too long to be searched."""
    chance = random.Random(5)
    for most in [6] * 300 + [1200]:
        rows = [
            [(chance.choice("abc"), chance.randrange(3)) for _ in range(chance.randint(most // 2, most))]
            for _ in "ab"
        ]
        pairs = list(aligned(*rows, lambda each: each, lambda each: each[0]))
        assert [was for was, _ in pairs if was is not None] == rows[0]
        assert [now for _, now in pairs if now is not None] == rows[1]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"x": 1}, {"x": 1}, []),
        ({"x": 1}, {"x": 2}, [(("x",), "changed", 1, 2)]),
        ({"x": 1}, {"x": "1"}, [(("x",), "type_changed", 1, "1")]),
        ({"x": 1}, {"x": True}, [(("x",), "type_changed", 1, True)]),
        ({"x": 1}, {"x": 1.0}, [(("x",), "type_changed", 1, 1.0)]),
        ({"x": None}, {}, [(("x",), "removed", None, None)]),
        ({}, {"x": None}, [(("x",), "added", None, None)]),
        (
            {"x": [1, {"y": "a"}]},
            {"x": [1, {"y": "b"}, 3]},
            [(("x", 1, "y"), "changed", "a", "b"), (("x", 2), "added", None, 3)],
        ),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, []),
        ([1], {"0": 1}, [((), "type_changed", [1], {"0": 1})]),
    ],
)
def test_values_differ_field_by_field(before: Any, after: Any, expected: list[Any]) -> None:
    """With where, how, and both sides; true is no number, and what is null is there."""
    assert [tuple(each) for each in field_differences(before, after)] == expected


def test_what_is_nested_as_deep_as_json_goes_is_compared() -> None:
    """As a whole from some depth on, and never beyond Python's own."""
    deep = json.loads('{"a":' * 400 + "1" + "}" * 400)
    other = json.loads('{"a":' * 400 + "2" + "}" * 400)
    [found] = field_differences(deep, other)
    assert found.kind == "changed"


def test_the_difference_says_what_came_of_checking(ledger: Ledger) -> None:
    """Status before and after, beside the fields."""
    [pair] = difference(ledger, 5).actions
    assert (pair.kind, pair.name) == ("rejected", "a")
    assert pair.before is not None
    assert pair.after is not None
    assert (pair.before.status, pair.after.status) == (ActionStatus.NOT_CHECKED, UNKNOWN)
    assert [tuple(each) for each in pair.fields] == [(("x",), "changed", 1, 2)]


def test_what_only_one_has_read_does_not_compare(ledger: Ledger) -> None:
    with pytest.raises(UsageError, match="No first reading has read turn"):
        queries.compare_turn(ledger, None, AGAIN.run_id, derived_id("turn", 999))
    with pytest.raises(UsageError, match="'x' is not an identifier"):
        queries.compare_turn(ledger, None, AGAIN.run_id, "x")
