"""Which profiles' actions name each other, by ``id`` and ``depends_on``: said without a profile, which takes a second to load."""

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
    from actionledger.runtime.execution.registry import PROFILES  # noqa: PLC0415 - all formats

    known = PROFILES.get(profile)
    return known is not None and known.catalogue.references
