"""Which profiles there are: those that come with the toolkit, those that this process registered, and other packages'.

Another package offers a profile by an entry point of the group ``actionledger.profiles``, under the profile's own name.
"""

import warnings
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points

from actionledger.errors import UsageError
from actionledger.execution.profile import Profile

GROUP = "actionledger.profiles"
"""The group of entry points by which other packages offer profiles."""


class Profiles(Mapping[str, Profile]):
    """Every profile by name; one of another package is loaded when it is asked for.

    Args:
        built_in: the profiles that come with the toolkit.
    """

    def __init__(self, built_in: Iterable[Profile]) -> None:
        self.built_in = {profile.name: profile for profile in built_in}
        self._registered: dict[str, Profile] = {}
        self._loaded: dict[str, Profile] = {}

    def register(self, profile: Profile) -> Profile:
        """Make a profile known to this process by its name, so that its sessions are read again with its catalogue.

        Args:
            profile: the profile; one of the same name that was registered before is replaced.

        Returns:
            The profile.

        Raises:
            UsageError: a profile that comes with the toolkit has that name.
        """
        self.check_name(profile.name)
        self._registered[profile.name] = profile
        return profile

    def check_name(self, name: str) -> None:
        """Refuse the name of a profile that comes with the toolkit.

        Raises:
            UsageError: it is one.
        """
        if name in self.built_in:
            raise UsageError(f"A profile {name!r} comes with the toolkit; give yours another name.")

    def __getitem__(self, name: str) -> Profile:
        for known in (self.built_in, self._registered, self._loaded):
            if name in known:
                return known[name]
        return self._loaded.setdefault(name, _load(self._offered[name]))

    def __contains__(self, name: object) -> bool:
        return name in self.built_in or name in self._registered or name in self._offered

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self.built_in, *self._registered, *self._offered)))

    def __len__(self) -> int:
        return len(tuple(iter(self)))

    @cached_property
    def _offered(self) -> dict[str, EntryPoint]:
        """What other packages offer, by name; of several by one name the first, with a warning."""
        offered: dict[str, EntryPoint] = {}
        for entry in entry_points(group=GROUP):
            if entry.name in self.built_in or entry.name in offered:
                warnings.warn(
                    f"The profile {entry.name!r} of {_origin(entry)} has the name of another one and is not used.",
                    stacklevel=2,
                )
            else:
                offered[entry.name] = entry
        return offered


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
