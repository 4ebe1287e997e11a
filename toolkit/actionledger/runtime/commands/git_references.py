"""Git on the references of a repository that is no workspace: nothing is checked out, and nothing of the repository's own is started."""

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from actionledger.core.errors import ActionError
from actionledger.core.temporary import TemporaryFolder
from actionledger.core.vocabulary import Reason
from actionledger.runtime.commands.git_folders import GIT_ENVIRONMENT, Listings, has_repository, opened

LONGEST_NAME = 200
"""Of a branch, in bytes; a reference is a file, and file systems take no more than 255 for a part of its path."""

_SECONDS = 20.0
"""A command on references alone that takes longer waits for something that won't come."""

Done = subprocess.CompletedProcess[str]


class References:
    """The references of one repository on this machine.

    Args:
        path: its top folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self._home: TemporaryFolder | None = None
        self._listings = Listings(self._listing)

    def why_not(self) -> str | None:
        """Return why there is no repository to work with, empty where there is simply none; None where there is one."""
        if not has_repository(self.path):
            return ""
        done = self._git("rev-parse", "--git-dir")
        return last_line(done.stderr) if done.returncode else None

    def does(self, *arguments: str) -> bool:
        """Return whether a subcommand that changes nothing succeeds."""
        return self._git(*arguments).returncode == 0

    def commit(self, reference: str) -> str | None:
        """Return the full hash of the commit that a reference points at; None where there is no such reference."""
        done = self._git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{reference}^{{commit}}")
        return done.stdout.strip() if done.returncode == 0 else None

    def branches(self, most: int) -> list[str]:
        """Return the names of the first branches, so many at most."""
        return self._git(
            "for-each-ref", f"--count={most}", "--format=%(refname:short)", "refs/heads"
        ).stdout.split()

    def create(self, reference: str, commit: str) -> str:
        """Create a reference where there is none; nobody's is ever moved."""
        # The empty text stands for "only if there is no such reference".
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


def is_branch_name(name: str, does: Callable[..., bool]) -> bool:
    """Return whether git takes a name for a branch's, and for nothing else."""
    is_plain = name.isprintable() and len(name.encode()) <= LONGEST_NAME
    is_name = is_plain and not name.startswith("-") and name not in {"HEAD", "@"}
    # The form with --branch would expand @{-1} to another name.
    return is_name and does("check-ref-format", f"refs/heads/{name}")


def last_line(text: str) -> str:
    """Return the last line of what git said, for a sentence."""
    lines = text.strip().splitlines()
    return lines[-1][:200] if lines else "it said nothing"
