"""The ingester: takes in, publishes, clears away."""

import fcntl
import os
import random
import time
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import duckdb
import pytest

from actionledger.core.errors import LedgerError
from actionledger.core.events import Event
from actionledger.ledger import Ledger, open_ledger
from actionledger.ledger.storage import (
    ingest as ingest_module,
    publishing,
    segments as segments_module,
    spare,
    working_file,
)
from actionledger.ledger.storage.batch import Batch
from actionledger.ledger.storage.files import LedgerFiles
from actionledger.ledger.storage.ingest import FileIntake, ingest
from actionledger.ledger.storage.loading import Loader
from actionledger.ledger.storage.preparation import Prepared
from actionledger.ledger.storage.store import IngestReport, Publishing


@pytest.fixture
def files(ledger) -> LedgerFiles:
    return LedgerFiles.at(ledger.path)


def published(ledger: Ledger, query: str) -> list[tuple[object, ...]]:
    """Ask plain DuckDB, as anybody may."""
    with duckdb.connect(str(ledger.path), read_only=True) as plain:
        return plain.execute(query).fetchall()


def age(path: Path, seconds: float) -> None:
    os.utime(path, times=(time.time() - seconds,) * 2)


def segments(ledger: Ledger) -> list[str]:
    return [path.name for path in LedgerFiles.at(ledger.path).segments.iterdir()]


def test_what_was_recorded_is_published(ledger, make) -> None:
    """After an ingest plain DuckDB finds everything in tables and views."""
    for event in make.one_of_each():
        ledger.record(event)
    assert ledger.ingest() == IngestReport(events=22, published=True)
    assert published(ledger, "SELECT origin, status FROM executions ORDER BY 1") == [
        ("recorded", "failed"),
        ("runtime", "interrupted"),
    ]
    assert published(ledger, "SELECT text, characters FROM turns") == [("hello", 5)]
    assert published(ledger, "SELECT metadata ->> '$.a', success FROM sessions") == [("1", True)]
    assert published(ledger, "SELECT turns FROM runs") == [(1,)]
    assert published(ledger, "SELECT count(*) FROM events") == [(22,)]


def test_recording_twice_doubles_nothing(ledger, make) -> None:
    """The same events again are passed over with all their rows."""
    events = make.one_of_each()
    for expected in (IngestReport(events=22, published=True), IngestReport(duplicates=22, published=True)):
        for event in events:
            ledger.record(event)
        assert ledger.ingest() == expected
    for table in ("events", "turns", "actions", "repairs", "validation_errors", "parsers"):
        (count,) = ledger.sql(f"SELECT count(*) FROM {table}").fetchone()
        assert count == {"events": 22, "actions": 2}.get(table, 1), table


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
    ledger.flush()
    with files.ingest_lock.open("r+b") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert ingest(files, Publishing.AT_THE_END) == IngestReport(was_busy=True)
        assert ledger.sql("SELECT count(*) FROM events").fetchall() == [(1,)]
    assert ledger.ingest().events == 1


def test_an_ingest_that_is_asked_for_waits_for_another(ledger, make, files) -> None:
    """Whoever asks for it finds everything published afterwards, though somebody else was at it."""
    ledger.record(make.note())
    with ThreadPoolExecutor(1) as pool, files.ingest_lock.open("r+b") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        asked = pool.submit(ledger.ingest)
        assert not wait([asked], timeout=0.1).done
        fcntl.flock(held, fcntl.LOCK_UN)
        assert asked.result() == IngestReport(events=1, published=True)


def test_a_copy_that_is_not_due_waits(ledger, make, files, monkeypatch) -> None:
    """Beside other work a large ledger is copied rarely, and says when; whoever asks has it published whatever its size."""
    monkeypatch.setattr(publishing, "SMALL_BYTES", 0)
    monkeypatch.setattr(publishing, "MIDDLING_BYTES", 0)
    monkeypatch.setattr(publishing, "_COPY_SECONDS", 50)
    ledger.record(make.note("first"))
    ledger.flush()
    report = ingest(files, Publishing.WHEN_DUE)
    assert (report.events, report.published) == (1, False)
    assert 900 < report.due_in <= 1001
    assert published(ledger, "SELECT count(*) FROM events") == [(0,)]
    assert ledger.sql("SELECT message FROM events").fetchall() == [("first",)]
    assert ledger.ingest() == IngestReport(published=True)
    assert published(ledger, "SELECT message FROM events") == [("first",)]


