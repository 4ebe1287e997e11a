"""The processes that read an import's parts: each is given one after the other, and what they make comes in the parts' order.

A process that is ahead waits: of a part whose turn has not come, no more than two answers are buffered.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress

from actionledger.core.processes import words_for
from actionledger.core.worker_pool import WorkerPool, WorkerProcess
from actionledger.imports.parts import HowToRead, ImportPart, PartProgress, PartTask, received, send

_AHEAD = 7
"""How many parts for each process may be given to it and not taken in."""

_GIVEN = 5
"""How many parts a process has at most, small ones but for the first: to put a ledger in order takes as long as four of them."""

_IN_VAIN = 3
"""How many processes, beside as many as there are, are started for others that have died."""

_BUFFERED = 2
"""How many answers are buffered of a part whose turn has not come."""

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
        self._pool = WorkerPool(lambda: _Worker(self._how), count)
        self._on_their_way: deque[list[PartOnItsWay]] = deque()
        self._waiting: deque[PartOnItsWay] = deque()
        self._lost = 0

    def run(
        self, parts: Iterable[list[ImportPart]]
    ) -> Generator[tuple[PartOnItsWay, PartProgress | None], None, None]:
        """Yield what was made of parts, in their order."""
        more = iter(parts)
        with self._pool:
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

    def leave(self, part: PartOnItsWay) -> None:
        """Have nothing more of a part read: somebody else goes on with it."""
        part.is_left = True
        part.answers.clear()
        for worker in self._pool.workers:
            if worker.parts and worker.parts[0] is part and len(part.part.files) == 1:  # it may be large
                self._replace(worker)
                return

    def _give(self, more: Iterator[list[ImportPart]]) -> bool:
        """Give every process something to read, and what is small behind that, so that it need not wait; return whether any reads."""
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
        """Take what processes answer, but from those that are too far ahead."""

        def may_answer(worker: "_Worker") -> bool:
            part = worker.parts[0] if worker.parts else None
            return part is not None and (part in head or len(part.answers) < _BUFFERED)

        for worker in self._pool.answering(may_answer):
            worker.hear()
            if worker.has_died:
                self._replace(worker)

    def _replace(self, worker: "_Worker") -> None:
        """Start another process for one that was ended; where that was often in vain, do without. What it had is read by somebody else."""
        for part in worker.parts:
            if not part.is_left:
                part.give_up()
        self._lost += 1
        if self._lost <= self._count + _IN_VAIN:
            self._pool.replace(worker)
        else:
            self._pool.remove(worker)


class _Worker(WorkerProcess):
    """One process, and what it reads."""

    def __init__(self, how: HowToRead) -> None:
        super().__init__(words_for("actionledger.imports.worker"), _KEEPS_MEMORY)
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

    def _send(self, value: object) -> None:
        with suppress(BrokenPipeError):  # it has died; whoever listens to it hears that
            send(self.requests, value)
