"""Run programs in a workspace: without a shell, sandboxed if the machine can, with a timeout, and with changes recorded for undo."""

from typing import TYPE_CHECKING

from actionledger.core.hooks import lazy_getattr

if TYPE_CHECKING:
    from actionledger.runtime.commands.commands import Commands as Commands, Finished as Finished
    from actionledger.runtime.commands.git import (
        LONGEST_NAME as LONGEST_NAME,
        Git as Git,
        References as References,
        is_branch_name as is_branch_name,
    )
    from actionledger.runtime.commands.git_folders import (
        GIT_ENVIRONMENT as GIT_ENVIRONMENT,
        has_repository as has_repository,
    )
    from actionledger.runtime.commands.process import OnOutput as OnOutput, Ran as Ran, Wall as Wall
    from actionledger.runtime.commands.reach import (
        CommandSettings as CommandSettings,
        Means as Means,
        bound as bound,
    )
    from actionledger.runtime.commands.words import words_of as words_of

_MODULES = {
    "CommandSettings": "reach",
    "Commands": "commands",
    "Finished": "commands",
    "GIT_ENVIRONMENT": "git_folders",
    "Git": "git",
    "LONGEST_NAME": "git",
    "Means": "reach",
    "OnOutput": "process",
    "Ran": "process",
    "References": "git",
    "Wall": "process",
    "bound": "reach",
    "has_repository": "git_folders",
    "is_branch_name": "git",
    "words_of": "words",
}
"""The module of each name, imported on first use: splitting a command needs no code that runs one."""

__all__ = [*_MODULES]  # noqa: PLE0604 - the table has them


if not TYPE_CHECKING:  # else a name that doesn't exist would pass for Any
    __getattr__ = lazy_getattr(__name__, _MODULES)
