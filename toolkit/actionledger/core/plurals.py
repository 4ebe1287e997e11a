"""Numbers with their words, for people and models: ``1 turn``, ``2 turns``."""

from collections.abc import Sequence


def counted(count: int, one: str, many: str = "") -> str:
    """Return a number with its word, in the plural where it needs one.

    Args:
        count: how many.
        one: of what, in the singular, with whatever changes with it: ``turn``, ``turn was``.
        many: the plural; if not given, the singular with an s.
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def by_prices(sources: Sequence[str]) -> str:
    """Return what a cost is by that no recording says: ``by a price file of 2026-01-01``.

    Args:
        sources: the prices, as ``price_sources`` gives them.
    """
    return f"by {' and '.join(sources)}" if sources else "by prices"
