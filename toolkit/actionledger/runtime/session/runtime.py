"""A live session in a ledger: open it by name, record, lock, resume and close it."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Self

from actionledger.actions.validation import as_known
from actionledger.core.canonical import JsonMap
from actionledger.core.errors import LedgerError, UsageError, require_text
from actionledger.core.ids import new_id, now
from actionledger.core.processes import FileLock
from actionledger.core.recording import Recorder, RunKey, SessionKey
from actionledger.core.values import Turn
from actionledger.core.vocabulary import Relation, RunKind
from actionledger.ledger import Ledger
from actionledger.ledger.queries.base import refuse_no_ledger
from actionledger.ledger.queries.names import Called
from actionledger.runtime.execution.approval import Decision, Policy
from actionledger.runtime.execution.executor import Executor
from actionledger.runtime.execution.policy_file import resolve_policy
from actionledger.runtime.execution.profile import Profile
from actionledger.runtime.execution.registry import resolve_profile
from actionledger.runtime.execution.runtime import SessionRuntime
from actionledger.runtime.session.folder import SessionFolder
from actionledger.runtime.session.preview import Preview, previews
from actionledger.runtime.session.record import SessionRecord, checked_metadata, counter_of
from actionledger.runtime.session.resumption import Earlier, Resumption, recorded_session, recorded_workspace
from actionledger.runtime.session.states.keeper import StateKeeper
from actionledger.runtime.session.states.settings import ManifestSettings, settings_of, wanted
from actionledger.runtime.session.undo import Reversible, Undoing


class Runtime(Reversible):
    """A live session: pass it the model's response, get the results and the feedback for the model's next turn.

    Args:
        profile: the profile, by name or as a value.
        ledger: the ledger to record in; nothing is recorded if not given.
        workspace: the folder that its actions may touch. If not given, a temporary one, removed on close
            unless an action in it is still pending.
        policy: the policy on which actions may run, as a value or as the path of a policy file; the profile's if not given.
        auto: whether actions that need approval by policy run without it.
        dry_run: whether actions only report their effects instead of running.
        model: the language model's name, for the records.
        task: the session's task, for the records.
        earlier: the recorded session to resume (``reopen`` finds it); None for a new one.
        metadata: further metadata, as JSON values by name; ``workspace``, ``temporary`` and ``lake_host`` are reserved.
        source: the session's source, for the records.
        listen: called with each event once it is recorded, in the thread that does the work.
        undo_days: how long old file contents are kept for undo after the session's last change, in days. Without a ledger or
            a given workspace they are removed with the session.
        manifest: whether the workspace's content at the start and after each action is kept next to the ledger,
            for stepping through, reruns and forks. Pass settings to limit size and age.
        child_of: the parent session and the kind of relation.

    Raises:
        UnknownNameError: there is no such profile.
        UsageError: not a ledger, an unusable workspace, the ledger lies in the workspace, or the metadata has a reserved name.
        PolicyError: the policy file can't be used.
        LedgerError: another process works on the same session.

    Example:
        >>> with al.Runtime("assistant") as runtime:
        ...     turn = runtime.handle(al.render([("create_task", {"content": "Call Ada"})], "actions"))
        >>> turn.observations[0].result["task_id"]
        1
    """

    def __init__(
        self,
        profile: str | Profile,
        *,
        ledger: Ledger | None = None,
        workspace: str | Path | None = None,
        policy: Policy | str | Path | None = None,
        auto: bool = False,
        dry_run: bool = False,
        model: str = "",
        task: str = "",
        earlier: Earlier | None = None,
        metadata: JsonMap | None = None,
        source: str = "live",
        listen: Recorder | None = None,
        undo_days: float = 7.0,
        manifest: bool | ManifestSettings = True,
        child_of: tuple[str, Relation] | None = None,
    ) -> None:
        if ledger is not None:
            refuse_no_ledger(ledger)
        chosen = resolve_profile(profile)
        rules = None if policy is None else resolve_policy(policy, chosen.catalogue)
        described = checked_metadata(metadata or {})
        session_id = earlier.session_id if earlier else new_id()
        self._earlier = earlier
        self._ledger = ledger
        self._folder = SessionFolder(workspace, ledger, undo_days=undo_days)
        self._states = self._keeper(
            session_id, chosen, rules, wanted(manifest), is_given=workspace is not None
        )
        self._record = SessionRecord(
            ledger,
            self._folder,
            source=source,
            metadata=described,
            listen=listen,
            states=self._states,
            child_of=child_of,
        )
        self._session = SessionRuntime(
            chosen,
            session=SessionKey(session_id=session_id, profile=chosen.name, model=model, task=task),
            run=RunKey(run_id=new_id(), kind=RunKind.LIVE),
            workspace=self._folder.workspace,
            record=self._record.event,
            policy=rules,
            auto=auto,
            dry_run=dry_run,
            counter=counter_of(ledger, earlier.session_id if earlier else None, chosen.limits),
            executor=partial(Executor, tape_of=self._states.tape_of) if self._states else Executor,
        )
        self._session.turns = earlier.turns if earlier else 0
        self._is_closed = False
        self._lock: FileLock | None = None
        self._hold()

    @classmethod
    def reopen(
        cls,
        ledger: Ledger,
        session_id: Called,
        *,
        profile: str | Profile | None = None,
        workspace: str | Path | None = None,
        policy: Policy | str | Path | None = None,
        auto: bool = False,
        listen: Recorder | None = None,
        undo_days: float = 7.0,
        manifest: bool | ManifestSettings = True,
    ) -> Self:
        """Resume a recorded live session where it stopped.

        Args:
            ledger: where it is recorded; it must be writable.
            session_id: the session's id, its own name, the beginning of either, or its title.
            profile: the profile, if it can't be found by its recorded name.
            workspace: the folder that its actions may touch; the recorded one if not given.
            policy: which actions may run, as for a new session.
            auto: as for a new session.
            listen: as for a new session.
            undo_days: as for a new session.
            manifest: as for a new session.

        Raises:
            UnknownNameError: there is no such profile.
            UsageError: there is no such session, its folder is gone, or the ledger lies in the folder.
            LedgerError: another process works on it, or it belongs to another host.

        Example:
            >>> text = "<create_file><path>a.txt</path><content>hello</content></create_file>"
            >>> with al.open_ledger("team.duckdb") as ledger:
            ...     with al.Runtime("coder", ledger=ledger, workspace="work") as runtime:
            ...         waits = runtime.handle(text)
            ...     with al.Runtime.reopen(ledger, waits.session_id) as runtime:
            ...         turn = runtime.resume(waits.turn_id, {0: al.Decision(al.DecisionKind.APPROVED, by="ada")})
            >>> str(turn.observations[-1].status)
            'succeeded'
        """
        found, earlier = recorded_session(ledger, session_id)
        return cls(
            profile or found.profile,
            ledger=ledger,
            workspace=workspace or recorded_workspace(found),
            policy=policy,
            auto=auto,
            model=found.model,
            task=found.task,
            earlier=earlier,
            listen=listen,
            undo_days=undo_days,
            manifest=manifest,
        )

    @property
    def session_id(self) -> str:
        """The session's identifier in the ledger."""
        return self._session.session.session_id

    @property
    def profile(self) -> Profile:
        """The profile of the session."""
        return self._session.profile

    @property
    def auto(self) -> bool:
        """Whether actions that need approval by policy run without it; it may be changed."""
        return self._session.auto

    @auto.setter
    def auto(self, wanted: bool) -> None:
        self._session.auto = wanted

    @property
    def dry_run(self) -> bool:
        """Whether actions only report their effects instead of running; it may be changed."""
        return self._session.dry_run

    @dry_run.setter
    def dry_run(self, wanted: bool) -> None:
        self._session.dry_run = wanted

    @property
    def workspace(self) -> Path:
        """The folder that the session's actions may touch."""
        return self._session.workspace.root

    def handle(self, text: str, *, prompt: str | None = None, finish_reason: str | None = None) -> Turn:
        """Handle the model's next response: parse it, check it, run the permitted actions and record everything.

        Args:
            text: the raw response.
            prompt: the input that the model got before this response, if that was not the last turn's feedback.
            finish_reason: the provider's reason why the model stopped; None if unknown. After ``length`` or ``max_tokens``,
                an unclosed call at the end of the text needs approval.

        Returns:
            The parsed actions, their results and the feedback for the model.

        Raises:
            LedgerError: the ledger can't be written to; nothing runs unrecorded.
            UsageError: the session is closed, or the response is not a string.

        Example:
            >>> with al.Runtime("assistant") as runtime:
            ...     turn = runtime.handle(al.render([("create_task", {"content": "Call Ada"})], "actions"))
            >>> turn.observations[0].result["task_id"], turn.feedback[:21]
            (1, 'Action 1 (create_task')
        """
        require_text(text)
        self._begin()
        return self._session.handle(text, occurred_at=now(), prompt=prompt, finish_reason=finish_reason)

    def resume(self, turn_id: str, decisions: Mapping[int, Decision] | None = None) -> Turn:
        """Resume a turn: run approved actions, decided here or by another process of this user, and those never begun.

        An action that was begun and never finished is recorded as interrupted. It runs again only if its settings declare it
        idempotent.

        Args:
            turn_id: a turn of this session.
            decisions: decisions about pending actions, by the action's index in its response, from 0.

        Returns:
            The turn with all its observations and the new feedback for the model.

        Raises:
            LedgerError: the ledger can't be written to; nothing runs unrecorded.
            UsageError: there is no such turn, no action is pending in it, or it was decided already.

        Example:
            >>> text = "<create_file><path>a.txt</path><content>hello</content></create_file>"
            >>> with al.Runtime("coder") as runtime:
            ...     turn = runtime.handle(text)
            ...     resumed = runtime.resume(turn.turn_id, {0: al.Decision(al.DecisionKind.APPROVED, by="ada")})
            >>> [str(each.observations[-1].status) for each in (turn, resumed)]
            ['pending', 'succeeded']
        """
        self._begin()
        return Resumption(self._session, self._ledger).resume(turn_id, decisions or {})

    def preview(self, turn: Turn) -> tuple[Preview, ...]:
        """Preview the runnable actions of a turn, in order; nothing is run or recorded.

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

    def note(self, code: str, message: str, detail: JsonMap | None = None) -> None:
        """Record a note about the session for a reviewer.

        Args:
            code: the kind of note, in one word.
            message: the sentence for people.
            detail: details, as JSON values by name.

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
        self._record.note(self._session.session, self._session.run, code, message, detail or {})

    @property
    def _undoing(self) -> Undoing:
        live = self._session
        return Undoing(live.workspace, live.session, live.run, self._record.event, self._ledger, live.turns)

    def close(self, *, success: bool | None = None, reason: str = "") -> None:
        """End the session; a second call does nothing.

        Args:
            success: whether the session reached its goal; None if unknown.
            reason: why the session ends.

        Raises:
            LedgerError: the end can't be recorded; the session is closed anyway.

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
            if self._record.has_begun:
                key, run, turns = self._session.session, self._session.run, self._session.turns
                self._record.finish(key, run, turns=turns, success=success, reason=reason)
        finally:
            self._let_go()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close(reason=kind.__name__ if kind else "")

    def _keeper(
        self,
        session_id: str,
        profile: Profile,
        rules: Policy | None,
        settings: ManifestSettings | None,
        *,
        is_given: bool,
    ) -> StateKeeper | None:
        """Return the keeper of the session's states; None if states are not wanted or nothing is recorded."""
        if self._ledger is None or self._ledger.read_only or settings is None:
            return None
        return StateKeeper(
            self._ledger.manifests,
            session_id,
            root=self._folder.workspace.root,
            settings=settings,
            runs_under=settings_of(profile, rules or profile.policy),
            modes=lambda: (self._session.auto, self._session.dry_run),
            remembers=is_given,
        )

    def _begin(self) -> None:
        if self._is_closed:
            raise UsageError("The session is closed; make another Runtime, or reopen it.")
        if self._record.has_begun:
            return
        self._record.begin(self._session.session, self._session.run, self._session.profile)
        if self._earlier:
            self._undoing.catch_up()

    def _hold(self) -> None:
        """Lock the session against other processes; close it if another one holds it."""
        if self._ledger is None or self._ledger.read_only:
            return
        lock = self._ledger.internals.session_lock(self.session_id)
        if not lock.acquire():
            self.close()
            raise LedgerError(
                f"The session {self.session_id} is open elsewhere; close it there, or let it go on there by resume."
            )
        self._lock = lock

    def _let_go(self) -> None:
        try:
            self._session.close()
            if self._states:
                self._states.close()
        finally:
            if self._lock:
                self._lock.release(remove=True)
            self._folder.let_go(is_needed=self._ledger is not None and bool(self._session.waiting))
