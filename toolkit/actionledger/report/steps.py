"""A session's steps as HTML for a notebook, and as lines for a terminal; nothing is read for it."""

from typing import Any

from actionledger.core.formatting.html import escaped, frame, heading
from actionledger.core.formatting.text import cut, visible
from actionledger.core.plurals import counted

_MOST_PATHS = 5
_MOST_STEPS = 200
_LONGEST = 120


def steps_text(steps: Any) -> str:
    """Return steps as lines."""
    head = f"{counted(len(steps), 'step')} of the session {steps.session_id}"
    lines = [f"{number:>4}  {_line(step)}" for number, step in enumerate(steps[:_MOST_STEPS])]
    more = [f"      (… {counted(len(steps) - _MOST_STEPS, 'more step')})"] if len(steps) > _MOST_STEPS else []
    return "\n".join([head, *([steps.note] if steps.note else []), *lines, *more])


def steps_html(steps: Any) -> str:
    """Return steps as HTML; see ``steps_text``."""
    head, *lines = steps_text(steps).split("\n")
    body = (
        f'<div class="al-box"><pre class="al-raw">{escaped(chr(10).join(lines))}</pre></div>' if lines else ""
    )
    return frame(heading(head), body)


def _line(step: Any) -> str:
    where = "outside" if step.turn_index is None else f"turn {step.turn_index}"
    actions = ", ".join(f"{visible(each.name)} {each.status}" for each in step.actions)
    return cut(f"{where:<9} {actions or '-'}: {_changes(step)}", _LONGEST)


def _changes(step: Any) -> str:
    if step.before is None:
        return "not recorded"
    marks = [(_mark(change), visible(change.path)) for change in step.changes]
    shown = ", ".join(f"{mark}{path}" for mark, path in marks[:_MOST_PATHS])
    more = f" and {len(marks) - _MOST_PATHS:,} more" if len(marks) > _MOST_PATHS else ""
    return f"{shown}{more}" if marks else "nothing changed"


def _mark(change: Any) -> str:
    if change.before is None:
        return "+"
    return "~" if change.after is not None else "-"
