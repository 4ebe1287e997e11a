"""What messages of the same failure have in common: what changes from one to the next is put out of sight. Pure."""

import re
from functools import lru_cache

LONGEST = 160
"""How long a signature is at most, in characters."""

_LOOKED_AT = 2_000
"""How much of a message is looked at, in characters."""

_FRAME = re.compile(
    r"\A(?:Command|Chunk ID|Wall time|Exit code|Process exited)\b.{0,2000}?^Output:$\n?",
    re.DOTALL | re.MULTILINE,
)
"""What a runtime puts around all that a program has printed, the same each time: with it, no two commands would be told apart."""

NO_OUTPUT = "no output"
"""What stands for the output of a program that has printed nothing."""

_THING, _TEXT, _PATH = "#", "…", "/…"
"""What stands for a number, an identifier, a hash or a time; for a quoted value; and for a path or an address.

Each is as short as what it stands for, so that no signature is longer than its message.
"""

_VARIABLE = re.compile(
    r"""
    (?P<text>
        "(?:[^"\\]|\\.)*" | `[^`]*` | “[^”]*”
        | (?<!\w)'(?:[^'] | (?<=\w)'(?=\w))*'(?!\w)         # an apostrophe within a word closes nothing
    )
    | (?P<path>
        \b[a-z][a-z0-9+.-]*://[^\s<>"'`]+
        | (?<![\w.\-/\\<~…#]) (?:[A-Za-z]:\\|~?/|\.{1,2}/)? [\w.\-…#]+ (?:[/\\]+[\w.\-…#]+)+ /?
        | (?<![\w.\-/\\<~…#]) ~?/[\w.\-…#]+ /?
    )
    | (?P<thing>
        \d{4}-\d\d-\d\d (?:[T\ ]\d\d:\d\d (?::\d\d (?:[.,]\d+)?)? (?:Z|[+-]\d\d:?\d\d)?)?
        | (?<!\w) [0-9a-f]{8} (?:-[0-9a-f]{4}){3} -[0-9a-f]{12} (?!\w)
        | (?<!\w) [0-9a-f]{8,} (?!\w)
        | (?<!\w) [-+]? \w*\d\w* (?:[.,:\-]\w*\d\w*)*
    )
    | (?P<list> \#(?:[\s,;:/+\-]+\#)+ | …(?:[\s,;]+…)+ )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_STANDS_FOR = {"text": _TEXT, "path": _PATH, "thing": _THING}


@lru_cache(maxsize=4096)
def signature(message: str) -> str:
    """Return what is left of a message without what changes from one to the next.

    Numbers, identifiers, hashes and times become ``#``, quoted values ``…``, paths and addresses ``/…``, several of them in a row
    one, and blanks of any kind one blank. A runtime's frame around what a program has printed is left out. The signature of a
    signature is itself.

    Args:
        message: what a runtime, a tool or a reader said.

    Returns:
        At most ``LONGEST`` characters, and never more than the message has.
    """
    framed = _FRAME.match(message)
    text = (message[framed.end() :].strip() or NO_OUTPUT if framed else message)[:_LOOKED_AT]
    while (shorter := _bounded(_VARIABLE.sub(_stand_in, " ".join(text.split())))) != text:
        text = shorter
    return text


def _stand_in(found: re.Match[str]) -> str:
    kind = found.lastgroup
    assert kind is not None
    return found[0][0] if kind == "list" else _STANDS_FOR[kind]


def _bounded(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1].rstrip() + _TEXT
