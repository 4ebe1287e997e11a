"""Calls of offered tools whose arguments can't be read: how far they reach, and whether they were meant for all that."""

import re

from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import Reason
from actionledger.reading.evidence.names import Mention
from actionledger.reading.evidence.own_marks import MARK, mark_before, mark_behind, prefix_before

NAMELESS = "It is what is left of a call whose name is lost."
"""What is said of arguments and closing marks without a call."""

EXPRESSION = "An argument is an expression."
"""What is said of a call whose arguments call something else."""

_VARIABLE = "may be a text or a name."
_BRACKET = re.compile(r"""\"(?:[^"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'|(?P<opens>[\[({])|(?P<closes>[\])}])""")
_SIGNATURE = re.compile(
    r"\w[ \t]*+:[ \t]*+(?:str|int|float|bool|dict|list|tuple|set|object|any|Any|Optional|List|Dict|Union|string|number|integer|boolean)\b"
    r"|\.\.\.|…"
)
_LONGEST = 4_000
_ROLES = r"(?:assistant|commentary|analysis|final)*+[ \t]*+"
_MARKS_BEFORE = re.compile(rf"(?:(?:{MARK})\s*+)*(?:{_ROLES})\Z")
_NEXT_MARK = re.compile(rf"(?:(?!\n[ \t\r]*\n)[^<\[]|[<\[](?!/?[|｜‖A-Za-z]))*+(?:{MARK})")
_OBJECT = re.compile(r"\s*+(?:[a-z]{2,10}+\s*+)?(?=\{)")
_BRACE = re.compile(r"[{}]")
_MOST_MARKS = 200
_WINDOW = 200


def has_names(issue: Issue) -> bool:
    """Return whether a call can't be read since its arguments may be variables, or are expressions."""
    return issue.detail == EXPRESSION or (issue.code is Reason.AMBIGUOUS and issue.detail.endswith(_VARIABLE))


def is_signature(text: str, span: Span) -> bool:
    """Return whether a call says what it takes, with types or dots for values."""
    return _SIGNATURE.search(text, *span) is not None


def end_of_call(text: str, mention: Mention, end: int) -> int:
    """Return where the brackets behind a name close, or its line ends where they don't."""
    depth, stop = 0, min(end, mention.end + _LONGEST)
    for token in _BRACKET.finditer(text, mention.end, stop):
        if token["opens"]:
            depth += 1
        elif token["closes"]:
            depth -= 1
            if depth <= 0:
                return token.end() if depth == 0 else token.start()
    line = text.find("\n", mention.end, stop)
    return line if line >= 0 else stop


def own_span(text: str, mention: Mention, low: int, end: int) -> Span:
    """Return where a call stands that has some of its format's marks, with those before and behind."""
    start = prefix_before(text, mention.start)
    if text.startswith("}", start):
        return Span(_object_before(text, start, low), mention.end)
    before = mark_before(text, start)
    start = max(low, start if before is None else before)
    window = max(low, start - _WINDOW)
    if marks := _MARKS_BEFORE.search(text[window:start]):
        start = window + marks.start()
    at, stop = mark_behind(text, mention.end) or mention.end, min(end, mention.end + _LONGEST)
    if holds := _OBJECT.match(text, at, stop):
        at = max(at, end_of_call(text, mention._replace(end=holds.end()), stop))
    for _ in range(_MOST_MARKS):
        if not (mark := _NEXT_MARK.match(text, at, stop)):
            break
        at = mark.end()
    return Span(start, min(at, end))


def _object_before(text: str, at: int, low: int) -> int:
    """Return where the object begins that a bracket closes; where the bracket stands if none does."""
    depth = 0
    for token in reversed([*_BRACE.finditer(text, max(low, at - _LONGEST), at + 1)]):
        depth += 1 if token[0] == "}" else -1
        if depth == 0:
            return token.start()
    return at
