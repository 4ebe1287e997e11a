"""The list of sessions, one of them, and what they and a ledger's runs are called."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

import actionledger as al
from actionledger.core.errors import UsageError
from actionledger.core.ids import derived_id
from actionledger.core.rates import Rate
from actionledger.core.recordings import RecordedSession, RecordedTurn
from actionledger.core.vocabulary import RunKind
from actionledger.imports import import_sessions
from actionledger.ledger import open_ledger, queries
from actionledger.ledger.queries import Filter
from actionledger.ledger.queries.names import (
    one_place,
    one_session,
    session_names,
    sessions_called,
    sessions_named_so,
)

ONE = derived_id("session", "one")
TWO = derived_id("session", "two")
LIVE = derived_id("run", "live")
AGAIN_ONLY = Filter(run_id=derived_id("run", "again"))


def test_row_counts_what_its_turns_hold(world: queries.Queryable) -> None:
    """The numbers of a row are those of the session's first readings."""
    rows = {row.external_id: row for row in queries.sessions(world)}
    one = rows["one"]
    assert (one.session_id, one.turns, one.parsed) == (ONE, 4, Rate(2, 3))
    assert (one.actions, one.checked, one.valid, one.failed, one.success) == (3, 3, 3, 2, None)
    assert (rows["two"].success, rows["two"].reason) == (False, "gave up")
    assert (rows["three"].turns, rows["three"].failed) == (3, 1)
    two, three = rows["two"], rows["three"]
    assert [(row.actions, row.checked, row.valid) for row in (two, three)] == [(3, 3, 1), (1, 0, 0)]


@pytest.mark.parametrize(
    ("order", "names"),
    [
        ("newest", ["two", "one", "three"]),
        ("oldest", ["one", "two", "three"]),
        ("worst", ["three", "two", "one"]),
    ],
)
def test_order(world: queries.Queryable, order: queries.Order, names: list[str]) -> None:
    """A session without a start comes last; the worst first is by parse success, then by failures."""
    assert [row.external_id for row in queries.sessions(world, order=order)] == names


@pytest.mark.parametrize(
    ("search", "names"),
    [
        ("DONE.", {"one"}),
        ("漢字", {"one"}),
        ("thre", {"three"}),
        ("100%", {"three"}),
        ("%", {"three"}),
        ("", {"one", "two", "three"}),
    ],
)
def test_search_is_a_plain_substring(world: queries.Queryable, search: str, names: set[str]) -> None:
    """Responses and external ids are searched in any case, and no character is a wildcard."""
    assert {row.external_id for row in queries.sessions(world, Filter(text=search))} == names
    assert queries.count_sessions(world, Filter(text=search)) == len(names)


def test_filter_by_run_keeps_sessions_that_it_read(world: queries.Queryable) -> None:
    """A re-reading's sessions are those of its turns, with its rates."""
    rows = {row.external_id: row.parsed for row in queries.sessions(world, AGAIN_ONLY)}
    assert rows == {"one": Rate(3, 3), "two": Rate(0, 1)}


def test_only_failing_leaves_out_what_went_well(world: queries.Queryable) -> None:
    """On Monday session one's executions failed; re-read, all of it is fine."""
    assert queries.count_sessions(world, Filter(is_failing=True)) == 3
    rows = queries.sessions(world, replace(AGAIN_ONLY, is_failing=True))
    assert [row.external_id for row in rows] == ["two"]


def test_pages_are_the_whole_list_once(world: queries.Queryable) -> None:
    """Limit and offset neither double nor drop a session."""
    pages = [queries.sessions(world, limit=1, offset=offset) for offset in range(4)]
    assert [row for page in pages for row in page] == queries.sessions(world)


def test_one_session_by_id(world: queries.Queryable) -> None:
    """A session is found by its id; anything else finds nothing."""
    found = queries.session(world, TWO)
    assert found is not None
    assert (found.external_id, found.turns, found.reason) == ("two", 4, "gave up")
    assert queries.session(world, LIVE) is None
    assert queries.session(world, "'; --") is None


@pytest.mark.parametrize(
    "within",
    [
        Filter(),
        Filter(text="e"),
        Filter(outcomes=("clean",)),
        Filter(is_failing=True),
        Filter(text="e", is_failing=True),
    ],
)
def test_a_page_with_its_count_is_the_page_and_the_count(world: queries.Queryable, within: Filter) -> None:
    """What picks sessions is looked for once, and gives what two looks gave; behind the last one there is nothing."""
    count = queries.count_sessions(world, within)
    for offset in range(count):
        found = queries.sessions_page(world, within, limit=1, offset=offset)
        [row] = queries.sessions(world, within, limit=1, offset=offset)
        assert (found.count, found.sessions[0].session_id) == (count, row.session_id)
    assert queries.sessions_page(world, within, limit=1, offset=9).sessions == []


