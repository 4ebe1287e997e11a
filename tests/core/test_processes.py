"""Locks that elect one: nobody else has it, and a file that was removed is no lock any more."""

import ctypes
import os
import time
from pathlib import Path
from threading import Event, Thread

import pytest

from actionledger.core.processes import FileLock, give_memory_back, remove_free, watch_worker


def test_a_lock_has_one_holder(tmp_path):
    """Whoever asks meanwhile is refused, and may have it afterwards."""
    first, second = FileLock(tmp_path / "x.lock"), FileLock(tmp_path / "x.lock")
    assert first.acquire()
    assert not second.acquire()
    first.release()
    assert second.acquire()
    second.release()


def test_a_removed_file_is_no_lock(tmp_path):
    """Whoever waited for a file that its holder removed gets a lock on the new one: never do two have it."""
    path = tmp_path / "x.lock"
    first, second, third = (FileLock(path) for _ in range(3))
    assert first.acquire()
    asked, got = Event(), []

    def wait() -> None:
        asked.set()
        got.append(second.acquire(120))

    waiting = Thread(target=wait)
    waiting.start()
    asked.wait(120)
    first.release(remove=True)
    waiting.join(120)
    assert got == [True]
    assert path.exists()
    assert not third.acquire()
    second.release(remove=True)
    assert not path.exists()
    assert third.acquire()
    third.release()


def test_the_locks_of_the_dead_are_cleared_away(tmp_path):
    """A file that nobody holds goes after an hour; one that is held, or has only just been made, stays."""
    held = FileLock(tmp_path / "held.lock")
    assert held.acquire()
    for name in ("old", "new"):
        (tmp_path / f"{name}.lock").touch()
    for name in ("old", "held"):
        os.utime(tmp_path / f"{name}.lock", times=(time.time() - 7200,) * 2)
    remove_free(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["held.lock", "new.lock"]
    assert not FileLock(tmp_path / "held.lock").acquire()
    held.release()


def test_a_worker_rests_while_its_process_forks(tmp_path):
    """It pauses before, goes on in the parent, and starts over in the child."""
    told = tmp_path / "told"

    class Worker:
        def tell(self, word: str) -> None:
            with told.open("a") as file:
                file.write(f"{word} {os.getpid() == parent}\n")

        def pause(self) -> None:
            self.tell("pause")

        def go_on(self) -> None:
            self.tell("go on")

        def start_over(self) -> None:
            self.tell("start over")

    parent, worker = os.getpid(), Worker()
    watch_worker(worker)
    child = os.fork()
    if not child:
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    first, *rest = told.read_text().splitlines()
    assert first == "pause True"
    assert sorted(rest) == ["go on True", "start over False"]


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_freed_memory_is_given_back():
    """Much that was freed below something that is still in use stays with the process otherwise."""
    library = ctypes.CDLL(None)
    if not hasattr(library, "malloc_trim"):
        pytest.skip("this C library gives memory back by itself, or never")
    library.malloc.restype, library.free.argtypes = ctypes.c_void_p, (ctypes.c_void_p,)
    some = [library.malloc(10_000) for _ in range(10_000)]
    for place in some:
        ctypes.memset(place, 1, 10_000)
    *below, top = some
    for place in below:
        library.free(place)
    held = _resident()
    give_memory_back()
    assert held - _resident() > 50_000_000
    library.free(top)
