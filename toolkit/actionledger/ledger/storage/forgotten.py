"""Which sessions are forgotten, so that nothing of them is taken in: by the last that was said of each. Pure."""

from collections.abc import Iterable
from datetime import datetime

from actionledger.core.events import SessionForgotten
from actionledger.core.vocabulary import ForgettingStep

STANDING = """
SELECT session_id::VARCHAR FROM forgotten GROUP BY session_id HAVING max_by(step, forgotten_at) = 'forgotten'"""
"""The same as a question to a ledger."""


class Forgotten:
    """The sessions that are forgotten.

    Args:
        steps: each session that was ever forgotten with what was decided, and when.
    """

    def __init__(self, steps: Iterable[tuple[str, str, datetime]]) -> None:
        self._sessions: set[str] = set()
        for session_id, step, _ in sorted(steps, key=lambda each: each[2]):
            self._note(session_id, step)

    def covers(self, event: object) -> bool:
        """Return whether an event is of a session that is forgotten; one that says so of a session is taken note of."""
        if isinstance(event, SessionForgotten):
            self._note(event.forgotten_session, event.step)
            return False
        return bool(self._sessions) and getattr(event, "session_id", None) in self._sessions

    def _note(self, session_id: str, step: str) -> None:
        if step == ForgettingStep.FORGOTTEN:
            self._sessions.add(session_id)
        else:
            self._sessions.discard(session_id)
