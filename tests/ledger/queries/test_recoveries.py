"""What a session did after a turn that failed: told once more by code that shares nothing with the query."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

import actionledger as al
from actionledger.ledger import Ledger, open_ledger
from actionledger.ledger.queries.courses import FailureThen, failures_then
from actionledger.ledger.queries.failures import failures_at
from actionledger.ledger.queries.filters import Filter

KINDS = {
    "done": "does",
    "fails": "fails",
    "mixed": "does and fails",
    "speaks": "no call",
    "broken": "can't be read",
    "refused": "needs a field",
}
"""What the turns of the sessions here are; only the first and the third get through."""


def turn(index: int, kind: str) -> al.RecordedTurn:
    """Return a recorded turn of a kind."""
    look, wrong = '{"type": "list_tasks"}', f'{{"type": "get_task", "task_id": {index + 7}}}'
    written = {
        "done": [look],
        "fails": [wrong],
        "mixed": [look, wrong],
        "refused": ['{"type": "get_task"}'],
    }.get(kind, [])
    outcomes = [False] * (look in written) + [True] * (wrong in written)
    block = f'```actions\n{{"actions": [{", ".join(written)}]}}\n```'
    text = {"speaks": "Good morning.", "broken": "```actions\n{oops\n```"}.get(kind, block)
    return al.RecordedTurn(
        index,
        text,
        results=tuple(al.RecordedResult("", "x", is_error=is_error) for is_error in outcomes),
    )


def recorded(path: Path, sessions: dict[str, list[str]]) -> Ledger:
    """Return a ledger with sessions of such turns."""
    ledger = open_ledger(path)
    turns = {name: tuple(turn(*each) for each in enumerate(kinds)) for name, kinds in sessions.items()}
    al.import_sessions(
        ledger,
        [
            al.RecordedSession(name, "assistant", f"model-{name[0]}", name, each)
            for name, each in turns.items()
        ],
    )
    return ledger


def counted_apart(kinds: list[str], is_carried_out: bool) -> Iterator[tuple[int, str, int, int | None, int]]:
    """Yield of each turn that failed its place, what came next, its streak, when the session got through, and what is left."""
    through = [kind == "done" or (kind == "mixed" and is_carried_out) for kind in kinds]
    failed = [
        kind in {"fails", "mixed", "broken", "refused"} and not through[at] for at, kind in enumerate(kinds)
    ]
    streak = 0
    for at in range(len(kinds)):
        streak = streak + 1 if failed[at] else 0
        if not failed[at]:
            continue
        behind = [later for later in range(at + 1, len(kinds)) if through[later]]
        if at + 1 == len(kinds):
            following = "ended"
        elif through[at + 1]:
            following = "recovered"
        else:
            following = "failed" if failed[at + 1] else "no_action"
        yield at, following, streak, behind[0] - at if behind else None, len(kinds) - at - 1


def told(found: list[FailureThen]) -> list[tuple[str, int, str, int, int | None, int]]:
    """Return what is compared of the turns that failed."""
    return [
        (each.task, each.turn_index, each.next, each.streak, each.recovered_after, each.turns_left)
        for each in found
    ]


@pytest.fixture(scope="module")
def sessions() -> dict[str, list[str]]:
    """Thirty sessions of up to eight turns, of every kind."""
    chance = random.Random(1)
    drawn = {f"s{number}": chance.choices(list(KINDS), k=chance.randint(1, 8)) for number in range(30)}
    # One call at least was made in each, so that it is recorded what came of its calls.
    return {
        name: [*kinds, "fails"] if {"done", "fails", "mixed"}.isdisjoint(kinds) else kinds
        for name, kinds in drawn.items()
    }


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory, sessions: dict[str, list[str]]) -> Iterator[Ledger]:
    """They, recorded."""
    with recorded(tmp_path_factory.mktemp("ledger") / "team.duckdb", sessions) as ledger:
        yield ledger


def test_what_came_next_is_what_is_counted_apart(ledger, sessions):
    expected = [
        (name, *each)
        for name, kinds in sessions.items()
        for each in counted_apart(kinds, is_carried_out=True)
    ]
    assert sorted(told(list(failures_then(ledger)))) == sorted(expected)
    assert {following for _, _, following, *_ in expected} == {"ended", "recovered", "failed", "no_action"}


def test_it_gets_through_where_failures_say_so(ledger):
    """The turn that ends a failure's cost is the one at which the session has recovered."""
    ends = {(each.session_id, each.turn_index): each.next_index for each in failures_at(ledger)}
    for each in failures_then(ledger):
        index = ends[each.session_id, each.turn_index]
        assert each.recovered_after == (None if index is None else index - each.turn_index)


def test_a_filter_picks_the_turns_and_not_what_is_behind_them(ledger, sessions):
    """A model's own; and what nothing fits is nothing."""
    chosen = list(failures_then(ledger, Filter(tasks=("s7",))))
    assert told(chosen) == [("s7", *each) for each in counted_apart(sessions["s7"], is_carried_out=True)]
    assert list(failures_then(ledger, Filter(models=("nobody",)))) == []


def test_of_turns_that_nobody_carried_out_reading_is_all(tmp_path):
    """There a turn gets through that is read whole and has a valid action."""
    kinds = ["broken", "broken", "done", "speaks", "refused", "speaks"]
    turns = tuple(al.RecordedTurn(at, turn(at, kind).text) for at, kind in enumerate(kinds))
    with open_ledger(tmp_path / "team.duckdb") as ledger:
        al.import_sessions(ledger, [al.RecordedSession("a", "assistant", "m", "a", turns)])
        found = list(failures_then(ledger))
    assert told(found) == [("a", *each) for each in counted_apart(kinds, is_carried_out=False)]
    assert [(str(each.code), each.stage) for each in found][::2] == [
        ("malformed_json", "reading"),
        ("missing_field", "checking"),
    ]
    assert (found[0].calls, found[0].text is None) == ((), False)
    assert (found[2].calls[0].name, found[2].text) == ("get_task", None)


def test_an_action_that_waits_says_nothing(tmp_path):
    """What became of it is not recorded: it is neither a recovery nor another failure."""
    waits = al.Policy((("list_tasks", al.Verdict.ESCALATE), ("*", al.Verdict.APPROVE)))
    with open_ledger(tmp_path / "team.duckdb") as ledger:
        with al.Runtime("assistant", ledger=ledger, policy=waits) as runtime:
            runtime.handle(turn(0, "fails").text)
            runtime.handle(turn(1, "done").text)
        [found] = failures_then(ledger)
    assert (found.next, found.recovered_after, found.turns_left) == ("not_recorded", None, 1)
