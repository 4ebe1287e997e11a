"""Which modules the code may import. Pure: the host asks too, and must not load any of them for that."""

import re

COMMON = (
    *("abc", "array", "ast", "base64", "binascii", "bisect", "calendar", "cmath", "collections"),
    *("collections.abc", "colorsys", "contextlib", "contextvars", "copy", "csv", "dataclasses", "datetime"),
    *("decimal", "enum", "fnmatch", "functools", "hashlib", "heapq", "html", "inspect", "io", "itertools"),
    *("json", "keyword", "linecache", "math", "numbers", "operator", "os", "pathlib", "pprint", "random"),
    *("re", "reprlib", "shlex", "string", "struct", "sys", "textwrap", "threading", "time", "timeit"),
    *("traceback", "types", "typing", "unicodedata", "warnings", "weakref", "zlib"),
)
"""Those that are loaded before anybody knows the code."""

RARE = (
    *("asyncio", "configparser", "difflib", "fractions", "graphlib", "hmac", "html.parser", "ipaddress"),
    *("logging", "pickle", "queue", "secrets", "statistics", "tomllib", "urllib.parse", "uuid"),
    *("xml.etree.ElementTree", "zoneinfo"),
)
"""Those that are loaded where the code names them: all of them would take as long again, every time."""

MODULES = tuple(sorted((*COMMON, *RARE)))
"""All of them, with the modules that these import themselves."""


def rare_modules_in(code: str) -> list[str]:
    """Return the rare modules that a code may import: their names occur in it, wherever that is."""
    words = set(re.findall(r"\w+", code))
    return [name for name in RARE if name.partition(".")[0] in words]
