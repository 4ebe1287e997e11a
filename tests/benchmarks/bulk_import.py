"""What it costs to read, check and record half a million turns: MINT's sessions, again and again under other names.

    python tests/benchmarks/bulk_import.py [--times 19] [--workers 1 2] [--corpus FOLDER] [--keep FOLDER] [--kill SECONDS]

The sessions of ``../shared/corpora/mint`` (26,368 turns of 12 models) are copied into as many folders as ``--times`` says, each model
under another name: no session is another one's. Each number of processes imports them into a new ledger, in a process of its own.
Processor time is that of it and of all that it started; memory is the most that all of them held at one moment, by their
proportional shares. A second import says what it costs where nothing is new. With ``--kill`` each import is killed (SIGKILL) once it has
used so many seconds of a processor, and made again: what it has then is what the sessions hold, each turn once.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from threading import Event, Thread

import duckdb
from rich.console import Console
from rich.table import Table

CORPUS = Path(__file__).parents[3] / "shared" / "corpora" / "mint"
IMPORT = """
import sys
import actionledger as al
report = al.import_path(sys.argv[1], sys.argv[2], format="mint", workers=int(sys.argv[3]))
print(report.turns, report.known)
"""


def main() -> None:
    """Print a row for each number of processes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--times", type=int, default=19)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--corpus", type=Path, default=CORPUS)
    parser.add_argument("--keep", type=Path, help="where the sessions and the ledgers are left")
    parser.add_argument(
        "--kill", type=float, help="after how many seconds of processor time an import is killed first"
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = given.keep or Path(place)
        sessions = repeated(given.corpus, folder / "mint", given.times)
        _measure(sessions, folder, given.workers, given.kill)


def repeated(corpus: Path, folder: Path, times: int) -> Path:
    """Copy sessions as often as is said, each time under other names of models; return the folder of all of them."""
    for number in range(times):
        for model in sorted(path for path in corpus.iterdir() if path.is_dir()):
            copy = folder / str(number) / f"{model.name}-{number}"
            if not copy.exists():
                shutil.copytree(model, copy, copy_function=shutil.copyfile)
    return folder


def _measure(sessions: Path, folder: Path, workers: list[int], kill: float | None) -> None:
    table = Table(
        "processes",
        "turns",
        "CPU s",
        "of that in others",
        "wall s",
        "turns per CPU s",
        "MB at most",
        "MB of ledger",
    )
    for count in workers:
        ledger = folder / f"{count}.duckdb"
        rows = {f"{count}, killed": kill} if kill else {}
        for row, limit in {**rows, str(count): None, f"{count}, again": None}.items():
            said, own, all_of, wall, memory = imported(sessions, ledger, count, limit)
            turns = sum(map(int, said.split()))  # none where it was killed
            size = ledger.stat().st_size / 1e6
            print(f"{row}: {turns:,} turns in the report, {_held(ledger)} in the published file", flush=True)
            figures = (
                f"{all_of:.1f}",
                f"{all_of - own:.1f}",
                f"{wall:.1f}",
                f"{turns / all_of:,.0f}",
                f"{memory:,.0f}",
            )
            table.add_row(row, f"{turns:,}", *figures, f"{size:,.0f}")
    Console(width=110).print(table)


def _held(ledger: Path) -> str:
    with duckdb.connect(str(ledger), read_only=True) as plain:
        count, distinct, events = plain.execute(
            "SELECT count(*), count(DISTINCT turn_id), (SELECT count(*) - count(DISTINCT event_id) FROM events) FROM turn_starts"
        ).fetchone() or (0, 0, 0)
    return f"{count:,} turns, {count - distinct:,} of them twice, {events:,} events twice"


def imported(
    sessions: Path, ledger: Path, workers: int, limit: float | None = None
) -> tuple[str, float, float, float, float]:
    """Import in a new process; with a limit, kill it when it has used so many seconds of a processor."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    begin = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-c", IMPORT, sessions, ledger, str(workers)],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    watch = _Watch(process.pid, limit)
    watch.start()
    assert process.stdout is not None
    said = process.stdout.read()
    watch.stop()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == (0 if limit is None else -signal.SIGKILL)
    all_of = used.ru_utime + used.ru_stime
    return said, all_of - watch.others, all_of, time.monotonic() - begin, watch.most


class _Watch(Thread):
    """Notes how much memory a process and those that it started hold, and the processor time of those."""

    def __init__(self, pid: int, limit: float | None) -> None:
        super().__init__(daemon=True)
        self._pid = pid
        self._limit = limit
        self._ended = Event()
        self._seconds: dict[int, float] = {}
        self.most = 0.0

    @property
    def others(self) -> float:
        return sum(self._seconds.values())

    def run(self) -> None:
        while not self._ended.wait(0.25):
            children = _children(self._pid)
            self.most = max(self.most, sum(map(_megabytes, (self._pid, *children))))
            self._seconds |= {child: _seconds(child) for child in children}
            if self._limit is not None and _seconds(self._pid) + self.others >= self._limit:
                os.kill(self._pid, signal.SIGKILL)
                return

    def stop(self) -> None:
        self._ended.set()
        self.join()


def _children(pid: int) -> list[int]:
    try:
        return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def _megabytes(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:")), 0.0)


def _seconds(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
