"""Calls that were broken on purpose outside their texts: how many are read as they were meant, and how many otherwise.

    PYTHONPATH=tests/support python -m wild.broken_calls [--part train|held-out|all] [--bad N]

Each dialect writes calls; then one or two slips are made in its marks or in the punctuation of its values, never in the text of
a value. A reading is wrong where a call may run that was not meant so. What is held out is a third of the combinations of
dialect and slip.
"""

import argparse
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import NamedTuple

import actionledger as al
from wild.hazard_calls import NOTE, ROWS, SEARCH, TOOLS, WRITE, Call, dialects, marks, plainly
from wild.hazard_readings import is_equal
from wild.measurement import PARTS, is_held_out

CALLS: tuple[tuple[Call, ...], ...] = (
    (SEARCH,),
    (WRITE,),
    (ROWS,),
    (NOTE,),
    (SEARCH, ROWS),
    (Call("write_file", {"path": "src/a.py", "text": 'if x:\n    print("a, b: {1}")\n'}),),
    (Call("search", {"query": 'it\'s 5 > 3, or "no"?'}), NOTE),
)
OUTCOMES = ("right", "wrong", "waits", "failed", "no action")


class BrokenCall(NamedTuple):
    """A text, and the calls that it was written from."""

    dialect: str  # who wrote it
    slip: str  # what was done to it
    text: str  # what came of it
    meant: tuple[Call, ...]  # the calls


Slip = Callable[[str, list[int], random.Random], str | None]


def _places(text: str, meant: tuple[Call, ...]) -> list[int]:
    """Return the places of a text that are in no value and no name: those of marks, quotes, brackets and separators."""
    taken = set[int]()
    for call in meant:
        written = [str(value) for value in call.arguments.values()]
        for each in (
            call.name,
            *call.arguments,
            *written,
            *(value.replace("\n", "\\n").replace('"', '\\"') for value in written),
        ):
            at = text.find(each)
            while at >= 0:
                taken.update(range(at, at + len(each)))
                at = text.find(each, at + 1)
        for value in call.arguments.values():
            if isinstance(value, bool):
                taken.update(_of_word(text, "true") + _of_word(text, "True"))
    return [at for at in range(len(text)) if at not in taken and not text[at].isspace()]


def _of_word(text: str, word: str) -> list[int]:
    at = text.find(word)
    return list(range(at, at + len(word))) if at >= 0 else []


def _lost(text: str, places: list[int], rng: random.Random) -> str:
    at = rng.choice(places)
    return text[:at] + text[at + 1 :]


def _doubled(text: str, places: list[int], rng: random.Random) -> str:
    at = rng.choice(places)
    return text[:at] + text[at] + text[at:]


def _swapped(text: str, places: list[int], rng: random.Random) -> str | None:
    pairs = [at for at in places if at + 1 in set(places) and text[at] != text[at + 1]]
    at = rng.choice(pairs) if pairs else -1
    return None if at < 0 else text[:at] + text[at + 1] + text[at] + text[at + 2 :]


def _other(text: str, places: list[int], rng: random.Random) -> str:
    at = rng.choice(places)
    return text[:at] + rng.choice("<>{}[]()\"':,|/_=x ") + text[at + 1 :]


def _signs(changes: dict[str, tuple[str, ...]]) -> Slip:
    """Return what writes one sign as another that looks like it, or is of the same use."""

    def slip(text: str, places: list[int], rng: random.Random) -> str | None:
        found = [at for at in places if text[at] in changes]
        at = rng.choice(found) if found else -1
        return None if at < 0 else text[:at] + rng.choice(changes[text[at]]) + text[at + 1 :]

    return slip


def _mark(change: Callable[[str, random.Random], str], *, closers: bool | None = None) -> Slip:
    """Return what changes one of the marks."""

    def slip(text: str, _: list[int], rng: random.Random) -> str | None:
        found = [each for each in marks(text) if closers is None or each.is_closer == closers]
        if not found:
            return None
        at = rng.choice(found)
        return text[: at.start] + change(text[at.start : at.end], rng) + text[at.end :]

    return slip


