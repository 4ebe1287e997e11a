"""Two readings of one turn, action by action and field by field: as HTML for a notebook, in lines for a terminal."""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from actionledger.core.canonical import json_text
from actionledger.core.formatting.html import chip, escaped, frame, heading
from actionledger.core.formatting.tables import Markup, box
from actionledger.core.formatting.text import cut, visible

_LONGEST = 200
_TONES = {"added": "good", "removed": "bad", "changed": "fair", "rejected": "bad", "accepted": "good"}
_MOST = 100
"""How many actions are shown of one turn."""


class Difference(Protocol):
    """Two readings of one turn."""

    @property
    def session_id(self) -> str:
        """The session."""

    @property
    def turn_index(self) -> int:
        """The turn's place in it."""

    @property
    def before(self) -> str:
        """What came of the first reading."""

    @property
    def after(self) -> str:
        """What came of the second."""

    @property
    def reason_before(self) -> str | None:
        """Why the first could not read it whole."""

    @property
    def reason_after(self) -> str | None:
        """Why the second could not."""

    @property
    def actions(self) -> Sequence[Any]:
        """The actions in pairs."""


def difference_text(difference: Difference) -> str:
    """Return how two readings of a turn differ, as lines."""
    return "\n".join(_lines(difference))


def difference_html(difference: Difference) -> str:
    """Return how two readings of a turn differ, as a display."""
    top = heading(
        "Difference",
        f"turn <b>{escaped(difference.session_id)}#{difference.turn_index}</b>",
        escaped(_outcome(difference.before, difference.reason_before)),
        escaped(f"→ {_outcome(difference.after, difference.reason_after)}"),
    )
    rows = [row for pair in difference.actions[:_MOST] for row in _rows(pair)]
    if not rows:
        return frame(top, '<div class="al-foot">no action in either reading</div>')
    columns = ("action", "name", "field", "before", "after")
    rest = f'<div class="al-foot">{escaped(_more(difference))}</div>' if _more(difference) else ""
    return frame(top, box(columns, rows, mono=frozenset({2, 3, 4})), rest)


def _lines(difference: Difference) -> Iterator[str]:
    before, after = (
        _outcome(difference.before, difference.reason_before),
        _outcome(difference.after, difference.reason_after),
    )
    yield f"{difference.session_id}#{difference.turn_index}: {before} → {after}"
    for pair in difference.actions[:_MOST]:
        checked = "" if pair.kind in {"same", "added", "removed"} else f", {_checked(pair)}"
        yield f"  {pair.kind} {_shown(pair.name)}{checked}"
        if pair.kind in {"added", "removed"}:
            yield f"    {_shown(json_text((pair.before or pair.after).arguments))}"
        for field in pair.fields:
            yield f"    {_kind(field)} {_path(field)}: {_sides(field)}"
    if more := _more(difference):
        yield f"  {more}"


def _rows(pair: Any) -> Iterator[tuple[object, ...]]:
    kind = Markup(chip(pair.kind, _TONES.get(pair.kind, "")))
    before = "" if pair.before is None else _outcome(pair.before.status, pair.before.reason)
    after = "" if pair.after is None else _outcome(pair.after.status, pair.after.reason)
    yield kind, _shown(pair.name), "", before, after
    if pair.kind in {"added", "removed"}:
        sides = [_shown(json_text(side.arguments)) if side else "" for side in (pair.before, pair.after)]
        yield "", "", "all", *sides
    for field in pair.fields:
        yield "", "", f"{_path(field)} ({_kind(field)})", *_values(field)


def _checked(pair: Any) -> str:
    return f"{_outcome(pair.before.status, pair.before.reason)} → {_outcome(pair.after.status, pair.after.reason)}"


def _outcome(outcome: str, reason: str | None) -> str:
    return f"{outcome} ({reason})" if reason else str(outcome)


def _sides(field: Any) -> str:
    before, after = _values(field)
    if field.kind == "added":
        return after
    return before if field.kind == "removed" else f"{before} → {after}"


def _values(field: Any) -> tuple[str, str]:
    before = "" if field.kind == "added" else _shown(json_text(field.before))
    return before, "" if field.kind == "removed" else _shown(json_text(field.after))


def _kind(field: Any) -> str:
    return str(field.kind).replace("_", " ")


def _path(field: Any) -> str:
    return _shown(".".join(map(str, field.path)) or "(all)")


def _shown(text: str) -> str:
    return visible(cut(text, _LONGEST))


def _more(difference: Difference) -> str:
    rest = len(difference.actions) - _MOST
    return f"… and {rest:,} more actions" if rest > 0 else ""
