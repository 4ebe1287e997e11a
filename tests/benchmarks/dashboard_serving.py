"""A dashboard or a bare Streamlit page as a process of its own, what it takes, and what was measured."""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

HELLO = "import streamlit as st\nst.text('hello')\n"
STREAMLIT = "--server.address=127.0.0.1 --server.headless=true --browser.gatherUsageStats=false --server.fileWatcherType=none"


@dataclass(frozen=True)
class Server:
    """A process that serves pages; what it takes is read from ``/proc``."""

    address: str  # where it answers
    process: int  # its number

    def processor(self) -> float:
        """Return the processor seconds that it has used so far."""
        behind_its_name = Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, behind_its_name[11:13])) / os.sysconf("SC_CLK_TCK")

    def megabytes(self) -> float:
        """Return the most memory that it has had at once."""
        status = Path(f"/proc/{self.process}/status").read_text()
        [peak] = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")]
        return int(peak) * 1024 / 1e6


@dataclass
class Figures:
    """What was measured: seconds by the clock and by the server's processor, by what was done."""

    clock: dict[str, list[float]] = field(default_factory=dict)
    processor: dict[str, list[float]] = field(default_factory=dict)

    def keep(self, what: str, clock: float, processor: float) -> None:
        """Keep how long something took."""
        self.clock.setdefault(what, []).append(clock)
        self.processor.setdefault(what, []).append(processor)

    def medians(self, what: str) -> tuple[float, float]:
        """Return the medians by the clock and by the processor."""
        return median(self.clock[what]), median(self.processor[what])


@contextmanager
def serving(*words: str) -> Iterator[Server]:
    """Serve until the block ends; the server has answered that it is there, and has shown nothing yet."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = [sys.executable, "-m", *(word.format(port=port) for word in words)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        address = f"http://127.0.0.1:{port}"
        while not _answers(f"{address}/_stcore/health"):
            assert process.poll() is None, f"it ended before it answered: {' '.join(command)}"
            time.sleep(0.05)
        yield Server(address, process.pid)
    finally:
        process.terminate()
        process.wait()


def _answers(address: str) -> bool:
    with suppress(urllib.error.URLError, OSError), urllib.request.urlopen(address, timeout=1):
        return True
    return False


def dashboard_of(ledger: Path) -> tuple[str, ...]:
    """Return the words that serve a ledger."""
    return ("actionledger_dashboard", "--ledger", str(ledger), "--port", "{port}")


def bare(folder: Path) -> tuple[str, ...]:
    """Return the words that serve Streamlit with one line of text, which is written into a folder."""
    page = folder / "hello.py"
    page.write_text(HELLO)
    return ("streamlit", "run", str(page), "--server.port={port}", *STREAMLIT.split())
