"""Counts what ran lately, for all processes that write to one ledger: a small file, read and written under its own lock."""

import fcntl
import json
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from actionledger.ledger.storage.files import one_sentence


class SharedCounter:
    """Counts across processes.

    The file is no record: where it can't be read, counting starts anew.

    Args:
        path: the file; made where it doesn't exist.
        clock: tells the time in seconds, the same in every process.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self._path = path
        self._clock = clock

    def take(self, name: str, count: int, seconds: float) -> float | None:
        """Count one more, if fewer than ``count`` were counted within the last ``seconds``."""
        with one_sentence(f"What ran lately can't be counted in {self._path}"):
            descriptor = os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                return self._take(descriptor, name, count, seconds)
            finally:
                os.close(descriptor)

    def _take(self, descriptor: int, name: str, count: int, seconds: float) -> float | None:
        now = self._clock()
        times = _read(descriptor)
        # A clock that was set back leaves times in the future behind; they are forgotten.
        lately = [moment for moment in times.get(name, ()) if 0 <= now - moment < seconds]
        if len(lately) >= count:
            return lately[0] + seconds - now
        times[name] = [*lately, now]
        _write(descriptor, times)
        return None


def _read(descriptor: int) -> dict[str, list[float]]:
    data = os.pread(descriptor, os.fstat(descriptor).st_size, 0)
    with suppress(ValueError, TypeError, AttributeError):
        return {str(name): [float(moment) for moment in times] for name, times in json.loads(data).items()}
    return {}


def _write(descriptor: int, times: dict[str, list[float]]) -> None:
    data = json.dumps(times).encode()
    os.pwrite(descriptor, data, 0)
    os.ftruncate(descriptor, len(data))
