"""An orchestration's saved state: one JSON file, replaced as a whole after every step."""

import os
import tempfile
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from actionledger.core.canonical import json_text
from actionledger.core.errors import LedgerError, SourceError

FILE = "state.json"
"""The file's name in the orchestration's folder."""


class _Saved(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", validate_by_name=True, serialize_by_alias=True)

    def changed(self, **changes: Any) -> Self:
        """Return a copy with other values."""
        return self.model_copy(update=changes)


class LayerMessage(_Saved):
    """A message of one layer to another.

    Args:
        id: identifies it.
        from_layer: the sender; in JSON ``from``.
        to: the recipient: a layer, or the person.
        content: the narrative of the response, without its action blocks.
        actions: its valid actions, each an object with its name as ``action``.
        timestamp: when it was received.
        cost_usd: the response's cost, in US dollars; None if unknown. In JSON ``costUsd``.
        duration_ms: the model's duration, in milliseconds. In JSON ``durationMs``.
    """

    id: str
    from_layer: str = Field(alias="from")
    to: str
    content: str
    actions: tuple[dict[str, Any], ...]
    timestamp: AwareDatetime
    cost_usd: float | None = Field(alias="costUsd")
    duration_ms: float = Field(alias="durationMs")


class LayerTurn(_Saved):
    """A layer's prompt and response, word for word."""

    layer: str
    prompt: str
    response: str


class Due(_Saved):
    """The next step."""

    layer: str  # who is asked
    prompt: str
    waits_for: tuple[int, ...] = ()  # the numbers of the requests that a person must answer first
    is_correction: bool = False  # whether it is asked again because of its last response


class Received(_Saved):
    """A received response that was not completely carried out."""

    response: str
    turn_index: int  # the place of its turn in the layer's session, from 0
    cost_usd: float | None  # its cost, in US dollars; None if unknown
    duration_ms: float  # the model's duration, in milliseconds
    finish_reason: str | None = None  # why the model stopped, in its provider's word; None if unknown


class CascadeState(_Saved):
    """The state of an orchestration."""

    version: Literal[1] = 1  # the version of this form
    id: str  # identifies it; its sessions' ids are derived from it
    directive: str  # what the person wants
    layers: tuple[str, ...]  # who takes part, from the top
    dry_run: bool  # whether its actions only report what they would do
    messages: tuple[LayerMessage, ...] = ()  # the layers' messages, in order
    exchanges: tuple[LayerTurn, ...] = ()  # the same word for word
    due: Due | None  # the next step; None if there is none
    received: Received | None = None  # the response to it, if one was received

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Load a folder's saved state."""
        path = folder / FILE
        try:
            return cls.model_validate_json(path.read_bytes())
        except OSError as error:
            raise SourceError(
                f"The orchestration in {str(folder)!r} can't be loaded: {error.strerror}; start one there."
            ) from error
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"])) or "the file"
            raise SourceError(
                f"{path} is not an orchestration of this version: {where}: {first['msg']}."
            ) from error

    def save(self, folder: Path) -> None:
        """Write all of it to a folder atomically: a crash leaves either the old state or this one.

        Half of a surrogate pair, which no file can hold, is written as U+FFFD, as in the ledger.
        """
        try:
            _replace(folder / FILE, json_text(self.model_dump(mode="json")).encode())
        except OSError as error:
            raise LedgerError(
                f"The orchestration can't be saved in {str(folder)!r}: {error.strerror}."
            ) from error


def _replace(path: Path, content: bytes) -> None:
    # Only its owner can read a temporary file, and so the file that replaces the old one.
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}-", delete=False) as file:
        try:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            Path(file.name).replace(path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
