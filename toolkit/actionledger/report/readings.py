"""A response with its parsed calls and results marked: as HTML for a notebook, in lines for a terminal."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from actionledger.core.html import chip, escaped, faithful, frame, heading
from actionledger.core.tables import Markup, box
from actionledger.core.text import counted, cut, visible
from actionledger.core.values import ActionCall, Issue, Observation, ParseResult, Repair, Span, Turn
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
"""A status's display style: ``good``, ``fair`` or ``bad``; any other status is plain."""


@dataclass(frozen=True, slots=True, order=True)
class _Mark:
    """An element around a part of the text; if two begin together, the outer one sorts first."""

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
        # Elements must nest, so an inner one ends at the latest with the one around it.
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


_MOST_LINES = 12
_MOST_ROWS = 100
_LONGEST_LINE = 110


def reading_html(result: ParseResult) -> str:
    """Return a parse result as a display: the response with its places marked, then its actions, repairs and issues."""
    return frame(_reading_top("ParseResult", result), *reading_parts(result))


def explanation_html(result: ParseResult) -> str:
    """Return an annotated response as a display."""
    return frame(_reading_top("Response", result), *reading_parts(result))


def turn_html(turn: Turn) -> str:
    """Return a turn as a display: its actions' results, the feedback to the model, then the parse result."""
    top = heading(
        f"Turn {turn.index}",
        chip(turn.result.outcome.said, TONES.get(turn.result.outcome, "")),
        escaped(counted(len(turn.observations), "observation")),
        f"session <b>{escaped(turn.session_id)}</b>",
    )
    stopped = (
        f'<div class="al-top">{chip("stopped", "bad")} {escaped(turn.stopped)}</div>' if turn.stopped else ""
    )
    seen = {id(issue) for issue in turn.result.issues}
    own = [issue for issue in turn.issues if id(issue) not in seen]
    return frame(
        top,
        stopped,
        _observations(turn.observations),
        _issues(own),
        folded(
            "What the model is told next", f'<pre class="al-told"><span>{escaped(turn.feedback)}</span></pre>'
        )
        if turn.feedback
        else "",
        folded("What was read", *reading_parts(turn.result)),
    )


def reading_line(result: ParseResult) -> str:
    return f"<ParseResult {_summary(result)}>"


def turn_line(turn: Turn) -> str:
    came = ", ".join(f"{seen.name} {seen.status}" for seen in turn.observations[:4])
    more = f" and {len(turn.observations) - 4:,} more" if len(turn.observations) > 4 else ""
    stopped = "; stopped" if turn.stopped else ""
    return visible(
        f"<Turn {turn.index} of {cut(turn.session_id, 8)}: {turn.result.outcome.said}; "
        f"{cut(came, _LONGEST_LINE) or 'nothing was run'}{more}{stopped}>"
    )


def reading_text(result: ParseResult) -> str:
    """Return a parse result as a few lines, one per action and issue."""
    return _lines(_summary(result), [*_action_lines(result), *_issue_lines(result.issues)])


def turn_text(turn: Turn) -> str:
    """Return a turn as a few lines: its parse, its results and the feedback to the model."""
    seen = [
        f"  {seen.action_index} {seen.name} {seen.status}{f': {seen.message}' if seen.message else ''}"
        for seen in turn.observations
    ]
    stopped = [f"  stopped: {turn.stopped}"] if turn.stopped else []
    return _lines(
        f"turn {turn.index}: {_summary(turn.result)}", [*seen, *_issue_lines(turn.issues), *stopped]
    )


def _summary(result: ParseResult) -> str:
    names = ", ".join(f"{cut(call.name, 24) or 'unnamed'} {call.status.said}" for call in result.actions[:3])
    more = ", …" if len(result.actions) > 3 else ""
    actions = counted(len(result.actions), "action") + (f" ({names}{more})" if names else "")
    parts = [
        actions,
        counted(len(result.blocks), "block"),
        counted(len(result.repairs), "repair"),
        counted(len(result.issues), "issue"),
    ]
    return visible(
        f"{result.outcome.said}, read by {cut(result.parser_name, 40)}: {', '.join(parts)} "
        f"in {counted(len(result.text), 'character')}"
    )


def _action_lines(result: ParseResult) -> Iterator[str]:
    for index, call in enumerate(result.actions):
        came = call.status.said
        yield f"  action {index} {cut(call.name, 40) or 'unnamed'} {came} {_at(call.span)} {_json(call.arguments)}"
        for error in call.errors:
            yield f"    {error.message}"


def _issue_lines(issues: tuple[Issue, ...]) -> Iterator[str]:
    for issue in issues:
        yield f"  {issue.code}{f' {_at(issue.span)}' if issue.span else ''}: {issue.message}"


def _lines(first: str, rest: list[str]) -> str:
    shown = [cut(visible(line), _LONGEST_LINE) for line in rest[:_MOST_LINES]]
    more = [f"  and {counted(len(rest) - _MOST_LINES, 'more line')}"] if len(rest) > _MOST_LINES else []
    return "\n".join([first, *shown, *more])


