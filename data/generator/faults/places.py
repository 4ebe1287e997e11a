"""Where in a response a fault can strike: an object and one of its fields."""

from collections.abc import Collection
from typing import Any

from generator.actions import Action
from generator.reply import Reply

Place = tuple[dict[str, Any], str]

_TEXTS = {"content", "notes", "code", "context", "plan", "body", "question", "reason", "query"}


def fields(reply: Reply, names: Collection[str]) -> list[Place]:
    """Return every field of an action that goes by one of the names."""
    return [(action, key) for action in reply.actions for key in action if key in names]


def texts(action: Action) -> list[Place]:
    """Return where an action holds free text, nested objects included."""
    found = [
        (action, key) for key, value in action.items() if key in _TEXTS and isinstance(value, str) and value
    ]
    for issue in action.get("issues", ()):
        found += texts(issue) if isinstance(issue, dict) else []
    return found


def some_text(reply: Reply) -> Place:
    """Return one place in the response that holds free text."""
    return reply.draw.pick([place for action in reply.actions for place in texts(action)])
