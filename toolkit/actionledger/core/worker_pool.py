"""Worker processes of this process: started together, replaced if one dies, and ended with their starter."""

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from io import BufferedWriter
from selectors import EVENT_READ, DefaultSelector
from tempfile import TemporaryFile
from typing import IO, Generic, Self, TypeVar

_LAST_BYTES = 2000
"""The number of bytes that are kept of the end of a process's standard error."""


class WorkerProcess:
    """A process that reads requests from its standard input and answers on its standard output."""

    def __init__(self, words: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        self._errors: IO[bytes] = TemporaryFile()  # noqa: SIM115 - as long as the process
        # In a session of its own, so that Ctrl-C reaches this process only, which decides about the worker.
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
        """End the process if it still runs, and return its exit code."""
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

    The caller decides what each of them does next, and what happens to the work of one that died.
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
        """Wait for some of the wanted workers to answer or end, and return those; empty at once if none is wanted."""
        with DefaultSelector() as selector:
            for worker in filter(wanted, self.workers):
                selector.register(worker.answers, EVENT_READ, worker)
            return [key.data for key, _ in selector.select()] if selector.get_map() else []

    def replace(self, worker: Worker) -> None:
        """End a worker, and start another one in its place."""
        worker.end()
        self.workers[self.workers.index(worker)] = self._start()

    def remove(self, worker: Worker) -> None:
        """End a worker without replacing it."""
        worker.end()
        self.workers.remove(worker)
