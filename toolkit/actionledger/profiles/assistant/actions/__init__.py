"""The assistant's 25 actions."""

from actionledger.actions.catalogue import Catalogue
from actionledger.profiles.assistant.actions.base import AssistantAction
from actionledger.profiles.assistant.actions.code import ExecuteCode
from actionledger.profiles.assistant.actions.datavault import (
    DatavaultDelete,
    DatavaultGet,
    DatavaultList,
    DatavaultSearch,
    DatavaultStore,
    DatavaultUpdate,
)
from actionledger.profiles.assistant.actions.goals import (
    CreateGoal,
    DeleteGoal,
    GetGoal,
    ListGoals,
    SearchGoals,
    UpdateGoal,
)
from actionledger.profiles.assistant.actions.memories import (
    CreateMemory,
    DeleteMemory,
    GetMemory,
    ListMemories,
    SearchMemories,
    UpdateMemory,
)
from actionledger.profiles.assistant.actions.tasks import (
    CreateTask,
    DeleteTask,
    GetTask,
    ListTasks,
    SearchTasks,
    UpdateTask,
)

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
