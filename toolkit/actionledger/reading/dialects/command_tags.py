"""One command of a shell in a tag: the action of SWE-agent's responses, where the thought stands before it.

``<command>`` is a tag of anybody's configuration too, so every format together looks for one only where a shell was offered.
"""

import re
from collections.abc import Sequence
from typing import ClassVar, Literal, NamedTuple

from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import Reason
from actionledger.reading.dialects.base import Dialect, Found, Written
from actionledger.reading.dialects.parts.shells import one_command, shell_tool
from actionledger.reading.dialects.parts.verdicts import read_block, refused
from actionledger.reading.dialects.parts.writing import PlainCall
from actionledger.reading.scan.openings import Opening, at_line_start
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.options import DecodeOptions

_OPENER, _CLOSER = "<command>", "</command>"
_OPENS = re.compile(r"<[a-zA-Z][^<>]{0,200}>\s*\Z")
_TAG = re.compile(r"\s*</?[a-zA-Z]")
_LINE_ENDS = re.compile(r"[ \t]*(?:\r?\n|\Z)")
_NEXT_OPENER, _NEXT_CLOSER = re.compile(_OPENER), re.compile(_CLOSER)
_AROUND = 400
"""How many code points beside a pair are looked at for another tag."""


class CommandTags(Dialect):
    """The last ``<command>…</command>`` of a response is a command to run; what stands before it is thought.

    The runtime takes all from the last opening tag to the last closing one, whatever it is. Where a pair holds another tag of
    the two, that may be anything but the command, so it is malformed; so is a pair before the last, which the runtime drops.

    Args:
        needs_shell: whether it is looked for only where a tool was offered that runs a command of a shell, on lines of its
            own and not within another tag.
    """

    name: Literal["command_tags"] = "command_tags"
    needs_shell: bool = False
    source = "SWE-agent, sweagent/tools/parsing.py, XMLThoughtActionParser (xml_thought_action)"
    rules = (
        "Write exactly one command, between <command> and </command>, behind what you think; join several with && or ||.",
        "It is run as it stands: escape nothing.",
    )
    example = "I list the files.\n<command>\nls -la\n</command>"
    strings_only: ClassVar[bool] = True
    last_counts: ClassVar[bool] = True

    @property
    def literals(self) -> frozenset[str]:
        """The opening tag."""
        return frozenset({_OPENER})

    def read(self, source: Source, opening: Opening, end: int, _options: DecodeOptions) -> Found | None:
        """Read the command of the tag that opens here; see ``Dialect.read``."""
        name = shell_tool(source, is_needed=self.needs_shell)
        if not name:
            return None
        pair = _pair(source, opening, end)
        if pair is None or (self.needs_shell and not _stands_alone(source.text, pair.span)):
            return None
        if pair.issue:
            return self.unless_quoted(refused(pair.span, pair.body, pair.issue), source.text)
        call = Written(name, {"command": pair.body.of(source.text).strip()}, pair.span)
        return self.unless_quoted(read_block(pair.span, pair.body, (call,)), source.text)

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write the one command; see ``Dialect.write``."""
        return f"{_OPENER}\n{one_command(calls)}\n{_CLOSER}"


class _Pair(NamedTuple):
    """Two tags with what stands between them, and why that is not taken for the command."""

    span: Span
    body: Span
    issue: Issue | None


def _pair(source: Source, opening: Opening, end: int) -> _Pair | None:
    """Return the pair that opens here; None where the tag is only mentioned in a sentence before the one that counts."""
    text = source.text
    again = source.search(_NEXT_OPENER, opening.end, end)
    close = source.search(_NEXT_CLOSER, opening.end, end)
    if close >= again:
        if end in (again, close):
            issue = Issue(Reason.UNCLOSED_TAG, Span(opening.start, opening.end), f"The tag is {_OPENER}.")
            return _Pair(Span(opening.start, again), Span(opening.end, again), issue)
        if at_line_start(text, again) and not at_line_start(text, opening.start):
            return None
        return _to_the_last(text, opening, end, "A <command> stands within another one.")
    span, body = Span(opening.start, close + len(_CLOSER)), Span(opening.end, close)
    if again < end:
        detail = "The last command of a response counts, and another one stands behind it."
        return _Pair(span, body, Issue(Reason.AMBIGUOUS, body, detail))
    if source.find(_CLOSER, span.end, end) >= 0:
        return _to_the_last(text, opening, end, "Another </command> stands behind the first one.")
    is_empty = not body.of(text).strip()
    return _Pair(span, body, Issue(Reason.EMPTY_BLOCK, body) if is_empty else None)


def _to_the_last(text: str, opening: Opening, end: int, detail: str) -> _Pair:
    """Return all up to the last closing tag, whose command is unknown."""
    close = text.rfind(_CLOSER, opening.end, end)
    body = Span(opening.end, close)
    return _Pair(Span(opening.start, close + len(_CLOSER)), body, Issue(Reason.AMBIGUOUS, body, detail))


def _stands_alone(text: str, span: Span) -> bool:
    """Return whether a pair has its lines to itself and is no element of a larger one."""
    before, behind = text[max(0, span.start - _AROUND) : span.start], text[span.end : span.end + _AROUND]
    is_within = _OPENS.search(before) is not None or _TAG.match(behind) is not None
    return at_line_start(text, span.start) and _LINE_ENDS.match(behind) is not None and not is_within
