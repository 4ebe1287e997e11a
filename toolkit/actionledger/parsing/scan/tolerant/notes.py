"""What reading leaves behind: notes of what was repaired, and the two ways in which it can stop.

A note is a plain tuple, because a badly broken text has thousands of them and making one must cost next to nothing. It
becomes a ``Repair`` when somebody asks for it (see ``decoded``).
"""

from collections.abc import Callable
from json.encoder import encode_basestring

from actionledger.parsing.scan.tolerant.escapes import unescape
from actionledger.values import Issue, Span
from actionledger.vocabulary import Reason, RepairKind

After = str | Callable[[str], str]
"""What a stretch was read as, as JSON has it; or the function that says so of the stretch, when somebody asks."""

Note = tuple[RepairKind, int, int, After]
"""A kind of repair, start and end of the stretch, and what it was read as."""


def in_quotes(text: str) -> str:
    """Return a text as a JSON string."""
    return encode_basestring(text)


def requoted(written: str) -> str:
    """Return a string in other quotes as a JSON string."""
    return encode_basestring(unescape(written[1:-1]).value)


def triple_requoted(written: str) -> str:
    """Return a string in triple quotes as a JSON string."""
    return encode_basestring(unescape(written[3:-3]).value)


_OTHER_REASONS = {RepairKind.DROPPED_TAIL: Reason.TRUNCATED}


def reason_for(kind: RepairKind) -> Reason:
    """Return why a text is refused that needs a repair of this kind."""
    return _OTHER_REASONS.get(kind) or Reason(kind.value)


class RefusedError(Exception):
    """The text can't be read, or not in one plain way."""

    def __init__(self, code: Reason, start: int, end: int, detail: str = "") -> None:
        super().__init__(code)
        self.issue = Issue(code, Span(start, end), detail)


class CutError(Exception):
    """The text ends in the middle of a key or a scalar."""
