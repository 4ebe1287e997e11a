"""Sessions and turns as rows: their order, their children, and all that is recorded of them."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

import actionledger as al
from actionledger.core.errors import UsageError
from actionledger.core.ids import derived_id
from actionledger.core.vocabulary import ExecutionStatus, Outcome, Reason, Relation, RunKind
from actionledger.ledger import Ledger, open_ledger, queries
from actionledger.ledger.listings import sessions, turns
from actionledger.ledger.queries import Filter, Mark
from actionledger.ledger.queries.addresses import COLUMNS
from actionledger.ledger.queries.base import ATTEMPTED
from actionledger.replay.comparison import compare
from actionledger.replay.failures import failures

from .conftest import MONDAY, Book, call


def test_the_sessions_are_those_of_the_page(world: Ledger) -> None:
    """In its order, with each of its numbers; how many were read whole stands beside of how many."""
    for order in ("newest", "oldest", "longest", "worst"):
        listed = queries.sessions(world, order=order, limit=None)
        found = list(sessions(world, order=order))
        assert [row["session_id"] for row in found] == [row.session_id for row in listed]
        for row, there in zip(found, listed, strict=True):
            assert (row["read_whole"], row["meant_to_act"]) == (there.parsed.successes, there.parsed.count)
            assert (row["turns"], row["failed"], row["success"]) == (there.turns, there.failed, there.success)


def test_a_query_alone_narrows_as_its_page_does(world: Ledger) -> None:
    """As one stands in a link, and as a side of a comparison is named; what is no filter is never taken for everything."""
    for listed in (sessions, turns):
        asked = list(listed(world, "model=large"))
        assert asked == list(listed(world, f"{listed.__name__}?model=large"))
        assert 0 < len(asked) < len(list(listed(world)))
        for nothing in ("models=large", "large"):
            with pytest.raises(
                UsageError, match=r"'models', which is none of|neither an address nor a filter"
            ):
                listed(world, nothing)


def test_the_turns_are_those_of_the_page(world: Ledger) -> None:
    """In its order, each with its reasons, its whole text and its times."""
    for within, mark in (
        (Filter(), Mark()),
        (Filter(models=("large",)), Mark(stage="acting")),
        (Filter(text="FILE"), Mark(outcomes=("clean", "partial"))),
    ):
        listed = queries.turns_behind(world, within, mark, limit=None)
        found = list(turns(world, within, mark))
        assert [(row["session_id"], row["turn_index"]) for row in found] == [
            (row.session_id, row.turn_index) for row in listed
        ]
        assert [row["reasons"] for row in found] == [list(map(str, row.reasons)) for row in listed]
    texts = {text for (text,) in world.sql("SELECT text FROM turns WHERE text <> 'never read'").fetchall()}
    assert {row["text"] for row in turns(world)} == texts


@pytest.mark.parametrize("frame", ["df", "pl", "arrow"])
def test_they_are_frames_with_the_same_columns(world: Ledger, frame: str) -> None:
    """One row each, also where there is none, with types that don't hang on what is in it."""
    if frame != "df":
        pytest.importorskip("polars")
    for found, none in (
        (sessions(world), sessions(world, Filter(text="nowhere"))),
        (turns(world), turns(world, mark=Mark(code="truncated"))),
    ):
        some, nothing = getattr(found, frame)(), getattr(none, frame)()
        assert list(some.columns if frame != "arrow" else some.column_names) == list(found.columns)
        assert (len(some), len(nothing)) == (len(found), 0)
        assert len(set(found.columns)) == len(found.columns)


def test_an_address_picks_what_its_page_shows(world: Ledger) -> None:
    """Filters, what turns have in common, and a search; the answer's own address picks the same again."""
    base = "http://localhost:8501/"
    found = turns(world, f"{base}turns?model=large&outcome=clean&since=2026-03-03&page=3")
    assert [(row["external_id"], row["turn_index"]) for row in found] == [("two", 1)]
    assert turns(world, base + found.address).fetchall() == found.fetchall()
    listed = sessions(world, f"{base}sessions?search=confirm&order=oldest+first")
    assert listed.address == "sessions?search=confirm"
    assert len(sessions(world, "sessions?failing=1")) == len(sessions(world, Filter(is_failing=True))) == 3
    assert sessions(world).address == "sessions"
    assert turns(world, Filter(since=datetime(2026, 3, 2, 12))).address == ""


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda world: turns(world, "compare?by=runs&before_run=x"), "'before_run'"),
        (lambda world: sessions(world, order="best"), "'best' is not an order"),
        (lambda world: turns(world, mark="failed"), "'failed' is not an al.Mark"),
        (lambda world: turns(world, "http://[::1/turns"), "is not an address"),
        (lambda world: sessions("team.duckdb"), "'team.duckdb' is not an open ledger"),
        (lambda world: turns(None), "None is not an open ledger"),
        (lambda world: failures("team.duckdb"), "is not an open ledger"),
        (lambda world: compare("team.duckdb", Filter(), Filter(models=("a",))), "is not an open ledger"),
        (lambda world: failures(world, "turns?model=large"), "given as a Filter"),
        (lambda world: failures(world, unit="year"), "'year' is not a period"),
    ],
)
def test_what_would_be_passed_over_is_refused(world: Ledger, ask, said: str) -> None:
    """An address that narrows by something else, and what contradicts it."""
    with pytest.raises(UsageError, match=said):
        ask(world)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Filter(models="large"), r"models=\('large',\)"),
        (lambda: Filter(sources="mint"), "sources takes several"),
        (lambda: Filter(since="2026-03-01"), "since takes a datetime"),
        (lambda: Filter(until=date(2026, 3, 1)), "until takes a datetime"),
        (lambda: Mark(outcomes="failed"), r"outcomes=\('failed',\)"),
        (lambda: Mark(outcomes=("fail",)), "'fail' is not a valid outcome"),
        (lambda: Mark(executions=("done",)), "'done' is not a valid execution"),
    ],
)
def test_what_would_find_nothing_is_refused(make, said: str) -> None:
    """A text where several are meant, a day where a time is, a word that no turn has."""
    with pytest.raises(UsageError, match=said):
        make()


