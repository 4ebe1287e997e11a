"""The assistant's 25 actions: tasks, memories, goals, the datavault and code."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from actionledger.actions.catalogue import Action, Catalogue

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

# The assistant's actions on tasks.
Status: TypeAlias = Literal["pending", "ongoing", "paused", "completed"]

Limit = Annotated[int, Field(ge=1, le=1000, description="How many results to return at most.")]
Query = Annotated[str, Field(min_length=1, description="The text to look for.")]


class AssistantAction(Action):
    """An action that other actions of the same response may wait for."""

    id: str | None = Field(
        default=None, min_length=1, description="A name for this action that others can refer to."
    )
    depends_on: list[str] = Field(
        default_factory=list,  # a default list would be copied deeply for each action, which takes as long as checking it
        description="The ids of the actions that must succeed before this one.",
        json_schema_extra={"default": []},
    )


TaskId = Annotated[int, Field(gt=0, description="The task's number.")]


class TaskAction(AssistantAction):
    """An action on tasks."""

    group = "Tasks"


class CreateTask(TaskAction):
    """Create a task."""

    example = {
        "content": "Book a room for the workshop",
        "notes": "Twelve people, with a projector",
        "status": "pending",
    }
    type: Literal["create_task"]
    content: str = Field(min_length=1, description="What is to be done.")
    notes: str | None = Field(default="", description="Whatever else is worth keeping with it.")
    status: Status = Field(default="pending", description="How far the task is.")


class UpdateTask(TaskAction):
    """Change a task; what isn't given stays as it is."""

    example = {"task_id": 1, "status": "completed"}
    type: Literal["update_task"]
    task_id: TaskId
    content: str | None = Field(default=None, min_length=1, description="What is to be done from now on.")
    notes: str | None = Field(default=None, description="The notes from now on.")
    status: Status | None = Field(default=None, description="How far the task is by now.")


class DeleteTask(TaskAction):
    """Delete a task."""

    example = {"task_id": 1}
    type: Literal["delete_task"]
    task_id: TaskId


class GetTask(TaskAction):
    """Show a task."""

    example = {"task_id": 1}
    type: Literal["get_task"]
    task_id: TaskId


class ListTasks(TaskAction):
    """List tasks, of one status or of all."""

    example = {"status": "pending", "limit": 10}
    type: Literal["list_tasks"]
    status: Status | None = Field(default=None, description="List only tasks of this status.")
    limit: Limit = 50


class SearchTasks(TaskAction):
    """Find tasks by a text in their content or notes."""

    example = {"query": "workshop"}
    type: Literal["search_tasks"]
    query: Query
    limit: Limit = 20


MemoryId = Annotated[int, Field(gt=0, description="The memory's number.")]


class MemoryAction(AssistantAction):
    """An action on memories."""

    group = "Memories"


class CreateMemory(MemoryAction):
    """Remember something about the user or the work."""

    example = {
        "content": "The user works in Lisbon time",
        "notes": "Said so when we planned a call",
    }
    type: Literal["create_memory"]
    content: str = Field(min_length=1, description="What to remember.")
    notes: str | None = Field(default="", description="Whatever else is worth keeping with it.")


class UpdateMemory(MemoryAction):
    """Change a memory; what isn't given stays as it is."""

    example = {"memory_id": 1, "notes": "Confirmed."}
    type: Literal["update_memory"]
    memory_id: MemoryId
    content: str | None = Field(default=None, min_length=1, description="What to remember from now on.")
    notes: str | None = Field(default=None, description="The notes from now on.")


class DeleteMemory(MemoryAction):
    """Forget a memory."""

    example = {"memory_id": 1}
    type: Literal["delete_memory"]
    memory_id: MemoryId


class GetMemory(MemoryAction):
    """Show a memory."""

    example = {"memory_id": 1}
    type: Literal["get_memory"]
    memory_id: MemoryId


class ListMemories(MemoryAction):
    """List memories."""

    example = {"limit": 10}
    type: Literal["list_memories"]
    limit: Limit = 50


class SearchMemories(MemoryAction):
    """Find memories by a text in their content or notes."""

    example = {"query": "Lisbon"}
    type: Literal["search_memories"]
    query: Query
    limit: Limit = 20


GoalId = Annotated[int, Field(gt=0, description="The goal's number.")]


class GoalAction(AssistantAction):
    """An action on goals."""

    group = "Goals"


