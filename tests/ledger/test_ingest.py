"""The ingester: takes in, publishes, clears away."""

import fcntl
import shutil
from contextlib import closing

import duckdb
import pytest

from actionledger.errors import LedgerError
from actionledger.ledger import Ledger, ingest as ingest_module, open_ledger, publishing
from actionledger.ledger.files import LedgerFiles
from actionledger.ledger.ingest import IngestReport, ingest


@pytest.fixture
def files(ledger) -> LedgerFiles:
    return LedgerFiles.at(ledger.path)


def published(ledger: Ledger, query: str) -> list[tuple[object, ...]]:
    """Ask plain DuckDB, as anybody may."""
    with duckdb.connect(str(ledger.path), read_only=True) as plain:
        return plain.execute(query).fetchall()


def segments(ledger: Ledger) -> list[str]:
    return [path.name for path in LedgerFiles.at(ledger.path).segments.iterdir()]


def test_what_was_recorded_is_published(ledger, make) -> None:
    """After an ingest plain DuckDB finds everything in tables and views."""
    for event in make.one_of_each():
        ledger.record(event)
    assert ledger.ingest() == IngestReport(events=14, published=True)
    assert published(ledger, "SELECT status FROM executions") == [("interrupted",)]
    assert published(ledger, "SELECT text, characters FROM turns") == [("hello", 5)]
    assert published(ledger, "SELECT metadata ->> '$.a', success FROM sessions") == [("1", True)]
    assert published(ledger, "SELECT turns FROM runs") == [(1,)]
    assert published(ledger, "SELECT count(*) FROM events") == [(14,)]


def test_recording_twice_doubles_nothing(ledger, make) -> None:
    """The same events again are passed over with all their rows."""
    events = make.one_of_each()
    for expected in (IngestReport(events=14, published=True), IngestReport(duplicates=14, published=True)):
        for event in events:
            ledger.record(event)
        assert ledger.ingest() == expected
    for table in ("events", "turns", "actions", "repairs", "validation_errors", "parsers"):
        (count,) = ledger.sql(f"SELECT count(*) FROM {table}").fetchone()
        assert count == {"events": 14, "actions": 2}.get(table, 1), table


def test_nothing_new_does_nothing(ledger, make) -> None:
    """Without anything recorded nothing is copied, though the writer's segment is still there."""
    assert ledger.ingest() == IngestReport()
    ledger.record(make.note())
    ledger.ingest()
    before = ledger.path.stat().st_ino
    assert ledger.ingest() == IngestReport()
    assert ledger.path.stat().st_ino == before


def test_an_unreadable_line_is_put_aside(ledger, make, files) -> None:
    """Ingest goes on behind a damaged line, which is kept with its place."""
    ledger.record(make.note())
    ledger.flush()
    (segment,) = files.segments.iterdir()
    with segment.open("ab") as file:
        file.write(b'{"kind": "moon_landed"}\nnonsense\n')
    ledger.record(make.note())
    assert ledger.ingest() == IngestReport(events=2, quarantined=2, published=True)
    rows = published(ledger, "SELECT segment, line FROM quarantine ORDER BY byte_offset")
    assert rows == [(segment.name, '{"kind": "moon_landed"}'), (segment.name, "nonsense")]
    assert ledger.sql("SELECT count(*) FROM quarantine").fetchall() == [(2,)]


def test_a_dead_writers_half_line_is_put_aside(ledger, files) -> None:
    """Half a line waits as long as its writer lives; then it is put aside, and the segment goes."""
    segment = files.segments / "dead.000000.jsonl"
    with segment.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(b'{"kind": "syst')
        file.flush()
        assert ledger.ingest() == IngestReport()
        assert segment.exists()
    assert ledger.ingest() == IngestReport(quarantined=1, published=True)
    assert published(ledger, "SELECT reason, line, byte_offset FROM quarantine") == [
        ("cut off", '{"kind": "syst', 0)
    ]
    assert not segment.exists()


def test_a_segment_stays_while_its_writer_lives(ledger, make) -> None:
    """It goes with the first ingest after that; the bookkeeping goes with it."""
    ledger.record(make.note())
    ledger.ingest()
    assert len(segments(ledger)) == 1
    ledger.close()
    assert segments(ledger) == []
    with open_ledger(ledger.path) as again:
        again.record(make.note())
        again.ingest()
        assert [name for (name,) in published(again, "SELECT name FROM segments")] == segments(again)


