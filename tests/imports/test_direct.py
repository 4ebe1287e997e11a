"""Imports that go the short way: the same rows as by segments, each once, whoever is killed and whoever else is at it."""

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest
from forked_python import ForkedPython
from interrupting import LONG, pressed_soon
from same_rows import differences

from actionledger.core.errors import LedgerError
from actionledger.core.events import SystemNoted
from actionledger.core.ids import new_id, now
from actionledger.core.recordings import RecordedCall, RecordedResult, RecordedSession, RecordedTurn
from actionledger.core.vocabulary import Capture, LeftOutReason
from actionledger.imports import import_path, import_sessions
from actionledger.imports.importer import Importer
from actionledger.imports.plan_importer import ImportStopped
from actionledger.imports.sessions import SourcesImporter
from actionledger.imports.sources.base import LeftOut
from actionledger.ledger import open_ledger
from actionledger.ledger.storage import internals
from actionledger.ledger.storage.files import LedgerFiles
from actionledger.ledger.storage.ingest import FileIntake, ingest
from actionledger.ledger.storage.insertion import Staging
from actionledger.ledger.storage.store import Publishing

SAMPLES = Path(__file__).parents[2] / "data" / "agents"
WORKER = Path(__file__).with_name("direct_worker.py")
SMALL_BATCH = 16_384
"""So many bytes at a time that the samples make a dozen batches."""

HOSTILE = [
    "plain",
    "a NUL \x00 within",
    "half a character \ud800 alone",
    "a key sk-proj-" + "a1B2" * 12,
    'an argument <execute>print("\\ud83d")</execute> and \ud83d\ude00',
    "<execute>" * 50,
    "\r\n\u2028é漢",
    "",
]


@pytest.fixture
def in_batches(monkeypatch) -> None:
    monkeypatch.setattr(internals, "BATCH_BYTES", SMALL_BATCH)


@pytest.fixture(scope="module")
def by_segments(tmp_path_factory) -> Path:
    """The samples, as they come in by segments."""
    path = tmp_path_factory.mktemp("segments") / "team.duckdb"
    import_path(SAMPLES, path)
    return path


def hostile_sessions() -> Iterator[RecordedSession]:
    for number, text in enumerate(HOSTILE):
        turns = (RecordedTurn(0, text), RecordedTurn(1, text * 2, prompt=text, feedback=text))
        yield RecordedSession(f"s{number} {text[:20]}", None, "m", "hostile", turns)


def test_the_same_rows_come_in_as_by_segments(tmp_path, by_segments, in_batches) -> None:
    """Sessions of every sample format: each table is the same, and no segment was written."""
    path = tmp_path / "team.duckdb"
    with open_ledger(path, in_background=False) as ledger:
        import_path(SAMPLES, ledger)
        assert not list(LedgerFiles.at(path).segments.iterdir())
    assert differences(path, by_segments) == {}
    assert not LedgerFiles.at(path).unpublished.exists()


def test_what_is_hostile_comes_in_as_by_segments(tmp_path, monkeypatch) -> None:
    """NUL, halves of characters and secrets are in the tables as they are by segments, and nothing is left behind."""
    paths = []
    for name, size in (("segments", internals.BATCH_BYTES), ("direct", 1000)):
        monkeypatch.setattr(internals, "BATCH_BYTES", size)
        paths.append(tmp_path / f"{name}.duckdb")
        with open_ledger(paths[-1], in_background=False) as ledger:
            report = import_sessions(ledger, hostile_sessions())
        assert report.turns == 2 * len(HOSTILE)
    assert differences(*paths) == {}
    with duckdb.connect(str(paths[1]), read_only=True) as plain:
        assert plain.execute("SELECT count(*) FROM quarantine").fetchall() == [(0,)]
        assert plain.execute("SELECT count(*) FROM turns WHERE contains(text, 'sk-proj-')").fetchall() == [
            (0,)
        ]
        assert plain.execute("SELECT count(*) FROM turns WHERE NOT text_is_exact").fetchall() == [(6,)]


def test_little_goes_to_the_segments(tmp_path) -> None:
    """It costs no transaction and no copy, and is taken in with whatever else was flushed."""
    path = tmp_path / "team.duckdb"
    with open_ledger(path, in_background=False) as ledger:
        before = path.stat().st_ino
        import_sessions(ledger, [RecordedSession("s", None, "m", "", (RecordedTurn(0, "hi"),))])
        ledger.flush()
        assert path.stat().st_ino == before
        assert len(list(LedgerFiles.at(path).segments.iterdir())) == 1
        assert ledger.sql("SELECT text FROM turns").fetchall() == [("hi",)]


