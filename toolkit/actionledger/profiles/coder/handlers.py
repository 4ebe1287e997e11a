"""What runs the coder's actions: files and commands in one workspace, where all that they change can be undone."""

import signal
from collections.abc import Collection
from dataclasses import replace
from functools import partial
from typing import Any

from actionledger.core.canonical import json_text
from actionledger.core.errors import ActionError
from actionledger.core.vocabulary import Reason
from actionledger.profiles.coder.actions import ExecuteCommand
from actionledger.profiles.coder.files import DryRuns, file_handlers
from actionledger.profiles.coder.git import git_handlers, git_previews
from actionledger.runtime.commands import (
    GIT_ENVIRONMENT,
    Commands,
    CommandSettings,
    Finished,
    Git,
    OnOutput,
    Ran,
    Wall,
    bound,
    words_of,
)
from actionledger.runtime.execution.handlers import Context, HandlerFactory, Handlers
from actionledger.runtime.workspace import Workspace

Result = dict[str, Any]

_MOST_NAMED = 50
_SHOWN = 1400
"""How much of the ends of both outputs stands in the message about a command that failed, in characters."""

UNCONFINED = "It was not confined: nothing kept it inside the workspace, and this session allows that."
NO_NETWORK = "Commands have no network here; what they need has to be in the workspace or installed."

_TOO_MUCH = {
    "memory": "took more memory than commands may",
    "processes": "had more processes than commands may",
}


class CommandRunner:
    """Runs commands for one session.

    Args:
        commands: run in its workspace.
    """

    def __init__(self, commands: Commands) -> None:
        self._commands = commands

    def run(self, action: ExecuteCommand, context: Context) -> Result:
        """Run a command; return what came of it."""
        finished = self._commands.run(words_of(action.command), context.cancelled)
        result = _result(action, finished)
        ran = finished.ran
        if ran.ended_by == "timeout":
            seconds = self._commands.settings.seconds
            message = f"The command was ended after {seconds:g} s, with all that it had started.{_said(ran)}"
            raise ActionError(Reason.TIMEOUT, message, result=result)
        if ran.ended_by in _TOO_MUCH:
            message = (
                f"The command {_TOO_MUCH[ran.ended_by]}, and was ended. Have it do less at once.{_said(ran)}"
            )
            raise ActionError(Reason.COMMAND_FAILED, message, result=result)
        if ran.ended_by:
            raise ActionError(Reason.STOPPED, "The command was called off and ended.", result=result)
        if ran.status != 0:
            message = f"The command ended with {_described(ran.status)}.{_said(ran)}"
            raise ActionError(Reason.COMMAND_FAILED, message, result=result)
        return result

    def binds(self, action: ExecuteCommand, aside: Collection[str]) -> str:
        """Return what a decision about a command is about beside its words; nothing where it would be refused anyway."""
        try:
            return bound(words_of(action.command), self._commands.workspace.root, aside)
        except ActionError:
            return ""

    def preview(self, action: ExecuteCommand, _context: Context) -> Result:
        """Return what would be run, and run nothing."""
        return {"would_run": words_of(action.command), "confined": self._commands.walls()}


def _result(action: ExecuteCommand, finished: Finished) -> Result:
    ran, changed = finished.ran, finished.changed
    result: Result = {
        "command": action.command,
        "exit_code": ran.status,
        "stdout": ran.stdout,
        "stderr": ran.stderr,
        "seconds": round(ran.seconds, 3),
        "changed": list(changed[:_MOST_NAMED]),
        "confined": list(ran.walls),
    }
    if len(changed) > _MOST_NAMED:
        result["changed_in_all"] = len(changed)
    notes = [*finished.unwatched, *([] if Wall.FILES in ran.walls else [UNCONFINED])]
    if ran.status and Wall.NETWORK in ran.walls:
        notes.append(NO_NETWORK)
    return result | ({"notes": notes} if notes else {})


def _described(status: int | None) -> str:
    if status is None:
        return "no status that anybody knows"
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"the signal {signal.Signals(-status).name}"
    except ValueError:
        return f"the signal {-status}"


def _said(ran: Ran) -> str:
    """Return the end of what a command said, each output as one line."""
    said = [(name, text.rstrip()) for name, text in (("stderr", ran.stderr), ("stdout", ran.stdout))]
    ends = [(name, text) for name, text in said if text]
    return "".join(f" Its {name} ends: {_end_of(text, _SHOWN // len(ends))}." for name, text in ends)


def _end_of(text: str, room: int) -> str:
    shown = text[-room:]
    return json_text(shown if shown == text else f"…{shown}")


def coder_handlers(settings: CommandSettings, on_output: OnOutput | None = None) -> HandlerFactory:
    """Return what makes the handlers of a session."""
    return partial(_make, settings, on_output)


def _make(settings: CommandSettings, on_output: OnOutput | None, workspace: Workspace) -> Handlers:
    commands = Commands(workspace, settings, on_output)
    surroundings = {**settings.environment, **GIT_ENVIRONMENT}
    for_git = Commands(workspace, replace(settings, environment=surroundings))
    runner, git = CommandRunner(commands), Git(for_git)

    def close() -> None:
        commands.close()
        for_git.close()

    return Handlers(
        {**file_handlers(lambda _context: workspace), "execute_command": runner.run, **git_handlers(git)},
        previews={
            **DryRuns(workspace).previews(),
            "execute_command": runner.preview,
            **git_previews(git),
        },
        close=close,
        reaches=commands.reaches,
        binds={"execute_command": runner.binds},
    )
