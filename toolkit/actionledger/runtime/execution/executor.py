"""Run admitted steps in threads and record each try before and after its effect."""

import atexit
import random
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import partial
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any
from weakref import WeakSet

from actionledger.core.draws import Tape, drawing_from
from actionledger.core.errors import ActionError, ActionLedgerError
from actionledger.core.recording import Recorder
from actionledger.core.values import Observation
from actionledger.core.vocabulary import SENTENCES, ExecutionStatus, Reason
from actionledger.runtime.execution.execution_events import (
    ActionStep,
    execution_finished,
    execution_started,
    noted,
)
from actionledger.runtime.execution.handlers import Context, Handler, Handlers, unlimited
from actionledger.runtime.execution.limits import Rates
from actionledger.runtime.execution.outcomes import Again, HandlerOutcome, message_of, outcome_of, truncated
from actionledger.runtime.execution.profile import ActionSettings, ExecutionSettings
from actionledger.runtime.execution.turn_context import Withheld
from actionledger.runtime.workspace import Workspace, belonging_to

_LONGEST_DELAY = 30.0
"""The longest pause between two tries, in seconds."""


def no_tape(_step: ActionStep) -> Tape | None:
    """Return no tape, so that actions draw every value anew."""
    return None


_PATIENCE = 1.0
"""How long the exit of the process waits for an idle thread, in seconds."""


