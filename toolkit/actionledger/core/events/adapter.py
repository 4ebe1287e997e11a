"""Events as JSON, distinguished by their ``kind``."""

from typing import Annotated

from pydantic import ConfigDict, Field, TypeAdapter

from actionledger.core.events import Event

EVENT: TypeAdapter[Event] = TypeAdapter(
    Annotated[Event, Field(discriminator="kind")], config=ConfigDict(defer_build=True)
)
"""Reads and writes events as JSON."""
