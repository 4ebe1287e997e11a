"""A ledger that is slow, full or broken: traffic goes on, and what was not recorded is counted."""

import errno
import json
import os
from dataclasses import dataclass
from threading import Event
from time import monotonic

import httpx
import pytest
import wire_bodies as bodies
from fake_upstream import Answer, Upstream

import actionledger as al
from actionledger.cli.capture import print_end
from actionledger.core.errors import LedgerError
from actionledger.core.recordings import RecordedSession, RecordedTurn
from actionledger.core.text import counted
from actionledger.imports.live.recording import Recording
from actionledger.imports.live.server import ProxyServer
from actionledger.ledger.storage import journal


@dataclass
class Said:
    """Something small that is recorded as a session of its own."""

    name: str
    size: int = 100


def read(said: Said) -> list[RecordedSession]:
    if said.name == "broken":
        raise KeyError(said.name)
    return [
        RecordedSession(
            said.name, None, "m", "", (RecordedTurn(0, "Hello.", external_id=said.name),), is_last=False
        )
    ]


def recording(ledger: al.Ledger, **bounds: int) -> Recording[Said]:
    return Recording(ledger, read, source="test", origin="here", **bounds)


def turns(ledger: al.Ledger) -> int:
    return ledger.sql("SELECT count(*) FROM turns").fetchall()[0][0]


class FullDisk:
    """Lets nothing more be written to segments while it is full."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.is_full = True
        self.refused = Event()
        self._really = os.write
        monkeypatch.setattr(journal.os, "write", self._write)

    def _write(self, descriptor: int, data: bytes) -> int:
        if self.is_full and bytes(data[:1]) == b"{":
            self.refused.set()
            raise OSError(errno.ENOSPC, "No space left on device")
        return self._really(descriptor, data)


def test_what_can_not_wait_is_dropped_and_counted(ledger: al.Ledger, monkeypatch: pytest.MonkeyPatch):
    """Nobody waits for a ledger that takes its time."""
    may_flush, flushing = Event(), Event()
    really = ledger.flush

    def flush(**_: bool) -> None:
        flushing.set()
        assert may_flush.wait(120)
        really()

    monkeypatch.setattr(ledger, "flush", flush)
    written = recording(ledger, waiting_items=3)
    written.put(Said("first"))
    assert flushing.wait(120)
    for number in range(10):
        written.put(Said(f"s{number}"))
    may_flush.set()
    kept = written.close()
    assert (kept.report.turns, dict(kept.dropped), kept.error) == (4, {"queue_full": 7}, "")
    assert turns(ledger) == 4
    told = ledger.sql("SELECT reason, detail, count, path FROM left_out").fetchall()
    assert told == [("dropped", "queue_full", 7, "here")]


def test_bytes_are_bounded_as_well(ledger: al.Ledger):
    """One that is larger than all that may wait is dropped, and what comes behind it isn't."""
    written = recording(ledger, waiting_bytes=1000)
    written.put(Said("large", size=1001))
    written.put(Said("small"))
    kept = written.close()
    assert (kept.report.turns, dict(kept.dropped)) == (1, {"queue_full": 1})


def test_a_disk_that_was_full_for_a_while_loses_nothing(ledger: al.Ledger, monkeypatch: pytest.MonkeyPatch):
    """What waits is written when there is space again, once."""
    disk = FullDisk(monkeypatch)
    written = recording(ledger)
    for number in range(20):
        written.put(Said(f"s{number}"))
    assert disk.refused.wait(120)
    disk.is_full = False
    kept = written.close()
    assert (kept.report.turns, dict(kept.dropped), kept.error) == (20, {}, "")
    assert turns(ledger) == 20
    assert ledger.sql("SELECT count(*) FROM parse_attempts").fetchall() == [(20,)]


def test_a_disk_that_stays_full_is_said_at_the_end(ledger: al.Ledger, monkeypatch: pytest.MonkeyPatch):
    """With what is not recorded; and closing doesn't take for ever."""
    disk = FullDisk(monkeypatch)
    written = recording(ledger)
    for number in range(20):
        written.put(Said(f"s{number}"))
    assert disk.refused.wait(120)
    kept = written.close(patience=0.1)
    assert dict(kept.dropped) == {"ledger_failed": 20}
    assert "No space left on device" in kept.error
    disk.is_full = False


