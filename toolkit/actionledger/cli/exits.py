"""The exit codes, the same for every command: what a script is told."""

from enum import IntEnum

from actionledger.core.errors import ActionLedgerError, UsageError


class ExitCode(IntEnum):
    """What a command ends with."""

    DONE = 0
    FAULT = 1
    WRONG_USE = 2
    WAITING = 3
    GATE = 4
    EVIDENCE = 5
    STOPPED = 130


MEANINGS = {
    ExitCode.DONE: "done",
    ExitCode.FAULT: "a fault on our side or in the data",
    ExitCode.WRONG_USE: "wrong use",
    ExitCode.WAITING: "something waits for a person",
    ExitCode.GATE: "a gate does not pass",
    ExitCode.EVIDENCE: "a gate has too little to tell",
    ExitCode.STOPPED: "stopped by the user",
}
"""What each code means, for people."""

EPILOG = f"Exit codes: {', '.join(f'{code.value} {meaning}' for code, meaning in MEANINGS.items())}."
"""The same as a sentence, at the end of every command's help."""


def code_of(error: ActionLedgerError) -> ExitCode:
    """Return what a command ends with that could not be done."""
    return ExitCode.WRONG_USE if isinstance(error, UsageError) else ExitCode.FAULT
