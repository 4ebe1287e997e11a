"""How a reader is shown a small lake: read once into memory, the same rows as where its files are."""

import subprocess
import sys
from pathlib import Path

import pytest

from actionledger.imports import import_path
from actionledger.ledger import open_ledger
from actionledger.ledger.storage.lake import connection
from actionledger.ledger.storage.lake.place import LakePlace
from actionledger.ledger.storage.schema import TABLES, VIEWS

SAMPLES = Path(__file__).parents[3] / "data" / "sessions.jsonl"


@pytest.fixture
def opened(monkeypatch) -> list[bool]:
    """Which readers were given a copy in memory."""
    usual, found = connection._hold, []
    monkeypatch.setattr(connection, "_hold", lambda connection: found.append(True) or usual(connection))
    return found


def everything(path: Path) -> dict[str, list[str]]:
    with open_ledger(path, read_only=True) as ledger:
        return {
            name: sorted(map(repr, ledger.sql(f"FROM {name}").fetchall()))
            for name in (*(table.name for table in TABLES), *VIEWS)
        }


def test_a_small_lake_is_read_once(lake, make, opened, monkeypatch) -> None:
    """Every table and view shows the same; what segments hold beyond is seen, and what comes later."""
    path = lake("a")
    import_path(SAMPLES, path)
    assert not opened, "who writes asks too little for a copy to pay"
    held = everything(path)
    assert opened
    assert sum(map(len, held.values())) > 100
    del opened[:]
    with monkeypatch.context() as large:
        large.setattr(connection, "HELD_BYTES", 0)
        assert everything(path) == held
    assert not opened
    with open_ledger(path, in_background=False) as writer, open_ledger(path, read_only=True) as reader:
        asked = "SELECT count(*) FROM events WHERE code = 'line_refused'"
        assert reader.sql(asked).fetchall() == [(0,)]
        writer.record(make.note("flushed"))
        writer.flush()
        assert reader.sql(asked).fetchall() == [(1,)]
        writer.ingest()
        assert reader.sql(asked).fetchall() == [(1,)]


def test_a_table_without_rows_is_not_read(lake, monkeypatch) -> None:
    """DuckLake takes longer for a table without a file than for another one: it is made empty, with the same columns."""
    path = lake("a")
    import_path(SAMPLES, path)
    usual, asked = connection._hold, []

    class Told:
        def __init__(self, opened) -> None:
            self._opened = opened

        def __getattr__(self, name: str):
            return getattr(self._opened, name)

        def execute(self, statement: str):
            asked.append(statement)
            return self._opened.execute(statement)

    monkeypatch.setattr(connection, "_hold", lambda opened: usual(Told(opened)))
    held = everything(path)
    read = {table.name for table in TABLES if any(f'FROM lake."{table.name}"' in each for each in asked)}
    assert read == {table.name for table in TABLES if held[table.name]}


def test_what_a_reader_was_shown_stays_though_files_go(lake, make, tmp_path) -> None:
    """It needs no file of the lake any more."""
    path = lake("a")
    with open_ledger(path, in_background=False) as writer:
        for number in range(3):
            writer.record(make.note(str(number)))
            writer.ingest()
        with open_ledger(path, read_only=True) as reader:
            held = reader.sql("FROM events").fetchall()
            data = Path(LakePlace.read(path).data_path)
            data.rename(f"{tmp_path}/gone")
            found = reader.sql("SELECT message FROM events").fetchall()
            assert found == [(str(number),) for number in range(len(held))]
            Path(f"{tmp_path}/gone").rename(data)


def test_a_reader_loads_no_module_for_writing(lake) -> None:
    """With what a commit needs, a report on a lake takes half as long again."""
    path = lake("a")
    import_path(SAMPLES, path)
    script = (
        "import sys; from actionledger.ledger import open_ledger\n"
        f"with open_ledger({str(path)!r}, read_only=True) as ledger: ledger.sql('FROM turns').fetchall()\n"
        "print({'pydantic', 'nanoarrow', 'tenacity'} & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout == "set()\n"