class SmallDisk:
    """Has room for so many bytes of segments, and then for none."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, room: int) -> None:
        self.room = room
        self.refused = Event()
        self._really = os.write
        monkeypatch.setattr(journal.os, "write", self._write)

    def _write(self, descriptor: int, data: bytes) -> int:
        if bytes(data[:1]) == b"{":
            if len(data) > self.room:
                self.refused.set()
                raise OSError(errno.ENOSPC, "No space left on device")
            self.room -= len(data)
        return self._really(descriptor, data)


@pytest.mark.parametrize("size", [10, 300_000, 1_200_000])
def test_the_last_words_count_what_was_written(
    ledger: al.Ledger, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], size: int
):
    """Each response is either recorded whole or dropped, whether they are written together, some at a time, or one by one."""

    def read_large(said: Said) -> list[RecordedSession]:
        turn = RecordedTurn(0, f"{said.name} " * (size // 4), external_id=said.name)
        return [RecordedSession(said.name, None, "m", "", (turn,), is_last=False)]

    disk = SmallDisk(monkeypatch, 12_000 + 4 * size)
    written: Recording[Said] = Recording(ledger, read_large, source="test", origin="here")
    written.put(Said("s00"))
    assert written.drain(120)
    for number in range(1, 30):
        written.put(Said(f"s{number:02}"))
    assert disk.refused.wait(120)
    kept = written.close(patience=0.1)
    disk.room = 0
    with pytest.raises(LedgerError, match="No space left"):
        print_end(written, ledger, ledger.path)
    said = capsys.readouterr().err
    assert f"{counted(kept.report.turns, 'new turn')} imported" in said
    assert f"not recorded {30 - kept.report.turns}: the ledger could not be written to" in said
    assert "left out" not in said
    monkeypatch.undo()
    with al.open_ledger(ledger.path) as other:
        other.ingest()
        assert 1 <= kept.report.turns == turns(other) < 30
        assert other.sql("SELECT count(*) FROM parse_attempts").fetchall() == [(kept.report.turns,)]


def test_what_the_ledger_holds_is_recorded_if_there_is_space_by_then(
    ledger: al.Ledger, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """What waited beyond it is not, and counted in the ledger, too."""
    disk = FullDisk(monkeypatch)
    written = recording(ledger)
    written.put(Said("s0"))
    assert disk.refused.wait(120)
    for number in range(1, 10):
        written.put(Said(f"s{number}"))
    kept = written.close(patience=0.1)
    disk.is_full = False
    after = print_end(written, ledger, ledger.path)
    assert kept.report.turns == 0
    assert after.report.turns + after.dropped.total() == 10
    assert f"not recorded {after.dropped.total()}: " in capsys.readouterr().err
    with al.open_ledger(ledger.path) as other:
        assert turns(other) == after.report.turns >= 1
        told = other.sql("SELECT detail, count FROM left_out").fetchall()
        assert told == [("ledger_failed", after.dropped["ledger_failed"])]


def test_what_can_not_be_read_ends_nothing(ledger: al.Ledger):
    """It is counted, and the next one is taken."""
    written = recording(ledger)
    written.put(Said("broken"))
    written.put(Said("whole"))
    kept = written.close()
    assert kept.report.turns == 1
    assert ledger.sql("SELECT reason, detail FROM left_out").fetchall() == [("unreadable", "KeyError")]


def test_what_comes_after_the_end_is_counted(ledger: al.Ledger):
    written = recording(ledger)
    written.close()
    written.put(Said("late"))
    assert dict(written.close().dropped) == {"closed": 1}


def test_a_forked_child_records_what_is_its_own(ledger: al.Ledger):
    """The parent's thread isn't there; what waited in the parent is the parent's."""
    written = recording(ledger)
    written.put(Said("parent"))
    child = os.fork()
    if child == 0:
        written.put(Said("child"))
        kept = written.close()
        ledger.flush()
        os._exit(0 if not kept.dropped else 1)
    assert os.waitpid(child, 0)[1] == 0
    written.close()
    names = ledger.sql("SELECT external_id FROM sessions ORDER BY ALL").fetchall()
    assert names == [("child",), ("parent",)]


def test_traffic_goes_on_while_the_disk_is_full(
    upstream: Upstream, ledger: al.Ledger, monkeypatch: pytest.MonkeyPatch
):
    """Every answer passes whole, none of them waits for the ledger."""
    disk = FullDisk(monkeypatch)
    upstream.answer = lambda asked: Answer((json.dumps(bodies.chat(asked.json["model"])).encode(),))
    with ProxyServer(upstream.address, ledger) as proxy:
        for number in range(30):
            body = {"model": str(number), "messages": [{"role": "user", "content": f"{number}"}]}
            got = httpx.post(f"{proxy.address}/v1/chat/completions", json=body)
            assert got.json() == bodies.chat(str(number))
        assert disk.refused.wait(120)
        began = monotonic()
        kept = proxy.recording.close(patience=0.1)
        assert monotonic() - began < 30
    disk.is_full = False
    assert dict(kept.dropped) == {"ledger_failed": 30}
