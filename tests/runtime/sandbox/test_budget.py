"""What all sandboxes of a process share: a hostile frame costs the host little, and many runs at once have one cap."""

import os
import struct
import threading
import tracemalloc

import pytest

from actionledger.runtime.sandbox import ending
from actionledger.runtime.sandbox.base import NO_API, CodeOutcome, Limits
from actionledger.runtime.sandbox.budget import CancelledError, Deadline, NoRoomError, SandboxBudget
from actionledger.runtime.sandbox.conversation import Channel
from actionledger.runtime.sandbox.ending import LimitExceededError
from actionledger.runtime.sandbox.inside.frames import FrameError

MANY = Limits(start_seconds=60.0)


def received(body):
    """Receive a frame as the host does; return what came of it, and the most memory that took, in bytes."""
    (reader, far), (_, writer) = os.pipe(), os.pipe()
    rest = memoryview(struct.pack("<I", len(body)) + body)

    def feed(rest):
        while rest:
            rest = rest[os.write(far, rest) :]

    feeding = threading.Thread(target=feed, args=(rest,), daemon=True)
    feeding.start()
    tracemalloc.start()
    try:
        outcome = Channel(reader, writer).receive(Limits(), Deadline(120))
    except (FrameError, LimitExceededError) as error:
        outcome = error
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return outcome, peak


@pytest.mark.parametrize(
    "body",
    [
        b'{"kind":"done","value":[' + b'"",' * 3_000_000 + b'""]}',
        b'{"kind":"done","value":[' + b'""' * 4_000_000 + b"]}",
        b'{"kind":"done","value":[' + b"[]," * 3_000_000 + b"[]]}",
        b'{"kind":"done","value":' + b"[" * 5_000_000 + b"]" * 5_000_000 + b"}",
        b'{"kind":"done"' + b" " * 9_000_000 + b"}",
        b'{"kind":"done","value":"' + b'\\\\"' * 4_000_000 + b'"}',
        b'{"kind":"done","value":[' + b"1 " * 4_900_000 + b"]}",
    ],
    ids=["texts", "texts in a row", "lists", "depth", "blanks", "escapes", "numbers in a row"],
)
def test_a_hostile_frame_costs_its_own_length_a_few_times(body):
    """It is looked at before anything is built of it."""
    _, peak = received(body)
    assert peak < 4 * len(body), f"{peak:,} bytes for {len(body):,}"


def test_no_more_run_at_once_than_may(monkeypatch):
    """The others wait for their turn, and all come to it."""
    monkeypatch.setattr(ending, "BUDGET", SandboxBudget(2, 1))
    running, most, lock = [], [], threading.Lock()
    both = threading.Barrier(2)

    def runner(_gate, _output):
        with lock:
            running.append(1)
            most.append(len(running))
        both.wait(120)
        with lock:
            running.pop()
        return ending.succeeded(1, MANY)

    results = []

    def one():
        results.append(ending.measured("s", "1", NO_API, MANY, runner, cancel=None))

    threads = [threading.Thread(target=one) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) == 2
    assert [result.outcome for result in results] == [CodeOutcome.SUCCEEDED] * 8


def test_a_run_that_finds_no_room_is_refused(monkeypatch):
    """The model is told to try again; one that is called off meanwhile is called off."""
    budget = SandboxBudget(1, 1)
    monkeypatch.setattr(ending, "BUDGET", budget)
    cancel = threading.Event()
    with budget.run(1, None):
        limits = Limits(seconds=0.05, start_seconds=0.05)
        result = ending.measured("s", "1", NO_API, limits, None, cancel=None)
        assert (result.outcome, "Try again later" in result.message) == (CodeOutcome.REFUSED, True)
        cancel.set()
        result = ending.measured("s", "1", NO_API, MANY, None, cancel=cancel)
        assert result.outcome is CodeOutcome.CANCELLED
        with pytest.raises(NoRoomError), budget.run(0.01, None):
            pass
    with budget.run(0.01, None):
        pass


def test_frames_that_are_read_at_once_have_one_cap():
    """The first may be as large as it is; the next waits until there is room."""
    budget = SandboxBudget(1, 100)
    with budget.reading(1000, Deadline(1)):
        with pytest.raises(TimeoutError), budget.reading(1, Deadline(0.05)):
            pass
        cancel = threading.Event()
        cancel.set()
        with pytest.raises(CancelledError), budget.reading(1, Deadline(60, cancel)):
            pass
    with budget.reading(60, Deadline(1)), budget.reading(40, Deadline(0.05)):
        pass
