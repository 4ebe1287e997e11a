"""Parse success of each value of a dimension: a dot-and-whisker each, its dialects as small multiples, and what it took."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from actionledger.core.rates import Rate
from actionledger.core.text import NO_NAME
from actionledger.ledger.queries import ReadIn
from actionledger.report.charts.common import beginning
from actionledger_dashboard.components.assets import mount_of
from actionledger_dashboard.components.visible import pieces
from actionledger_dashboard.components.whiskers import drawn_rate
from actionledger_dashboard.components.wording import NOT_RECORDED, interval, share

DIALECTS = 6  # so many have a column; the others are one together
OTHERS = "other dialects"

_mount = mount_of("rates", "whisker")


@dataclass(frozen=True, slots=True)
class Group:
    """One row.

    Args:
        label: what its responses have in common; others may have written it.
        rate: their parse success.
        capture: how much was kept of them, in a few words.
        href: where its turns are.
        took: what they took, by what it is called; empty if not recorded.
    """

    label: str
    rate: Rate
    capture: str
    href: str
    took: Mapping[str, str]


def show_rates(
    key: str,
    by: str,
    groups: Sequence[Group],
    read_in: Sequence[ReadIn],
    href_of: Callable[[str, str], str],
) -> None:
    """Show groups below each other."""
    frequent = Counter[str]()
    for part in read_in:
        frequent[part.dialect] += part.share.successes
    named = [name for name, _ in frequent.most_common(DIALECTS)]
    shares = {(part.label, part.dialect): part.share for part in read_in}
    rest = [name for name in frequent if name not in named]

    def parts(label: str) -> list[dict[str, Any] | None]:
        found = [_part(name, shares.get((label, name)), href_of(label, name)) for name in named]
        return found + [_others([shares[label, name] for name in rest if (label, name) in shares])] * bool(
            rest
        )

    took = [name for name in groups[0].took if any(group.took[name] for group in groups)]
    data = {
        "label": f"Parse success by {by}",
        "by": by,
        "begin": beginning(group.rate for group in groups),
        "dialects": [pieces(name) for name in named] + [OTHERS] * bool(rest),
        "took": took,
        "groups": [
            {
                "label": pieces(group.label or NO_NAME),
                "href": group.href,
                "rate": drawn_rate(group.rate),
                "text": share(group.rate) + (f" of {group.rate.count:,}" if group.rate.count else ""),
                "kept": f" · {group.capture}",
                "parts": parts(group.label),
                "took": [group.took[name] or NOT_RECORDED for name in took],
            }
            for group in groups
        ],
    }
    _mount(key=key, data=data)


def _part(dialect: str, found: Rate | None, href: str) -> dict[str, Any] | None:
    if found is None or not found.successes:
        return None
    read = f"{found.successes:,} of {found.count:,}"
    return {
        "share": found.value,
        "shown": share(found),
        "label": f"{share(found)} read in {dialect}: {read} ({interval(found)})",
        "href": href,
    }


def _others(found: Sequence[Rate]) -> dict[str, Any] | None:
    """Return the rarer dialects together: a response is read in one, so that their shares add up."""
    if not found:
        return None
    together = Rate(sum(each.successes for each in found), found[0].count)
    read = f"{together.successes:,} of {together.count:,}"
    return {
        "share": together.value,
        "shown": share(together),
        "label": f"{share(together)} read in {OTHERS}: {read}",
        "href": "",
    }
