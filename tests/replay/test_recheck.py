"""Recorded calls under another schema, policy or rate, counted by hand."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import actionledger as al
from actionledger.core.errors import PolicyError, UsageError
from actionledger.ledger import Ledger

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC).replace(tzinfo=None)
READ = {"name": "read", "parameters": {"properties": {"path": {"type": "string"}}, "required": ["path"]}}
RUN = {"name": "run", "parameters": {"properties": {"command": {"type": "string", "maxLength": 12}}}}


def turn(
    index: int, *calls: tuple[str, dict[str, object]], error: bool = False, at: int | None = None
) -> al.RecordedTurn:
    made = tuple(al.RecordedCall(f"{index}.{n}", name, given) for n, (name, given) in enumerate(calls))
    results = tuple(al.RecordedResult(call.call_id, "done", is_error=error) for call in made)
    when = None if at is None else NOON + timedelta(seconds=at)
    return al.RecordedTurn(index, "", calls=made, results=results, capture=al.Capture.CALLS, occurred_at=when)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """Two sessions of another runtime: one reads and runs, the other repeats a command each second."""
    first = (
        turn(0, ("read", {"path": "a.py"}), ("read", {"path": 7})),
        turn(1, ("run", {"command": "pytest -q"}), ("run", {"command": "git push --force"})),
        turn(2, ("fly", {"to": "moon"}), error=True),
    )
    second = tuple(turn(index, ("run", {"command": "ls"}), at=index) for index in range(5))
    with al.open_ledger(tmp_path / "calls.duckdb") as opened:
        sessions = [
            al.RecordedSession(name, None, "m", "", turns, source="trials")
            for name, turns in (("first", first), ("second", second))
        ]
        al.import_sessions(opened, sessions)
        yield opened


def test_a_stricter_schema(ledger):
    """A number for a path, a tool that is not there and a command that is too long are refused, each by its code."""
    report = al.recheck(ledger, tools=[READ, RUN])
    assert (report.calls, dict(report.changes)) == (
        10,
        {"same": 7, "newly_refused": 3, "newly_accepted": 0, "not_judged": 0},
    )
    assert {str(code): count for code, count in report.reasons.items()} == {
        "wrong_type": 1,
        "unknown_action": 1,
        "bad_length": 1,
    }
    assert report.stopped == al.Rate(3, 10)
    assert report.stopped.clustering.sessions == 2
    assert report.done == 2
    assert [(each.name, each.calls, each.refused) for each in report.by_name] == [
        ("run", 7, 1),
        ("read", 2, 1),
        ("fly", 1, 1),
    ]


def test_what_is_only_converted_is_counted(ledger):
    """A field that the schema doesn't know is dropped, and a number becomes a text: neither is refused, nor is it silent."""
    closed = {"name": "run", "parameters": {"properties": {}, "additionalProperties": False}}
    report = al.recheck(ledger, tools=[closed, READ, {"name": "fly", "parameters": {}}])
    assert (report.converted, report.changes["newly_refused"]) == (7, 1)
    assert al.recheck(ledger, tools=[RUN, READ, {"name": "fly", "parameters": {}}]).converted == 0


def test_a_policy_of_a_file(ledger, tmp_path):
    """Its rules are about the recorded names and arguments; one that is about none is refused, as in a live session."""
    file = tmp_path / "policy.toml"
    rule = '[[rule]]\naction = "{}"\nverdict = "{}"\n'
    reject = rule.format("run", "reject") + 'when = {{ {} = ["git", "push"] }}\nwhy = "Nobody pushes."\n'
    file.write_text(reject.format("command") + rule.format("*", "approve"))
    report = al.recheck(ledger, policy=file)
    assert {str(verdict): count for verdict, count in report.verdicts.items()} == {"approve": 9, "reject": 1}
    [held] = report.examples
    assert (held.name, held.turn_index, held.why, held.is_stopped) == ("run", 1, "Nobody pushes.", True)
    assert (report.stopped.successes, report.done) == (1, 1)
    file.write_text(reject.format("comand"))
    with pytest.raises(PolicyError, match="comand"):
        al.recheck(ledger, policy=file)


def test_rates_by_the_recorded_times(ledger):
    """Two in three seconds, in any stretch: what is let through at 0, 1, 3 and 4; what has no time is counted as such."""
    report = al.recheck(ledger, limits=al.Limits(rates=(("run", al.RateLimit(2, 3)),)))
    assert (report.over_rate, report.undated, report.stopped.successes) == (1, 2, 1)
    assert [(call.turn_index, call.is_over_rate) for call in report.examples] == [(2, True)]


