"""The coder's actions: the document's five, then what it wished for."""

from actionledger.actions.catalogue import Catalogue
from actionledger.profiles.coder.actions.base import CoderAction
from actionledger.profiles.coder.actions.commands import ExecuteCommand
from actionledger.profiles.coder.actions.files import (
    CreateDirectory,
    CreateFile,
    DeleteFile,
    EditFile,
    ModifyFile,
    MoveFile,
    ReadFile,
    ReplaceInFile,
    SearchReplace,
)
from actionledger.profiles.coder.actions.git import GitBranch, GitCommit, GitDiff, GitPush, GitStatus

CATALOGUE = Catalogue(
    name="coder",
    discriminator="type",
    references=True,
    actions=(
        CreateFile,
        ExecuteCommand,
        CreateDirectory,
        ModifyFile,
        ReadFile,
        EditFile,
        SearchReplace,
        ReplaceInFile,
        DeleteFile,
        MoveFile,
        GitStatus,
        GitDiff,
        GitCommit,
        GitBranch,
        GitPush,
    ),
)

__all__ = [
    "CATALOGUE",
    "CoderAction",
    "CreateDirectory",
    "CreateFile",
    "DeleteFile",
    "EditFile",
    "ExecuteCommand",
    "GitBranch",
    "GitCommit",
    "GitDiff",
    "GitPush",
    "GitStatus",
    "ModifyFile",
    "MoveFile",
    "ReadFile",
    "ReplaceInFile",
    "SearchReplace",
]
