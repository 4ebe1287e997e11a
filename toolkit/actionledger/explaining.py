"""A response annotated: what was narrative, what a block, what became of it. Plain text, for terminal and notebook."""

from collections.abc import Iterator
from typing import Self

from actionledger.text import printable
from actionledger.values import ActionCall, Block, ParseResult, Span
from actionledger.vocabulary import SENTENCES, Reason

_WIDEST = 160


class Explanation(str):  # noqa: SLOT000 - it carries the reading, which a text has no slot for
    """A response annotated: its lines as text, and in a notebook the response with each place marked.

    Args:
        text: the lines.
        result: what was read.
    """

    def __new__(cls, text: str, result: ParseResult) -> Self:
        """Return the lines, with the reading that they were made from."""
        made = super().__new__(cls, text)
        made.result = result
        return made

    result: ParseResult

    def __repr__(self) -> str:
        return str(self)

    def __reduce__(self) -> tuple[type[Self], tuple[str, ParseResult]]:
        return type(self), (str(self), self.result)

    def _repr_html_(self) -> str:
        from actionledger.display.readings import explanation_html  # noqa: PLC0415 - only where it is looked at

        return explanation_html(self.result)


def explain(result: ParseResult) -> Explanation:
    """Return a response with every stretch of it marked.

    Args:
        result: what was read.

    Returns:
        Lines: ``|`` before narrative, ``>`` before a block's text, ``=`` before what was made of it. Every character of the
        response is in one of the first two kinds; control characters are shown as escapes.

    Example:
        >>> print(al.explain(al.parse("<execute>1 + 1</execute>", profile="mint")))
        = clean, read by mint
        > <execute>1 + 1</execute>
        = block 0, mint, strict [0:24]
        =   action 0, execute, valid [0:24]
    """
    return Explanation("\n".join(printable(line) for line in _lines(result)), result)


def _lines(result: ParseResult) -> Iterator[str]:
    yield f"= {result.outcome}, read by {result.parser_name}"
    at = 0
    for block in sorted(result.blocks, key=lambda block: block.span):
        yield from _shown("|", Span(at, block.span.start).of(result.text))
        yield from _shown(">", Span(max(at, block.span.start), block.span.end).of(result.text))
        yield from _block(block, result)
        at = max(at, block.span.end)
    yield from _shown("|", result.text[at:])
    in_blocks = {id(issue) for block in result.blocks for issue in block.issues}
    for issue in result.issues:
        if id(issue) not in in_blocks:
            yield f"= {issue.code}: {issue.message}"


def _block(block: Block, result: ParseResult) -> Iterator[str]:
    reason = f", {block.reason}: {SENTENCES[block.reason]}" if block.reason else ""
    yield f"= block {block.index}, {block.dialect}, {block.status} {_at(block.span)}{reason}"
    for repair in block.repairs:
        change = f"{_cut(repair.before)!r} read as {_cut(repair.after)!r}"
        yield f"=   repair {repair.kind} {_at(repair.span)}: {change}"
    for issue in block.issues:
        where = f" {_at(issue.span)}" if issue.span else ""
        yield f"=   issue {issue.code}{where}: {issue.message}"
    for index, call in enumerate(result.actions):
        if call.block == block.index:
            yield from _call(index, call)


def _call(index: int, call: ActionCall) -> Iterator[str]:
    yield f"=   action {index}, {_cut(call.name) or 'unnamed'}, {call.status} {_at(call.span)}"
    for error in call.errors:
        yield f"=     {error.code}: {error.message}"
    for path, before, after in call.conversions:
        yield f"=     {Reason.CONVERTED}: {path}: {_cut(before)} taken as {_cut(after)}"


def _shown(mark: str, text: str) -> Iterator[str]:
    for line in text.splitlines(keepends=True):
        yield f"{mark} {line.rstrip(chr(10))}"


def _cut(text: str) -> str:
    return text if len(text) <= _WIDEST else text[:_WIDEST] + "…"


def _at(span: Span) -> str:
    return f"[{span.start}:{span.end}]"
