"""Each field of a filter in all places that have it: a page's address, the options of a command, SQL, and the bar of the pages.

All of it goes over the fields that a filter has: one that is new fails here until each place has it.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import fields
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeAlias, get_args

import pytest
import typer
from effort import examples
from hypothesis import given, settings, strategies as st
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

import actionledger as al
import actionledger_dashboard
from actionledger.cli.filters import FOUND, GIVEN, Chosen, filtered
from actionledger.core.vocabulary import Capture, Origin
from actionledger.ledger import queries
from actionledger.ledger.queries import Filter, ScoreBound, Stage
from actionledger.ledger.queries.fields import FIELDS
from actionledger.ledger.queries.filters import FILTERS, filter_of, filter_parameters
from actionledger.ledger.queries.scopes import turn_scope

Row: TypeAlias = dict[str, Any]

NAMES = [field.name for field in fields(Filter)]
MONDAY = datetime.fromisoformat("2026-03-02T09:00:00")
GOOD = '```actions\n{"actions": [{"type": "list_tasks"}]}\n```'
WRONG = '```actions\n{"actions": [{"type": "update_task", "task_id": "99", "status": "done"}]}\n```'
REFUSED = '```actions\n{"actions": [{"type": "fly"}]}\n```'
CUT = '```actions\n{"actions": [{"type": "list_'
TEXTS = (GOOD, CUT, REFUSED, "I'll look into it now:", "", "All done, 100%_.")

PLACES: dict[str, tuple[str, str]] = {
    "run_id": ("run", "--run"),
    "profiles": ("profile", "--profile"),
    "models": ("model", "--model"),
    "tasks": ("task", "--task"),
    "sources": ("source", "--source"),
    "projects": ("project", "--project"),
    "branches": ("branch", "--branch"),
    "agents": ("agent", "--agent"),
    "captures": ("capture", "--capture"),
    "labels": ("label", "--label"),
    "scores": ("score", "--score"),
    "min_cost": ("min_cost", "--min-cost"),
    "max_cost": ("max_cost", "--max-cost"),
    "min_duration": ("min_duration", "--min-duration"),
    "max_duration": ("max_duration", "--max-duration"),
    "since": ("since", "--since"),
    "until": ("until", "--until"),
    "dialects": ("dialect", "--dialect"),
    "outcomes": ("outcome", "--outcome"),
    "endings": ("ending", "--ending"),
    "session_outcomes": ("session_outcome", "--session-outcome"),
    "is_failing": ("failing", "--failing"),
    "stage": ("stage", "--stage"),
    "reasons": ("code", "--reason"),
    "action": ("action", "--action"),
    "executions": ("execution", "--execution"),
    "origin": ("origin", "--origin"),
    "verdicts": ("verdict", "--verdict"),
    "turn_labels": ("turn_label", "--turn-label"),
    "text": ("search", "--text"),
}
"""How each field is written: its parameter in an address and on a page, and its option."""


def sessions() -> Iterator[al.RecordedSession]:
    """Yield sessions that no field picks all of."""
    call = al.RecordedCall("c", "edit", {"path": "a", "note": "100%_"})
    for number in range(6):
        result = al.RecordedResult("c", f"took {number}", is_error=bool(number % 2))
        held = al.RecordedTurn(9, "", capture=Capture.CALLS, calls=(call,), results=(result,))
        texts = [al.RecordedTurn(place, text) for place, text in enumerate(TEXTS[number % 3 :])]
        turns = [
            al.RecordedTurn(
                place,
                turn.text,
                capture=turn.capture,
                calls=turn.calls,
                results=turn.results,
                occurred_at=(MONDAY + timedelta(days=number, minutes=place)).astimezone(),
                model="big" if (number + place) % 3 else "small",
                usage=al.Usage(cost_usd=number / 10 if place % 2 else None),
            )
            for place, turn in enumerate([*texts, held])
        ]
        yield al.RecordedSession(
            f"s{number}",
            "assistant" if number % 4 else "orchestrator",
            "big",
            "sums" if number % 2 else "letters",
            tuple(turns),
            success=True if number == 1 else None,
            scores={"reward": number / 4},
            details=al.SessionDetails(
                project="/work/a" if number % 2 else "/work/b",
                git_branch=("", "main", "fix/it")[number % 3],
                agent="tuner" if number < 3 else "",
            ),
            labels=("even",) if number % 2 == 0 else ("odd", "all"),
        )


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger in which every field picks some responses and leaves others out."""
    file = tmp_path_factory.mktemp("everywhere") / "everywhere.duckdb"
    with al.open_ledger(file, in_background=False) as ledger:
        every = list(sessions())
        al.import_sessions(ledger, every[:4], source="theirs")
        al.import_sessions(ledger, every[4:], source="ours")
        with al.Runtime("assistant", ledger=ledger, model="live", auto=True) as runtime:
            for text in (GOOD, WRONG):
                runtime.handle(text)
        ledger.flush()
        for turn, said in ((0, "right"), (1, "wrong")):
            al.review(ledger, "s1", turn, by="ann", verdict=said)
            al.review(ledger, "s3", turn, by="ann", label=said)
        al.reparse(ledger, parser="auto", within=al.Filter(models=("small",)))
        ledger.ingest()
    return file


