"""Numbers as people read them."""

from collections.abc import Mapping

from actionledger.core.plurals import counted
from actionledger.core.rates import Rate
from actionledger.core.vocabulary import Capture

NOT_RECORDED = "not recorded"
NOTHING_FAILED = "Nothing failed, as far as it was read, checked and executed."


def called(external_id: str, session_id: str) -> str:
    """Return what a session is called: as its source calls it, else by its whole id, which a column of names cuts in its middle."""
    return external_id or session_id


def share(rate: Rate) -> str:
    """Return a rate's share in per cent."""
    return rate.shown_value


def interval(rate: Rate) -> str:
    """Return a rate's 95 % interval in per cent, or the word for why there is none."""
    if rate.interval is None:
        return rate.shown_interval or "–"
    low, high = rate.interval
    return f"{low:.1%} – {high:.1%}"


def basis(rate: Rate) -> str:
    """Return what a rate was counted from: how many things, in how many sessions."""
    within = f" in {counted(rate.clustering.sessions, 'session')}" if rate.clustering else ""
    return f"n = {rate.count:,}{within}"


def out_of(rate: Rate) -> str:
    """Return what a rate was counted from, and its interval, to stand beside its share."""
    if not rate.count:
        return "–"
    within = f" in {counted(rate.clustering.sessions, 'session')}" if rate.clustering else ""
    return f"{rate.successes:,} of {rate.count:,}{within} ({interval(rate)})"


def sessions(rate: Rate) -> int | None:
    """Return how many sessions a rate was counted from; None where nothing says so."""
    return rate.clustering.sessions if rate.clustering else None


def kept(captures: Mapping[Capture, int]) -> str:
    """Return how much was kept of what was rated, the most frequent first; empty where nothing was."""
    most = sorted(captures.items(), key=lambda pair: (-pair[1], pair[0]))
    return " · ".join(f"{capture} {count:,}" for capture, count in most)


def known(total: str, of: int, turns: int) -> str:
    """Return what is recorded of turns, with of how many where that is not all of them."""
    if not of:
        return NOT_RECORDED
    return total if of >= turns else f"{total} (of {of:,})"


def milliseconds(took: float | None) -> str:
    """Return a time as people read it; None is not recorded."""
    if took is None:
        return NOT_RECORDED
    return f"{took:,.0f} ms" if took < 1000 else f"{took / 1000:,.1f} s"


def dollars(cost: float | None) -> str:
    """Return an amount of money; None is not recorded."""
    return NOT_RECORDED if cost is None else f"${cost:,.2f}" if cost >= 1 else f"${cost:,.4f}"
