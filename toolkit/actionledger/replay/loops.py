"""Recorded sessions looked through for loops, as the guard looks at live ones; what was not carried out can't be looked through."""

from dataclasses import dataclass

from actionledger.core.errors import require_kind
from actionledger.core.rates import Rate
from actionledger.core.text import counted
from actionledger.ledger import Ledger
from actionledger.ledger.queries.base import refuse_no_ledger
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.ledger.queries.followed import followed
from actionledger.replay.kept_loops import KeptLoops
from actionledger.replay.loop import Loop
from actionledger.runtime.repetition.limits import STANDARD_REPETITION, RepetitionLimits


@dataclass(frozen=True, slots=True)
class LoopReport:
    r"""Which recorded sessions go in circles.

    Args:
        loops: each of them, session by session, in the order of turns; those that are only told of as well.
        sessions: how many sessions could be looked through.
        not_recorded: how many could not, since what came of at least one of their turns is not recorded.

    Example:
        >>> text = al.render([("list_tasks", {})], "actions")
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turns = [runtime.handle(text) for _ in range(4)]
        ...     report = al.loops(ledger)
        >>> report.sessions, report.not_recorded, report.rate.successes
        (1, 0, 1)
    """

    loops: tuple[Loop, ...]
    sessions: int
    not_recorded: int

    @property
    def rate(self) -> Rate:
        """How many of the sessions that could be looked through have a loop that a live session is stopped for."""
        return Rate(len({loop.session_id for loop in self.loops if loop.is_stop}), self.sessions)

    @property
    def told(self) -> Rate:
        """How many of them have one that a live session is at least told of."""
        return Rate(len({loop.session_id for loop in self.loops}), self.sessions)

    def __repr__(self) -> str:
        return (
            f"<LoopReport {counted(len(self.loops), 'loop')} in {self.told.successes:,} of {counted(self.sessions, 'session')}; "
            f"{self.not_recorded:,} not recorded>"
        )


def loops(
    ledger: Ledger,
    within: Filter = EVERYTHING,
    limits: RepetitionLimits = STANDARD_REPETITION,
    *,
    keep: bool | None = None,
) -> LoopReport:
    r"""Look through recorded sessions for loops, with the eyes of the guard of live ones.

    Args:
        ledger: where the sessions are.
        within: a filter that picks the turns to look at.
        limits: what counts as repetition.
        keep: whether what is found in all sessions is kept in the ledger's folder, so that only what has changed is looked through the next time;
            None for a ledger that was opened for writing.

    Returns:
        The loops, how many sessions were looked through, and how many could not be.

    Example:
        >>> text = al.render([("list_tasks", {})], "actions")
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turn = runtime.handle(text)
        ...     report = al.loops(ledger)
        >>> report.loops, report.sessions
        ((), 1)
    """
    refuse_no_ledger(ledger)
    require_kind(limits, RepetitionLimits, "What counts as repetition is said by RepetitionLimits")
    kept = KeptLoops(ledger) if limits == STANDARD_REPETITION else None
    there = followed(ledger, within)
    whole = [each for each in there if each.session_id is not None]
    found = {} if kept is None else kept.found(whole)
    changed = [each for each in whole if each.session_id not in found]
    if changed:
        from actionledger.replay.loop_search import search  # noqa: PLC0415 - all patterns, and seldom anything is new

        found |= search(ledger, [str(each.session_id) for each in changed], within, limits)
    if kept is not None and within == EVERYTHING and (not ledger.read_only if keep is None else keep):
        kept.keep(whole, found)
    return LoopReport(
        tuple(loop for each in whole for loop in found[str(each.session_id)]),
        len(whole),
        sum(each.sessions for each in there) - len(whole),
    )
