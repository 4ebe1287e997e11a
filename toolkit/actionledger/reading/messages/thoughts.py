"""What a message says that the model thought: the texts, in whatever they are wrapped."""

from collections.abc import Iterator, Mapping

THOUGHTS = frozenset(
    {"reasoning", "reasoning_content", "reasoning_details", "thinking", "thinking_blocks", "thoughts"}
)
"""The keys that hold thoughts beside a message's content."""

_WITHIN = (
    "thinking",
    "text",
    "reasoning",
    "reasoning_content",
    "reasoningText",
    "summary",
    "content",
    "thought",
)
_DEEPEST = 4


def thoughts_in(value: object, depth: int = 0) -> Iterator[str]:
    """Yield the texts of thoughts."""
    if isinstance(value, str):
        if value:
            yield value
    elif depth < _DEEPEST and isinstance(value, Mapping):
        for key in _WITHIN:
            yield from thoughts_in(value.get(key), depth + 1)
    elif depth < _DEEPEST and isinstance(value, list | tuple):
        for each in value:
            yield from thoughts_in(each, depth + 1)
