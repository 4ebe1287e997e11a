"""Two readings of a turn side by side and field by field, and the choice among a session's readings, with where they first differ."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass

import streamlit as st

from actionledger.core.canonical import json_text
from actionledger.core.text import counted
from actionledger.core.values import Span
from actionledger.ledger import queries
from actionledger.ledger.queries import (
    ActionDifference,
    FieldDifference,
    ReadAction,
    Reader,
    TurnDetail,
    TurnDifference,
)
from actionledger_dashboard.components import links
from actionledger_dashboard.components.controls import mount_of, show_anchors
from actionledger_dashboard.components.sides import FIRST
from actionledger_dashboard.components.wording import pieces, visible
from actionledger_dashboard.data import ask
from actionledger_dashboard.viewer.looks import Values
from actionledger_dashboard.viewer.reading import reader_label, reading_data
from actionledger_dashboard.viewer.session import Course

_LOOKS = {
    "same": "idle",
    "added": "good",
    "removed": "bad",
    "changed": "mended",
    "rejected": "bad",
    "accepted": "good",
}
_MOST = 200
"""The number of rows that are shown of one turn."""
_LONGEST = 2_000
"""The number of characters that are shown of one value."""


def difference_rows(difference: TurnDifference) -> list[Values]:
    """Return the differences, action by action and field by field."""
    rows = [row for pair in difference.actions if pair.kind != "same" for row in _rows(pair)]
    more = len(rows) - _MOST
    return rows[:_MOST] + ([_row(name=f"… and {more:,} more")] if more > 0 else [])


def difference_said(difference: TurnDifference | None) -> str:
    """Return the differences in a few words."""
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


_mount = mount_of("readings", "marked", "cards", "explained", "selected")

_ORDINALS = ("on the left", "on the right")


@dataclass(frozen=True, slots=True)
class Step:
    """A link to another turn.

    Args:
        text: its label.
        title: its tooltip.
        keys: the keys that follow it.
        href: its target; None if there is no turn in that direction.
    """

    text: str
    title: str
    keys: tuple[str, ...]
    href: str | None


def show_readings(
    sides: Sequence[tuple[str, TurnDetail]],
    difference: TurnDifference | None,
    *,
    place: str,
    steps: Sequence[Step] = (),
    key: str = "readings",
    on_select: Callable[[Span], None] | None = None,
    lanes: Sequence[Sequence[Values]] = (),
    after: Sequence[Sequence[Values]] = (),
    are_all: bool = False,
) -> None:
    """Show two readings of a turn side by side, or one alone."""
    ordinals = _ORDINALS if len(sides) > 1 else ("as it was read",)
    drawn: list[Values] = [
        reading_data(detail) | {"title": pieces(name), "ordinal": ordinal}
        for (name, detail), ordinal in zip(sides, ordinals, strict=True)
    ]
    for side, more in zip(drawn, lanes, strict=False):
        side["lanes"] = [*more, *([] if are_all else side["lanes"])]
    for side, more in zip(drawn, after, strict=False):
        side["lanes"] += more
    data = {
        "sides": drawn,
        "differences": [] if difference is None else difference_rows(difference),
        "said": difference_said(difference) if len(sides) > 1 else "",
        "place": pieces(place),
        "steps": [asdict(step) for step in steps],
        "hint": " · ".join(f"{' '.join(step.keys)}: {step.title}" for step in steps if step.keys),
        "turn": sides[0][1].response.index,
        "selects": on_select is not None,
    }

    def select() -> None:
        found = st.session_state[key].get("selected") if key in st.session_state else None
        if on_select is not None and found:
            on_select(Span(int(found[0]), int(found[1])))

    _mount(key=key, data=data, on_selected_change=select)


_PARAMETER = "beside"
_NOTHING = ""
_FIRST = ""  # stands for the first reading, which has no run in the URL


@dataclass(frozen=True, slots=True)
class ShownReading:
    """The two readings of a session that are shown."""

    session_id: str  # the session
    run_id: str | None  # the run on the left; None for the first reading
    beside: str  # the run on the right, as the URL's value

    def href(self, index: int) -> str:
        """Return the link to one turn in both."""
        return links.replay_href(self.session_id, index, self.run_id, beside=self.beside)

    def step(self, index: int | None) -> str | None:
        """Return the link to one turn in both, or None if there is no such turn."""
        return None if index is None else self.href(index)


def others_of(detail: TurnDetail, run_id: str | None) -> dict[str, Reader]:
    """Return a turn's readings other than the shown one, by their values in a URL."""
    named = {FIRST if place == 0 else reader.run_id: reader for place, reader in enumerate(detail.readers)}
    first = detail.readers[0].run_id if detail.readers else None
    shown = FIRST if run_id is None or run_id == first else run_id
    return {name: reader for name, reader in named.items() if name != shown}


