"""The machine's own time zone without its file: as a rule."""

import os
import time
from pathlib import Path

_LOCAL = Path("/etc/localtime")
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
