"""The modules that the code may import. Pure: the host queries the list too, and must not load them."""

import re

COMMON = (
    *("abc", "array", "ast", "base64", "binascii", "bisect", "calendar", "cmath", "collections"),
    *("collections.abc", "colorsys", "contextlib", "contextvars", "copy", "csv", "dataclasses", "datetime"),
    *("decimal", "enum", "fnmatch", "functools", "hashlib", "heapq", "html", "inspect", "io", "itertools"),
    *("json", "keyword", "linecache", "math", "numbers", "operator", "os", "pathlib", "pprint", "random"),
    *("re", "reprlib", "shlex", "string", "struct", "sys", "textwrap", "threading", "time", "timeit"),
    *("traceback", "types", "typing", "unicodedata", "warnings", "weakref", "zlib"),
)
"""Modules that are loaded before the code is known."""

RARE = (
    *("asyncio", "configparser", "difflib", "fractions", "graphlib", "hmac", "html.parser", "ipaddress"),
    *("logging", "pickle", "queue", "secrets", "statistics", "tomllib", "urllib.parse", "uuid"),
    *("xml.etree.ElementTree", "zoneinfo"),
)
"""Modules that are loaded only if the code names them: loading all would double the time of every start."""

MODULES = tuple(sorted((*COMMON, *RARE)))
"""All importable modules, including those that these import."""


def rare_modules_in(code: str) -> list[str]:
    """Return the rare modules whose names occur anywhere in the code."""
    words = set(re.findall(r"\w+", code))
    return [name for name in RARE if name.partition(".")[0] in words]
