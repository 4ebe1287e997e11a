"""The intervals and tests of reports for the user's own numbers."""

from collections.abc import Hashable, Iterable

from actionledger.core.errors import UsageError, require_kind
from actionledger.core.rates import Rate, clustered_by
from actionledger.replay.statistics import (
    difference_test,
    holm,
    score_test,
    task_difference,
    task_test,
    unpaired_difference,
)

__all__ = [
    "difference_test",
    "holm",
    "rate",
    "score_test",
    "task_difference",
    "task_test",
    "unpaired_difference",
]


def rate(hits: Iterable[object], by: Iterable[Hashable] | None = None) -> Rate:
    """Return a share with its 95 % interval, clustered by session; takes any iterable, such as a data frame's column.

    Args:
        hits: whether each item has the property, as True or False, 1 or 0.
        by: each item's session, in the same order; without it, items are treated as independent.

    Raises:
        UsageError: a value is none of these, or the two have different lengths.

    Example:
        >>> rate = al.statistics.rate([True, False] * 20, by=[turn // 2 for turn in range(40)])
        >>> print(rate)
        50.0% [35.2%, 64.8%] (20/40 in 20 sessions)
    """
    require_kind(hits, Iterable, "hits is a list of True and False")
    had = [_as_hit(hit) for hit in hits]
    if by is None:
        return Rate(sum(had), len(had))
    sessions = list(by)
    if len(sessions) != len(had):
        raise UsageError(
            f"There are {len(had)} things and {len(sessions)} sessions of theirs; give one of each."
        )
    return clustered_by(zip(sessions, had, strict=True))


def _as_hit(hit: object) -> bool:
    try:
        is_either = hit in {0, 1}
    except (TypeError, ValueError):  # a missing value of a data frame, or an unhashable one
        is_either = False
    if not is_either:
        raise UsageError(
            f"{hit!r} says neither that a thing has the property nor that it hasn't; give True or False."
        )
    return bool(hit)
