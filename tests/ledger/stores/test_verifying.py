"""Whether a ledger holds what was taken in is shown wherever its tables lie: in one file, and in a lake host by host."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path

import duckdb
import pytest
from lakes import why_no_lake, write_place

from actionledger.core.errors import LedgerError
from actionledger.ledger import open_ledger
from actionledger.ledger.storage.chain import SPAN
from actionledger.ledger.storage.connections import transaction
from actionledger.ledger.storage.files import LedgerFiles
from actionledger.ledger.storage.insertion import ErasedSessions
from actionledger.ledger.storage.lake import forgetting as in_lake, tables
from actionledger.ledger.storage.lake.committer import compact, timedelta
from actionledger.ledger.storage.lake.connection import connect_lake
from actionledger.ledger.storage.lake.place import LakePlace, is_place
from actionledger.ledger.storage.loading import Loader
from actionledger.ledger.storage.local import store_at, verify
from actionledger.ledger.storage.preparation import prepare
from actionledger.ledger.storage.schema import Table
from actionledger.ledger.storage.stored import PROVEN
from actionledger.ledger.upkeep.relocation import migrate

OTHER = {
    "VARCHAR": "'another'",
    "JSON": "'[\"another\"]'::JSON",
    "UUID": "uuid()",
    "BOOLEAN": "NOT coalesce({0}, false)",
    "TIMESTAMP": "{0} + INTERVAL 1 MICROSECOND",
}
"""What stands in the place of a value that somebody changes, by its column's type; of numbers one more."""


