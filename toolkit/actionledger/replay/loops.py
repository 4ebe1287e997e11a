"""Search recorded sessions for loops as the guard of live ones does; turns without execution results can't be searched."""

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
    r"""The loops in recorded sessions.

    Args:
        loops: the loops by session and turn, including those that only cause a warning.
        sessions: number of sessions that could be searched.
        not_recorded: number of sessions that could not, because the results of at least one turn are not recorded.

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
        """The share of searched sessions with a loop that stops a live session."""
        return Rate(len({loop.session_id for loop in self.loops if loop.is_stop}), self.sessions)

    @property
    def told(self) -> Rate:
        """The share of searched sessions with a loop that at least warns a live session."""
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
    r"""Search recorded sessions for loops, by the rules of the guard of live ones.

    Args:
        ledger: the ledger with the sessions.
        within: filter for the turns.
        limits: the limits that define repetition.
        keep: whether to cache the loops of all sessions in the ledger's folder, so that only changed sessions are searched next
            time. None caches if the ledger is open for writing.

    Returns:
        The loops, the number of sessions searched, and the number that could not be.

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
