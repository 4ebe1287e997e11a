"""Reads broken texts until the time is up, and says which one broke a promise: a crash, a wrong place, a slow reading.

    python tests/fuzz/fuzz_reading.py --seconds 600 [--seed N] [FOLDER …]

The texts are those of the cases, and what the folders hold of text; each is cut, doubled, spliced with another and
sprinkled with the words that formats are made of, and read by every parser or by one of them. A text that breaks a promise
is printed as Python writes it, so that it can become a case.
"""

import argparse
import random
import sys
import time
import tomllib
import traceback
from collections.abc import Callable, Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from actionledger.reading.dialects import DIALECTS
from actionledger.reading.parsers import PARSERS, AnyParser, DialectParser, parser_for
from actionledger.reading.stream import StreamParser

TESTS = Path(__file__).parents[1]
LONGEST = 20_000
"""The longest text that is read, in code points."""

SLOW_US = 400.0
"""A reading that takes so many microseconds of the processor for each code point, beyond the first 50 ms, is printed as slow."""

WORDS = (
    *(literal for dialect in DIALECTS for literal in sorted(dialect.literals)),
    *"{}[]:,\"'`<>\\/#()=;|\n\r\t\0",
    "```",
    "~~~~",
    "```json\n",
    "```actions\n",
    "\n```\n",
    '{"name": "f", "arguments": {"a": 1}}',
    '{"actions": [{"type": "create_task", "content": "x"}]}',
    "</tool_call>",
    "</think>",
    "//",
    "/*",
    "*/",
    "NaN",
    "...",
    "\ufeff",
    "\u00a0",
    "\u200b",
    "é",
    "漢字",
    "👩‍👩‍👧",
    "\ud83d",
    "\r\n",
)


def main() -> int:
    """Fuzz; return 1 where a promise was broken."""
    arguments = _arguments()
    check = _invariants()
    parsers: list[AnyParser] = [*PARSERS.values(), *(parser_for((dialect.name,)) for dialect in DIALECTS)]
    chance = random.Random(arguments.seed)
    texts = list(_texts(arguments.folders))
    end = time.monotonic() + arguments.seconds
    read, broken, slowest = 0, 0, (0.0, "", "")
    while time.monotonic() < end and broken < 20:
        text = _mutated(chance, texts)
        for parser in (chance.choice(parsers), PARSERS["auto"]):
            begin = time.process_time()
            fault = _fault(parser, text, check, chance)
            taken = (time.process_time() - begin - 0.05) * 1e6 / max(len(text), 1)
            read += 1
            slowest = max(slowest, (taken, parser.name, text))
            if fault or taken > SLOW_US:
                broken += 1
                print(f"{parser.name}: {fault or f'{taken:.0f} µs a character'}\n  {text!r}", flush=True)
    print(f"seed {arguments.seed}: {read:,} readings of {len(texts):,} texts, {broken} broken promises.")
    print(f"slowest: {slowest[0]:.0f} µs a character, {slowest[1]}, {len(slowest[2]):,} characters")
    return int(broken > 0)


def _arguments() -> argparse.Namespace:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    reader.add_argument("--seconds", type=float, default=60.0)
    reader.add_argument("--seed", type=int, default=time.time_ns() % 10**9)
    reader.add_argument("folders", nargs="*", type=Path, help="folders of text files to take texts from")
    return reader.parse_args()


def _invariants() -> Callable[[Any, AnyParser], None]:
    """Return the check that the tests make of every reading."""
    spec = spec_from_file_location("invariants", TESTS / "reading" / "conftest.py")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    check: Callable[[Any, AnyParser], None] = module._assert_invariants
    return check


def _texts(folders: list[Path]) -> Iterator[str]:
    for path in sorted((TESTS / "cases").glob("*/*.toml")):
        yield tomllib.loads(path.read_text(encoding="utf-8"))["text"]
    for folder in folders:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            text = path.read_bytes()[:2_000_000].decode(errors="replace")
            yield from (text[at : at + 4_000] for at in range(0, min(len(text), 400_000), 4_000))


def _mutated(chance: random.Random, texts: list[str]) -> str:
    text = chance.choice(texts)
    for _ in range(chance.choice((0, 1, 1, 2, 3, 5, 10))):
        start, end = sorted(chance.randrange(len(text) + 1) for _ in range(2))
        near = min(end, start + chance.choice((1, 3, 20, 200)))
        match chance.randrange(7):
            case 0:
                text = text[:start] + text[near:]
            case 1:
                text = text[:start] + chance.choice(WORDS) + text[start:]
            case 2:
                text = text[:start] + chance.choice(WORDS) + text[near:]
            case 3:
                text = text[:near] + text[start:near] * chance.choice((1, 2, 8)) + text[near:]
            case 4:
                text = text[:start]
            case 5:
                other = chance.choice(texts)
                text = text[:start] + other[chance.randrange(len(other) + 1) :]
            case 6:
                text = text[:start] + chance.choice(WORDS) * chance.choice((2, 5, 50)) + text[start:]
    return text[:LONGEST]


def _fault(
    parser: AnyParser, text: str, check: Callable[[Any, AnyParser], None], chance: random.Random
) -> str:
    """Return which promise a reading breaks; empty where none."""
    try:
        reading = parser.read(text)
        check(reading, parser)
        if isinstance(parser, DialectParser) and len(text) < 2_000:
            stream = StreamParser(parser)
            at = chance.randrange(len(text) + 1)
            stream.feed(text[:at])
            stream.feed(text[at:])
            if stream.finish() != reading:
                return f"a cut at {at} changes what is read"
    except Exception as error:  # noqa: BLE001 - whatever it is, it is a find
        last = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__}: {str(error)[:300]} at {last.filename}:{last.lineno}: {last.line}"
    return ""


if __name__ == "__main__":
    sys.exit(main())
