"""Time zones without files: all are loaded in advance."""

import os
import zoneinfo
from io import BytesIO
from pathlib import Path
from typing import Any
from zoneinfo import _common

_FOLDER = Path("/usr/share/zoneinfo")
_NOT_ZONES = {"posix", "right"}
_MAGIC = b"TZif"


def keep_zones() -> None:
    """Load the time zones into memory, and let ``zoneinfo`` use them."""
    zones = dict(_zones())

    def load(key: str) -> BytesIO:
        if key not in zones:
            raise zoneinfo.ZoneInfoNotFoundError(f"No time zone found with key {key}")
        return BytesIO(zones[key])

    # Both implementations of zoneinfo call this if they find no file for a key.
    module: Any = _common
    module.load_tzdata = load
    zoneinfo.reset_tzpath(to=())


def _zones() -> list[tuple[str, bytes]]:
    """Return the name and file of every zone; none if the machine has no such folder."""
    found = []
    for folder, folders, files in os.walk(_FOLDER):
        folders[:] = [name for name in folders if name not in _NOT_ZONES]
        for name in files:
            path = Path(folder, name)
            try:
                data = path.read_bytes()
            except OSError:
                continue
            if data.startswith(_MAGIC):
                found.append((path.relative_to(_FOLDER).as_posix(), data))
    return found