class HandlerJob:
    """A piece of work and its result."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self.result: Any = None
        self.error: BaseException | None = None
        self.duration_ms = 0.0
        self._begun = time.perf_counter()
        self._work = work
        self._variables = copy_context()
        self._is_done = Event()

    def run(self) -> None:
        """Do the work; keep any exception."""
        self._begun = time.perf_counter()
        try:
            self.result = self._variables.run(self._work)
        except BaseException as error:  # noqa: BLE001 - the waiting thread handles it
            self.error = error
        self.duration_ms = (time.perf_counter() - self._begun) * 1000
        self._is_done.set()

    def wait(self, seconds: float | None) -> bool:
        """Wait until the work is done, with the time counted from its start; return whether it is done."""
        rest = None if seconds is None else max(0.0, self._begun + seconds - time.perf_counter())
        return self._is_done.wait(rest)


class _Worker:
    """A thread that runs one job after another."""

    def __init__(self) -> None:
        self.jobs: SimpleQueue[HandlerJob | None] = SimpleQueue()
        self.is_busy = False
        self.thread = Thread(target=self._run, name="actionledger-handler", daemon=True)
        self.thread.start()
        _alive.add(self)

    def _run(self) -> None:
        while (job := self.jobs.get()) is not None:
            self.is_busy = True
            job.run()
            del job
            self.is_busy = False


_alive: WeakSet[_Worker] = WeakSet()


@atexit.register
def _end_idle() -> None:
    """End idle threads that nobody closed: a waiting thread keeps modules alive at exit, and DuckDB complains."""
    workers = list(_alive)
    for worker in workers:
        worker.jobs.put(None)
    for worker in workers:
        if not worker.is_busy:
            worker.thread.join(_PATIENCE)


class HandlerThreads:
    """A pool with as many threads as there are concurrent jobs; idle threads are reused."""

    def __init__(self) -> None:
        self._idle: list[_Worker] = []
        self._busy: dict[HandlerJob, _Worker] = {}

    def start(self, work: Callable[[], Any]) -> HandlerJob:
        job = HandlerJob(work)
        worker = self._take()
        self._busy[job] = worker
        worker.jobs.put(job)
        return job

    def finish(self, job: HandlerJob, seconds: float | None) -> bool:
        """Wait for a job; abandon it if it takes longer."""
        if not job.wait(seconds):
            self.abandon(job)
            return False
        self._idle.append(self._busy.pop(job))
        return True

    def abandon(self, job: HandlerJob) -> bool:
        """Abandon a job; return whether anybody was waiting for it."""
        worker = self._busy.pop(job, None)
        if worker is not None:
            worker.jobs.put(None)
        return worker is not None

    def close(self) -> None:
        """End the threads, each after its job."""
        for worker in (*self._idle, *self._busy.values()):
            worker.jobs.put(None)
        self._idle.clear()
        self._busy.clear()

    def _take(self) -> _Worker:
        while self._idle:
            worker = self._idle.pop()
            if worker.thread.is_alive():  # a forked child doesn't have the parent's threads
                return worker
        return _Worker()


@dataclass(frozen=True, slots=True)
class _Try:
    """A running try."""

    step: ActionStep
    settings: ActionSettings
    job: HandlerJob
    cancelled: Event


class Executor:
    """Runs the steps of one session."""

    def __init__(
        self,
        handlers: Handlers,
        *,
        workspace: Workspace,
        execution_settings: ExecutionSettings,
        record: Recorder,
        rates: Rates | None = None,
        sleep: Callable[[float], None] = time.sleep,
        tape_of: Callable[[ActionStep], Tape | None] = no_tape,
    ) -> None:
        self.handlers = handlers
        self.execution_settings = execution_settings
        self._workspace = workspace
        self._record = record
        self._rates = rates
        self._sleep = sleep
        self._tape_of = tape_of
        self._workers = HandlerThreads()

    def run(self, steps: Sequence[ActionStep]) -> list[Observation]:
        """Run admitted steps, in parallel if there are several; return each one's last observation in their order, which is also that of the events."""
        for step in steps:
            self._record(execution_started(step))
        tries = [self._begin(step, self.handlers[step.call.name]) for step in steps]
        try:
            outcomes = [self._end(each) for each in tries]
        except BaseException:
            self._stop(tries)
            raise
        return [self._tried_again(each, *ended) for each, ended in zip(tries, outcomes, strict=True)]

    def preview(self, step: ActionStep, held_back: Withheld | None = None) -> Observation:
        """Record a preview of a step without running it."""
        self._record(execution_started(step))
        handler = self.handlers.previews.get(step.call.name)
        result, message = None, f"It would run {step.call.name} with the arguments given."
        if handler is not None and not step.call.references:
            attempt = self._begin(step, handler, dry_run=True)
            if self._is_done(attempt) and attempt.job.error is None:
                result, message = attempt.job.result, ""
            elif attempt.job.error is not None:
                message = f"It would fail. {message_of(attempt.job.error, outcome_of(attempt.job.error))}"
        reason = held_back.reason if held_back else None
        if held_back:
            message = f"{held_back.message} {message}".rstrip()
        observation = _observation(
            step, ExecutionStatus.DRY_RUN, reason=reason, result=result, message=message
        )
        return self._finished(step, observation)

    def withhold(self, step: ActionStep, withheld: Withheld) -> Observation:
        """Record a withheld step, with the reason."""
        self._record(execution_started(step))
        observation = _observation(
            step, withheld.status, reason=withheld.reason, message=withheld.message, errors=withheld.errors
        )
        return self._finished(step, observation)

    def close(self) -> None:
        """End the threads and close the handlers."""
        self._workers.close()
        self.handlers.close()

    def _begin(self, step: ActionStep, handler: Handler, *, dry_run: bool = False) -> _Try:
        cancelled = Event()
        context = Context(
            workspace=self._workspace,
            session_id=step.turn.session.session_id,
            turn_id=step.turn.turn_id,
            trace_id=step.trace_id,
            cancelled=cancelled,
            dry_run=dry_run,
            take=self._rates.take if self._rates and not dry_run else unlimited,
            note=partial(self._note, step),
        )
        settings = self.execution_settings.of(step.call.name)
        tape = None if dry_run else self._tape_of(step)

        def work() -> Any:
            # Truncated here, within the action's time limit, because converting a foreign object runs foreign code.
            try:
                with (
                    drawing_from(tape),
                    belonging_to(
                        turn=step.turn.turn_id,
                        action=step.action_id,
                        session=step.turn.session.session_id,
                    ),
                ):
                    return truncated(handler(step.call.action, context))
            except ActionError as error:
                error.result = truncated(error.result)
                raise

        if settings.timeout is not None:
            return _Try(step, settings, self._workers.start(work), cancelled)
        job = HandlerJob(work)
        job.run()
        return _Try(step, settings, job, cancelled)

    def _note(self, step: ActionStep, code: str, message: str, detail: Mapping[str, Any]) -> None:
        """Record a note about an execution for a reviewer."""
        about = {"action_index": step.index, "execution_id": step.execution_id}
        self._record(noted(code, message, step.turn, step.run_id, about | dict(detail), of=step.execution_id))

    def _is_done(self, attempt: _Try) -> bool:
        """Wait for a try until its timeout; a try that takes longer is cancelled and abandoned."""
        timeout = attempt.settings.timeout
        if timeout is None or self._workers.finish(attempt.job, timeout):
            return True
        attempt.cancelled.set()
        return False

    def _end(self, attempt: _Try) -> tuple[Observation, Again]:
        """Wait for a try; record and return its observation, and whether to retry."""
        job, step = attempt.job, attempt.step
        outcome: HandlerOutcome | None = None
        if not self._is_done(attempt):
            seconds = attempt.settings.timeout or 0.0
            message = (
                f"{SENTENCES[Reason.TIMEOUT]} It had {seconds:g} s; what it began may still take effect."
            )
            outcome = HandlerOutcome(ExecutionStatus.TIMED_OUT, Reason.TIMEOUT)
            observation = _observation(
                step, outcome.status, reason=outcome.reason, message=message, duration_ms=seconds * 1000
            )
        elif job.error is not None:
            outcome = outcome_of(job.error)
            observation = _observation(
                step,
                outcome.status,
                reason=outcome.reason,
                result=job.error.result if isinstance(job.error, ActionError) else None,
                message=message_of(job.error, outcome),
                duration_ms=job.duration_ms,
            )
        else:
            observation = _observation(
                step, ExecutionStatus.SUCCEEDED, result=job.result, duration_ms=job.duration_ms
            )
        self._finished(step, observation)
        if isinstance(job.error, KeyboardInterrupt):
            raise job.error
        return observation, outcome.again if outcome else Again.NEVER

    def _tried_again(self, attempt: _Try, observation: Observation, again: Again) -> Observation:
        """Retry a transient failure as often as its settings allow; return the last observation."""
        settings, step = attempt.settings, attempt.step
        for number in range(settings.retries):
            if again is Again.NEVER or (again is Again.IF_IDEMPOTENT and not settings.idempotent):
                break
            self._sleep(_delay(settings, number))
            step = replace(step, try_number=step.try_number + 1)
            self._record(execution_started(step))
            repeated = self._begin(step, self.handlers[step.call.name])
            try:
                observation, again = self._end(repeated)
            except BaseException:
                self._stop([repeated])
                raise
        return observation

    def _stop(self, tries: Sequence[_Try]) -> None:
        """Abandon running tries, and record that."""
        left = [attempt for attempt in tries if self._workers.abandon(attempt.job)]
        for attempt in left:
            attempt.cancelled.set()
        for attempt in left:
            observation = _observation(
                attempt.step,
                ExecutionStatus.INTERRUPTED,
                reason=Reason.STOPPED,
                message=SENTENCES[Reason.STOPPED],
            )
            # If even that can't be recorded, a start without a finish says the same.
            with suppress(ActionLedgerError):
                self._finished(attempt.step, observation)

    def _finished(self, step: ActionStep, observation: Observation) -> Observation:
        self._record(execution_finished(observation, step.turn, step.run_id))
        return observation


def _observation(step: ActionStep, status: ExecutionStatus, **given: Any) -> Observation:
    return Observation(
        execution_id=step.execution_id,
        action_index=step.index,
        name=step.call.name,
        status=status,
        **given,
    )


def _delay(settings: ActionSettings, number: int) -> float:
    """Return the pause before a retry: it doubles each time, with some randomness, so that retries don't all come at once."""
    return float(min(_LONGEST_DELAY, settings.delay * 2.0**number) * random.uniform(1.0, 1.25))  # noqa: S311 - no secret
