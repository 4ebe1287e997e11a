"""Running programs in a workspace: no shell, shut in where the machine can do that, ended in time, its changes noted."""

from actionledger.commands.binding import bound
from actionledger.commands.capture import OnOutput
from actionledger.commands.commands import Commands, Finished
from actionledger.commands.git import Git, git_words
from actionledger.commands.git_folders import GIT_ENVIRONMENT, folders_of, settings_of, stand_in
from actionledger.commands.running import Ran
from actionledger.commands.settings import CommandSettings, Means
from actionledger.commands.walls import Wall
from actionledger.commands.words import words_of

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
