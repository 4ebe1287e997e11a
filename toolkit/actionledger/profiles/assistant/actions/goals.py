"""The assistant's actions on goals."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from actionledger.actions.catalogue import Arguments
from actionledger.profiles.assistant.actions.base import AssistantAction, Limit, Query, Status

GoalId = Annotated[int, Field(gt=0, description="The goal's number.")]


class GoalAction(AssistantAction):
    """An action on goals."""

    group: ClassVar[str] = "Goals"


class CreateGoal(GoalAction):
    """Create a goal."""

    example: ClassVar[Arguments] = {
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

    example: ClassVar[Arguments] = {"goal_id": 1, "status": "completed"}
    type: Literal["update_goal"]
    goal_id: GoalId
    content: str | None = Field(default=None, min_length=1, description="What is to be reached from now on.")
    notes: str | None = Field(default=None, description="The notes from now on.")
    status: Status | None = Field(default=None, description="How far the goal is by now.")


class DeleteGoal(GoalAction):
    """Delete a goal."""

    example: ClassVar[Arguments] = {"goal_id": 1}
    type: Literal["delete_goal"]
    goal_id: GoalId


class GetGoal(GoalAction):
    """Show a goal."""

    example: ClassVar[Arguments] = {"goal_id": 1}
    type: Literal["get_goal"]
    goal_id: GoalId


class ListGoals(GoalAction):
    """List goals, of one status or of all."""

    example: ClassVar[Arguments] = {"status": "pending", "limit": 10}
    type: Literal["list_goals"]
    status: Status | None = Field(default=None, description="List only goals of this status.")
    limit: Limit = 50


class SearchGoals(GoalAction):
    """Find goals by a text in their content or notes."""

    example: ClassVar[Arguments] = {"query": "book"}
    type: Literal["search_goals"]
    query: Query
    limit: Limit = 20
