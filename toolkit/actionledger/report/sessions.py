"""Rerun sessions, a session's steps, a rate and a ledger: as HTML for a notebook, as lines for a terminal."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from actionledger.core.html import chip, escaped, frame, heading
from actionledger.core.rates import Rate
from actionledger.core.tables import box
from actionledger.core.text import counted, cut, laid_out, visible

_LONGEST = 300
_MOST = 20
_TONES = {"identical": "good", "diverged": "bad", "refused": "fair"}


def rerun_text(report: Any, reasons: Mapping[str, str]) -> str:
    """Return a report as a few lines."""
    counts = ", ".join(f"{count:,} {name}" for name, count in report.counts.items())
    lines = [f"{counted(len(report.sessions), 'session')} run again: {counts}; run {report.run_id}"]
    lines += [
        f"refused {count:,}: {reasons.get(reason, reason)}" for reason, count in report.refusals.items()
    ]
    for each in _parted(report):
        lines += [f"session {each.session_id}: {_summary(each)}", *_lines(each)]
    return "\n".join(lines)


def rerun_html(report: Any, reasons: Mapping[str, str]) -> str:
    """Return a report as HTML; see ``rerun_text``."""
    chips = [
        chip(f"{count:,} {name}", _TONES[name] if count else "") for name, count in report.counts.items()
    ]
    refused = [
        f'<div class="al-foot">{escaped(f"refused {count:,}: {reasons.get(reason, reason)}")}</div>'
        for reason, count in report.refusals.items()
    ]
    parts = [
        f"<details open><summary>{escaped(each.session_id)} {escaped(_summary(each))}</summary>"
        f'<div class="al-box"><pre class="al-raw">{escaped(chr(10).join(_lines(each)))}</pre></div></details>'
        for each in _parted(report)
    ]
    return frame(heading(f"{counted(len(report.sessions), 'session')} run again", *chips), *refused, *parts)


def _parted(report: Any) -> Iterable[Any]:
    return [each for each in report.sessions if each.verdict == "diverged" or each.unstable][:_MOST]


def _summary(each: Any) -> str:
    behind = sum(turn.verdict == "not_comparable" for turn in each.turns)
    comparable = f"; {counted(behind, 'turn')} after it not comparable" if behind else ""
    return f"{each.verdict}; {each.performed:,} executions run again, {each.from_record:,} taken from the record{comparable}"


def _lines(each: Any) -> Iterator[str]:
    for number, one in enumerate(each.divergences[:_MOST]):
        yield from _divergence(one, "first divergence" if number == 0 else "and")
    for one in each.unstable[:_MOST]:
        yield from _divergence(one, "differs anyway")
    for left in each.left_out[:_MOST]:
        yield f"  left out: {visible(left.path)}: {visible(left.why)}"


def _divergence(one: Any, head: str) -> Iterator[str]:
    where = f"turn {one.turn_index}"
    if one.action_index is not None:
        where += f", action {one.action_index} ({visible(one.action)})"
    yield f"  {head}: {where}, {visible(one.field)} [{one.cause}]"
    if one.diff:
        yield from (f"    {laid_out(line)}" for line in one.diff.splitlines())
    else:
        yield f"    recorded: {_value(one.recorded)}"
        yield f"    rerun:    {_value(one.rerun)}"


def _value(value: Any) -> str:
    return cut(visible(json.dumps(value, ensure_ascii=False, default=str)), _LONGEST)


_MOST_PATHS = 5
_MOST_STEPS = 200
_LONGEST_STEP = 120


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
    return cut(f"{where:<9} {actions or '-'}: {_changes(step)}", _LONGEST_STEP)


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


def rate_html(rate: Rate) -> str:
    """Return a rate as a display: its interval on a bar from 0 to 1, with the numbers."""
    value = rate.value
    low, high = rate.interval if rate.interval is not None and value is not None else (0.0, 0.0)
    spread = f'<i style="left:{low:.2%};width:{high - low:.2%}"></i>' if high > low else ""
    mark = f'<u style="left:{value:.2%}"></u>' if value is not None else ""
    bar = f'<span class="al-bar">{spread}{mark}</span>'
    return frame(f'<div class="al-top">{bar} <span>{escaped(str(rate))}</span></div>')


def ledger_html(ledger: Any, state: str, counts: Sequence[Sequence[object]]) -> str:
    """Return a ledger's content as a display."""
    top = heading("Ledger", f"<b>{escaped(str(ledger.path))}</b>", chip(state))
    return frame(top, box(("table", "rows"), counts) if counts else "")
