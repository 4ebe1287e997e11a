"""Run git with argument lists and our configuration: on a workspace, on remotes that are folders, or on references only."""

import os
import shlex
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Event
from urllib.parse import unquote, urlsplit

from actionledger.core.errors import ActionError
from actionledger.core.files import TemporaryFolder
from actionledger.core.patterns import regex
from actionledger.core.vocabulary import Reason
from actionledger.runtime.commands.commands import Commands, Finished
from actionledger.runtime.commands.git_folders import (
    GIT_ENVIRONMENT,
    Folders,
    Listings,
    Opened,
    Setting,
    folders_of,
    has_repository,
    opened,
    settings_of,
    stand_in,
)
from actionledger.runtime.commands.process import Ran

_LONGEST_COMPLAINT = 600


class Git:
    """The git repository in a workspace."""

    def __init__(self, commands: Commands) -> None:
        self._commands = commands
        self._listings = Listings(self._listing)

    def ask(self, *arguments: str, cancelled: Event | None = None, whole: bool = False) -> str:
        """Return the output of a read-only subcommand."""
        ran = self._answer(arguments, cancelled, whole=whole)
        _check(ran, arguments)
        return ran.stdout

    def does(self, *arguments: str) -> bool:
        """Return whether a read-only subcommand succeeds."""
        return self._answer(arguments, None).status == 0

    def change(self, *arguments: str, cancelled: Event | None = None) -> Finished:
        """Run a subcommand that changes something; the changes can be undone."""
        return self._change(self._opened(), arguments, cancelled)

    def push(self, remote: str, reference: str, cancelled: Event | None = None) -> Finished:
        """Push a reference to a remote, under the same name.

        If the remote is a folder of this machine, git also gets our configuration there.
        """
        repository = self._opened()
        way: list[str] = []
        target = local_repository(remote, repository.settings, self._commands.workspace.root)
        if target is not None:
            # Hooks are how a remote enforces its own rules, and they are never run here.
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
        # The push was approved by policy or by a person, and it needs the network.
        return self._change(repository, arguments, cancelled, network=True)

    def _answer(self, arguments: Sequence[str], cancelled: Event | None, *, whole: bool = False) -> Ran:
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
        # Looked up for every command: an earlier command may have moved the repository or changed its settings.
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
    """Return settings for the committer's name, in case the repository has none."""
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


_ELSEWHERE = regex(r"[^/]*:")
"""The beginning of an address that is not a path: ``https:``, ``ext::``, ``host:``."""


def local_repository(remote: str, settings: Sequence[Setting], top: Path) -> Folders | None:
    """Return the folders of a remote's repository if it is on this machine; otherwise None."""
    addresses = _addresses(remote, settings)
    folders = [folder for address in addresses if (folder := _folder(address, top)) is not None]
    if not folders:
        return None
    if len(addresses) > 1:
        message = f"The remote {remote!r} has several addresses, one of them a folder; push to one at a time."
        raise ActionError(Reason.COMMAND_REFUSED, message)
    # The locations that git tries, in its order.
    for place in (folders[0] / ".git", folders[0], folders[0].with_name(f"{folders[0].name}.git")):
        if (place / "HEAD").is_file() and (place / "objects").is_dir():
            return Folders(place.resolve(), place.resolve())
        if place.name == ".git" and place.is_file():
            return folders_of(place.parent)
    raise ActionError(Reason.NOT_FOUND, f"The remote {remote!r} is a folder that holds no repository.")


def has_hooks(common: Path, settings: Sequence[Setting]) -> bool:
    """Return whether a push to a repository would start hooks."""
    if any(each.name == "core.hookspath" for each in settings):
        return True
    try:
        with os.scandir(common / "hooks") as entries:
            return any(
                entry.is_file() and os.access(entry, os.X_OK)
                for entry in entries
                if not entry.name.endswith(".sample")
            )
    except FileNotFoundError:
        return False
    except OSError:
        return True


