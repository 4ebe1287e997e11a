"""How fast responses are read: each figure beside a known one, taken in the same run.

    python tests/benchmarks/reading.py

Compares with ``json.loads``, and with other repairing readers where they are installed (``pip install json-repair
fast-json-repair jiter``); they are no dependency of the project. Times are the best of five.
"""

import json
import time
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path

from actionledger.parsing.parsers import PARSERS
from actionledger.parsing.scan.tolerant import decode

DATA = Path(__file__).parents[2] / "data" / "sessions.jsonl"
OTHERS = {"json_repair": "loads", "fast_json_repair": "loads", "jiter": "from_json"}


def best(run: Callable[[], object], times: int) -> float:
    """Return the shortest time of five runs, in microseconds a call."""
    found = []
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(times):
            run()
        found.append((time.perf_counter() - start) / times * 1e6)
    return min(found)


def readers() -> Iterable[tuple[str, Callable[[str], object]]]:
    """Yield the readers of JSON that there are."""
    yield "json.loads", json.loads
    yield "decode", decode
    for name, function in OTHERS.items():
        try:
            found = getattr(import_module(name), function)
        except ImportError:
            print(f"  {name} is not installed")
            continue
        yield name, found if name != "jiter" else lambda text, read=found: read(text.encode())


def payload(kilobytes: int) -> str:
    """Return a block of actions of about that size."""
    action = {
        "type": "create_task",
        "content": "Book the hall. " * 8,
        "notes": "for Ada",
        "status": "pending",
    }
    return json.dumps({"actions": [action] * (kilobytes * 1024 // len(json.dumps(action)) + 1)}, indent=1)


def compare(title: str, text: str) -> None:
    """Print how long each reader takes for a text, beside json.loads of the same text where that can read it."""
    print(f"{title} ({len(text):,} characters)")
    base = None
    for name, read in readers():
        try:
            took = best(lambda read=read: read(text), max(1, 200_000 // len(text)))
        except ValueError:
            print(f"  {name:18} can't read it")
            continue
        base = base or took
        print(f"  {name:18} {took:10.1f} µs   {took / base:5.2f} times the first that can")


def responses() -> None:
    """Print how long a response of the sample sessions takes, by parser."""
    lines = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
    print(f"{len(lines):,} sample responses, {sum(len(line['text']) for line in lines):,} characters")
    for name in ("assistant", "orchestrator", "coder", "auto"):
        texts = [line["text"] for line in lines if name in {line["profile"], "auto"}]
        took = best(lambda texts=texts, parser=PARSERS[name]: [parser.read(text) for text in texts], 1)
        print(f"  {name:18} {took / len(texts):10.1f} µs a response over {len(texts):,}")
    prose = "The hall is free on Friday, and Ada has the key. " * 20
    for name in ("assistant", "auto"):
        print(f"  {name:18} {best(lambda parser=PARSERS[name]: parser.read(prose), 500):10.1f} µs for prose")


if __name__ == "__main__":
    for size in (1, 8, 64):
        compare(f"well-formed, {size} KB", payload(size))
    compare("a trailing comma at the end, 20 KB", payload(20)[:-3] + ",]}")
    compare("raw line breaks in every string, 20 KB", payload(20).replace("hall. ", "hall.\n"))
    responses()