def test_what_is_not_little_comes_in_directly_though_it_fills_no_batch(
    tmp_path, by_segments, monkeypatch
) -> None:
    """A dozen of megabytes went to the segments line by line, which takes twice the time; the rows are the same."""
    monkeypatch.setattr(internals, "LITTLE_BYTES", SMALL_BATCH)
    path = tmp_path / "team.duckdb"
    with open_ledger(path, in_background=False) as ledger:
        import_path(SAMPLES, ledger)
        assert not list(LedgerFiles.at(path).segments.iterdir())
        assert not LedgerFiles.at(path).unpublished.exists()
    assert differences(path, by_segments) == {}


def test_while_somebody_else_is_the_ingester_it_goes_to_the_segments(
    tmp_path, by_segments, in_batches, monkeypatch
) -> None:
    """Nothing waits and nothing is lost: whoever is the ingester next takes it in."""
    monkeypatch.setattr(internals, "_PATIENCE_SECONDS", 0.0)
    path = tmp_path / "team.duckdb"
    with open_ledger(path, in_background=False) as ledger:
        lock = LedgerFiles.at(path).ingest_lock
        other = subprocess.Popen(
            [sys.executable, WORKER, "hold", lock], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert other.stdout.readline() == "held\n"
        import_path(SAMPLES, ledger)
        assert list(LedgerFiles.at(path).segments.iterdir())
        other.communicate("")
    assert differences(path, by_segments) == {}


def test_a_fault_of_the_database_leaves_all_in_segments(
    tmp_path, by_segments, in_batches, monkeypatch
) -> None:
    """A working file that can't be opened for a while: the import goes on, and nothing is lost or there twice."""
    taken_in, failures = FileIntake.take_in, []

    def failing(intake: FileIntake, *given: object, **more: object) -> bool:
        done = taken_in(intake, *given, **more)
        if len(failures) % 3 == 0:
            failures.append(done)
            raise internals.LedgerError("The disk is full.")
        failures.append(done)
        return done

    monkeypatch.setattr(FileIntake, "take_in", failing)
    path = tmp_path / "team.duckdb"
    import_path(SAMPLES, path)
    assert len(failures) > 3
    assert differences(path, by_segments) == {}


def test_one_who_stops_it_while_rows_are_put_into_the_database_is_told_what_is_kept(
    tmp_path, by_segments, in_batches, monkeypatch
) -> None:
    """DuckDB makes an error of its own of Ctrl-C; the import was stopped nevertheless, keeps all that it says, and goes on."""
    insert, path = Staging.insert, tmp_path / "team.duckdb"

    def stopped(self: Staging, connection: duckdb.DuckDBPyConnection, link: int | None) -> None:
        monkeypatch.undo()
        monkeypatch.setattr(internals, "BATCH_BYTES", SMALL_BATCH)
        assert Staging.insert is insert
        with pressed_soon():
            connection.execute(LONG)

    monkeypatch.setattr(Staging, "insert", stopped)
    with pytest.raises(ImportStopped) as told:
        import_path(SAMPLES, path)
    with open_ledger(path, read_only=True) as ledger:
        [kept] = ledger.sql("SELECT count(*) FROM turns").fetchone()
    assert 0 < told.value.report.turns <= kept <= told.value.report.turns + 1  # the one that it stood in
    import_path(SAMPLES, path)
    assert differences(path, by_segments, but="runs") == {}


def test_what_can_not_be_ended_does_not_keep_back_what_was_read(tmp_path, monkeypatch) -> None:
    """The batch in memory is handed over, whatever keeps the end of sessions from being recorded."""

    def fail(self: Importer, **_: object) -> None:
        raise LedgerError("No end today.")

    monkeypatch.setattr(Importer, "end_sessions", fail)
    with open_ledger(tmp_path / "team.duckdb", in_background=False) as ledger:
        with pytest.raises(LedgerError, match="No end"):
            import_sessions(ledger, [RecordedSession("s", None, "m", "", (RecordedTurn(0, "hi"),))])
        assert ledger.sql("SELECT text FROM turns").fetchall() == [("hi",)]


def test_whoever_asks_meanwhile_sees_what_is_published(tmp_path, in_batches) -> None:
    """A query within an import sees whole turns, and after it everything."""
    path = tmp_path / "team.duckdb"
    with open_ledger(path, in_background=False) as ledger:
        seen = []

        def sessions() -> Iterator[RecordedSession]:
            for number in range(15):
                yield RecordedSession(f"s{number}", None, "m", "", (RecordedTurn(0, "x" * 1000),))
                os.utime(LedgerFiles.at(path).ingest_lock, (0, 0))  # as if it had been published long ago
                seen.append(ledger.sql("SELECT count(*) FROM turns").fetchone()[0])

        import_sessions(ledger, sessions())
        assert seen == sorted(seen)
        assert 0 < seen[-1] <= 15
        assert ledger.sql("SELECT count(*) FROM turns").fetchone() == (15,)
    with duckdb.connect(str(path), read_only=True) as plain:
        assert plain.execute("SELECT count(*) FROM turns").fetchall() == [(15,)]


Killed = Callable[[Path, object], bool]


@pytest.fixture
def killed(forked: ForkedPython) -> Killed:
    """Imports the samples in a child that is killed at a touch of a file; returns whether it was."""
    code = WORKER.read_text(encoding="utf-8")

    def is_killed(path: Path, step: object) -> bool:
        done = forked.run(code, path.parent, "die", SAMPLES, path, SMALL_BATCH, step)
        assert done.returncode in {0, -signal.SIGKILL}, done.stderr
        return done.returncode != 0

    return is_killed


def check_after_kills(killed: Killed, path: Path, by_segments: Path, steps: list[int]) -> int:
    """Kill an import at some places, each where the one before it has left off, and finish it; return how many were killed."""
    kills = 0
    for step in steps:
        kills += killed(path, step)
        if not path.exists():
            continue
        with duckdb.connect(str(path), read_only=True) as plain:
            count, distinct = plain.execute(
                "SELECT count(*), count(DISTINCT event_id) FROM events"
            ).fetchone()
            assert count == distinct
            assert plain.execute("SELECT count(*) FROM quarantine").fetchone() == (0,)
    with open_ledger(path, in_background=False) as ledger:
        import_path(SAMPLES, ledger)
    assert differences(path, by_segments, but="runs") == {}
    assert not list(LedgerFiles.at(path).folder.glob("tmp-*"))
    return kills


@pytest.mark.parametrize("seed", [1])
def test_an_import_that_is_killed_goes_on(killed, tmp_path, by_segments, seed) -> None:
    """Killed while it takes in or publishes: the same rows in the end, each once."""
    draw = random.Random(seed)
    assert check_after_kills(killed, tmp_path / "team.duckdb", by_segments, [draw.randrange(1, 170)])


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20))
def test_imports_that_are_killed_anywhere_go_on(killed, tmp_path, by_segments, seed) -> None:
    """The same at any of its steps, eight times in a row."""
    draw = random.Random(f"anywhere {seed}")
    check_after_kills(
        killed, tmp_path / "team.duckdb", by_segments, [draw.randrange(1, 200) for _ in range(8)]
    )


