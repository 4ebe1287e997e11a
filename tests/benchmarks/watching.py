"""What `actionledger watch` holds in memory while agents write for minutes, minute by minute.

    python tests/benchmarks/watching.py [--minutes 10] [--turns-a-second 100] [--sessions 8] [--turns-a-session 200]

So many sessions of Claude Code are written at once, each a file of its own that grows by a call and its result a turn; one that is full is
followed by another. The command runs as a whole process. Its memory is what the system says is resident, of it and its children,
looked at every second: the median and the most of each minute. At the end all turns are there, or it says so.
"""

import argparse
import json
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread

import duckdb

from actionledger.core.ids import new_id

MODEL = "watched-opus"
_RESULT = "tests/test_retry.py:4: assert retry(times=3) == 3\n" * 12


def turn_of(session: str, number: int) -> str:
    """Return a call and its result, as Claude Code writes them."""
    common = {"sessionId": session, "cwd": "/home/ada/retry", "version": "2.1.0", "isSidechain": False}
    at = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    call = {"type": "tool_use", "id": f"toolu_{session}_{number}", "name": "Grep", "input": {"pattern": f"retry {number}", "path": "tests"}}  # fmt: skip
    said = {"id": f"msg_{session}_{number}", "model": MODEL, "role": "assistant", "content": [call]}
    usage = {"input_tokens": 6, "cache_read_input_tokens": 14900, "output_tokens": 90}
    result = {"type": "tool_result", "tool_use_id": call["id"], "content": f"{number}: {_RESULT}", "is_error": False}  # fmt: skip
    lines = [
        {"type": "assistant", "uuid": f"{session}-{2 * number}", "parentUuid": None, "timestamp": at, "message": said | {"usage": usage}},
        {"type": "user", "uuid": f"{session}-{2 * number + 1}", "parentUuid": None, "timestamp": at, "message": {"role": "user", "content": [result]}},
    ]  # fmt: skip
    return "".join(json.dumps(common | line) + "\n" for line in lines)


@dataclass
class Agents(Thread):
    """Writes sessions until it is ended, so many turns a second in all."""

    folder: Path  # where their files go
    given: argparse.Namespace  # how much, as the command line says it
    ended: Event = field(default_factory=Event)  # set to end it
    turns: int = 0  # how many were written

    def __post_init__(self) -> None:
        super().__init__(daemon=True)

    def __hash__(self) -> int:
        return id(self)

    def run(self) -> None:
        places = [("", 0)] * self.given.sessions
        begun = time.monotonic()
        while not self.ended.is_set():
            due = int((time.monotonic() - begun) * self.given.turns_a_second) - self.turns
            for _ in range(due):
                place = self.turns % len(places)
                session, number = places[place]
                if not session or number >= self.given.turns_a_session:
                    session, number = new_id(), 0
                with (self.folder / f"{session}.jsonl").open("a", encoding="utf-8") as file:
                    file.write(turn_of(session, number))
                places[place] = (session, number + 1)
                self.turns += 1
            self.ended.wait(0.05)


def resident(pid: int) -> float:
    """Return what a process and its children hold, in MB."""
    found = 0.0
    with suppress(FileNotFoundError, ProcessLookupError):
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
        found = next((int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS")), 0.0)  # fmt: skip
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += sum(map(resident, map(int, (task / "children").read_text().split())))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--turns-a-second", type=float, default=100)
    parser.add_argument("--sessions", type=int, default=8)
    parser.add_argument("--turns-a-session", type=int, default=200)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder, path = Path(name, "projects"), Path(name, "team.duckdb")
        folder.mkdir()
        agents = Agents(folder, given)
        agents.start()
        command = [sys.executable, "-m", "actionledger", "watch", str(folder), "--ledger", str(path)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as watching:  # fmt: skip
            minute = 0
            begun = time.monotonic()
            while minute < given.minutes:
                minute += 1
                held = []
                while time.monotonic() - begun < 60 * minute:
                    held.append(resident(watching.pid))
                    time.sleep(1)
                size = path.stat().st_size / 1e6 if path.exists() else 0
                print(f"minute {minute:2}: median {statistics.median(held):4.0f} MB, most {max(held):4.0f} MB; {agents.turns:7,} turns written, ledger {size:.0f} MB", flush=True)  # fmt: skip
            agents.ended.set()
            agents.join()
            give_up_at = time.monotonic() + 120
            while (count := turns_of(path, MODEL)) < agents.turns and time.monotonic() < give_up_at:
                time.sleep(2)
            watching.send_signal(signal.SIGINT)
            _, said = watching.communicate(timeout=120)
            print(said, end="")
        print(f"{agents.turns:,} turns written, {count:,} in the ledger")


def turns_of(path: Path, model: str) -> int:
    """Return how many turns of a model a published file has, each counted once; plain DuckDB is asked, which waits for nobody."""
    with duckdb.connect(str(path), read_only=True) as plain:
        asked = f"SELECT count(DISTINCT turn_id) FROM turn_starts WHERE model = '{model}'"
        [(count,)] = plain.execute(asked).fetchall()
    return int(count)


if __name__ == "__main__":
    main()
