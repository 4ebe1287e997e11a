"""What is drawn of the state of a session's workspace and stores, before and after each action."""

from collections.abc import Iterator, Sequence

from actionledger.core.canonical import json_text
from actionledger.core.plurals import counted
from actionledger.replay.steps import Step, Steps, WorkspaceState
from actionledger.runtime.session.states.stores import TableChange
from actionledger.runtime.workspace.diffs import Diff
from actionledger.runtime.workspace.nodes import Change
from actionledger_dashboard.components.visible import pieces
from actionledger_dashboard.viewer.looks import NEUTRAL, Values, bounded, card, lane

FILES = 200
"""How many paths of a state are listed."""
CHANGES = 50
"""How many changed paths of one step are shown with what has become of them."""
_ROWS = 50
"""How many rows of a table that came or went are shown."""


def state_lane(steps: Steps) -> Values:
    """Return a card for each step of a turn: what there was before, what changed, what there was after."""
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
    """Yield what has become of each path, the first ones with their contents, which are read for it."""
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
    """Return whether a line of a diff came or went; its heads are neither."""
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
