"""The exit codes, the same for every command, and output that somebody may stop reading: the command ends as it would have."""

import io
import os
import sys
from enum import IntEnum
from typing import IO, TextIO

from actionledger.core.errors import ActionLedgerError, UsageError


class _Pipe(io.FileIO):
    """A pipe, written to until nobody reads it."""

    def __init__(self, descriptor: int) -> None:
        super().__init__(descriptor, "wb", closefd=False)
        self.is_read = True

    def write(self, data: object) -> int:
        """Write what can be written; once nobody reads, whatever else has this descriptor writes to nowhere, too."""
        try:
            return super().write(data)  # type: ignore[arg-type]
        except BrokenPipeError:
            self.is_read = False
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            return super().write(data)  # type: ignore[arg-type]


def let_readers_leave() -> None:
    """Have the standard output and error outlive whoever reads them: the exit code of ``gate | head`` is the gate's."""
    sys.stdout = _outliving(sys.stdout)
    sys.stderr = _outliving(sys.stderr)


def is_read(stream: IO[str]) -> bool:
    """Return whether somebody may still read a stream, so that writing more of much is worth it."""
    pipe = getattr(getattr(stream, "buffer", None), "raw", None)
    return not isinstance(pipe, _Pipe) or pipe.is_read


def _outliving(stream: TextIO) -> TextIO:
    if not isinstance(stream, io.TextIOWrapper) or stream.isatty():
        return stream
    try:
        pipe = _Pipe(stream.fileno())
    except OSError:  # it is none of the system's
        return stream
    stream.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(pipe),
        encoding=stream.encoding,
        errors=stream.errors,
        newline=None,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


class ExitCode(IntEnum):
    """The exit codes of all commands."""

    DONE = 0
    FAULT = 1
    WRONG_USE = 2
    WAITING = 3
    GATE = 4
    EVIDENCE = 5
    STOPPED = 130


MEANINGS = {
    ExitCode.DONE: "done",
    ExitCode.FAULT: "an error in the data or in actionledger",
    ExitCode.WRONG_USE: "wrong use",
    ExitCode.WAITING: "something waits for a person",
    ExitCode.GATE: "a gate fails, or an alert fires",
    ExitCode.EVIDENCE: "a gate has too little evidence",
    ExitCode.STOPPED: "stopped by the user",
}
"""What each code means, for people."""

EPILOG = f"Exit codes: {', '.join(f'{code.value} {meaning}' for code, meaning in MEANINGS.items())}."
"""The same as a sentence, at the end of every command's help."""


def code_of(error: ActionLedgerError) -> ExitCode:
    """Return what a command ends with that could not be done."""
    return ExitCode.WRONG_USE if isinstance(error, UsageError) else ExitCode.FAULT
