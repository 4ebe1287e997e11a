"""How long everyday commands take as whole processes, beside another build: start, work and end, with their peak of memory.

    python tests/benchmarks/everyday.py --against WHEEL|PATH [--rounds 7] [--session FILE] [COMMAND …]

The other build is a checkout's folder ``toolkit``, or a wheel, which is unpacked; both run on this Python with what it has installed. They take
turns, so that a busy machine slows both alike; each makes a demo ledger of its own first, and the first round, which compiles, does not
count. The ratio is the median over the rounds, with the least and the largest.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[2]
SESSION = ROOT / "data" / "agents" / "claude-code" / "retry-backoff.jsonl"
RESPONSE = (
    'I look it up.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>\n'
)


class Cost(NamedTuple):
    """What a process took."""

    seconds: float  # of the processor
    megabytes: float  # at its peak


class Build:
    """One of the two builds, with its own ledgers.

    Args:
        name: what it is called here.
        toolkit: the folder that its package lies in.
        folder: where its files go.
    """

    def __init__(self, name: str, toolkit: Path, folder: Path) -> None:
        self.toolkit, self.folder = toolkit, folder / name
        self.folder.mkdir()
        self.demo = str(self.folder / "demo.duckdb")

    def run(self, *arguments: str) -> Cost:
        """Run a command to its end."""
        # With a cache of its own, as a user has it: builds replace what others have cached.
        cache = {"XDG_CACHE_HOME": str(self.folder / "cache")}
        environment = os.environ | {"PYTHONPATH": str(self.toolkit)} | cache
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        process = subprocess.Popen(
            [sys.executable, "-m", "actionledger", *arguments],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{self.toolkit}: {' '.join(arguments)} ended with {process.returncode}")
        return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)

    def blank(self) -> str:
        """Return where a ledger goes that is not there yet."""
        for left in self.folder.glob("new.duckdb*"):
            shutil.rmtree(left) if left.is_dir() else left.unlink()
        return str(self.folder / "new.duckdb")


def commands(build: Build, session: Path, response: Path) -> dict[str, list[str]]:
    """Return the commands by what they are called."""
    return {
        "import": ["import", str(session), "--ledger", build.blank()],
        "report": ["report", "--ledger", build.demo],
        "show": ["show", "sample-0133", "--ledger", build.demo],
        "failures": ["failures", "--ledger", build.demo],
        "loops": ["loops", "--ledger", build.demo],
        "parse": ["parse", str(response)],
    }


def toolkit_of(given: Path, folder: Path) -> Path:
    """Return the folder that another build's package lies in."""
    if given.suffix == ".whl":
        with zipfile.ZipFile(given) as wheel:
            wheel.extractall(folder / "wheel")
        return folder / "wheel"
    return given / "toolkit" if (given / "toolkit").is_dir() else given


def main() -> None:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument(
        "--against", type=Path, help="the other build; without one, this one beside itself"
    )
    arguments.add_argument("--rounds", type=int, default=7)
    arguments.add_argument("--session", type=Path, default=SESSION, help="what is imported")
    arguments.add_argument("commands", nargs="*", metavar="COMMAND")
    chosen = arguments.parse_args()
    made = Table(title="Whole processes: CPU seconds and peak MB")
    for column in ("command", "there", "here", "CPU, times", "least", "largest", "MB there", "here", "times"):
        made.add_column(column, justify="left" if column == "command" else "right")
    with tempfile.TemporaryDirectory(prefix="actionledger-everyday-") as name:
        folder = Path(name)
        response = folder / "response.txt"
        response.write_text(RESPONSE, encoding="utf-8")
        there = Build("there", toolkit_of(chosen.against or ROOT, folder), folder)
        here = Build("here", ROOT / "toolkit", folder)
        for build in (there, here):
            build.run("demo", "--ledger", build.demo)
        for command in chosen.commands or commands(here, chosen.session, response):
            made.add_row(command, *_row(command, (there, here), chosen.session, response, chosen.rounds))
    Console(width=110).print(made)


def _row(command: str, builds: tuple[Build, Build], session: Path, response: Path, rounds: int) -> list[str]:
    costs: list[tuple[Cost, Cost]] = []
    for _ in range(rounds + 1):
        there, here = (build.run(*commands(build, session, response)[command]) for build in builds)
        costs.append((there, here))
    seconds = [(there.seconds, here.seconds) for there, here in costs[1:]]
    megabytes = [statistics.median(each[side].megabytes for each in costs[1:]) for side in (0, 1)]
    ratios = sorted(here / there for there, here in seconds)
    times = (statistics.median(ratios), ratios[0], ratios[-1])
    return [
        *(f"{min(side):.2f}" for side in zip(*seconds, strict=True)),
        *(f"x{ratio:.2f}" for ratio in times),
        *(f"{peak:.0f}" for peak in megabytes),
        f"x{megabytes[1] / megabytes[0]:.2f}",
    ]


if __name__ == "__main__":
    main()