class CreateGoal(GoalAction):
    """Create a goal."""

    example = {
        "content": "Read one book a month",
        "notes": "Novels count",
        "status": "pending",
    }
    type: Literal["create_goal"]
    content: str = Field(min_length=1, description="What is to be reached.")
    notes: str | None = Field(default="", description="Whatever else is worth keeping with it.")
    status: Status = Field(default="pending", description="How far the goal is.")


class UpdateGoal(GoalAction):
    """Change a goal; what isn't given stays as it is."""

    example = {"goal_id": 1, "status": "completed"}
    type: Literal["update_goal"]
    goal_id: GoalId
    content: str | None = Field(default=None, min_length=1, description="What is to be reached from now on.")
    notes: str | None = Field(default=None, description="The notes from now on.")
    status: Status | None = Field(default=None, description="How far the goal is by now.")


class DeleteGoal(GoalAction):
    """Delete a goal."""

    example = {"goal_id": 1}
    type: Literal["delete_goal"]
    goal_id: GoalId


class GetGoal(GoalAction):
    """Show a goal."""

    example = {"goal_id": 1}
    type: Literal["get_goal"]
    goal_id: GoalId


class ListGoals(GoalAction):
    """List goals, of one status or of all."""

    example = {"status": "pending", "limit": 10}
    type: Literal["list_goals"]
    status: Status | None = Field(default=None, description="List only goals of this status.")
    limit: Limit = 50


class SearchGoals(GoalAction):
    """Find goals by a text in their content or notes."""

    example = {"query": "book"}
    type: Literal["search_goals"]
    query: Query
    limit: Limit = 20


ItemId = Annotated[int, Field(gt=0, description="The item's number.")]


class DatavaultAction(AssistantAction):
    """An action on the datavault."""

    group = "Datavault"


class DatavaultStore(DatavaultAction):
    """Store a text in the datavault."""

    example = {
        "content": '{"rows": 812}',
        "filetype": "json",
        "notes": "What the import of March brought",
    }
    type: Literal["datavault_store"]
    content: str = Field(min_length=1, description="The text to store.")
    filetype: str = Field(
        default="text", min_length=1, description="What kind of text it is: text, json, py, …"
    )
    notes: str | None = Field(default="", description="What it is for.")


class DatavaultGet(DatavaultAction):
    """Show an item of the datavault."""

    example = {"item_id": 1}
    type: Literal["datavault_get"]
    item_id: ItemId


class DatavaultUpdate(DatavaultAction):
    """Change an item of the datavault; what isn't given stays as it is."""

    example = {"item_id": 1, "content": '{"rows": 815}'}
    type: Literal["datavault_update"]
    item_id: ItemId
    content: str | None = Field(default=None, min_length=1, description="The text from now on.")
    filetype: str | None = Field(
        default=None, min_length=1, description="What kind of text it is from now on."
    )
    notes: str | None = Field(default=None, description="What it is for from now on.")


class DatavaultDelete(DatavaultAction):
    """Delete an item of the datavault."""

    example = {"item_id": 1}
    type: Literal["datavault_delete"]
    item_id: ItemId


class DatavaultList(DatavaultAction):
    """List the datavault's items, of one file type or of all."""

    example = {"filetype": "json", "limit": 10}
    type: Literal["datavault_list"]
    filetype: str | None = Field(default=None, min_length=1, description="List only items of this file type.")
    limit: Limit = 50


class DatavaultSearch(DatavaultAction):
    """Find items of the datavault by a text in their content or notes."""

    example = {"query": "import"}
    type: Literal["datavault_search"]
    query: Query
    limit: Limit = 20


class ExecuteCode(AssistantAction):
    """Run Python code that reaches tasks, memories, goals and the datavault through the object gb.

    gb has a method for each action on them, with its fields as arguments: gb.create_task(content, notes, status). Each returns a
    dict: create_* and update_* id, content, status and created_at or updated_at, and task_id, memory_id, goal_id or
    datavault_id; delete_* success; list_* and search_* a list under tasks (id, content, notes, status), memories (id,
    content, notes), goals (id, content, status) or items (id, filetype, notes, content_length); datavault_get id, content, filetype,
    notes. What print writes comes back as stdout, the last line's value as result. There are no files and no network.
    """

    group = "Code"
    example = {"code": "for task in gb.list_tasks(status='paused')['tasks']:\n    print(task['content'])"}
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
