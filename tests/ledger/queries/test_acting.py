"""The actions of some turns, for a list of them."""

from collections.abc import Iterator

import pytest

import actionledger as al
from actionledger.core.ids import derived_id
from actionledger.ledger import Ledger
from actionledger.ledger.queries import Queryable, runs
from actionledger.ledger.queries.turns import TurnActions, actions_of_turns

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
