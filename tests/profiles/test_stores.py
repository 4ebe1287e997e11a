"""The SQLite file of a profile: its owner's alone, changed at once or not at all, closed for good."""

import os
import sqlite3
from contextlib import closing
from threading import Thread

import pytest

from actionledger.core.errors import ActionError, UsageError
from actionledger.core.vocabulary import Reason
from actionledger.profiles.assistant.records import MEMORY, TASK, AssistantStore
from actionledger.profiles.orchestrator.request_queue import OrchestratorStore
from actionledger.profiles.orchestrator.tracker import Tracker
from actionledger.profiles.reasoner.store import PERSONA, Persona, PersonaStore
from actionledger.profiles.stores import SqliteStore

NAMES = "漢字 👩\u200d👧 e\u0301 one\r\ntwo \0 end"

STORES = {"assistant": AssistantStore, "orchestrator": OrchestratorStore, "reasoner": PersonaStore}


class Words(SqliteStore):
    owner = "test"
    tables = ("words (word TEXT NOT NULL UNIQUE)",)


@pytest.fixture
def words(tmp_path):
    with Words(tmp_path / "w.sqlite") as opened:
        yield opened


def kept(store: SqliteStore) -> list[str]:
    return [row["word"] for row in store.rows("SELECT word FROM words")]


@pytest.fixture
def _open_to_all():
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("_open_to_all")
@pytest.mark.parametrize("make", STORES.values(), ids=STORES)
def test_a_file_is_for_its_owner_alone(make, tmp_path):
    """Whatever the process's mask; so are the files that SQLite puts beside it, and one that was made otherwise."""
    old = tmp_path / "old.sqlite"
    old.touch(mode=0o666)
    for path in (tmp_path / "new.sqlite", old):
        with make(path) as store, store.writing():
            modes = {each.name: each.stat().st_mode & 0o777 for each in tmp_path.glob(f"{path.name}*")}
        assert len(modes) > 1
        assert set(modes.values()) == {0o600}, modes


@pytest.mark.parametrize("make", STORES.values(), ids=STORES)
def test_a_file_that_is_something_else_stays_as_it_is(make, tmp_path):
    path = tmp_path / "s.sqlite"
    path.write_bytes(b"no database at all, but long enough to be looked at as one" * 20)
    before = path.read_bytes()
    with pytest.raises(UsageError, match=r"is not a store of the \w+: .*; move it away"), make(path) as store:
        store.rows("SELECT 1")
    assert path.read_bytes() == before


def test_a_link_is_not_followed(tmp_path):
    """Who put it there would have the file made elsewhere."""
    (tmp_path / "s.sqlite").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ActionError, match="can't be used") as caught, Words(tmp_path / "s.sqlite") as store:
        kept(store)
    assert caught.value.reason == Reason.DISK_ERROR
    assert not (tmp_path / "elsewhere").exists()


def test_changes_are_made_together_or_not_at_all(words):
    def both(second: str) -> None:
        with words.writing() as cursor:
            cursor.execute("INSERT INTO words VALUES (?)", (NAMES,))
            cursor.execute("INSERT INTO words VALUES (?)", (second,))

    with pytest.raises(sqlite3.IntegrityError):
        both(NAMES)
    assert kept(words) == []
    both("other")
    assert kept(words) == [NAMES, "other"]


def test_a_statement_alone_is_a_change_of_its_own(words):
    """Another session sees it at once, and can write: no row of it is left waiting."""
    (row,) = words.rows("INSERT INTO words VALUES ('a') RETURNING *")
    with closing(sqlite3.connect(words.path, timeout=0)) as other:
        other.execute("INSERT INTO words VALUES ('b')")
        other.commit()
    assert (row["word"], kept(words)) == ("a", ["a", "b"])


def test_a_fault_of_the_callers_own_is_told_as_it_is(words):
    """An error of a file within a change is none of the store's."""
    with pytest.raises(FileNotFoundError), words.writing():
        raise FileNotFoundError("mine")
    assert kept(words) == []


