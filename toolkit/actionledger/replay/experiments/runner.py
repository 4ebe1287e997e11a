"""Run an experiment's conversations: in parallel, within a budget, and each only once."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic
from typing import NamedTuple

from actionledger.core.errors import ActionLedgerError, UsageError
from actionledger.core.ids import derived_id
from actionledger.ledger import Ledger
from actionledger.replay.experiments.variants import (
    Experiment,
    ExperimentStopped,
    Stopping,
    Variant,
    check_names,
    distinct,
    model_of,
)
from actionledger.runtime.agent import Conversation, ConversationLimits, converse
from actionledger.runtime.agent.endings import Ending
from actionledger.runtime.models import Completion, Model
from actionledger.runtime.models.base import Chunks, Message, Stop, Tools
from actionledger.runtime.session.runtime import Runtime

STANDARD_LIMITS = ConversationLimits()

_HELD = """
SELECT json_extract_string(metadata, '$.experiment.task'), json_extract(metadata, '$.experiment.repeat')::INTEGER,
       json_extract_string(metadata, '$.experiment.settings'), reason
FROM sessions WHERE source = $source"""
_BROKE_OFF = frozenset({None, "", Ending.MODEL_FAILED.value, Ending.STOPPED.value})
"""The endings of inconclusive sessions, which are run again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The budget of an experiment, checked before each conversation; running ones are finished.

    Args:
        responses: maximum number of responses; None for no limit.
        tokens: maximum number of input and output tokens, as far as servers report them; None for no limit.
        seconds: maximum duration in seconds; None for no limit.

    Raises:
        UsageError: a number is out of range.

    Example:
        >>> al.Budget(responses=200).responses
        200
    """

    responses: int | None = None
    tokens: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        for name in ("responses", "tokens", "seconds"):
            bound = getattr(self, name)
            if bound is not None and not (isinstance(bound, int | float) and bound >= 0):
                raise UsageError(
                    f"A budget of {bound!r} {name} can't be; give a number from 0 on, or None for any."
                )


class ExperimentProgress(NamedTuple):
    """An experiment's progress.

    Args:
        done: number of finished conversations.
        total: number of conversations in all.
        turns: number of their responses.

    Example:
        >>> progress = al.ExperimentProgress(done=3, total=12, turns=10)
        >>> f"{progress.done}/{progress.total}"
        '3/12'
    """

    done: int
    total: int
    turns: int


class _Talk(NamedTuple):
    """One conversation to run."""

    variant: Variant
    task: str
    request: str
    repeat: int


@dataclass(slots=True)
class _Spent:
    """The amounts spent so far."""

    begun: float = field(default_factory=monotonic)
    responses: int = 0
    tokens: int = 0
    lock: Lock = field(default_factory=Lock)

    def add(self, completion: Completion) -> None:
        usage = completion.usage
        with self.lock:
            self.responses += 1
            if usage is not None:
                self.tokens += (usage.prompt_tokens or 0) + (usage.completion_tokens or 0)

    def is_within(self, budget: Budget) -> bool:
        return (
            (budget.responses is None or self.responses < budget.responses)
            and (budget.tokens is None or self.tokens < budget.tokens)
            and (budget.seconds is None or monotonic() - self.begun < budget.seconds)
        )


class _Counted:
    """A model wrapper that counts responses, and makes no request after the experiment is stopped."""

    def __init__(self, model: Model, spent: _Spent, stopping: Stopping) -> None:
        self._model = model
        self._spent = spent
        self._stopping = stopping

    @property
    def name(self) -> str:
        return self._model.name

    def complete(self, messages: Sequence[Message], *, tools: Tools = None, stop: Stop = None) -> Completion:
        completion = self._stopping.heeded(lambda: self._model.complete(messages, tools=tools, stop=stop))
        if isinstance(completion, Completion):
            self._spent.add(completion)
        return completion

    def stream(self, messages: Sequence[Message], *, tools: Tools = None, stop: Stop = None) -> Chunks:
        for chunk in self._model.stream(messages, tools=tools, stop=stop):
            self._stopping.check()
            if chunk.completion is not None:
                self._spent.add(chunk.completion)
            yield chunk


def experiment(
    ledger: Ledger,
    name: str,
    variants: Iterable[Variant],
    tasks: Mapping[str, str],
    *,
    repeats: int = 1,
    workers: int = 4,
    budget: Budget | None = None,
    limits: ConversationLimits = STANDARD_LIMITS,
    on_progress: Callable[[ExperimentProgress], None] | None = None,
) -> Experiment:
    """Run each variant on each task, record the sessions, and return a report.

    A session's source is ``NAME: VARIANT``, and its task is the task's name. The model's instructions, the hash of the variant's
    settings and the repeat are recorded with it. A conversation recorded to its end is not run again, so a stopped experiment
    resumes if called again.

    Args:
        ledger: the ledger to record in.
        name: the experiment's name.
        variants: the variants of the model's setup.
        tasks: the requests, by task name.
        repeats: number of times that each variant runs each task.
        workers: number of conversations run in parallel.
        budget: the limits of the whole experiment; no conversation starts beyond it.
        limits: the limits of a single conversation.
        on_progress: is called with the progress; ``progress`` shows it.

    Returns:
        The experiment; its ``compare`` compares two variants, with the test over tasks.

    Raises:
        UsageError: there is no variant or task, two variants have the same name, a variant was recorded with other settings, or
            another process is running this experiment.
        LedgerError: the ledger can't be written to.
        KeyboardInterrupt: it was stopped, as an ``ExperimentStopped`` with the progress; running responses are abandoned, and the same call resumes.

    Example:
        >>> from actionledger.runtime.models import ScriptedModel
        >>> call = al.render([("list_tasks", {})], "actions")
        >>> variant = al.Variant(name="plain", profile="assistant", model=lambda task: ScriptedModel([call, "Done."]))
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     for _ in range(2):
        ...         print(al.experiment(ledger, "first", [variant], {"a": "What is to be done?"}))
        <Experiment 'first': 1 variants, 1 conversations held now, 0 before>
        <Experiment 'first': 1 variants, 0 conversations held now, 1 before>
    """
    if not name or not tasks or repeats < 1 or workers < 1:
        raise UsageError("An experiment has a name, a task at least, and repeats and workers of 1 or more.")
    chosen = tuple(distinct(tuple(variants)))
    check_names(name, chosen, tasks)
    asked = _ExperimentRequest(name, chosen, tasks, repeats, workers, budget or Budget(), limits, on_progress)
    with _alone(ledger, name):
        return _experiment(ledger, asked)


class _ExperimentRequest(NamedTuple):
    """The checked arguments of ``experiment``."""

    name: str
    variants: Sequence[Variant]
    tasks: Mapping[str, str]
    repeats: int
    workers: int
    budget: Budget
    limits: ConversationLimits
    on_progress: Callable[[ExperimentProgress], None] | None


@contextmanager
def _alone(ledger: Ledger, name: str) -> Iterator[None]:
    """Hold an experiment's lock, since two processes would run each conversation twice."""
    lock = ledger.internals.session_lock(derived_id("experiment", name))
    if not lock.acquire():
        raise UsageError(
            f"Another process is at the experiment {name!r} right now; let it end, or stop it first."
        )
    try:
        yield
    finally:
        lock.release(remove=True)


