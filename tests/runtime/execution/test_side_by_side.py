"""How many actions run at the same time: as many as there are workers, and never one more."""

import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from threading import Lock

import pytest

from actionledger.core.events import Event
from actionledger.runtime.execution.profile import ActionSettings, ExecutionSettings


class Crowd:
    """A handler that notes how many are in it at once; each waits a moment for others to come."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._now = 0
        self.most = 0

    def __call__(self, action: object, context: object) -> str:
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
        context.cancelled.wait(0.02)  # type: ignore[attr-defined]
        with self._lock:
            self._now -= 1
        return "seen"


def batches(events: Iterable[Event]) -> list[int]:
    """Return how many executions were begun before the next one ended."""
    kinds = [event.kind for event in events if event.kind in {"execution_started", "execution_finished"}]
    return [len(list(run)) for kind, run in groupby(kinds) if kind == "execution_started"]


@pytest.mark.parametrize(
    ("workers", "sizes"), [(1, [1] * 7), (2, [2, 2, 2, 1]), (3, [3, 3, 1]), (7, [7]), (8, [7])]
)
def test_a_batch_is_no_larger_than_there_are_workers(session, profile, events, workers, sizes):
    """Seven actions that could all run at once, by the record and by what their handler saw."""
    crowd = Crowd()
    crowded = replace(
        profile, workers=workers, execution_settings=ExecutionSettings((), ActionSettings(parallel=True))
    )
    looks = [{"type": "look", "at": f"star {number}"} for number in range(7)]
    running = session(handlers={"look": crowd}, profile=crowded)
    turn = running.handle(
        f"```actions\n{json.dumps({'actions': looks})}\n```",
        occurred_at=datetime.fromisoformat("2026-05-04"),
    )
    assert [each.result for each in turn.observations] == ["seen"] * 7
    assert batches(events) == sizes
    assert crowd.most <= workers
