"""Reports as one HTML file, which needs no network, runs no script, and shows model output only as text."""

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TypeAlias

from actionledger.core.hooks import drawn
from actionledger.core.html import chip, escaped, faithful, frame, heading
from actionledger.core.rates import Rate
from actionledger.core.tables import Markup, box
from actionledger.core.text import counted
from actionledger.core.vocabulary import SENTENCES, Capture, ExecutionStatus, Origin
from actionledger.ledger.queries import Comparison, Execution, Response, Session, TurnDetail
from actionledger.replay.contrasts import Contrast
from actionledger.report.exports.parts import Track, spent

# The page may load nothing and run no script, whatever its texts contain.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="referrer" content="no-referrer"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title><style>{style}</style></head><body>
"""
_STYLE = (
    ":root{color-scheme:light dark}body{max-width:1080px;margin:24px auto;padding:0 20px;font:14px/1.5 system-ui,sans-serif}"
    "section{margin:0 0 28px}.al-box{max-height:none}h1{font-size:22px}h2{font-size:16px;margin:0 0 6px}"
    "pre{border:1px solid rgba(128,128,128,.35)!important;border-radius:6px;max-height:480px;overflow:auto}"
)
_TONES = {
    ExecutionStatus.SUCCEEDED: "good",
    ExecutionStatus.FAILED: "bad",
    ExecutionStatus.TIMED_OUT: "bad",
    ExecutionStatus.DENIED: "fair",
}
_LONGEST = 20_000
_SHORT = 2_000
_EXAMPLES = 20


def session_report(track: Track) -> Iterator[str]:
    """Yield a session's report, piece by piece."""
    session = track.session
    yield _begin(session.title or f"Session {session.external_id or session.session_id}")
    yield frame(heading("Session", *_facts(session, len(track.indexes))))
    for detail in track.turns():
        yield f'<section id="turn-{detail.response.index}">{frame("".join(_turn(detail)))}</section>\n'
    yield "</body></html>\n"


def comparison_report(comparison: Comparison, names: tuple[str, str]) -> Iterator[str]:
    """Yield the report of two parses of the same turns."""
    before, after = names
    yield _begin(f"{before} and {after}")
    rates = [(before, _rate(comparison.before)), (after, _rate(comparison.after))]
    yield frame(
        heading("Two readings of the same turns", f"<b>{comparison.pairs:,}</b> turns"),
        box(("read by", "success, of those that meant to act in both"), rates),
        box(
            ("what became of a turn", "turns"),
            [(key.replace("_", " "), count) for key, count in comparison.counts.items()],
        ),
    )
    for bucket, turns in comparison.turns.items():
        rows = [
            (turn.session_id, turn.turn_index, turn.model, str(turn.before), str(turn.after))
            for turn in turns[:_EXAMPLES]
        ]
        if rows:
            title = f"{bucket.replace('_', ' ')}, examples"
            yield f"<section>{frame(heading(title), box(('session', 'turn', 'model', before, after), rows))}</section>\n"
    yield "</body></html>\n"


def contrast_report(found: Contrast, names: tuple[str, str]) -> Iterator[str]:
    """Yield the report of two sets of responses that share no turns."""
    yield _begin(" and ".join(names))
    yield f"<section>{drawn(found, 'html')}</section>\n</body></html>\n"


Tabled: TypeAlias = tuple[str, Sequence[str], Sequence[Sequence[object]]]
"""A table of a report: its title, its heads, its rows."""


def tables_report(title: str, tables: Sequence[Tabled]) -> Iterator[str]:
    """Yield a report that consists of tables."""
    yield _begin(title)
    for name, heads, rows in tables:
        yield f"<section>{frame(heading(name), box(heads, rows))}</section>\n"
    yield "</body></html>\n"


def _begin(title: str) -> str:
    return _PAGE.format(policy=POLICY, title=escaped(title), style=_STYLE) + f"<h1>{escaped(title)}</h1>\n"


def _facts(session: Session, turns: int) -> list[str]:
    ended = session.outcome.words if session.outcome else "outcome not recorded"
    begun = f"{session.started_at:%Y-%m-%d %H:%M} UTC" if session.started_at else "time not recorded"
    told = [
        counted(turns, "turn"),
        session.source,
        session.profile.removeprefix("none"),
        session.model,
        "" if session.title else session.task,
        begun,
        ended,
    ]
    return [escaped(fact) for fact in told if fact]


def _turn(detail: TurnDetail) -> Iterator[str]:
    response, attempt = detail.response, detail.attempt
    yield heading(
        f"Turn {response.index}",
        chip(attempt.outcome.said if attempt else "not read"),
        *map(escaped, (*_about(response), *(each.message.rstrip(".") for each in detail.notes))),
    )
    if response.prompt is not None:
        yield _passage("Input", response.prompt, is_open=len(response.prompt) <= _SHORT)
    if response.reasoning is not None:
        yield _passage("Thoughts", response.reasoning)
    if response.text.strip() or not detail.actions:
        yield _passage("Response", response.text, is_open=True)
    if detail.actions:
        rows = [
            (action.name, Markup(chip(action.status.said)), _whole(action.arguments))
            for action in detail.actions
        ]
        yield box(("tool call", "schema", "arguments"), rows, mono=frozenset({2}))
    if detail.issues:
        yield box(
            ("issue", "what it means"), [(str(issue.code), SENTENCES[issue.code]) for issue in detail.issues]
        )
    if detail.executions:
        yield box(
            ("tool", "status", "reason", "how", "result"),
            list(map(_execution, detail.executions)),
            mono=frozenset({4}),
        )
    for told in response.told:
        yield _passage("Sent back to the model", told.text)


def _about(response: Response) -> Iterator[str]:
    if response.model:
        yield response.model
    if response.capture is not Capture.TEXT:
        yield response.capture.said
    yield from spent(response)
    if not response.text_is_exact:
        yield "a secret or a broken character was replaced before it was recorded"


def _execution(execution: Execution) -> tuple[object, ...]:
    how = [
        "executed by the recorded agent"
        if execution.origin is Origin.RECORDED
        else f"executed by actionledger, try {execution.try_number}",
        "" if execution.exit_status is None else f"exit {execution.exit_status}",
        "" if execution.duration_ms is None else f"{execution.duration_ms:,.1f} ms",
        "inferred from words" if execution.is_inferred else "",
    ]
    told = execution.message or ("" if execution.result in {"", "null"} else execution.result)
    return (
        execution.name,
        Markup(chip(execution.status, _TONES.get(execution.status, ""))),
        str(execution.reason or "").replace("_", " "),
        ", ".join(filter(None, how)),
        _whole(_as_text(told)),
    )


def _passage(title: str, text: str, *, is_open: bool = False) -> str:
    shown = " open" if is_open else ""
    return f'<details{shown}><summary>{escaped(title)}</summary><pre class="al-raw">{faithful(text)}</pre></details>'


def _as_text(told: str) -> str:
    """Return the value of a JSON string, so that its lines are lines; anything else as it is."""
    with suppress(ValueError):
        if told.startswith('"') and isinstance(value := json.loads(told), str):
            return value
    return told


def _whole(text: str) -> Markup:
    """Return a cell that, unlike other tables' cells, has its whole text; a very long one says what is missing."""
    more = len(text) - _LONGEST
    return Markup(
        faithful(text[:_LONGEST]) + (f"… and {counted(more, 'more character')}" if more > 0 else "")
    )


def _rate(rate: Rate) -> str:
    return str(rate)