@pytest.fixture(scope="module")
def ledger(path: Path) -> Iterator[al.Ledger]:
    with al.open_ledger(path, read_only=True) as opened:
        yield opened


def table(ledger: al.Ledger, statement: str) -> list[Row]:
    found = ledger.sql(statement)
    return [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]


@pytest.fixture(scope="module")
def rows(ledger: al.Ledger) -> list[Row]:
    """Every reading with all that belongs to it, as whole rows."""
    of = {
        name: table(ledger, f"FROM {name}")
        for name in ("actions", "validation_errors", "executions", "unacted_turns")
    }
    session = {row["session_id"]: row for row in table(ledger, "FROM sessions")}
    outcome = {row["session_id"]: row["outcome"] for row in table(ledger, "FROM session_outcomes")}
    turn = {row["turn_id"]: row for row in table(ledger, "FROM turns")}
    said = table(ledger, "FROM reviews")
    return [
        row
        | {
            name: [each for each in held if each["attempt_id"] == row["attempt_id"]]
            for name, held in of.items()
        }
        | {
            "session": session[row["session_id"]],
            "session_outcome": outcome[row["session_id"]],
            "turn": turn[row["turn_id"]],
            "turns": [each for each in turn.values() if each["session_id"] == row["session_id"]],
            "verdicts": {
                each["value"]
                for each in said
                if each["attempt_id"] == row["attempt_id"] and each["aspect"] == "verdict"
            },
            "turn_labels": {
                each["value"]
                for each in said
                if each["turn_id"] == row["turn_id"] and each["aspect"] == "label"
            },
        }
        for row in table(ledger, "FROM parse_attempts")
    ]


def failures(row: Row, within: Filter) -> Iterator[tuple[str, str]]:
    """Yield where and why something went wrong, of what a filter's action and origin let pass."""
    if row["outcome"] in {"partial", "failed"} and row["reason"] and not within.action:
        yield "reading", row["reason"]
    for each in row["validation_errors"]:
        if each["code"] != "converted" and within.action in {None, each["name"]}:
            yield "checking", each["code"]
    for each in row["executions"]:
        is_meant = within.action in {None, each["name"]} and within.origin in {None, each["origin"]}
        is_done = each["status"] in {"succeeded", "pending", "dry_run", "skipped"}
        # A command that found nothing is no failure, and is found by whoever asks for that reason.
        is_answer = each["status"] == "succeeded" and each["reason"] == "no_result" and within.reasons
        if is_meant and each["reason"] and (not is_done or is_answer):
            yield "acting", each["reason"]


def went_wrong(row: Row, within: Filter) -> bool:
    """Return whether one thing went wrong that has the stage and one of the reasons."""
    return any(
        (not within.stage or stage == within.stage) and (not within.reasons or reason in within.reasons)
        for stage, reason in failures(row, within)
    )


def tried(row: Row, within: Filter) -> bool:
    """Return whether one execution has one of the states, and was run by whom is asked for."""
    return any(
        (not within.executions or each["status"] in within.executions)
        and within.origin in {None, each["origin"]}
        for each in row["executions"]
    )


def texts(value: object) -> Iterator[str]:
    """Yield every text in a JSON value."""
    if isinstance(value, dict):
        for name, held in value.items():
            yield name
            yield from texts(held)
    elif isinstance(value, list):
        for held in value:
            yield from texts(held)
    elif isinstance(value, str):
        yield value


