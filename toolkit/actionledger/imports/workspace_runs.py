"""Run the actions of recorded sessions again during an import, in a workspace."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

from actionledger.core.recording import SessionKey
from actionledger.imports.import_run import ImportRun
from actionledger.imports.turns import LookedUpTurn
from actionledger.runtime.execution.executor import Executor
from actionledger.runtime.execution.handlers import Handlers
from actionledger.runtime.execution.profile import Profile
from actionledger.runtime.execution.runtime import SessionRuntime
from actionledger.runtime.session.states.keeper import StateKeeper
from actionledger.runtime.session.states.settings import settings_of, wanted
from actionledger.runtime.workspace import Workspace


def run_turns(
    turns: Sequence[LookedUpTurn],
    run: ImportRun,
    session: SessionKey,
    *,
    profile: Profile,
    workspace: Workspace,
    manifests: Path | None,
) -> None:
    """Parse a session's turns, and run their actions."""
    bounded = _for_the_record(profile)
    keeper = _keeper(manifests, session.session_id, bounded, workspace)
    runtime = SessionRuntime(
        bounded,
        session=session,
        run=run.key,
        workspace=workspace,
        record=run.record if keeper is None else keeper.after(run.record),
        auto=True,
        executor=Executor if keeper is None else partial(Executor, tape_of=keeper.tape_of),
    )
    with closing(runtime):
        for each in turns:
            turn = each.turn
            runtime.handle(turn.text, occurred_at=turn.occurred_at, prompt=turn.prompt, index=turn.index)


def _keeper(
    manifests: Path | None, session_id: str, profile: Profile, workspace: Workspace
) -> StateKeeper | None:
    settings = wanted(manifest=True)
    if manifests is None or settings is None:
        return None
    return StateKeeper(
        manifests,
        session_id,
        root=workspace.root,
        settings=settings,
        runs_under=settings_of(profile, profile.policy),
        modes=lambda: (True, False),
        remembers=False,
    )


def _for_the_record(profile: Profile) -> Profile:
    """Return the profile under which recorded sessions are run.

    Rate limits by the clock mean nothing, since hours are replayed within seconds. And nobody watches the run, so a recorded text may start no
    program and touch nothing outside the workspace.
    """

    def bounded_handlers(workspace: Workspace) -> Handlers:
        handlers = profile.handlers(workspace)
        bounded = {
            name: run
            for name, run in handlers.items()
            if not profile.execution_settings.of(name).touches_outside
        }
        return Handlers(bounded, close=handlers.close)

    return replace(profile, limits=replace(profile.limits, rates=()), handlers=bounded_handlers)
