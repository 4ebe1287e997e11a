"""What was kept of a session's states, read back."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from actionledger.runtime.session.states.lines import Begun, Effects, Line, read
from actionledger.runtime.session.states.looking import LeftOut, State
from actionledger.runtime.session.states.objects import NONE_THERE, Objects
from actionledger.runtime.workspace.private_files import open_private

_MOST_BYTES = 2**30
"""The largest content that is read back, in bytes."""


@dataclass(frozen=True, slots=True)
class KeptStates:
    """What was kept of a session's states.

    Args:
        begun: how it began.
        first: what its workspace held then; None where that is no longer kept.
        lines: what happened since, in order.
        objects: the contents.
        is_masked: whether a secret in the lines was masked.
        is_damaged: whether a line can't be read.
    """

    begun: Begun
    first: State | None
    lines: Sequence[Line]
    objects: Objects
    is_masked: bool
    is_damaged: bool

    @property
    def last(self) -> State | None:
        """What the workspace held when it was last looked at; None where that is not known."""
        state = self.first
        for line in self.lines:
            state = following(state, line)
        return state


def following(state: State | None, line: Line) -> State | None:
    """Return the state after a line, given the one before."""
    if state is None or not isinstance(line, Effects):
        return state
    stores = state.stores if line.stores is None else frozenset(line.stores)
    left_out = state.left_out if line.left_out is None else tuple(LeftOut(**each) for each in line.left_out)
    return state.after(line.as_changes, stores, left_out)


def read_states(folder: Path, session_id: str, *, must: bool = False) -> KeptStates | None:
    """Return what was kept of a session's states; None where nothing was.

    Args:
        folder: the folder of all manifests of a ledger.
        session_id: the session.
        must: whether what is there has to be read, since something is removed by what it says.

    Raises:
        OSError: it must be read, and can't be.
    """
    try:
        path = folder / f"{UUID(session_id)}.jsonl"
        with os.fdopen(open_private(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            found = read(file.read(_MOST_BYTES))
    except OSError as error:
        if must and error.errno not in NONE_THERE:
            raise
        return None
    if not found.lines or not isinstance(found.lines[0], Begun):
        return None
    begun, objects = found.lines[0], Objects(folder / "objects", _MOST_BYTES)
    data = objects.get(begun.state, must=must)
    try:
        first = None if data is None else State.from_bytes(data)
    except (KeyError, TypeError, ValueError, AttributeError):
        first = None
    return KeptStates(begun, first, found.lines[1:], objects, found.is_masked, found.is_damaged)