def holds(row: Row, text: str) -> bool:
    """Return whether a response, an argument, a result or the session's name has a text."""
    own = [row["turn"]["text"], row["session"]["external_id"]]
    for each in row["actions"]:
        own += [str(each["arguments"]), *texts(json.loads(str(each["arguments"])))]
    for each in row["executions"]:
        own += [str(each["result"]), *texts(json.loads(str(each["result"]))), str(each["message"])]
    return any(text.lower() in each.lower() for each in own)


def score(row: Row, name: str) -> float:
    return float(json.loads(str(row["session"]["scores"] or "{}")).get(name, "nan"))


def cost(row: Row) -> float:
    """Return what all responses of a row's session cost; NaN where no cost is known."""
    known = [turn["cost_usd"] for turn in row["turns"] if turn["cost_usd"] is not None]
    return sum(known) if known else float("nan")


def seconds(row: Row) -> float:
    """Return how long a row's session took; NaN where no time is known."""
    times = [turn["occurred_at"] for turn in row["turns"] if turn["occurred_at"] is not None]
    return (max(times) - min(times)).total_seconds() if times else float("nan")


PICKS: dict[str, Callable[[Row, Filter], bool]] = {
    "run_id": lambda row, within: str(row["run_id"]) == within.run_id,
    "profiles": lambda row, within: row["profile"] in within.profiles,
    "models": lambda row, within: row["model"] in within.models,
    "tasks": lambda row, within: row["task"] in within.tasks,
    "sources": lambda row, within: row["session"]["source"] in within.sources,
    "projects": lambda row, within: row["session"]["project"] in within.projects,
    "branches": lambda row, within: row["session"]["git_branch"] in within.branches,
    "agents": lambda row, within: row["session"]["agent"] in within.agents,
    "captures": lambda row, within: row["turn"]["capture"] in within.captures,
    "labels": lambda row, within: bool(
        {*json.loads(str(row["session"]["labels"] or "[]"))} & {*within.labels}
    ),
    "scores": lambda row, within: all(
        {
            ">=": score(row, each.name) >= each.value,
            "<=": score(row, each.name) <= each.value,
            "=": score(row, each.name) == each.value,
        }[each.comparison]
        for each in within.scores
    ),
    "min_cost": lambda row, within: cost(row) >= within.min_cost,
    "max_cost": lambda row, within: cost(row) <= within.max_cost,
    "min_duration": lambda row, within: seconds(row) >= within.min_duration,
    "max_duration": lambda row, within: seconds(row) <= within.max_duration,
    "since": lambda row, within: row["occurred_at"] is not None and row["occurred_at"] >= within.since,
    "until": lambda row, within: row["occurred_at"] is not None and row["occurred_at"] < within.until,
    "dialects": lambda row, within: (row["dialect"] or "none") in within.dialects,
    "outcomes": lambda row, within: row["outcome"] in within.outcomes,
    "endings": lambda row, within: any(each["ending"] in within.endings for each in row["unacted_turns"]),
    "session_outcomes": lambda row, within: row["session_outcome"] in within.session_outcomes,
    "is_failing": went_wrong,
    "stage": went_wrong,
    "reasons": went_wrong,
    "action": lambda row, within: (
        went_wrong(row, within)
        if within.is_failing or within.stage or within.reasons
        else any(each["name"] == within.action for each in row["actions"])
    ),
    "executions": tried,
    "origin": tried,
    "verdicts": lambda row, within: bool(row["verdicts"] & {*within.verdicts}),
    "turn_labels": lambda row, within: bool(row["turn_labels"] & {*within.turn_labels}),
    "text": lambda row, within: holds(row, within.text),
}
"""What a field picks, by whole rows in plain Python."""


def some(*values: Any) -> st.SearchStrategy[Any]:
    """Return one or two of some values, as a field with several takes them."""
    return st.lists(st.sampled_from(values), min_size=1, max_size=2, unique=True).map(tuple)


