"""Load the modules and the local time zone that the code may need in advance, because no file can be opened later."""

import codecs
import importlib
import os
import sys
import time
from collections.abc import Iterable
from importlib.abc import MetaPathFinder
from importlib.machinery import BuiltinImporter, FrozenImporter, ModuleSpec
from pathlib import Path
from typing import Any

from .modules import COMMON, MODULES, RARE

_NEEDED_LATER = ("_strptime",)
_ENCODINGS = (
    *("ascii", "base64", "cp1252", "hex", "idna", "latin-1", "punycode", "raw_unicode_escape", "rot13"),
    *("unicode_escape", "utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-16-le", "utf-32", "zlib"),
)


def preload() -> None:
    """Load every common module and encoding."""
    for name in (*COMMON, *_NEEDED_LATER):
        importlib.import_module(name)
    for name in _ENCODINGS:
        codecs.lookup(name)


def load_rare(names: Iterable[str]) -> None:
    """Load rare modules; ignore other names."""
    for name in set(names).intersection(RARE):
        importlib.import_module(name)
        if name in _SETTLING:
            _SETTLING[name]()


def close_imports() -> None:
    """Restrict imports to loaded modules."""
    # ctypes set up the confinement; foreign code doesn't need it.
    for name in ("ctypes", "_ctypes"):
        sys.modules.pop(name, None)
    sys.path.clear()
    sys.meta_path[:] = [BuiltinImporter, FrozenImporter, _Refusal()]


class _Refusal(MetaPathFinder):
    """Refuses a module, with a message that lists the available ones."""

    def find_spec(self, fullname: str, *_: object) -> ModuleSpec | None:
        """Refuse."""
        if fullname in MODULES:
            raise ModuleNotFoundError(
                f"Write 'import {fullname}' as it stands: the code has to name it.", name=fullname
            )
        names = ", ".join(name for name in MODULES if "." not in name)
        raise ModuleNotFoundError(
            f"No module named {fullname!r} in this sandbox. It has these: {names}.", name=fullname
        )


def _keep_event_loops_off_sockets() -> None:
    """Let asyncio wake itself without the socket pair and the epoll handle, which are refused."""

    def no_pipe(loop: Any) -> None:
        loop._ssock = loop._csock = None  # noqa: SLF001 - there is no public way to make a loop without sockets

    events: Any = importlib.import_module("asyncio.selector_events")
    events.BaseSelectorEventLoop._make_self_pipe = no_pipe  # noqa: SLF001 - the same
    events.BaseSelectorEventLoop._close_self_pipe = no_pipe  # noqa: SLF001 - the same
    selectors: Any = importlib.import_module("selectors")
    selectors.DefaultSelector = selectors.SelectSelector
    importlib.import_module("concurrent.futures.thread")
    # The first event loop imports the running loop's policy; later imports would fail.
    importlib.import_module("asyncio").new_event_loop().close()


def _keep_zones() -> None:
    """Let zoneinfo find the time zones without files."""
    importlib.import_module(f"{__package__}.zones").keep_zones()


_SETTLING = {"asyncio": _keep_event_loops_off_sockets, "zoneinfo": _keep_zones}
"""Further preparation of some modules, so that they need no system calls later."""


_LOCAL = Path("/etc/localtime")
_MAGIC = b"TZif"


def keep_local_zone() -> None:
    """Set ``TZ`` to the local zone's rule, so that the C library never looks for its file again."""
    try:
        data = _LOCAL.read_bytes()
    except OSError:
        data = b""
    # A zone's file ends with its rule between two line breaks: CET-1CEST,M3.5.0,M10.5.0/3.
    rule = data.rstrip(b"\n").rpartition(b"\n")[2] if data.startswith(_MAGIC) else b""
    os.environ["TZ"] = rule.decode("ascii", "replace") or "UTC0"
    time.tzset()
