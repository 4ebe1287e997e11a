"""What became of a turn's calls: actions, sub-agents, what the model was told, and the other runtime's view."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import actionledger as al
from actionledger.core.ids import derived_id
from actionledger.core.vocabulary import DecisionKind
from actionledger.ledger import Ledger, queries
from actionledger.ledger.queries import Queryable, runs
from actionledger.ledger.queries.lineage import Start, starts
from actionledger.ledger.queries.turns import TurnActions, actions_of_turns
from actionledger.runtime.execution.approval import Decision

FIRST = '{"path":"a"}'
TWO = '<tool_call>{"name": "b", "arguments": {"path": "a"}}</tool_call> <tool_call>{"name": "a", "arguments": {}}</tool_call>'


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    """A session of three turns, the second without an action, read once more by a parser that reads none of them."""
    with al.open_ledger(tmp_path_factory.mktemp("acting") / "team.duckdb", in_background=False) as opened:
        for text in (TWO, "Nothing to do.", TWO):
            opened.record_turn("one", text, dialects=["hermes"])
        al.reparse(opened, parser="mint-harness")
        yield opened


def test_the_actions_of_some_turns_and_no_others(ledger: Ledger) -> None:
    """In the order of the text; what reads a turn again adds none."""
    [[session]] = ledger.sql("SELECT DISTINCT session_id::VARCHAR FROM turns").fetchall()
    assert actions_of_turns(ledger, [(session, 1), (session, 2)]) == [
        TurnActions(session, 2, ("b", "a"), FIRST)
    ]
    again = next(run.run_id for run in runs(ledger) if run.kind == "reparse")
    assert actions_of_turns(ledger, [(session, 0), (session, 2)], again) == []
    assert actions_of_turns(ledger, []) == []


_PLAIN = """
SELECT session_id::VARCHAR, turn_index, list(name ORDER BY action_index), left(arg_min(arguments, action_index)::VARCHAR, 160)
FROM actions WHERE run_id = $run_id::UUID AND status <> 'illustration' GROUP BY ALL ORDER BY ALL"""


@pytest.mark.parametrize("run", [None, "live", "again"])
@pytest.mark.parametrize("dated", ["true", "occurred_at IS NULL", "occurred_at IS NOT NULL"])
def test_turns_with_a_time_and_without_have_theirs(world: Queryable, run: str | None, dated: str) -> None:
    """As plain SQL over all actions finds them, whichever of the turns are asked for together."""
    found = world.sql(f"SELECT session_id::VARCHAR, turn_index FROM turns WHERE {dated}").fetchall()
    run_id = derived_id("run", run or "live")
    plain = world.sql(_PLAIN, {"run_id": run_id}).fetchall()
    theirs = [
        (each.session_id, each.turn_index, list(each.names), each.arguments)
        for each in actions_of_turns(world, found, None if run is None else run_id)
    ]
    assert theirs == [row for row in plain if row[:2] in found]


TOLD = "Count the files\nof 'src', and say \"how many\"."


def _call(name: str, prompt: str, **more: str) -> al.RecordedCall:
    return al.RecordedCall(name, "Task", {"prompt": prompt, **more})


def _child(name: str, prompt: str | None, relation: al.Relation = al.Relation.SUBAGENT) -> al.RecordedSession:
    turn = al.RecordedTurn(0, "On it.", prompt=prompt)
    return al.RecordedSession(name, None, "", "", (turn,), parent="main", relation=relation)


def test_each_sign_tells_the_call(tmp_path: Path) -> None:
    """The call's identifier, its result, and what it holds, in this order; the earliest of those that a result tells."""
    calls = (
        _call("toolu_0001", "Look around."),
        _call("toolu_0002", "Read it all, please."),
        _call("toolu_0003", TOLD),
        _call("toolu_0004", "The same for both of them."),
        _call("toolu_0005", "The same for both of them."),
        _call("toolu_0006", "Go on with it.", resume="a5bdd3f0"),
    )
    results = (
        al.RecordedResult("toolu_0002", "Read. agentId: a5bdd3f0 (to go on)", is_error=False),
        al.RecordedResult("toolu_0006", "Went on. agentId: a5bdd3f0", is_error=False),
    )
    turns = (
        al.RecordedTurn(0, "Well."),
        al.RecordedTurn(1, "", calls=calls, results=results, capture=al.Capture.CALLS),
    )
    sessions = [
        al.RecordedSession("main", None, "", "", turns),
        _child("main/toolu_0001", "Something else."),
        _child("main/agent-a5bdd3f0", None),
        _child("main/third", f"  {TOLD}\n"),
        _child("main/fourth", "The same for both of them."),
        _child("main/fifth", "Nobody said this."),
        _child("main/toolu_0003", TOLD, al.Relation.FORK),
    ]
    with al.open_ledger(tmp_path / "team.duckdb") as ledger:
        al.import_sessions(ledger, sessions, source="theirs")
        ledger.flush()
        ids = {
            name: derived_id("session", "theirs", name)
            for name in ("main", *(each.external_id for each in sessions))
        }
        al.reparse(ledger, parser="auto")
        found = starts(ledger, ids["main"])
        assert starts(ledger, ids["main/third"]) == starts(ledger, "none") == []
    assert found == [
        Start(ids["main/toolu_0001"], 1, 0, "Task", "call"),
        Start(ids["main/agent-a5bdd3f0"], 1, 1, "Task", "result"),
        Start(ids["main/third"], 1, 2, "Task", "text"),
    ]


