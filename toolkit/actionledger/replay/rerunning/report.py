"""What running recorded sessions again showed: turn by turn, session by session, and all together."""

from collections import Counter
from dataclasses import dataclass
from typing import Literal

from actionledger.core.hooks import drawn
from actionledger.replay.rerunning.divergences import Divergence
from actionledger.replay.rerunning.refusals import SENTENCES, WhyNot
from actionledger.runtime.session.states.capture import SkippedPath


@dataclass(frozen=True, slots=True)
class TurnVerdict:
    """What the rerun of one turn showed.

    Args:
        index: its place in the session, from 0.
        verdict: ``same``, ``diverged`` for the first that parts from the record, ``not_comparable`` behind it: it went on from
            another state.
    """

    index: int
    verdict: Literal["same", "diverged", "not_comparable"]


@dataclass(frozen=True, slots=True)
class SessionRerun:
    """What the rerun of one session showed.

    Args:
        session_id: the session.
        refusal: why it was not run again; None where it was.
        detail: the same as a sentence.
        turns: each turn with its verdict.
        first: the first divergence; None where there is none.
        divergences: all of that turn, the first one first.
        unstable: what differs without the change that was asked for, too, up to there.
        performed: how many executions were run again.
        from_record: how many had their recorded results, because they touch the outside or were interrupted.
        left_out: what of the workspace could not be put there again.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turn = runtime.handle(al.render([("create_task", {"content": "Call Ada"})], "actions"))
        ...     [shown] = al.rerun(ledger, runtime.session_id).sessions
        >>> shown.verdict, shown.performed, [turn.verdict for turn in shown.turns]
        ('identical', 1, ['same'])
    """

    session_id: str
    refusal: WhyNot | None = None
    detail: str = ""
    turns: tuple[TurnVerdict, ...] = ()
    first: Divergence | None = None
    divergences: tuple[Divergence, ...] = ()
    unstable: tuple[Divergence, ...] = ()
    performed: int = 0
    from_record: int = 0
    left_out: tuple[SkippedPath, ...] = ()

    @property
    def verdict(self) -> Literal["refused", "identical", "diverged"]:
        """What came of it, in one word."""
        if self.refusal is not None:
            return "refused"
        return "identical" if self.first is None else "diverged"


@dataclass(frozen=True, slots=True)
class RerunReport:
    """What running recorded sessions again showed.

    Args:
        run_id: the run that it is recorded as.
        sessions: each session with what it showed.
        seconds: how long it took.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turn = runtime.handle(al.render([("create_task", {"content": "Call Ada"})], "actions"))
        ...     report = al.rerun(ledger, runtime.session_id)
        >>> report.counts
        {'identical': 1, 'diverged': 0, 'refused': 0}
    """

    run_id: str
    sessions: tuple[SessionRerun, ...]
    seconds: float

    @property
    def counts(self) -> dict[str, int]:
        """How many sessions are identical, diverged, or were refused."""
        found = Counter(each.verdict for each in self.sessions)
        return {verdict: found[verdict] for verdict in ("identical", "diverged", "refused")}

    @property
    def refusals(self) -> dict[str, int]:
        """How many sessions were refused, by the reason."""
        return dict(
            Counter(str(each.refusal) for each in self.sessions if each.refusal is not None).most_common()
        )

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {name}" for name, count in self.counts.items())
        return f"<RerunReport {len(self.sessions)} sessions: {counts}>"

    def __str__(self) -> str:
        return drawn(self, "text", {str(reason): sentence for reason, sentence in SENTENCES.items()})

    def _repr_html_(self) -> str:
        return drawn(self, "html", {str(reason): sentence for reason, sentence in SENTENCES.items()})
