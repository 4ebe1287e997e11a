"""Numbers with what it takes to believe them: a rate with its interval, a ledger with what it holds."""

from collections.abc import Sequence
from typing import Any

from actionledger.core.formatting.html import chip, escaped, frame, heading
from actionledger.core.formatting.tables import box
from actionledger.core.rates import Rate


def rate_html(rate: Rate) -> str:
    """Return a rate as a display: its interval on a bar from 0 to 1, and the numbers."""
    bar = _bar(rate.value, rate.interval)
    return frame(f'<div class="al-top">{bar} <span>{escaped(str(rate))}</span></div>')


def ledger_html(ledger: Any, state: str, counts: Sequence[Sequence[object]]) -> str:
    """Return what a ledger holds as a display."""
    top = heading("Ledger", f"<b>{escaped(str(ledger.path))}</b>", chip(state))
    return frame(top, box(("table", "rows"), counts) if counts else "")


def _bar(value: float | None, interval: tuple[float, float] | None) -> str:
    low, high = interval if interval is not None and value is not None else (0.0, 0.0)
    spread = f'<i style="left:{low:.2%};width:{high - low:.2%}"></i>' if high > low else ""
    mark = f'<u style="left:{value:.2%}"></u>' if value is not None else ""
    return f'<span class="al-bar">{spread}{mark}</span>'
