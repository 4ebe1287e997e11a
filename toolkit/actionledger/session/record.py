"""What is recorded of a live session: its beginning, its events, its end."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from actionledger.errors import UsageError
from actionledger.events import (
    ApprovalRequested,
    Event,
    ExecutionFinished,
    ExecutionStarted,
    ResponseReceived,
    SystemNoted,
    TurnFinished,
    TurnResumed,
)
from actionledger.execution.profile import Profile
from actionledger.ids import new_id
from actionledger.ledger import Ledger
from actionledger.recording import (
    Recorder,
    RunKey,
    SessionKey,
    json_text,
    now,
    parser_used,
    run_finished,
    run_started,
    session_finished,
    session_started,
)
from actionledger.temporary import TemporaryFolder
from actionledger.vocabulary import ExecutionStatus

_OWN_METADATA = ("workspace", "temporary")
"""What a session says of its folder, so that it can be reopened there."""

_KEPT_AT_ONCE = (ResponseReceived, ApprovalRequested, ExecutionStarted, TurnFinished, TurnResumed)


class SessionRecord:
    """Records one session; what must not be lost is on disk before the session goes on.

    Args:
        ledger: where it is recorded; None if nowhere.
        source: where the session comes from.
        metadata: what else is recorded of it, as JSON values by name.
        temporary: the session's folder, if it is removed on close.
        listen: is told each event once it is recorded.

    Raises:
        UsageError: the metadata has a name that the session itself needs.
    """

    def __init__(
        self,
        ledger: Ledger | None,
        *,
        source: str,
        metadata: Mapping[str, Any],
        temporary: TemporaryFolder | None,
        listen: Recorder | None,
    ) -> None:
        for name in _OWN_METADATA:
            if name in metadata:
                raise UsageError(
                    f"The metadata has {name!r}, which the session records itself; take another name."
                )
        self._ledger = ledger
        self._source = source
        self._metadata = dict(metadata)
        self._temporary = temporary
        self._listen = listen
        self.has_begun = False

    def event(self, event: Event) -> None:
        """Record an event."""
        if self._ledger is not None:
            self._ledger.record(event)
            if isinstance(event, _KEPT_AT_ONCE) or _is_pending(event):
                self._ledger.flush()
            if self._temporary and isinstance(event, ApprovalRequested):
                self._temporary.keep()  # another process may be the one that carries it out
        if self._listen is not None:
            self._listen(event)

    def begin(self, session: SessionKey, run: RunKey, profile: Profile, workspace: Path) -> None:
        """Record that the session begins, or goes on."""
        place = {"workspace": str(workspace), "temporary": self._temporary is not None}
        self.event(run_started(run, name=f"live {profile.name}", source=""))
        self.event(parser_used(profile.parser, run.run_id))
        self.event(
            session_started(
                session,
                run.run_id,
                external_id="",
                source=self._source,
                started_at=now(),
                metadata=json_text(self._metadata | place),
            )
        )
        self.has_begun = True

    def note(
        self, session: SessionKey, run: RunKey, code: str, message: str, detail: Mapping[str, Any]
    ) -> None:
        """Record something about the session that a reviewer should see."""
        self.event(
            SystemNoted(
                event_id=new_id(),
                recorded_at=now(),
                run_id=run.run_id,
                code=code,
                message=message,
                session_id=session.session_id,
                detail=dict(detail),
            )
        )

    def finish(
        self, session: SessionKey, run: RunKey, *, turns: int, success: bool | None, reason: str
    ) -> None:
        """Record that the session ends."""
        finished = session_finished(session, run.run_id, success=success, reason=reason, finished_at=now())
        self.event(finished)
        self.event(run_finished(run, turns=turns))
        if self._ledger:
            self._ledger.flush()


def _is_pending(event: Event) -> bool:
    return isinstance(event, ExecutionFinished) and event.status is ExecutionStatus.PENDING
