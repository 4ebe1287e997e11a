"""Parse responses in other processes, in order and bounded in memory; a text that crashes or hangs a process does not stop the rest.

A process answers each response at once, so the first one without an answer is the one that it died on. That response is parsed once
more, alone and in a new process; it counts as failed only if that process dies too.
"""

import json
import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from signal import SIGALRM, SIGPROF

from actionledger.core.canonical import JsonMap
from actionledger.core.errors import ActionLedgerError
from actionledger.core.processes import ended, words_for
from actionledger.core.vocabulary import Reason
from actionledger.core.worker_pool import WorkerPool, WorkerProcess
from actionledger.ledger.queries.rereading import Batch, RecordedResponse
from actionledger.replay.runners import Reading

PAYS_FROM = 5000
"""Minimum number of turns for which other processes save more time than they take to start."""

SECONDS = 60.0
"""Limit per text, in seconds of processor time."""

_AHEAD = 3
"""Maximum number of buffered batches per process."""

_STILLBORN = 3
"""Number of processes killed before their first text after which this counts as a fault."""

_FIELDS = tuple(each.name for each in fields(RecordedResponse))
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Command:
    """The command of a worker process, and its first message."""

    words: Sequence[str]  # the program and its arguments
    setup: JsonMap  # its settings, as JSON values
    what: str = "A process that reads turns"  # the process's name, to begin a sentence with


def own_command(setup: JsonMap) -> Command:
    """Return the command for a process that parses as this one does."""
    return Command(words_for("actionledger.replay.worker"), setup)


@dataclass(slots=True)
class _Slot:
    """A batch being parsed, with its results so far."""

    readings: list[Reading | None]
    missing: int

    def put(self, place: int, reading: Reading) -> None:
        self.readings[place] = reading
        self.missing -= 1


@dataclass(frozen=True, slots=True)
class _Task:
    """Some responses of a batch, with their positions in it."""

    slot: _Slot
    responses: Sequence[tuple[int, RecordedResponse]]
    tools: Mapping[str, str]
    is_suspect: bool = False


