"""Sessions run again, beside their records: as HTML for a notebook, in a few lines for a terminal."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from actionledger.core.formatting.html import chip, escaped, frame, heading
from actionledger.core.formatting.text import cut, laid_out, visible
from actionledger.core.plurals import counted

_LONGEST = 300
_MOST = 20
_TONES = {"identical": "good", "diverged": "bad", "refused": "fair"}


def rerun_text(report: Any, reasons: Mapping[str, str]) -> str:
    """Return a report in some lines."""
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
    comparable = f"; {counted(behind, 'turn')} behind it not comparable" if behind else ""
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