def test_what_a_killed_import_had_handed_over_is_seen_by_the_next_one(killed, tmp_path, by_segments) -> None:
    """Killed before it could publish: the rows are in the working file, and whoever opens the ledger next publishes them."""
    path = tmp_path / "team.duckdb"
    open_ledger(path).close()
    assert killed(path, "tmp-published")
    files = LedgerFiles.at(path)
    assert files.unpublished.exists()
    os.utime(files.ingest_lock, (0, 0))
    with open_ledger(path, in_background=False) as ledger:
        assert ledger.sql("SELECT count(*) > 0 FROM turns").fetchall() == [(True,)]
        assert not files.unpublished.exists()


@pytest.mark.soak
def test_two_imports_and_a_writer_at_once(tmp_path, by_segments) -> None:
    """The same folder twice, into one ledger, and events of somebody who lives: each is there once."""
    path = tmp_path / "team.duckdb"
    with open_ledger(path) as ledger:
        imports = [
            subprocess.Popen(
                [sys.executable, WORKER, "die", SAMPLES, path, str(SMALL_BATCH), "nothing"],
                stdout=subprocess.DEVNULL,
            )
            for _ in range(2)
        ]
        recorded = []
        while any(each.poll() is None for each in imports):
            note = SystemNoted(
                event_id=new_id(), recorded_at=now(), run_id=new_id(), code="alive", message=""
            )
            ledger.record(note)
            ledger.flush()
            recorded.append(note.event_id)
            signal.sigtimedwait([], 0.02)
        assert [each.returncode for each in imports] == [0, 0]
    ingest(LedgerFiles.at(path), Publishing.AT_THE_END)
    with duckdb.connect(str(path), read_only=True) as plain:
        found = plain.execute("SELECT event_id::VARCHAR FROM events WHERE code = 'alive'").fetchall()
        assert sorted(found) == sorted((each,) for each in recorded)
        for table in ("turn_starts", "actions", "execution_starts", "parse_attempts"):
            [counts] = plain.execute(f"SELECT count(*) FROM {table}").fetchall()
            with duckdb.connect(str(by_segments), read_only=True) as other:
                assert [counts] == other.execute(f"SELECT count(*) FROM {table}").fetchall(), table


