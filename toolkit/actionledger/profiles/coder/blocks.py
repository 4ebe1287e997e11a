"""SEARCH/REPLACE blocks in a field: several edits of one file as one text."""

import re

from actionledger.runtime.workspace import Edit

_BLOCK = re.compile(
    r"[\r\n]*[ \t]*<{7} SEARCH[ \t]*\r?\n(?P<both>.*?)^[ \t]*>{7} REPLACE[ \t]*\r?(?:\n|\Z)",
    re.DOTALL | re.MULTILINE,
)
_DIVIDER = re.compile(r"^[ \t]*={7}[ \t]*\r?\n", re.MULTILINE)
_FORM = "write '<<<<<<< SEARCH', the lines to replace, '=======', the new lines, '>>>>>>> REPLACE', each on its own line"


def edits_in(text: str) -> list[Edit]:
    """Return the edits that a text of SEARCH/REPLACE blocks holds; blank lines may stand between them."""
    edits: list[Edit] = []
    at, end = 0, len(text.rstrip())
    while at < end:
        block = _BLOCK.match(text, at)
        number = len(edits) + 1
        if block is None:
            raise ValueError(f"block {number} doesn't begin or end with its marker; {_FORM}")
        sides = _DIVIDER.split(block["both"])
        if len(sides) != 2:
            raise ValueError(f"block {number} has {len(sides) - 1} lines '======='; {_FORM}")
        edits.append(Edit.block(*sides))
        at = block.end()
    if not edits:
        raise ValueError(f"there is no block; {_FORM}")
    return edits


def checked_blocks(text: str) -> str:
    """Return a text of SEARCH/REPLACE blocks as it is."""
    edits_in(text)
    return text
