"""The data of a turn's results: executions, states before and after, and the model's input and feedback."""

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress

from actionledger.core.canonical import json_text
from actionledger.core.text import counted
from actionledger.core.vocabulary import ExecutionStatus, Origin, Reason, RunKind
from actionledger.ledger.queries import ActionReversal, Execution, Response, TurnDetail
from actionledger.replay.steps import Step, Steps, WorkspaceState
from actionledger.runtime.session.states.stores import TableChange
from actionledger.runtime.workspace.nodes import Change
from actionledger.runtime.workspace.texts import Diff
from actionledger_dashboard.components.wording import pieces
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
    """Yield the executions, by the recorded agent and by actionledger."""
    other = detail.attempt is not None and any(
        execution.attempt_id != detail.attempt.attempt_id for execution in detail.executions
    )
    whose = {
        origin: [_execution_card(each, detail) for each in detail.executions if each.origin is origin]
        for origin in Origin
    }
    if theirs := whose[Origin.RECORDED]:
        yield lane("Executed by the recorded agent", theirs)
    ours = whose[Origin.RUNTIME] + [_reversal_card(reversal, detail) for reversal in detail.reversals]
    if theirs and not ours:
        return
    title = "Executed by actionledger" if theirs else "Executions"
    title += ", as recorded under the first reading" if other else ""
    yield lane(title, ours, _when_not_executed(detail))


def went_wrong(detail: TurnDetail) -> tuple[str, Reason | None]:
    """Return the outcome and first reason of a turn that was parsed but then failed, in the shown reading; empty for other turns."""
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
    """Return whether a recorded agent ran the turn, so that its results and feedback may be unknown.

    If actionledger ran an imported turn, its feedback has a time; feedback from a recording has none.
    """
    was_run_here = any(each.origin is Origin.RUNTIME for each in detail.executions) or any(
        told.at is not None for told in detail.response.told
    )
    return not was_run_here and any(reader.kind is RunKind.IMPORT for reader in detail.readers)


def is_of_reading(record: Execution | ActionReversal, detail: TurnDetail) -> bool:
    """Return whether a record belongs to the shown reading's actions."""
    return detail.attempt is not None and record.attempt_id == detail.attempt.attempt_id


def reversed_at(reversal: ActionReversal) -> str:
    """Return when an action was undone or redone."""
    return f"{reversal.reversed_at:%Y-%m-%d %H:%M:%S} UTC"


def _when_not_executed(detail: TurnDetail) -> str:
    """Return the text for a turn without executions."""
    if was_recorded_elsewhere(detail):
        return "Not recorded: this turn was imported, not run here."
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
    """Return the result once, since recordings may repeat it as the error; a JSON string is shown as its text."""
    if execution.result in {"", "null"}:
        return ""
    with suppress(ValueError):
        found = json.loads(execution.result)
        if isinstance(found, str):  # with its own line breaks, not JSON's escapes
            return "" if found == execution.message else bounded(found)
    return pretty(execution.result)


def _how_it_ran(execution: Execution) -> Iterator[str]:
    """Yield the try's number, if there can be several, its exit status, and its duration."""
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
    """Return the block and index of a record's action; None for both if it belongs to another reading."""
    if not is_of_reading(record, detail):
        return None, None
    found = (action for action in detail.actions if action.index == record.action_index)
    return next(((action.block, action.index) for action in found), (None, None))


NOT_RECORDED = "Not recorded."


LONGEST = 60_000
"""The number of characters of input or feedback that are drawn at once."""


def shown_before(detail: TurnDetail, before: Response | None, *, is_whole: bool = False) -> list[Values]:
    """Return the model's input before a turn, with a compaction of its context, and, folded, its reasoning, if they are recorded."""
    prompt = detail.response.prompt
    if prompt is None and before is not None:
        prompt = before.feedback
    thought = detail.response.reasoning
    absent = NOT_RECORDED if before is None else _when_not_shown(before)
    found = [passage("Compaction", detail.compaction)] if detail.compaction else []
    found.append(passage("Sent to the model before", _drawn(prompt, is_whole=is_whole), absent))
    if thought is None:
        return found
    return [
        *found,
        passage("What the model thought", _drawn(thought, is_whole=is_whole), is_folded=True),
    ]


def _drawn(text: str | None, *, is_whole: bool) -> str | None:
    """Return a text; a very long one is cut in the middle, since its end is newest, with the number of missing characters."""
    if text is None or is_whole or len(text) <= LONGEST:
        return text
    beginning, end = LONGEST // 3, LONGEST - LONGEST // 3
    return f"{text[:beginning]}\n… {len(text) - LONGEST:,} characters are not shown here …\n{text[-end:]}"


