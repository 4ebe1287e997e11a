"""Run a session again in a fresh folder: actions see their recorded times, and those with external effects get recorded results."""

import json
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, TypeAlias

from actionledger.core.canonical import json_text
from actionledger.core.draws import RecordedDraws, drawing_from
from actionledger.core.errors import UsageError
from actionledger.core.events import Event
from actionledger.core.ids import new_id
from actionledger.core.privacy import mask
from actionledger.core.recording import RunKey, SessionKey
from actionledger.core.values import Observation
from actionledger.core.vocabulary import DecisionKind, ExecutionStatus, Reason, RunKind
from actionledger.ledger.queries.progress import RecordedTry
from actionledger.replay.rerun_course import Course, Refused, TurnTrace, WhyNot, add_effects, traces_of_events
from actionledger.runtime.execution.approval import Decision
from actionledger.runtime.execution.execution_events import ActionStep, execution_started
from actionledger.runtime.execution.executor import Executor
from actionledger.runtime.execution.limits import LocalCounter
from actionledger.runtime.execution.profile import Profile
from actionledger.runtime.execution.runtime import SessionRuntime
from actionledger.runtime.session.resumption import Resumption
from actionledger.runtime.session.states.capture import Restorer, SkippedPath
from actionledger.runtime.session.states.keeper import StateKeeper
from actionledger.runtime.session.states.lines import Effects, TurnBegun, TurnEnded, read_states
from actionledger.runtime.session.states.settings import ManifestSettings
from actionledger.runtime.workspace import Workspace

_NOT_RECORDED = (
    "It touches what lies outside of the workspace, and what it would come to there is not recorded."
)


Order: TypeAlias = Literal["as_seen", "as_written"]
"""The order for parallel actions: by each one's last draw, usually its effect's, or by place in the response. The real order is not recorded."""


class Script:
    """The recorded draws, decisions and results that a rerun uses."""

    def __init__(self, course: Course, restorer: Restorer, order: Order = "as_seen") -> None:
        self.course = course  # the recorded session
        self.order = order  # the order in which to run actions that had run in parallel
        self.taken: set[str] = set()
        """The executions whose results were taken from the record."""
        self.left_out: list[SkippedPath] = []
        self._restorer = restorer  # puts recorded changes into the rerun's workspace
        self._moment = course.states.begun.at
        self._tapes: dict[tuple[int, int], RecordedDraws] = {}

    def seconds(self) -> float:
        """Return the recorded time, for rates."""
        return self._moment.replace(tzinfo=UTC).timestamp()

    def set_time(self, moment: datetime | None) -> None:
        """Advance to a recorded moment, never back."""
        if moment is not None and moment > self._moment:
            self._moment = moment

    def tape_of(self, step: ActionStep) -> RecordedDraws:
        """Return the tape that replays an action's recorded draws."""
        place = step.turn.index, step.index
        if place not in self._tapes:
            moment = self._moment.replace(tzinfo=UTC).isoformat()
            self._tapes[place] = RecordedDraws(self.course.drawn(*place), moment)
        return self._tapes[place]

    def apply_outside(self, changes: Any) -> None:
        """Apply changes that no action had made."""
        self.left_out += self._restorer.apply(changes)

    def apply_effects(self, step: ActionStep, is_taken: Callable[[int], bool]) -> None:
        """Apply the recorded changes of an action whose result is taken from the record."""
        for line in self.course.effects(step.turn.index):
            if step.index in line.actions and line.changes:
                if not all(map(is_taken, line.actions)):
                    raise Refused(WhyNot.NOT_APART, f"It is in turn {step.turn.index}.")
                if step.index == line.actions[-1]:
                    self.left_out += self._restorer.apply(line.as_changes)


