"""One committer takes in what hosts ship: nothing collides, and whatever is killed or lost on the way, each event is there once."""

import gzip
import itertools
import random
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest
from effort import is_soak

import actionledger as al
from actionledger.core.errors import LedgerError
from actionledger.ledger import open_ledger
from actionledger.ledger.storage.connections import BASE
from actionledger.ledger.storage.journal import SegmentWriter
from actionledger.ledger.storage.lake import committer, loading, shipping
from actionledger.ledger.storage.lake.committer import Round, committer_of
from actionledger.ledger.storage.lake.connection import connect_lake
from actionledger.ledger.storage.lake.place import LakePlace
from actionledger.ledger.storage.lake.queue import DamagedPieceError, Piece, queue_of, unpacked
from actionledger.ledger.storage.local import verify
from actionledger.ledger.storage.store import Publishing

SAMPLES = Path(__file__).parents[3] / "data" / "sessions.jsonl"
HOST, COMMITTING = Path(__file__).with_name("host.py"), Path(__file__).with_name("committing.py")
HOSTS, KILLS = (8, 12) if is_soak() else (2, 2)


@pytest.fixture
def queued(lake, tmp_path, monkeypatch):
    """Returns the path of one and the same lake with a queue, as the host of a name has it."""
    monkeypatch.setattr(shipping, "CLEANING_SECONDS", 0.0)

    def at(host: str) -> Path:
        path = lake(host)
        path.write_text(f'{path.read_text()}\nqueue_path = "{tmp_path}/queue"\ncommit_seconds = 0\n')
        return path

    return at


def in_queue(path: Path) -> list[str]:
    return sorted(queue_of(LakePlace.read(path)).names())


def ship(path: Path, *events) -> None:
    with open_ledger(path, in_background=False) as ledger:
        for event in events:
            ledger.record(event)


def events_of(path: Path) -> list[str]:
    with connect_lake(LakePlace.read(path)) as plain:
        return [str(event) for (event,) in plain.execute(f"SELECT event_id FROM {BASE}.events").fetchall()]


def ship_more(ledger, event) -> None:
    """Have an open ledger record an event, and ship what it has."""
    ledger.record(event)
    ledger.flush()
    ledger._store.ingest(Publishing.WHEN_DUE)


def test_hosts_ship_and_one_commits(queued, make) -> None:
    """A host sees its own at once, others what is committed; one commit has all hosts' pieces, and is one link of one chain."""
    with closing(committer_of(queued("c"))) as taking:
        assert taking.round() == Round()
        for host in ("a", "b"):
            ship(queued(host), make.note(host))
        assert [Piece.named(name).host for name in in_queue(queued("c"))] == ["a", "b"]
        with open_ledger(queued("a"), read_only=True) as a:
            assert a.sql("SELECT message FROM events").fetchall() == [("a",)]
            assert taking.round() == Round(commits=1, pieces=2, events=2)
            assert len(a.sql("FROM events")) == 2
        assert in_queue(queued("c")) == []
        assert taking.round() == Round()
    found = verify(queued("b"))
    assert found.is_whole
    assert len(found.chains) == 2  # the lake's first, and the committer's


def test_what_is_lost_or_damaged_on_its_way_is_shipped_again(queued, make) -> None:
    """The segment stays until the lake has it; a later piece waits for the one before."""
    path = queued("a")
    with (
        closing(committer_of(queued("c"))) as taking,
        open_ledger(path, in_background=False) as ledger,
    ):
        for number in range(3):
            ship_more(ledger, make.note(str(number)))
        folder = LakePlace.read(path).queue_path
        first, second, _ = sorted(in_queue(path), key=lambda name: Piece.named(name).start)
        (Path(folder) / first).unlink()
        assert taking.round() == Round(waiting=2)
        ledger._store.ingest(Publishing.WHEN_DUE)  # it looks what has become of them
        ship_more(ledger, make.note("3"))
        (Path(folder) / second).write_bytes(b"no gzip")
        # The first one is shipped again as far as the segment goes by then, and may hold what was damaged.
        assert taking.round().refused in {0, 1}
        ledger._store.ingest(Publishing.WHEN_DUE)
        taking.round()
        ledger._store.ingest(Publishing.WHEN_DUE)
        ledger._store.ingest(Publishing.WHEN_DUE)
        taking.round()
    found = events_of(path)
    assert len(found) == len(set(found)) == 4
    assert verify(path).is_whole


def test_a_damaged_piece_is_put_aside(queued, make, caplog) -> None:
    """It is said, nobody else waits for it, and its host ships it again."""
    path = queued("a")
    ship(path, make.note("a"))
    ship(queued("b"), make.note("b"))
    [name] = [name for name in in_queue(path) if name.startswith("a/")]
    Path(LakePlace.read(path).queue_path, name).write_bytes(b"no gzip")
    with closing(committer_of(queued("c"))) as taking:
        assert taking.round() == Round(commits=1, pieces=1, events=1, refused=1, waiting=1)
        assert "can't be read" in caplog.text
        for _ in range(2):
            with open_ledger(path, in_background=False) as ledger:
                ledger._store.ingest(Publishing.WHEN_DUE)
        assert taking.round().events == 1
    assert len(events_of(path)) == 2