@contextmanager
def plain(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A DuckDB of somebody else's, whose current database are a ledger's tables."""
    if not is_place(path):
        with duckdb.connect(str(path)) as connection:
            yield connection
        return
    with closing(connect_lake(LakePlace.read(path), writes=True)) as connection:
        connection.execute("USE base")
        yield connection


def changed(path: Path, *statements: str) -> None:
    with plain(path) as connection, transaction(connection):
        for statement in statements:
            connection.execute(statement).fetchall()


def one_row(connection: duckdb.DuckDBPyConnection, table: Table) -> str:
    """Return the condition that one row of a table has."""
    columns = ", ".join(f'"{name}"' for name in table.columns)
    connection.execute(f"CREATE OR REPLACE TEMP TABLE one AS SELECT {columns} FROM {table.name} LIMIT 1")
    same = " AND ".join(f't."{name}" IS NOT DISTINCT FROM o."{name}"' for name in table.columns)
    return f"EXISTS (SELECT 1 FROM temp.one AS o WHERE {same})"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, make_any) -> Callable[[str], Path]:
    """Returns a folder with a ledger of a kind that has rows in every table, and that two hosts have written to by turns."""

    @cache
    def made_of(kind: str) -> Path:
        folder, make = tmp_path_factory.mktemp("made"), make_any()
        for host in ("here", "there", "here"):
            with open_ledger(at_host(folder, kind, host), in_background=False) as ledger:
                for event in make.one_of_each():
                    ledger.record(event)
                ledger.internals.record_lines([f"nonsense of {host}\n".encode()])
                ledger.ingest()
                old, new = make.response("old"), make.response("new")
                for event in (old, new, make.superseded(old.turn_id, new.turn_id)):
                    ledger.record(event)
        return folder

    return made_of


def at_host(folder: Path, kind: str, host: str) -> Path:
    """Return the path of the ledger in a folder, as a host has it."""
    if kind == "one file":
        return folder / "team.duckdb"
    return write_place(folder / host, f"sqlite:{folder}/catalog.sqlite", f"{folder}/data", host)


@pytest.fixture(params=["one file", "lake"])
def place(request, made, tmp_path) -> Callable[[str], Path]:
    """Returns the path of one and the same ledger, as the host of a name has it: a copy of what was made."""
    if request.param == "lake" and (why := why_no_lake()):
        pytest.skip(f"no lake: {why}")
    folder = tmp_path / "copy"
    shutil.copytree(made(request.param), folder)
    if request.param == "lake":
        with closing(sqlite3.connect(folder / "catalog.sqlite")) as catalog, catalog:
            catalog.execute(
                "UPDATE ducklake_metadata SET value = ? WHERE key = 'data_path'", [f"{folder}/data/"]
            )
    return lambda host: at_host(folder, request.param, host)


@pytest.fixture
def recorded(place) -> Path:
    """The ledger, as the host has it that has written last."""
    return place("here")


def test_what_nobody_has_touched_is_whole(recorded) -> None:
    """Every row is looked at; each host has a chain of its own, and the report says of each what was."""
    found = verify(recorded)
    assert found.faults == ()
    assert found.notes == ()
    with plain(recorded) as connection:
        counts = [connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in PROVEN]
    assert all(counts)
    assert found.rows == sum(counts)
    hosts = ["", "here", "there"] if is_place(recorded) else [""]
    assert [each.host for each in found.chains] == hosts
    assert all(each.rows for each in found.chains[1:])
    assert verify(recorded, since=found.head).is_whole


def test_a_cell_that_was_changed_is_found_in_every_table(recorded) -> None:
    """Each by its table, and in a lake by its host."""
    with plain(recorded) as connection:
        for name, table in PROVEN.items():
            column, kind = list(table.columns.items())[-1]
            other = OTHER.get(kind, "coalesce({0}, 0) + 1").format(f'"{column}"')
            connection.execute(
                f'UPDATE {name} AS t SET "{column}" = {other} WHERE {one_row(connection, table)}'
            )
    found = verify(recorded)
    assert {fault.table for fault in found.faults} == PROVEN.keys()
    if is_place(recorded):
        assert all(fault.sentence.startswith("Of host ") for fault in found.faults)


@pytest.mark.parametrize(
    "link", ["link", "NULL", "9000000000007 // {0}"], ids=["its link", "no link", "a link of nobody"]
)
def test_a_row_that_was_added_is_found_in_every_table(recorded, link) -> None:
    """As part of what a link took in, of no chain at all, or of one that there is not."""
    link = link.format(1 if is_place(recorded) else 9_000)
    with plain(recorded) as connection:
        for name in PROVEN:
            connection.execute(f"INSERT INTO {name} SELECT * REPLACE ({link} AS link) FROM {name} LIMIT 1")
    assert {fault.table for fault in verify(recorded).faults} == PROVEN.keys()


@pytest.mark.parametrize("table", ["turn_starts", "session_starts", "actions", "quarantine"])
def test_a_row_that_is_gone_is_found(recorded, table) -> None:
    """With the table where what is left says so; one line that can't be read belongs to nothing else."""
    with plain(recorded) as connection:
        connection.execute(f"DELETE FROM {table} AS t WHERE {one_row(connection, PROVEN[table])}")
    assert table in {fault.table for fault in verify(recorded).faults} or table == "quarantine"
    assert not verify(recorded).is_whole


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM links",
        "DELETE FROM links WHERE link = (SELECT max(link) - 1 FROM links)",
        f"DELETE FROM links WHERE link BETWEEN {SPAN} AND {2 * SPAN - 1} OR link = 1",
        "UPDATE links SET seed = seed || '0' WHERE seed IS NOT NULL",
        "UPDATE links SET head = repeat('0', 64) WHERE link = (SELECT max(link) FROM links)",
        "UPDATE salts SET salt = uuid()",
        "INSERT INTO links FROM links ORDER BY link DESC LIMIT 1",
        "DELETE FROM withdrawn",
        "UPDATE turn_starts SET link = (SELECT max(link) FROM turn_starts)",
        "CREATE OR REPLACE VIEW runs AS SELECT * FROM run_starts WHERE false",
        "DROP TABLE reversals",
    ],
)
def test_the_chain_and_what_people_read_can_not_be_changed(recorded, statement) -> None:
    """Who changes a link has to make all behind it anew."""
    changed(recorded, statement)
    assert not verify(recorded).is_whole