def told_after(detail: TurnDetail, *, is_whole: bool = False) -> list[Values]:
    """Return all of a turn's feedback to the model, in order and with times, or why there is none."""
    first = "Sent back to the model, exactly"
    if not detail.response.told:
        return [passage(first, None, _when_not_told(detail))]
    return [
        passage(
            (f"Told again as the turn went on ({number})" if told.is_resumed else first)
            + (f" · {told.at:%Y-%m-%d %H:%M:%S} UTC" if told.at else ""),
            _drawn(told.text, is_whole=is_whole),
        )
        for number, told in enumerate(detail.response.told)
    ]


def passage(title: str, text: str | None, absent: str = "", *, is_folded: bool = False) -> Values:
    """Return one text with its title."""
    shown = None if text is None else pieces(text)
    return {"title": title, "text": shown, "absent": absent, "folded": is_folded}


def _when_not_shown(before: Response) -> str:
    """Return where else the model's input is recorded."""
    return f"Input: the tool results of turn {before.index:,}."


def _when_not_told(detail: TurnDetail) -> str:
    """Return why a turn's feedback is missing."""
    if not was_recorded_elsewhere(detail):
        return "The turn never ended."
    if detail.executions:
        return "Not recorded as one text; the result of each call is next to the response."
    return NOT_RECORDED


FILES = 200
"""The number of paths of a state that are listed."""
CHANGES = 50
"""The number of changed paths of one step that are shown with their contents."""
_ROWS = 50
"""The number of added or removed table rows that are shown."""


def state_lane(steps: Steps) -> Values:
    """Return a card for each step of a turn: the state before, the changes, the state after."""
    if steps.note:
        return lane("Workspace and stores", [], f"Not recorded. {steps.note}")
    cards = [_step_card(step) for step in steps]
    return lane("Workspace and stores", cards, "No action of this turn was carried out.")


def _step_card(step: Step) -> Values:
    calls = [each.action_index for each in step.actions] if step.turn_index is not None else []
    name = ", ".join(step.names) or "From outside: an edit by hand, or an undoing"
    status = f"{counted(len(step.changes), 'path')} changed" if step.changes else "nothing changed"
    made = card(name, status, NEUTRAL, "", [step.note] if step.note else [], call=calls[0] if calls else None)
    return made | {
        "before": _state(step.before),
        "after": _state(step.after),
        "changes": list(_changes(step)),
    }


def _state(state: WorkspaceState | None) -> Values | None:
    if state is None:
        return None
    paths = sorted(state.files)
    size = sum(node.size or 0 for node in state.files.values())
    listed = [pieces(f"{path}  {_about(state, path)}") for path in paths[:FILES]]
    more = [f"… and {len(paths) - FILES:,} more"] if len(paths) > FILES else []
    left_out = [pieces(f"{one.path}  not kept: {one.why}") for one in state.left_out[:FILES]]
    said = f"{counted(len(paths), 'path')}, {counted(size, 'byte')}" if paths else "empty"
    return {"said": said, "paths": [*listed, *more, *left_out]}


def _about(state: WorkspaceState, path: str) -> str:
    node = state.files[path]
    kind = "store" if path in state.stores else str(node.kind)
    return f"{kind}, {counted(node.size, 'byte')}" if node.size else kind


def _changes(step: Step) -> Iterator[Values]:
    """Yield the change of each path; contents are loaded and shown unless there are too many changes."""
    if len(step.changes) > CHANGES:
        for change in step.changes[:FILES]:
            yield _change(change.path, _kind(change), "(too many changes to show what is in them)")
        if len(step.changes) > FILES:
            yield _change(f"… and {len(step.changes) - FILES:,} more", "", "")
        return
    for diff in step.diffs():
        yield _of_file(diff)
    for path, tables in step.table_changes().items():
        yield _change(path, "store", "\n".join(line for table in tables for line in _table_lines(table)))


def _of_file(diff: Diff) -> Values:
    return _change(diff.path, str(diff.kind), diff.text)


def _kind(change: Change) -> str:
    if change.before is None:
        return "created"
    return "changed" if change.after is not None else "deleted"


def _change(path: str, kind: str, text: str) -> Values:
    return {"path": pieces(path), "kind": kind, "lines": _lines(text)}


def _lines(text: str) -> list[Values]:
    return [{"sign": _sign(line), "text": pieces(line)} for line in bounded(text).split("\n") if text]


def _sign(line: str) -> str:
    """Return whether a diff's line was added or removed; its headers are neither."""
    if line.startswith(("+++ ", "--- ")):
        return ""
    return {"+": "came", "-": "went"}.get(line[:1], "")


def _table_lines(table: TableChange) -> Iterator[str]:
    yield f"@@ table {table.table}"
    yield from _row_lines("-", table.removed)
    yield from _row_lines("+", table.added)


def _row_lines(sign: str, found: Sequence[tuple[object, ...]]) -> Iterator[str]:
    for row in found[:_ROWS]:
        yield f"{sign}{json_text(list(row))}"
    if len(found) > _ROWS:
        yield f"{sign}… and {counted(len(found) - _ROWS, 'more row')}"
