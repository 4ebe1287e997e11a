"""How actions are written, as ``tables/written.toml`` says."""

from typing import Any

from generator.actions import Action
from generator.voice import Voice
from generator.words import table


def written(recipe: str, voice: Voice) -> Action:
    """Return the fields that an action is written with.

    Args:
        recipe: its section in the table.
        voice: whose words it is written in.
    """
    fields: Action = {}
    for key, how in table("written")[recipe].items():
        field, _, share = key.partition("?")
        if not share or voice.draw.chance(float(share)):
            fields[field] = _value(how, voice)
    return fields


def _value(how: str | list[Any] | dict[str, float], voice: Voice) -> Any:
    if isinstance(how, dict):
        return voice.draw.weighted(how)
    if isinstance(how, list):
        return voice.draw.pick(how)
    return voice.line(how[1:-1]) if how.startswith("<") else voice.fill(how)
