"""The feedback on a run that did not succeed: what happened, and what would work."""

from actionledger.runtime.sandbox.base import CodeError, Limits

_REFUSED_BY_THE_WALLS = {"PermissionError", "BlockingIOError"}


def failed(error: CodeError, api: str) -> str:
    """Return what to say of an exception that the code didn't catch."""
    if error.type in _REFUSED_BY_THE_WALLS and "[Errno " in error.message:
        return f"{error}. The sandbox has no files, network, processes or threads; use {api} and the standard library."
    return str(error)


def out_of_memory(limits: Limits) -> str:
    """Return what to say of code that needs too much memory."""
    return f"MemoryError: the code may use {limits.memory // 2**20:,} MiB of memory. Work on smaller parts."


def timed_out(limits: Limits) -> str:
    """Return what to say of code that took too long."""
    return (
        f"TimeoutError: the code was stopped after {limits.seconds:g} s. "
        "Look for an endless loop, or do less in one run."
    )


def limit_exceeded(what: str) -> str:
    """Return what to say of code that is beyond a limit."""
    return f"LimitExceeded: the code {what}. Do less in one run."


def result_too_large(what: str) -> str:
    """Return what to say of a last expression whose value is too large."""
    return f"LimitExceeded: the value of the last expression {what}. End with a smaller value, or print a part of it."


def crashed(ending: str) -> str:
    """Return what to say of a process that ended before its code did."""
    how = f" ({ending})" if ending else ""
    return (
        f"Crashed: the process of the code ended before the code did{how}. "
        "Code must not end its own process (os._exit), nor recurse without an end."
    )


def broke_off() -> str:
    """Return what to say of a process whose messages can't be read."""
    return "Crashed: the code wrote into the sandbox's own channel. Print to stdout only with print() or sys.stdout."


def refused_size(limits: Limits, size: int) -> str:
    """Return what to say of code that is too long to be run."""
    return f"Refused: the code has {size:,} characters; the limit is {limits.code_size:,}. Split it."


def refused_sandbox() -> str:
    """Return what to say where nothing can confine the code."""
    return "Refused: the code was not run, because no safe place to run it could be set up here. Use actions instead."


def part_of_python() -> str:
    """Return what to add where code may have failed for what its interpreter lacks."""
    return (
        "This code ran in Monty, an interpreter that has a part of Python only: no generators, no del, few modules. "
        "If that is what it lacks, write it plainer, or use actions."
    )


def refused_room(runs: int) -> str:
    """Return what to say where as many sandboxes run as may."""
    return f"Refused: the code was not run, because {runs} others run here already. Try again later."


def cancelled() -> str:
    """Return what to say of a run that was called off."""
    return "Cancelled: the run was called off before the code had ended."


def cut_line(most: int) -> str:
    """Return the line that ends an output of which only so many characters were kept."""
    return f"\n[cut: only the first {most:,} characters are kept]\n"
