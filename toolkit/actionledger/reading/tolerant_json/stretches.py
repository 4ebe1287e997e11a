"""One step of the walk from fault to fault: past all that needs no mending, up to a fault and over it, if it is a usual one.

The usual faults are groups of one pattern, behind what may stand before them, so that a step takes one call. What is wrong
with the rest all the same, the C scanner will say.
"""

import re

from actionledger.reading.tolerant_json.faults import FAULTS
from actionledger.reading.tolerant_json.patterns import GAP, STRING, B

_PLAIN_SCALAR = r"(?:-?(?:0|[1-9]\d*+)(?:\.\d++)?(?:[eE][+-]?\d++)?|true|false|null)"
_SCALAR = rf"(?:{STRING}|{_PLAIN_SCALAR})"


def _container(value: str) -> str:
    """Return the pattern of a valid container of such values."""
    members = rf'\{{{B}(?:{STRING}{B}:{B}{value}{B}(?:,{B}(?=")|(?=\}})))*+\}}'
    elements = rf"\[{B}(?:{value}{B}(?:,{B}(?=[^\]])|(?=\])))*+\]"
    return rf"(?:{members}|{elements})"


_FLAT = _container(_SCALAR)
_NESTED = _container(rf"(?:{_SCALAR}|{_FLAT})")


_USUAL = [fault for fault in FAULTS if fault.usual]

USUAL = dict(enumerate(_USUAL, 1))
"""The usual faults by the group that finds them."""

OPENS, CLOSES, LOOSE = len(USUAL) + 1, len(USUAL) + 2, len(USUAL) + 3
"""The groups of STEP for an opening bracket, for a closing one with what may follow it, and for a string behind which a
colon or a comma was left out, with the blanks behind it."""

_VALID_SCALAR = rf"{STRING}(?={B}[:,}}\];=/#])|{_PLAIN_SCALAR}(?={B}[,}}\];]|[ \t\r\n]++[/#])"
_VALID = rf"{_VALID_SCALAR}|,(?={GAP}[^\s,;}}\]/#\ufeff\u200b-\u200d\u2060])"
_ANY_USUAL = "|".join(fault.usual for fault in _USUAL)

STEP = re.compile(
    rf"(?:[ \t\r\n:]*+(?:{_VALID}|{_NESTED}(?={B}[,}}\]])))*+[ \t\r\n:]*+"
    rf"(?:{_ANY_USUAL}|([{{\[])|([}}\]])(?={B}[,}}\]])|((?!\"\"\"){STRING}{B})(?=[\"{{\[\dtfn-]))?"
)
"""What needs no mending, whole containers included, and what stands behind it: a usual fault or a bracket, if any."""

RUN = re.compile(rf"(?:[ \t\r\n:{{}}\[\]]*+(?:{_VALID}))*+[ \t\r\n:{{}}\[\]]*+(?:{_ANY_USUAL})?")
"""What needs no mending, brackets of all kinds included, and the usual fault behind it, if any."""
