"""Numbers as people read them."""

from actionledger.rates import Rate


def counted(count: int, noun: str) -> str:
    """Return a count with its noun, in the plural where it needs one.

    Args:
        count: how many.
        noun: of what, in the singular; its plural ends in s.
    """
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def share(rate: Rate) -> str:
    """Return a rate's share in per cent."""
    return "–" if rate.value is None else f"{rate.value:.1%}"


def interval(rate: Rate) -> str:
    """Return a rate's 95 % interval in per cent, or the word for why there is none."""
    if rate.interval is None:
        return rate.shown_interval or "–"
    low, high = rate.interval
    return f"{low:.1%} – {high:.1%}"


def out_of(rate: Rate) -> str:
    """Return what a rate was counted from, and its interval, to stand beside its share."""
    return f"{rate.successes:,} of {rate.count:,}  ({interval(rate)})" if rate.count else "–"
