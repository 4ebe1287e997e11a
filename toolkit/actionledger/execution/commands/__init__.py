"""Running programs in a workspace: no shell, shut in where the machine can do that, ended in time, its changes noted."""

from actionledger.execution.commands.binding import bound
from actionledger.execution.commands.capture import OnOutput
from actionledger.execution.commands.commands import Commands, Finished
from actionledger.execution.commands.git import Git, git_words
from actionledger.execution.commands.git_folders import GIT_ENVIRONMENT, folders_of, settings_of, stand_in
from actionledger.execution.commands.running import Ran
from actionledger.execution.commands.settings import CommandSettings, Means
from actionledger.execution.commands.walls import Wall
from actionledger.execution.commands.words import words_of

__all__ = [
    "GIT_ENVIRONMENT",
    "CommandSettings",
    "Commands",
    "Finished",
    "Git",
    "Means",
    "OnOutput",
    "Ran",
    "Wall",
    "bound",
    "folders_of",
    "git_words",
    "settings_of",
    "stand_in",
    "words_of",
]