def _experiment(ledger: Ledger, asked: _ExperimentRequest) -> Experiment:
    name, chosen, tasks, repeats, workers, budget, limits, on_progress = asked
    sources = {variant.name: f"{name}: {variant.name}" for variant in chosen}
    held = {variant.name: _completed(ledger, variant, sources[variant.name]) for variant in chosen}
    # Task by task, so that a budget cuts all variants off at the same tasks.
    every = [
        _Talk(variant, task, request, repeat)
        for repeat in range(repeats)
        for task, request in tasks.items()
        for variant in chosen
    ]
    to_hold = [talk for talk in every if (talk.task, talk.repeat) not in held[talk.variant.name]]
    round_ = _Round(ledger, name, sources, limits, budget, _Spent())
    try:
        failed = dict(round_.hold(to_hold, workers, on_progress, known=len(every) - len(to_hold)))
    except KeyboardInterrupt as error:
        done = sum(len(_completed(ledger, variant, sources[variant.name])) for variant in chosen)
        raise ExperimentStopped(done, len(every)) from error
    return Experiment(
        name,
        ledger,
        sources,
        begun=round_.begun,
        known=len(every) - len(to_hold),
        left=len(to_hold) - round_.begun,
        failed=failed,
    )


def _completed(ledger: Ledger, variant: Variant, source: str) -> set[tuple[str, int]]:
    """Return the tasks and repeats that a variant has completed."""
    rows = ledger.sql(_HELD, {"source": source}).fetchall()
    if others := {settings for _, _, settings, _ in rows} - {variant.settings_hash}:
        raise UsageError(
            f"The sessions of {source!r} were held under other settings ({', '.join(map(str, sorted(map(str, others))))} "
            f"and not {variant.settings_hash}); give the variant or the experiment another name."
        )
    return {(task, repeat) for task, repeat, _, reason in rows if reason not in _BROKE_OFF}


