"""Did all that an action depends on succeed?"""

from dataclasses import replace

from actionledger.core.vocabulary import ExecutionStatus, Reason
from actionledger.runtime.execution.admission import Admitted, Withheld
from actionledger.runtime.execution.planning import as_sentence, named
from actionledger.runtime.execution.turn_context import Progress, TurnContext

_LETS_ON = frozenset({ExecutionStatus.SUCCEEDED, ExecutionStatus.DRY_RUN, ExecutionStatus.PENDING})
"""What an action may have come to so that those that depend on it are not lost."""

_WAITS = frozenset({Reason.NOT_APPROVED, Reason.DEPENDENCY_WAITS})
"""Why an action waits, or in a dry run would."""


def check_dependencies(context: TurnContext, progress: Progress, action: Admitted) -> Admitted | Withheld:
    """Withhold an action whose dependencies keep it from running; in a dry run, say what would."""
    places = action.planned.waits_for
    lost = _lost(progress, places)
    if lost is not None:
        message = _because_of(context, progress, lost)
        return Withheld(ExecutionStatus.SKIPPED, Reason.DEPENDENCY_FAILED, message)
    waiting = [place for place in places if _waits(progress, place)]
    if not waiting:
        return action
    which = named(waiting[-1], context.calls[waiting[-1]])
    if context.dry_run:
        message = f"It would wait with {which}, which it depends on."
        held_back = Withheld(ExecutionStatus.DRY_RUN, Reason.DEPENDENCY_WAITS, message)
        return replace(action, held_back=held_back)
    message = f"It waits with {which}, which it depends on."
    return Withheld(ExecutionStatus.PENDING, Reason.DEPENDENCY_WAITS, message)


def _lost(progress: Progress, places: tuple[int, ...]) -> int | None:
    """Return the first place whose action keeps those from running that depend on it."""
    for place in places:
        observation = progress.observations.get(place)
        if observation is None or observation.status not in _LETS_ON:
            return place
    return None


def _waits(progress: Progress, place: int) -> bool:
    observation = progress.observations[place]
    return observation.status is ExecutionStatus.PENDING or observation.reason in _WAITS


def _because_of(context: TurnContext, progress: Progress, place: int) -> str:
    """Return why an action is lost that depends on the one at a place: what ended first, and the way from there."""
    cause = _cause(context, progress, place)
    ended = progress.observations.get(cause)
    fate = f"ended as {ended.status.value.replace('_', ' ')}" if ended else "was refused"
    what = f"{named(cause, context.calls[cause])} {fate}, and this one depends on it"
    if cause == place:
        return as_sentence(what)
    return as_sentence(f"{what} by way of {named(place, context.calls[place])}")


def _cause(context: TurnContext, progress: Progress, place: int) -> int:
    """Return the place of the action by whose end the one at a place was lost; that place itself if by its own."""
    waits_for = {planned.index: planned.waits_for for planned in context.plan.actions}
    while (seen := progress.observations.get(place)) and seen.reason is Reason.DEPENDENCY_FAILED:
        before = _lost(progress, waits_for[place])
        if before is None:
            break
        place = before
    return place
