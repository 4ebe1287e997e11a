"""What it costs to begin: processor time and loaded modules of a new process, beside one that imports pydantic and duckdb.

    python tests/benchmarks/importing.py [ROUNDS]

In every round each has its turn, and the least counts, so a busy machine slows all alike. Nothing is left to compile: the first
round, which writes the bytecode, is not counted.
"""

import os
import subprocess
import sys
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table

KNOWN = "import pydantic, duckdb"
COMMAND = "import sys; sys.argv[1:] = '{}'.split(); from actionledger.cli import main; main()"
BEGINNINGS = {
    KNOWN: KNOWN,
    "import actionledger": "import actionledger",
    "actionledger --version": COMMAND.format("--version"),
    "actionledger --help": COMMAND.format("--help"),
    "actionledger import --help": COMMAND.format("import --help"),
    "al.parse(…, dialects=['hermes'])": "import actionledger as al; al.parse('', dialects=['hermes'])",
    "al.parse(…, profile='coder')": "import actionledger as al; al.parse('', profile='coder')",
    "al.open_ledger": "import actionledger as al; al.open_ledger",
    "al.Runtime": "import actionledger as al; al.Runtime",
}
COUNTED = "import atexit, sys; atexit.register(lambda: print(len(sys.modules), file=sys.stderr)); "


def seconds(code: str, environment: dict[str, str]) -> float:
    """Return the processor time, of user and system, of a new process that runs a program."""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.DEVNULL, env=environment)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, code
    return used.ru_utime + used.ru_stime


def modules(code: str, environment: dict[str, str]) -> int:
    """Return how many modules a new process holds at the end of a program."""
    done = subprocess.run(
        [sys.executable, "-c", COUNTED + code], capture_output=True, text=True, env=environment, check=True
    )
    return int(done.stderr)


def main(rounds: int) -> None:
    """Print the table."""
    with TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        held = {name: modules(code, environment) for name, code in BEGINNINGS.items()}
        times = [
            {name: seconds(code, environment) for name, code in BEGINNINGS.items()} for _ in range(rounds)
        ]
    least = {name: min(each[name] for each in times) for name in BEGINNINGS}
    table = Table("a process that does", "modules", "processor s", f"of '{KNOWN}'")
    for name in BEGINNINGS:
        table.add_row(name, f"{held[name]:,}", f"{least[name]:.3f}", f"{least[name] / least[KNOWN]:.2f}")
    Console().print(table)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
