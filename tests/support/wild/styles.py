"""What a style is, and what several of them write alike."""

import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from wild.questions import Call, Question

_IDENTIFIER = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")


def always(question: Question, chance: random.Random) -> Question | None:
    """Take each question as it is."""
    return question


def in_python(question: Question, chance: random.Random) -> Question | None:
    """Take a question whose names Python can write."""
    names = [name for call in question.calls for name in (call.name, *call.arguments)]
    return question if all(_IDENTIFIER.fullmatch(name) for name in names) else None


@dataclass(frozen=True)
class Style:
    """A way to write calls."""

    name: str  # its family and its own name
    write: Callable[[Question, random.Random], str]  # makes the text of a question's calls
    # makes a question fit, or says that it doesn't
    prepare: Callable[[Question, random.Random], Question | None] = always
    counts: tuple[int, ...] = (1, 2)  # of how many calls it can be
    ends: bool = False  # whether nothing can stand behind it
    whole: bool = False  # whether it is meant only where nothing stands around it


def python_call(call: Call, value: Callable[[Any], str] = repr, equals: str = "=", name: str = "") -> str:
    """Write a call as Python does, with named arguments."""
    fields = ", ".join(f"{field}{equals}{value(each)}" for field, each in call.arguments.items())
    return f"{name or call.name}({fields})"


def python_calls(question: Question, **changes: Any) -> list[str]:
    """Write each call as Python does."""
    return [python_call(call, **changes) for call in question.calls]


def as_json(value: Any, indent: int | None = None) -> str:
    """Write a value as models do."""
    return json.dumps(value, ensure_ascii=False, indent=indent)


def json_object(call: Call, name: str = "name", arguments: str = "arguments") -> dict[str, Any]:
    """Return a call as an object with these keys."""
    return {name: call.name, arguments: call.arguments}


def json_call(call: Call) -> str:
    """Write a call as the object that most formats use."""
    return as_json(json_object(call))


def one_or_list(question: Question, item: Callable[[Call], Any] = json_object) -> Any:
    """Return the one object, or the list of all."""
    items = [item(call) for call in question.calls]
    return items[0] if len(items) == 1 else items


def fenced(body: str, label: str = "") -> str:
    """Put a text into a fence."""
    return f"```{label}\n{body}\n```"