FILES = "".join(f"<create_file><path>{name}</path><content>x</content></create_file>" for name in "ab")
APPROVED = Decision(DecisionKind.APPROVED, by="ann")


def test_each_time_that_the_turn_went_on_is_told(tmp_path) -> None:
    """First that something waits, then what came of it, with the times; the last text is what it knows in the end."""
    with (
        al.open_ledger(tmp_path / "l.duckdb") as ledger,
        al.Runtime("coder", ledger=ledger, workspace=tmp_path / "w") as runtime,
    ):
        first = runtime.handle(FILES)
        second = runtime.resume(first.turn_id, {0: APPROVED})
        third = runtime.resume(first.turn_id, {1: APPROVED})
        found = queries.turn(ledger, runtime.session_id, 0)
        [said] = queries.conversation(ledger, runtime.session_id)
    assert found is not None
    assert found.response == said
    told = said.told
    assert [each.text for each in told] == [first.feedback, second.feedback, third.feedback]
    assert [each.is_resumed for each in told] == [False, True, True]
    assert [each.at for each in told] == sorted(each.at for each in told if each.at)
    assert said.feedback == third.feedback != first.feedback


def test_the_same_text_told_again_is_told_again(tmp_path) -> None:
    """A turn that goes on without anything new."""
    with (
        al.open_ledger(tmp_path / "l.duckdb") as ledger,
        al.Runtime("coder", ledger=ledger, workspace=tmp_path / "w") as runtime,
    ):
        turn = runtime.handle(FILES)
        for _ in range(2):
            runtime.resume(turn.turn_id)
        [said] = queries.conversation(ledger, runtime.session_id)
    assert [each.text for each in said.told] == [turn.feedback] * 3


TOOL = {
    "type": "function",
    "function": {"name": "read", "parameters": {"properties": {"path": {}}, "required": ["path"]}},
}


def session(name: str, *turns: al.RecordedTurn, source: str = "trials") -> al.RecordedSession:
    return al.RecordedSession(name, None, "m", "", turns, source=source)


def turn(
    index: int, calls: dict[str, dict[str, object]], results: dict[str, str | None], *, is_offered: bool
) -> al.RecordedTurn:
    """Return a turn of calls by id, and of results by id: None where it succeeded, else the error's text."""
    return al.RecordedTurn(
        index,
        "",
        calls=tuple(al.RecordedCall(call_id, "read", given) for call_id, given in calls.items()),
        results=tuple(
            al.RecordedResult(call_id, error or "text", is_error=error is not None)
            for call_id, error in results.items()
        ),
        capture=al.Capture.CALLS,
        tools=json.dumps([TOOL]) if is_offered else "",
    )


@pytest.mark.parametrize(
    ("is_offered", "good", "bad"), [(True, "valid", "refused"), (False, "not_checked", "not_checked")]
)
def test_each_pair_is_counted(tmp_path, is_offered, good, bad):
    """Taken by both, refused by both, refused here alone, and never run there; where no tool is recorded, nothing is refused here."""
    refusal = "InputValidationError: path is missing"
    turns = (
        turn(0, {"a": {"path": "x"}, "b": {}}, {"a": None, "b": refusal}, is_offered=is_offered),
        turn(1, {"c": {}, "d": {"path": "y"}}, {"c": None}, is_offered=is_offered),
    )
    with al.open_ledger(tmp_path / "calls.duckdb") as ledger:
        al.import_sessions(ledger, [session("first", *turns), session("second", turns[0], source="others")])
        found = al.agreement(ledger)
    expected = {(good, "taken"): 2, (bad, "refused"): 2, (good, "not_run"): 1}
    expected[bad, "taken"] = expected.get((bad, "taken"), 0) + 1
    assert found.counts == expected
    agreed = 4 if is_offered else 3
    assert found.rate == al.Rate(agreed, 6)
    assert {name: rate.count for name, rate in found.by_source.items()} == {"trials": 4, "others": 2}
    assert len(found.differing) == 6 - agreed
    reasons = {
        (each.turn_index, each.name, str(each.reason)) for each in found.differing if each.there == "refused"
    }
    assert reasons == (set() if is_offered else {(0, "read", "schema_error")})


def test_sessions_without_results_are_not_looked_at(tmp_path):
    """Nobody there said anything: no verdict to agree with."""
    with al.open_ledger(tmp_path / "calls.duckdb") as ledger:
        al.import_sessions(ledger, [session("silent", turn(0, {"a": {}}, {}, is_offered=True))])
        found = al.agreement(ledger)
    assert (found.counts, found.rate, found.by_source) == ({}, al.Rate(0, 0), {})
