"""One step of the walk from fault to fault: past all that needs no mending, up to a fault and over it, if it is a usual one.

A usual fault shows in one pattern, and is mended in one way wherever it stands. All of them are groups of one pattern,
behind what may stand before them, so that a step takes one call. What is wrong with the rest all the same, the C scanner
will say.
"""

import re
from collections.abc import Callable
from json.encoder import encode_basestring
from typing import NamedTuple

from actionledger.tolerant_json.escapes import requoted
from actionledger.tolerant_json.notes import After, in_quotes
from actionledger.tolerant_json.patterns import GAP, OTHER_SPACE, STRING, B
from actionledger.tolerant_json.scalars import JSON_LITERALS
from actionledger.vocabulary import RepairKind

_PLAIN_SCALAR = r"(?:-?(?:0|[1-9]\d*+)(?:\.\d++)?(?:[eE][+-]?\d++)?|true|false|null)"
_SCALAR = rf"(?:{STRING}|{_PLAIN_SCALAR})"


def _container(value: str) -> str:
    """Return the pattern of a valid container of such values."""
    members = rf'\{{{B}(?:{STRING}{B}:{B}{value}{B}(?:,{B}(?=")|(?=\}})))*+\}}'
    elements = rf"\[{B}(?:{value}{B}(?:,{B}(?=[^\]])|(?=\])))*+\]"
    return rf"(?:{members}|{elements})"


_FLAT = _container(_SCALAR)
_NESTED = _container(rf"(?:{_SCALAR}|{_FLAT})")


class Usual(NamedTuple):
    """A usual fault.

    Args:
        kind: the repair that it takes.
        pattern: what it looks like, in one group.
        after: what it is noted to be read as.
        write: what to write for it, given what stands there.
    """

    kind: RepairKind
    pattern: str
    after: After
    write: Callable[[str], str]


def _blank(written: str) -> str:
    return " " * len(written)  # what keeps its length needs no shift


def _in_double_quotes(written: str) -> str:
    return f'"{written[1:-1]}"'


def _as_literal(written: str) -> str:
    return JSON_LITERALS[written]


_BEHIND_ITEM = r"(?<=[}\]\"0-9a-zA-Z])"
_PLAIN = r"[^'\"“”‘’«»`\\\x00-\x1f]*+"
_SPACE = OTHER_SPACE.pattern

_USUAL = (
    Usual(RepairKind.UNQUOTED_KEY, rf"([^\W\d][\w$]*+)(?={B}:)", in_quotes, encode_basestring),
    Usual(RepairKind.QUOTES, rf"('{_PLAIN}'|“{_PLAIN}”)(?={B}[:,}}\]])", requoted, _in_double_quotes),
    Usual(RepairKind.LITERAL, rf"(True|False|None)(?={B}[,}}\]])", _as_literal, _as_literal),
    Usual(RepairKind.SPACE, rf"({_SPACE})", " ", _blank),
    Usual(RepairKind.COMMENT, r"((?://|#)[^\n\"]*+)(?=\n)", "", _blank),
    Usual(RepairKind.TRAILING_COMMA, rf"{_BEHIND_ITEM}(,)(?={B}[}}\]])", "", _blank),
    Usual(RepairKind.COLON, r"(=>|=(?!=))", ":", lambda _: ":"),
    Usual(RepairKind.EXTRA_COMMA, rf",{B}(,)(?={B}[^\s,;}}\]/#])", "", _blank),
    Usual(RepairKind.SEPARATOR, rf"{_BEHIND_ITEM}(;)(?={B}[\"\w'{{\[\-])", ",", lambda _: ","),
)

USUAL = dict(enumerate(_USUAL, 1))
"""The usual faults by the group that finds them."""

OPENS, CLOSES, LOOSE = len(USUAL) + 1, len(USUAL) + 2, len(USUAL) + 3
"""The groups of STEP for an opening bracket, for a closing one with what may follow it, and for a string behind which a
colon or a comma was left out, with the blanks behind it."""

_VALID_SCALAR = rf"{STRING}(?={B}[:,}}\];=/#])|{_PLAIN_SCALAR}(?={B}[,}}\];]|[ \t\r\n]++[/#])"
_VALID = rf"{_VALID_SCALAR}|,(?={GAP}[^\s,;}}\]/#\ufeff\u200b-\u200d\u2060])"
_ANY_USUAL = "|".join(usual.pattern for usual in _USUAL)

STEP = re.compile(
    rf"(?:[ \t\r\n:]*+(?:{_VALID}|{_NESTED}(?={B}[,}}\]])))*+[ \t\r\n:]*+"
    rf"(?:{_ANY_USUAL}|([{{\[])|([}}\]])(?={B}[,}}\]])|((?!\"\"\"){STRING}{B})(?=[\"{{\[\dtfn-]))?"
)
"""What needs no mending, whole containers included, and what stands behind it: a usual fault or a bracket, if any."""

RUN = re.compile(rf"(?:[ \t\r\n:{{}}\[\]]*+(?:{_VALID}))*+[ \t\r\n:{{}}\[\]]*+(?:{_ANY_USUAL})?")
"""What needs no mending, brackets of all kinds included, and the usual fault behind it, if any."""
