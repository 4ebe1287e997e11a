"""How far responses and actions get, step by step: from reading over checking to executing, ours and that of other runtimes apart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from actionledger.core.rates import Rate
from actionledger.core.vocabulary import Capture, Ending, ExecutionStatus, Origin, Outcome
from actionledger.ledger.queries.funnel import Funnel
from actionledger.ledger.queries.marks import Mark

WHOLE = Mark(outcomes=tuple(str(outcome) for outcome in Outcome if outcome.is_success))
MEANT = Mark(outcomes=tuple(str(outcome) for outcome in Outcome if outcome.has_intent))
"""The responses that were read whole, and those that meant to act."""
UNACTED = Mark(endings=tuple(str(ending) for ending in Ending if ending.is_failure))
"""The responses that stopped without acting or could not be parsed."""
NOT_MEANT = Mark(
    outcomes=tuple(
        str(outcome) for outcome in Outcome if not outcome.has_intent and outcome is not Outcome.NOT_RECORDED
    )
)
WITH_ACTIONS = Mark(outcomes=("clean", "repaired", "partial"))
UNREAD, REFUSED = Mark(stage="reading"), Mark(stage="checking")
_AUDITED = tuple(str(capture) for capture in Capture if capture.is_auditable)
_UNAUDITED = tuple(
    str(capture) for capture in Capture if not capture.is_auditable and capture is not Capture.NONE
)
UNAUDITED = replace(MEANT, captures=_UNAUDITED)
"""The responses that meant to act and are in no rate of reading."""
_ATTEMPTED = [status for status in ExecutionStatus if status.was_attempted]
_UNTRIED = [status for status in ExecutionStatus if not status.was_attempted]
TRIED_ELSEWHERE = Mark(executions=tuple(map(str, _ATTEMPTED)), origin=Origin.RECORDED)
"""The responses of which something was tried by another runtime, as recorded."""
_MISSED = [status for status in _ATTEMPTED if status is not ExecutionStatus.SUCCEEDED]


@dataclass(frozen=True, slots=True)
class Step:
    """One bar.

    Args:
        label: what is counted.
        count: how many got here.
        of: how many got to the step before.
        opens: the turns of those that got here; None where nothing picks them.
        lost_opens: the turns of those that were lost on the way; None where nothing picks them.
        missing: what those are, in words behind their number.
    """

    label: str
    count: int
    of: int
    opens: Mark | None = None
    lost_opens: Mark | None = None
    missing: str = "lost"

    @property
    def lost(self) -> int:
        """How many got to the step before and not here."""
        return max(self.of - self.count, 0)


@dataclass(frozen=True, slots=True)
class Stage:
    """The steps of one part of the way.

    Args:
        label: what it is called.
        steps: from the first to the last.
    """

    label: str
    steps: Sequence[Step]


def audited(mark: Mark, found: Funnel) -> Mark:
    """Return a mark of responses without those that no rate of reading is about, where there are any.

    Args:
        mark: of which responses.
        found: what became of all of them.
    """
    return replace(mark, captures=_AUDITED) if found.not_auditable else mark


def stages_of(found: Funnel) -> list[Stage]:
    """Return the way of a set of responses; what nothing got to is left out.

    Args:
        found: what became of them.
    """
    stages = [
        Stage("Reading: responses", _reading(found)),
        Stage("Checking: actions", _checking(found)),
        Stage("Executing: tries here", _executing(found.tries, found.execution, Origin.RUNTIME)),
        Stage(
            "Executing: tries elsewhere, as recorded",
            _executing(found.recorded, found.recorded_execution, Origin.RECORDED),
        ),
    ]
    return [stage for stage in stages if stage.steps and stage.steps[0].count]


def _reading(found: Funnel) -> list[Step]:
    steps = [
        Step("Responses", found.responses, found.responses, Mark()),
        Step("Meant to act", found.intent, found.responses, MEANT, NOT_MEANT, "did not"),
    ]
    count = found.parse_success.count
    if found.not_auditable:
        lost = "can't be"
        steps.append(Step("Can be audited", count, found.intent, audited(MEANT, found), UNAUDITED, lost))
    if count:
        steps += [
            Step("Read whole", found.parsed, count, audited(WHOLE, found), UNREAD, "not read whole"),
            Step("With a valid action", found.with_valid, found.parsed, missing="without"),
        ]
    return steps


def _checking(found: Funnel) -> list[Step]:
    steps = [Step("Read", found.decoded, found.decoded, WITH_ACTIONS)]
    if found.validation.count < found.decoded:
        steps.append(Step("With a catalogue", found.validation.count, found.decoded, missing="without"))
    if found.validation.count:
        checked = found.validation
        steps.append(Step("Valid", checked.successes, checked.count, None, REFUSED, "refused"))
    return steps


def _executing(tries: Mapping[ExecutionStatus, int], succeeded: Rate, origin: Origin) -> list[Step]:
    def mark(*statuses: ExecutionStatus) -> Mark:
        return Mark(executions=tuple(str(status) for status in statuses), origin=origin)

    whole, tried = sum(tries.values()), succeeded.count
    steps = [
        Step("Asked for", whole, whole, mark()),
        Step("Tried", tried, whole, mark(*_ATTEMPTED), mark(*_UNTRIED), "not tried"),
        Step(
            "Succeeded",
            succeeded.successes,
            tried,
            mark(ExecutionStatus.SUCCEEDED),
            mark(*_MISSED),
            "did not succeed",
        ),
    ]
    return steps if tried < whole else steps[1:]
