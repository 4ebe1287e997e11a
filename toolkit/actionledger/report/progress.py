"""Progress display for long operations: a bar in a terminal or below a notebook's cell, otherwise nothing."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, Protocol

from actionledger.core.html import escaped, frame
from actionledger.core.text import counted, visible

_SECONDS = 0.2
"""Minimum time between updates of a notebook's bar, in seconds."""


class HowFar(Protocol):
    """The progress of an operation; if it also has ``bytes`` or ``done``, the bar shows that count."""

    @property
    def turns(self) -> int:
        """Number of turns processed."""

    @property
    def total(self) -> int | None:
        """Total to process; None if unknown."""


@contextmanager
def progress(label: str = "reading") -> Iterator[Callable[[HowFar], None]]:
    """Show an operation's progress in a terminal or a notebook that uses Jupyter's protocol; elsewhere show nothing.

    Args:
        label: the operation's name.

    Returns:
        A context manager that returns the callback for ``on_progress`` of ``import_path``, ``reparse`` and ``experiment``.

    Example:
        >>> from pathlib import Path
        >>> _ = Path("log.jsonl").write_text('{"session": "a", "text": "<execute>1 + 1</execute>"}')
        >>> with al.progress("importing") as tell:
        ...     al.import_path("log.jsonl", "team.duckdb", on_progress=tell).turns
        1
    """
    if _is_notebook():
        yield from _in_notebook(label)
    elif sys.stderr.isatty():
        from rich.console import Console  # noqa: PLC0415 - only for a watched run
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn  # noqa: PLC0415

        columns: tuple[Any, ...] = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[turns]}"),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
            task = shown.add_task(label, total=None, turns="")
            yield lambda now: shown.update(
                task, completed=_done(now), total=now.total, turns=counted(now.turns, "turn")
            )
    else:
        yield lambda _: None


def _is_notebook() -> bool:
    """Return whether this runs in a notebook's kernel, the only place where IPython's kernel is loaded."""
    if "ipykernel" not in sys.modules:
        return False
    from IPython.core.getipython import get_ipython  # noqa: PLC0415 - it is loaded

    return getattr(get_ipython(), "kernel", None) is not None


def _in_notebook(label: str) -> Iterator[Callable[[HowFar], None]]:
    from IPython.display import display  # noqa: PLC0415 - it is loaded

    handle = display(_bar(label, None), raw=True, display_id=True)
    shown_at, last = 0.0, None

    def tell(now: HowFar) -> None:
        nonlocal shown_at, last
        last = now
        if monotonic() - shown_at >= _SECONDS:
            shown_at = monotonic()
            handle.update(_bar(label, now), raw=True)

    try:
        yield tell
    finally:
        handle.update(_bar(label, last, is_over=True), raw=True)


def _bar(label: str, now: HowFar | None, *, is_over: bool = False) -> dict[str, str]:
    turns = f": {counted(now.turns, 'turn')}" if now else ""
    words = f"{label}{turns}{', over' if is_over else ''}"
    total = now.total if now else None
    done = f' value="{_done(now)}" max="{total}"' if now and total else ""
    bar = "" if is_over else f"<progress{done}></progress> "
    shown = frame(f'<div class="al-foot">{bar}{escaped(words)}</div>')
    return {"text/html": shown, "text/plain": visible(words)}


def _done(now: HowFar) -> int:
    for name in ("done", "bytes"):
        if (found := getattr(now, name, None)) is not None:
            return int(found)
    return now.turns
