"""Git by argument lists, with a configuration of ours: whatever a repository says, nothing of it is started."""

import os
import shlex
from collections.abc import Mapping, Sequence
from threading import Event

from actionledger.core.errors import ActionError
from actionledger.core.vocabulary import Reason
from actionledger.runtime.commands.commands import Commands, Finished
from actionledger.runtime.commands.git_folders import Listings, Opened, opened, settings_of, stand_in
from actionledger.runtime.commands.git_remotes import has_hooks, local_repository
from actionledger.runtime.commands.git_settings import Setting
from actionledger.runtime.commands.running import Ran

_LONGEST_COMPLAINT = 600


class Git:
    """The repository that a workspace is.

    Args:
        commands: run in the workspace.
    """

    def __init__(self, commands: Commands) -> None:
        self._commands = commands
        self._listings = Listings(self._listing)

    def ask(self, *arguments: str, cancelled: Event | None = None, whole: bool = False) -> str:
        """Return what a subcommand says that changes nothing."""
        ran = self._asked(arguments, cancelled, whole=whole)
        _check(ran, arguments)
        return ran.stdout

    def does(self, *arguments: str) -> bool:
        """Return whether a subcommand that changes nothing succeeds."""
        return self._asked(arguments, None).status == 0

    def change(self, *arguments: str, cancelled: Event | None = None) -> Finished:
        """Run a subcommand that changes something; what it changes can be undone."""
        return self._change(self._opened(), arguments, cancelled)

    def push(self, remote: str, reference: str, cancelled: Event | None = None) -> Finished:
        """Bring a reference to a remote, under the same name.

        Where that is a folder of this machine, what git starts there gets a configuration of ours as well.
        """
        repository = self._opened()
        way: list[str] = []
        target = local_repository(remote, repository.settings, self._commands.workspace.root)
        if target is not None:
            # The remote's own rules would go unheard: nothing of a repository is run, and hooks are how it refuses.
            settings = settings_of(target, self._listings)
            if has_hooks(target.common, settings):
                message = f"The remote {remote!r} is a folder of this machine with hooks, which are not run; a person has to push there."
                raise ActionError(Reason.COMMAND_REFUSED, message)
            common = stand_in(target.common, settings, self._commands.home)
            program = f"env GIT_COMMON_DIR={shlex.quote(str(common))} git receive-pack"
            way = [f"--receive-pack={program}"]
            repository = self._opened(local_pushes=True)
        options = ("--no-verify", "--no-signed", "--recurse-submodules=no", "--porcelain", *way)
        arguments = ("push", *options, remote, f"{reference}:{reference}")
        # A policy or a person has let it be pushed: that is what it needs the network for.
        return self._change(repository, arguments, cancelled, network=True)

    def _asked(self, arguments: Sequence[str], cancelled: Event | None, *, whole: bool = False) -> Ran:
        repository = self._opened()
        words = [*repository.words, *arguments]
        return self._commands.ask(words, cancelled, environment=repository.environment, whole=whole)

    def _change(
        self,
        repository: Opened,
        arguments: Sequence[str],
        cancelled: Event | None,
        *,
        network: bool = False,
    ) -> Finished:
        words = [*repository.words, *arguments]
        finished = self._commands.run(words, cancelled, environment=repository.environment, network=network)
        _check(finished.ran, arguments)
        return finished

    def _opened(self, *, local_pushes: bool = False) -> Opened:
        # Looked up for every command: what ran in between may have changed where the repository is, and what it sets.
        root = self._commands.workspace.root
        return opened(
            root,
            self._listings,
            self._commands.home,
            within=root,
            local_pushes=local_pushes,
            otherwise=_anonymous(),
        )

    def _listing(self, words: Sequence[str], environment: Mapping[str, str]) -> str:
        ran = self._commands.ask(words, environment=environment, whole=True)
        _check(ran, ("config",))
        return ran.stdout


def _anonymous() -> list[Setting]:
    """Return who commits where the repository doesn't say who does."""
    return [
        Setting("user.name", os.environ.get("GIT_AUTHOR_NAME", "actionledger")),
        Setting("user.email", os.environ.get("GIT_AUTHOR_EMAIL", "actionledger@localhost")),
    ]


def _check(ran: Ran, arguments: Sequence[str]) -> None:
    subcommand = next((word for word in arguments if not word.startswith("-") and "=" not in word), "")
    if ran.ended_by:
        reason = Reason.TIMEOUT if ran.ended_by == "timeout" else Reason.STOPPED
        raise ActionError(reason, f"git {subcommand} was ended before it was done; try again.")
    if ran.status:
        said = " ".join((ran.stderr.strip() or ran.stdout.strip()).splitlines())
        message = f"git {subcommand} ended with status {ran.status}: {said[-_LONGEST_COMPLAINT:] or 'it said nothing'}"
        raise ActionError(Reason.COMMAND_FAILED, message)
