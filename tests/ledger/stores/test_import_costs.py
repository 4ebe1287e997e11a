"""What an import into a lake asks of it: few commits, and no statement about tables that never had rows."""

import re
from contextlib import closing
from pathlib import Path

import pytest

from actionledger.core.ids import new_id
from actionledger.imports import import_path, parts, plan_importer, sessions
from actionledger.ledger import open_ledger
from actionledger.ledger.queries.recorded import known
from actionledger.ledger.storage import internals
from actionledger.ledger.storage.connections import BASE
from actionledger.ledger.storage.lake.connection import connect_lake
from actionledger.ledger.storage.lake.ingester import LakeIngester
from actionledger.ledger.storage.lake.place import LakePlace
from actionledger.ledger.storage.lake.store import LakeStore

DATA = Path(__file__).parents[3] / "data"


def snapshots(path: Path) -> int:
    with closing(connect_lake(LakePlace.read(path))) as connection:
        [(count,)] = connection.execute(f"SELECT count(*) FROM {BASE}.snapshots()").fetchall()
    return int(count)


def test_parts_that_several_processes_read_are_few_commits(lake, monkeypatch) -> None:
    """Each commit queries what is known and writes a file for each table: a lake's parts are larger, and a run's start is no commit of its own."""
    monkeypatch.setattr(plan_importer, "WORTH_BYTES", 0)
    monkeypatch.setattr(parts, "GROUP_BYTES", 20_000)
    monkeypatch.setattr(parts, "SHARED_BYTES", 2**30)
    path = lake("a")
    open_ledger(path, in_background=False).close()
    before = snapshots(path)
    report = import_path(DATA / "agents", path, workers=2)
    assert report.turns > 20
    assert snapshots(path) - before <= 3


class Told:
    """A connection that notes its statements."""

    def __init__(self, connection, statements: list[str]) -> None:
        self._connection, self._statements = connection, statements

    def __getattr__(self, name: str):
        return getattr(self._connection, name)

    def execute(self, statement: str, *values: object):
        self._statements.append(statement)
        return self._connection.execute(statement, *values)


@pytest.fixture
def statements(monkeypatch) -> list[str]:
    """The statements of a lake's ingesters."""
    usual, found = LakeIngester.connect, []
    monkeypatch.setattr(LakeIngester, "connect", lambda ingester: Told(usual(ingester), found))
    return found


@pytest.fixture
def recording(tmp_path) -> Path:
    path = tmp_path / "some.jsonl"
    path.write_text('{"session": "s", "turn": 0, "text": "ok"}\n{"session": "t", "turn": 0, "text": "ok"}\n')
    return path


@pytest.mark.parametrize("little_bytes", [internals.LITTLE_BYTES, 0], ids=["by segments", "directly"])
def test_tables_that_never_had_rows_are_not_queried(
    lake, recording, statements, monkeypatch, little_bytes
) -> None:
    """DuckLake takes longer for a table without a file than for another one."""
    monkeypatch.setattr(internals, "LITTLE_BYTES", little_bytes)
    import_path(recording, lake("a"))
    assert statements
    assert [each for each in statements if re.search(r"(FROM|JOIN) (forgotten|superseded)\b", each)] == []


def test_an_erasure_by_another_host_counts_from_the_next_commit_on(lake, recording, monkeypatch) -> None:
    """The first row of a table is seen, whatever a connection that is kept knew before."""
    monkeypatch.setattr(internals, "LITTLE_BYTES", 0)
    with open_ledger(lake("a"), in_background=False) as ledger:
        import_path(recording, ledger)
        with open_ledger(lake("b"), in_background=False) as other:
            other.forget(["s"])
        import_path(recording, ledger)
        assert len(ledger.sql("FROM turns")) == 1


def test_a_blank_lake_is_not_asked_what_it_has(lake, recording, monkeypatch) -> None:
    """Its catalog tells that nothing was ever committed; what another host has committed is known all the same."""
    asked: list[tuple[str, ...]] = []
    monkeypatch.setattr(
        sessions, "known", lambda ledger, *names: asked.append(names) or known(ledger, *names)
    )
    assert import_path(recording, lake("a")).turns == 2
    assert asked == []
    again = import_path(recording, lake("b"))
    assert (again.turns, again.known, len(asked)) == (0, 2, 1)


def test_segments_that_are_left_are_no_blank_lake(lake, recording) -> None:
    """A killed process has recorded them, and nobody has committed them yet."""
    open_ledger(lake("a"), in_background=False).close()
    with open_ledger(lake("a"), in_background=False) as ledger:
        assert ledger.internals.is_blank()
    place = LakePlace.read(lake("a"))
    segments = LakeStore(place).files.segments
    segments.mkdir(exist_ok=True)
    (segments / f"{new_id()}.1.jsonl").write_text("{}\n")
    with open_ledger(lake("a"), in_background=False) as ledger:
        assert not ledger.internals.is_blank()
