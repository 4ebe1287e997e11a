"""Numbers with what it takes to believe them: a rate with its interval, a ledger with what it holds."""

from collections.abc import Sequence

from actionledger.display.html import chip, escaped, frame, heading
from actionledger.display.tables import box

Interval = tuple[float, float]


def rate_html(value: float | None, interval: Interval | None, text: str) -> str:
    """Return a rate as a display: its interval on a bar from 0 to 1, and the numbers.

    Args:
        value: the share, 0 to 1; None where nothing was counted.
        interval: its ends, 0 to 1; None where there is none.
        text: the numbers in words.
    """
    return frame(f'<div class="al-top">{_bar(value, interval)} <span>{escaped(text)}</span></div>')


def holdings_html(path: str, state: str, counts: Sequence[Sequence[object]]) -> str:
    """Return what a ledger holds as a display.

    Args:
        path: its file.
        state: ``open``, ``open for reading`` or ``closed``.
        counts: names of tables with their rows; empty where they can't be had.
    """
    top = heading("Ledger", f"<b>{escaped(path)}</b>", chip(state))
    return frame(top, box(("table", "rows"), counts) if counts else "")


def _bar(value: float | None, interval: Interval | None) -> str:
    low, high = interval if interval is not None and value is not None else (0.0, 0.0)
    spread = f'<i style="left:{low:.2%};width:{high - low:.2%}"></i>' if high > low else ""
    mark = f'<u style="left:{value:.2%}"></u>' if value is not None else ""
    return f'<span class="al-bar">{spread}{mark}</span>'
