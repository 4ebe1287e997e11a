"""Branches in a git repository, by git's own commands: no shell, no hooks, and nothing that the repository's configuration names."""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from actionledger.commands import GIT_ENVIRONMENT, folders_of, git_words, settings_of, stand_in
from actionledger.errors import ActionError
from actionledger.temporary import TemporaryFolder
from actionledger.vocabulary import Reason

_SECONDS = 20.0
"""A command on references alone that takes longer waits for something that won't come."""

_LONGEST_NAME = 200
"""In bytes; a reference is a file, and file systems take no more than 255 for a part of its path."""

_SHOWN_BRANCHES = 20


class Branch(NamedTuple):
    """A branch that is there.

    Args:
        name: its name.
        commit: the full hash of what it points at.
        base: the name of the branch that it starts from.
        is_new: whether it wasn't there before.
    """

    name: str
    commit: str
    base: str
    is_new: bool


class Repository:
    """One repository on this machine.

    Args:
        path: its top folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self._home: TemporaryFolder | None = None

    def planned(self, name: str, base: str) -> Branch:
        """Return the branch that ``create`` would leave, and change nothing.

        Args:
            name: the branch's name.
            base: the branch that it starts from, here or a remote's (``origin/main``).

        Raises:
            ActionError: a name is none, the base doesn't exist, the branch exists at another commit, or there is no
                repository, or no git.
        """
        self._check_repository()
        self._check_name(name)
        self._check_name(base)
        commit = self._commit(f"refs/heads/{base}") or self._commit(f"refs/remotes/{base}")
        if commit is None:
            message = f"There is no branch {base!r} to start from. Branches: {self._branches()}."
            raise ActionError(Reason.NOT_FOUND, message)
        existing = self._commit(f"refs/heads/{name}")
        if existing not in {None, commit}:
            message = (
                f"The branch {name!r} exists already, at another commit than {base!r}; take another name, "
                f"or leave it as it is."
            )
            raise ActionError(Reason.ALREADY_EXISTS, message)
        return Branch(name, commit, base, existing is None)

    def create(self, name: str, base: str) -> Branch:
        """Create a branch; one that is there at the same commit is left as it is.

        Args:
            name: its name.
            base: the branch that it starts from.

        Raises:
            ActionError: as for ``planned``; or git refuses, as where a branch is called as a folder of the new one.
        """
        branch = self.planned(name, base)
        if branch.is_new:
            # The empty text stands for "only if there is no such branch": nobody's branch is ever moved.
            done = self._git("update-ref", "--end-of-options", f"refs/heads/{name}", branch.commit, "")
            if done.returncode:
                raise ActionError(
                    Reason.ALREADY_EXISTS, f"Git did not create {name!r}: {_last_line(done.stderr)}"
                )
        return branch

    def _check_repository(self) -> None:
        why = ""
        if has_repository(self.path):
            done = self._git("rev-parse", "--git-dir")
            if done.returncode == 0:
                return
            why = f" ({_last_line(done.stderr)})"
        message = f"There is no git repository for this session{why}; go on without a branch, and say so."
        raise ActionError(Reason.NOT_FOUND, message)

    def _check_name(self, name: str) -> None:
        """Refuse what git would not take for a branch's name, or would take for something else."""
        is_plain = name.isprintable() and len(name.encode()) <= _LONGEST_NAME
        is_name = is_plain and not name.startswith("-") and name not in {"HEAD", "@"}
        # The form with --branch would expand @{-1} to another name.
        if not is_name or self._git("check-ref-format", f"refs/heads/{name}").returncode:
            message = f"{name[:_LONGEST_NAME]!r} is no name of a branch; write it like 'feature/jwt-auth'."
            raise ActionError(Reason.BAD_FORMAT, message)

    def _commit(self, reference: str) -> str | None:
        done = self._git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{reference}^{{commit}}")
        return done.stdout.strip() if done.returncode == 0 else None

    def _branches(self) -> str:
        shown = self._git(
            "for-each-ref", f"--count={_SHOWN_BRANCHES}", "--format=%(refname:short)", "refs/heads"
        )
        return ", ".join(shown.stdout.split()) or "none, for there is no commit yet"

    def _git(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Run git with a configuration of ours: nothing of the repository's own is started."""
        folders = folders_of(self.path)
        if self._home is None:
            self._home = TemporaryFolder("git")
        common = stand_in(folders.common, settings_of(folders, self._listing), self._home.path)
        return self._run([*git_words(self.path, folders.own), *arguments], {"GIT_COMMON_DIR": str(common)})

    def _listing(self, words: Sequence[str], environment: Mapping[str, str]) -> str:
        done = self._run(words, environment)
        if done.returncode:
            message = f"The repository's configuration can't be read: {_last_line(done.stderr)}"
            raise ActionError(Reason.COMMAND_FAILED, message)
        return done.stdout

    def _run(
        self, words: Sequence[str], environment: Mapping[str, str]
    ) -> "subprocess.CompletedProcess[str]":
        program = shutil.which("git")
        if program is None:
            raise ActionError(Reason.UNAVAILABLE, "There is no git on this machine; go on without a branch.")
        try:
            return subprocess.run(  # noqa: S603 - no shell, and what a model wrote stands in references alone
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


def has_repository(folder: Path) -> bool:
    """Return whether a folder is the top of a git repository."""
    return (folder / ".git").exists()


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1][:200] if lines else "it said nothing"
