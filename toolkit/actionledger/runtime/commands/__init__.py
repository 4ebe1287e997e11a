"""Running programs in a workspace: no shell, shut in where the machine can do that, ended in time, its changes noted."""

from actionledger.runtime.commands.commands import Commands, Finished
from actionledger.runtime.commands.git import LONGEST_NAME, Git, References, is_branch_name
from actionledger.runtime.commands.git_folders import GIT_ENVIRONMENT, has_repository
from actionledger.runtime.commands.process import OnOutput, Ran, Wall
from actionledger.runtime.commands.reach import CommandSettings, Means, bound
from actionledger.runtime.commands.words import words_of

__all__ = [
    "GIT_ENVIRONMENT",
    "LONGEST_NAME",
    "CommandSettings",
    "Commands",
    "Finished",
    "Git",
    "Means",
    "OnOutput",
    "Ran",
    "References",
    "Wall",
    "bound",
    "has_repository",
    "is_branch_name",
    "words_of",
]