class Processes:
    """Parses responses in processes."""

    def __init__(
        self,
        command: Command,  # the command that starts a process
        count: int,  # number of processes
        *,
        # makes a parse result of a response and the answered line
        convert: Callable[[RecordedResponse, bytes], Reading],
        # makes a parse result of a response that killed its process, the reason, and a sentence
        fail: Callable[[RecordedResponse, Reason, str], Reading],
        # parses a response in this process, or returns None if another process can parse it
        here: Callable[[RecordedResponse, Mapping[str, str]], Reading | None] = lambda _response, _tools: (
            None
        ),
    ) -> None:
        self._command = command
        self._count = count
        self._convert = convert
        self._fail = fail
        self._here = here
        self._again: deque[_Task] = deque()
        self._slots: deque[_Slot] = deque()
        self._pool = WorkerPool(lambda: _Worker(self._command), count)
        self._stillborn = 0

    def run(self, batches: Iterable[Batch]) -> Generator[list[Reading], None, None]:
        """See ``Runner``."""
        more = iter(batches)
        with self._pool:
            while self._feed(more) or self._slots:
                self._listen()
                while self._slots and not self._slots[0].missing:
                    yield [reading for reading in self._slots.popleft().readings if reading]

    def _feed(self, more: Iterator[Batch]) -> bool:
        """Give every idle process a task; return whether any process is busy."""
        for worker in self._pool.workers:
            while worker.task is None and (task := self._next(more)) is not None:
                if task.responses:
                    worker.give(task)
        return any(worker.task for worker in self._pool.workers)

    def _next(self, more: Iterator[Batch]) -> _Task | None:
        if self._again:
            return self._again.popleft()
        if len(self._slots) >= self._count * _AHEAD or (batch := next(more, None)) is None:
            return None
        slot = _Slot([None] * len(batch.responses), len(batch.responses))
        self._slots.append(slot)
        elsewhere = []
        for place, response in enumerate(batch.responses):
            if (reading := self._here(response, batch.tools)) is not None:
                slot.put(place, reading)
            else:
                elsewhere.append((place, response))
        return _Task(slot, elsewhere, batch.tools)

    def _listen(self) -> None:
        """Collect the processes' answers; pass a dead process's remaining responses to others."""
        for worker in self._pool.answering(lambda worker: worker.task is not None):
            self._hear(worker)

    def _hear(self, worker: "_Worker") -> None:
        task = worker.task
        assert task is not None
        for (place, response), line in worker.answered_since():
            task.slot.put(place, self._convert(response, line))
        if worker.has_died:
            self._replace(worker, task)

    def _replace(self, worker: "_Worker", task: _Task) -> None:
        """Start another process, and parse the text that killed this one once more, alone."""
        rest, tools = task.responses[worker.answered :], task.tools
        code = worker.end()
        if not worker.has_begun:
            self._stillborn += 1
            if code >= 0 or worker.last_words or self._stillborn > _STILLBORN:
                raise ActionLedgerError(
                    f"{self._command.what} can't be started: {worker.last_words or ended(code)}"
                )
        self._pool.replace(worker)
        if not worker.has_begun:  # it was killed before it got a text
            self._again.append(_Task(task.slot, rest, tools, is_suspect=task.is_suspect))
            return
        if not rest:
            return
        place, response = rest[0]
        if task.is_suspect:
            reason = Reason.READING_TIMED_OUT if -code in {SIGALRM, SIGPROF} else Reason.READER_DIED
            task.slot.put(place, self._fail(response, reason, f"Its process {ended(code)}, twice."))
        else:
            self._again.append(_Task(task.slot, rest[:1], tools, is_suspect=True))
        if rest[1:]:
            self._again.append(_Task(task.slot, rest[1:], tools))


class _Worker(WorkerProcess):
    """One process and its current task."""

    def __init__(self, command: Command) -> None:
        super().__init__(command.words)
        self._rest = b""
        self.task: _Task | None = None
        self.answered = 0
        self.has_begun = False
        self.has_died = False
        self._tell(command.setup)

    def give(self, task: _Task) -> None:
        """Send responses to the process."""
        self.task, self.answered = task, 0
        responses = [_fields(response) for _, response in task.responses]
        self._tell({"responses": responses, "tools": dict(task.tools)})

    def answered_since(self) -> Iterator[tuple[tuple[int, RecordedResponse], bytes]]:
        """Yield the answers since the last call, each with its response; note if the output has ended."""
        chunk = os.read(self.answers.fileno(), _CHUNK)
        self.has_died = not chunk
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            if not self.has_begun:
                self.has_begun = True
                continue
            assert self.task is not None
            response = self.task.responses[self.answered]
            self.answered += 1
            yield response, line + b"\n"
        if self.task is not None and self.answered == len(self.task.responses):
            self.task = None

    def _tell(self, value: object) -> None:
        try:
            self.requests.write(json.dumps(value).encode() + b"\n")
            self.requests.flush()
        except BrokenPipeError:
            pass  # it has died; ``_listen`` notices


def first_answer(command: Command) -> bytes:
    """Return a process's answer to its first message."""
    worker = _Worker(command)
    try:
        found = b""
        while b"\n" not in found and (chunk := os.read(worker.answers.fileno(), _CHUNK)):
            found += chunk
    finally:
        code = worker.end()
    if b"\n" not in found:
        raise ActionLedgerError(f"{command.what} can't be started: {worker.last_words or ended(code)}")
    return found


def _fields(response: RecordedResponse) -> dict[str, object]:
    """Return a response as JSON values; ``asdict`` would take as long as parsing it."""
    at = response.occurred_at
    return {name: getattr(response, name) for name in _FIELDS} | {
        "occurred_at": None if at is None else at.isoformat()
    }
