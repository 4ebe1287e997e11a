"""Running a session once more, in a fresh folder, from its first response to its last."""

import json
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from actionledger.core.errors import UsageError
from actionledger.core.events import Event
from actionledger.core.ids import new_id
from actionledger.core.recording import RunKey, SessionKey
from actionledger.core.vocabulary import DecisionKind, ExecutionStatus, RunKind
from actionledger.replay.rerunning.course import Course
from actionledger.replay.rerunning.executor import Order, RerunExecutor, Script
from actionledger.replay.rerunning.traces import TurnTrace, add_effects, traces_of_events
from actionledger.runtime.execution.approval import Decision
from actionledger.runtime.execution.limits import LocalCounter
from actionledger.runtime.execution.profile import Profile
from actionledger.runtime.execution.runtime import SessionRuntime
from actionledger.runtime.session.resumption import Resumption
from actionledger.runtime.session.states.keeper import StateKeeper
from actionledger.runtime.session.states.lines import Effects, TurnBegun, TurnEnded
from actionledger.runtime.session.states.looking import LeftOut
from actionledger.runtime.session.states.reading import read_states
from actionledger.runtime.session.states.restoring import Restorer
from actionledger.runtime.session.states.settings import ManifestSettings
from actionledger.runtime.workspace import Workspace


@dataclass(slots=True)
class Performance:
    """What came of running a session once more.

    Args:
        traces: what came of each turn, by its place.
        events: what happened, in order.
        taken: the executions whose results were taken from the record.
        left_out: what could not be put into its workspace.
    """

    traces: dict[int, TurnTrace]
    events: list[Event]
    taken: set[str] = field(default_factory=set)
    left_out: list[LeftOut] = field(default_factory=list)


def perform(
    course: Course,
    profile: Profile,
    listen: Callable[[Event], None] | None = None,
    *,
    order: Order = "as_seen",
) -> Performance:
    """Run a session once more."""
    with TemporaryDirectory(prefix="actionledger-rerun-") as made:
        folder = Path(made).resolve()
        root = folder / "workspace"
        root.mkdir(mode=0o700)
        restorer = Restorer(root, course.states.objects)
        assert course.states.first is not None
        script = Script(course, restorer, order)
        script.left_out += restorer.restore(course.states.first)
        return _Stage(course, profile, folder, script, listen).play()


class _Stage:
    """One rerun in one folder."""

    def __init__(
        self,
        course: Course,
        profile: Profile,
        folder: Path,
        script: Script,
        listen: Callable[[Event], None] | None,
    ) -> None:
        recorded = course.session
        key = SessionKey(
            session_id=recorded.session_id, profile=recorded.profile, model=recorded.model, task=recorded.task
        )
        self._course, self._script, self._folder, self._listen = course, script, folder, listen
        self._root = folder / "workspace"
        self._events: list[Event] = []
        self._used: set[str] = set()
        self._keeper = StateKeeper(
            folder / "manifests",
            key.session_id,
            root=self._root,
            settings=ManifestSettings(),
            runs_under={},
            modes=lambda: (False, False),
            remembers=False,
        )
        self._session = SessionRuntime(
            profile,
            session=key,
            # The identifiers that handlers see are those of the first time.
            run=RunKey(run_id=new_id(), kind=RunKind.LIVE),
            workspace=Workspace(self._root),
            record=self._record,
            counter=LocalCounter(script.seconds),
            sleep=lambda _seconds: None,
            executor=partial(RerunExecutor, script=script),
        )

    def play(self) -> Performance:
        """Do all that is recorded, in its order."""
        handled: set[int] = set()
        ended: set[int] = set()
        with closing(self._session):
            for line in self._course.lines:
                match line:
                    case TurnBegun():
                        self._session.auto, self._session.dry_run = line.auto, line.dry_run
                        self._handle(line)
                        handled.add(line.turn)
                    case TurnEnded() if line.turn in handled and line.turn not in ended:
                        ended.add(line.turn)
                        self._decide(line)
                    case TurnEnded():
                        self._decide(line)
                    case Effects(turn=None):
                        self._script.apply_outside(line.as_changes)
                    case _:
                        pass
        root = str(self._root)
        traces = traces_of_events(self._events, root)
        states = read_states(self._folder / "manifests", self._course.session.session_id)
        if states is not None:
            add_effects(traces, states)
        return Performance(traces, self._events, self._script.taken, self._script.left_out)

    def _record(self, event: Event) -> None:
        self._events.append(event)
        self._keeper.event(event)
        if self._listen is not None:
            self._listen(event)

    def _handle(self, line: TurnBegun) -> None:
        detail = self._course.turns.get(line.turn)
        if detail is None:
            return
        self._script.set_time(line.at)
        response = detail.response
        self._session.handle(
            response.text, occurred_at=response.occurred_at, prompt=response.prompt, index=line.turn
        )

    def _decide(self, line: TurnEnded) -> None:
        """Go on with a turn by what people had decided until it ended."""
        self._script.set_time(line.at)
        detail = self._course.turns.get(line.turn)
        waits = self._session.waiting.get(detail.response.turn_id) if detail else None
        if detail is None or waits is None:
            return
        decisions = {}
        for each in self._course.decided(line.turn, line.at):
            place = each.action_index
            observed = waits.observations.get(place)
            if each.approval_id not in self._used and observed and observed.status is ExecutionStatus.PENDING:
                self._used.add(each.approval_id)
                kind = DecisionKind(str(each.decision))
                arguments = _arguments(each.changed_arguments) if kind is DecisionKind.MODIFIED else None
                decisions[place] = Decision(kind, by=each.decided_by, why=each.why, arguments=arguments)
        if decisions:
            try:
                Resumption(self._session, None).resume(detail.response.turn_id, decisions)
            except UsageError:
                return  # nothing waits there this time, which the comparison shows


def _arguments(text: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(text)
    return found
