"""The record of a live session: its beginning, its events, its end."""

from collections.abc import Mapping

from actionledger.core.canonical import JsonMap, json_text
from actionledger.core.errors import UsageError, require_kind
from actionledger.core.events import (
    ApprovalRequested,
    Event,
    ExecutionFinished,
    ExecutionStarted,
    ResponseReceived,
    SystemNoted,
    TurnFinished,
    TurnResumed,
)
from actionledger.core.ids import new_id, now
from actionledger.core.recording import (
    Recorder,
    RunKey,
    SessionKey,
    parser_used,
    run_finished,
    run_started,
    session_finished,
    session_started,
)
from actionledger.core.vocabulary import ExecutionStatus, Relation
from actionledger.ledger import Ledger
from actionledger.ledger.queries.progress import recently_begun
from actionledger.runtime.execution.limits import Counter, Limits, LocalCounter
from actionledger.runtime.execution.profile import Profile
from actionledger.runtime.session.folder import SessionFolder
from actionledger.runtime.session.states.keeper import StateKeeper

LAKE_HOST = "lake_host"
"""Under what name a session in a lake says whose it is."""

_OWN_METADATA = ("workspace", "temporary", LAKE_HOST)
"""What a session says of where it runs, so that it can be reopened there."""

_KEPT_AT_ONCE = (ResponseReceived, ApprovalRequested, ExecutionStarted, TurnFinished, TurnResumed)


def checked_metadata(metadata: JsonMap) -> JsonMap:
    """Return what a session is to be described by, if it leaves the session's own names alone."""
    require_kind(metadata, Mapping, "Metadata is JSON values by name")
    for name in _OWN_METADATA:
        if name in metadata:
            raise UsageError(
                f"The metadata has {name!r}, which the session records itself; take another name."
            )
    return dict(metadata)


class SessionRecord:
    """Records one session; what must not be lost is on disk before the session goes on.

    Args:
        ledger: where it is recorded; None if nowhere.
        folder: what it acts in.
        source: where the session comes from.
        metadata: what else is recorded of it; see ``checked_metadata``.
        listen: is told each event once it is recorded.
        states: keeps what the folder holds as the session goes; None where nobody does.
        child_of: the session that this one is a child of, and how; None where it is none.
    """

    def __init__(
        self,
        ledger: Ledger | None,
        folder: SessionFolder,
        *,
        source: str,
        metadata: JsonMap,
        listen: Recorder | None,
        states: StateKeeper | None = None,
        child_of: tuple[str, Relation] | None = None,
    ) -> None:
        self._ledger = ledger
        self._folder = folder
        self._source = source
        self._metadata = metadata
        self._listen = listen
        self._states = states
        self._child_of = child_of
        self.has_begun = False

    def event(self, event: Event) -> None:
        """Record an event."""
        if self._ledger is not None:
            self._ledger.record(event)
            if isinstance(event, _KEPT_AT_ONCE) or (
                isinstance(event, ExecutionFinished) and event.status is ExecutionStatus.PENDING
            ):
                self._ledger.flush()
            if isinstance(event, ApprovalRequested):
                self._folder.keep()  # another process may be the one that carries it out
        if self._states is not None:
            self._states.event(event)
        if self._listen is not None:
            self._listen(event)

    def begin(self, session: SessionKey, run: RunKey, profile: Profile) -> None:
        """Record that the session begins, or goes on."""
        root, host = str(self._folder.workspace.root), self._ledger.internals.host if self._ledger else ""
        place = {"workspace": root, "temporary": self._folder.is_temporary}
        if host:
            place[LAKE_HOST] = host
        self.event(run_started(run, name=f"live {profile.name}", source=""))
        self.event(parser_used(profile.parser, run.run_id))
        self.event(
            session_started(
                session,
                run.run_id,
                external_id="",
                source=self._source,
                started_at=now(),
                metadata=json_text({**self._metadata, **place}),
                parent_session_id=self._child_of[0] if self._child_of else None,
                relation=self._child_of[1] if self._child_of else None,
            )
        )
        self.has_begun = True

    def note(self, session: SessionKey, run: RunKey, code: str, message: str, detail: JsonMap) -> None:
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


def counter_of(ledger: Ledger | None, reopened: str | None, limits: Limits) -> Counter:
    """Return what counts the actions of a session against its rates; of a reopened one, those of before are counted."""
    if ledger and limits.shared:
        return ledger.internals.counter()
    counter = LocalCounter()
    if ledger and reopened and limits.longest_rate:
        counter.taken_before(recently_begun(ledger, reopened, now(), limits.longest_rate))
    return counter
