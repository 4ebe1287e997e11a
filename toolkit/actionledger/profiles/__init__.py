"""The ways of working with a model that come with the toolkit, one package each, and how others join them."""

from actionledger.errors import UnknownNameError
from actionledger.execution.profile import Profile
from actionledger.profiles.assistant import ASSISTANT, ITERATIVE
from actionledger.profiles.coder import CODER
from actionledger.profiles.mint import MINT
from actionledger.profiles.orchestrator import ORCHESTRATOR
from actionledger.profiles.reasoner import REASONER
from actionledger.profiles.registry import Profiles

PROFILES = Profiles((ASSISTANT, ITERATIVE, CODER, MINT, ORCHESTRATOR, REASONER))
"""Every profile, by name."""


def profile_named(name: str) -> Profile:
    """Return the profile of that name.

    Raises:
        UnknownNameError: nothing goes by that name.
        UsageError: another package offers it, and it can't be loaded.

    Example:
        >>> al.profile("assistant").parser.name
        'assistant'
    """
    try:
        return PROFILES[name]
    except KeyError:
        raise UnknownNameError("profile", name, PROFILES) from None


__all__ = ["PROFILES", "Profile", "profile_named"]
