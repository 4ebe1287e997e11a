"""Which profiles' actions name each other, by ``id`` and ``depends_on``: said without a profile, which takes a second to load."""

import sys
from functools import cache
from importlib.metadata import entry_points

_REGISTRY = "actionledger.runtime.execution.registry"
_OF_TOOLKIT = {
    "assistant": True,
    "assistant-iterative": True,
    "coder": True,
    "mint": False,
    "orchestrator": False,
    "reasoner": True,
}
"""The profiles that come with the toolkit; none of another package or process can have their names."""


def takes_references(profile: str) -> bool:
    """Return whether ``id`` and ``depends_on`` of a profile's actions name actions of the same response.

    Args:
        profile: its name; one that nobody knows has no such actions.
    """
    if profile in _OF_TOOLKIT or not profile:
        return _OF_TOOLKIT.get(profile, False)
    if _REGISTRY not in sys.modules and profile not in _offered():
        return False  # nothing was registered, and nobody offers it
    from actionledger.runtime.execution.registry import PROFILES  # noqa: PLC0415 - all formats

    known = PROFILES.get(profile)
    return known is not None and known.catalogue.references


@cache
def _offered() -> frozenset[str]:
    """Return the names of the profiles that other packages offer."""
    return frozenset(each.name for each in entry_points(group="actionledger.profiles"))
