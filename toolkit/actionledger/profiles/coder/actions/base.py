"""What the coder's actions have in common: their order, their paths, and lists that a tag can hold."""

import re
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from actionledger.actions.catalogue import Action
from actionledger.reading.tolerant_json import decode
from actionledger.reading.tolerant_json.faults import STRICT

_IDS = re.compile(r"[^\s,\[\]\"']+")


def _ids(value: Any) -> Any:
    """Return the ids that a text lists, as a tag gives them: ``a, b``, ``[a, b]`` or a list in JSON."""
    return _listed(value, _IDS.findall)


def _lines(value: Any) -> Any:
    """Return the lines of a text that hold something, without the blanks around them; or the list that it is in JSON."""
    return _listed(value, lambda text: [line.strip() for line in text.splitlines() if line.strip()])


def _listed(value: Any, split: Callable[[str], list[str]]) -> Any:
    if not isinstance(value, str):
        return value
    decoded = decode(value, options=STRICT)
    is_list = decoded.ok and isinstance(decoded.value, list) and not value[decoded.end :].strip()
    return decoded.value if is_list else split(value)


Path = Annotated[str, Field(min_length=1, description="The path, relative to the workspace.")]

Paths = Annotated[list[str], BeforeValidator(_lines)]
"""Several paths; in a tag, one a line, or a list in JSON."""


class CoderAction(Action):
    """An action that other actions of the same response may wait for."""

    id: str | None = Field(
        default=None, min_length=1, description="A name for this action that others can refer to."
    )
    depends_on: Annotated[list[str], BeforeValidator(_ids)] = Field(
        default=[], description="The ids of the actions that must succeed before this one."
    )
