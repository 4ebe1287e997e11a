"""What recording costs an agent's loop: ``record`` and ``flush`` by themselves, and a turn with a ledger beside one without.

    python tests/benchmarks/hot_path.py [--turns 300] [--pause 0.12] [--characters 4000]

Milliseconds of the loop's own thread. Each turn is handled by three runtimes, each the first in turn, so that all meet the same machine: without a
ledger, with one, and with one but without the states of the workspace. Between two turns the loop waits as an agent waits for its
model: a file that was written a moment ago is read again at the next look, and caches are cold; ``json.dumps`` says what that is alone. The ledger has its ingester beside it.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import actionledger as al
from actionledger.core.events import ResponseReceived
from actionledger.core.ids import new_id, now
from actionledger.ledger import open_ledger
from actionledger.profiles import profile_named

PROSE = "I looked at the list of tasks: the next one is the report, which Ada has asked for. "
FORMS: dict[str, tuple[str, Callable[[int], str]]] = {
    "prose alone": ("coder", lambda _number: ""),
    "a task": (
        "assistant",
        lambda number: al.render([("create_task", {"content": f"Call Ada about {number}"})], "actions"),
    ),
    "a file of twenty": (
        "coder",
        lambda number: (
            f"<create_file><path>f{number % 20}.txt</path><content>hello {number}\n</content></create_file>"
        ),
    ),
}
RUNTIMES = {"without a ledger": (False, True), "with one": (True, True), "without states": (True, False)}


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--turns", type=int, default=300)
    parser.add_argument("--pause", type=float, default=0.12)
    parser.add_argument("--characters", type=int, default=4000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        recorded(Path(folder), given.turns, given.pause, given.characters)
        for name in FORMS:
            handled(Path(folder), name, given.turns, given.pause)


def recorded(folder: Path, turns: int, pause: float, characters: int) -> None:
    """Record responses and flush them, beside a bare ``json.dumps`` of their texts, each time after a pause."""
    times: dict[str, list[float]] = {"record": [], "flush": [], "json.dumps": []}
    text = (PROSE * (characters // len(PROSE) + 1))[:characters]
    run, session = new_id(), new_id()
    with open_ledger(folder / "record.duckdb") as ledger:
        for number in range(turns):
            event = ResponseReceived(
                event_id=new_id(), recorded_at=now(), run_id=run, session_id=session, turn_id=new_id(), turn_index=number,
                profile="coder", model="m", task="t", occurred_at=now(), text=text,
            )  # fmt: skip
            times["record"].append(_took(lambda event=event: ledger.record(event)))  # type: ignore[misc]
            times["flush"].append(_took(ledger.flush))
            time.sleep(pause)
            times["json.dumps"].append(
                _took(lambda number=number: json.dumps({"text": text, "turn": number}))
            )  # type: ignore[misc]
            time.sleep(pause)
    for name, each in times.items():
        print(f"{name} of {characters:,} characters: {_figures(each)}")


def handled(folder: Path, name: str, turns: int, pause: float) -> None:
    """Handle turns by all three runtimes."""
    called, action = FORMS[name]
    profile = replace(profile_named(called), limits=al.Limits())  # a turn that comes too early does nothing
    with ExitStack() as open_:
        ledger = open_.enter_context(open_ledger(folder / f"{name}.duckdb"))
        runtimes = {
            kind: open_.enter_context(
                al.Runtime(profile, ledger=ledger if is_recorded else None, auto=True, manifest=has_states)
            )
            for kind, (is_recorded, has_states) in RUNTIMES.items()
        }
        times: dict[str, list[float]] = {kind: [] for kind in runtimes}
        for number in range(turns):
            text = f"{PROSE * 16}\n\n{action(number)}"
            # Whoever is the first finds caches cold.
            first = number % len(runtimes)
            kinds = [*runtimes][first:] + [*runtimes][:first]
            for kind, runtime in ((kind, runtimes[kind]) for kind in kinds):
                turns_of: list[al.Turn] = []
                times[kind].append(
                    _took(lambda runtime=runtime, text=text, done=turns_of: done.append(runtime.handle(text)))  # type: ignore[misc]
                )
                assert all(each.status == "succeeded" for each in turns_of[0].observations)
            time.sleep(pause)
    bare = _median(times["without a ledger"])
    for kind, each in times.items():
        print(f"a turn with {name}, {kind}: {_figures(each)}, {_median(each) / bare:.2f} times")


def _took(work: Callable[[], object]) -> float:
    begun = time.thread_time_ns()
    work()
    return (time.thread_time_ns() - begun) / 1e6


def _figures(times: list[float]) -> str:
    return f"p50 {_median(times):.3f} ms, p99 {sorted(times)[len(times) * 99 // 100]:.3f} ms"


def _median(times: list[float]) -> float:
    return sorted(times)[len(times) // 2]


if __name__ == "__main__":
    main()
