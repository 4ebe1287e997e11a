"""What other processes do in the tests of the short way: ``python direct_worker.py JOB …``."""

import os
import signal
import sys
from pathlib import Path

from actionledger.core.processes import FileLock
from actionledger.imports import import_path
from actionledger.ledger.storage import internals

TOUCHES = {
    "open",
    "os.rename",
    "os.remove",
    "os.mkdir",
    "os.rmdir",
    "os.scandir",
    "os.listdir",
    "os.truncate",
}


def die(folder: str, ledger: str, batch: str, step: str) -> None:
    """Import a folder, and be killed at the so-manieth touch of a ledger's file, or the first of one that is called so."""
    internals.BATCH_BYTES = int(batch)
    touched = 0

    def count(event: str, given: tuple[object, ...]) -> None:
        nonlocal touched
        if event in TOUCHES and ledger in str(given):
            touched += 1
            if str(touched) == step or step in str(given):
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)
    import_path(folder, ledger)
    sys.stdout.write(str(touched))


def hold(lock: str) -> None:
    """Hold a lock until the input ends."""
    assert FileLock(Path(lock)).acquire()
    sys.stdout.write("held\n")
    sys.stdout.flush()
    sys.stdin.read()


def stream(ledger: str) -> None:
    """Import the standard input; say how much memory it took at most, in MB."""
    import_path("-", ledger, format="jsonl", parser="mint")
    # What getrusage says is that of the process before this one as well, whose memory it was started with.
    status = Path("/proc/self/status").read_text()
    [peak] = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")]
    sys.stdout.write(str(int(peak) // 1024))


if __name__ == "__main__":
    {"die": die, "hold": hold, "stream": stream}[sys.argv[1]](*sys.argv[2:])