def test_what_is_due_is_published_before_anything_is_taken_in(ledger, make, files, monkeypatch) -> None:
    """An ingester that lives for a moment publishes what the one before it took in: kills can't keep it from that."""
    ledger.record(make.note("first"))
    ledger.flush()
    assert ingest(files, Publishing.WHEN_DUE).published is False
    age(files.ingest_lock, 60)
    ledger.record(make.note("second"))
    ledger.flush()

    def die(_loader: Loader, _batch: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as killed:
        killed.setattr(Loader, "load", die)
        with pytest.raises(KeyboardInterrupt):
            ingest(files, Publishing.WHEN_DUE)
    assert published(ledger, "SELECT message FROM events") == [("first",)]


def test_a_long_ingest_publishes_on_its_way(ledger, make, files, monkeypatch) -> None:
    """Small transactions, and a copy whenever one is due: not only after everything was taken in."""
    monkeypatch.setattr(segments_module, "BATCH_BYTES", 1)
    monkeypatch.setattr(publishing, "_SMALL_SECONDS", 0.0)
    copies = []
    monkeypatch.setattr(
        ingest_module, "publish", lambda *given: copies.append(1) or publishing.publish(*given)
    )
    for number in range(5):
        ledger.record(make.note(str(number)))
    ledger.flush()
    assert ingest(files, Publishing.WHEN_DUE).events == 5
    assert len(copies) == 5


def test_an_ingest_can_be_stopped(ledger, make, files, monkeypatch) -> None:
    """Between two small steps it leaves the rest to the next one, and nothing is lost."""
    monkeypatch.setattr(segments_module, "BATCH_BYTES", 1)
    for number in range(5):
        ledger.record(make.note(str(number)))
    ledger.flush()
    answers = iter([False, False, True])
    report = ingest(files, Publishing.AT_THE_END, is_stopped=lambda: next(answers))
    assert (report.events, report.published) == (2, False)
    assert ledger.ingest() == IngestReport(events=3, published=True)


def test_the_last_to_close_publishes(ledger, make, files, monkeypatch) -> None:
    """While others write, closing leaves the copy to them; the last one makes it."""
    monkeypatch.setattr(publishing, "_SMALL_SECONDS", 3600.0)
    with open_ledger(ledger.path, in_background=False) as other:
        other.record(make.note("other"))
        other.flush()
        ledger.record(make.note("mine"))
        ledger.close()
        assert published(ledger, "SELECT count(*) FROM events") == [(0,)]
    assert published(ledger, "SELECT message FROM events ORDER BY message") == [("mine",), ("other",)]


def test_an_ingester_that_was_killed_before_publishing_is_made_up_for(
    ledger, make, files, monkeypatch
) -> None:
    """What is in the working file but not in the published copy is published by the next ingest."""
    ledger.record(make.note())

    def fail(*_given: object) -> None:
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
        full.setattr(spare, "copy_whole", fail)
        with pytest.raises(LedgerError, match=r"can't load what was recorded: No space left on device\.$"):
            ledger.ingest()
        assert ledger.sql("SELECT count(*) FROM events").fetchall() == [(1,)]
    assert ledger.ingest() == IngestReport(published=True)


def prepared(event: Event) -> Prepared:
    batch = Batch()
    batch.add(event)
    return batch.prepared()


def test_what_live_writers_wait_for_is_published_within_an_import(ledger, make, files) -> None:
    """As soon as it is due without an import, which waits for longer with what it has brought itself."""
    ledger.ingest()
    with closing(FileIntake(files)) as intake:
        age(files.ingest_lock, 2)
        assert intake.take_in(prepared(make.note("imported")))
    assert published(ledger, "FROM events") == []
    ledger.record(make.note("live"))
    ledger.flush()
    age(files.ingest_lock, 0)
    assert not ingest(files, Publishing.WHEN_DUE).published
    with closing(FileIntake(files)) as intake:
        age(files.ingest_lock, 2)
        assert intake.take_in(prepared(make.note("imported, too")))
        assert published(ledger, "SELECT count(*) FROM events") == [(3,)]


def test_an_import_that_can_not_begin_lets_go_of_the_working_file(ledger, make, files) -> None:
    """Before it lets another be the ingester, who opens it."""
    ledger.ingest()
    content = files.published.read_bytes()
    files.published.write_text("my notes")
    with pytest.raises(LedgerError, match="can't be read") as refused:
        FileIntake(files).take_in(prepared(make.note()))
    with closing(duckdb.connect(str(files.store))) as store:
        assert store.execute("SELECT count(*) FROM events").fetchall() == [(0,)]
    files.published.write_bytes(content)
    del refused  # whose trace holds on to what was going on until then


def test_a_working_file_in_other_hands_is_one_sentence(ledger, make, files) -> None:
    """Nothing of DuckDB's own errors reaches the caller."""
    ledger.record(make.note())
    ledger.flush()
    files.store.write_bytes(b"no database")
    with pytest.raises(LedgerError, match="can't load what was recorded: IO Error"):
        ingest(files, Publishing.AT_THE_END)
    files.store.unlink()
    assert ingest(files, Publishing.AT_THE_END) == IngestReport(events=1, published=True)


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


def test_long_texts_are_stored_small(ledger, make) -> None:
    """What somebody wrote at length takes a fraction of its bytes in the file that people open, and is the same text."""
    texts = [
        f"{number} " + "".join(f"step {number * step} of it; " for step in range(200))
        for number in range(100)
    ]
    for text in texts:
        ledger.record(make.response(text))
    ledger.ingest()
    assert published(ledger, "SELECT text FROM turns") == [(text,) for text in texts]
    stored = "SELECT DISTINCT compression FROM pragma_storage_info('turn_starts') WHERE segment_type = 'VARCHAR' AND column_name = "
    assert published(ledger, f"{stored} 'text'") == [("ZSTD",)]
    assert published(ledger, f"{stored} 'model'") != [("ZSTD",)]


@pytest.mark.parametrize(("second", "is_bound"), [("17MB", False), ("192MB", True)])
def test_texts_that_take_more_memory_than_usual_are_published(
    ledger, make, monkeypatch, second, is_bound
) -> None:
    """DuckDB writes a column two thousand rows at a time: where those don't fit, it is given more, and all it wants if they still don't."""
    unbound = []
    opened = working_file.open_store
    monkeypatch.setattr(working_file, "open_store", lambda files: unbound.append(files) or opened(files))
    monkeypatch.setattr(working_file, "STORE_MEMORY", "16MB")
    monkeypatch.setattr(working_file, "MORE_STORE_MEMORY", second)
    draw = random.Random(1)
    for number in range(4):
        ledger.record(make.response(f"{number} {draw.randbytes(3_000_000).hex()}"))
    assert ledger.ingest().published
    assert published(ledger, "SELECT count(*), min(characters) FROM turns") == [(4, 6_000_002)]
    assert (not unbound) == is_bound


@pytest.mark.parametrize(("took", "open_seconds"), [(0.0, 4.0), (0.9, 9.0), (60.0, 15.0)])
def test_what_takes_long_to_close_is_closed_less_often(files, make, monkeypatch, took, open_seconds) -> None:
    """Whoever waits for their turn gets it nevertheless."""
    now = [0.0]
    close = ingest_module._close

    def slowly(*given: object) -> None:
        close(*given)
        now[0] += took

    monkeypatch.setattr(ingest_module, "_close", slowly)
    monkeypatch.setattr(
        ingest_module, "time", SimpleNamespace(monotonic=lambda: now[0], sleep=lambda _seconds: None)
    )
    with closing(FileIntake(files)) as taking:
        taking.take_in(prepared(make.note()))
        now[0] += 4.0
        taking.take_in(prepared(make.note()))
        assert taking._store is None
        taking.take_in(prepared(make.note()))
        now[0] += open_seconds - 0.1
        taking.take_in(prepared(make.note()))
        assert taking._store is not None
        now[0] += 0.2
        taking.take_in(prepared(make.note()))
        assert taking._store is None


def test_a_small_piece_behind_a_large_one_gets_as_much_room(files, make, monkeypatch) -> None:
    """The last piece of a file is small as a rule, and more may come behind it."""
    given: list[tuple[str, str]] = []
    opened = ingest_module.opened
    monkeypatch.setattr(
        ingest_module, "opened", lambda files, *bounds: given.append(bounds) or opened(files, *bounds)
    )
    small = prepared(make.note())
    for piece in (small, replace(small, size=ingest_module.SMALL_BYTES)):
        with closing(FileIntake(files)) as taking:
            taking.take_in(piece)
            taking.close()
            taking.take_in(small)
    assert given == [ingest_module._LITTLE, ingest_module._LITTLE, ingest_module._MUCH, ingest_module._MUCH]
