"""Which profiles there are: those that come with the toolkit, those that this process registered, and other packages'.

Another package offers a profile by an entry point of the group ``actionledger.profiles``, under the profile's own name.
The toolkit's are entry points too, and none is loaded before it is asked for by name.
"""

import warnings
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points

from actionledger.core.errors import UsageError, called, require_kind
from actionledger.runtime.execution.profile import Profile

GROUP = "actionledger.profiles"
"""The group of entry points by which packages offer profiles."""

# Stated here and not in the package's metadata: they are there in a checkout that was never installed, or long ago, and
# finding one of them doesn't read the metadata of every installed package.
TOOLKIT = (
    EntryPoint("assistant", "actionledger.profiles.assistant:ASSISTANT", GROUP),
    EntryPoint("assistant-iterative", "actionledger.profiles.assistant:ITERATIVE", GROUP),
    EntryPoint("coder", "actionledger.profiles.coder:CODER", GROUP),
    EntryPoint("mint", "actionledger.profiles.mint:MINT", GROUP),
    EntryPoint("orchestrator", "actionledger.profiles.orchestrator:ORCHESTRATOR", GROUP),
    EntryPoint("reasoner", "actionledger.profiles.reasoner:REASONER", GROUP),
)
"""The profiles that come with the toolkit."""


class Profiles(Mapping[str, Profile]):
    """Every profile by name, loaded when it is asked for.

    Args:
        built_in: where the profiles are that come with the toolkit.
    """

    def __init__(self, built_in: Iterable[EntryPoint]) -> None:
        self._built_in = {entry.name: entry for entry in built_in}
        self._registered: dict[str, Profile] = {}
        self._loaded: dict[str, Profile] = {}

    def register(self, profile: Profile) -> Profile:
        """Make a profile known to this process by its name, so that its sessions are read again with its catalogue."""
        require_kind(profile, Profile, "What is registered is a Profile, as al.custom_profile(…) gives it")
        self.check_name(profile.name)
        self._registered[profile.name] = profile
        return profile

    def is_registered(self, name: str) -> bool:
        """Return whether only this process knows the profile of that name, by ``register``."""
        return name in self._registered

    def check_name(self, name: str) -> None:
        """Refuse the name of a profile that comes with the toolkit."""
        if name in self._built_in:
            raise UsageError(f"A profile {name!r} comes with the toolkit; give yours another name.")

    def __getitem__(self, name: str) -> Profile:
        for known in (self._registered, self._loaded):
            if name in known:
                return known[name]
        entry = self._built_in.get(name) or self._offered[name]
        return self._loaded.setdefault(name, _load(entry))

    def __contains__(self, name: object) -> bool:
        return name in self._built_in or name in self._registered or name in self._offered

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._built_in, *self._registered, *self._offered)))

    def __len__(self) -> int:
        return len(tuple(iter(self)))

    @cached_property
    def _offered(self) -> dict[str, EntryPoint]:
        """The profiles that other packages offer, by name; of several with one name the first, with a warning."""
        offered: dict[str, EntryPoint] = {}
        for entry in entry_points(group=GROUP):
            if entry.name in self._built_in or entry.name in offered:
                warnings.warn(
                    f"The profile {entry.name!r} of {_origin(entry)} has the name of another one and is not used.",
                    stacklevel=2,
                )
            else:
                offered[entry.name] = entry
        return offered


PROFILES = Profiles(TOOLKIT)
"""Every profile, by name."""


def profile_named(name: str) -> Profile:
    """Return the profile of that name.

    Raises:
        UnknownNameError: nothing goes by that name.
        UsageError: another package offers it, and it can't be loaded.
    """
    return called(name, "profile", PROFILES)


def resolve_profile(profile: str | Profile) -> Profile:
    """Return the profile that a caller means, by name or as a value.

    Raises:
        UnknownNameError: nothing goes by that name.
        UsageError: it is neither, or another package offers it, and it can't be loaded.
    """
    if isinstance(profile, Profile):
        return profile
    if not isinstance(profile, str):
        raise UsageError(
            f"A profile is a name or a Profile, not {profile!r:.80}; al.profile_names() lists the names."
        )
    return profile_named(profile)


def _load(entry: EntryPoint) -> Profile:
    try:
        profile = entry.load()
    except Exception as error:
        raise UsageError(
            f"The profile {entry.name!r} of {_origin(entry)} can't be loaded: {type(error).__name__}: {error}."
        ) from error
    if not isinstance(profile, Profile) or profile.name != entry.name:
        raise UsageError(
            f"What {_origin(entry)} offers as the profile {entry.name!r} is {profile!r:.80}; "
            "it must be a Profile of that name."
        )
    return profile


def _origin(entry: EntryPoint) -> str:
    return f"the package {entry.dist.name!r}" if entry.dist else f"{entry.value!r}"
