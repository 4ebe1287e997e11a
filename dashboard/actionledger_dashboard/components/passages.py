"""Texts that a model was shown or wrote, exactly: side by side, with what nobody sees in them made visible."""

from collections.abc import Sequence
from dataclasses import dataclass

from actionledger_dashboard.components.assets import mount_of
from actionledger_dashboard.components.visible import pieces

_mount = mount_of("passages")


@dataclass(frozen=True, slots=True)
class Passage:
    """One text under its title.

    Args:
        title: what it is.
        text: it; None where there is none.
        absent: what to say where there is none.
        is_folded: whether only its title is seen until somebody opens it.
    """

    title: str
    text: str | None
    absent: str = ""
    is_folded: bool = False


def show_passages(key: str, columns: Sequence[Sequence[Passage]]) -> None:
    """Show texts in columns.

    Args:
        key: tells these from the page's others.
        columns: from left to right, each from above to below.
    """
    _mount(key=key, data={"columns": [[_drawn(passage) for passage in column] for column in columns]})


def _drawn(passage: Passage) -> dict[str, object]:
    text = None if passage.text is None else pieces(passage.text)
    return {"title": passage.title, "text": text, "absent": passage.absent, "folded": passage.is_folded}
