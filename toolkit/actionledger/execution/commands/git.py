"""Git by argument lists: no hooks, no pager, nothing that a repository's configuration would have it run."""

import os
from collections.abc import Sequence
from threading import Event

from actionledger.errors import ActionError
from actionledger.execution.commands.commands import Commands, Finished
from actionledger.execution.commands.running import Ran
from actionledger.vocabulary import Reason

_SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.pager=cat",
    "core.quotePath=false",
    "core.editor=false",
    "core.sshCommand=false",
    "core.untrackedCache=false",
    "commit.gpgSign=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "protocol.ext.allow=never",
    "safe.bareRepository=explicit",
    "submodule.recurse=false",
)
"""What a repository's configuration may not say otherwise: it could run programs, or write names so that nobody finds them."""

_ANONYMOUS = ("actionledger", "actionledger@localhost")
"""Who commits where neither the repository nor the environment says who does."""

_LONGEST_COMPLAINT = 600


class Git:
    """The repository that a workspace is.

    Args:
        commands: run in the workspace.
    """

    def __init__(self, commands: Commands) -> None:
        self._commands = commands

    def ask(self, *arguments: str, cancelled: Event | None = None) -> str:
        """Return what a subcommand says that changes nothing.

        Raises:
            ActionError: it fails, or the workspace is no repository.
        """
        ran = self._commands.ask(self._words(arguments), cancelled)
        _check(ran, arguments)
        return ran.stdout

    def does(self, *arguments: str) -> bool:
        """Return whether a subcommand that changes nothing succeeds."""
        return self._commands.ask(self._words(arguments)).status == 0

    def change(self, *arguments: str, cancelled: Event | None = None) -> Finished:
        """Run a subcommand that changes something; what it changes can be undone.

        Raises:
            ActionError: it fails, or the workspace is no repository.
        """
        finished = self._commands.run(self._words(arguments), cancelled)
        _check(finished.ran, arguments)
        return finished

    def check_repository(self) -> None:
        """Refuse to go on where the workspace itself is no repository.

        Raises:
            ActionError: it isn't.
        """
        # Only the folder itself counts: git would look for a repository further up as well.
        if not (self._commands.workspace.root / ".git").exists():
            message = "The workspace is no git repository. Run git init first, with execute_command."
            raise ActionError(Reason.NOT_FOUND, message)

    def _words(self, arguments: Sequence[str]) -> list[str]:
        self.check_repository()
        return git_words(*arguments)

    def identity(self) -> list[str]:
        """Return the options that say who commits, where the repository doesn't."""
        if self.does("config", "--get", "user.email"):
            return []
        name, email = (
            os.environ.get(variable, otherwise)
            for variable, otherwise in zip(("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL"), _ANONYMOUS, strict=True)
        )
        return ["-c", f"user.name={name}", "-c", f"user.email={email}"]


def git_words(*arguments: str) -> list[str]:
    """Return the command line of a subcommand that runs nothing which the repository's configuration names."""
    settings = [word for setting in _SETTINGS for word in ("-c", setting)]
    return ["git", "--no-pager", *settings, *arguments]


GIT_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "false",
    "LC_ALL": "C.UTF-8",
}
"""What git is told of its surroundings beside what every command sees."""


def _check(ran: Ran, arguments: Sequence[str]) -> None:
    subcommand = next((word for word in arguments if not word.startswith("-") and "=" not in word), "")
    if ran.ended_by:
        reason = Reason.TIMEOUT if ran.ended_by == "timeout" else Reason.STOPPED
        raise ActionError(reason, f"git {subcommand} was ended before it was done; try again.")
    if ran.status:
        said = " ".join((ran.stderr.strip() or ran.stdout.strip()).splitlines())
        message = f"git {subcommand} ended with status {ran.status}: {said[-_LONGEST_COMPLAINT:] or 'it said nothing'}"
        raise ActionError(Reason.COMMAND_FAILED, message)
