"""What reading costs in this build beside another one: processor time and calls, each as a ratio.

    python tests/benchmarks/reading_against.py WHEEL|PATH [--rounds 9] [--corpora FOLDER] [--only WORD …]

Each build reads the same texts in a process of its own; they take turns, a row at a time, so that a busy machine slows both alike.
The ratio of times is the median over the rounds, with the least and the largest; that of calls counts every function, those in C
included, and is the same on every machine. A row that begins in thoughts has a paragraph of them before the response.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from everyday import toolkit_of
from recordings import recorded, samples
from rich.console import Console
from rich.table import Table

import actionledger as al
from actionledger.reading.dialects import DIALECTS

ROOT = Path(__file__).parents[2]
READER = Path(__file__).with_name("reading_child.py")
THOUGHTS = (
    "<think>\nThe user wants this done today. First I look at what is there, then I decide; nothing of it is hard. "
    "The list has 3 entries, and `b` comes before `a`.\n\nSo: one step after the other.\n</think>\n\n"
)
ACTIONS = 100
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "parameters": {
                "type": "object",
                "properties": {
                    "city": {"type": "string"},
                    "days": {"type": "integer"},
                    "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
                },
                "required": ["city"],
            },
        },
    }
    for name in ("get_weather", "list_trains", "find_hotels")
]


class Row(NamedTuple):
    """What is read."""

    title: str  # what it is called
    texts: list[str]  # the responses
    given: dict[str, Any]  # what `al.parse` is given beside a text


def rows(corpora: Path | None) -> Iterator[Row]:
    """Yield what is read: samples by profile, with thoughts and without, recordings, and many actions in each dialect."""
    for corpus in samples(is_full=False):
        (parser,) = corpus.parsers
        given = {"dialects": "auto"} if parser == "auto" else {"profile": parser}
        texts = list(corpus.texts)
        yield Row(f"{parser}", texts, given)
        yield Row(f"{parser}, thoughts", [THOUGHTS + text for text in texts], given)
    for corpus in recorded(corpora, is_full=False) if corpora else ():
        for parser in corpus.parsers:
            yield Row(f"{corpus.title}: {parser}", list(corpus.texts), {"parser": parser})
    for dialect in (each.name for each in DIALECTS):
        text = _many(dialect)
        if text is not None:
            yield Row(f"{dialect} x{ACTIONS}", [text], {"dialects": [dialect]})
            yield Row(f"{dialect} x{ACTIONS}, tools", [text], {"dialects": [dialect], "tools": TOOLS})


def _many(dialect: str) -> str | None:
    cities = ("Paris", "Berlin", "New York", "Oslo", "Rome")
    calls = [
        (
            TOOLS[number % len(TOOLS)]["function"]["name"],
            {"city": f"{cities[number % len(cities)]} {number}", "days": number, "unit": "celsius"},
        )
        for number in range(ACTIONS)
    ]
    try:
        return f"I look them all up.\n\n{al.render(calls, dialect)}"
    except al.ActionLedgerError:
        return None


class Build:
    """One of the two builds, in a process that waits for what to read.

    Args:
        toolkit: the folder that its package lies in.
        tasks: the file with the rows.
    """

    def __init__(self, toolkit: Path, tasks: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(READER), str(toolkit), str(tasks)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, what: str, row: int) -> float:
        """Return the seconds, or the number of calls, that a row takes."""
        assert self._process.stdin
        assert self._process.stdout
        print(what, row, file=self._process.stdin, flush=True)
        return float(self._process.stdout.readline())


def main() -> None:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("against", type=Path, help="the other build")
    arguments.add_argument("--rounds", type=int, default=9)
    arguments.add_argument("--corpora", type=Path, help="a folder with recordings, to read them as well")
    arguments.add_argument("--only", nargs="*", default=(), help="words, one of which a row's title holds")
    chosen = arguments.parse_args()
    wanted = [
        row
        for row in rows(chosen.corpora)
        if not chosen.only or any(word in row.title for word in chosen.only)
    ]
    made = Table(title="Reading: µs a response here, and times the other build")
    for column in ("what", "texts", "µs here", "time, times", "least", "largest", "calls here", "times"):
        made.add_column(column, justify="left" if column == "what" else "right")
    with tempfile.TemporaryDirectory(prefix="actionledger-reading-") as name:
        tasks = Path(name) / "tasks.json"
        tasks.write_text(json.dumps([[row.texts, row.given] for row in wanted]))
        there, here = (
            Build(toolkit, tasks) for toolkit in (toolkit_of(chosen.against, Path(name)), ROOT / "toolkit")
        )
        for number, row in enumerate(wanted):
            times = [[build.ask("time", number) for build in (there, here)] for _ in range(chosen.rounds)]
            calls = [build.ask("calls", number) for build in (there, here)]
            made.add_row(row.title, str(len(row.texts)), *_figures(times, calls, len(row.texts)))
    Console(width=110).print(made)


def _figures(times: list[list[float]], calls: list[float], texts: int) -> list[str]:
    ratios = sorted(here / there for there, here in times)
    fastest = min(here for _, here in times)
    return [
        f"{fastest / texts * 1e6:,.0f}",
        *(f"x{ratio:.2f}" for ratio in (statistics.median(ratios), ratios[0], ratios[-1])),
        f"{calls[1] / texts:,.0f}",
        f"x{calls[1] / calls[0]:.2f}",
    ]


if __name__ == "__main__":
    main()