def test_while_another_ingests_nothing_is_done(ledger, make, files) -> None:
    """The lock elects one ingester; what was flushed waits for it, and queries see it all the same."""
    ledger.record(make.note())
    with files.ingest_lock.open("r+b") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert ledger.ingest() == IngestReport(was_busy=True)
        assert ledger.sql("SELECT count(*) FROM events").fetchall() == [(1,)]
    assert ledger.ingest().events == 1


def test_a_large_ledger_is_published_more_rarely(ledger, make, monkeypatch) -> None:
    """A copy that isn't worth its cost is not made; segments stay, and queries see all."""
    monkeypatch.setattr(ingest_module, "SMALL_BYTES", 0)
    ledger.record(make.note("first"))
    assert ledger.ingest() == IngestReport(events=1)
    assert published(ledger, "SELECT count(*) FROM events") == [(0,)]
    assert ledger.sql("SELECT message FROM events").fetchall() == [("first",)]
    ledger.close()
    assert len(segments(ledger)) == 1
    monkeypatch.setattr(publishing, "_SHARE_OF_TIME", 0)
    with open_ledger(ledger.path) as again:
        assert again.ingest() == IngestReport(published=True)
    assert published(ledger, "SELECT message FROM events") == [("first",)]
    assert segments(ledger) == []


def test_an_ingester_that_was_killed_before_publishing_is_made_up_for(
    ledger, make, files, monkeypatch
) -> None:
    """What is in the working file but not in the published copy is published by the next ingest."""
    ledger.record(make.note())

    def fail(_files: LedgerFiles) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr(ingest_module, "publish", fail)
        with pytest.raises(KeyboardInterrupt):
            ledger.ingest()
    assert ledger.ingest() == IngestReport(published=True)
    assert published(ledger, "SELECT count(*) FROM events") == [(1,)]


def test_what_a_killed_ingester_left_is_removed(ledger, make, files) -> None:
    """Temporary files of the dead go with the next ingest."""
    (files.folder / "tmp-published.duckdb").write_bytes(b"half")
    (files.folder / "tmp-abc").mkdir()
    (files.folder / "tmp-abc" / "events.ndjson").touch()
    ledger.record(make.note())
    ledger.ingest()
    assert not list(files.folder.glob("tmp-*"))


def test_a_full_disk_is_one_sentence_and_loses_nothing(ledger, make, files, monkeypatch) -> None:
    """An error of the system while taking in is said once; the segments still hold everything."""

    def fail(*_paths: object) -> None:
        raise OSError(28, "No space left on device")

    ledger.record(make.note())
    with monkeypatch.context() as full:
        full.setattr(shutil, "copyfile", fail)
        with pytest.raises(LedgerError, match=r"can't take in what was recorded: No space left on device\.$"):
            ledger.ingest()
        assert ledger.sql("SELECT count(*) FROM events").fetchall() == [(1,)]
    assert ledger.ingest() == IngestReport(published=True)


def test_a_working_file_in_other_hands_is_one_sentence(ledger, make, files) -> None:
    """Nothing of DuckDB's own errors reaches the caller."""
    ledger.record(make.note())
    ledger.flush()
    files.store.write_bytes(b"no database")
    with pytest.raises(LedgerError, match="can't take in what was recorded: IO Error"):
        ingest(files, eagerly=True)
    files.store.unlink()
    assert ingest(files, eagerly=True) == IngestReport(events=1, published=True)


def test_a_file_that_all_versions_of_duckdb_read(ledger, make, files) -> None:
    """The storage format is the one that the oldest supported DuckDB writes, whatever the installed one prefers."""
    ledger.record(make.note())
    ledger.ingest()
    with closing(duckdb.connect()) as connection:
        connection.execute(f"ATTACH '{ledger.path}' AS base (READ_ONLY)")
        tags = connection.execute(
            "SELECT tags FROM duckdb_databases() WHERE database_name = 'base'"
        ).fetchone()
    assert "v1.5" in str(tags)
