"""A response with its blocks, actions and repairs marked where they are; its text content is the response itself."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from actionledger.core.formatting.html import escaped, faithful
from actionledger.core.formatting.text import cut
from actionledger.core.values import ParseResult, Repair, Span
from actionledger.core.vocabulary import ActionStatus, BlockStatus, ExecutionStatus, Outcome

TONES: dict[str, str] = {
    Outcome.CLEAN: "good",
    Outcome.REPAIRED: "fair",
    Outcome.PARTIAL: "fair",
    Outcome.FAILED: "bad",
    BlockStatus.STRICT: "good",
    BlockStatus.MALFORMED: "bad",
    ActionStatus.VALID: "good",
    ActionStatus.COERCED: "fair",
    ActionStatus.NEEDS_APPROVAL: "fair",
    ActionStatus.INVALID: "bad",
    ActionStatus.UNKNOWN: "bad",
    ExecutionStatus.SUCCEEDED: "good",
    ExecutionStatus.TIMED_OUT: "bad",
    ExecutionStatus.DENIED: "bad",
    ExecutionStatus.RATE_LIMITED: "fair",
    ExecutionStatus.SKIPPED: "fair",
    ExecutionStatus.PENDING: "fair",
    ExecutionStatus.INTERRUPTED: "bad",
}
"""How a status looks: ``good``, ``fair`` or ``bad``; one that is none of these is plain."""


@dataclass(frozen=True, slots=True, order=True)
class _Mark:
    """An element around a stretch; of two that begin together, the one that holds the other sorts first."""

    start: int
    neg_end: int
    depth: int
    opening: str = field(compare=False)

    @property
    def end(self) -> int:
        return -self.neg_end


def annotated(result: ParseResult) -> str:
    """Return a response as one ``pre`` element whose text content is the response."""
    return f'<pre class="al-raw"><span>{"".join(_pieces(result))}</span></pre>'


def _pieces(result: ParseResult) -> Iterator[str]:
    text, at = result.text, 0
    ends: list[int] = []
    for mark in sorted(_marks(result)):
        while ends and ends[-1] <= mark.start:
            yield faithful(text[at : ends[-1]]) + "</span>"
            at = ends.pop()
        yield faithful(text[at : mark.start]) + mark.opening
        at = mark.start
        # An element can't cross the end of another one, so its own is brought forward.
        ends.append(min(mark.end, *ends[-1:], len(text)))
    for end in reversed(ends):
        yield faithful(text[at:end]) + "</span>"
        at = end
    yield faithful(text[at:])


def _marks(result: ParseResult) -> Iterator[_Mark]:
    for block in result.blocks:
        what = f"block {block.index} · {block.dialect} · {block.status}"
        yield _mark(block.span, 0, f'class="al-block" data-tag="{escaped(cut(what, 80))}"')
        for repair in block.repairs:
            yield _mark(repair.span, 2, f'class="al-fix" title="{escaped(_change(repair))}"')
    for index, call in enumerate(result.actions):
        if call.span.end > call.span.start:
            title = escaped(cut(f"action {index}: {call.name or 'unnamed'}, {call.status.said}", 160))
            yield _mark(call.span, 1, f'class="al-act {TONES.get(call.status, "")}" title="{title}"')


def _mark(span: Span, depth: int, attributes: str) -> _Mark:
    return _Mark(span.start, -span.end, depth, f"<span {attributes}>")


def _change(repair: Repair) -> str:
    return f"{repair.kind}: {cut(repair.before, 80)!r} read as {cut(repair.after, 80)!r}"
