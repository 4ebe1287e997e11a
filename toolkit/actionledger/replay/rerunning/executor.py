"""Runs the actions of a session once more: each sees the time it saw, and those that touch the outside have their recorded results."""

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias

from actionledger.core.canonical import json_text
from actionledger.core.draws import Giving, drawing_from
from actionledger.core.privacy import mask
from actionledger.core.values import Observation
from actionledger.core.vocabulary import ExecutionStatus, Reason
from actionledger.ledger.queries.tries import RecordedTry
from actionledger.replay.rerunning.course import Course
from actionledger.replay.rerunning.refusals import Refused, WhyNot
from actionledger.runtime.execution.execution_events import Step, execution_started
from actionledger.runtime.execution.executor import Executor
from actionledger.runtime.session.states.looking import LeftOut
from actionledger.runtime.session.states.restoring import Restorer

_NOT_RECORDED = (
    "It touches what lies outside of the workspace, and what it would come to there is not recorded."
)


Order: TypeAlias = Literal["as_seen", "as_written"]
"""How actions are put in order that had run side by side: by the last time that each drew, which is as a rule that of its effect, or by
their places in the response. What really came first is not recorded."""


class Script:
    """What a rerun takes from the record as it goes.

    Args:
        course: the recorded session.
        restorer: puts recorded changes into the rerun's workspace.
        order: in which order those actions run that had run side by side.
    """

    def __init__(self, course: Course, restorer: Restorer, order: Order = "as_seen") -> None:
        self.course = course
        self.order = order
        self.taken: set[str] = set()
        """The executions whose results were taken from the record."""
        self.left_out: list[LeftOut] = []
        self._restorer = restorer
        self._moment = course.states.begun.at
        self._tapes: dict[tuple[int, int], Giving] = {}

    def seconds(self) -> float:
        """Return the recorded time, for rates."""
        return self._moment.replace(tzinfo=UTC).timestamp()

    def set_time(self, moment: datetime | None) -> None:
        """Go on to a recorded moment; never back."""
        if moment is not None and moment > self._moment:
            self._moment = moment

    def tape_of(self, step: Step) -> Giving:
        """Return the tape that hands an action what it drew."""
        place = step.turn.index, step.index
        if place not in self._tapes:
            moment = self._moment.replace(tzinfo=UTC).isoformat()
            self._tapes[place] = Giving(self.course.drawn(*place), moment)
        return self._tapes[place]

    def apply_outside(self, changes: Any) -> None:
        """Make changes that nobody's action had made."""
        self.left_out += self._restorer.apply(changes)

    def apply_effects(self, step: Step, is_taken: Callable[[int], bool]) -> None:
        """Make the changes that an action had made whose result is taken from the record."""
        for line in self.course.effects(step.turn.index):
            if step.index in line.actions and line.changes:
                if not all(map(is_taken, line.actions)):
                    raise Refused(WhyNot.NOT_APART, f"It is in turn {step.turn.index}.")
                if step.index == line.actions[-1]:
                    self.left_out += self._restorer.apply(line.as_changes)


class RerunExecutor(Executor):
    """See the module.

    Args:
        script: what is taken from the record.
        given: as ``Executor`` takes it.
    """

    def __init__(self, *given: Any, script: Script, **more: Any) -> None:
        super().__init__(*given, **more, tape_of=script.tape_of)
        self._script = script

    def run(self, steps: Sequence[Step]) -> list[Observation]:
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

    def _ran(self, steps: Sequence[Step]) -> list[Observation]:
        """Run steps; those that ran side by side one after the other, so that a rerun is the same each time."""
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

    def _last_seen(self, step: Step) -> tuple[str, int]:
        """Return the last time that an action drew, or else its end."""
        finished = [each.finished_at.isoformat() for each in self._tries(step) if each.finished_at]
        return max(self._times(step), default=max(finished, default="")), step.index

    def _times(self, step: Step) -> list[str]:
        """Return the times that an action drew."""
        drawn = self._script.course.drawn(step.turn.index, step.index)
        return [str(value) for kind, value in drawn if kind == "time"]

    def _open(self, steps: Sequence[Step]) -> None:
        """Open what the handlers hold, as the step did that drew first: the others waited for it, and it need not have ended first."""
        drew = [step for step in steps if self._times(step)]
        if not drew:
            return
        first = min(drew, key=lambda step: min(self._times(step)))
        # What can't be opened is said by the handler that needs it.
        with drawing_from(self._script.tape_of(first)), suppress(Exception):
            self.handlers.opens()

    def _tries(self, step: Step) -> list[RecordedTry]:
        """Return the recorded tries at the same action from this one on."""
        found = self._script.course.tries(step.turn.index, step.index)
        return [each for each in found if each.name == step.call.name and each.try_number >= step.try_number]

    def _is_taken(self, step: Step) -> bool:
        if self.execution_settings.of(step.call.name).touches_outside:
            return True
        # Nobody can have a process killed in the same moment once more.
        tries = self._tries(step)
        return bool(tries) and tries[-1].status is ExecutionStatus.INTERRUPTED

    def _from_record(self, step: Step) -> Observation:
        wanted = _plain(step.call.arguments)
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
        # Whoever looks at the workspace when the action is over sees what it has changed.
        self._script.apply_effects(step, lambda place: self._was_taken(course, step.turn.index, place))
        return self._take(step, tries[-1])

    def _take(self, step: Step, each: RecordedTry) -> Observation:
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


def _plain(arguments: Any) -> Any:
    return json.loads(mask(json_text(arguments).encode()))


def _observed(step: Step, each: RecordedTry) -> Observation:
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