def test_what_two_imports_leave_out_of_a_file_at_once_counts_once(tmp_path) -> None:
    """Both know what the ledger had when they began; whatever is told later counts again, also where it goes back and forth."""
    path, key = tmp_path / "team.duckdb", ("log.jsonl", LeftOutReason.NO_CALL, "")
    with open_ledger(path, in_background=False) as ledger:
        for count in (5, 7, 5, 7):
            both = [SourcesImporter(ledger), SourcesImporter(ledger)]
            for each in both:
                each.begin("jsonl")
                each.begin_file("log.jsonl")
                each.take(LeftOut(*key, count), "jsonl")
                each.end_file()
            for each in both:
                each.finish()
            assert ledger.sql("SELECT sum(count) FROM left_out").fetchone() == (count,)


def lines(count: int, characters: int) -> Iterator[bytes]:
    text = "word " * (characters // 5)
    for number in range(count):
        line = {"session": f"s{number // 8}", "turn": number % 8, "text": f"{number} {text}"}
        yield json.dumps(line).encode() + b"\n"


def peak_of(path: Path, given: Iterator[bytes]) -> int:
    """Import a stream in a process of its own; return how much memory it took at most, in MB."""
    process = subprocess.Popen(
        [sys.executable, WORKER, "stream", path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    process.stdin.writelines(given)
    said, _ = process.communicate()
    assert process.returncode == 0
    return int(said)


@pytest.mark.soak
def test_memory_is_bounded(tmp_path) -> None:
    """Ten times the stream fills DuckDB's buffers of 96 MB, and takes no more."""
    small = peak_of(tmp_path / "small.duckdb", lines(2_000, 10_000))
    large = peak_of(tmp_path / "large.duckdb", lines(20_000, 10_000))
    assert large < small + 110, (small, large)
    assert large < 320


def test_a_response_of_fifty_megabytes_is_refused_with_its_size(tmp_path, in_batches) -> None:
    """It becomes no turn; those beside it do."""
    texts = ["x" * 10_000, "y" * 50_000_000, "z" * 10_000]
    sessions = [RecordedSession(text[0], None, "m", "", (RecordedTurn(0, text),)) for text in texts]
    with open_ledger(tmp_path / "team.duckdb", in_background=False) as ledger:
        report = import_sessions(ledger, sessions)
        assert (report.turns, len(report.refusals)) == (2, 1)
        noted = ledger.sql("SELECT code, detail->>'characters' FROM events WHERE code IS NOT NULL")
        assert noted.fetchall() == [("response_too_large", "50000000")]


@pytest.mark.parametrize("is_direct", [True, False])
@pytest.mark.parametrize("first", [0, 1])
def test_what_two_imports_take_in_at_once_is_new_to_one_of_them(tmp_path, monkeypatch, is_direct, first):
    """Whichever ends first, and whichever was begun first: together they tell of as much as there is."""
    if is_direct:
        monkeypatch.setattr(internals, "LITTLE_BYTES", 0)
    calls = (RecordedCall("c1", "add", "{}"), RecordedCall("c2", "add", "{}"))
    turns = tuple(
        RecordedTurn(
            n, f"say {n}", capture=Capture.ARGUMENTS, calls=calls, results=(RecordedResult("c1", "1"),)
        )
        for n in range(3)
    )
    sessions = [RecordedSession(name, None, "", "", turns) for name in "ab"]
    alone = RecordedSession("c", None, "", "", turns[:1])
    path = tmp_path / "team.duckdb"
    with open_ledger(path, in_background=False) as one, open_ledger(path, in_background=False) as other:
        both = [SourcesImporter(one), SourcesImporter(other)]
        both[0].take(sessions[0], "mine")
        both[1].take(alone, "mine")
        both[0].take(sessions[1], "mine")
        for each in sessions:
            both[1].take(each, "mine")
        reports = [both[place].finish() for place in (first, 1 - first)]
        assert [(each.sessions, each.turns, each.calls, each.results, each.known) for each in reports] == (
            [(2, 6, 12, 6, 0), (1, 1, 2, 1, 6)] if first == 0 else [(3, 7, 14, 7, 0), (0, 0, 0, 0, 6)]
        )
    with open_ledger(path, read_only=True) as ledger:
        counted = "SELECT run_id::VARCHAR, count(*) FROM turns GROUP BY ALL ORDER BY 2 DESC"
        assert [count for _, count in ledger.sql(counted).fetchall()] == [
            each.turns for each in sorted(reports, key=lambda each: -each.turns) if each.turns
        ]
