"""Parse turns again on a Ray cluster: batches go to actors, and their answers are recorded here, in order."""

from collections import deque
from collections.abc import Generator, Iterable
from typing import Any

from actionledger.core.canonical import JsonMap
from actionledger.core.errors import require
from actionledger.core.privacy import custom
from actionledger.core.recording import RunKey
from actionledger.core.vocabulary import RunKind
from actionledger.ledger.queries.rereading import Batch
from actionledger.replay.processes import Processes
from actionledger.replay.runners import InThisProcess, Reading, Rereader
from actionledger.replay.worker import PARSER, Limit
from actionledger.runtime.execution.registry import PROFILES

_AHEAD = 3
"""Number of batches per actor at a time."""


class _Actor:
    """Parses batches; a text that takes too long ends the actor."""

    def __init__(self, setup: JsonMap) -> None:
        custom.add(setup["secrets"])
        run = RunKey(run_id=setup["run_id"], kind=RunKind.REPARSE)
        self._reader = InThisProcess(Rereader(PARSER.validate_json(setup["parser"]), run))
        self._limit = Limit(setup["seconds"])

    def read(self, batch: Batch) -> list[Reading]:
        """Return a batch's results."""
        self._limit.begin()
        [readings] = self._reader.run([batch])
        self._limit.end()
        return readings


class OnRay:
    """Parses batches in Ray actors; a batch that killed its actor is parsed by local processes, which find the text at fault.

    Raises:
        MissingPackageError: Ray is not installed.
    """

    def __init__(self, setup: JsonMap, count: int | None, *, rest: Processes) -> None:
        require("A rereading on a cluster", "lake", "ray")
        # an actor's settings: `parser`, `run_id`, `secrets` and `seconds`, which applies to a whole batch
        self._setup = setup
        self._count = count  # number of actors; None for one per core of the cluster
        # parses the batches that killed an actor, and those that only this process can check
        self._rest = rest

    def run(self, batches: Iterable[Batch]) -> Generator[list[Reading], None, None]:
        """See ``Runner``."""
        import ray  # noqa: PLC0415 - optional

        if not ray.is_initialized():
            ray.init(num_cpus=self._count, include_dashboard=False, logging_level="warning")
        count = self._count or max(1, int(ray.cluster_resources().get("CPU", 1)))
        # Ray itself restarts an actor that died, but does not retry its batch.
        kind = ray.remote(max_restarts=-1, max_task_retries=0)(_Actor)
        actors = [kind.remote(self._setup) for _ in range(count)]
        pending: deque[tuple[Batch, Any]] = deque()
        try:
            for number, batch in enumerate(batches):
                # Whether only this process has the schema for a part of the batch.
                actor = (
                    None
                    if any(PROFILES.is_registered(response.profile) for response in batch.responses)
                    else actors[number % count]
                )
                pending.append((batch, actor and actor.read.remote(batch)))
                if len(pending) >= count * _AHEAD:
                    yield self._result(*pending.popleft())
            while pending:
                yield self._result(*pending.popleft())
        finally:
            for actor in actors:
                ray.kill(actor)

    def _result(self, batch: Batch, answer: Any) -> list[Reading]:
        import ray  # noqa: PLC0415
        from ray.exceptions import RayActorError  # noqa: PLC0415 - optional

        try:
            if answer is not None:
                readings: list[Reading] = ray.get(answer)
                return readings
        except RayActorError:
            pass  # ``rest`` finds out which text killed it
        [readings] = self._rest.run([batch])
        return readings
