"""The pieces of a chat completion: put together as those of a live one are."""

from collections.abc import Mapping, Sequence
from typing import Any

from actionledger.imports.sources.access import objects_at
from actionledger.runtime.models.assembly import Assembly
from actionledger.runtime.models.malformed import MalformedError


def body(events: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the body that the pieces add up to, each choice for itself."""
    whole: dict[str, Any] = {}
    choices: dict[int, Assembly] = {}
    for event in events:
        whole.update({key: event[key] for key in ("id", "created", "model", "usage") if event.get(key)})
        for choice in objects_at(event, "choices"):
            number = choice.get("index")
            assembly = choices.setdefault(number if isinstance(number, int) else 0, Assembly(""))
            try:
                assembly.add({"choices": [choice]})
            except MalformedError:
                continue  # the piece says nothing that can be joined to the others
    return whole | {
        "object": "chat.completion",
        "choices": [_choice(choices[key]) for key in sorted(choices)],
    }


def _choice(assembly: Assembly) -> dict[str, Any]:
    done = assembly.completion(0)
    return {"message": done.message, "finish_reason": assembly.finish_reason}
