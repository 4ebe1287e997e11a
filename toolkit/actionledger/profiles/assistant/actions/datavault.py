"""The assistant's actions on the datavault, its store for longer texts."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from actionledger.actions.catalogue import Arguments
from actionledger.profiles.assistant.actions.base import AssistantAction, Limit, Query

ItemId = Annotated[int, Field(gt=0, description="The item's number.")]


class DatavaultAction(AssistantAction):
    """An action on the datavault."""

    group: ClassVar[str] = "Datavault"


class DatavaultStore(DatavaultAction):
    """Store a text in the datavault."""

    example: ClassVar[Arguments] = {
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

    example: ClassVar[Arguments] = {"item_id": 1}
    type: Literal["datavault_get"]
    item_id: ItemId


class DatavaultUpdate(DatavaultAction):
    """Change an item of the datavault; what isn't given stays as it is."""

    example: ClassVar[Arguments] = {"item_id": 1, "content": '{"rows": 815}'}
    type: Literal["datavault_update"]
    item_id: ItemId
    content: str | None = Field(default=None, min_length=1, description="The text from now on.")
    filetype: str | None = Field(
        default=None, min_length=1, description="What kind of text it is from now on."
    )
    notes: str | None = Field(default=None, description="What it is for from now on.")


class DatavaultDelete(DatavaultAction):
    """Delete an item of the datavault."""

    example: ClassVar[Arguments] = {"item_id": 1}
    type: Literal["datavault_delete"]
    item_id: ItemId


class DatavaultList(DatavaultAction):
    """List the datavault's items, of one file type or of all."""

    example: ClassVar[Arguments] = {"filetype": "json", "limit": 10}
    type: Literal["datavault_list"]
    filetype: str | None = Field(default=None, min_length=1, description="List only items of this file type.")
    limit: Limit = 50


class DatavaultSearch(DatavaultAction):
    """Find items of the datavault by a text in their content or notes."""

    example: ClassVar[Arguments] = {"query": "import"}
    type: Literal["datavault_search"]
    query: Query
    limit: Limit = 20