def test_a_session_that_goes_on_with_another_model_is_one_of_both(tmp_path: Path) -> None:
    """Either can be picked, and its row says how many of its turns that one wrote."""
    turns = tuple(RecordedTurn(place, "On it.", model=model) for place, model in enumerate(("", "large", "")))
    with open_ledger(tmp_path / "two.duckdb") as ledger:
        import_sessions(
            ledger,
            [
                RecordedSession("switched", None, "small", "", turns),
                RecordedSession("none", None, "small", "", ()),
            ],
            source="chatlog",
        )
        assert queries.dimensions(ledger).models == ("large", "small")
        found = {
            model: {
                (row.external_id, row.turns, row.matching)
                for row in queries.sessions(ledger, Filter(models=(model,)))
            }
            for model in ("small", "large")
        }
        counts = [queries.count_sessions(ledger, Filter(models=(model,))) for model in found]
    assert found == {"small": {("switched", 3, 2), ("none", 0, 0)}, "large": {("switched", 3, 1)}}
    assert counts == [2, 1]


NAME = "019e260b-77aa-7000-8000-000000000001"
OTHER = "019e260b-77aa-7000-8000-000000000002"


def session(name: str, title: str = "") -> al.RecordedSession:
    details = al.SessionDetails(title=title, title_from=al.TitleOrigin.PERSON if title else None)
    return al.RecordedSession(name, None, "m", "", (al.RecordedTurn(0, "Hello."),), details=details)


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[al.Ledger]:
    path = tmp_path_factory.mktemp("named") / "named.duckdb"
    with al.open_ledger(path, in_background=False) as opened:
        al.import_sessions(
            opened,
            [
                session(NAME, "Mend the parser of dates"),
                session(OTHER, "Mend the parser"),
                session("short#1", "Plan"),
                session("short", "Twice"),
                session("Plan", "Twice"),
            ],
        )
        opened.ingest()
        yield opened


def name_of(ledger: al.Ledger, called: str) -> str:
    [(name,)] = ledger.sql(
        "SELECT external_id FROM session_starts WHERE session_id = $id::UUID",
        {"id": one_session(ledger, called)},
    ).fetchall()
    return str(name)


def test_by_id_name_beginning_and_title(ledger: al.Ledger) -> None:
    """What fits as a whole comes before what begins so: a title that begins another, a name that is another's title."""
    [(own,)] = ledger.sql(f"SELECT session_id::VARCHAR FROM sessions WHERE external_id = '{NAME}'").fetchall()
    found = {called: name_of(ledger, called) for called in (own, own[:8].upper(), NAME, NAME[:-1] + "1")}
    assert set(found.values()) == {NAME}
    assert name_of(ledger, "Mend the parser of") == NAME
    assert name_of(ledger, "Mend the parser") == OTHER
    assert name_of(ledger, "Plan") == "Plan"


def test_what_fits_several_lists_them(ledger: al.Ledger) -> None:
    """With what tells them apart: where they come from, their names and titles."""
    assert [each.external_id for each in sessions_called(ledger, NAME[:8])] == sorted(
        (NAME, OTHER), key=lambda name: one_session(ledger, name)
    )
    with pytest.raises(UsageError, match=r"2 sessions are called '019e260b'.*Mend the parser of dates"):
        one_session(ledger, NAME[:8])
    with pytest.raises(UsageError, match=r"2 sessions are called 'Twice'.*short"):
        one_session(ledger, "Twice")


@pytest.mark.parametrize("called", ["019e26", "Mend th", "Twic", "", "no such", "%"])
def test_less_than_eight_characters_of_a_name_are_none(ledger: al.Ledger, called: str) -> None:
    """An id of ours is random; names of a day begin alike."""
    assert sessions_called(ledger, called) == []
    with pytest.raises(
        UsageError,
        match=r"There is no session.*of a name, eight characters" if called else "There is no session",
    ):
        one_session(ledger, called)


def test_a_near_title_is_proposed(ledger: al.Ledger) -> None:
    """A slip of the hand is the usual cause."""
    with pytest.raises(UsageError, match="Did you mean 'Mend the parser of dates'"):
        one_session(ledger, "Mend teh parser of dates")


def test_a_turn_is_named_with_its_session(ledger: al.Ledger) -> None:
    """A session's own name may hold the sign."""
    assert one_place(ledger, "Mend the parser of#0") == (one_session(ledger, NAME), 0)
    assert one_place(ledger, "short#1")[1] is None


