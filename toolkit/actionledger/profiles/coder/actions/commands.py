"""The coder's actions that run a program."""

from typing import ClassVar, Literal

from pydantic import Field

from actionledger.actions.catalogue import Arguments
from actionledger.profiles.coder.actions.base import CoderAction

LONGEST_COMMAND = 20_000
"""In characters; a longer script belongs into a file."""


class ExecuteCommand(CoderAction):
    """Run one program in the workspace; there is no shell, so one action for each command and no pipes."""

    example: ClassVar[Arguments] = {"command": "python -m pytest -q", "description": "Run the tests"}
    type: Literal["execute_command"]
    command: str = Field(
        min_length=1, max_length=LONGEST_COMMAND, description="The program and its arguments."
    )
    description: str = Field(default="", description="What the command is for.")
