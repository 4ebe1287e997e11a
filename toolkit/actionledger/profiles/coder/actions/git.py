"""The coder's actions on the git repository that its workspace is."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from actionledger.actions.catalogue import Arguments
from actionledger.profiles.coder.actions.base import CoderAction, Paths

Branch = Annotated[str, Field(min_length=1, max_length=200)]


class GitStatus(CoderAction):
    """Say which branch the repository is on, and which files have changed."""

    group: ClassVar[str] = "Git"
    example: ClassVar[Arguments] = {}
    type: Literal["git_status"]


class GitDiff(CoderAction):
    """Show what has changed since the last commit."""

    group: ClassVar[str] = "Git"
    example: ClassVar[Arguments] = {"path": "src/greet.py"}
    type: Literal["git_diff"]
    path: str = Field(default="", description="Only this file or directory.")
    staged: bool = Field(default=False, description="Whether to show what the next commit would hold.")


class GitCommit(CoderAction):
    """Commit what has changed; no hooks and no filters are run."""

    group: ClassVar[str] = "Git"
    example: ClassVar[Arguments] = {"message": "Greet in the morning"}
    type: Literal["git_commit"]
    message: str = Field(min_length=1, max_length=10_000, description="What the commit says.")
    paths: Paths = Field(
        default=[], description="Only these files and directories; all that has changed if empty."
    )


class GitBranch(CoderAction):
    """Switch to a branch; it is made where there is none of that name."""

    group: ClassVar[str] = "Git"
    example: ClassVar[Arguments] = {"name": "feature/greeting"}
    type: Literal["git_branch"]
    name: Branch = Field(description="The branch.")
    base: str = Field(default="", max_length=200, description="Where a new one starts; here if empty.")


class GitPush(CoderAction):
    """Push a branch to a remote; no hooks are run, and most sessions don't allow it."""

    group: ClassVar[str] = "Git"
    example: ClassVar[Arguments] = {"remote": "origin", "branch": "feature/greeting"}
    type: Literal["git_push"]
    remote: str = Field(default="origin", min_length=1, max_length=200, description="The remote's name.")
    branch: Branch = Field(description="The branch.")
