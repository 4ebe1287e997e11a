"""The available profiles: the toolkit's own, those registered in this process, and those of other packages.

Another package offers a profile by an entry point of the group ``actionledger.profiles``, under the profile's own name.
The toolkit's profiles are entry points too; each is loaded only when it is requested by name.
"""

import warnings
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points

from actionledger.core.errors import UsageError, called, require_kind
from actionledger.runtime.execution.profile import Profile

GROUP = "actionledger.profiles"
"""The group of entry points by which packages offer profiles."""

# Listed here and not read from the package's metadata: this works in a checkout that was never installed or long ago, and
# doesn't read the metadata of every installed package.
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
    """Every profile by name, loaded on request."""

    def __init__(self, built_in: Iterable[EntryPoint]) -> None:
        self._built_in = {entry.name: entry for entry in built_in}
        self._registered: dict[str, Profile] = {}
        self._loaded: dict[str, Profile] = {}

    def register(self, profile: Profile) -> Profile:
        """Register a profile in this process by its name, so that its recorded sessions are parsed with its catalogue."""
        require_kind(profile, Profile, "What is registered is a Profile, as al.custom_profile(…) gives it")
        self.check_name(profile.name)
        self._registered[profile.name] = profile
        return profile

    def is_registered(self, name: str) -> bool:
        """Return whether a profile is known only in this process, by ``register``."""
        return name in self._registered

    def check_name(self, name: str) -> None:
        """Raise if a name belongs to one of the toolkit's profiles."""
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
        """The profiles of other packages, by name; if several have one name, the first, with a warning."""
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
        UnknownNameError: there is no such profile.
        UsageError: another package offers it, and it can't be loaded.
    """
    return called(name, "profile", PROFILES)


def resolve_profile(profile: str | Profile) -> Profile:
    """Return a profile given by name or as a value."""
    if isinstance(profile, str):
        return profile_named(profile)
    if not isinstance(profile, Profile):
        raise UsageError(
            f"A profile is a name or a Profile, not {profile!r:.80}; al.profile_names() lists the names."
        )
    return profile


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
