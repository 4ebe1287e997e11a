"""Processes that run a module of this package, as this process would: how one is started, and how it has ended."""

import sys
from signal import Signals


def words_for(module: str) -> tuple[str, ...]:
    """Return the program and its arguments that run the function ``main`` of a module, importing what this process would.

    Args:
        module: the module's name.
    """
    path = [each for each in sys.path if each]
    return (
        sys.executable,
        "-c",
        f"import sys; sys.path[:] = {path!r}; from {module} import main; main()",
    )


def ended(code: int) -> str:
    """Return how a process has ended, as a clause.

    Args:
        code: its return code, less than nothing for a signal.
    """
    if code >= 0:
        return f"has ended with the exit code {code}"
    number = -code
    name = Signals(number).name if number in set(Signals) else str(number)
    return f"was ended by the signal {name}"
