"""Which call has started a sub-agent, by each sign, and where nothing tells it."""

from pathlib import Path

import actionledger as al
from actionledger.core.ids import derived_id
from actionledger.ledger.queries.lineage import Start, starts

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
