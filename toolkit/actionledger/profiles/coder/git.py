"""Run the coder's actions on the git repository in its workspace."""

import posixpath
from typing import Any

from actionledger.core.errors import ActionError
from actionledger.core.vocabulary import Reason
from actionledger.profiles.coder.actions import GitBranch, GitCommit, GitDiff, GitPush, GitStatus
from actionledger.runtime.commands import LONGEST_NAME, Git, is_branch_name
from actionledger.runtime.execution.handlers import Context, Handler

Result = dict[str, Any]

_LOOKING = ("--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty")
"""Options for differences: by git alone, without changes inside submodules."""

_UNFILTERED = (
    "Stored as they stand, though the repository names a filter for them, which is not run: {names}."
)
_AT_ONCE = 200

_SUBMODULE = "160000 "
"""The beginning of a submodule's entry in the index."""


def git_handlers(git: Git) -> dict[str, Handler]:
    """Return the handlers of the actions on a repository."""
    actions = _GitActions(git)
    return {
        "git_status": actions.status,
        "git_diff": actions.diff,
        "git_commit": actions.commit,
        "git_branch": actions.branch,
        "git_push": actions.push,
    }


def git_previews(git: Git) -> dict[str, Handler]:
    """Return the dry runs of the actions on a repository; read-only actions really run."""
    actions = _GitActions(git)
    return {
        "git_status": actions.status,
        "git_diff": actions.diff,
        "git_commit": actions.to_commit,
        "git_branch": actions.to_switch,
        "git_push": actions.to_push,
    }


class _GitActions:
    def __init__(self, git: Git) -> None:
        self._git = git

    def status(self, _action: GitStatus, context: Context) -> Result:
        return self._status(context)

    def diff(self, action: GitDiff, context: Context) -> Result:
        options = [*_LOOKING, "--no-color", *(["--staged"] if action.staged else [])]
        text = self._git.ask(
            "diff", *options, *_only([action.path] if action.path else []), cancelled=context.cancelled
        )
        return {"diff": text}

    def commit(self, action: GitCommit, context: Context) -> Result:
        self._stage(action.paths or ["."], context)
        if self._git.does("diff", "--cached", "--quiet", *_LOOKING):
            raise ActionError(
                Reason.NO_MATCH, "There is nothing to commit; git_status says what has changed."
            )
        words = ["commit", "--no-verify", "--quiet", f"--message={action.message}"]
        self._git.change(*words, *(_only(action.paths) if action.paths else []), cancelled=context.cancelled)
        shown = self._git.ask("show", "--name-only", "--format=%H", *_LOOKING, "HEAD", whole=True)
        commit, *files = shown.split("\n")
        result: Result = {"commit": commit, "files": [name for name in files if name]}
        unfiltered = self._unfiltered(result["files"])
        return result | ({"notes": [_UNFILTERED.format(names=", ".join(unfiltered))]} if unfiltered else {})

    def _unfiltered(self, files: list[str]) -> list[str]:
        """Return the files with a filter attribute, such as Git LFS's, which this commit does not apply."""
        named: list[str] = []
        for at in range(0, len(files), _AT_ONCE):
            said = self._git.ask("check-attr", "-z", "filter", "--", *files[at : at + _AT_ONCE], whole=True)
            fields = said.split("\0")
            named += [
                path
                for path, value in zip(fields[::3], fields[2::3], strict=False)
                if value not in {"unspecified", "unset"}
            ]
        return named

    def _stage(self, paths: list[str], context: Context) -> None:
        """Stage changes as ``git add --all`` does, without looking into submodules.

        Git would start another git in each, which reads the submodule's configuration.
        """
        listed = self._git.ask("ls-files", "--stage", "-z", *_only(paths), whole=True).split("\0")
        submodules = [entry.partition("\t")[2] for entry in listed if entry.startswith(_SUBMODULE)]
        if submodules:
            words = ("update-index", "--add", "--remove", "--", *submodules)
            self._git.change(*words, cancelled=context.cancelled)
        named = {posixpath.normpath(path): path for path in paths}
        if left := [path for name, path in named.items() if name not in submodules]:
            aside = [f":(exclude,literal){path}" for path in submodules]
            self._git.change("add", "--all", *_only(left), *aside, cancelled=context.cancelled)

    def to_commit(self, action: GitCommit, context: Context) -> Result:
        return {"would_commit": action.message, "paths": action.paths, **self._status(context)}

    def branch(self, action: GitBranch, context: Context) -> Result:
        is_new = self._is_new(action)
        words = (
            ["--create", action.name, *([action.base] if action.base else [])] if is_new else [action.name]
        )
        self._git.change("switch", "--quiet", "--no-guess", *words, cancelled=context.cancelled)
        return {"branch": action.name, "created": is_new}

    def to_switch(self, action: GitBranch, _context: Context) -> Result:
        return {"would_switch_to": action.name, "would_create": self._is_new(action)}

    def push(self, action: GitPush, context: Context) -> Result:
        self._check_push(action)
        reference = f"refs/heads/{action.branch}"
        self._git.push(action.remote, reference, context.cancelled)
        return {"remote": action.remote, "branch": action.branch}

    def to_push(self, action: GitPush, _context: Context) -> Result:
        self._check_push(action)
        return {"would_push": action.branch, "remote": action.remote}

    def _status(self, context: Context) -> Result:
        fields = self._git.ask(
            "status",
            "--porcelain=v1",
            "--branch",
            "--untracked-files=all",
            "--no-renames",
            "--ignore-submodules=dirty",
            "-z",
            cancelled=context.cancelled,
            whole=True,
        ).split("\0")
        changed = [{"path": entry[3:], "state": entry[:2].strip()} for entry in fields[1:] if entry]
        return {"branch": fields[0].removeprefix("## ").removeprefix("No commits yet on "), "files": changed}

    def _is_new(self, action: GitBranch) -> bool:
        """Return whether a branch doesn't exist yet."""
        text = action.base
        if text.startswith("-"):
            raise ActionError(Reason.BAD_FORMAT, f"{text!r} is not a branch, tag or commit.")
        if not is_branch_name(action.name, self._git.does):
            message = (
                f"{action.name[:LONGEST_NAME]!r} is not a name of a branch; write it like 'feature/greeting'."
            )
            raise ActionError(Reason.BAD_FORMAT, message)
        return not self._git.does("show-ref", "--verify", "--quiet", f"refs/heads/{action.name}")

    def _check_push(self, action: GitPush) -> None:
        remotes = self._git.ask("remote").split()
        if action.remote not in remotes:
            known = ", ".join(remotes) or "none"
            raise ActionError(Reason.NOT_FOUND, f"There is no remote {action.remote!r}. Remotes: {known}.")
        if not self._git.does("show-ref", "--verify", "--quiet", f"refs/heads/{action.branch}"):
            raise ActionError(Reason.NOT_FOUND, f"There is no branch {action.branch!r} to push.")


def _only(paths: list[str]) -> list[str]:
    """Return paths as arguments that git takes literally and only as paths."""
    return ["--", *(f":(literal){path}" for path in paths)]