def reading_choices(detail: TurnDetail, run_id: str | None) -> list[Values]:
    """Return the choices of a turn's reading, and of a second one to compare, if there is one."""
    beside = st.query_params.get(_PARAMETER)
    session_id, index = detail.response.session_id, detail.response.index
    labels, chosen = _readings_of(detail, run_id)
    by = [
        _option(
            label, links.replay_href(session_id, index, run or None, beside=beside), is_chosen=run == chosen
        )
        for run, label in labels.items()
    ]
    others = others_of(detail, run_id)
    if not others and not beside:
        return [{"label": "Read by", "options": by}] if len(by) > 1 else []
    names = {None: "(nothing)"} | {name: reader_label(reader) for name, reader in others.items()}
    names.setdefault(beside, "A run that has not read this turn")
    second = [
        _option(label, links.replay_href(session_id, index, run_id, beside=name), is_chosen=name == beside)
        for name, label in names.items()
    ]
    return [{"label": "Read by", "options": by}, {"label": "Beside it", "options": second}]


def _readings_of(detail: TurnDetail, run_id: str | None) -> tuple[dict[str, str], str]:
    """Return the labels of a turn's readings by their values in a URL, and the value of the shown one."""
    first = detail.readers[0].run_id if detail.readers else None
    labels = {_FIRST: "First reading"}
    labels |= {
        _FIRST if reader.run_id == first else reader.run_id: reader_label(reader) for reader in detail.readers
    }
    chosen = _FIRST if run_id is None or run_id == first else run_id
    labels.setdefault(chosen, "The chosen run, which has not read this turn")
    return labels, chosen


def _option(label: str, href: str, *, is_chosen: bool) -> Values:
    return {"text": visible(label), "href": href, "chosen": is_chosen}


def show_beside(detail: TurnDetail, run_id: str | None, course: Course) -> bool:
    """Show where the session's readings first differ, and both readings of this turn if a second one is picked."""
    picked = st.query_params.get(_PARAMETER, _NOTHING)
    others = others_of(detail, run_id)
    beside = picked or next(reversed(others), _NOTHING)
    if not beside:
        return False
    shown = ShownReading(detail.response.session_id, run_id, beside)
    differing = _differing(shown)
    _lead(shown, detail.response.index, differing, is_open=bool(picked))
    other = ask(queries.turn, shown.session_id, detail.response.index, _run_of(beside)) if picked else None
    if other is None:
        return False
    _show_both(shown, detail, other, course, differing)
    return True


def _run_of(name: str) -> str | None:
    return None if name == FIRST else name


def _differing(shown: ShownReading) -> list[int]:
    """Return the turns in which the two readings differ, whichever is on the left."""
    one, other = shown.run_id, _run_of(shown.beside)
    after, before = (one, other) if other is None else (other, one)
    if after is None:
        return []
    found = ask(queries.compared_turns, before, after, session_id=shown.session_id)
    return [turn.turn_index for turn in found]


def _lead(shown: ShownReading, index: int, differing: Sequence[int], *, is_open: bool) -> None:
    """Say where the readings first differ, with a link to it."""
    side_by_side = [] if is_open else [("Side by side", shown.href(index))]
    if not differing:
        said = "This session was read more than once, each turn with the same result."
        show_anchors("differing", side_by_side, said)
        return
    first = (f"First differs at turn {differing[0]}", shown.href(differing[0]))
    said = f"Read otherwise: {counted(len(differing), 'turn')} of this session."
    show_anchors("differing", [first, *side_by_side], said)


def _show_both(
    shown: ShownReading, detail: TurnDetail, other: TurnDetail, course: Course, differing: Sequence[int]
) -> None:
    difference = None
    if detail.attempt is not None and other.attempt is not None:
        runs = (detail.attempt.run_id, other.attempt.run_id)
        difference = ask(queries.compare_turn, *runs, detail.response.turn_id)
    index = detail.response.index
    otherwise = min((turn for turn in differing if turn > index), default=None)
    steps = (
        Step("◀", "previous turn", ("k", "←"), shown.step(course.previous)),
        Step("▶", "next turn", ("j", "→"), shown.step(course.next)),
        Step("next difference", "next difference", ("e",), shown.step(otherwise)),
    )
    first = " · the first that differs" if differing and differing[0] == index else ""
    sides = [
        (_title(detail, shown.run_id), detail),
        (_title(other, _run_of(shown.beside)), other),
    ]
    show_readings(sides, difference, place=f"turn {index} / {course.last}{first}", steps=steps)


def _title(detail: TurnDetail, run_id: str | None) -> str:
    if run_id is None:
        return "First reading"
    reader = next((each for each in detail.readers if each.run_id == run_id), None)
    return "A run that has not read this turn" if reader is None else reader.name or "re-reading"
