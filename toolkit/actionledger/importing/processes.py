"""Processes that read what an import has found: they are started while the rest is looked for, since they take half a second to load."""

import os
import subprocess
from contextlib import suppress
from io import BufferedWriter
from tempfile import TemporaryFile
from types import TracebackType
from typing import IO, Self

from actionledger.importing.parts import WORTH_BYTES, unpacked_size
from actionledger.importing.recognising import ToRead
from actionledger.system.own_processes import words_for

_KEEPS_MEMORY = {"MALLOC_TRIM_THRESHOLD_": str(32 * 2**20), "MALLOC_MMAP_THRESHOLD_": str(32 * 2**20)}
"""What has glibc not give memory back that is asked for again with the next answer: 3 of 4 page faults, a hundredth of the work."""


class ReadingProcess:
    """One process, which waits to be told what to read.

    Attributes:
        requests: what it is told goes here.
        answers: what it answers comes from here.
    """

    def __init__(self) -> None:
        self._errors: IO[bytes] = TemporaryFile()  # noqa: SIM115 - as long as the process
        # In a session of its own: whoever interrupts this process says what becomes of that one.
        self._process = subprocess.Popen(  # noqa: S603 - words of our own
            words_for("actionledger.importing.worker"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=True,
            env=_KEEPS_MEMORY | os.environ,
            bufsize=0,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.requests, self.answers = BufferedWriter(self._process.stdin), self._process.stdout

    def end(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()
        for pipe in (self.requests, self.answers):
            with suppress(BrokenPipeError):
                pipe.close()
        self._errors.close()


class Processes:
    """The processes of one import.

    Args:
        count: how many read together what is worth it.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._size = 0
        self._started: list[ReadingProcess] = []

    @property
    def worth(self) -> int:
        """How many processes it is worth to have read what was found."""
        return self._count if self._size >= WORTH_BYTES else 1

    def found(self, file: ToRead) -> None:
        """Note that a file is to be read; start all processes once that is worth it."""
        before = self.worth
        self._size += unpacked_size(file) or 0
        if self.worth > before:
            self._started = [ReadingProcess() for _ in range(self._count)]

    def one(self) -> ReadingProcess:
        """Return a process; whoever asks for it ends it."""
        return self._started.pop() if self._started else ReadingProcess()

    def end_others(self) -> None:
        """End those that nobody has asked for."""
        while self._started:
            self._started.pop().end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end_others()
