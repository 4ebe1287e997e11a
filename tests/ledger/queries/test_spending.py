"""Tokens, cost and tools in groups, counted once more from the recordings themselves."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any

import pytest

import actionledger as al
from actionledger.core.errors import UsageError
from actionledger.ledger import queries
from actionledger.ledger.queries.tools import ToolSums, tools

MONDAY = datetime.fromisoformat("2026-03-30T22:30:00+00:00")
TOOLS = ("Read", "Edit", "Bash")
Turns = list[tuple[al.RecordedSession, al.RecordedTurn]]


def recording(number: int) -> al.RecordedSession:
    """Return a session of up to six turns, of which some fail, some have no usage and some no time."""
    turns = []
    for place in range(number % 7):
        names = [TOOLS[(number + place + each) % 3] for each in range((number + place) % 3)]
        calls = tuple(
            al.RecordedCall(f"{number}.{place}.{each}", name, {"n": each}) for each, name in enumerate(names)
        )
        results = tuple(
            al.RecordedResult(
                call.call_id,
                "Exit code 1" if (number + each) % 3 == 0 else "ok",
                is_error=(number + each) % 3 == 0,
            )
            for each, call in enumerate(calls)
        )
        known = al.Usage(
            input_tokens=100 + place,
            cached_tokens=place * 10 if number % 2 else None,
            output_tokens=7,
            reasoning_tokens=place if number % 3 else None,
            cost_usd=0.25 * place if number % 4 else None,
        )
        turns.append(
            al.RecordedTurn(
                place,
                "Working on it." if calls else "Let me look at the file:" if place % 2 else "Done.",
                external_id=f"m{number}-{place}",
                capture=al.Capture.CALLS if calls else al.Capture.TEXT,
                calls=calls,
                results=results,
                occurred_at=MONDAY + timedelta(hours=5 * number + place) if number % 5 else None,
                usage=al.Usage() if place == 4 else known,
                model="big" if place % 2 else "small",
            )
        )
    return al.RecordedSession(
        f"s{number}",
        None,
        "big",
        "sums",
        tuple(turns),
        details=al.SessionDetails(
            title=f"Title {number}",
            project=("/work/a", "/work/b", "")[number % 3],
            git_branch="main" if number % 2 else "",
            agent="tuner",
        ),
    )


SESSIONS = [recording(number) for number in range(24)]
EVERY: Turns = [(session, turn) for session in SESSIONS for turn in session.turns]


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[al.Ledger]:
    """A ledger of all of them."""
    with al.open_ledger(tmp_path_factory.mktemp("spending") / "l.duckdb") as opened:
        al.import_sessions(opened, SESSIONS)
        yield opened


@dataclass
class Sums:
    """What was counted of a group."""

    sessions: set[str] = field(default_factory=set)
    turns: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    known: Counter[str] = field(default_factory=Counter)


def groups_of(session: al.RecordedSession, turn: al.RecordedTurn, by: str) -> list[Any]:
    """Return the groups that a turn is of."""
    at = turn.occurred_at
    day = None if at is None else at.replace(tzinfo=None).date()
    return {
        "day": lambda: [day],
        "week": lambda: [day and day - timedelta(days=day.weekday())],
        "month": lambda: [day and day.replace(day=1)],
        "project": lambda: [session.details.project],
        "branch": lambda: [session.details.git_branch],
        "agent": lambda: [session.details.agent],
        "model": lambda: [turn.model],
        "task": lambda: [session.task],
        "tool": lambda: sorted({call.name for call in turn.calls}),
    }[by]()


def counted(by: str) -> dict[Any, Sums]:
    """Count what the statement sums up, without SQL."""
    found: dict[Any, Sums] = defaultdict(Sums)
    for session, turn in EVERY:
        for group in groups_of(session, turn, by):
            sums = found[group]
            sums.sessions.add(session.external_id)
            sums.turns += 1
            calls = [call for call in turn.calls if by != "tool" or call.name == group]
            sums.counts["tool_calls"] += len(calls)
            sums.counts["failing_turns"] += any(result.is_error for result in turn.results)
            for name in ("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens", "cost_usd"):
                value = getattr(turn.usage, name)
                if value is not None:
                    sums.counts[name] += value
                    sums.known[name] += 1
    return found


@pytest.mark.parametrize(
    "by", ["day", "week", "month", "project", "branch", "agent", "model", "task", "tool"]
)
def test_each_group_is_what_its_turns_sum_up_to(ledger: al.Ledger, by: Any) -> None:
    """A sum of which nothing is recorded is no number; a turn of several tools is in the row of each."""
    rows = [dict(row) for row in al.usage(ledger, by=by)]
    wanted = counted(by)
    assert {row[by] for row in rows} == set(wanted)
    assert len(rows) == len(wanted)
    if by in {"day", "week", "month"}:
        dated = [row[by] for row in rows if row[by]]
        assert dated == sorted(dated)
    for row in rows:
        sums = wanted[row[by]]
        assert (row["sessions"], row["turns"]) == (len(sums.sessions), sums.turns)
        assert (row["tool_calls"], row["failing_turns"]) == (
            sums.counts["tool_calls"],
            sums.counts["failing_turns"],
        )
        for name in ("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens", "cost_usd"):
            assert row[name] == (sums.counts[name] if sums.known[name] else None), name
        assert (row["counted_turns"], row["priced_turns"]) == (
            sums.known["input_tokens"],
            sums.known["cost_usd"],
        )


def test_all_of_it_is_what_the_report_says(ledger: al.Ledger) -> None:
    """One number has one definition: tokens and cost, of all turns and of those that failed."""
    [row] = al.usage(ledger, by=())
    whole, failing = queries.usage(ledger), queries.failure_costs(ledger)[0]
    assert (row["turns"], row["input_tokens"], row["cost_usd"]) == (
        whole.turns,
        whole.input_tokens,
        whole.cost_usd,
    )
    assert (row["failing_turns"], row["failing_cost_usd"]) == (failing.turns, failing.cost_usd)
    stopped = queries.unacted(ledger).rate.successes
    assert row["turns_without_action"] == stopped > 0


def test_sessions_have_their_title_and_their_place(ledger: al.Ledger) -> None:
    """The list of sessions says the same of each as its row of usage."""
    by_session = {row["title"]: dict(row) for row in al.usage(ledger, by="session")}
    assert len(by_session) == len([session for session in SESSIONS if session.turns])
    for row in al.sessions(ledger):
        if not row["turns"]:
            continue
        used = by_session[row["title"]]
        for name in ("project", "branch", "agent", "turns", "input_tokens", "output_tokens", "cost_usd"):
            assert row[name] == used[name], name
        times = [turn.occurred_at for session, turn in EVERY if session.external_id == row["external_id"]]
        known = [at for at in times if at is not None]
        assert row["duration_s"] == ((max(known) - min(known)).total_seconds() if known else None)


@pytest.mark.parametrize("order", ["costliest", "slowest"])
def test_sessions_are_ordered_over_all_of_them(ledger: al.Ledger, order: Any) -> None:
    """The one with the most first, those that nothing is known of last."""
    name = "cost_usd" if order == "costliest" else "duration_s"
    values = [row[name] for row in al.sessions(ledger, order=order)]
    known = [value for value in values if value is not None]
    assert known == sorted(known, reverse=True)
    assert values == known + [None] * (len(values) - len(known))


def test_two_groups_at_once_and_a_filter(ledger: al.Ledger) -> None:
    """Each pair is a row, of the turns that the filter picks alone."""
    rows = al.usage(ledger, al.Filter(models=("small",), projects=("/work/a",)), by=("project", "model"))
    own = [turn for session, turn in EVERY if turn.model == "small" and session.details.project == "/work/a"]
    assert [(row["project"], row["model"], row["turns"]) for row in rows] == [("/work/a", "small", len(own))]


@pytest.mark.parametrize("by", [("colour",), ("day", "day")])
def test_what_is_no_group_is_refused(ledger: al.Ledger, by: Any) -> None:
    """With the groups that there are."""
    with pytest.raises(UsageError, match=r"not a group of usage; choose from day|names a group twice"):
        al.usage(ledger, by=by)


def tool(ledger: al.Ledger, name: str) -> ToolSums:
    [found] = [each for each in tools(ledger) if each.name == name]
    return found


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_is_what_its_calls_came_to(ledger: al.Ledger, name: str) -> None:
    """Calls, failures and their cost, and the call that most often stands right before one that fails."""
    calls, failed, cost = 0, 0, {}
    before: Counter[str] = Counter()
    for session in SESSIONS:
        last = None
        for turn in session.turns:
            for call, result in zip(turn.calls, turn.results, strict=True):
                if call.name == name:
                    calls += 1
                    failed += result.is_error
                    if result.is_error and last is not None:
                        before[last] += 1
                    if result.is_error and turn.usage.cost_usd is not None:
                        cost[turn.external_id] = turn.usage.cost_usd
                last = call.name
    found = tool(ledger, name)
    assert (found.calls, found.failure.count, found.failure.successes) == (calls, calls, failed)
    assert (found.reason, found.reason_count) == ("command_failed", failed)
    assert before[found.after or ""] == max(before.values())
    assert found.cost_usd == sum(cost.values()) > 0


@pytest.mark.parametrize("name", TOOLS)
def test_what_follows_a_failure_is_counted_to_the_next_success(ledger: al.Ledger, name: str) -> None:
    """Per failed call: the tool that the next turn begins with, and the turns and cost until the same tool succeeds later in the session."""
    failed, distances, cost = 0, [], {}
    then: Counter[str] = Counter()
    for session in SESSIONS:
        turns = [turn for turn in session.turns if turn.calls]
        for place, turn in enumerate(turns):
            for call, result in zip(turn.calls, turn.results, strict=True):
                if call.name != name or not result.is_error:
                    continue
                failed += 1
                if place + 1 < len(turns):
                    then[turns[place + 1].calls[0].name] += 1
                later = [
                    each.index
                    for each in turns[place + 1 :]
                    for other, ending in zip(each.calls, each.results, strict=True)
                    if other.name == name and not ending.is_error
                ]
                if later:
                    distances.append(later[0] - turn.index)
                    between = [each for each in session.turns if turn.index < each.index <= later[0]]
                    cost |= {
                        (session.external_id, each.index): each.usage.cost_usd
                        for each in between
                        if each.usage
                    }
    found = tool(ledger, name)
    assert (found.recovery.count, found.recovery.successes) == (failed, len(distances))
    assert found.recovery_turns == (median(distances) if distances else None)
    assert then[found.then or ""] == max(then.values(), default=0)
    known = [each for each in cost.values() if each is not None]
    assert found.recovery_cost_usd == (pytest.approx(sum(known)) if known else None)


def test_a_success_beside_a_failure_is_no_recovery(tmp_path: Path) -> None:
    """Calls of one turn were written before any of their results was known; only a later turn recovers."""
    first = (al.RecordedCall("a", "Read", {}), al.RecordedCall("b", "Read", {}))
    results = (al.RecordedResult("a", "no", is_error=True), al.RecordedResult("b", "yes"))
    turns = [al.RecordedTurn(0, "", capture=al.Capture.CALLS, calls=first, results=results)]
    with al.open_ledger(tmp_path / "beside.duckdb") as ledger:
        al.import_sessions(ledger, [al.RecordedSession("s", None, "m", "", tuple(turns))])
        beside = tool(ledger, "Read")
    later = (al.RecordedCall("c", "Read", {}), al.RecordedResult("c", "yes"))
    turns.append(al.RecordedTurn(1, "", capture=al.Capture.CALLS, calls=later[:1], results=later[1:]))
    with al.open_ledger(tmp_path / "later.duckdb") as ledger:
        al.import_sessions(ledger, [al.RecordedSession("s", None, "m", "", tuple(turns))])
        recovered = tool(ledger, "Read")
    assert (beside.recovery.successes, beside.recovery.count, beside.recovery_turns) == (0, 1, None)
    assert (recovered.recovery.successes, recovered.recovery_turns, recovered.then) == (1, 1.0, "Read")


def test_a_call_is_a_row(ledger: al.Ledger) -> None:
    """Each of them once, with what its last try came to; its frame has them all."""
    rows = al.tool_calls(ledger)
    wanted = Counter(
        (session.external_id, turn.index, call.name, "failed" if result.is_error else "succeeded")
        for session, turn in EVERY
        for call, result in zip(turn.calls, turn.results, strict=True)
    )
    assert Counter((row["session"], row["turn_index"], row["tool"], row["status"]) for row in rows) == wanted
    assert {row["title"] for row in rows} == {
        session.details.title for session in SESSIONS if any(turn.calls for turn in session.turns)
    }
    assert len(rows.df()) == wanted.total()
    assert rows.address == "tools"


def test_what_no_result_is_recorded_of_says_so(tmp_path: Path) -> None:
    """It is neither a failure nor a success."""
    call = al.RecordedCall("c", "Read", {"path": "a"})
    turn = al.RecordedTurn(0, "", capture=al.Capture.CALLS, calls=(call,))
    with al.open_ledger(tmp_path / "l.duckdb") as ledger:
        al.import_sessions(ledger, [al.RecordedSession("s", None, "m", "", (turn,))])
        [row] = al.tool_calls(ledger)
        found = tool(ledger, "Read")
    assert (row["status"], row["tries"]) in {("not_recorded", 0), ("pending", 1), ("interrupted", 1)}
    assert (found.calls, found.failure.successes, found.reason) == (1, 0, None)


def test_a_name_in_another_case_is_the_tool_that_ran(tmp_path: Path) -> None:
    """Its tries stand beside its calls, and are never more than those."""
    text = '```actions\n{"actions": [{"type": "CREATE_TASK", "content": "Call"}, {"type": "create_task", "content": "Write"}]}\n```'
    with al.open_ledger(tmp_path / "l.duckdb") as ledger:
        with al.Runtime("assistant", ledger=ledger) as runtime:
            runtime.handle(text)
        assert [(each.name, each.calls, each.failure.count) for each in tools(ledger)] == [
            ("create_task", 2, 2)
        ]
        assert [row["tool"] for row in al.tool_calls(ledger)] == ["create_task", "create_task"]


def test_what_a_call_runs_by_itself_is_no_other_try(tmp_path: Path) -> None:
    """A script that calls a tool fails once in its session and in its turn, as among the tools."""
    inner = (al.RecordedCall("i", "exec_command", {}), al.RecordedResult("i", "no such file", is_error=True))
    result = al.RecordedResult("c", "Script failed", is_error=True, within=(inner,))
    call = al.RecordedCall("c", "exec", {})
    turn = al.RecordedTurn(0, "", capture=al.Capture.CALLS, calls=(call,), results=(result,))
    with al.open_ledger(tmp_path / "l.duckdb") as ledger:
        al.import_sessions(ledger, [al.RecordedSession("s", None, "m", "", (turn,))])
        [session] = queries.sessions(ledger)
        [row] = queries.turns(ledger, session.session_id)
        assert (session.executions, session.failed) == (row.executions, row.failed) == (1, 1)
        assert [(each.name, each.failure.successes) for each in tools(ledger)] == [("exec", 1)]


@pytest.mark.parametrize("within", [((1, 2),), ((al.RecordedCall("i", "a", {}),),)])
def test_what_is_no_call_with_its_result_is_refused(tmp_path: Path, within: Any) -> None:
    """A pair of a call and its result is one; what else stands there is named."""
    turn = al.RecordedTurn(0, "", results=(al.RecordedResult("c", within=within),))
    with (
        al.open_ledger(tmp_path / "l.duckdb") as ledger,
        pytest.raises(
            UsageError, match=r"RecordedResult\.within takes tuple\[tuple\[RecordedCall, RecordedResult\]"
        ),
    ):
        al.import_sessions(ledger, [al.RecordedSession("s", None, "m", "", (turn,))])
