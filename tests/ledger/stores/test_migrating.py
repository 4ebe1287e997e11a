"""A whole ledger from one file into a lake and back."""

import shutil

import duckdb
import pytest

from actionledger.core.errors import LedgerError, UsageError
from actionledger.ledger import open_ledger
from actionledger.ledger.storage.files import LedgerFiles
from actionledger.ledger.storage.lake import committer
from actionledger.ledger.storage.schema import TABLES
from actionledger.ledger.upkeep import relocation
from actionledger.ledger.upkeep.forgetting.intent import Intent
from actionledger.ledger.upkeep.relocation import migrate

NAMES = [*(table.name for table in TABLES), "quarantine"]


@pytest.fixture
def file(tmp_path, make):
    """A ledger in one file that has rows in every table, and something in the folder beside it."""
    path = tmp_path / "team.duckdb"
    with open_ledger(path, in_background=False) as ledger:
        for event in make.one_of_each():
            ledger.record(event)
        ledger.record(make.response("🫖 é\r\n\x00 茶"))
        ledger.internals.record_lines([b"nonsense\n"])
        ledger.effects.mkdir()
        (ledger.effects / "e").write_text("kept")
    return path


def content(path) -> dict[str, list[tuple[object, ...]]]:
    with open_ledger(path, read_only=True) as ledger:
        columns = {table.name: ", ".join(f'"{name}"' for name in table.columns) for table in TABLES}
        return {
            name: sorted(ledger.sql(f"SELECT {columns.get(name, '*')} FROM {name}").fetchall(), key=repr)
            for name in NAMES
        }


def test_there_and_back_nothing_is_lost(file, lake, tmp_path) -> None:
    """Every row of every table, counted as well by a query that shares nothing with the migration."""
    there, back = lake("here"), tmp_path / "back.duckdb"
    done = migrate(file, there)
    assert set(done.rows) == set(NAMES)
    assert all(done.rows.values())
    assert content(there) == content(file)
    assert migrate(there, back) == done
    assert content(back) == content(file)
    with duckdb.connect(str(file), read_only=True) as old, duckdb.connect(str(back), read_only=True) as new:
        for name in NAMES:
            asked = f"SELECT count(*) FROM {name}"
            assert old.execute(asked).fetchall() == new.execute(asked).fetchall()
        asked = "SELECT created_at FROM meta"
        assert old.execute(asked).fetchall() == new.execute(asked).fetchall()
    assert (tmp_path / "back.duckdb.d" / "effects" / "e").read_text() == "kept"
    with open_ledger(back, in_background=False) as ledger:
        assert ledger.ingest().events == 0


def test_a_target_that_holds_something_is_refused(file, lake, tmp_path) -> None:
    """And stays as it is; so does one of the same kind."""
    there = lake("here")
    migrate(file, there)
    with pytest.raises(LedgerError, match="holds rows already, in run_starts"):
        migrate(file, there)
    assert content(there) == content(file)
    with pytest.raises(LedgerError, match="a migration needs the path of a new file"):
        migrate(there, file)
    with pytest.raises(UsageError, match="both files"):
        migrate(file, tmp_path / "other.duckdb")
    with pytest.raises(UsageError, match="is a folder"):
        migrate(file, tmp_path)
    with pytest.raises(UsageError, match="both lakes"):
        migrate(there, lake("there"))


@pytest.mark.parametrize("fails_at", ["actions", "quarantine"])
def test_one_that_is_stopped_leaves_nothing_and_can_be_tried_again(
    file, lake, tmp_path, monkeypatch, fails_at
) -> None:
    """In whichever table; neither a lake nor a file has any of it."""
    usual = relocation._content

    def spoiled(connection, place, table, columns):
        count, total = usual(connection, place, table, columns)
        return (count, total + (table.name == fails_at and place == spoiled.place))

    there, back = lake("here"), tmp_path / "back.duckdb"
    with monkeypatch.context() as patched:
        spoiled.place = "base"
        patched.setattr(relocation, "_content", spoiled)
        with pytest.raises(LedgerError, match=f"The table {fails_at} has"):
            migrate(file, there)
    assert not any(content(there).values())
    migrate(file, there)
    with monkeypatch.context() as patched:
        spoiled.place = "other"
        patched.setattr(relocation, "_content", spoiled)
        with pytest.raises(LedgerError, match=f"The table {fails_at} has"):
            migrate(there, back)
    assert not back.exists()
    assert not list(tmp_path.glob("*.migrating*"))
    migrate(there, back)
    assert content(back) == content(file)


def test_a_ledger_that_somebody_writes_to_is_refused(file, lake, make) -> None:
    """What comes meanwhile would be in neither place for sure."""
    with open_ledger(file, in_background=False) as writer:
        writer.record(make.note())
        writer.flush()
        with pytest.raises(LedgerError, match="Somebody still writes"):
            migrate(file, lake("here"))


def test_a_ledger_that_is_being_made_to_forget_is_refused(file, lake) -> None:
    """Whoever was killed at it has left sessions that are to go, and nobody would know of them in the other place."""
    Intent.of(["s"], [], [], forgotten_by="ann", why="").save(LedgerFiles.at(file))
    with pytest.raises(LedgerError, match="are being forgotten"):
        migrate(file, lake("here"))


def test_small_files_are_joined_and_the_past_is_let_go(lake, make, monkeypatch) -> None:
    """The rows stay; a state that is gone is refused with a sentence."""
    path = lake("here")
    with open_ledger(path, in_background=False) as ledger:
        for number in range(4):
            ledger.record(make.note(str(number)))
            ledger.ingest()
        first = ledger._store.state() - 3
        with open_ledger(path, as_of=first) as past:
            assert len(past.sql("FROM events")) == 1
        monkeypatch.setattr(committer, "_UNUSED_FOR", committer.timedelta(0))
        done = committer.compact(ledger._store.place, keep=committer.timedelta(0))
        assert done.files_after < done.files_before
        assert done.snapshots_expired > 3
        assert done.files_removed > 0
        assert len(ledger.sql("FROM events")) == 4
        with pytest.raises(LedgerError, match="no snapshot"):
            open_ledger(path, as_of=first)
    shutil.rmtree(path.parent / "team.toml.d")
    with open_ledger(path, read_only=True) as ledger:
        assert len(ledger.sql("FROM events")) == 4
