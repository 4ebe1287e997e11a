"""A session viewer for a notebook's cell: the dashboard's replay without a server."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from actionledger.core.errors import require_number
from actionledger.core.files import writing

if TYPE_CHECKING:
    from actionledger.ledger import Ledger
    from actionledger.ledger.queries.names import Called


@dataclass(frozen=True, slots=True)
class SessionView:
    """A session's turns as in the dashboard's replay; a notebook displays the value.

    Args:
        session: the session's display name.
        height: its height in a notebook, in pixels.
        drawn: the content, as plain values.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     turn_id = ledger.record_turn("s1", "<execute>1 + 1</execute>", profile="mint")
        ...     shown = al.view(ledger, "s1", height=500)
        >>> shown.html.startswith("<!doctype html>"), shown.height
        (True, 500)
    """

    session: str
    height: int
    drawn: dict[str, Any] = field(repr=False)

    @property
    def html(self) -> str:
        """The view as an HTML page with its scripts and styles included; it makes no network requests."""
        from actionledger_dashboard.viewer.page import page_of  # noqa: PLC0415 - it reads its scripts and styles

        return page_of(self.drawn, title=self.session)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page to a file.

        Args:
            path: the file; an existing one is replaced.

        Returns:
            The file.

        Raises:
            UsageError: it can't be written.

        Example:
            >>> with al.open_ledger("team.duckdb") as ledger:
            ...     turn_id = ledger.record_turn("s1", "<execute>1 + 1</execute>", profile="mint")
            ...     al.view(ledger, "s1").save("s1.html").name
            's1.html'
        """
        file = Path(path)
        with writing(file):
            file.write_text(self.html, encoding="utf-8")
        return file

    def _repr_html_(self) -> str:
        from actionledger_dashboard.viewer.page import frame_of  # noqa: PLC0415

        return frame_of(self.drawn, height=self.height)


def view(
    ledger: "Ledger",
    session: "Called",
    *,
    turn: int = 0,
    run: "Called | None" = None,
    near: int = 25,
    height: int = 720,
) -> SessionView:
    """Return a view that steps through a session's turns: input, response, parsed calls and tool results.

    Args:
        ledger: the ledger with the session.
        session: the session's id, name, the beginning of either, or its title.
        turn: the index of the turn to show first, from 0; the nearest one if it doesn't exist.
        run: the run whose parse to show, by its name or id; None for the first parse.
        near: number of turns to include before and after that one.
        height: the view's height in a notebook, in pixels.

    Raises:
        UsageError: the session or run is unknown, the name is ambiguous, or nothing of the session is recorded.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     turn_id = ledger.record_turn("s1", "<execute>1 + 1</execute>", profile="mint")
        ...     shown = al.view(ledger, "s1")
        >>> shown
        SessionView(session='s1', height=720)
    """
    from actionledger.ledger.queries.names import one_run, one_session, turn_place  # noqa: PLC0415 - only for display
    from actionledger_dashboard.viewer.queries import view_of  # noqa: PLC0415

    require_number("near", near, least=0)
    run_id = None if run is None else one_run(ledger, run)
    drawn = view_of(ledger, one_session(ledger, session), turn=turn_place(turn), run_id=run_id, near=near)
    return SessionView(str(session), height, drawn)
