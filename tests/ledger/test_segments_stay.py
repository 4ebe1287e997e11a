"""A segment goes only when the published copy holds all of it: whoever has that file and the segments has everything that was flushed."""

import json
import os
import random
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress

import duckdb
import pytest

from actionledger.core.errors import LedgerError
from actionledger.ledger import Ledger
from actionledger.ledger.storage import ingest as ingest_module, publishing, segments as segments_module
from actionledger.ledger.storage.batch import Batch
from actionledger.ledger.storage.encoding import waiting
from actionledger.ledger.storage.files import LedgerFiles
from actionledger.ledger.storage.ingest import FileIntake, forget, ingest
from actionledger.ledger.storage.journal import SegmentWriter
from actionledger.ledger.storage.loading import Loader
from actionledger.ledger.storage.publishing import StoppedError
from actionledger.ledger.storage.store import Publishing


@pytest.fixture
def files(ledger: Ledger) -> LedgerFiles:
    return LedgerFiles.at(ledger.path)


class Writers:
    """Writes to segments, and ends their writers as a process does that is killed: nobody ingests because of it."""

    def __init__(self, files: LedgerFiles, make) -> None:
        self._files, self._make = files, make
        self._live: list[SegmentWriter] = []
        self.flushed: set[str] = set()

    def write(self, *, ends: bool = True, count: int = 1) -> None:
        """Flush some events by a new writer, or by one that lives."""
        writer = self._live[-1] if self._live and not ends else SegmentWriter(self._files.segments)
        for _ in range(count):
            event = self._make.note("x" * 50)
            writer.add(waiting(event))
            self.flushed.add(event.event_id)
        writer.flush()
        if ends:
            writer.close()
        elif writer not in self._live:
            self._live.append(writer)

    def end(self) -> None:
        while self._live:
            self._live.pop().close()


@pytest.fixture
def writers(files: LedgerFiles, make) -> Iterator[Writers]:
    found = Writers(files, make)
    yield found
    found.end()


def in_published(files: LedgerFiles) -> set[str]:
    with duckdb.connect(str(files.published), read_only=True) as plain:
        return {event for (event,) in plain.execute("SELECT event_id::VARCHAR FROM events").fetchall()}


def in_segments(files: LedgerFiles) -> set[str]:
    return {
        json.loads(line)["event_id"]
        for path in files.segments.iterdir()
        for line in path.read_bytes().splitlines()
        if line
    }


def lacking(files: LedgerFiles, writers: Writers) -> set[str]:
    """Return what was flushed and is neither in the published copy nor in a segment."""
    return writers.flushed - in_published(files) - in_segments(files)


def make_due(files: LedgerFiles, *, due: bool) -> None:
    os.utime(files.ingest_lock, times=(time.time() - (10_000 if due else 0),) * 2)


@contextmanager
def failing(
    monkeypatch: pytest.MonkeyPatch, where: object, name: str, error: BaseException
) -> Iterator[None]:
    def fail(*_given: object, **_named: object) -> None:
        raise error

    with monkeypatch.context() as broken:
        broken.setattr(where, name, fail)
        yield


def test_what_is_taken_in_and_not_published_stays(files, writers) -> None:
    """The working file has it; no reader opens that."""
    ingest(files, Publishing.AT_THE_END)
    writers.write()
    make_due(files, due=False)
    report = ingest(files, Publishing.WHEN_DUE)
    assert (report.events, report.published) == (1, False)
    assert in_segments(files) == writers.flushed
    make_due(files, due=False)
    # Neither does another ingester's look at it change that, who takes in nothing new.
    assert ingest(files, Publishing.WHEN_DUE).published is False
    assert in_segments(files) == writers.flushed
    assert ingest(files, Publishing.AT_THE_END).published
    assert not list(files.segments.iterdir())
    assert in_published(files) == writers.flushed


def test_what_comes_behind_a_copy_of_the_same_ingest_stays(files, writers, monkeypatch) -> None:
    """A copy is made on the way; what is taken in after it is not in it."""
    monkeypatch.setattr(segments_module, "BATCH_BYTES", 1)
    ingest(files, Publishing.AT_THE_END)
    for _ in range(3):
        writers.write()
    copies = []

    def once(given: LedgerFiles, *rest: object) -> None:
        publishing.publish(given, *rest)
        copies.append(1)
        make_due(given, due=False)

    monkeypatch.setattr(ingest_module, "publish", once)
    load = Loader.load

    def due_after_the_first(loader: Loader, lines: object) -> None:
        load(loader, lines)
        make_due(files, due=not copies)

    monkeypatch.setattr(Loader, "load", due_after_the_first)
    make_due(files, due=False)
    assert ingest(files, Publishing.WHEN_DUE).events == 3
    assert len(copies) == 1
    assert len(in_published(files)) == 1
    assert len(list(files.segments.iterdir())) == 2
    assert not lacking(files, writers)


