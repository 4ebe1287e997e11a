"""How fast the tolerant decoder is, side by side with the standard library and with libraries that repair JSON.

Run by hand, with any of json-repair, fast-json-repair, jiter and baml-py where Python finds them (they are no
dependencies of the project; one that is missing is left out):

    PYTHONPATH=FOLDER/WITH/THEM python tests/benchmarks/bench_decode.py [SIZE ...]

Times are the least of several rounds in which all of them take turns, so that a busy machine slows all of them alike.
The ratios count: ``x 5.0`` means that a library takes five times as long as the decoder.
"""

import gc
import json
import re
import sys
import time
from collections.abc import Callable
from importlib import import_module
from random import Random

from actionledger.reading.tolerant_json import decode

WORDS = "plan review ship the a of draft to for with and note first second mail person budget task check list open done"
ROUNDS = 5
SIZES = (500, 2_000, 8_000, 20_000)
SEED = 3


def document(size):
    """Return a document of the shape that models write, of about that many characters as JSON."""
    random = Random(SEED)

    def words(count):
        return " ".join(random.choice(WORDS.split()) for _ in range(count))

    actions = []
    while len(json.dumps({"actions": actions})) < size:
        actions.append(
            {
                "type": random.choice(["create_task", "update_goal", "remember"]),
                "id": len(actions),
                "content": words(8),
                "priority": random.choice(["high", "low"]),
                "done": random.random() < 0.5,
                "score": round(random.random() * 100, 2),
                "tags": [words(1) for _ in range(3)],
                "meta": {"by": words(1), "n": random.randint(1, 999), "note": None},
            }
        )
    return {"actions": actions}


def everywhere(pattern, replacement):
    """Return a fault in every place."""
    return lambda text: re.sub(pattern, replacement, text)


def once(pattern, replacement):
    """Return a fault in one place in the middle."""

    def break_once(text):
        middle = len(text) // 2
        return text[:middle] + re.sub(pattern, replacement, text[middle:], count=1)

    return break_once


CONTENT = r'("content": "\w+) (\w+)'
FAULTS = {
    "valid": str,
    "valid, indented": lambda text: json.dumps(json.loads(text), indent=2),
    "single quotes": everywhere('"', "'"),
    "typographic quotes": everywhere(r'"([^"]*)"', r"“\1”"),
    "a printed Python dict": lambda text: repr(json.loads(text)),
    "bare keys": everywhere(r'"(\w+)":', r"\1:"),
    "bare texts": everywhere(r': "(\w+)"', r": \1"),
    "Python literals": lambda text: re.sub("null", "None", re.sub("true", "True", text)),
    "hexadecimal numbers": everywhere(r'"n": (\d+)', r'"n": 0x\1'),
    "trailing commas": everywhere(r"([\]}])", r",\1"),
    "two commas": everywhere(', "', ',, "'),
    "no commas": everywhere(', "', ' "'),
    "semicolons": everywhere(', "', '; "'),
    "equals signs": everywhere('": ', '" = '),
    "no colons": everywhere('": ', '" '),
    "comments": everywhere(', "', ', // note\n "'),
    "other blanks": everywhere('": ', '":\xa0'),
    "quotes inside": everywhere(CONTENT, r'\1 "\2" x'),
    "control characters": everywhere(CONTENT, r"\1 \n \2"),
    "bad escapes": everywhere(CONTENT, r"\1 \\d \2"),
    "cut off": lambda text: text[:-37],
    "one bare key": once(r'"(\w+)":', r"\1:"),
    "one trailing comma": once(r"([\]}])", r",\1"),
    "one missing comma": once(', "', ' "'),
    "one quoted word": once(CONTENT, r'\1 "\2" x'),
    "one control character": once(CONTENT, r"\1 \n \2"),
    "one bad escape": once(CONTENT, r"\1 \\d \2"),
}


def libraries():
    """Return what else reads such texts and is installed, by name."""
    found: dict[str, Callable[[str], object]] = {"json": json.loads}
    for name, module, function in (
        ("json_repair", "json_repair", "loads"),
        ("fast_json_repair", "fast_json_repair", "loads"),
        ("jiter", "jiter", "from_json"),
    ):
        try:
            read = getattr(import_module(module), function)
        except ImportError:
            continue
        found[name] = (
            (lambda text, read=read: read(text.encode(), partial_mode=True)) if name == "jiter" else read
        )
    return found


def seconds(read, text):
    """Return the processor time of one reading; infinite where it fails."""
    started = time.process_time()
    try:
        read(text)
    except Exception:  # noqa: BLE001  (whatever a library raises, it has not read the text)
        return float("inf")
    return time.process_time() - started


def measured(readers, text):
    """Return the least time of each reader, all of them taking turns."""
    least = dict.fromkeys(readers, float("inf"))
    repeat = max(1, 20_000 // len(text))
    for _ in range(ROUNDS * repeat):
        for name, read in readers.items():
            least[name] = min(least[name], seconds(read, text))
    return least


def table(size):
    """Print a line for each fault."""
    others = libraries()
    readers = {
        "decode": decode,
        "repairs": lambda text: decode(text).repairs,
        "spans": lambda text: decode(text).located,
        **others,
    }
    valid = json.dumps(document(size))
    sys.stdout.write(
        f"\n{len(valid):,} characters{'':14}µs/KB  +repairs   +spans   "
        + "  ".join(f"{name:>16}" for name in others)
        + "\n"
    )
    for fault, break_text in FAULTS.items():
        text = break_text(valid)
        times = measured(readers, text)
        own = times["decode"]
        figures = [f"{times[name] / own:6.2f}" for name in ("repairs", "spans")]
        ratios = "  ".join(
            f"{'-' if times[name] == float('inf') else f'x {times[name] / own:.2f}':>16}" for name in others
        )
        sys.stdout.write(
            f"{fault:24}{own * 1e9 / len(text):9.1f}  {figures[0]:>8} {figures[1]:>8}   {ratios}\n"
        )


def main():
    """Print a table for each size."""
    gc.disable()
    for size in map(int, sys.argv[1:]) if sys.argv[1:] else SIZES:
        decode("[{'a': [{b: 1}, 'x']}]")
        table(size)
    small = json.dumps({"type": "create_task", "content": "Review the plan"})
    for name, text in (
        ("valid", small),
        ("in single quotes", small.replace('"', "'")),
        ("with a comma too many", small[:-1] + ",}"),
    ):
        least = min(seconds(decode, text) for _ in range(2_000))
        sys.stdout.write(f"\n{len(text)} characters, {name}: {least * 1e6:.1f} µs")
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