def test_what_is_forgotten_is_known_to_be(place, recorded) -> None:
    """Rows that each of two hosts took in: nothing is missing since a head of before, and no salt of them is left."""
    with open_ledger(place("there"), in_background=False) as other:
        other.record_turn("bad", "Hello.", profile="mint")
    with open_ledger(recorded, in_background=False) as ledger:
        ledger.record_turn("bad", "Hello again.", profile="mint")
        head = ledger.verify().head
        [(session,)] = ledger.sql("SELECT session_id FROM sessions WHERE external_id = 'bad'").fetchall()
        ledger.forget(["bad"])
    found = verify(recorded, since=head)
    assert found.faults == ()
    assert found.forgotten
    with plain(recorded) as connection:
        asked = "SELECT count(*) FROM salts WHERE owner = ?::UUID"
        assert connection.execute(asked, [str(session)]).fetchall() == [(0,)]
    changed(recorded, "DELETE FROM withdrawn WHERE reason = 'forgotten'")
    assert not verify(recorded).is_whole


def test_what_comes_in_beside_a_forgetting_goes_rightly(lake, make, monkeypatch) -> None:
    """Another host commits before it knows of it."""
    here, there = lake("here"), lake("there")
    usual = in_lake.forget_records

    def with_another(*given) -> None:
        usual(*given)
        with monkeypatch.context() as patched, open_ledger(there, in_background=False) as other:
            patched.setattr(Loader, "_forgotten", lambda _: ErasedSessions([]))
            other.record(make.response("late"))

    with open_ledger(here, in_background=False) as ledger:
        for event in make.one_of_each():
            ledger.record(event)
        ledger.ingest()
        monkeypatch.setattr(in_lake, "forget_records", with_another)
        ledger.forget(["s1"])
        assert ledger.sql("SELECT count(*) FROM turns").fetchall() == [(0,)]
        found = ledger.verify()
    assert found.faults == ()
    assert [each.rows for each in found.chains if each.host == "there"] == [0]


def test_what_was_compacted_is_as_it_was(recorded) -> None:
    """Small files joined, and the past let go of."""
    if not is_place(recorded):
        pytest.skip("one file is not compacted")
    before = verify(recorded)
    assert compact(LakePlace.read(recorded), keep=timedelta(0)).files_after
    assert verify(recorded, since=before.head) == before


def test_a_state_of_the_past_is_looked_at_as_it_was(recorded) -> None:
    """What this host committed since is not missed there; what was kept since is."""
    if not is_place(recorded):
        pytest.skip("one file keeps no past")
    state = store_at(recorded, read_only=True).state()
    with open_ledger(recorded, in_background=False) as ledger:
        before = ledger.verify()
        ledger.record_turn("s2", "Hello.", profile="mint")
        after = ledger.verify()
    changed(recorded, "UPDATE turn_starts SET text = 'another'")
    assert not verify(recorded).is_whole
    with open_ledger(recorded, as_of=state) as past:
        assert past.verify(since=before.head) == before
        assert not past.verify(since=after.head).is_whole


def test_a_chain_comes_along_into_a_lake(tmp_path, lake, make) -> None:
    """A head that was kept of the file counts there, beside the chains of the lake's hosts; of a file that is made of it, nothing counts but its own."""
    path, back = tmp_path / "file.duckdb", tmp_path / "back.duckdb"
    with open_ledger(path, in_background=False) as ledger:
        for event in make.one_of_each():
            ledger.record(event)
        ledger.ingest()
        ledger.record_turn("bad", "Hello.", profile="mint")
        ledger.forget(["bad"])
        before = ledger.verify()
    migrate(path, lake("here"))
    found = verify(lake("here"), since=before.head)
    assert (found.faults, found.chains, found.forgotten) == ((), before.chains, before.forgotten)
    with open_ledger(lake("here"), in_background=False) as ledger:
        ledger.record_turn("s2", "Hello.", profile="mint")
    after = verify(lake("here"), since=before.head)
    assert after.is_whole
    assert after.chains[0] == before.chains[0]
    migrate(lake("here"), back)
    found = verify(back)
    assert found.is_whole
    assert found.unproven == found.rows == after.rows
    assert not verify(back, since=after.head).is_whole
    changed(lake("here"), "UPDATE run_starts SET name = 'another'")
    assert verify(lake("here")).faults[0].table == "run_starts"


