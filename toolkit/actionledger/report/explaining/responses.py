"""A response annotated, line by line: what was narrative, what a block, what became of it."""

import re
from collections.abc import Iterator

from actionledger.core.text import printable
from actionledger.core.values import ActionCall, Block, ParseResult, Span
from actionledger.core.vocabulary import SENTENCES, Reason

_WIDEST = 160
_NAMED = re.compile(r'\s{0,20}(?:\[\s{0,20})?\{\s{0,20}"action"\s{0,20}:\s{0,20}"([^"\\]{1,80})"')


def response_lines(result: ParseResult) -> Iterator[str]:
    """Yield a response line by line: ``|`` before narrative, ``>`` before a block's text, ``=`` before what was made of it."""
    return (printable(line) for line in _lines(result))


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
    is_open = block.reason is Reason.NOT_AN_ACTION and result.catalogue is None
    if is_open and (named := _NAMED.match(block.body.of(result.text))):
        yield f"=   nothing says that {named[1]!r} is an action: no tools were offered, and no fence or word announces one"
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
    yield f"=   action {index}, {_cut(call.name) or 'unnamed'}, {call.status.said} {_at(call.span)}"
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
