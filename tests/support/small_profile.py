"""A profile of four small actions with handlers that do as they are told, and its sessions."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar, Literal

import pytest
from pydantic import Field

from actionledger.actions.catalogue import Action, Arguments, Catalogue
from actionledger.core.events import Event
from actionledger.core.recording import RunKey, SessionKey, TurnKey, turn_id_of
from actionledger.core.values import ActionCall, Span
from actionledger.core.vocabulary import ActionStatus, RunKind
from actionledger.reading.parsers import parser_for
from actionledger.runtime.execution.approval import Policy, Verdict
from actionledger.runtime.execution.execution_events import ActionStep
from actionledger.runtime.execution.executor import Executor
from actionledger.runtime.execution.handlers import Handlers
from actionledger.runtime.execution.profile import ActionSettings, ExecutionSettings, Profile
from actionledger.runtime.execution.runtime import SessionRuntime
from actionledger.runtime.workspace import Workspace


class Look(Action):
    """Look at something."""

    example: ClassVar[Arguments] = {"at": "the sky"}
    type: Literal["look"]
    at: str = Field(description="At what.")


class Change(Action):
    """Change something."""

    example: ClassVar[Arguments] = {"what": "the colour"}
    type: Literal["change"]
    what: str = Field(description="What to change.")


class Destroy(Action):
    """Destroy something."""

    example: ClassVar[Arguments] = {"what": "the evidence"}
    type: Literal["destroy"]
    what: str = Field(description="What to destroy.")


class Dream(Action):
    """Dream; nothing can run it."""

    example: ClassVar[Arguments] = {}
    type: Literal["dream"]


CATALOGUE = Catalogue(name="small", actions=(Look, Change, Destroy, Dream))
POLICY = Policy(
    (
        ("look", Verdict.APPROVE),
        ("dream", Verdict.APPROVE),
        ("destroy", Verdict.REJECT),
        ("*", Verdict.ESCALATE),
    )
)
SESSION = SessionKey(session_id="5e551011-0000-4000-8000-000000000000", profile="small", model="m", task="t")
RUN = RunKey(run_id="00000000-0000-4000-8000-000000000001", kind=RunKind.LIVE)


def handlers(_workspace: Workspace) -> Handlers:
    """All but dreaming can be done, and says that it was."""
    return Handlers(
        {
            "look": lambda action, _context: {"seen": action.at},
            "change": lambda action, _context: {"changed": action.what},
            "destroy": lambda action, _context: {"destroyed": action.what},
        }
    )


@pytest.fixture
def profile() -> Profile:
    """Looking is free, changing waits for a person, destroying is forbidden, dreaming has no handler."""
    return Profile("small", parser_for(("actions",)), CATALOGUE, POLICY, handlers)


@pytest.fixture
def events() -> list[Event]:
    """What the sessions of a test record."""
    return []


@pytest.fixture
def session(profile: Profile, events: list[Event], tmp_path: Path) -> Iterator[Callable[..., SessionRuntime]]:
    """Makes a session; what it is made of can be given, and its handlers by name."""
    made: list[SessionRuntime] = []

    def make(handlers: dict[str, Any] | None = None, **given: Any) -> SessionRuntime:
        values = {
            "profile": profile,
            "session": SESSION,
            "run": RUN,
            "workspace": Workspace(tmp_path / "workspace"),
            "record": events.append,
            "sleep": lambda _seconds: None,
        } | given
        if handlers is not None:
            values["profile"] = replace(values["profile"], handlers=lambda _workspace: Handlers(handlers))
        made.append(SessionRuntime(**values))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def executor(events: list[Event], tmp_path: Path) -> Iterator[Callable[..., Executor]]:
    """Makes an executor of one handler, for looking; its settings can be given."""
    made: list[Executor] = []

    def make(handler: Any, *, record: Any = None, sleep: Any = None, **settings: Any) -> Executor:
        made.append(
            Executor(
                Handlers({"look": handler}),
                workspace=Workspace(tmp_path / "workspace"),
                execution_settings=ExecutionSettings((), ActionSettings(**{"retries": 0} | settings)),
                record=record or events.append,
                sleep=sleep or (lambda _seconds: None),
            )
        )
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def step() -> ActionStep:
    """A call that is due: look at the sky."""
    call = ActionCall(
        name="look",
        arguments={"at": "the sky"},
        status=ActionStatus.VALID,
        span=Span(0, 10),
        dialect="actions",
        block=0,
        action=Look(type="look", at="the sky"),
    )
    turn = TurnKey(
        session=SESSION,
        turn_id=turn_id_of(SESSION, 3),
        index=3,
        occurred_at=datetime.fromisoformat("2026-05-04T12:00:00"),
    )
    return ActionStep(
        index=2, call=call, attempt_id="00000000-0000-4000-8000-000000000002", turn=turn, run_id=RUN.run_id
    )