SLIPS: dict[str, Slip] = {
    "a sign lost": _lost,
    "a sign twice": _doubled,
    "two signs swapped": _swapped,
    "another sign": _other,
    "another quote": _signs({'"': ("'", "”", "`", '\\"'), "'": ('"', "’")}),
    "another bracket": _signs(
        {"}": ("]", ")"), "]": ("}", ")"), "{": ("[", "("), ")": ("]", "}"), ">": ("》", "＞"), "<": ("＜",)}
    ),
    "another separator": _signs({",": (";", "，", ""), ":": ("=", "：", "")}),
    "a mark lost": _mark(lambda _mark, _rng: ""),
    "a mark twice": _mark(lambda mark, _rng: mark * 2),
    "a mark in capitals": _mark(lambda mark, _rng: mark.swapcase()),
    "a blank in a mark": _mark(
        lambda mark, rng: (at := rng.randint(1, max(1, len(mark) - 1))) and mark[:at] + " " + mark[at:]
    ),
    "a closer without its slash": _mark(lambda mark, _rng: mark.replace("/", "", 1), closers=True),
    "an opener as a closer": _mark(
        lambda mark, _rng: mark.replace("<", "</", 1).replace("[", "[/", 1), closers=False
    ),
}


def broken_calls(part: str, seed: int, each: int) -> Iterator[BrokenCall]:
    """Yield broken calls: so many of each combination of dialect and slip."""
    for dialect in dialects():
        for name, slip in SLIPS.items():
            if part == "all" or (part == "held-out") == is_held_out(f"{dialect}|{name}"):
                yield from _of(dialect, name, slip, random.Random(f"{seed}|{dialect}|{name}"), each)


def _of(dialect: str, name: str, slip: Slip, rng: random.Random, each: int) -> Iterator[BrokenCall]:
    for number in range(each):
        meant = CALLS[(number + rng.randrange(len(CALLS))) % len(CALLS)]
        text = plainly(dialect, *meant) if all(_can(dialect, call) for call in meant) else ""
        places = _places(text, meant)
        broken = slip(text, places, rng) if places else None
        if broken is not None and broken != text:
            yield BrokenCall(dialect, name, broken, meant)


def _can(dialect: str, call: Call) -> bool:
    try:
        al.render([(call.name, call.arguments)], dialect)
    except al.ActionLedgerError:
        return False
    return True


def outcome(broken: BrokenCall, *, auto: bool = False) -> tuple[str, list[Call]]:
    """Return what became of a text, and the calls that may run."""
    result = al.parse(broken.text, dialects="auto" if auto else [broken.dialect], tools=TOOLS)
    runs = [Call(call.name, call.arguments) for call in result.actions if call.status.is_runnable]
    if runs:
        left = list(broken.meant)
        for call in runs:
            match = next((each for each in left if is_equal(call, each, with_types=True)), None)
            if match is None:
                return "wrong", runs
            left.remove(match)
        return ("wrong" if left and not (result.issues or len(result.actions) > len(runs)) else "right"), runs
    if any(str(call.status) == "needs_approval" for call in result.actions):
        return "waits", runs
    return ("failed" if str(result.outcome) == "failed" or result.issues else "no action"), runs


def main() -> int:
    """Measure, and print the table."""
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    reader.add_argument("--part", choices=PARTS, default="train")
    reader.add_argument("--each", type=int, default=5, help="how many texts of each combination")
    reader.add_argument("--seed", type=int, default=1)
    reader.add_argument("--auto", action="store_true", help="look for every format")
    reader.add_argument(
        "--bad", type=int, default=0, help="print so many texts that are read otherwise than meant"
    )
    options = reader.parse_args()
    rows: dict[str, Counter[str]] = defaultdict(Counter)
    wrong = []
    for broken in broken_calls(options.part, options.seed, options.each):
        found, runs = outcome(broken, auto=options.auto)
        rows[broken.slip][found] += 1
        if found == "wrong":
            wrong.append((broken, runs))
    print(f"{'':28}{'texts':>8}" + "".join(f"{each:>11}" for each in OUTCOMES))
    for name, row in (*rows.items(), ("all", sum(rows.values(), Counter[str]()))):
        print(f"{name:28}{row.total():>8}" + "".join(f"{row[each]:>11}" for each in OUTCOMES))
    for broken, runs in random.Random(options.seed).sample(wrong, min(options.bad, len(wrong))):
        print(f"\n=== {broken.dialect}, {broken.slip}\n{broken.text}\n--- {runs}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