VALUES: dict[str, st.SearchStrategy[Any]] = {
    "profiles": some("assistant", "orchestrator"),
    "models": some("big", "small", "live"),
    "tasks": some("sums", "letters"),
    "sources": some("theirs", "ours"),
    "projects": some("/work/a", "/work/b"),
    "branches": some("main", "fix/it"),
    "agents": some("tuner"),
    "captures": some("text", "calls"),
    "labels": some("even", "odd", "all"),
    "scores": some(
        ScoreBound("reward", ">=", 0.5), ScoreBound("reward", "<=", 0.75), ScoreBound("reward", "=", 0.25)
    ),
    "min_cost": st.sampled_from([0.1, 0.25, 0.5]),
    "max_cost": st.sampled_from([0.2, 0.5]),
    "min_duration": st.sampled_from([61.0, 200.0]),
    "max_duration": st.sampled_from([119.5, 240.0]),
    "since": st.sampled_from([MONDAY.replace(hour=0) + timedelta(days=day) for day in range(6)]),
    "until": st.sampled_from([MONDAY.replace(hour=0) + timedelta(days=day) for day in range(1, 7)]),
    "dialects": some("actions", "none"),
    "outcomes": some("clean", "partial", "failed", "no_action", "empty"),
    "endings": some("unparseable", "stopped_without_acting", "went_on", "final_answer"),
    "session_outcomes": some("finished", "failed", "open"),
    "is_failing": st.just(value=True),
    "stage": st.sampled_from(get_args(Stage)),
    "reasons": some("truncated", "unknown_action", "not_found", "tool_error"),
    "action": st.sampled_from(["edit", "list_tasks", "update_task", "fly"]),
    "executions": some("succeeded", "failed"),
    "origin": st.sampled_from(Origin),
    "verdicts": some("right", "wrong"),
    "turn_labels": some("right", "wrong"),
    "text": st.sampled_from(["100%_", "TOOK 1", "s3", "list_", "look"]),
}
"""What each field can be here; the run is the ledger's."""


def test_no_field_is_forgotten_in_any_place() -> None:
    """Nor does a place have one that no filter has."""
    assert set(PLACES) == set(PICKS) == {*VALUES, "run_id"} == set(NAMES)
    parameters = {parameter for parameter, _ in PLACES.values()}
    assert parameters == set(FILTERS) == {field.parameter for field in FIELDS}
    options = {name.replace("_", "-") for name in GIVEN | FOUND}
    assert {f"--{name}" for name in options} == {option for _, option in PLACES.values()}
    assert {PLACES[name][0] for name in _found()} == {field.parameter for field in FIELDS if field.is_found}


def _found() -> set[str]:
    """Return the fields that are about what came of responses: those that ``given`` sets aside."""
    whole = Filter(**{name: example(name) for name in NAMES if name != "run_id"})
    return {name for name in NAMES if getattr(whole.given, name) != getattr(whole, name)}


def example(name: str) -> Any:
    """Return a value of a field: the first of those that it can have here."""
    return {
        "profiles": ("assistant",), "models": ("small",), "tasks": ("sums",), "sources": ("theirs",), "captures": ("calls",),
        "projects": ("/work/a",), "branches": ("main",), "agents": ("tuner",),
        "labels": ("even",), "scores": (ScoreBound("reward", ">=", 0.5),), "since": MONDAY.replace(hour=0) + timedelta(days=2),
        "until": MONDAY.replace(hour=0) + timedelta(days=2), "dialects": ("none",), "outcomes": ("no_action",),
        "endings": ("unparseable",), "session_outcomes": ("open",), "is_failing": True, "stage": "checking", "reasons": ("truncated",), "action": "edit",
        "min_cost": 0.25, "max_cost": 0.25, "min_duration": 200.0, "max_duration": 200.0,
        "executions": ("failed",), "origin": Origin.RUNTIME, "verdicts": ("wrong",), "turn_labels": ("wrong",), "text": "100%_",
    }[name]  # fmt: skip


def run_of(ledger: al.Ledger) -> str:
    [(run,)] = ledger.sql("SELECT run_id::VARCHAR FROM runs WHERE run_kind = 'reparse'").fetchall()
    return str(run)


@st.composite
def filters(draw: st.DrawFn) -> dict[str, Any]:
    """Draw what one to four fields of a filter are."""
    chosen = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
    return {name: draw(VALUES[name]) if name in VALUES else None for name in chosen}


def made(drawn: dict[str, Any], ledger: al.Ledger) -> Filter:
    """Return the filter; its run is the one that was read again."""
    return Filter(**{name: run_of(ledger) if name == "run_id" else value for name, value in drawn.items()})


