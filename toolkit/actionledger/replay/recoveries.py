"""The behaviour of sessions after a failed turn: they retry the same call, try something else, stop, or succeed."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from actionledger.core.errors import UsageError
from actionledger.core.frames import Columns, Framed, Kind
from actionledger.core.rates import Rate, clustered_by
from actionledger.core.text import counted
from actionledger.core.vocabulary import Reason
from actionledger.ledger import Ledger
from actionledger.ledger.queries.base import Stage, refuse_no_ledger
from actionledger.ledger.queries.courses import FailureThen, Said, failures_then
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.runtime.repetition.forms import call_form

Next: TypeAlias = Literal["recovered", "repeated", "changed", "no_action", "ended", "not_recorded"]
"""The turn after a failed one: success, failure with a repeated call, another failure, no action, none at all, or no recorded results."""

_COLUMNS: dict[str, Kind] = {
    "session_id": str,
    "turn_index": int,
    "model": str,
    "task": str,
    "stage": str,
    "reason": str,
    "streak": int,
    "next": str,
    "is_same": bool,
    "recovered_after": int,
    "turns_left": int,
}


@dataclass(frozen=True, slots=True)
class FailedTurn:
    r"""A turn with a failure and no successful action, and what its session did next.

    Args:
        session_id, turn_index: the turn.
        model, task: its session's; empty if unknown.
        stage, code: its first failure.
        streak: number of failed turns in a row, up to and including this one.
        next: the next turn's outcome.
        is_same: whether the next turn repeats one of its calls, with any outcome; without parsed calls, whether it repeats the text.
        recovered_after: number of turns until the session succeeded, 1 for the next turn; None if it never did.
        turns_left: number of later turns in the session.

    Example:
        >>> text = '```actions\n{"actions": [{"type": "get_task", "task_id": 7}]}\n```'
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turns = [runtime.handle(text), runtime.handle(text)]
        ...     first, last = al.recoveries(ledger).turns
        >>> first.next, first.is_same, last.next, last.streak
        ('repeated', True, 'ended', 2)
    """

    session_id: str
    turn_index: int
    model: str
    task: str
    stage: Stage
    code: Reason
    streak: int
    next: Next
    is_same: bool
    recovered_after: int | None
    turns_left: int


@dataclass(frozen=True, slots=True)
class RecoveryReport(Framed):
    r"""A report on what sessions did after each failed turn.

    Args:
        turns: the turns that failed, session by session, in order.

    Example:
        >>> wrong = '```actions\n{"actions": [{"type": "get_task", "task_id": 7}]}\n```'
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turns = [runtime.handle(wrong), runtime.handle(al.render([("list_tasks", {})], "actions"))]
        ...     report = al.recoveries(ledger)
        >>> report.counts["recovered"], report.within(1).value
        (1, 1.0)
    """

    turns: tuple[FailedTurn, ...]

    def __repr__(self) -> str:
        followed = ", ".join(f"{count:,} {each.replace('_', ' ')}" for each, count in self.counts.items())
        return f"<RecoveryReport {counted(len(self.turns), 'turn')} that failed, then: {followed}>"

    @property
    def counts(self) -> Mapping[Next, int]:
        """Number of failed turns by what followed."""
        found = Counter(turn.next for turn in self.turns)
        return {each: found[each] for each in get_args(Next)}

    def rate(self, following: Next) -> Rate:
        r"""Return the share of failed turns with a given follow-up, clustered by session.

        Args:
            following: the follow-up.

        Raises:
            UsageError: it is unknown.

        Example:
            >>> text = '```actions\n{"actions": [{"type": "get_task", "task_id": 7}]}\n```'
            >>> with al.open_ledger("team.duckdb") as ledger:
            ...     with al.Runtime("assistant", ledger=ledger) as runtime:
            ...         turns = [runtime.handle(text), runtime.handle(text)]
            ...     report = al.recoveries(ledger)
            >>> report.rate("repeated").value
            0.5
        """
        if following not in get_args(Next):
            raise UsageError(f"{following!r} follows no failure; choose one of {', '.join(get_args(Next))}.")
        return clustered_by((turn.session_id, turn.next == following) for turn in self.turns)

    def within(self, turns: int) -> Rate:
        r"""Return how often a session succeeded within a number of turns after a failed one.

        Consecutive failed turns count once, from the first. A session that ended earlier counts as not recovered.

        Args:
            turns: number of turns, 1 or more.

        Raises:
            UsageError: ``turns`` is less than 1.

        Example:
            >>> text = '```actions\n{"actions": [{"type": "get_task", "task_id": 7}]}\n```'
            >>> with al.open_ledger("team.duckdb") as ledger:
            ...     with al.Runtime("assistant", ledger=ledger) as runtime:
            ...         turns = [runtime.handle(text), runtime.handle(text)]
            ...     found = al.recoveries(ledger).within(2)
            >>> found.successes, found.count
            (0, 1)
        """
        if turns < 1:
            raise UsageError(
                f"{turns} turns are too few; a session gets through in the next one at the earliest."
            )
        firsts = (turn for turn in self.turns if turn.streak == 1)
        return clustered_by(
            (turn.session_id, turn.recovered_after is not None and turn.recovered_after <= turns)
            for turn in firsts
        )

    def _columns(self) -> Columns:
        """One row per failed turn."""
        rows = [
            (
                *(turn.session_id, turn.turn_index, turn.model, turn.task, str(turn.stage), str(turn.code)),
                *(turn.streak, turn.next, turn.is_same, turn.recovered_after, turn.turns_left),
            )
            for turn in self.turns
        ]
        return Columns(_COLUMNS, rows)


def recoveries(ledger: Ledger, within: Filter = EVERYTHING) -> RecoveryReport:
    r"""Return what sessions did after each failed turn.

    A turn failed if something in it failed and no action succeeded. In sessions without recorded execution results, it failed if it
    was not parsed with a valid action.

    Args:
        ledger: the ledger with the sessions.
        within: filter for the failed turns; later turns are searched for in their whole sessions.

    Returns:
        The failed turns, each with the next turn's outcome and when the session succeeded.

    Raises:
        UsageError: ``ledger`` is not an open ledger.

    Example:
        >>> wrong = '```actions\n{"actions": [{"type": "get_task", "task_id": 7}]}\n```'
        >>> other = wrong.replace("7", "8")
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turns = [runtime.handle(text) for text in (wrong, other, other)]
        ...     report = al.recoveries(ledger)
        >>> [turn.next for turn in report.turns]
        ['changed', 'repeated', 'ended']
    """
    from actionledger.runtime.execution.registry import PROFILES  # noqa: PLC0415 - all formats, not needed to count failures

    refuse_no_ledger(ledger)
    referring = {name: profile.catalogue.references for name, profile in PROFILES.items()}
    return RecoveryReport(
        tuple(_turn(each, referring.get(each.profile, False)) for each in failures_then(ledger, within))
    )


def _turn(found: FailureThen, references: bool) -> FailedTurn:
    before, after = (
        set(_forms(calls, text, references))
        for calls, text in ((found.calls, found.text), (found.next_calls, found.next_text))
    )
    is_same = not before.isdisjoint(after)
    return FailedTurn(
        session_id=found.session_id,
        turn_index=found.turn_index,
        model=found.model,
        task=found.task,
        stage=found.stage,
        code=found.code,
        streak=found.streak,
        next=("repeated" if is_same else "changed") if found.next == "failed" else found.next,
        is_same=is_same,
        recovered_after=found.recovered_after,
        turns_left=found.turns_left,
    )


def _forms(calls: tuple[Said, ...], text: str | None, references: bool) -> Iterator[tuple[str, str]]:
    """Yield the keys by which two turns' calls, or their texts without calls, are the same."""
    if text is not None:
        yield "", call_form("", text).exact
    for name, arguments in calls:
        yield name, call_form(name, arguments, references=references).exact