def test_a_lake_that_was_set_back_is_found_where_a_host_has_kept_its_head(lake) -> None:
    """All of its last commit is gone, and no other host can tell; it goes on with another chain."""
    here = lake("here")
    for path in (here, lake("there"), here):
        with open_ledger(path, in_background=False) as ledger:
            ledger.record_turn("s1", "Hello.", profile="mint")
    with plain(here) as connection:
        [(link,)] = connection.execute(f"SELECT max(link) FROM links WHERE link < {2 * SPAN}").fetchall()
    changed(here, *(f"DELETE FROM {name} WHERE link = {link}" for name in (*PROVEN, "salts", "links")))
    [fault] = verify(here).faults
    assert fault.sentence.startswith(f"Of host here: The head that was kept is of link {link}")
    with open_ledger(here, in_background=False) as ledger:
        ledger.record_turn("s2", "Hello.", profile="mint")
    found = verify(lake("there"))
    assert found.is_whole
    assert [each.host for each in found.chains] == ["", "here", "there", "here"]
    assert not verify(here).is_whole


def test_a_whole_host_that_is_gone_is_found(recorded) -> None:
    """As a gap where there are chains behind it; the last one only by a head that was kept elsewhere."""
    if not is_place(recorded):
        pytest.skip("one file has one chain")
    head = verify(recorded).head
    tables = (*PROVEN, "salts", "links")
    changed(recorded, *(f"DELETE FROM {name} WHERE link >= {2 * SPAN}" for name in tables))
    assert verify(recorded).is_whole
    [fault] = verify(recorded, since=head).faults
    assert "its chain is gone" in fault.sentence


def test_a_host_whose_folder_is_gone_begins_another_chain(lake) -> None:
    """A file that says how far a chain has come, and is damaged, is refused with what to do."""
    path = lake("here")
    for turn in range(2):
        with open_ledger(path, in_background=False) as ledger:
            ledger.record_turn("s1", f"Hello {turn}.", profile="mint")
        shutil.rmtree(LedgerFiles.at(path).folder)
    found = verify(path)
    assert found.is_whole
    assert [each.host for each in found.chains] == ["", "here", "here"]
    with open_ledger(path, in_background=False) as ledger:
        heads = LedgerFiles.at(path).heads
        heads.write_text("latest")
        ledger.record_turn("s1", "Hello.", profile="mint")
        with pytest.raises(LedgerError, match=r"heads .* can't be read .* remove it"):
            ledger.ingest()
        heads.unlink()


def test_a_lake_that_is_older_than_chains_is_proven_from_then_on(lake, make, monkeypatch) -> None:
    """Nothing can be shown of it until it is opened for writing, and then that it stays as it is."""
    path = lake("here")
    with monkeypatch.context() as patched:
        patched.setattr(tables, "_LINK_TYPE", "INTEGER")
        patched.setattr(tables, "begin", lambda _: None)
        open_ledger(path, in_background=False).close()
    with plain(path) as connection:
        Loader(connection).load_prepared(prepare([make.response(), make.parsed()]))
    found = verify(path)
    assert found.chains == ()
    assert "before its hosts kept proofs" in found.notes[0]
    assert not verify(path, since=f"0:{'0' * 64}").is_whole
    with open_ledger(path, in_background=False) as ledger:
        ledger.record_turn("s1", "Hello.", profile="mint")
    found = verify(path)
    assert found.is_whole
    assert found.rows > found.unproven > 0
    changed(path, "UPDATE turn_starts SET text = 'another' WHERE link IS NULL")
    assert verify(path).faults[0].table == "turn_starts"
