"""Branches of a session's repository: what a branch starts from, and when it is refused."""

from pathlib import Path
from typing import NamedTuple

from actionledger.core.errors import ActionError
from actionledger.core.vocabulary import Reason
from actionledger.runtime.commands import LONGEST_NAME, References, is_branch_name

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
        self._references = References(path)

    def planned(self, name: str, base: str) -> Branch:
        """Return the branch that ``create`` would leave, and change nothing."""
        self._check_repository()
        self._check_name(name)
        self._check_name(base)
        commit = self._references.commit(f"refs/heads/{base}") or self._references.commit(
            f"refs/remotes/{base}"
        )
        if commit is None:
            known = (
                ", ".join(self._references.branches(_SHOWN_BRANCHES)) or "none, for there is no commit yet"
            )
            message = f"There is no branch {base!r} to start from. Branches: {known}."
            raise ActionError(Reason.NOT_FOUND, message)
        existing = self._references.commit(f"refs/heads/{name}")
        if existing not in {None, commit}:
            message = (
                f"The branch {name!r} exists already, at another commit than {base!r}; take another name, "
                f"or leave it as it is."
            )
            raise ActionError(Reason.ALREADY_EXISTS, message)
        return Branch(name, commit, base, existing is None)

    def create(self, name: str, base: str) -> Branch:
        """Create a branch; one that is there at the same commit is left as it is."""
        branch = self.planned(name, base)
        if branch.is_new:
            complaint = self._references.create(f"refs/heads/{name}", branch.commit)
            if complaint:
                raise ActionError(Reason.ALREADY_EXISTS, f"Git did not create {name!r}: {complaint}")
        return branch

    def _check_repository(self) -> None:
        why = self._references.why_not()
        if why is not None:
            message = f"There is no git repository for this session{f' ({why})' if why else ''}; go on without a branch, and say so."
            raise ActionError(Reason.NOT_FOUND, message)

    def _check_name(self, name: str) -> None:
        if not is_branch_name(name, self._references.does):
            message = f"{name[:LONGEST_NAME]!r} is no name of a branch; write it like 'feature/jwt-auth'."
            raise ActionError(Reason.BAD_FORMAT, message)
