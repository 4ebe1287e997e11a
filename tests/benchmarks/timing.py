"""How long something takes, on a machine that may be busy: the least processor time of several rounds, by turns."""

import gc
import re
import time
from collections.abc import Callable, Mapping

ROUNDS = 5
ENOUGH = 0.005
"""Seconds that one round of one task lasts at least; a clock is no better than that."""

Task = Callable[[], object]

scan = re.compile("[\x00\x01]").search
"""Look at every character of a text once; hardly any text holds one of these."""


def seconds(task: Task, times: int = 1) -> float:
    """Return the processor time of one call, measured over several."""
    started = time.process_time()
    for _ in range(times):
        task()
    return (time.process_time() - started) / times


def least(tasks: Mapping[str, Task], rounds: int = ROUNDS) -> dict[str, float]:
    """Return the least seconds of a call of each task; in every round each has its turn, so a busy machine slows all."""
    for task in tasks.values():
        task()  # what is compiled or loaded once is no cost of a call
    gc.collect()
    gc.disable()
    try:
        times = {name: max(1, int(ENOUGH / max(seconds(task), 1e-6))) for name, task in tasks.items()}
        found = dict.fromkeys(tasks, float("inf"))
        for _ in range(rounds):
            for name, task in tasks.items():
                found[name] = min(found[name], seconds(task, times[name]))
    finally:
        gc.enable()
    return found
