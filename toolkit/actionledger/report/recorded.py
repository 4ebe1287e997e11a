"""A recorded turn as HTML for a notebook: what the model was shown, what it wrote, marked, and what came of it."""

from typing import Any

from actionledger.core.formatting.html import chip, escaped, faithful, frame, heading
from actionledger.core.formatting.tables import Markup, box
from actionledger.core.values import ParseResult
from actionledger.report.annotated import TONES
from actionledger.report.readings import folded, reading_parts

_MOST_STEPS = 100


def recorded_html(recorded: Any, result: ParseResult | None) -> str:
    """Return a recorded turn as a display."""
    response = recorded.detail.response
    at = f"{response.occurred_at:%Y-%m-%d %H:%M:%S} UTC" if response.occurred_at else ""
    read = (
        chip(result.outcome, TONES.get(result.outcome, "")) + f" read by <b>{escaped(result.parser_name)}</b>"
        if result
        else chip("not read")
    )
    return frame(
        heading(f"{recorded.name}#{response.index}", read, at),
        _told("What the model was shown", response.prompt),
        _told("What it thought", response.reasoning),
        *(reading_parts(result) if result else (_raw(response.text),)),
        _steps(recorded.steps),
        *(_told("What the model was told next", step.text) for step in recorded.steps if step.kind == "told"),
        f'<div class="al-foot">{escaped(recorded.address)}</div>',
    )


def _told(title: str, text: str | None) -> str:
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
        return '<div class="al-foot">nothing is recorded of what came of it</div>'
    more = len(rows) - _MOST_STEPS
    rest = f'<div class="al-foot">and {more:,} more</div>' if more > 0 else ""
    columns = ("action", "name", "came to", "why", "ms", "by", "result")
    return box(columns, rows[:_MOST_STEPS], mono=frozenset({6})) + rest
