"""Running programs in a workspace: no shell, shut in where the machine can do that, ended in time, its changes noted."""

from actionledger.execution.commands.capture import OnOutput
from actionledger.execution.commands.commands import Commands, Finished, landlock_version
from actionledger.execution.commands.git import GIT_ENVIRONMENT, Git, git_words
from actionledger.execution.commands.running import Ran
from actionledger.execution.commands.settings import CommandSettings
from actionledger.execution.commands.words import words_of

__all__ = [
    "GIT_ENVIRONMENT",
    "CommandSettings",
    "Commands",
    "Finished",
    "Git",
    "OnOutput",
    "Ran",
    "git_words",
    "landlock_version",
    "words_of",
]