@dataclass(slots=True)
class _Round:
    """One call of ``experiment``."""

    ledger: Ledger
    name: str
    sources: Mapping[str, str]
    limits: ConversationLimits
    budget: Budget
    spent: _Spent
    begun: int = 0
    stopping: Stopping = field(default_factory=Stopping)

    def hold(
        self,
        talks: Sequence[_Talk],
        workers: int,
        on_progress: Callable[[ExperimentProgress], None] | None,
        *,
        known: int,
    ) -> Iterator[tuple[tuple[str, str], str]]:
        """Run conversations in parallel, and yield why some broke off, by variant and task."""
        done = known
        with ThreadPoolExecutor(workers) as pool:
            try:
                for talk, over in self._as_they_end(talks, pool, workers):
                    done += 1
                    if on_progress:
                        on_progress(ExperimentProgress(done, known + len(talks), self.spent.responses))
                    if why := over.result():
                        which = f" (repeat {talk.repeat + 1})" if talk.repeat else ""
                        yield (talk.variant.name, f"{talk.task}{which}"), why
            except BaseException:
                self.stopping.stop()  # otherwise the pool waits for whole conversations
                raise

    def _as_they_end(
        self, talks: Sequence[_Talk], pool: ThreadPoolExecutor, workers: int
    ) -> Iterator[tuple[_Talk, Future[str]]]:
        """Yield each conversation when it ends."""
        waiting = iter(talks)
        running: dict[Future[str], _Talk] = {}
        while True:
            while len(running) < workers and self.spent.is_within(self.budget):
                if (talk := next(waiting, None)) is None:
                    break
                running[pool.submit(self._one, talk)] = talk
                self.begun += 1
            if not running:
                return
            for over in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(over), over

    def _one(self, talk: _Talk) -> str:
        """Run one conversation; return why it broke off, or an empty text."""
        variant = talk.variant
        described = {
            "name": self.name,
            "variant": variant.name,
            "task": talk.task,
            "repeat": talk.repeat,
            "settings": variant.settings_hash,
        }
        try:
            model = _Counted(model_of(variant, talk.task), self.spent, self.stopping)
            called = model.name
        except ActionLedgerError as error:
            return str(error)
        except Exception as error:  # noqa: BLE001 - a user's function
            return f"Its model can't be made: {type(error).__name__}: {error}"
        runtime = Runtime(
            variant.chosen,
            ledger=self.ledger,
            auto=variant.auto,
            model=called,
            task=talk.task,
            source=self.sources[variant.name],
            metadata={"experiment": described},
            manifest=False,
        )
        found: Conversation = converse(runtime, model, talk.request, limits=self.limits, system=variant.told)
        return found.message if found.ending.value in _BROKE_OFF else ""