@pytest.mark.parametrize(
    ("began", "over"),
    [
        ((None, None), [1]),  # as far as the responses say, one second apart
        ((10, 1), []),  # the first one waited for a person
        ((5, 6), [1]),
        ((6, 5), [0]),  # the one that was carried out later is the one too many
    ],
)
def test_a_rate_counts_when_a_call_began_to_run(tmp_path, began, over):
    """Where that is recorded; a response may have waited, for a person or for those before it."""
    turns = []
    for index, start in enumerate(began):
        made = turn(index, ("run", {"command": "ls"}), at=index)
        when = None if start is None else NOON + timedelta(seconds=start)
        turns.append(replace(made, results=(replace(made.results[0], started_at=when),)))
    with al.open_ledger(tmp_path / "waited.duckdb") as opened:
        al.import_sessions(opened, [al.RecordedSession("s", None, "m", "", tuple(turns), source="trials")])
        report = al.recheck(opened, limits=al.Limits(rates=(("run", al.RateLimit(1, 3)),)))
    assert [call.turn_index for call in report.examples] == over


def test_what_was_refused_may_be_accepted(tmp_path):
    """A task without its title was invalid; under tools that ask for none it is valid."""
    with al.open_ledger(tmp_path / "own.duckdb") as ledger:
        with al.Runtime("assistant", ledger=ledger) as runtime:
            runtime.handle('```actions\n{"actions": [{"type": "create_task"}]}\n```')
        report = al.recheck(ledger, tools=[{"name": "create_task", "parameters": {}}])
        again = al.recheck(ledger, profile="assistant")
    assert (report.changes["newly_accepted"], report.stopped.successes) == (1, 0)
    assert (again.changes["same"], again.stopped.successes) == (1, 1)


def test_a_masked_secret_can_not_be_judged(tmp_path):
    """The asterisks are shorter than no pattern would have it: whether the secret fits, nobody knows."""
    token = "ghp_" + "a1B2" * 9
    tool = {"name": "login", "parameters": {"properties": {"token": {"type": "string", "pattern": "^ghp_"}}}}
    with al.open_ledger(tmp_path / "secret.duckdb") as ledger:
        session = al.RecordedSession(
            "s", None, "m", "", (turn(0, ("login", {"token": token})),), source="trials"
        )
        al.import_sessions(ledger, [session])
        report = al.recheck(ledger, tools=[tool])
    assert (report.changes["not_judged"], report.stopped.successes) == (1, 0)


def test_references_hold_within_their_turn(tmp_path):
    """An action that refers to another one's result is as valid as it was."""
    text = al.render(
        [("create_task", {"title": "a", "id": "one"}), ("complete_task", {"task_id": "one.task_id"})],
        "actions",
    )
    with al.open_ledger(tmp_path / "own.duckdb") as ledger:
        with al.Runtime("assistant", ledger=ledger) as runtime:
            was = [call.status for call in runtime.handle(text).result.actions]
        seen: list[al.RecheckedAction] = []
        al.recheck(ledger, profile="assistant", each=seen.append)
    assert [call.status for call in seen] == was


def test_wrong_uses(ledger, tmp_path):
    """Nothing asked, nothing there, and a name of no profile."""
    with pytest.raises(UsageError, match="Nothing is asked"):
        al.recheck(ledger)
    with pytest.raises(UsageError, match="No recorded call fits"):
        al.recheck(ledger, tools=[READ], within=al.Filter(models=("none",)))


def test_nothing_is_recorded(ledger):
    """Every table is as it was."""
    tables = ("parse_attempts", "actions", "executions", "run_starts", "validation_errors")
    before = [ledger.sql(f"SELECT count(*) FROM {table}").fetchall() for table in tables]
    al.recheck(ledger, tools=[READ], policy=al.Policy((("*", al.Verdict.REJECT),)))
    assert [ledger.sql(f"SELECT count(*) FROM {table}").fetchall() for table in tables] == before


def test_a_patchs_own_marks_are_no_secret(tmp_path):
    """Three asterisks begin a patch; a secret has more."""
    patch = "*** Begin Patch\n*** Add File: a.py\n+x\n*** End Patch"
    tool = {"name": "patch", "parameters": {"properties": {"input": {"type": "string", "maxLength": 9}}}}
    with al.open_ledger(tmp_path / "patch.duckdb") as ledger:
        session = al.RecordedSession(
            "s", None, "m", "", (turn(0, ("patch", {"input": patch})),), source="trials"
        )
        al.import_sessions(ledger, [session])
        report = al.recheck(ledger, tools=[tool])
    assert (report.changes["newly_refused"], report.changes["not_judged"]) == (1, 0)