def test_a_committer_that_is_killed_doubles_nothing(queued, make, monkeypatch) -> None:
    """Behind the commit and before the pieces are gone; another one finds them known."""
    ship(queued("a"), make.note("a"))

    class KilledError(BaseException):
        pass

    def killed(*_):
        raise KilledError

    with closing(committer_of(queued("c"))) as taking:
        monkeypatch.setattr(taking._queue, "remove", killed)
        with pytest.raises(KilledError):
            taking.round()
    with closing(committer_of(queued("d"))) as taking:
        assert taking.round() == Round(pieces=1)
    assert len(events_of(queued("a"))) == 1
    assert in_queue(queued("a")) == []


def test_a_committer_joins_its_small_files(queued, make, monkeypatch) -> None:
    """Those of its last commits, and the offsets of a segment become one row; nothing that is proven changes."""
    monkeypatch.setattr(committer, "JOIN_SECONDS", 0.0)
    path = queued("a")
    with (
        closing(committer_of(queued("c"))) as taking,
        open_ledger(path, in_background=False) as ledger,
    ):
        for number in range(3):
            ship_more(ledger, make.note(str(number)))
            taking.round()
        taking._join_when_due()
    with connect_lake(LakePlace.read(path)) as plain:
        [(files,)] = plain.execute(
            "SELECT file_count FROM ducklake_table_info('base') WHERE table_name = 'events'"
        ).fetchall()
        offsets = plain.execute(f"SELECT name, count(*) FROM {BASE}.segments GROUP BY name").fetchall()
    assert files == 1
    assert [count for _, count in offsets] == [1]
    assert verify(path).is_whole
    with open_ledger(path, in_background=False) as ledger:
        assert len(ledger.sql("FROM events")) == 3


