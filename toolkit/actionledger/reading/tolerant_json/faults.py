"""The faults in models' JSON, in one table with their look, their repair and whether it guesses; and the options.

All readers, the options, the documentation's page and the tests use this table. A fault's *usual* form shows in one
pattern and has one repair everywhere, so that a run over the text finds it. For other forms, a reader must know the context.
"""

import json
from json.encoder import encode_basestring
from typing import Any

from pydantic import Field, field_serializer

from actionledger.core.settings import Settings
from actionledger.core.vocabulary import RepairKind
from actionledger.reading.tolerant_json.escapes import requoted, triple_requoted, with_controls_escaped
from actionledger.reading.tolerant_json.notes import Fault
from actionledger.reading.tolerant_json.patterns import JSON_LITERALS, SPACES, B, number_of


def _in_double_quotes(written: str) -> str:
    return f'"{written[1:-1]}"'  # a usual string has nothing to escape


def as_literal(written: str) -> str:
    """Return JSON's form of a literal in another notation."""
    return JSON_LITERALS[written]


def _as_non_finite(written: str) -> str:
    return json.dumps(float(written))


def _as_number(written: str) -> str:
    return json.dumps(number_of(written))


_BEHIND_ITEM = r"(?<=[}\]\"0-9a-zA-Z])"
_PLAIN = r"[^'\"“”‘’«»`\\\x00-\x1f]*+"

UNQUOTED_KEY = Fault(
    RepairKind.UNQUOTED_KEY,
    "{a: 1}",
    '{"a": 1}',
    looks=r"[\w$][\w$.\-]*+",
    usual=rf"([^\W\d][\w$]*+)(?={B}:)",
    after=encode_basestring,
)
QUOTES = Fault(
    RepairKind.QUOTES,
    "{'a': “b”}",
    '{"a": "b"}',
    usual=rf"('{_PLAIN}'|“{_PLAIN}”)(?={B}[:,}}\]])",
    after=requoted,
    write=_in_double_quotes,
    is_python=True,
)
TRIPLE_QUOTES = Fault(
    RepairKind.TRIPLE_QUOTES,
    '{"a": """say "hi" now"""}',
    r'{"a": "say \"hi\" now"}',
    after=triple_requoted,
    is_python=True,
)
STRING_PREFIX = Fault(RepairKind.STRING_PREFIX, '{"a": u"b"}', '{"a": "b"}', is_python=True)
INNER_QUOTE = Fault(RepairKind.INNER_QUOTE, '{"a": "say "hi" now"}', r'{"a": "say \"hi\" now"}')
UNCLOSED_STRING = Fault(RepairKind.UNCLOSED_STRING, '{"a": "x, "b": 1}', '{"a": "x", "b": 1}', after='"')
CONTROL_CHARACTER = Fault(
    RepairKind.CONTROL_CHARACTER, '["one\ntwo"]', r'["one\ntwo"]', after=with_controls_escaped
)
ESCAPE = Fault(RepairKind.ESCAPE, r'["\d+"]', r'["\\d+"]')
CONCATENATION = Fault(
    RepairKind.CONCATENATION, '["a" + "b"]', '["ab"]', looks=rf"{B}(\+){B}(?=[\"'`“”„‘’«»])"
)
UNQUOTED_VALUE = Fault(
    RepairKind.UNQUOTED_VALUE,
    '{"a": red}',
    '{"a": "red"}',
    looks=r"[A-Za-z][A-Za-z0-9+.\-]*+://[^\s,;}\])\"'<>`]++"  # an address, or words on one line
    r"|[\w$@~./\\%\-][\w$@~./\\%:!?&'’#\-]*+(?:[ \t]++[\w$@~.\\%&\-][\w$@~./\\%:!?&'’\-]*+)*+",
    after=encode_basestring,
    guesses=True,
)
LITERAL = Fault(
    RepairKind.LITERAL,
    "[True, None]",
    "[true, null]",
    usual=rf"(True|False|None)(?={B}[,}}\]])",
    after=as_literal,
    is_python=True,
)
NON_FINITE_NUMBER = Fault(RepairKind.NON_FINITE_NUMBER, "[-inf]", "[-Infinity]", after=_as_non_finite)
NUMBER = Fault(RepairKind.NUMBER, "[0x1F, 1_000, .5]", "[31, 1000, 0.5]", after=_as_number, is_python=True)
SPACE = Fault(
    RepairKind.SPACE, "[1,\xa02]", "[1, 2]", looks=rf"{SPACES}++", usual=rf"({SPACES}++)", after=" "
)
COMMENT = Fault(
    RepairKind.COMMENT,
    "[1, // one\n2]",
    "[1, 2]",
    # of C, JavaScript, Python, a shell or HTML; none crosses a line that may close the block
    looks=r"//[^\n]*+|#[^\n]*+|/\*(?:[^*\n]++|\*(?!/)|\n(?![ \t]*+(?:```|~~~)))*+\*/"
    r"|<!--(?:[^\-\n]++|-(?!->))*+-->",
    usual=r"((?://|#)[^\n\"]*+)(?=\n)",
    is_python=True,
)
TRAILING_COMMA = Fault(
    RepairKind.TRAILING_COMMA,
    "[1, 2,]",
    "[1, 2]",
    usual=rf"{_BEHIND_ITEM}(,)(?={B}[}}\]])",
    is_python=True,
)
COLON = Fault(
    RepairKind.COLON,
    '{"a" = 1, "b" => 2}',
    '{"a": 1, "b": 2}',
    looks=r"=>|:=|=(?!=)|：",
    usual=r"(=>|=(?!=))",
    after=":",
)
MISSING_COLON = Fault(RepairKind.MISSING_COLON, '{"a" 1}', '{"a": 1}', after=":")
MISSING_COMMA = Fault(RepairKind.MISSING_COMMA, '["a" "b"]', '["a", "b"]', after=",")
EXTRA_COMMA = Fault(
    RepairKind.EXTRA_COMMA,
    "[1,, 2]",
    "[1, 2]",
    looks=rf"[,;](?:{B}[,;])*+",  # nothing is between them
    usual=rf",{B}(,)(?={B}[^\s,;}}\]/#])",
)
SEPARATOR = Fault(
    RepairKind.SEPARATOR,
    "[1; 2]",
    "[1, 2]",
    usual=rf"{_BEHIND_ITEM}(;)(?={B}[\"\w'{{\[\-])",
    after=",",
)
ELLIPSIS = Fault(
    RepairKind.ELLIPSIS,
    "[1, 2 ...]",
    "[1, 2]",
    looks=rf"(?:\.{{3,}}+|…)(?:{B},)?+",  # the comma after them is removed with them
    guesses=True,
)
MISSING_CLOSER = Fault(RepairKind.MISSING_CLOSER, '{"a": [1, 2}', '{"a": [1, 2]}')
EXTRA_CLOSER = Fault(
    RepairKind.EXTRA_CLOSER,
    '{"a": [1]], "b": 2}',
    '{"a": [1], "b": 2}',
    looks=r"([}\])])(?:\s*+\1)*+",  # the same one repeatedly
)
BRACKETS = Fault(RepairKind.BRACKETS, "[(1, 2)]", "[[1, 2]]", is_python=True)
MISSING_OPENER = Fault(RepairKind.MISSING_OPENER, '"a": 1}', '{"a": 1}', after="{", guesses=True)
MISSING_VALUE = Fault(
    RepairKind.MISSING_VALUE, '{"a": , "b": 1}', '{"a": null, "b": 1}', after="null", guesses=True
)
SKIPPED = Fault(
    RepairKind.SKIPPED,
    '{"a": 1, and "b": 2}',
    '{"a": 1, "b": 2}',
    looks=r"[^\W\d][\w'’\-]*+(?:[ \t]++[^\W\d][\w'’\-]*+){0,7}+[.!?]?(?=[ \t\r\n]*+[\"'{\[}\],])",
    guesses=True,
)
DROPPED_TAIL = Fault(RepairKind.DROPPED_TAIL, '{"a": 1, "b', '{"a": 1}')


