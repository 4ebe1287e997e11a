"""Reads the rows of ``reading_against.py`` in one build, when asked: ``time N`` and ``calls N`` on the input, a number on the output."""

import gc
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, sys.argv[1])

import actionledger as al

ENOUGH = 0.02
"""Seconds that one measurement lasts at least."""


def timed(read: Callable[[], object]) -> float:
    """Return the processor time that a call takes."""
    gc.collect()
    gc.disable()
    times, begun = 0, time.process_time()
    while time.process_time() - begun < ENOUGH:
        read()
        times += 1
    taken = (time.process_time() - begun) / times
    gc.enable()
    return taken


def counted(read: Callable[[], object]) -> int:
    """Return how many functions a call calls, those in C included."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    sys.setprofile(count)
    try:
        read()
    finally:
        sys.setprofile(None)
    return calls


def main() -> None:
    """Answer until the input ends."""
    tasks = json.loads(Path(sys.argv[2]).read_text())
    warm: set[int] = set()
    for line in sys.stdin:
        what, number = line.split()
        texts, given = tasks[int(number)]

        def read(texts: list[str] = texts, given: dict[str, object] = given) -> None:
            for text in texts:
                al.parse(text, **given)  # type: ignore[arg-type]

        try:
            if number not in warm:
                read()  # what is compiled or loaded once is no cost of a text
                warm.add(number)
        except al.ActionLedgerError:
            print("nan", flush=True)  # this build knows no such dialect
            continue
        print(timed(read) if what == "time" else counted(read), flush=True)


if __name__ == "__main__":
    main()
