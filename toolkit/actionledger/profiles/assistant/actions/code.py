"""The assistant's action that runs Python.

The code isn't searched for forbidden words: such a list is easily got round. The sandbox confines it.
"""

from typing import ClassVar, Literal

from pydantic import Field

from actionledger.actions.catalogue import Arguments
from actionledger.profiles.assistant.actions.base import AssistantAction


class ExecuteCode(AssistantAction):
    """Run Python code that reaches tasks, memories, goals and the datavault through the object gb."""

    group: ClassVar[str] = "Code"
    example: ClassVar[Arguments] = {
        "code": "for task in gb.list_tasks(status='paused')['tasks']:\n    print(task['content'])"
    }
    type: Literal["execute_code"]
    code: str = Field(min_length=1, description="The Python code.")
