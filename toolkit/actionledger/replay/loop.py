"""A loop of a recorded session, and whether a profile's actions name each other, which affects how they are compared."""

import sys
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points

from actionledger.runtime.repetition.limits import Pattern


@dataclass(frozen=True, slots=True)
class Loop:
    r"""A loop in a recorded session.

    Args:
        session_id: the session.
        first_turn, last_turn: its first and last turn, from 0.
        pattern: the kind of repetition.
        count: number of repetitions; for an alternation, of rounds.
        name: the last action's name; empty if none was parsed.
        is_stop: whether a live session would be stopped for it, not only warned.

    Example:
        >>> text = al.render([("list_tasks", {})], "actions")
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turns = [runtime.handle(text) for _ in range(4)]
        ...     [loop] = al.loops(ledger).loops
        >>> str(loop.pattern), loop.count, loop.name, loop.first_turn, loop.last_turn
        ('same_action', 4, 'list_tasks', 0, 3)
    """

    session_id: str
    first_turn: int
    last_turn: int
    pattern: Pattern
    count: int
    name: str
    is_stop: bool


# Whether a profile's actions name each other by ``id`` and ``depends_on``; listed here, as loading a profile takes a second.
_REGISTRY = "actionledger.runtime.execution.registry"
_OF_TOOLKIT = {
    "assistant": True,
    "assistant-iterative": True,
    "coder": True,
    "mint": False,
    "orchestrator": False,
    "reasoner": True,
}
"""The toolkit's own profiles; no profile of another package or process can have these names."""


def takes_references(profile: str) -> bool:
    """Return whether ``id`` and ``depends_on`` of a profile's actions name actions of the same response."""
    if profile in _OF_TOOLKIT or not profile:
        return _OF_TOOLKIT.get(profile, False)
    if _REGISTRY not in sys.modules and profile not in _offered():
        return False  # not registered, and not offered by any package
    from actionledger.runtime.execution.registry import PROFILES  # noqa: PLC0415 - all formats

    known = PROFILES.get(profile)
    return known is not None and known.catalogue.references


@cache
def _offered() -> frozenset[str]:
    """Return the names of the profiles that other packages offer."""
    return frozenset(each.name for each in entry_points(group="actionledger.profiles"))
