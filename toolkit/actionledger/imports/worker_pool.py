"""The processes that read an import's parts: each is given one after the other, and what they make comes in the parts' order.

A process that is ahead waits: of a part whose turn has not come, no more than two answers are held.
"""

import os
import subprocess
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from io import BufferedWriter
from selectors import EVENT_READ, DefaultSelector
from tempfile import TemporaryFile
from typing import IO

from actionledger.core.processes import words_for
from actionledger.imports.parts import HowToRead, ImportPart, PartProgress, PartTask, received, send

_AHEAD = 7
"""How many parts for each process may be given to it and not taken in."""

_GIVEN = 5
"""How many parts a process has at most, small ones but for the first: to put a ledger in order takes as long as four of them."""

_IN_VAIN = 3
"""How many processes, beside as many as there are, are started for others that have died."""

_HELD = 2
"""How many answers are held of a part whose turn has not come."""

_KEEPS_MEMORY = {"MALLOC_TRIM_THRESHOLD_": str(32 * 2**20), "MALLOC_MMAP_THRESHOLD_": str(32 * 2**20)}
"""What has glibc not give memory back that is asked for again with the next answer: 3 of 4 page faults, a hundredth of the work."""


class PartOnItsWay:
    """A part that is being read, and what came of it.

    Args:
        part: the part.

    Attributes:
        answers: what came of it and was not taken in yet.
        is_read: whether its process has done with it.
        is_left: whether somebody else goes on with it.
        place: how far it was taken in: the place of a file, and in that file the place among what its source gives.
    """

    def __init__(self, part: ImportPart) -> None:
        self.part = part
        self.answers: deque[PartProgress] = deque()
        self.is_read = False
        self.is_left = False
        self.place = (0, 0)

    def give_up(self) -> None:
        """Have the rest of it read by somebody else, behind what there is of it."""
        self.answers.append(PartProgress(None, 0, 0, 0))
        self.is_read = True

    def hear(self, answer: PartProgress) -> None:
        """Take what came of it, unless somebody else goes on with it."""
        if not self.is_left:
            self.answers.append(answer)
        self.is_read = self.is_read or answer.is_last or answer.made is None

    @property
    def is_over(self) -> bool:
        """Whether nothing more comes of it."""
        return self.is_left or (self.is_read and not self.answers)


class ImportWorkers:
    """Has parts read by processes.

    Args:
        count: how many of them.
        how: how they are to read.
        task_of: returns what a process has to be told to read a part, of the part and of the sources that it knows already.
    """

    def __init__(
        self, count: int, how: HowToRead, task_of: Callable[[ImportPart, set[str]], PartTask]
    ) -> None:
        self._how = how
        self._task_of = task_of
        self._count = count
        self._workers: list[_Worker] = []
        self._on_their_way: deque[list[PartOnItsWay]] = deque()
        self._waiting: deque[PartOnItsWay] = deque()
        self._lost = 0

    def run(
        self, parts: Iterable[list[ImportPart]]
    ) -> Generator[tuple[PartOnItsWay, PartProgress | None], None, None]:
        """Yield what was made of parts, in their order."""
        more = iter(parts)
        try:
            self._workers = [_Worker(self._how) for _ in range(self._count)]
            while self._give(more) or self._on_their_way:
                # None is, where a process is still at the rest of one that is left to somebody else.
                head = self._on_their_way[0] if self._on_their_way else []
                for each in head:
                    while each.answers:
                        answer = each.answers.popleft()
                        if answer.made is None:
                            self.leave(each)
                            yield each, None
                        else:
                            yield each, answer
                if head and all(each.is_over for each in head):
                    self._on_their_way.popleft()
                else:
                    self._listen(head)
        finally:
            for worker in self._workers:
                worker.end()

    def leave(self, part: PartOnItsWay) -> None:
        """Have nothing more of a part read: somebody else goes on with it."""
        part.is_left = True
        part.answers.clear()
        for worker in self._workers:
            if worker.parts and worker.parts[0] is part and len(part.part.files) == 1:  # it may be large
                self._replace(worker)
                return

    def _give(self, more: Iterator[list[ImportPart]]) -> bool:
        """Give every process something to read, and what is small behind that, so that it need not wait; return whether any reads."""
        for has in range(_GIVEN):
            for worker in self._workers:
                if len(worker.parts) == has and (part := self._next(more, only_small=has > 0)) is not None:
                    worker.give(part, self._task_of(part.part, worker.knows))
        if not self._workers and (part := self._next(more)) is not None:
            part.give_up()
        return any(worker.parts for worker in self._workers)

    def _next(self, more: Iterator[list[ImportPart]], *, only_small: bool = False) -> PartOnItsWay | None:
        while not self._waiting:
            if len(self._on_their_way) >= self._count * _AHEAD or (parts := next(more, None)) is None:
                return None
            self._on_their_way.append([PartOnItsWay(part) for part in parts])
            self._waiting.extend(self._on_their_way[-1])
        if only_small and not self._waiting[0].part.is_small:
            return None
        return self._waiting.popleft()

    def _listen(self, head: list[PartOnItsWay]) -> None:
        """Take what processes answer, but from those that are too far ahead."""
        with DefaultSelector() as selector:
            for worker in self._workers:
                part = worker.parts[0] if worker.parts else None
                if part is not None and (part in head or len(part.answers) < _HELD):
                    selector.register(worker.answers, EVENT_READ, worker)
            heard = [key.data for key, _ in selector.select()]
        for worker in heard:
            worker.hear()
            if worker.has_died:
                self._replace(worker)

    def _replace(self, worker: "_Worker") -> None:
        """Start another process for one that was ended; where that was often in vain, do without. What it had is read by somebody else."""
        for part in worker.parts:
            if not part.is_left:
                part.give_up()
        worker.end()
        self._workers.remove(worker)
        self._lost += 1
        if self._lost <= self._count + _IN_VAIN:
            self._workers.append(_Worker(self._how))


class _Worker:
    """One process, and what it reads."""

    def __init__(self, how: HowToRead) -> None:
        self._errors: IO[bytes] = TemporaryFile()  # noqa: SIM115 - as long as the process
        # In a session of its own: whoever interrupts this process says what becomes of that one.
        self._process = subprocess.Popen(  # noqa: S603 - words of our own
            words_for("actionledger.imports.worker"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=True,
            env=_KEEPS_MEMORY | os.environ,
            bufsize=0,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._requests, self.answers = BufferedWriter(self._process.stdin), self._process.stdout
        self.parts: deque[PartOnItsWay] = deque()
        self.knows: set[str] = set()
        self.has_died = False
        self._send(how)

    def give(self, part: PartOnItsWay, task: PartTask) -> None:
        """Have a part read, behind those that it has."""
        self.parts.append(part)
        self.knows |= task.facts.keys()
        self._send(task)

    def hear(self) -> None:
        """Take one answer; note the end."""
        try:
            answer: PartProgress = received(self.answers)
        except EOFError:
            self.has_died = True
            return
        self.parts[0].hear(answer)
        if self.parts[0].is_read:
            self.parts.popleft()

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._requests, self.answers):
            with suppress(BrokenPipeError):
                pipe.close()
        self._errors.close()

    def _send(self, value: object) -> None:
        with suppress(BrokenPipeError):  # it has died; whoever listens to it hears that
            send(self._requests, value)
