"""Two readings of one turn as a component: side by side, and field by field."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from actionledger.ledger.queries import TurnDetail, TurnDifference
from actionledger_dashboard.components.assets import mount_of
from actionledger_dashboard.components.difference_data import difference_rows, difference_said
from actionledger_dashboard.components.visible import pieces
from actionledger_dashboard.viewer.looks import Values
from actionledger_dashboard.viewer.reading import reading_data

_mount = mount_of("readings", "marked", "cards", "explained")

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
) -> None:
    """Show two readings of a turn.

    Args:
        sides: what each is called, and the turn as it was read.
        difference: how they differ; None where one of them has not read the turn.
        place: which turn it is.
        steps: where one can go on to from here.
    """
    drawn: list[Values] = [
        reading_data(detail) | {"title": pieces(name), "ordinal": ordinal}
        for (name, detail), ordinal in zip(sides, _ORDINALS, strict=True)
    ]
    data = {
        "sides": drawn,
        "differences": [] if difference is None else difference_rows(difference),
        "said": difference_said(difference),
        "place": pieces(place),
        "steps": [asdict(step) for step in steps],
        "hint": " · ".join(f"{' '.join(step.keys)}: {step.title}" for step in steps),
        "turn": sides[0][1].response.index,
    }
    _mount(key="readings", data=data)
