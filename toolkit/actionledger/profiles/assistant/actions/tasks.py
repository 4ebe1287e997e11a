"""The assistant's actions on tasks."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from actionledger.actions.catalogue import Arguments
from actionledger.profiles.assistant.actions.base import AssistantAction, Limit, Query, Status

TaskId = Annotated[int, Field(gt=0, description="The task's number.")]


class TaskAction(AssistantAction):
    """An action on tasks."""

    group: ClassVar[str] = "Tasks"


class CreateTask(TaskAction):
    """Create a task."""

    example: ClassVar[Arguments] = {
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

    example: ClassVar[Arguments] = {"task_id": 1, "status": "completed"}
    type: Literal["update_task"]
    task_id: TaskId
    content: str | None = Field(default=None, min_length=1, description="What is to be done from now on.")
    notes: str | None = Field(default=None, description="The notes from now on.")
    status: Status | None = Field(default=None, description="How far the task is by now.")


class DeleteTask(TaskAction):
    """Delete a task."""

    example: ClassVar[Arguments] = {"task_id": 1}
    type: Literal["delete_task"]
    task_id: TaskId


class GetTask(TaskAction):
    """Show a task."""

    example: ClassVar[Arguments] = {"task_id": 1}
    type: Literal["get_task"]
    task_id: TaskId


class ListTasks(TaskAction):
    """List tasks, of one status or of all."""

    example: ClassVar[Arguments] = {"status": "pending", "limit": 10}
    type: Literal["list_tasks"]
    status: Status | None = Field(default=None, description="List only tasks of this status.")
    limit: Limit = 50


class SearchTasks(TaskAction):
    """Find tasks by a text in their content or notes."""

    example: ClassVar[Arguments] = {"query": "workshop"}
    type: Literal["search_tasks"]
    query: Query
    limit: Limit = 20