class RerunExecutor(Executor):
    """Executes a session's actions again, with recorded times, draws and external results."""

    def __init__(self, *given: Any, script: Script, **more: Any) -> None:
        super().__init__(*given, **more, tape_of=script.tape_of)
        self._script = script

    def run(self, steps: Sequence[ActionStep]) -> list[Observation]:
        """See ``Executor``."""
        own = [step for step in steps if not self._is_taken(step)]
        for step in own:
            tries = self._tries(step)
            self._script.set_time(tries[0].started_at if tries else None)
        ran = {each.action_index: each for each in self._ran(own)}
        observed = [ran.get(step.index) or self._from_record(step) for step in steps]
        for step in steps:
            for each in self._tries(step):
                self._script.set_time(each.finished_at)
        return observed

    def _ran(self, steps: Sequence[ActionStep]) -> list[Observation]:
        """Run steps, parallel ones in sequence, so that a rerun is the same each time."""
        if len(steps) < 2:
            return super().run(steps) if steps else []
        for step in steps:
            self._record(execution_started(step))
        self._open(steps)
        ended = {}
        in_order = sorted(steps, key=self._last_seen) if self._script.order == "as_seen" else steps
        for step in in_order:
            attempt = self._begin(step, self.handlers[step.call.name])
            ended[step.index] = attempt, *self._end(attempt)
        return [self._tried_again(*ended[step.index]) for step in steps]

    def _last_seen(self, step: ActionStep) -> tuple[str, int]:
        """Return the last time that an action drew, or else its end."""
        finished = [each.finished_at.isoformat() for each in self._tries(step) if each.finished_at]
        return max(self._times(step), default=max(finished, default="")), step.index

    def _times(self, step: ActionStep) -> list[str]:
        """Return the times that an action drew."""
        drawn = self._script.course.drawn(step.turn.index, step.index)
        return [str(value) for kind, value in drawn if kind == "time"]

    def _open(self, steps: Sequence[ActionStep]) -> None:
        """Open the handlers' resources with the step that drew first: the others waited for it, and it may not have ended first."""
        drew = [step for step in steps if self._times(step)]
        if not drew:
            return
        first = min(drew, key=lambda step: min(self._times(step)))
        # A resource that can't be opened is reported by the handler that needs it.
        with drawing_from(self._script.tape_of(first)), suppress(Exception):
            self.handlers.opens()

    def _tries(self, step: ActionStep) -> list[RecordedTry]:
        """Return the recorded attempts at the same action from this one on."""
        found = self._script.course.tries(step.turn.index, step.index)
        return [each for each in found if each.name == step.call.name and each.try_number >= step.try_number]

    def _is_taken(self, step: ActionStep) -> bool:
        if self.execution_settings.of(step.call.name).touches_outside:
            return True
        # A process can't be killed at the same moment again.
        tries = self._tries(step)
        return bool(tries) and tries[-1].status is ExecutionStatus.INTERRUPTED

    def _from_record(self, step: ActionStep) -> Observation:
        wanted = json.loads(mask(json_text(step.call.arguments).encode()))
        tries = [each for each in self._tries(step) if json.loads(each.arguments) == wanted]
        if not tries:
            self._record(execution_started(step))
            refused = Observation(
                step.execution_id,
                step.index,
                step.call.name,
                ExecutionStatus.FAILED,
                Reason.UNAVAILABLE,
                message=_NOT_RECORDED,
            )
            return self._finished(step, refused)
        course = self._script.course
        for each in tries[:-1]:
            self._take(step, each)
        # A listener that looks at the workspace after the action sees its changes.
        self._script.apply_effects(step, lambda place: self._was_taken(course, step.turn.index, place))
        return self._take(step, tries[-1])

    def _take(self, step: ActionStep, each: RecordedTry) -> Observation:
        step = replace(step, try_number=each.try_number)
        self._script.taken.add(step.execution_id)
        self._record(execution_started(step))
        return self._finished(step, _observed(step, each))

    def _was_taken(self, course: Course, turn_index: int, place: int) -> bool:
        tries = course.tries(turn_index, place)
        return bool(tries) and (
            self.execution_settings.of(tries[-1].name).touches_outside
            or tries[-1].status is ExecutionStatus.INTERRUPTED
        )


def _observed(step: ActionStep, each: RecordedTry) -> Observation:
    return Observation(
        step.execution_id,
        step.index,
        step.call.name,
        each.status,
        each.reason,
        result=json.loads(each.result or "null"),
        message=each.message,
        duration_ms=each.duration_ms or 0.0,
    )


@dataclass(slots=True)
class Performance:
    """The result of running a session again."""

    traces: dict[int, TurnTrace]  # each turn's results, by index
    events: list[Event]  # the events, in order
    taken: set[str] = field(default_factory=set)  # the executions whose results were taken from the record
    # the parts of its workspace that could not be restored
    left_out: list[SkippedPath] = field(default_factory=list)


def perform(course: Course, profile: Profile, *, order: Order = "as_seen") -> Performance:
    """Run a session again."""
    with TemporaryDirectory(prefix="actionledger-rerun-") as made:
        folder = Path(made).resolve()
        root = folder / "workspace"
        root.mkdir(mode=0o700)
        restorer = Restorer(root, course.states.objects)
        assert course.states.first is not None
        script = Script(course, restorer, order)
        script.left_out += restorer.restore(course.states.first)
        return _Stage(course, profile, folder, script).play()


class _Stage:
    """One rerun in one folder."""

    def __init__(self, course: Course, profile: Profile, folder: Path, script: Script) -> None:
        recorded = course.session
        key = SessionKey(
            session_id=recorded.session_id, profile=recorded.profile, model=recorded.model, task=recorded.task
        )
        self._course, self._script, self._folder = course, script, folder
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
            # Handlers see the identifiers of the recorded session.
            run=RunKey(run_id=new_id(), kind=RunKind.LIVE),
            workspace=Workspace(self._root),
            record=self._record,
            counter=LocalCounter(script.seconds),
            sleep=lambda _seconds: None,
            executor=partial(RerunExecutor, script=script),
        )

    def play(self) -> Performance:
        """Play all recorded events, in order."""
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
        """Continue a turn with the decisions that people had made before it ended."""
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
                return  # nothing is pending this time, which the comparison shows


def _arguments(text: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(text)
    return found
