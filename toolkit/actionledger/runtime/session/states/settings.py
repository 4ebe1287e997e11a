"""How much is kept of what sessions' workspaces hold, and for how long."""

import os
from dataclasses import dataclass

from actionledger.core.errors import require_number
from actionledger.runtime.workspace import FileLimits

ENVIRONMENT = "ACTIONLEDGER_MANIFEST"
"""The variable of the environment that switches manifests off for a process: ``off``."""


@dataclass(frozen=True, slots=True)
class ManifestSettings:
    """How much is kept of what a session's workspace holds, and for how long.

    Args:
        days: how long it is kept after the session's last change, in days.
        file_bytes: the largest file, or store, whose content is kept, in bytes.
        tree_bytes: the most that is read of one workspace at once, in bytes.
        entries: the most files and folders that are looked at.
        each_action: up to how many files and folders are looked at after each action; with more, after each turn.

    Raises:
        UsageError: one of them is not above zero.

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
        """The same as a workspace takes it."""
        return FileLimits(
            watched_bytes=self.file_bytes,
            tree_bytes=self.tree_bytes,
            entries=self.entries,
            kept_bytes=self.file_bytes,
        )


STANDARD = ManifestSettings()


def wanted(manifest: bool | ManifestSettings) -> ManifestSettings | None:
    """Return the settings that somebody asks for; None where nothing is to be kept.

    Args:
        manifest: the settings, True for the usual ones (unless the environment says ``off``), False for none.
    """
    if isinstance(manifest, ManifestSettings):
        return manifest
    is_off = os.environ.get(ENVIRONMENT, "").strip().lower() in {"off", "0", "no", "false"}
    return None if is_off or not manifest else STANDARD
