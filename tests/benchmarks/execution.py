"""How long an action takes besides its handler, with a record and without: ``python tests/benchmarks/execution.py``.

One response of a thousand actions whose handler does nothing, and what the parts of it cost. Best of three.
"""

import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import actionledger as al
from actionledger.ledger.storage.internals import SharedCounter
from actionledger.runtime.execution.handlers import Handlers
from actionledger.runtime.execution.limits import Limits, LocalCounter, RateLimit
from actionledger.runtime.execution.plan import build_plan
from actionledger.runtime.execution.profile import ActionSettings, ExecutionSettings

ACTIONS = 1000
ROUNDS = 3


def response(*, chained: bool = False) -> str:
    """Return a response of a thousand actions, each with a reference to the one before where they are chained."""
    rows = []
    for number in range(ACTIONS):
        title = f"task {number}"
        if chained and number:
            title = f"after ${{action_{number}.content}}"[:80]
        rows.append(f'{{"type": "create_task", "content": "{title}"}}')
    return '```actions\n{"actions": [' + ", ".join(rows) + "]}\n```"


def profile(timeout: float | None) -> al.Profile:
    """Return the assistant with handlers that do nothing."""
    handlers = Handlers({"create_task": lambda action, _context: {"content": "x", "id": 1}})
    return replace(
        al.profile("assistant"),
        handlers=lambda _workspace: handlers,
        execution_settings=ExecutionSettings((), ActionSettings(timeout=timeout)),
        limits=Limits(),
    )


def best(work: Callable[[], object]) -> float:
    """Return the shortest time of a few rounds, in seconds."""
    times = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


def handled(text: str, timeout: float | None, ledger: al.Ledger | None) -> float:
    """Return how long one turn takes, in seconds."""
    with al.Runtime(profile(timeout), ledger=ledger) as runtime:
        return best(lambda: runtime.handle(text))


def main() -> None:
    """Measure and print, in microseconds an action."""
    text, chained = response(), response(chained=True)
    result = al.parse(text, profile="assistant")
    linked = al.parse(chained, profile="assistant")
    with tempfile.TemporaryDirectory() as folder, al.open_ledger(Path(folder) / "b.duckdb") as ledger:
        shared, local = SharedCounter(Path(folder) / "rates.json"), LocalCounter()
        rate = RateLimit(100, 60)
        rows = {
            "reading and checking alone": best(lambda: al.parse(text, profile="assistant")),
            "planning, independent": best(lambda: build_plan(result.actions, references=True)),
            "planning, chained": best(lambda: build_plan(linked.actions, references=True)),
            "the turn, in the caller's thread": handled(text, None, None),
            "the turn": handled(text, 30, None),
            "the turn, chained by references": handled(chained, 30, None),
            "the turn, recorded": handled(text, 30, ledger),
            "a rate, within one session": best(
                lambda: [local.take("a", rate.count, rate.seconds) for _ in range(ACTIONS)]
            ),
            "a rate, across processes": best(
                lambda: [shared.take("a", rate.count, rate.seconds) for _ in range(ACTIONS)]
            ),
        }
    for name, seconds in rows.items():
        print(f"{name:36} {seconds / ACTIONS * 1e6:9.1f} µs an action")


if __name__ == "__main__":
    main()
