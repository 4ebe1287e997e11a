"""Numbers in a row: each with its interval as a dot-and-whisker, what it was counted from, and a way to its turns."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from actionledger.core.rates import Rate
from actionledger.report.charts.common import beginning
from actionledger_dashboard.components.assets import mount_of
from actionledger_dashboard.components.visible import pieces
from actionledger_dashboard.components.whiskers import drawn_rate
from actionledger_dashboard.components.wording import basis, interval, share

_mount = mount_of("strip", "whisker")


@dataclass(frozen=True, slots=True)
class Stat:
    """One number of a strip.

    Args:
        label: what it is.
        number: it, ready to show.
        below: what it takes to believe it, line by line.
        meaning: a sentence for who asks.
        rate: what is drawn as a dot-and-whisker; None for no rate.
        href: where the turns are that it counts; empty for nowhere.
        missed: how many of those that it was counted from fell short, ready to show; empty for none.
        missed_href: where the turns of those are.
    """

    label: str
    number: str
    below: Sequence[str] = ()
    meaning: str = ""
    rate: Rate | None = None
    href: str = ""
    missed: str = ""
    missed_href: str = ""


def stat_of(
    label: str,
    rate: Rate,
    meaning: str,
    *,
    below: Sequence[str] = (),
    without: str = "nothing counted",
    href: str = "",
    missed: str = "",
    missed_href: str = "",
) -> Stat:
    """Return a rate as a number of a strip; where nothing was counted, the word for it and why."""
    short = rate.count - rate.successes
    if not rate.count:
        why = "the recordings have no text of the calls" if rate.refusal else without
        return Stat(label, share(rate), [why, *below], meaning)
    return Stat(
        label,
        share(rate),
        [interval(rate), basis(rate), *below],
        f"{meaning} Below: the 95 % interval, which takes a session for one cluster, and out of how many.",
        rate,
        href,
        f"{short:,} {missed}" if missed and short else "",
        missed_href,
    )


def show_strip(key: str, label: str, stats: Sequence[Stat]) -> None:
    """Show numbers in a row, their whiskers on one scale."""
    begin = beginning(stat.rate for stat in stats if stat.rate is not None)
    _mount(key=key, data={"label": label, "begin": begin, "stats": [_drawn(stat) for stat in stats]})


def _drawn(stat: Stat) -> dict[str, Any]:
    return {
        "label": pieces(stat.label),
        "number": stat.number,
        "is_word": not any(character.isdigit() for character in stat.number),
        "below": [pieces(line) for line in stat.below],
        "meaning": stat.meaning,
        "rate": drawn_rate(stat.rate) if stat.rate is not None else None,
        "href": stat.href,
        "missed": {"text": stat.missed, "href": stat.missed_href} if stat.missed else None,
    }
