"""How long model-written code takes to be run, by sandbox: from a standing start, and with a process kept ready.

Run by hand:

    python tests/benchmarks/sandbox.py [SANDBOX ...]

Times are medians in milliseconds. "cold" starts a process and has it shut itself in; "warm" finds one ready; "in a row"
leaves the next process no time to get ready; "100 calls" is a warm run that calls the host a hundred times.
"""

import sys
import time
from statistics import median

from actionledger.core.errors import SandboxError
from actionledger.runtime.sandbox import Api, choose, sandbox_names

ROUNDS = 9
REST = 0.6
"""Seconds for a process to get ready, on a machine that has other things to do."""

CODE = "print('hello')\nsum(range(100))"
CALLS = "for i in range(100):\n    gb.add(i)"
API = Api(methods={"add": lambda number: number + 1})


def timed(sandbox, code=CODE):
    """Return how long one run takes, in milliseconds."""
    began = time.perf_counter()
    result = sandbox.run(code, api=API)
    assert result.succeeded, result
    return (time.perf_counter() - began) * 1000


def cold(sandbox):
    """A run of a sandbox that keeps nothing ready."""
    sandbox.close()
    return timed(sandbox)


def warm(sandbox, code=CODE):
    """A run of a sandbox that has had time to get ready."""
    time.sleep(REST)
    return timed(sandbox, code)


def measures(sandbox):
    """Return the medians by name."""
    return {
        "cold": median(cold(sandbox) for _ in range(ROUNDS)),
        "warm": median(warm(sandbox) for _ in range(ROUNDS)),
        "in a row": median(timed(sandbox) for _ in range(ROUNDS)),
        "100 calls": median(warm(sandbox, CALLS) for _ in range(ROUNDS)),
    }


def main():
    for name in sys.argv[1:] or sandbox_names():
        try:
            sandbox = choose(name)
        except SandboxError as error:
            print(f"{name:12} not available: {error}")
            continue
        found = measures(sandbox)
        sandbox.close()
        print(f"{name:12} " + "   ".join(f"{what} {value:7.1f}" for what, value in found.items()))


if __name__ == "__main__":
    main()
