"""Time zones without files: the machine's own zone as a rule, all others read beforehand."""

import os
import time
import zoneinfo
from io import BytesIO
from pathlib import Path
from typing import Any
from zoneinfo import _common

_FOLDER = Path("/usr/share/zoneinfo")
_LOCAL = Path("/etc/localtime")
_NOT_ZONES = {"posix", "right"}
_MAGIC = b"TZif"


def keep_local_zone() -> None:
    """Set ``TZ`` to the local zone's rule, so that the C library never looks for its file again."""
    try:
        data = _LOCAL.read_bytes()
    except OSError:
        data = b""
    # A zone's file ends with its rule between two line ends: CET-1CEST,M3.5.0,M10.5.0/3.
    rule = data.rstrip(b"\n").rpartition(b"\n")[2] if data.startswith(_MAGIC) else b""
    os.environ["TZ"] = rule.decode("ascii", "replace") or "UTC0"
    time.tzset()


def keep_zones() -> None:
    """Read the time zones into memory, and have ``zoneinfo`` take them from there."""
    zones = dict(_zones())

    def load(key: str) -> BytesIO:
        if key not in zones:
            raise zoneinfo.ZoneInfoNotFoundError(f"No time zone found with key {key}")
        return BytesIO(zones[key])

    # Both of zoneinfo's implementations come here when they find no file for a key.
    module: Any = _common
    module.load_tzdata = load
    zoneinfo.reset_tzpath(to=())


def _zones() -> list[tuple[str, bytes]]:
    """Return every zone's name and file; none where the machine has no such folder."""
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
