"""How an experiment is stopped: whoever waits for a model waits no longer, and no other response is asked for."""

from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from contextvars import copy_context
from threading import Lock, Thread
from typing import Any, TypeVar, cast

Result = TypeVar("Result")


class ExperimentStopped(KeyboardInterrupt):
    """An experiment that was stopped; what was recorded until then is kept, and the same call goes on with the rest.

    Args:
        done: how many of its conversations are recorded to their ends.
        total: how many there are in all.
    """

    def __init__(self, done: int, total: int) -> None:
        super().__init__(
            f"The experiment was stopped. {done:,} of its {total:,} conversations are recorded to their ends; "
            "the same call goes on with the others."
        )
        self.done = done
        self.total = total


class Stopping:
    """Is heard by all who wait for a model."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._is_set = False
        self._waiting: set[Future[Any]] = set()

    def stop(self) -> None:
        """Let nobody wait any more: who does, or is about to, gets a ``KeyboardInterrupt``."""
        with self._lock:
            self._is_set = True
            for answer in self._waiting:
                with suppress(InvalidStateError):  # it is given right now
                    answer.set_exception(KeyboardInterrupt())

    def check(self) -> None:
        """Raise ``KeyboardInterrupt`` where it is stopped."""
        if self._is_set:
            raise KeyboardInterrupt

    def heeded(self, ask: Callable[[], Result]) -> Result:
        """Return what something gives that takes long, unless it is stopped meanwhile: then that is left behind."""
        answer: Future[Result] = Future()
        with self._lock:
            self.check()
            self._waiting.add(answer)
        Thread(target=copy_context().run, args=(_give, answer, ask), daemon=True).start()
        try:
            return answer.result()
        finally:
            with self._lock:
                self._waiting.discard(answer)


def _give(answer: Future[Result], ask: Callable[[], Result]) -> None:
    value: Result | None = None
    raised: BaseException | None = None
    try:
        value = ask()
    except BaseException as error:  # noqa: BLE001 - whoever waits raises it
        raised = error
    with suppress(InvalidStateError):  # it was stopped meanwhile
        if raised is None:
            answer.set_result(cast("Result", value))
        else:
            answer.set_exception(raised)
