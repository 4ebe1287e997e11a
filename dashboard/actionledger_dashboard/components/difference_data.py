"""What is drawn of how two readings of a turn differ, as plain values. Pure."""

from collections.abc import Iterator

from actionledger.core.canonical import json_text
from actionledger.core.plurals import counted
from actionledger.ledger.queries import ActionDifference, FieldDifference, ReadAction, TurnDifference
from actionledger_dashboard.components.visible import pieces
from actionledger_dashboard.viewer.looks import Values

_LOOKS = {
    "same": "idle",
    "added": "good",
    "removed": "bad",
    "changed": "mended",
    "rejected": "bad",
    "accepted": "good",
}
_MOST = 200
"""How many rows are shown of one turn."""
_LONGEST = 2_000
"""How many characters of one value."""


def difference_rows(difference: TurnDifference) -> list[Values]:
    """Return what differs, action by action and field by field; what is as before is left out."""
    rows = [row for pair in difference.actions if pair.kind != "same" for row in _rows(pair)]
    more = len(rows) - _MOST
    return rows[:_MOST] + ([_row(name=f"… and {more:,} more")] if more > 0 else [])


def difference_said(difference: TurnDifference | None) -> str:
    """Return in a few words what differs."""
    if difference is None:
        return "Only one of them has read this turn, so that nothing compares."
    changed = sum(pair.kind != "same" for pair in difference.actions)
    if changed:
        return f"What differs: {changed:,} of {counted(len(difference.actions), 'action')}"
    alike = f"the same {counted(len(difference.actions), 'action')}" if difference.actions else "no action"
    end = "" if difference.before == difference.after else "; they differ in how they could read the text"
    return f"Both read {alike}{end}."


def _rows(pair: ActionDifference) -> Iterator[Values]:
    yield _row(pair.kind, pair.name, "", _checked(pair.before), _checked(pair.after))
    if pair.before is None or pair.after is None:
        yield _row(field="all", before=_arguments(pair.before), after=_arguments(pair.after))
    for field in pair.fields:
        yield _of_field(field)


def _of_field(field: FieldDifference) -> Values:
    path = ".".join(map(str, field.path)) or "(all)"
    before = "" if field.kind == "added" else _cut(json_text(field.before))
    after = "" if field.kind == "removed" else _cut(json_text(field.after))
    return _row(field=f"{path} ({field.kind.replace('_', ' ')})", before=before, after=after)


def _row(kind: str = "", name: str = "", field: str = "", before: str = "", after: str = "") -> Values:
    return {
        "kind": kind,
        "look": _LOOKS.get(kind, "idle"),
        "name": pieces(name),
        "field": pieces(field),
        "before": pieces(before),
        "after": pieces(after),
    }


def _checked(action: ReadAction | None) -> str:
    if action is None:
        return "not read"
    return f"{action.status} ({action.reason})" if action.reason else str(action.status)


def _arguments(action: ReadAction | None) -> str:
    return "" if action is None else _cut(json_text(action.arguments))


def _cut(text: str) -> str:
    return (
        text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… and {len(text) - _LONGEST:,} more characters"
    )
