"""A live session in a ledger: opened, recorded, locked, resumed and closed."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from actionledger.actions.validation import as_known
from actionledger.canonical import json_text
from actionledger.clock import now
from actionledger.errors import LedgerError, UsageError
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
from actionledger.execution.approval import Decision, Policy
from actionledger.execution.profile import Profile
from actionledger.execution.runtime import SessionRuntime
from actionledger.ids import new_id
from actionledger.ledger import Ledger
from actionledger.recording import (
    Recorder,
    RunKey,
    SessionKey,
    parser_used,
    run_finished,
    run_started,
    session_finished,
    session_started,
)
from actionledger.session.preview import Preview, previews
from actionledger.session.resumption import Taking
from actionledger.session.separation import refuse_reachable
from actionledger.session.undo import Undoing
from actionledger.temporary import TemporaryFolder
from actionledger.values import Turn
from actionledger.vocabulary import ExecutionStatus, RunKind
from actionledger.workspace import FileLimits, Undone, Workspace


@dataclass(frozen=True, slots=True)
class Earlier:
    """A recorded session that goes on.

    Args:
        session_id: identifies it.
        turns: how many turns it has.
    """

    session_id: str
    turns: int


class LiveSession:
    """A live session: hand it what the model wrote, get what came of it and what to tell the model next.

    Args:
        profile: what it runs under.
        ledger: where it is recorded; nowhere where not given.
        workspace: the folder that its actions may touch; where not given, a temporary one that is removed on close,
            unless something in it still waits for approval.
        policy: which actions may run; the profile's where not given.
        auto: whether actions that the policy would have wait for a person run without one.
        dry_run: whether actions only say what they would do.
        model: the language model's name, for the records.
        task: what the session is about, for the records.
        earlier: the recorded session that goes on; None for a new one.
        metadata: what else is recorded of the session, as JSON values by name; it stays what it was where a recorded one goes on.
        source: where the session comes from, for the records.
        listen: is told each event once it is recorded, in the thread that does the work.
        undo_days: how long what files held is kept for undo after the session's last change, in days; without a ledger or a
            workspace given it goes with the session.

    Raises:
        UsageError: the workspace can't be used, the ledger lies in it, or the metadata has a name that the session itself
            needs.
        LedgerError: another process works on the same session.
    """

    def __init__(
        self,
        profile: Profile,
        *,
        ledger: Ledger | None = None,
        workspace: str | Path | None = None,
        policy: Policy | None = None,
        auto: bool = False,
        dry_run: bool = False,
        model: str = "",
        task: str = "",
        earlier: Earlier | None = None,
        metadata: Mapping[str, Any] | None = None,
        source: str = "live",
        listen: Recorder | None = None,
        undo_days: float = 7.0,
    ) -> None:
        if ledger is not None and workspace is not None:
            refuse_reachable(ledger.path, Path(workspace))
        self._listen = listen
        self._source = source
        self._metadata = _checked(metadata or {})
        session_id = earlier.session_id if earlier else new_id()
        self._ledger = ledger
        self._temporary = TemporaryFolder("session") if workspace is None else None
        self._session = SessionRuntime(
            profile,
            session=SessionKey(session_id=session_id, profile=profile.name, model=model, task=task),
            run=RunKey(run_id=new_id(), kind=RunKind.LIVE),
            workspace=_workspace(
                self._temporary.path if self._temporary else Path(workspace or "."),
                ledger if workspace else None,
                FileLimits(undo_days=undo_days),
            ),
            record=self._record,
            policy=policy,
            auto=auto,
            dry_run=dry_run,
            counter=ledger.counter() if ledger and profile.limits.shared else None,
        )
        self._session.turns = earlier.turns if earlier else 0
        self._goes_on = earlier is not None
        self._is_open = False
        self._is_closed = False
        self._lock = ledger.session_lock(session_id) if ledger and not ledger.read_only else None
        if self._lock and not self._lock.acquire():
            self._lock = None
            self.close()
            raise LedgerError(
                f"The session {session_id} is open elsewhere; close it there, or let it go on there by resume."
            )

    @property
    def session_id(self) -> str:
        """The session's identifier in the ledger."""
        return self._session.session.session_id

    @property
    def profile(self) -> Profile:
        """What the session runs under."""
        return self._session.profile

    @property
    def auto(self) -> bool:
        """Whether actions that the policy would have wait for a person run without one; it may be changed."""
        return self._session.auto

    @auto.setter
    def auto(self, wanted: bool) -> None:
        self._session.auto = wanted

    @property
    def dry_run(self) -> bool:
        """Whether actions only say what they would do; it may be changed."""
        return self._session.dry_run

    @dry_run.setter
    def dry_run(self, wanted: bool) -> None:
        self._session.dry_run = wanted

    @property
    def workspace(self) -> Path:
        """The folder that the session's actions may touch."""
        return self._session.workspace.root

    def handle(self, text: str, *, prompt: str | None = None) -> Turn:
        """Take the model's next response: read it, check it, run what may run, record all of it.

        Args:
            text: the raw response.
            prompt: what the model was shown right before, where that was not the last turn's feedback.

        Returns:
            What was read, what came of it, and what the model is told next.

        Raises:
            LedgerError: the ledger can't be written to; nothing is run unrecorded.
            UsageError: the session is closed.

        Example:
            >>> with al.Runtime("assistant") as runtime:
            ...     turn = runtime.handle(al.render([("create_task", {"content": "Call Ada"})], "actions"))
            >>> turn.observations[0].result["task_id"], turn.feedback[:21]
            (1, 'Action 1 (create_task')
        """
        self._begin()
        return self._session.handle(text, occurred_at=now(), prompt=prompt)

    def resume(self, turn_id: str, decisions: Mapping[int, Decision] | None = None) -> Turn:
        """Go on with a turn: run what was approved, here or by another process of this user, and what was never begun.

        What was begun and never finished is recorded as interrupted; it is run again only where its settings say that it
        is idempotent.

        Args:
            turn_id: a turn of this session.
            decisions: decisions about actions that wait, by the action's place among its response's actions, from 0.

        Returns:
            The turn with all its observations; the feedback is what the model is told of it now.

        Raises:
            LedgerError: the ledger can't be written to; nothing is run unrecorded.
            UsageError: there is no such turn, nothing waits there, or it was decided about already.

        Example:
            >>> text = "<create_file><path>a.txt</path><content>hello</content></create_file>"
            >>> with al.Runtime("coder") as runtime:
            ...     turn = runtime.handle(text)
            ...     resumed = runtime.resume(turn.turn_id, {0: al.Decision(al.DecisionKind.APPROVED, by="ada")})
            >>> [str(each.observations[-1].status) for each in (turn, resumed)]
            ['pending', 'succeeded']
        """
        self._begin()
        taking = Taking(self._session, self._ledger)
        history = self._session.waiting.get(turn_id) or taking.recalled(turn_id)
        if history.turn.session.session_id != self.session_id:
            raise UsageError(
                f"The turn {turn_id} belongs to the session {history.turn.session.session_id}; reopen that one."
            )
        history = taking.taken(history, decisions or {})
        try:
            turn = self._session.resume(history)
        except BaseException:
            # What ran until then, only the record knows; from memory it would be run once more.
            self._session.waiting.pop(turn_id, None)
            raise
        taking.carried_out(history, decisions or {})
        return turn

    def preview(self, turn: Turn) -> tuple[Preview, ...]:
        """Return what the runnable actions of a turn would do now, one after the other; nothing of it is done or recorded.

        Example:
            >>> text = "<create_file><path>a.txt</path><content>hello</content></create_file>"
            >>> with al.Runtime("coder") as runtime:
            ...     turn = runtime.handle(text)
            ...     len(runtime.preview(turn)), list(runtime.workspace.iterdir())
            (1, [])
        """
        session = self._session
        calls = [as_known(call, session.profile.catalogue) for call in turn.result.actions]
        return previews(session.executor.handlers, session.workspace, self.session_id, calls)

    def note(self, code: str, message: str, detail: Mapping[str, Any] | None = None) -> None:
        """Record something about the session that a reviewer should see.

        Args:
            code: what, in one word.
            message: the sentence for people.
            detail: particulars, as JSON values by name.

        Raises:
            LedgerError: the ledger can't be written to.
            UsageError: the session is closed.

        Example:
            >>> with al.open_ledger("team.duckdb") as ledger:
            ...     with al.Runtime("assistant", ledger=ledger) as runtime:
            ...         runtime.note("reviewed", "Ada has looked at it.")
            ...     ledger.sql("SELECT message FROM events WHERE code = 'reviewed'").fetchall()
            [('Ada has looked at it.',)]
        """
        self._begin()
        self._record(
            SystemNoted(
                event_id=new_id(),
                recorded_at=now(),
                run_id=self._session.run.run_id,
                code=code,
                message=message,
                session_id=self.session_id,
                detail=dict(detail or {}),
            )
        )

    def undo(self, turn_id: str | None = None, *, action: int | None = None) -> Undone:
        """Take back what a turn, or one action of it, has changed in the workspace; that is recorded of its actions.

        Only files and folders come back; what a handler did elsewhere stays done.

        Args:
            turn_id: the turn; the last one of which something is left to be undone where not given.
            action: the action's place among its response's actions, from 0; all of them where not given.

        Returns:
            What was undone; ``redo`` takes it.

        Raises:
            UndoRefusedError: something is no longer as it was left; nothing is undone then.
            ActionError: there is nothing to undo there.
            UsageError: no turn of this session has changed anything.

        Example:
            >>> text = "<create_file><path>a.txt</path><content>hello</content></create_file>"
            >>> with al.Runtime("coder", auto=True) as runtime:
            ...     turn = runtime.handle(text)
            ...     undone = runtime.undo(turn.turn_id)
            ...     (runtime.workspace / "a.txt").exists()
            False
        """
        undoing = self._undoing
        return undoing.undo(turn_id or undoing.last_changed(self._session.turns), action)

    def undo_back_to(self, turn_id: str) -> Undone:
        """Take back all that was changed after a turn; see ``undo``.

        Example:
            >>> text = "<create_file><path>%s.txt</path><content>hello</content></create_file>"
            >>> with al.Runtime("coder", auto=True) as runtime:
            ...     first, second = (runtime.handle(text % name) for name in "ab")
            ...     undone = runtime.undo_back_to(first.turn_id)
            ...     sorted(path.name for path in runtime.workspace.glob("*.txt"))
            ['a.txt']
        """
        return self._undoing.undo_back_to(turn_id)

    def redo(self, undone: Undone) -> Undone:
        """Take back an undoing; that is recorded of its actions as well. See ``undo``.

        Example:
            >>> text = "<create_file><path>a.txt</path><content>hello</content></create_file>"
            >>> with al.Runtime("coder", auto=True) as runtime:
            ...     turn = runtime.handle(text)
            ...     redone = runtime.redo(runtime.undo(turn.turn_id))
            ...     (runtime.workspace / "a.txt").read_text()
            'hello'
        """
        return self._undoing.redo(undone)

    @property
    def _undoing(self) -> Undoing:
        session = self._session
        return Undoing(session.workspace, session.session, session.run, self._record, self._ledger)

    def close(self, *, success: bool | None = None, reason: str = "") -> None:
        """End the session; a second time does nothing.

        Args:
            success: whether it reached what it was for; None where nobody can say.
            reason: why it ends.

        Raises:
            LedgerError: the end can't be recorded; the session is closed all the same.

        Example:
            >>> with al.open_ledger("team.duckdb") as ledger:
            ...     runtime = al.Runtime("assistant", ledger=ledger)
            ...     turn = runtime.handle("Nothing to do.")
            ...     runtime.close(success=True, reason="done")
            ...     ledger.sql("SELECT success, reason FROM sessions").fetchall()
            [(True, 'done')]
        """
        if self._is_closed:
            return
        self._is_closed = True
        try:
            if self._is_open:
                self._finish(success=success, reason=reason)
        finally:
            self._let_go()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(reason=kind.__name__ if kind else "")

    def _begin(self) -> None:
        if self._is_closed:
            raise UsageError("The session is closed; make another Runtime, or reopen it.")
        if self._is_open:
            return
        key, run, profile = self._session.session, self._session.run, self._session.profile
        place = {"workspace": str(self.workspace), "temporary": self._temporary is not None}
        metadata = json_text(self._metadata | place)
        self._record(run_started(run, name=f"live {profile.name}", source=""))
        self._record(parser_used(profile.parser, run.run_id))
        self._record(
            session_started(
                key, run.run_id, external_id="", source=self._source, started_at=now(), metadata=metadata
            )
        )
        self._is_open = True
        if self._goes_on:
            self._undoing.catch_up()

    def _finish(self, *, success: bool | None, reason: str) -> None:
        key, run = self._session.session, self._session.run
        self._record(session_finished(key, run.run_id, success=success, reason=reason, finished_at=now()))
        self._record(run_finished(run, turns=self._session.turns))
        if self._ledger:
            self._ledger.flush()

    def _let_go(self) -> None:
        try:
            self._session.close()
        finally:
            if self._lock:
                self._lock.release(remove=True)
            is_needed = self._ledger is not None and self._session.waiting
            if self._temporary and not is_needed:
                self._temporary.remove()

    def _record(self, event: Event) -> None:
        """Record an event; what must not be lost is on disk before the session goes on."""
        if self._ledger is not None:
            self._ledger.record(event)
            if isinstance(event, _KEPT_AT_ONCE) or _is_pending(event):
                self._ledger.flush()
            if self._temporary and isinstance(event, ApprovalRequested):
                self._temporary.keep()  # another process may be the one that carries it out
        if self._listen is not None:
            self._listen(event)


def _checked(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return metadata that leaves the session's own names alone."""
    for name in _OWN_METADATA:
        if name in metadata:
            raise UsageError(
                f"The metadata has {name!r}, which the session records itself; take another name."
            )
    return dict(metadata)


def _workspace(root: Path, ledger: Ledger | None, limits: FileLimits) -> Workspace:
    """Return a folder to act in; its changes can be undone by later processes where a ledger is there to say what they were."""
    if ledger is None or ledger.read_only:
        return Workspace(root, limits=limits)
    return Workspace(root, state=ledger.effects, limits=limits)


_OWN_METADATA = ("workspace", "temporary")
"""What a session says of its folder, so that it can be reopened there."""

_KEPT_AT_ONCE = (ResponseReceived, ApprovalRequested, ExecutionStarted, TurnFinished, TurnResumed)


def _is_pending(event: Event) -> bool:
    return isinstance(event, ExecutionFinished) and event.status is ExecutionStatus.PENDING
