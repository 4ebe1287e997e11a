"""Record a live session: its beginning, its events and its end."""

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
"""The metadata key under which a session in a lake names its host."""

_OWN_METADATA = ("workspace", "temporary", LAKE_HOST)
"""The metadata keys that tell where a session runs, so that it can be reopened there."""

_KEPT_AT_ONCE = (ResponseReceived, ApprovalRequested, ExecutionStarted, TurnFinished, TurnResumed)


def checked_metadata(metadata: JsonMap) -> JsonMap:
    """Return the metadata of a session, after checking that it uses none of the reserved keys."""
    require_kind(metadata, Mapping, "Metadata is JSON values by name")
    for name in _OWN_METADATA:
        if name in metadata:
            raise UsageError(
                f"The metadata has {name!r}, which the session records itself; take another name."
            )
    return dict(metadata)


class SessionRecord:
    """Records one session; what must not be lost is on disk before the session goes on."""

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
        if self._ledger is not None:
            self._ledger.record(event)
            if isinstance(event, _KEPT_AT_ONCE) or (
                isinstance(event, ExecutionFinished) and event.status is ExecutionStatus.PENDING
            ):
                self._ledger.flush()
            if isinstance(event, ApprovalRequested):
                self._folder.keep()  # another process may carry the action out
        if self._states is not None:
            self._states.event(event)
        if self._listen is not None:
            self._listen(event)

    def begin(self, session: SessionKey, run: RunKey, profile: Profile) -> None:
        """Record that the session begins, or resumes."""
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
        """Record a note about the session for a reviewer."""
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
    """Return the counter of actions for rate limits; it includes the earlier actions of a reopened session."""
    if ledger and limits.shared:
        return ledger.internals.counter()
    counter = LocalCounter()
    if ledger and reopened and limits.longest_rate:
        counter.taken_before(recently_begun(ledger, reopened, now(), limits.longest_rate))
    return counter
