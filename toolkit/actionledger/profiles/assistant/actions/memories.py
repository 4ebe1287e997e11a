"""The assistant's actions on memories."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from actionledger.actions.catalogue import Arguments
from actionledger.profiles.assistant.actions.base import AssistantAction, Limit, Query

MemoryId = Annotated[int, Field(gt=0, description="The memory's number.")]


class MemoryAction(AssistantAction):
    """An action on memories."""

    group: ClassVar[str] = "Memories"


class CreateMemory(MemoryAction):
    """Remember something about the user or the work."""

    example: ClassVar[Arguments] = {
        "content": "The user works in Lisbon time",
        "notes": "Said so when we planned a call",
    }
    type: Literal["create_memory"]
    content: str = Field(min_length=1, description="What to remember.")
    notes: str | None = Field(default="", description="Whatever else is worth keeping with it.")


class UpdateMemory(MemoryAction):
    """Change a memory; what isn't given stays as it is."""

    example: ClassVar[Arguments] = {"memory_id": 1, "notes": "Confirmed."}
    type: Literal["update_memory"]
    memory_id: MemoryId
    content: str | None = Field(default=None, min_length=1, description="What to remember from now on.")
    notes: str | None = Field(default=None, description="The notes from now on.")


class DeleteMemory(MemoryAction):
    """Forget a memory."""

    example: ClassVar[Arguments] = {"memory_id": 1}
    type: Literal["delete_memory"]
    memory_id: MemoryId


class GetMemory(MemoryAction):
    """Show a memory."""

    example: ClassVar[Arguments] = {"memory_id": 1}
    type: Literal["get_memory"]
    memory_id: MemoryId


class ListMemories(MemoryAction):
    """List memories."""

    example: ClassVar[Arguments] = {"limit": 10}
    type: Literal["list_memories"]
    limit: Limit = 50


class SearchMemories(MemoryAction):
    """Find memories by a text in their content or notes."""

    example: ClassVar[Arguments] = {"query": "Lisbon"}
    type: Literal["search_memories"]
    query: Query
    limit: Limit = 20