def _reading_top(title: str, result: ParseResult) -> str:
    return heading(
        title,
        chip(result.outcome.said, TONES.get(result.outcome, "")),
        f"read by <b>{escaped(result.parser_name)}</b>",
        f"checked against <b>{escaped(result.catalogue)}</b>"
        if result.catalogue
        else "checked against nothing",
        escaped(counted(len(result.text), "character")),
    )


def reading_parts(result: ParseResult) -> Iterator[str]:
    """Yield the parts of a parse result's display: the response, its actions, its repairs, its issues."""
    if result.text:
        yield f'<div class="al-box">{annotated(result)}</div>'
    yield _actions(result.actions)
    yield _repairs(result)
    yield _issues(result.issues)


def _actions(calls: tuple[ActionCall, ...]) -> str:
    rows = [
        (
            index,
            _name(call.name),
            Markup(chip(came := call.status.said, TONES.get(came, ""))),
            _at(call.span),
            _json(call.arguments),
            " ".join(error.message for error in call.errors) or (call.reason or ""),
        )
        for index, call in enumerate(calls)
    ]
    return _listed(
        ("action", "name", "status", "characters", "arguments", "what is wrong"), rows, frozenset({3, 4})
    )


def _repairs(result: ParseResult) -> str:
    rows = [
        (block.index, repair.kind, _at(repair.span), repr(repair.before), repr(repair.after))
        for block in result.blocks
        for repair in block.repairs
    ]
    return _listed(("block", "repair", "characters", "before", "read as"), rows, frozenset({2, 3, 4}))


def _issues(issues: tuple[Issue, ...] | list[Issue]) -> str:
    rows = [(issue.code, _at(issue.span) if issue.span else "", issue.message) for issue in issues]
    return _listed(("issue", "characters", "what it is"), rows, frozenset({1}))


def _observations(observations: tuple[Observation, ...]) -> str:
    rows = [
        (
            seen.action_index,
            _name(seen.name),
            Markup(chip(seen.status, TONES.get(seen.status, ""))),
            round(seen.duration_ms, 1) if seen.status.has_duration else "",
            seen.message or _json(seen.result),
        )
        for seen in observations
    ]
    return _listed(("action", "name", "came to", "ms", "result"), rows, frozenset({4}))


def _listed(columns: Sequence[str], rows: Sequence[Sequence[object]], mono: frozenset[int]) -> str:
    if not rows:
        return ""
    more = len(rows) - _MOST_ROWS
    rest = f'<div class="al-foot">and {more:,} more</div>' if more > 0 else ""
    return box(columns, rows[:_MOST_ROWS], mono=mono) + rest


def folded(title: str, *parts: str) -> str:
    """Return parts of a display, folded until their title is clicked."""
    return f"<details><summary>{escaped(title)}</summary>{''.join(parts)}</details>"


def _name(name: str) -> str:
    return name or "unnamed"


def _at(span: Span) -> str:
    return f"[{span.start}:{span.end}]"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


_MOST_STEPS = 100


def recorded_html(recorded: Any, result: ParseResult | None) -> str:
    """Return a recorded turn as a display."""
    response = recorded.detail.response
    at = f"{response.occurred_at:%Y-%m-%d %H:%M:%S} UTC" if response.occurred_at else ""
    read = (
        chip(result.outcome.said, TONES.get(result.outcome, ""))
        + f" read by <b>{escaped(result.parser_name)}</b>"
        if result
        else chip("not read")
    )
    return frame(
        heading(f"{recorded.name}#{response.index}", read, at),
        _section("What the model was shown", response.prompt),
        _section("What it thought", response.reasoning),
        *(reading_parts(result) if result else (_raw(response.text),)),
        _steps(recorded.steps),
        *(
            _section("What the model was told next", step.text)
            for step in recorded.steps
            if step.kind == "told"
        ),
        f'<div class="al-foot">{escaped(recorded.address)}</div>',
    )


def _section(title: str, text: str | None) -> str:
    return folded(title, f'<pre class="al-told"><span>{escaped(text)}</span></pre>') if text else ""


def _raw(text: str) -> str:
    return (
        f'<div class="al-box"><pre class="al-raw"><span>{faithful(text)}</span></pre></div>' if text else ""
    )


def _steps(steps: Any) -> str:
    rows = [
        (
            "" if step.action_index is None else step.action_index,
            step.name or "unnamed",
            Markup(chip(step.status or step.kind, TONES.get(step.status, ""))),
            step.reason,
            "" if step.duration_ms is None else round(step.duration_ms, 1),
            "recorded" if str(step.origin) == "recorded" else "",
            step.text,
        )
        for step in steps
        if step.kind != "told"
    ]
    if not rows:
        return '<div class="al-foot">no result is recorded</div>'
    more = len(rows) - _MOST_STEPS
    rest = f'<div class="al-foot">and {more:,} more</div>' if more > 0 else ""
    columns = ("action", "name", "came to", "why", "ms", "by", "result")
    return box(columns, rows[:_MOST_STEPS], mono=frozenset({6})) + rest
