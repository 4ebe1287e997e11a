"""What `actionledger otlp-receiver` takes of the processor and of memory, by how many spans come at once.

    python tests/benchmarks/receiving.py [SPANS ...]

Each number is sent to a receiver of its own, a whole process with an empty ledger, in requests of 50,000 at most: traces of eight spans,
of which three are turns. It is ended as by Ctrl-C, and has recorded all of them then, or it says so. Seconds are those of its processor time,
without what a receiver takes that nothing is sent to.
"""

import gzip
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx
from lake_servers import free_port
from spans_of_agents import agent, batch

from actionledger.ledger import open_ledger

SIZES = (1_000, 3_000, 10_000, 30_000, 100_000)
A_REQUEST = 50_000
A_TRACE = 8


def received(spans: int) -> tuple[float, float, float, int]:
    """Return what a receiver of so many spans took: CPU-s, its peak in MB, seconds until the last answer, and turns in the ledger."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "team.duckdb")
        command = [sys.executable, "-m", "actionledger", "otlp-receiver", "--port", str(port), "--ledger", str(path)]  # fmt: skip
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        url = f"http://127.0.0.1:{port}/v1/traces"
        wait_for(url)
        traces = [agent(number) for number in range(1, spans // A_TRACE + 1)]
        begun = time.monotonic()
        for first in range(0, len(traces), A_REQUEST // A_TRACE):
            several = [each for trace in traces[first : first + A_REQUEST // A_TRACE] for each in trace]
            body = gzip.compress(json.dumps(batch(*several)).encode(), 1)
            headers = {"content-type": "application/json", "content-encoding": "gzip"}
            while (answer := httpx.post(url, content=body, headers=headers, timeout=600)).status_code == 503:
                time.sleep(float(answer.headers.get("retry-after", 1)))
            answer.raise_for_status()
        took = time.monotonic() - begun
        process.send_signal(signal.SIGINT)
        _, _, used = os.wait4(process.pid, 0)
        process.returncode = 0
        with open_ledger(path, read_only=True) as ledger:
            [(turns,)] = ledger.sql("SELECT count(*) FROM turns").fetchall()
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, took, turns


def wait_for(url: str) -> None:
    for _ in range(600):
        try:
            httpx.get(url)
        except httpx.TransportError:
            time.sleep(0.1)
        else:
            return
    raise SystemExit("the receiver does not start")


def main() -> None:
    nothing, resting, _, _ = received(0)
    print(f"      0 spans: {nothing:5.2f} CPU-s, {resting:4.0f} MB at its peak")
    for spans in map(int, sys.argv[1:]) if len(sys.argv) > 1 else SIZES:
        cpu, peak, took, turns = received(spans)
        print(
            f"{spans:7,} spans: {cpu - nothing:5.2f} CPU-s, {1000 * (cpu - nothing) / spans:.2f} ms each, {peak:4.0f} MB at its peak, "
            f"answered within {took:.1f} s; {turns:,} turns recorded",
            flush=True,
        )


if __name__ == "__main__":
    main()
