"""What the coder's actions have in common: their order, their paths, and lists that a tag can hold."""

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from actionledger.actions.catalogue import Action

_IDS = re.compile(r"[^\s,\[\]\"']+")


def _ids(value: Any) -> Any:
    """Return the ids that a text lists, as a tag gives them: ``a, b`` or ``["a", "b"]``."""
    return _IDS.findall(value) if isinstance(value, str) else value


def _lines(value: Any) -> Any:
    """Return the lines of a text that hold something, without the blanks around them."""
    return [line.strip() for line in value.splitlines() if line.strip()] if isinstance(value, str) else value


Path = Annotated[str, Field(min_length=1, description="The path, relative to the workspace.")]

Paths = Annotated[list[str], BeforeValidator(_lines)]
"""Several paths; in a tag, one a line."""


class CoderAction(Action):
    """An action that other actions of the same response may wait for."""

    id: str | None = Field(
        default=None, min_length=1, description="A name for this action that others can refer to."
    )
    depends_on: Annotated[list[str], BeforeValidator(_ids)] = Field(
        default=[], description="The ids of the actions that must succeed before this one."
    )
