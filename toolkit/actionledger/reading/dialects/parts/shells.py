"""The one command of a response that a shell runs: what its tool is called, and which calls are one."""

from collections.abc import Sequence

from actionledger.reading.dialects.parts.writing import PlainCall, raw_text
from actionledger.reading.scan.source import Source

SHELLS = (
    *("bash", "shell", "sh", "terminal", "local_shell", "run_bash", "execute_bash", "run", "run_command", "execute_command"),
    *("run_shell_command", "run_terminal_cmd", "run_terminal_command", "run_in_terminal", "exec_command"),
)  # fmt: skip
"""What tools are called that run a command of a shell, those that say it most plainly first."""


def shell_tool(source: Source, *, is_needed: bool) -> str:
    """Return what the tool is called that runs a command: as it was offered, else by the plainest name."""
    offered = (name for name in SHELLS if source.names and name in source.names)
    return next(offered, "" if is_needed else SHELLS[0])


def one_command(calls: Sequence[PlainCall]) -> str:
    """Return the command of the one call that there is."""
    if len(calls) > 1:
        raise ValueError("a response has exactly one command")
    (call,) = calls
    if call.name not in SHELLS or call.arguments.keys() != {"command"}:
        raise ValueError(f"{call.name!r} with {list(call.arguments)} is not bash(command)")
    return raw_text(call.arguments["command"])
