"""A session is found by whatever it is called, and several of one name are listed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import actionledger as al
from actionledger.core.errors import UsageError
from actionledger.ledger.queries.names import one_place, one_session, session_names, sessions_called

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
    """By the same resolver."""
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
