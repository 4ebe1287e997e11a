"""What a model thinks to itself between ``<think>`` and ``</think>``: no narrative, and no action in it is meant."""

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from actionledger.parsing.dialects.base import Dialect, Found
from actionledger.parsing.scan.openings import Opening
from actionledger.parsing.scan.source import Source
from actionledger.tolerant_json.options import DecodeOptions
from actionledger.values import Issue, Span
from actionledger.vocabulary import BlockStatus, Reason

OPENER, CLOSER = "<think>", "</think>"

_ENDS_LINE = re.compile(r"[ \t]*+(?:\r?\n|\Z)")
_BLANKS = re.compile(r"\s*+")


class Reasoning(Dialect):
    """Thoughts in tags.

    A tag that is never closed holds thoughts to the end where it begins the response (the model was cut off thinking),
    and is a mention anywhere else. A closing tag that nothing opened ends the thoughts that the response begins with,
    where its line ends with it; anywhere else it is a mention.
    """

    name: Literal["reasoning"] = "reasoning"
    source = "The chat templates of DeepSeek-R1, Qwen3 and their descendants"
    example = "<think>\nThe user wants a list.\n</think>\nHere it is."

    @property
    def literals(self) -> frozenset[str]:
        """The tags; a closing one that nothing opened ends the thoughts that the response begins with."""
        return frozenset({OPENER, CLOSER})

    def read(self, source: Source, opening: Opening, end: int, _options: DecodeOptions) -> Found | None:
        """Pass over the thoughts that begin, or end, here; see ``Dialect.read``."""
        if opening.label == CLOSER:
            if not _ENDS_LINE.match(source.text, opening.end, end):
                return None
            found = _thoughts(Span(opening.start, opening.end), Span(opening.start, opening.start))
            return found if self.unless_quoted(found, source.text) is found else None
        close = source.find(CLOSER, opening.end, end)
        if close >= 0:
            found = _thoughts(Span(opening.start, close + len(CLOSER)), Span(opening.end, close))
            return self.unless_quoted(found, source.text)
        if _BLANKS.match(source.text).end() < opening.start:  # type: ignore[union-attr]
            return None
        issue = Issue(Reason.UNCLOSED_TAG, Span(opening.start, opening.end), f"The tag is {OPENER}.")
        return _thoughts(Span(opening.start, end), Span(opening.end, end), issue)


def is_ended(closer: Span, text: str) -> bool:
    """Return whether the line of a closing tag has ended: before that it may turn out to be a mention."""
    return _ENDS_LINE.match(text, closer.end) is not None and text.find("\n", closer.end) >= 0


def ends_thoughts(found: Found, text: str) -> bool:
    """Return whether a block is a closing tag that nothing opened: the template wrote the opening one for the model."""
    return found.reason is Reason.REASONING and found.span.of(text) == CLOSER


def thoughts_up_to(closer: Span, blocks: Sequence[Found]) -> Iterator[Found]:
    """Yield the thoughts that a response begins with, up to their closing tag.

    Args:
        closer: the closing tag.
        blocks: the blocks before it; they are thoughts as well, and none of their actions is meant.
    """
    at = 0
    for block in blocks:
        if at < block.span.start:
            yield _thoughts(Span(at, block.span.start), Span(at, block.span.start))
        yield block._replace(status=BlockStatus.IGNORED, reason=Reason.REASONING, issues=())
        at = block.span.end
    yield _thoughts(Span(at, closer.end), Span(at, closer.start))


def _thoughts(span: Span, body: Span, *issues: Issue) -> Found:
    return Found(BlockStatus.IGNORED, span, body, reason=Reason.REASONING, issues=issues)
