"""Limits on the size and age of kept workspace states, and the settings that a session ran under."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic import TypeAdapter, ValidationError

from actionledger._version import __version__
from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.errors import UsageError, require_number
from actionledger.runtime.execution.approval import Policy, Rule
from actionledger.runtime.execution.limits import Limits
from actionledger.runtime.execution.profile import ExecutionSettings, Profile
from actionledger.runtime.repetition.limits import RepetitionLimits
from actionledger.runtime.workspace import FileLimits

ENVIRONMENT = "ACTIONLEDGER_MANIFEST"
"""The environment variable that switches manifests off for a process, with the value ``off``."""


@dataclass(frozen=True, slots=True)
class ManifestSettings:
    """Limits on the size and age of a session's kept workspace states.

    Args:
        days: how long states are kept after the session's last change, in days.
        file_bytes: the largest file or store whose content is kept, in bytes.
        tree_bytes: the most bytes read of one workspace at once.
        entries: the maximum number of files and folders scanned.
        each_action: up to this number of files and folders, the workspace is scanned after each action; above it, after each turn.

    Raises:
        UsageError: a limit is not above zero.

    Example:
        >>> al.ManifestSettings(days=7).file_bytes
        4194304
    """

    days: float = 30.0
    file_bytes: int = 4 * 2**20
    tree_bytes: int = 256 * 2**20
    entries: int = 20_000
    each_action: int = 2_000

    def __post_init__(self) -> None:
        for name in self.__slots__:
            require_number(f"The setting {name}", getattr(self, name), above=0)

    @property
    def limits(self) -> FileLimits:
        """The limits in the form that a workspace takes."""
        return FileLimits(
            watched_bytes=self.file_bytes,
            tree_bytes=self.tree_bytes,
            entries=self.entries,
            kept_bytes=self.file_bytes,
        )


STANDARD = ManifestSettings()


def wanted(manifest: bool | ManifestSettings) -> ManifestSettings | None:
    """Return the requested settings; None if no states are to be kept."""
    if isinstance(manifest, ManifestSettings):
        return manifest
    is_off = os.environ.get(ENVIRONMENT, "").strip().lower() in {"off", "0", "no", "false"}
    return None if is_off or not manifest else STANDARD


@dataclass(frozen=True, slots=True)
class _Settings:
    profile: str
    parser: str
    toolkit: str
    policy: Sequence[Rule]
    execution: ExecutionSettings
    limits: Limits
    repetition: RepetitionLimits
    workers: int


_ADAPTER = TypeAdapter(_Settings)


def settings_of(profile: Profile, policy: Policy) -> JsonDict:
    """Return a session's settings as a JSON value."""
    found = _Settings(
        profile.name,
        profile.parser.id,
        __version__,
        policy.rules,
        profile.execution_settings,
        profile.limits,
        profile.repetition,
        profile.workers,
    )
    value: JsonDict = _ADAPTER.dump_python(found, mode="json")
    return value


def as_recorded(profile: Profile, settings: JsonMap) -> Profile:
    """Return a profile with its own handlers and parser, and the recorded policy, limits and settings of a session."""
    try:
        found = _ADAPTER.validate_python(settings)
    except ValidationError as error:
        first = error.errors()[0]
        raise UsageError(
            f"What is kept of the session's settings can't be read: {first['loc']}: {first['msg']}."
        ) from error
    return replace(
        profile,
        policy=Policy(tuple(found.policy)),
        # Actions that the profile now declares external count as external too, in addition to the recorded ones.
        execution_settings=found.execution,
        limits=replace(found.limits, shared=False),
        repetition=found.repetition,
        workers=found.workers,
    )
