"""The exit codes of all commands, and output that keeps them if its reader stops early."""

import io
import os
import sys
from enum import IntEnum
from typing import IO, TextIO

from actionledger.core.errors import ActionLedgerError, UsageError


class _Pipe(io.FileIO):
    """An output pipe that stops writing once its reader has left."""

    def __init__(self, descriptor: int) -> None:
        super().__init__(descriptor, "wb", closefd=False)
        self.is_read = True

    def write(self, data: object) -> int:
        """Write to the pipe; once the reader has left, everything written to this descriptor is discarded."""
        try:
            return super().write(data)  # type: ignore[arg-type]
        except BrokenPipeError:
            self.is_read = False
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            return super().write(data)  # type: ignore[arg-type]


def let_readers_leave() -> None:
    """Keep standard output and error usable after their reader leaves: the exit code of ``gate | head`` is the gate's."""
    sys.stdout = _outliving(sys.stdout)
    sys.stderr = _outliving(sys.stderr)


def is_read(stream: IO[str]) -> bool:
    """Return whether a stream may still have a reader, so that long output is worth writing."""
    pipe = getattr(getattr(stream, "buffer", None), "raw", None)
    return not isinstance(pipe, _Pipe) or pipe.is_read


def _outliving(stream: TextIO) -> TextIO:
    if not isinstance(stream, io.TextIOWrapper) or stream.isatty():
        return stream
    try:
        pipe = _Pipe(stream.fileno())
    except OSError:  # not a file of the system
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
"""The meaning of each code, for display."""

EPILOG = f"Exit codes: {', '.join(f'{code.value} {meaning}' for code, meaning in MEANINGS.items())}."
"""The meanings as a sentence, for the end of every command's help."""


def code_of(error: ActionLedgerError) -> ExitCode:
    """Return the exit code for an error."""
    return ExitCode.WRONG_USE if isinstance(error, UsageError) else ExitCode.FAULT
