"""Messages to the model about a run that did not succeed: what happened, and what would work."""

from actionledger.runtime.sandbox.base import CodeError, Limits

_REFUSED_BY_THE_WALLS = {"PermissionError", "BlockingIOError"}


def failed(error: CodeError, api: str) -> str:
    """Return the message for an uncaught exception."""
    if error.type in _REFUSED_BY_THE_WALLS and "[Errno " in error.message:
        return f"{error}. The sandbox has no files, network, processes or threads; use {api} and the standard library."
    return str(error)


def out_of_memory(limits: Limits) -> str:
    """Return the message for code that needs too much memory."""
    return f"MemoryError: the code may use {limits.memory // 2**20:,} MiB of memory. Work on smaller parts."


def timed_out(limits: Limits) -> str:
    """Return the message for code that took too long."""
    return (
        f"TimeoutError: the code was stopped after {limits.seconds:g} s. "
        "Look for an endless loop, or do less in one run."
    )


def limit_exceeded(what: str) -> str:
    """Return the message for code that exceeds a limit."""
    return f"LimitExceeded: the code {what}. Do less in one run."


def result_too_large(what: str) -> str:
    """Return the message for a last expression whose value is too large."""
    return f"LimitExceeded: the value of the last expression {what}. End with a smaller value, or print a part of it."


def crashed(ending: str) -> str:
    """Return the message for a process that ended before its code did."""
    how = f" ({ending})" if ending else ""
    return (
        f"Crashed: the process of the code ended before the code did{how}. "
        "Code must not end its own process (os._exit), nor recurse without an end."
    )


def broke_off() -> str:
    """Return the message for a process whose messages can't be parsed."""
    return "Crashed: the code wrote into the sandbox's own channel. Print to stdout only with print() or sys.stdout."


def refused_size(limits: Limits, size: int) -> str:
    """Return the message for code that is too long to run."""
    return f"Refused: the code has {size:,} characters; the limit is {limits.code_size:,}. Split it."


def refused_sandbox() -> str:
    """Return the message if no sandbox can confine the code."""
    return "Refused: the code was not run, because no safe place to run it could be set up here. Use actions instead."


def part_of_python() -> str:
    """Return a supplement for code that may have failed because its interpreter lacks a part of Python."""
    return (
        "This code ran in Monty, an interpreter that has a part of Python only: no generators, no del, few modules. "
        "If that is what it lacks, write it plainer, or use actions."
    )


def refused_room(runs: int) -> str:
    """Return the message if the maximum number of sandboxes is running."""
    return f"Refused: the code was not run, because {runs} others run here already. Try again later."


def cancelled() -> str:
    """Return the message for a cancelled run."""
    return "Cancelled: the run was called off before the code had ended."


def cut_line(most: int) -> str:
    """Return the last line of an output that was cut after a number of characters."""
    return f"\n[cut: only the first {most:,} characters are kept]\n"