def test_two_committers_at_once_take_each_line_in_once(queued, make, monkeypatch) -> None:
    """Also a line that can't be read, which has no identifier to be known by."""
    path = queued("a")
    with open_ledger(path, in_background=False) as ledger:
        ledger.record(make.note("a"))
        ledger._writer.append(b"no event\n")
    committer_of(queued("d")).close()
    meet, seen = threading.Barrier(2, timeout=60), set()
    usual = loading.claim

    def together(connection):
        if threading.current_thread() not in seen:
            seen.add(threading.current_thread())
            meet.wait()
        usual(connection)

    rounds: list[Round] = []
    takers = [committer_of(queued(host)) for host in ("c", "d")]
    monkeypatch.setattr(loading, "claim", together)
    threads = [threading.Thread(target=lambda taker=taker: rounds.append(taker.round())) for taker in takers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for taker in takers:
        taker.close()
    assert sum(done.events for done in rounds) == sum(done.quarantined for done in rounds) == 1
    assert len(events_of(path)) == 1
    with open_ledger(path, read_only=True) as ledger:
        assert len(ledger.sql("FROM quarantine")) == 1


def test_whoever_asks_to_have_it_taken_in_waits_for_the_committer(queued, make, monkeypatch) -> None:
    """And hears where that has not come to pass."""
    path = queued("a")
    with open_ledger(path, in_background=False) as ledger:
        ledger.record(make.note("a"))
        ledger.flush()
        assert ledger._store.ingest(Publishing.AT_THE_END, patience=0.0).was_busy
        ended = threading.Event()
        taking = committer_of(queued("c"))
        monkeypatch.setattr(committer, "_LOOK_SECONDS", 0.05)
        with pytest.raises(LedgerError, match="Another committer"), committer._only_one(taking._ingester):
            taking.run(is_stopped=ended.is_set, told=lambda _: None)
        rounds: list[Round] = []
        thread = threading.Thread(target=lambda: taking.run(is_stopped=ended.is_set, told=rounds.append))
        thread.start()
        try:
            assert ledger.ingest().published
        finally:
            ended.set()
            thread.join()
        assert sum(done.events for done in rounds) == 1


def test_an_import_goes_by_the_queue(queued, tmp_path) -> None:
    """Its rows are those of a file."""
    alone = tmp_path / "alone.duckdb"
    al.import_path(SAMPLES, alone)
    al.import_path(SAMPLES, queued("a"))
    with closing(committer_of(queued("c"))) as taking:
        assert taking.round().events
    with open_ledger(alone, read_only=True) as one, open_ledger(queued("b"), read_only=True) as other:
        for table in ("turn_starts", "parse_attempts", "actions", "execution_starts"):
            count = f"SELECT count(*) FROM {table}"
            assert one.sql(count).fetchall() == other.sql(count).fetchall()


def test_what_is_forgotten_is_in_no_piece(queued) -> None:
    """Neither in the queue nor in the lake, whatever was still on its way."""
    path = queued("a")
    committer_of(queued("c")).close()
    with open_ledger(path, in_background=False) as ledger:
        ledger.record_turn("bad", "Zaphod")
        ledger.record_turn("good", "This one stays.")
        ledger.flush()
        ledger._store.ingest(Publishing.WHEN_DUE)
        assert in_queue(path)
        ledger.forget(["bad"])
        assert in_queue(path) == []
    with closing(committer_of(queued("c"))) as taking:
        taking.round()
    with open_ledger(path, in_background=False) as ledger:
        assert ledger.sql("SELECT text FROM turns").fetchall() == [("This one stays.",)]


def test_a_line_that_its_writer_could_not_finish_is_kept_once(queued) -> None:
    """It is shipped when the writer is gone, with no end."""
    path = queued("a")
    with open_ledger(path, in_background=False) as ledger:
        writer = SegmentWriter(ledger._files.segments)
        writer.append(b'{"kind": "system_no')
        writer.close()
    with closing(committer_of(queued("c"))) as taking:
        assert taking.round().quarantined == 1
    with open_ledger(path, read_only=True) as ledger:
        assert ledger.sql("SELECT reason FROM quarantine").fetchall()[0][0].startswith("cut off")


@pytest.mark.scaled
def test_hosts_and_a_committer_that_are_killed_lose_and_double_nothing(queued) -> None:
    """Hosts record and ship; the committer and one of them are killed at any moment, and started anew."""
    committer_of(queued("c")).close()
    drawn, acknowledged, ended = random.Random(7), [], threading.Event()

    def run(script: Path, host: str, kills: int) -> None:
        for turn in range(kills + 1):
            process = subprocess.Popen(
                [sys.executable, script, queued(host)], stdout=subprocess.PIPE, text=True
            )
            assert process.stdout is not None
            said = iter(process.stdout.readline, "")
            lines = list(itertools.islice(said, 1 if script == COMMITTING else drawn.randrange(20, 60)))
            if turn < kills:
                time.sleep(drawn.uniform(0.0, 0.4))
                process.kill()
            else:
                if script == COMMITTING:
                    ended.wait()
                process.terminate()
            lines += [line for line in said if line.endswith("\n")]
            process.wait()
            acknowledged.extend(line.strip() for line in lines if script == HOST)

    committing = threading.Thread(target=run, args=(COMMITTING, "c", KILLS))
    hosts = [
        threading.Thread(target=run, args=(HOST, f"host{number}", KILLS if number == 0 else 0))
        for number in range(HOSTS)
    ]
    for each in (committing, *hosts):
        each.start()
    for each in hosts:
        each.join()
    ended.set()
    committing.join()
    for number in range(HOSTS):
        with open_ledger(queued(f"host{number}"), in_background=False) as ledger:
            ledger._store.ingest(Publishing.WHEN_DUE)
    with closing(committer_of(queued("c"))) as taking:
        taking.round()
    found = events_of(queued("c"))
    assert len(found) == len(set(found))
    assert acknowledged
    assert set(acknowledged) <= set(found)
    assert in_queue(queued("c")) == []
    assert verify(queued("c")).is_whole


@pytest.mark.parametrize(
    "name",
    [
        "a/no-piece.gz",
        "../a/01a22976-ea05-7613-924b-322a61349b27.000000.jsonl.0-10.gz",
        "a/01a22976-ea05-7613-924b-322a61349b27.000000.jsonl.10-10.gz",
        "a/01a22976-ea05-7613-924b-322a61349b27.000000.jsonl.0-99999999999999.gz",
        "a/01a22976-ea05-7613-924b-322a61349b27.000000.jsonl.00-10.gz",
        "refused/a/01a22976-ea05-7613-924b-322a61349b27.000000.jsonl.0-10.gz",
    ],
)
def test_what_is_no_piece_is_none(name) -> None:
    """It is left alone, whoever has put it there."""
    assert Piece.named(name) is None


def test_a_piece_that_holds_more_or_less_than_its_name_says_is_damaged() -> None:
    """However much it is, no more than that is read of it."""
    piece = Piece("a", "01a22976-ea05-7613-924b-322a61349b27.000000.jsonl", 5, 10)
    for held in (b"1234", b"1234567", b"\n" * 10_000_000):
        with pytest.raises(DamagedPieceError):
            unpacked(piece, gzip.compress(held))
    assert [(line.start, line.data) for line in unpacked(piece, gzip.compress(b"12\n4\n"))] == [
        (5, b"12\n"),
        (8, b"4\n"),
    ]


def test_a_queue_in_s3(served_lake, make) -> None:
    """What the folder does, a bucket does too."""
    path = served_lake("a")
    queue_path = LakePlace.read(path).data_path.rstrip("/") + "-queue/"
    path.write_text(f'{path.read_text()}\nqueue_path = "{queue_path}"\ncommit_seconds = 0\n')
    ship(path, make.note("a"))
    queue = queue_of(LakePlace.read(path))
    assert len(queue.names("a/")) == 1
    assert queue.names("b/") == []
    assert queue.get("a/none") is None
    with closing(committer_of(path)) as taking:
        assert taking.round().events == 1
    assert queue.names() == []
    assert len(events_of(path)) == 1
