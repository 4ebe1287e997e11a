"""Two readings of one turn as a component: side by side, and field by field."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import streamlit as st

from actionledger.core.values import Span
from actionledger.ledger.queries import TurnDetail, TurnDifference
from actionledger_dashboard.components.assets import mount_of
from actionledger_dashboard.components.difference_data import difference_rows, difference_said
from actionledger_dashboard.components.visible import pieces
from actionledger_dashboard.viewer.looks import Values
from actionledger_dashboard.viewer.reading import reading_data

_mount = mount_of("readings", "marked", "cards", "explained", "selected")

_ORDINALS = ("on the left", "on the right")


@dataclass(frozen=True, slots=True)
class Step:
    """A way on to another turn.

    Args:
        text: what stands on it.
        title: a few words for who asks.
        keys: the keys that lead there, too.
        href: where to; None where there is nothing in that direction.
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
    """Show two readings of a turn beside each other, or one alone."""
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