def test_a_time_with_a_zone_is_that_time() -> None:
    """Whatever the zone of the machine is."""
    at = datetime(2026, 3, 1, 2, tzinfo=timezone(timedelta(hours=2)))
    assert Filter(since=at) == Filter(since=datetime(2026, 3, 1))


def test_what_is_hostile_stays_a_value(world: Ledger) -> None:
    """Nothing of an address is SQL."""
    for text in ("'; DROP TABLE turns; --", "%", '"', "\\"):
        assert len(turns(world, f"turns?model={json.dumps(text)}")) == 0
    assert len(turns(world)) == 10


FAMILY = {"first": "parent", "second": "parent", "grandchild": "first", "stranger": "somebody"}

_PLAIN = """
SELECT session_id::VARCHAR, external_id, relation,
       (SELECT count(*) FROM turns WHERE turns.session_id = sessions.session_id),
       (SELECT count(*) FROM executions
        WHERE executions.session_id = sessions.session_id AND list_contains($attempted, status) AND status <> 'succeeded')
FROM sessions WHERE parent_session_id = $parent::UUID ORDER BY external_id"""


@pytest.fixture(scope="module")
def family(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger with a parent, its two children, a child of one of them and one of somebody else's, each with failures of its own."""
    book = Book()
    book.run("live", RunKind.LIVE)
    book.session("parent")
    for place, (name, parent) in enumerate(FAMILY.items()):
        above = derived_id("session", parent)
        book.session(name, parent_session_id=above, relation=Relation.SUBAGENT)
        for index in range(place + 1):
            book.turn(name, index, "<wait>")
            book.read(name, index, Outcome.CLEAN, actions=(call("wait", arguments={"of": [name, index]}),))
            book.execute(name, index, 0, ExecutionStatus.FAILED, reason=Reason.HANDLER_ERROR)
    book.turn("first", 1, "Done.", MONDAY)
    book.read("first", 1, Outcome.NO_ACTION)
    path = tmp_path_factory.mktemp("family") / "family.duckdb"
    with open_ledger(path, in_background=False) as ledger:
        for event in book.events:
            ledger.record(event)
        ledger.flush()
    return path


@pytest.mark.parametrize(
    ("parent", "numbers"),
    [
        ("parent", {"first": (2, 1), "second": (2, 2)}),
        ("first", {"grandchild": (3, 3)}),
        ("second", {}),
    ],
)
def test_children_have_their_own_numbers(
    family: Path, parent: str, numbers: dict[str, tuple[int, int]]
) -> None:
    """Their turns and what failed in them, and nobody else's."""
    parent_id = derived_id("session", parent)
    with open_ledger(family, read_only=True) as ledger:
        found = queries.children(ledger, parent_id)
        plain = ledger.sql(_PLAIN, {"parent": parent_id, "attempted": ATTEMPTED}).fetchall()
    assert {each.external_id: (each.turns, each.failed) for each in found} == numbers
    assert [
        (each.session_id, each.external_id, each.relation, each.turns, each.failed) for each in found
    ] == plain


ORDERED_MONDAY = datetime(2026, 3, 2, 12, tzinfo=UTC)


def recorded(number: int, parent: str = "", relation: Relation | None = None) -> al.RecordedSession:
    """Return a session that differs from the others in everything that there is an order by."""
    calls = number % 3
    turns = [
        al.RecordedTurn(
            place,
            "" if place < calls else "That is all.",
            external_id=f"{number}.{place}",
            capture=al.Capture.CALLS if place < calls else al.Capture.TEXT,
            calls=(al.RecordedCall(f"{number}.{place}", "Read", {"path": "a"}),) if place < calls else (),
            results=(al.RecordedResult(f"{number}.{place}", "x", is_error=number % 2 == 0),)
            if place < calls
            else (),
            occurred_at=ORDERED_MONDAY + timedelta(hours=number, minutes=place * number),
            usage=al.Usage(
                input_tokens=100 * number, output_tokens=7, cost_usd=number / 4 if number % 4 else None
            ),
        )
        for place in range(number % 5 + 1)
    ]
    return al.RecordedSession(
        f"s{number}",
        None,
        f"m{number % 3}",
        f"task {9 - number}",
        tuple(turns),
        parent=parent,
        relation=relation,
        success=[None, True, False][number % 3],
        details=al.SessionDetails(
            title=f"{'Tt'[number % 2]}itle {number * 7 % 10}" if number else "",
            project=f"/work/{number % 2}",
            git_branch="" if number % 3 else f"fix/{number}",
            agent="codex" if number % 2 else "",
        ),
    )


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[al.Ledger]:
    """A ledger of ten sessions, three of which have called others."""
    path = tmp_path_factory.mktemp("ordered") / "l.duckdb"
    with al.open_ledger(path) as opened:
        al.import_sessions(opened, [recorded(number) for number in range(10)], source="ours")
    with al.open_ledger(path, read_only=True) as opened:
        yield opened


KEYS: dict[str, Callable[[Any], Any]] = {
    "started": lambda row: row.started_at,
    "title": lambda row: (row.title or "").lower() or None,
    "project": lambda row: row.project,
    "branch": lambda row: row.branch or None,
    "agent": lambda row: row.agent or None,
    "model": lambda row: row.model,
    "source": lambda row: row.source,
    "profile": lambda row: row.profile or None,
    "task": lambda row: row.task.lower(),
    "outcome": lambda row: row.outcome,
    "turns": lambda row: row.turns,
    "duration": lambda row: row.duration_s,
    "cost": lambda row: row.cost_usd,
    "tokens": lambda row: row.input_tokens + row.output_tokens,
    "tool_calls": lambda row: row.actions,
    "failed": lambda row: row.failed if row.executions else None,
    "parsed": lambda row: row.parsed.value,
    "valid": lambda row: row.valid if row.checked else None,
}
"""What a row is ordered by, in plain Python."""


@pytest.mark.parametrize("sign", ["", "-"])
@pytest.mark.parametrize("name", COLUMNS)
def test_every_column_orders_all_sessions(ledger: al.Ledger, name: str, sign: str) -> None:
    """Over all pages; what is not known stands last both ways, and equals by their ids."""
    whole = queries.sessions(ledger, limit=None)
    key = KEYS[name]
    known = sorted((row for row in whole if key(row) is not None), key=lambda row: row.session_id)
    unknown = sorted((row for row in whole if key(row) is None), key=lambda row: row.session_id)
    known.sort(key=key, reverse=bool(sign))
    if sign:  # equals stay in the order of their ids
        known.sort(key=lambda row: row.session_id)
        known.sort(key=key, reverse=True)
    pages = [
        queries.sessions(ledger, limit=3, offset=offset, order=f"{sign}{name}") for offset in range(0, 12, 3)
    ]
    assert [row.session_id for page in pages for row in page] == [
        row.session_id for row in [*known, *unknown]
    ]


def test_an_order_that_is_none_is_refused(ledger: al.Ledger) -> None:
    with pytest.raises(
        UsageError, match=r"'size' is not an order of sessions; choose from newest, .*, valid, or one"
    ):
        queries.sessions(ledger, order="size")


def test_each_session_s_outcome_is_the_one_that_is_counted(ledger: al.Ledger) -> None:
    """One definition for the list and for the sums."""
    counts: dict[Any, int] = {}
    for row in queries.sessions(ledger, limit=None):
        counts[row.outcome] = counts.get(row.outcome, 0) + 1
    assert counts == queries.session_outcomes(ledger)
    assert len(counts) > 2


def test_subagents_are_summed_apart_however_deep(tmp_path: Path) -> None:
    """A continuation is none, and a session's own cost is its own."""
    family = [
        recorded(1),
        recorded(2, "s1", Relation.SUBAGENT),
        recorded(3, "s2", Relation.SUBAGENT),
        recorded(5, "s1", Relation.CONTINUATION),
        recorded(4),
    ]
    with al.open_ledger(tmp_path / "l.duckdb") as opened:
        al.import_sessions(opened, family)
        opened.flush()
        rows = {row.external_id: row for row in queries.sessions(opened, limit=None)}
        costs = dict(
            opened.sql(
                "SELECT external_id, sum(cost_usd) FROM turn_starts JOIN session_starts USING (session_id) GROUP BY ALL"
            ).fetchall()
        )
    assert {name: (row.subagents, row.subagents_cost_usd) for name, row in rows.items()} == {
        "s1": (2, pytest.approx(costs["s2"] + costs["s3"])),
        "s2": (1, pytest.approx(costs["s3"])),
        "s3": (0, None),
        "s5": (0, None),
        "s4": (0, None),
    }
    assert rows["s1"].cost_usd == pytest.approx(costs["s1"])
