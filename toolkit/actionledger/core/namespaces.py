"""Names of tools that stand in a namespace, as OpenAI's Responses interface and Codex have them since 2026."""

from collections.abc import Mapping
from typing import Any

PLAIN = "functions"
"""What the namespace is called of tools that are in none."""


def namespace_of(tool: Mapping[str, Any]) -> str:
    """Return what a definition that holds several tools calls itself; empty for a tool by itself.

    Args:
        tool: the definition.
    """
    name = tool.get("name")
    return name if tool.get("type") == "namespace" and isinstance(name, str) else ""


def qualified(namespace: object, name: str) -> str:
    """Return a tool's name behind that of its namespace, joined as Codex does: two servers may each have a tool of one name.

    Args:
        namespace: the namespace; anything but a text is none.
        name: the tool's name in it.

    Example:
        >>> from actionledger.core.namespaces import qualified
        >>> qualified("mcp__files", "list"), qualified("functions", "list")
        ('mcp__files__list', 'list')
    """
    is_plain = not isinstance(namespace, str) or namespace in {"", PLAIN} or not name
    return name if is_plain else f"{namespace}__{name}"
