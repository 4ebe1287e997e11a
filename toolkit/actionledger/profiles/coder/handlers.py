"""What runs the coder's actions: files and commands in one workspace, where all that they change can be undone."""

from dataclasses import replace
from functools import partial

from actionledger.profiles.coder.commands import CommandRunner
from actionledger.profiles.coder.dry_runs import DryRuns
from actionledger.profiles.coder.files import file_handlers
from actionledger.profiles.coder.git import git_handlers, git_previews
from actionledger.runtime.commands import GIT_ENVIRONMENT, Commands, CommandSettings, Git, OnOutput
from actionledger.runtime.execution.handlers import HandlerFactory, Handlers
from actionledger.runtime.workspace import Workspace


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
