"""What is drawn of what came of a turn's actions: executions, theirs and ours, and what was taken back."""

import json
from collections.abc import Iterator
from contextlib import suppress

from actionledger.core.vocabulary import ExecutionStatus, Origin, Reason, RunKind
from actionledger.ledger.queries import ActionReversal, Execution, TurnDetail
from actionledger_dashboard.viewer.looks import (
    NEUTRAL,
    Values,
    because,
    bounded,
    came_to,
    card,
    lane,
    look_of,
    pretty,
    words,
)

_NO_FAILURE = {
    ExecutionStatus.SUCCEEDED,
    ExecutionStatus.PENDING,
    ExecutionStatus.DRY_RUN,
    ExecutionStatus.SKIPPED,
}


def run_lanes(detail: TurnDetail) -> Iterator[Values]:
    """Yield what was done, by others and here."""
    other = detail.attempt is not None and any(
        execution.attempt_id != detail.attempt.attempt_id for execution in detail.executions
    )
    whose = {
        origin: [_execution_card(each, detail) for each in detail.executions if each.origin is origin]
        for origin in Origin
    }
    if theirs := whose[Origin.RECORDED]:
        yield lane("What came of them elsewhere, as recorded", theirs)
    ours = whose[Origin.RUNTIME] + [_reversal_card(reversal, detail) for reversal in detail.reversals]
    if theirs and not ours:
        return
    title = "Executions here" if theirs else "Executions"
    title += ", as recorded under the first reading" if other else ""
    yield lane(title, ours, _when_not_executed(detail))


def went_wrong(detail: TurnDetail) -> tuple[str, Reason | None]:
    """Return what came of a turn that was read and went wrong after that in the reading that is shown, and why first; nothing of any other."""
    if detail.attempt is None:
        return "", None
    refused = [each for each in detail.actions if each.status.is_refused]
    undone = [
        each for each in detail.executions if each.status not in _NO_FAILURE and is_of_reading(each, detail)
    ]
    first = (refused or undone)[0].reason if refused or undone else None
    said = came_to(detail.attempt.outcome, is_valid=not refused, is_done=not undone)
    return (said, first) if refused or undone else ("", None)


def was_recorded_elsewhere(detail: TurnDetail) -> bool:
    """Return whether another runtime ran the turn, so that what it did and said need not be known.

    An import that runs what it reads tells the model at a time of its own; what a recording says was told has none.
    """
    was_run_here = any(each.origin is Origin.RUNTIME for each in detail.executions) or any(
        told.at is not None for told in detail.response.told
    )
    return not was_run_here and any(reader.kind is RunKind.IMPORT for reader in detail.readers)


def is_of_reading(record: Execution | ActionReversal, detail: TurnDetail) -> bool:
    """Return whether a record is of an action of the reading that is shown, and not of another one's."""
    return detail.attempt is not None and record.attempt_id == detail.attempt.attempt_id


def reversed_at(reversal: ActionReversal) -> str:
    """Return when something was taken back or put there again."""
    return f"{reversal.reversed_at:%Y-%m-%d %H:%M:%S} UTC"


def _when_not_executed(detail: TurnDetail) -> str:
    """Return what there is to say of a turn of which no execution is recorded."""
    if was_recorded_elsewhere(detail):
        return "Not recorded: this turn was taken in from a recording, and was not run here."
    return "Nothing was executed."


def _execution_card(execution: Execution, detail: TurnDetail) -> Values:
    block, call = _tied_to(execution, detail)
    return card(
        execution.name,
        words(execution.status),
        look_of(execution.status),
        " · ".join(_how_it_ran(execution)),
        [line for line in (because(execution.reason), *_told_by(execution), execution.message) if line],
        value=_result(execution),
        block=block,
        call=call,
    )


def _result(execution: Execution) -> str:
    """Return what came back, once: what a recording has as its error is its result, too; a text as it is."""
    if execution.result in {"", "null"}:
        return ""
    with suppress(ValueError):
        found = json.loads(execution.result)
        if isinstance(found, str):  # as it came back: with its own line breaks, and not with JSON's escapes
            return "" if found == execution.message else bounded(found)
    return pretty(execution.result)


def _how_it_ran(execution: Execution) -> Iterator[str]:
    """Yield which try it was, where there can be several, how it ended, and how long it took."""
    is_theirs = execution.origin is Origin.RECORDED
    yield "recorded" if is_theirs else f"try {execution.try_number}"
    if execution.exit_status is not None:
        yield f"exit {execution.exit_status}"
    if execution.duration_ms is not None:
        yield f"{execution.duration_ms:,.1f} ms"
    elif is_theirs:
        yield "time not recorded"


def _told_by(execution: Execution) -> Iterator[str]:
    if execution.is_inferred:
        yield "Inferred: only the words of the result tell this."


def _reversal_card(reversal: ActionReversal, detail: TurnDetail) -> Values:
    more = reversal.path_count - len(reversal.paths)
    lines = [*reversal.paths, *([f"and {more:,} more"] if more else [])]
    block, call = _tied_to(reversal, detail)
    when = reversed_at(reversal)
    return card(reversal.name, words(reversal.kind), NEUTRAL, when, lines, block=block, call=call)


def _tied_to(record: Execution | ActionReversal, detail: TurnDetail) -> tuple[int | None, int | None]:
    """Return the block and the place of a record's action; neither where another reading's is recorded."""
    if not is_of_reading(record, detail):
        return None, None
    found = (action for action in detail.actions if action.index == record.action_index)
    return next(((action.block, action.index) for action in found), (None, None))
