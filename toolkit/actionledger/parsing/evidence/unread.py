"""Calls of offered tools whose arguments can't be read: how far they reach, and whether they were meant for all that."""

import re

from actionledger.parsing.evidence.names import Mention
from actionledger.values import Issue, Span
from actionledger.vocabulary import Reason

EXPRESSION = "An argument is an expression."
"""What is said of a call whose arguments call something else."""

_VARIABLE = "may be a text or a name."
_BRACKET = re.compile(r"""\"(?:[^"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'|(?P<opens>[\[({])|(?P<closes>[\])}])""")
_SIGNATURE = re.compile(
    r"\w[ \t]*+:[ \t]*+(?:str|int|float|bool|dict|list|tuple|set|object|any|Any|Optional|List|Dict|Union|string|number|integer|boolean)\b"
    r"|\.\.\.|…"
)
_LONGEST = 4_000


def has_names(issue: Issue) -> bool:
    """Return whether a call can't be read since its arguments may be variables, or are expressions."""
    return issue.detail == EXPRESSION or (issue.code is Reason.AMBIGUOUS and issue.detail.endswith(_VARIABLE))


def is_signature(text: str, span: Span) -> bool:
    """Return whether a call says what it takes, with types or dots for values."""
    return _SIGNATURE.search(text, *span) is not None


def end_of_call(text: str, mention: Mention, end: int) -> int:
    """Return where the brackets behind a name close, or its line ends where they don't.

    Args:
        text: the response.
        mention: the name.
        end: where the text to look at ends, in code points.
    """
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
