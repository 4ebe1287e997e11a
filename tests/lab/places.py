"""Where an agent runs, what it is started for, and how it is started."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ASKED = "lab-asked-1"


@dataclass(frozen=True)
class Place:
    """Where an agent runs, and what it is started for."""

    home: Path  # its home
    project: Path  # the folder that it works in
    address: str  # the server's
    program: Path  # its program
    node: Path  # a Node that is new enough
    prompt: str  # what it is asked
    way: str = "new"  # `new`, `on` to go on with its last session, or `fork` to go on with a copy of it
    is_permitted: bool = True  # whether it may do all without asking
    mcp: tuple[str, ...] = ()  # the command of the lab's MCP server; empty where it needs none
    rule: str = ""  # `hook` or `denied`, where its settings are to forbid the command


@dataclass(frozen=True)
class Start:
    """A command, what its environment has beside, and what stands in the home before it begins."""

    command: list[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)


def json_of(value: Any) -> str:
    return json.dumps(value, indent=1)


def servers_of(place: Place, **more: Any) -> dict[str, Any]:
    """The MCP servers, as most agents want to be told of them."""
    if not place.mcp:
        return {}
    return {"mcpServers": {"lab": {"command": place.mcp[0], "args": list(place.mcp[1:]), **more}}}
