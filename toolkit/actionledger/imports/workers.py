"""The worker processes of an import: each reads one part after another, and their events come in the parts' order.

A process that is ahead waits: for a part whose turn has not come, at most two answers are buffered.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress

from actionledger.core.processes import words_for
from actionledger.core.worker_pool import WorkerPool, WorkerProcess
from actionledger.imports.parts import HowToRead, ImportPart, PartProgress, PartTask, received, send

_AHEAD = 7
"""The most parts per process that are given out but not yet imported."""

_GIVEN = 5
"""The most parts a process has, all but the first small: putting a ledger in order takes as long as four of them."""

_IN_VAIN = 3
"""The most replacements for dead processes, beyond the number of processes."""

_BUFFERED = 2
"""The most buffered answers of a part whose turn has not come."""

_KEEPS_MEMORY = {"MALLOC_TRIM_THRESHOLD_": str(32 * 2**20), "MALLOC_MMAP_THRESHOLD_": str(32 * 2**20)}
"""Keep glibc from returning memory that the next answer needs again: this saves 3 of 4 page faults, a hundredth of the work."""


class PartOnItsWay:
    """A part that is being read, and its answers."""

    def __init__(self, part: ImportPart) -> None:
        self.part = part
        self.answers: deque[PartProgress] = deque()
        self.is_read = False
        self.is_left = False
        self.place = (0, 0)

    def give_up(self) -> None:
        """Leave the rest of the part to the parent, after its answers so far."""
        self.answers.append(PartProgress(None, 0, 0, 0))
        self.is_read = True

    def hear(self, answer: PartProgress) -> None:
        """Add an answer, unless the parent reads the rest."""
        if not self.is_left:
            self.answers.append(answer)
        self.is_read = self.is_read or answer.is_last or answer.made is None

    @property
    def is_over(self) -> bool:
        """Whether no more answers follow."""
        return self.is_left or (self.is_read and not self.answers)


class ImportWorkers:
    """Reads parts in worker processes."""

    def __init__(
        self, count: int, how: HowToRead, task_of: Callable[[ImportPart, set[str]], PartTask]
    ) -> None:
        self._how = how
        self._task_of = task_of
        self._count = count
        self._pool = WorkerPool(lambda: _Worker(self._how), count)
        self._on_their_way: deque[list[PartOnItsWay]] = deque()
        self._waiting: deque[PartOnItsWay] = deque()
        self._lost = 0

    def run(
        self, parts: Iterable[list[ImportPart]]
    ) -> Generator[tuple[PartOnItsWay, PartProgress | None], None, None]:
        """Yield the answers of parts, in the parts' order."""
        more = iter(parts)
        with self._pool:
            while self._give(more) or self._on_their_way:
                # Empty while a process still reads the rest of a part that the parent took over.
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

    def leave(self, part: PartOnItsWay) -> None:
        """Stop reading a part: the parent reads the rest."""
        part.is_left = True
        part.answers.clear()
        for worker in self._pool.workers:
            if worker.parts and worker.parts[0] is part and len(part.part.files) == 1:  # it may be large
                self._replace(worker)
                return

    def _give(self, more: Iterator[list[ImportPart]]) -> bool:
        """Give each process a part, and small ones after it so that it need not wait; return whether any process reads."""
        for has in range(_GIVEN):
            for worker in self._pool.workers:
                if len(worker.parts) == has and (part := self._next(more, only_small=has > 0)) is not None:
                    worker.give(part, self._task_of(part.part, worker.knows))
        if not self._pool.workers and (part := self._next(more)) is not None:
            part.give_up()
        return any(worker.parts for worker in self._pool.workers)

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
        """Receive the processes' answers, except from those too far ahead."""

        def may_answer(worker: "_Worker") -> bool:
            part = worker.parts[0] if worker.parts else None
            return part is not None and (part in head or len(part.answers) < _BUFFERED)

        for worker in self._pool.answering(may_answer):
            worker.hear()
            if worker.has_died:
                self._replace(worker)

    def _replace(self, worker: "_Worker") -> None:
        """Replace a process that ended, unless too many have failed; the parent reads its parts."""
        for part in worker.parts:
            if not part.is_left:
                part.give_up()
        self._lost += 1
        if self._lost <= self._count + _IN_VAIN:
            self._pool.replace(worker)
        else:
            self._pool.remove(worker)


class _Worker(WorkerProcess):
    """One worker process and its parts."""

    def __init__(self, how: HowToRead) -> None:
        super().__init__(words_for("actionledger.imports.worker"), _KEEPS_MEMORY)
        self.parts: deque[PartOnItsWay] = deque()
        self.knows: set[str] = set()
        self.has_died = False
        self._send(how)

    def give(self, part: PartOnItsWay, task: PartTask) -> None:
        """Add a part to its queue."""
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

    def _send(self, value: object) -> None:
        with suppress(BrokenPipeError):  # it has died, which its reader reports
            send(self.requests, value)
