"""This reading beside what another runtime made of the same calls, counted by hand."""

import json

import pytest

import actionledger as al

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
