"""Valid JSON as one pattern: what can be passed over on the way to the next fault."""

import re

from actionledger.parsing.scan.tolerant.patterns import GAP, STRING, B

_SCALAR = rf"(?:{STRING}|-?(?:0|[1-9]\d*+)(?:\.\d++)?(?:[eE][+-]?\d++)?|true|false|null)"


def _container(value: str) -> str:
    """Return the pattern of a valid container of such values."""
    members = rf'\{{{B}(?:{STRING}{B}:{B}{value}{B}(?:,{B}(?=")|(?=\}})))*+\}}'
    elements = rf"\[{B}(?:{value}{B}(?:,{B}(?=[^\]])|(?=\])))*+\]"
    return rf"(?:{members}|{elements})"


_FLAT = _container(_SCALAR)
_NESTED = _container(rf"(?:{_SCALAR}|{_FLAT})")

VALID_STRETCH = re.compile(
    rf"(?:[ \t\r\n:]++|{STRING}(?={B}[:,}}\];=/#])|{_SCALAR}(?={B}[,}}\];]|[ \t\r\n]++[/#])"
    rf"|,(?={GAP}[^\s,;}}\]/#\ufeff\u200b-\u200d\u2060])|{_NESTED}(?={B}[,}}\]]))*+"
)
"""What needs no mending, whole containers included. What is wrong with it all the same, the C scanner will say."""