def picked(rows: list[Row], within: Filter) -> set[tuple[str, int]]:
    """Return which turns plain Python finds: all fields that say something must hold."""
    asked = [field.name for field in fields(Filter) if getattr(within, field.name) != field.default]
    first = [row for row in rows if within.run_id or row["run_kind"] not in {"reparse", "rerun"}]
    return {
        (str(row["session_id"]), row["turn_index"])
        for row in first
        if all(PICKS[name](row, within) for name in asked)
    }


@settings(max_examples=examples(60), deadline=None)
@given(drawn=filters())
def test_sql_picks_what_the_rows_say(drawn: dict[str, Any], ledger: al.Ledger, rows: list[Row]) -> None:
    within = made(drawn, ledger)
    found = {(each.session_id, each.turn_index) for each in queries.turns_behind(ledger, within, limit=None)}
    assert found == picked(rows, within)
    if within.run_id is None:  # the turns of a run's filter are those of what its first readings came to
        condition, parameters = turn_scope(within)
        turns = ledger.sql(
            f"SELECT session_id::VARCHAR, turn_index FROM turn_starts WHERE {condition}", parameters
        ).fetchall()
        assert set(turns) == found


@pytest.mark.parametrize("name", NAMES)
def test_each_field_alone_picks_some_and_not_all(name: str, ledger: al.Ledger, rows: list[Row]) -> None:
    """Else it could be left out of SQL, and nobody would see it."""
    within = made({name: None if name == "run_id" else example(name)}, ledger)
    found = {(each.session_id, each.turn_index) for each in queries.turns_behind(ledger, within, limit=None)}
    assert found == picked(rows, within)
    assert 0 < len(found) < len({row["turn_id"] for row in rows})


def words(within: Filter) -> list[str]:
    """Return a filter as the options that a person would write."""
    written: list[str] = []
    for name, (_, option) in PLACES.items():
        value = getattr(within, name)
        if value is True:
            written.append(option)
        elif value:
            for each in value if isinstance(value, tuple) else (value,):
                written += [option, each.isoformat() if isinstance(each, datetime) else str(each)]
    return written


def of_options(within: Filter, ledger: al.Ledger) -> Filter:
    """Return the filter that a command's options make."""
    taken: list[Filter] = []
    app = typer.Typer()

    @app.command()
    @filtered(lists=True)
    def take(*, within: Chosen) -> None:
        taken.append(within(ledger))

    done = CliRunner().invoke(app, words(within))
    assert done.exit_code == 0, (done.output, done.exception)
    return taken[0]


@settings(max_examples=examples(40), deadline=None)
@given(drawn=filters())
def test_a_filter_is_the_same_as_an_address_and_as_options(drawn: dict[str, Any], ledger: al.Ledger) -> None:
    """Each field that is written is read as the same, and nothing else is."""
    within = made(drawn, ledger)
    assert set(filter_parameters(within)) == {PLACES[name][0] for name in drawn}
    assert filter_of(f"http://localhost:8501/turns?{within.query}") == within
    assert of_options(within, ledger) == within


PAGE = """
import streamlit as st
from actionledger_dashboard.components.filters import pick
from actionledger_dashboard.components.widgets import Linked

st.session_state["within"] = pick(Linked("turns"), lists=True)
"""


@pytest.mark.parametrize("name", NAMES)
def test_the_bar_of_a_page_reads_and_shows_each_field(
    name: str, path: Path, ledger: al.Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the filter that its address has, with a chip by which it is taken out."""
    within = made({name: None if name == "run_id" else example(name)}, ledger)
    monkeypatch.setenv(actionledger_dashboard.LEDGER_VARIABLE, str(path))
    test = AppTest.from_string(PAGE, default_timeout=300)
    for parameter, value in filter_parameters(within).items():
        test.query_params[parameter] = value
    test.run()
    assert not test.exception
    assert test.session_state["within"] == within
    [chips] = [
        json.loads(one.proto.json)[0]["chips"]
        for one in test.get("bidi_component")
        if one.proto.component_name == "actionledger.chips"
    ]
    [label] = [field.label for field in FIELDS if field.parameter == PLACES[name][0]]
    assert [(chip["label"], chip["without"]) for chip in chips] == [(label, "")]
