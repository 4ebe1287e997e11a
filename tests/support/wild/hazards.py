"""What becomes of calls that are quoted, thought of, cut, misspelt or shown: a table over the dialects, and its faults.

    PYTHONPATH=tests/support python -m wild.hazards [--part train|held-out|all] [--only hermes] [--kind cut] [--bad N]

Each text is read in its dialect with the tools that were offered, in every dialect with them, in its dialect without
them, and by a runtime, which runs what it reads. A fault is a call that runs and was not meant,
or not so; a call of which nothing is said; and a run that the reading did not promise. With any, the exit is 1.
What is held out is a third of the combinations of dialect, hazard and surrounding: build with ``train``, report ``held-out``.
"""

import argparse
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from wild.hazard_calls import dialects
from wild.hazard_readings import FAULTS, MODES, Recorder, Verdict, verdict
from wild.hazard_texts import MAKERS, Hazard, hazards
from wild.measurement import PARTS, is_held_out

OUTCOMES = ("runs", "waits", "failed", "ambiguous", "shown", "unheard", "silent")
RUN_EACH = 10
"""Of so many texts one is run, beside those of which something is meant, and those of which something wrong would run."""


@dataclass(frozen=True)
class Options:
    """What to measure."""

    part: str = "all"  # one of `PARTS`
    only: tuple[str, ...] = ()  # the dialects; all of them where empty
    kinds: tuple[str, ...] = ()  # the hazards; all of them where empty
    each: int = 1  # of so many texts of a cell one is read
    runs: bool = True  # whether a runtime runs what is to run


def measured(options: Options) -> Iterator[Verdict]:
    """Yield what is made of each text in each mode."""
    for dialect in options.only or dialects():
        with Recorder(dialect) as recorder:
            for kind in options.kinds or MAKERS:
                found = (each for each in hazards(kind, dialect) if _is_in(options.part, each))
                for number, hazard in enumerate(found):
                    if number % options.each == 0:
                        yield from _verdicts(hazard, recorder if options.runs else None, number)


def _is_in(part: str, hazard: Hazard) -> bool:
    return part == "all" or (part == "held-out") == is_held_out(hazard.combination)


def _verdicts(hazard: Hazard, recorder: Recorder | None, number: int) -> Iterator[Verdict]:
    for mode in MODES[:-1]:
        yield verdict(hazard, mode)
    if recorder:
        is_each = number % RUN_EACH == 0
        yield recorder.verdict(hazard, is_asked=is_each or (bool(hazard.meant) and hazard.kind != "cut"))


def main() -> int:
    """Measure, and print the table with its faults."""
    options, bad = _options()
    begin = time.process_time()
    found = list(measured(options))
    faulty = [each for each in found if each.faults]
    _print("by hazard", found, _kind)
    for mode in MODES:
        _print(f"by hazard, {mode}", (each for each in found if each.mode == mode), _kind)
    _print("by dialect", found, lambda each: each.hazard.dialect)
    _print("by dialect and hazard", found, lambda each: f"{each.hazard.dialect} {each.hazard.kind}")
    _print_faults(faulty)
    for each in random.Random(1).sample(faulty, min(bad, len(faulty))):
        print(f"\n=== {each.title}: {', '.join(each.faults)}\n{each.hazard.text}\n--- {each.seen}")
    seconds = time.process_time() - begin
    print(
        f"\n{options.part}: {len(found):,} readings, {len(faulty):,} with a fault; {seconds:.0f} s of the processor"
    )
    return int(bool(faulty))


def _options() -> tuple[Options, int]:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    reader.add_argument("--part", choices=PARTS, default="train")
    reader.add_argument("--only", nargs="*", default=(), choices=dialects(), help="dialects")
    reader.add_argument("--kind", nargs="*", default=(), choices=tuple(MAKERS), help="hazards")
    reader.add_argument("--each", type=int, default=1, help="of so many texts of a cell one is read")
    reader.add_argument("--bad", type=int, default=0, help="print so many texts with a fault")
    given = reader.parse_args()
    return Options(given.part, tuple(given.only), tuple(given.kind), given.each), given.bad


def _kind(each: Verdict) -> str:
    return each.hazard.kind


def _print(title: str, found: Iterable[Verdict], key: Callable[[Verdict], str]) -> None:
    rows: dict[str, Counter[str]] = defaultdict(Counter)
    for each in found:
        rows[key(each)].update([each.outcome, "readings", *each.faults])
    columns = ("readings", *OUTCOMES, *FAULTS)
    width = max(map(len, rows), default=0)
    print(f"\n{title}\n{'':{width}} " + " ".join(f"{column:>9}" for column in columns))
    for name, row in (*rows.items(), ("all", sum(rows.values(), Counter()))):
        print(f"{name:{width}} " + " ".join(f"{row[column] or '.':>9}" for column in columns))


def _print_faults(faulty: list[Verdict]) -> None:
    counts = Counter(
        (each.hazard.dialect, each.hazard.kind, fault) for each in faulty for fault in each.faults
    )
    print(f"\nfaults: {counts.total():,}")
    for (dialect, kind, fault), count in sorted(counts.items(), key=lambda item: (item[0][2], item[0])):
        print(f"{fault:40} {dialect:16} {kind:18} {count:>5}")


if __name__ == "__main__":
    sys.exit(main())