def of_literal(value: Any) -> Fault:
    """Return the fault of a word for this value: JSON has no form for NaN and infinity."""
    return NON_FINITE_NUMBER if isinstance(value, float) else LITERAL


FAULTS = tuple(value for value in tuple(globals().values()) if isinstance(value, Fault))
"""All of them, in the order above."""


JSON_REPAIRS = frozenset(fault.kind for fault in FAULTS)
"""Every kind of repair of a JSON value itself; the others concern its surroundings."""

GUESSES = frozenset(fault.kind for fault in FAULTS if fault.guesses)
"""The kinds of repair that guess at content.

A text without quotes may be a variable; dots replace omitted text; a misplaced word may have meant
something. Reading such a value does no harm, but acting on it may: a parser of actions refuses it by default.
"""


class DecodeOptions(Settings):
    """The decoder's options: part of a parser's identity.

    Args:
        repairs: the allowed kinds of repair; an empty set means strict reading. A text that needs another
            kind is refused, never read in another way.
        likelier: whether a text with two readings, or one that needs a guess, is read in the likelier way, with an
            issue about the doubt; otherwise it is refused. A parser of actions refuses it.
        max_depth: the maximal nesting of a value.
        calls: whether Python calls such as ``name(a=1)`` are values too. Python's own notation within their
            brackets is no repair.
        work: the maximum of steps for one value; a step reads at least one token.

    Raises:
        UsageError: an option has a value that it can't have.

    Example:
        >>> strict = al.DecodeOptions(repairs=frozenset())
        >>> al.decode("[1, 2,]").ok, al.decode("[1, 2,]", options=strict).ok
        (True, False)
    """

    repairs: frozenset[RepairKind] = JSON_REPAIRS
    likelier: bool = False
    max_depth: int = Field(default=200, ge=1, le=500)
    calls: bool = False
    work: int = Field(default=5_000_000, ge=1)

    @field_serializer("repairs")
    def _repairs_in_order(self, repairs: frozenset[RepairKind]) -> list[RepairKind]:
        """Sort the repairs: a set's own order, and so the parser's hash, would differ between processes."""
        return sorted(repairs)


LENIENT = DecodeOptions(likelier=True)
STRICT = DecodeOptions(repairs=frozenset())
