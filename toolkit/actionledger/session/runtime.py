"""A session as people open it: names become profiles, policy files and recorded sessions."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from actionledger.execution.approval import Policy
from actionledger.execution.policy_file import load_policy
from actionledger.execution.profile import Profile
from actionledger.execution.registry import profile_named
from actionledger.ledger import Ledger
from actionledger.ledger.queries.naming import one_session
from actionledger.ledger.queries.progress import next_turn_index
from actionledger.ledger.queries.sessions import session
from actionledger.recording import Recorder
from actionledger.session.resume_state import recorded_workspace
from actionledger.session.session import Earlier, LiveSession


class Runtime(LiveSession):
    """A live session: hand it what the model wrote, get what came of it and what to tell the model next.

    Args:
        profile: what it runs under, by name or as a value.
        ledger: where it is recorded; nowhere where not given.
        workspace: the folder that its actions may touch; where not given, a temporary one that is removed on close,
            unless something in it still waits for approval.
        policy: which actions may run, as a value or as the path of a policy file; the profile's where not given.
        auto: whether actions that the policy would have wait for a person run without one.
        dry_run: whether actions only say what they would do.
        model: the language model's name, for the records.
        task: what the session is about, for the records.
        earlier: the recorded session that goes on (``reopen`` finds it); None for a new one.
        metadata: what else is recorded of the session, as JSON values by name; ``workspace`` and ``temporary`` are taken.
        listen: is told each event once it is recorded, in the thread that does the work.
        undo_days: how long what files held is kept for undo after the session's last change, in days; without a ledger or a
            workspace given it goes with the session.

    Raises:
        UnknownNameError: there is no such profile.
        UsageError: the workspace can't be used, the ledger lies in it, or the metadata has a name that is taken.
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
        metadata: Mapping[str, Any] | None = None,
        listen: Recorder | None = None,
        undo_days: float = 7.0,
    ) -> None:
        chosen = profile_named(profile) if isinstance(profile, str) else profile
        super().__init__(
            chosen,
            ledger=ledger,
            workspace=workspace,
            policy=load_policy(policy, chosen.catalogue) if isinstance(policy, str | Path) else policy,
            auto=auto,
            dry_run=dry_run,
            model=model,
            task=task,
            earlier=earlier,
            metadata=metadata,
            listen=listen,
            undo_days=undo_days,
        )

    @classmethod
    def reopen(
        cls,
        ledger: Ledger,
        session_id: str,
        *,
        profile: str | Profile | None = None,
        workspace: str | Path | None = None,
        policy: Policy | str | Path | None = None,
        auto: bool = False,
        listen: Recorder | None = None,
        undo_days: float = 7.0,
    ) -> Self:
        """Return a recorded live session that goes on where it stopped.

        Args:
            ledger: where it is recorded; it must be writable.
            session_id: the session: its id, the beginning of it, or its own name.
            profile: what it runs under, where that can't be found by its recorded name.
            workspace: the folder that its actions may touch; the recorded one where not given.
            policy: which actions may run, as for a new session.
            auto: as for a new session.
            listen: as for a new session.
            undo_days: as for a new session.

        Raises:
            UnknownNameError: there is no such profile.
            UsageError: there is no such session, its folder is gone, or the ledger lies in the folder.
            LedgerError: another process works on it.

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
        session_id = one_session(ledger, session_id)
        found = session(ledger, session_id)
        assert found is not None
        return cls(
            profile or found.profile,
            ledger=ledger,
            workspace=workspace or recorded_workspace(found),
            policy=policy,
            auto=auto,
            undo_days=undo_days,
            model=found.model,
            task=found.task,
            earlier=Earlier(session_id, next_turn_index(ledger, session_id)),
            listen=listen,
        )