@pytest.mark.parametrize(
    "error", [StoppedError(), OSError(28, "No space left on device"), KeyboardInterrupt()]
)
@pytest.mark.parametrize("where", ["keep_rolled_up", "note", "publish"])
def test_what_a_copy_that_failed_was_to_hold_stays(files, writers, monkeypatch, error, where) -> None:
    """At whichever step it was given up."""
    ingest(files, Publishing.AT_THE_END)
    writers.write()
    with failing(monkeypatch, ingest_module, where, error):
        if isinstance(error, StoppedError):
            assert ingest(files, Publishing.AT_THE_END).published is False
        else:
            with pytest.raises((LedgerError, KeyboardInterrupt)):
                ingest(files, Publishing.AT_THE_END)
    assert in_segments(files) == writers.flushed
    make_due(files, due=False)
    ingest(files, Publishing.WHEN_DUE)
    assert not lacking(files, writers)


def test_what_grew_behind_the_copy_stays(files, writers, monkeypatch) -> None:
    """A writer that goes on while it is published, and ends: the copy holds a part of its segment."""
    writers.write(ends=False)

    def grow(given: LedgerFiles, *rest: object) -> None:
        publishing.publish(given, *rest)
        writers.write(ends=False)
        writers.end()

    with monkeypatch.context() as growing:
        growing.setattr(ingest_module, "publish", grow)
        assert ingest(files, Publishing.AT_THE_END).published
    assert len(in_segments(files)) == 2
    assert not lacking(files, writers)


def test_what_grows_as_it_is_looked_at_stays(files, writers, monkeypatch) -> None:
    """Between the look at all sizes and the look at one segment its writer may add something, and end."""
    writers.write(ends=False)
    looked = segments_module.segment_sizes

    def grow(folder):
        found = looked(folder)
        if ingest_module.segment_sizes is not looked:  # only once the copy is there
            writers.write(ends=False)
            writers.end()
        return found

    def publish(given: LedgerFiles, *rest: object) -> None:
        publishing.publish(given, *rest)
        monkeypatch.setattr(segments_module, "segment_sizes", grow)
        monkeypatch.setattr(ingest_module, "segment_sizes", grow)

    with monkeypatch.context() as late:
        late.setattr(ingest_module, "publish", publish)
        ingest(files, Publishing.AT_THE_END)
    assert not lacking(files, writers)


def test_a_copy_of_before_says_what_goes(files, writers) -> None:
    """Somebody sets an older published copy back: what it lacks was in the newer one, and what comes now is in no copy yet."""
    ingest(files, Publishing.AT_THE_END)
    writers.write(ends=False)
    before = files.published.read_bytes()
    ingest(files, Publishing.AT_THE_END)
    writers.end()
    beside = files.published.with_suffix(".before")
    beside.write_bytes(before)
    beside.replace(files.published)
    make_due(files, due=False)
    ingest(files, Publishing.WHEN_DUE)
    assert not lacking(files, writers)
    ingest(files, Publishing.AT_THE_END)
    assert in_published(files) == writers.flushed


def test_what_an_import_takes_in_beside_it_takes_no_segment_along(files, writers, make) -> None:
    """A piece of an import goes into the working file: no segment goes for it, nor for what the working file has of one."""
    ingest(files, Publishing.AT_THE_END)
    writers.write()
    make_due(files, due=False)
    ingest(files, Publishing.WHEN_DUE)
    batch = Batch()
    batch.add(make.note("imported"))
    make_due(files, due=False)
    with closing(FileIntake(files)) as intake:
        assert intake.take_in(batch.prepared())
    assert in_segments(files) == writers.flushed
    assert not lacking(files, writers)


def test_a_forgetting_that_fails_takes_no_segment_along(files, writers, monkeypatch) -> None:
    """Its copy takes in all that was flushed; only once it is the published one, segments go."""
    ingest(files, Publishing.AT_THE_END)
    writers.write()
    assert forget(files)
    assert in_segments(files) == writers.flushed
    make_due(files, due=False)
    ingest(files, Publishing.WHEN_DUE)
    assert forget(files)
    assert not lacking(files, writers)


@pytest.mark.parametrize("seed", range(4))
def test_whatever_happens_readers_have_all_that_was_flushed(files, writers, monkeypatch, seed) -> None:
    """Writers that live and end, ingests of each kind, due or not, stopped or failed at any step: looked at after each."""
    dice = random.Random(seed)
    monkeypatch.setattr(segments_module, "BATCH_BYTES", dice.choice([1, 400, 8_000_000]))
    ingest(files, Publishing.AT_THE_END)
    for _ in range(12):
        match dice.randrange(4):
            case 0 | 1:
                writers.write(ends=dice.random() < 0.5, count=dice.randrange(1, 4))
            case 2:
                writers.end()
            case _:
                make_due(files, due=dice.random() < 0.4)
                kind = dice.choice(list(Publishing))
                left = dice.choice([0, 1, 3, 1_000])
                broken = dice.choice([None, None, "keep_rolled_up", "publish"])
                steps = iter(range(left))
                with monkeypatch.context() as fault:
                    if broken:
                        error = dice.choice([StoppedError(), KeyboardInterrupt()])
                        fault.setattr(ingest_module, broken, _raising(error))
                    with suppress(KeyboardInterrupt):
                        ingest(files, kind, is_stopped=lambda steps=steps: next(steps, None) is None)
        assert not lacking(files, writers)
    writers.end()
    ingest(files, Publishing.AT_THE_END)
    assert in_published(files) == writers.flushed
    assert not list(files.segments.iterdir())


def _raising(error: BaseException):
    def fail(*_given: object, **_named: object) -> None:
        raise error

    return fail
