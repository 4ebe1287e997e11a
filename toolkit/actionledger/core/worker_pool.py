"""Processes of our own that work for this one: started together, replaced where one dies, ended with whoever has started them."""

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from io import BufferedWriter
from selectors import EVENT_READ, DefaultSelector
from tempfile import TemporaryFile
from typing import IO, Generic, Self, TypeVar

_LAST_BYTES = 2000
"""How much of the last that a process has written to its standard error is kept."""


class WorkerProcess:
    """A process that reads requests from its standard input and answers on its standard output.

    Args:
        words: the program and its arguments.
        environment: variables that are set for it, unless they are set for this process.

    Attributes:
        requests: what it reads.
        answers: what it has written, without a buffer.
        last_words: the last that it has written to its standard error, once it has ended.
    """

    def __init__(self, words: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        self._errors: IO[bytes] = TemporaryFile()  # noqa: SIM115 - as long as the process
        # In a session of its own: whoever interrupts this process says what becomes of that one.
        self._process = subprocess.Popen(  # noqa: S603 - words of our own
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=True,
            env={**(environment or {}), **os.environ},
            bufsize=0,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.requests, self.answers = BufferedWriter(self._process.stdin), self._process.stdout
        self.last_words = ""

    def end(self) -> int:
        """End the process, if it has not ended; return its exit code."""
        self._process.kill()
        code = self._process.wait()
        for pipe in (self.requests, self.answers):
            with suppress(BrokenPipeError):
                pipe.close()
        if not self._errors.closed:
            size = self._errors.seek(0, os.SEEK_END)
            self._errors.seek(max(0, size - _LAST_BYTES))
            self.last_words = self._errors.read().decode("utf-8", "replace").strip()
            self._errors.close()
        return code


Worker = TypeVar("Worker", bound=WorkerProcess)


class WorkerPool(Generic[Worker]):
    """Several workers of one kind; a context that ends them.

    Who uses it decides what each of them does next, and what becomes of the work of one that died.

    Args:
        start: starts a worker.
        count: how many of them.
    """

    def __init__(self, start: Callable[[], Worker], count: int) -> None:
        self._start = start
        self._count = count
        self.workers: list[Worker] = []

    def __enter__(self) -> Self:
        try:
            while len(self.workers) < self._count:
                self.workers.append(self._start())
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self.workers:
            worker.end()

    def answering(self, wanted: Callable[[Worker], bool]) -> list[Worker]:
        """Wait for the workers that are wanted; return those that have answered or ended, at once where none is wanted."""
        with DefaultSelector() as selector:
            for worker in filter(wanted, self.workers):
                selector.register(worker.answers, EVENT_READ, worker)
            return [key.data for key, _ in selector.select()] if selector.get_map() else []

    def replace(self, worker: Worker) -> None:
        """End a worker, and start another one in its place."""
        worker.end()
        self.workers[self.workers.index(worker)] = self._start()

    def remove(self, worker: Worker) -> None:
        """End a worker, and do with one less."""
        worker.end()
        self.workers.remove(worker)