def test_each_listed_name_is_found(ledger: al.Ledger) -> None:
    ids = [row[0] for row in ledger.sql("SELECT session_id::VARCHAR FROM sessions").fetchall()]
    names = session_names(ledger, ids)
    assert {one_session(ledger, name): name for name in names.values()} == names


def test_a_title_of_before_is_forgotten(tmp_path: Path) -> None:
    """The last one counts, as in the column ``title``."""
    with al.open_ledger(tmp_path / "l.duckdb", in_background=False) as opened:
        al.import_sessions(opened, [session("s1", "First title")])
        al.import_sessions(opened, [session("s1", "Second title")])
        opened.ingest()
        assert sessions_called(opened, "First title") == []
        assert len(sessions_called(opened, "Second title")) == 1


AGAIN = derived_id("run", "again")
MONDAY = datetime.fromisoformat("2026-03-02T09:00")
TUESDAY = datetime.fromisoformat("2026-03-03T09:00")


def test_runs_and_dimensions_say_what_there_is(world: queries.Queryable) -> None:
    """What filter widgets list."""
    live, again, alone = queries.runs(world)
    assert (live.kind, live.attempts, live.refused, live.parsers) == (RunKind.LIVE, 10, 2, ("p-1",))
    assert (again.run_id, again.parent_run_id, again.attempts, again.refused) == (AGAIN, LIVE, 5, None)
    assert alone.attempts == 0
    found = queries.dimensions(world)
    assert found.profiles == ("assistant", "coder")
    assert found.models == ("large", "small")
    assert found.tasks == ("demo", "other")
    assert found.sources == ("jsonl", "live")
    assert found.dialects == ("actions", "json_action", "none", "xml_tags")
    assert (found.first, found.last) == (MONDAY, TUESDAY)


def test_dimensions_of_nothing_are_empty(empty: queries.Queryable) -> None:
    """An empty ledger has nothing to filter by."""
    found = queries.dimensions(empty)
    assert found == queries.Dimensions(*[()] * 12, None, None)
    assert queries.runs(empty) == []


class Listening:
    """A ledger that keeps the statements it is asked."""

    def __init__(self, ledger: queries.Queryable) -> None:
        self.ledger, self.asked = ledger, list[str]()

    def sql(self, query: str, parameters: object = None) -> object:
        """Keep a statement, and answer it."""
        self.asked.append(query)
        return self.ledger.sql(query, parameters)  # type: ignore[arg-type]


def test_a_list_plans_families_only_where_there_are_parents(tmp_path: Path) -> None:
    """Planning them takes a third of a list's time; with a parent, a child still follows it."""
    done = (RecordedTurn(0, "Done."),)
    one, two = (RecordedSession(name, None, "m", "t", done, source="test") for name in ("one", "two"))
    child = RecordedSession("sub", None, "m", "t", done, source="test", parent="one")
    with open_ledger(tmp_path / "team.duckdb") as ledger:
        import_sessions(ledger, [one, two])
        listening = Listening(ledger)
        assert len(queries.sessions(listening)) == 2  # type: ignore[arg-type]
        assert not any("paths" in statement for statement in listening.asked)
        import_sessions(ledger, [child])
        assert {row.external_id: row.depth for row in queries.sessions(listening)} == {  # type: ignore[arg-type]
            "one": 0,
            "two": 0,
            "sub": 1,
        }


def test_a_text_is_found_in_turns_before_the_names_of_sessions(tmp_path: Path) -> None:
    """A session that is called so has more and newer turns than fit on a page; it is named apart."""
    at = datetime(2026, 1, 1, 12)
    turns = [RecordedTurn(place, "Done.", occurred_at=at.replace(minute=place)) for place in range(9)]
    called = replace(session("called", "Deploy it"), turns=turns)
    holds = replace(
        session("holds", "Something else"), turns=[RecordedTurn(0, "I deploy it now.", occurred_at=at)]
    )
    with open_ledger(tmp_path / "team.duckdb") as ledger:
        import_sessions(ledger, [called, holds])
        page = queries.turns_page(ledger, Filter(text="deploy"), limit=3)
        assert page.count == 10
        assert [turn.hit.place for turn in page.turns if turn.hit] == ["response", "name", "name"]
        again = queries.turns_page(ledger, Filter(text="deploy"), limit=3, offset=3)
        assert [turn.turn_index for turn in (*page.turns[1:], *again.turns)] == [8, 7, 6, 5, 4]
        assert [each.title for each in sessions_named_so(ledger, Filter(text="deploy"))] == ["Deploy it"]
        assert sessions_named_so(ledger, Filter(text="deploy", is_failing=True)) == []
