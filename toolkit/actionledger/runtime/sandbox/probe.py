"""The proof that a process is shut in: it tries to get out, and nothing may work."""

from actionledger.runtime.sandbox.base import Availability, CodeOutcome
from actionledger.runtime.sandbox.ending import Ending
from actionledger.runtime.sandbox.limits import Limits

PROBE_LIMITS = Limits(seconds=10)

# asyncio brings socket and subprocess along, so that what is tried meets the walls and not a module that isn't there.
PROBE = """
import asyncio, os, socket, subprocess

def attempt(action):
    try:
        action()
    except BaseException as error:
        return type(error).__name__
    return "done"

def fork():
    if os.fork() == 0:
        os._exit(0)

{
    "opening a file": attempt(lambda: os.open("/", os.O_RDONLY)),
    "making a socket": attempt(socket.socket),
    "forking": attempt(fork),
    "starting a program": attempt(lambda: subprocess.run(["/bin/true"])),
    "taking 1 GB of memory": attempt(lambda: bytearray(2**30)),
}
"""

_EXPECTED = {
    "opening a file": {"PermissionError"},
    "making a socket": {"PermissionError"},
    "forking": {"PermissionError", "BlockingIOError"},
    "starting a program": {"PermissionError", "BlockingIOError"},
    "taking 1 GB of memory": {"MemoryError"},
}


def verdict(ended: Ending, walls: str) -> Availability:
    """Judge a probe."""
    if ended.outcome is not CodeOutcome.SUCCEEDED or not isinstance(ended.value, dict):
        return Availability(available=False, reason=f"the probe did not run: {ended.message}")
    answers = {attempt: ended.value.get(attempt) for attempt in _EXPECTED}
    got_out = [
        f"{attempt} ({answer})" for attempt, answer in answers.items() if answer not in _EXPECTED[attempt]
    ]
    if got_out:
        return Availability(available=False, reason=f"the probe was not stopped at {', '.join(got_out)}")
    return Availability(available=True, reason=walls)
