"""Running programs in a workspace: no shell, shut in where the machine can do that, ended in time, its changes noted."""

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
"""Where each name is; it is loaded when somebody asks for it: to take a line apart needs nothing that runs one."""

__all__ = [*_MODULES]  # noqa: PLE0604 - the table has them


if not TYPE_CHECKING:  # else a name that doesn't exist would pass for Any
    __getattr__ = lazy_getattr(__name__, _MODULES)
