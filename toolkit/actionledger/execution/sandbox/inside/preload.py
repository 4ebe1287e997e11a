"""The modules that the code may import: loaded beforehand, since no file can be opened later."""

import asyncio
import codecs
import importlib
import selectors
import sys
from asyncio import selector_events
from importlib.abc import MetaPathFinder
from importlib.machinery import BuiltinImporter, FrozenImporter, ModuleSpec
from typing import Any

MODULES = (
    *("abc", "array", "ast", "asyncio", "base64", "binascii", "bisect", "calendar", "cmath"),
    *("collections", "collections.abc", "colorsys", "configparser", "contextlib", "contextvars", "copy"),
    *("csv", "dataclasses", "datetime", "decimal", "difflib", "enum", "fnmatch", "fractions"),
    *("functools", "graphlib", "hashlib", "heapq", "hmac", "html", "html.parser", "inspect", "io"),
    *("ipaddress", "itertools", "json", "keyword", "linecache", "logging", "math", "numbers", "operator"),
    *("os", "pathlib", "pickle", "pprint", "queue", "random", "re", "reprlib", "secrets", "shlex"),
    *("statistics", "string", "struct", "sys", "textwrap", "threading", "time", "timeit", "tomllib"),
    *("traceback", "types", "typing", "unicodedata", "urllib.parse", "uuid", "warnings", "weakref"),
    *("xml.etree.ElementTree", "zlib", "zoneinfo"),
)
"""What can be imported, with the modules that these import themselves."""

_NEEDED_LATER = ("_strptime", "concurrent.futures.thread")
_ENCODINGS = (
    *("ascii", "base64", "cp1252", "hex", "idna", "latin-1", "punycode", "raw_unicode_escape", "rot13"),
    *("unicode_escape", "utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-16-le", "utf-32", "zlib"),
)


def preload() -> None:
    """Load every module and encoding that the code may ask for."""
    for name in (*MODULES, *_NEEDED_LATER):
        importlib.import_module(name)
    for name in _ENCODINGS:
        codecs.lookup(name)
    _keep_event_loops_off_sockets()


def close_imports() -> None:
    """Let imports find what is loaded, and nothing else."""
    # ctypes built the walls; foreign code has no use for it.
    for name in ("ctypes", "_ctypes"):
        sys.modules.pop(name, None)
    sys.path.clear()
    sys.meta_path[:] = [BuiltinImporter, FrozenImporter, _Refusal()]


class _Refusal(MetaPathFinder):
    """Says of a module that it isn't here, and which are."""

    def find_spec(self, fullname: str, *_: object) -> ModuleSpec | None:
        """Refuse."""
        names = ", ".join(name for name in MODULES if "." not in name)
        raise ModuleNotFoundError(
            f"No module named {fullname!r} in this sandbox. It has these: {names}.", name=fullname
        )


def _keep_event_loops_off_sockets() -> None:
    """Have asyncio wake itself without the pair of sockets and the epoll handle that the walls refuse."""

    def no_pipe(loop: Any) -> None:
        loop._ssock = loop._csock = None  # noqa: SLF001 - there is no public way to make a loop without sockets

    loop_class: Any = selector_events.BaseSelectorEventLoop
    loop_class._make_self_pipe = loop_class._close_self_pipe = no_pipe  # noqa: SLF001 - the same
    module: Any = selectors
    module.DefaultSelector = selectors.SelectSelector
    # An event loop asks for the running loop's policy once; a first one now leaves nothing to import later.
    asyncio.new_event_loop().close()