@pytest.mark.parametrize("make", STORES.values(), ids=STORES)
def test_what_is_closed_stays_closed(make, tmp_path):
    """A handler that is left behind opens nothing anew; closing twice does nothing."""
    store = make(tmp_path / "s.sqlite")
    with store.writing():
        pass
    store.close()
    store.close()
    with pytest.raises(sqlite3.ProgrammingError, match=r"store of the \w+ is closed"):
        store.rows("SELECT 1")


def test_one_thread_at_a_time(words):
    def add(first: int) -> None:
        for number in range(first, first + 20):
            with words.writing() as cursor:
                cursor.execute("INSERT INTO words VALUES (?)", (str(number),))

    threads = [Thread(target=add, args=(first,)) for first in (0, 20, 40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(int, kept(words))) == list(range(60))


def made(path, *statements: str) -> None:
    """A file as the version before made it."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def test_an_assistants_file_of_before_goes_on(tmp_path):
    made(
        tmp_path / "a.sqlite",
        "CREATE TABLE tasks (id INTEGER PRIMARY KEY AUTOINCREMENT, content TEXT NOT NULL, notes TEXT NOT NULL, "
        "status TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL)",
        f"INSERT INTO tasks VALUES (7, '{NAMES.replace(chr(0), '')}', '', 'pending', '2026-01-01', '2026-01-01')",
    )
    with AssistantStore(tmp_path / "a.sqlite") as store:
        assert store.get(TASK, 7)["content"] == NAMES.replace("\0", "")
        assert store.add(TASK, {"content": NAMES, "notes": "", "status": "pending"})["id"] == 8
        assert store.find(MEMORY, limit=5) == []
        assert [each["id"] for each in store.find(TASK, limit=5, query="ONE\r\nTWO")] == [7, 8]


def test_an_orchestrators_file_of_before_goes_on(tmp_path):
    made(
        tmp_path / "o.sqlite",
        "CREATE TABLE issues (number INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, body TEXT NOT NULL, "
        "labels TEXT NOT NULL, is_open INTEGER NOT NULL DEFAULT 1, created_at TEXT NOT NULL, origin TEXT NOT NULL)",
        "INSERT INTO issues VALUES (3, 'Old', '', '[]', 1, '2026-01-01T00:00:00+00:00', 'o')",
    )
    with OrchestratorStore(tmp_path / "o.sqlite") as store:
        assert [(each.number, each.title) for each in Tracker(store).issues()] == [(3, "Old")]
        store.set("name", NAMES)
        assert store.setting("name") == NAMES


def test_a_reasoners_file_of_before_goes_on(tmp_path):
    ada = PERSONA.dump_json(Persona(name="Ada")).decode()
    made(
        tmp_path / "r.sqlite",
        "CREATE TABLE steps (step INTEGER PRIMARY KEY AUTOINCREMENT, action TEXT NOT NULL, made_at TEXT NOT NULL, "
        "persona TEXT NOT NULL)",
        f"INSERT INTO steps VALUES (4, 'begin', '2026-01-01T00:00:00.000+00:00', '{ada}')",
    )
    with PersonaStore(tmp_path / "r.sqlite") as store:
        assert (store.step.step, store.persona.name) == (4, "Ada")
        store.say("User", NAMES)
        assert [line.text for line in store.conversation(2)] == [NAMES]


FIELDS = {"content": "tea", "notes": "", "status": "pending"}


@pytest.fixture
def assistant_store(tmp_path):
    opened = AssistantStore(tmp_path / "s.sqlite")
    opened.rows("PRAGMA busy_timeout = 0")
    yield opened
    opened.close()


def test_a_locked_file_is_worth_another_try(assistant_store, tmp_path):
    """Nothing was written, and the same works as soon as the other is done."""
    other = sqlite3.connect(tmp_path / "s.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(ActionError, match="Another session") as caught:
        assistant_store.add(TASK, FIELDS)
    assert (caught.value.reason, caught.value.transient) == (Reason.UNAVAILABLE, True)
    other.execute("COMMIT")
    assert assistant_store.add(TASK, FIELDS)["id"] == 1
    other.close()


def test_another_fault_is_none_of_the_models(assistant_store):
    """A table that is missing is an error of ours."""
    assistant_store.rows("DROP TABLE tasks")
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        assistant_store.add(TASK, FIELDS)
