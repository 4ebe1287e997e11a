"""The assistant's 25 actions."""

from typing import ClassVar, Literal

from pydantic import Field

from actionledger.actions.catalogue import Arguments, Catalogue
from actionledger.profiles.assistant.actions.tasks import (
    AssistantAction,
    CreateGoal,
    CreateMemory,
    CreateTask,
    DatavaultDelete,
    DatavaultGet,
    DatavaultList,
    DatavaultSearch,
    DatavaultStore,
    DatavaultUpdate,
    DeleteGoal,
    DeleteMemory,
    DeleteTask,
    GetGoal,
    GetMemory,
    GetTask,
    ListGoals,
    ListMemories,
    ListTasks,
    SearchGoals,
    SearchMemories,
    SearchTasks,
    UpdateGoal,
    UpdateMemory,
    UpdateTask,
)

__all__ = [
    "CATALOGUE",
    "AssistantAction",
    "CreateGoal",
    "CreateMemory",
    "CreateTask",
    "DatavaultDelete",
    "DatavaultGet",
    "DatavaultList",
    "DatavaultSearch",
    "DatavaultStore",
    "DatavaultUpdate",
    "DeleteGoal",
    "DeleteMemory",
    "DeleteTask",
    "ExecuteCode",
    "GetGoal",
    "GetMemory",
    "GetTask",
    "ListGoals",
    "ListMemories",
    "ListTasks",
    "SearchGoals",
    "SearchMemories",
    "SearchTasks",
    "UpdateGoal",
    "UpdateMemory",
    "UpdateTask",
]


class ExecuteCode(AssistantAction):
    """Run Python code that reaches tasks, memories, goals and the datavault through the object gb."""

    group: ClassVar[str] = "Code"
    example: ClassVar[Arguments] = {
        "code": "for task in gb.list_tasks(status='paused')['tasks']:\n    print(task['content'])"
    }
    type: Literal["execute_code"]
    code: str = Field(min_length=1, description="The Python code.")


CATALOGUE = Catalogue(
    name="assistant",
    discriminator="type",
    references=True,
    actions=(
        CreateTask,
        UpdateTask,
        DeleteTask,
        GetTask,
        ListTasks,
        SearchTasks,
        CreateMemory,
        UpdateMemory,
        DeleteMemory,
        GetMemory,
        ListMemories,
        SearchMemories,
        CreateGoal,
        UpdateGoal,
        DeleteGoal,
        GetGoal,
        ListGoals,
        SearchGoals,
        DatavaultStore,
        DatavaultGet,
        DatavaultUpdate,
        DatavaultDelete,
        DatavaultList,
        DatavaultSearch,
        ExecuteCode,
    ),
)