def _addresses(remote: str, settings: Sequence[Setting]) -> list[str]:
    """Return the addresses that a push to a remote goes to."""
    for key in ("pushurl", "url"):
        if found := [each.value or "" for each in settings if each.name == f"remote.{remote}.{key}"]:
            return found
    return []


def _folder(address: str, top: Path) -> Path | None:
    if address.startswith("file:"):
        return Path(unquote(urlsplit(address).path))
    return None if _ELSEWHERE.match(address) else top / address


LONGEST_NAME = 200
"""The maximum length of a branch name, in bytes; a reference is a file, whose name may have at most 255."""

_SECONDS = 20.0
"""The timeout of a command on references only, in seconds; a longer one hangs."""

Done = subprocess.CompletedProcess[str]


class References:
    """The references of one repository on this machine."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self._home: TemporaryFolder | None = None
        self._listings = Listings(self._listing)

    def why_not(self) -> str | None:
        """Return why the repository can't be used; empty if there is none; None if it can be used."""
        if not has_repository(self.path):
            return ""
        done = self._git("rev-parse", "--git-dir")
        return last_line(done.stderr) if done.returncode else None

    def does(self, *arguments: str) -> bool:
        """Return whether a read-only subcommand succeeds."""
        return self._git(*arguments).returncode == 0

    def commit(self, reference: str) -> str | None:
        """Return the full hash of a reference's commit; None if there is no such reference."""
        done = self._git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{reference}^{{commit}}")
        return done.stdout.strip() if done.returncode == 0 else None

    def branches(self, most: int) -> list[str]:
        """Return the names of the first branches, at most ``most``."""
        return self._git(
            "for-each-ref", f"--count={most}", "--format=%(refname:short)", "refs/heads"
        ).stdout.split()

    def create(self, reference: str, commit: str) -> str:
        """Create a reference; an existing one is never moved."""
        # The empty text means "only if there is no such reference".
        done = self._git("update-ref", "--end-of-options", reference, commit, "")
        return last_line(done.stderr) if done.returncode else ""

    def _git(self, *arguments: str) -> Done:
        if self._home is None:
            self._home = TemporaryFolder("git")
        repository = opened(self.path, self._listings, self._home.path)
        return self._run([*repository.words, *arguments], repository.environment)

    def _listing(self, words: Sequence[str], environment: Mapping[str, str]) -> str:
        done = self._run(words, environment)
        if done.returncode:
            message = f"The repository's configuration can't be read: {last_line(done.stderr)}"
            raise ActionError(Reason.COMMAND_FAILED, message)
        return done.stdout

    def _run(self, words: Sequence[str], environment: Mapping[str, str]) -> Done:
        program = shutil.which("git")
        if program is None:
            raise ActionError(Reason.UNAVAILABLE, "There is no git on this machine; go on without a branch.")
        try:
            return subprocess.run(  # noqa: S603 - no shell, and text from a model only occurs in references
                words,
                executable=program,
                cwd=self.path,
                env={**GIT_ENVIRONMENT, "PATH": os.environ.get("PATH", os.defpath), **environment},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                encoding="utf-8",
                errors="replace",
                timeout=_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            message = f"Git did not answer within {_SECONDS:g} s; try again later."
            raise ActionError(Reason.TIMEOUT, message) from error
        except OSError as error:
            message = f"Git could not be run: {error.strerror}; go on without a branch."
            raise ActionError(Reason.UNAVAILABLE, message) from error


def is_branch_name(name: str, does: Callable[..., bool]) -> bool:
    """Return whether git accepts a name as a branch name, and with no other meaning."""
    is_plain = name.isprintable() and len(name.encode()) <= LONGEST_NAME
    is_name = is_plain and not name.startswith("-") and name not in {"HEAD", "@"}
    # The option --branch would expand @{-1} to another name.
    return is_name and does("check-ref-format", f"refs/heads/{name}")


def last_line(text: str) -> str:
    """Return the last line of git's output, for a sentence."""
    lines = text.strip().splitlines()
    return lines[-1][:200] if lines else "it said nothing"
