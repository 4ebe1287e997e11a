"""What a gate came to."""

from dataclasses import dataclass

from actionledger.core.hooks import Shown, drawn
from actionledger.core.vocabulary import Outcome
from actionledger.ledger.queries.compare import Bucket
from actionledger.replay.gating.conditions import Condition
from actionledger.replay.paired import PairedComparison


@dataclass(frozen=True, slots=True)
class WorseTurn:
    """A turn that counts against the candidate.

    Args:
        condition: the name of the condition that counts it.
        bucket: what the candidate's reading means for it.
        session: its session, as people call it.
        turn_index: its place in the session, from 0.
        model: the language model.
        before, after: what came of both readings.
        detail: how the two differ, as lines; a model may have written any of it.
    """

    condition: str
    bucket: Bucket
    session: str
    turn_index: int
    model: str
    before: Outcome
    after: Outcome
    detail: str


@dataclass(frozen=True, slots=True, repr=False)
class GateReport(Shown):
    r"""Whether a candidate may take a baseline's place, and why.

    Args:
        baseline: what it is held against, in words.
        candidate: the parser or the run that is judged.
        conditions: what was asked, each with what was found.
        comparison: both readings, pair by pair.
        worse: turns that count against it, at most ``MOST_TURNS`` a condition.
        notes: what else is to be known, in sentences.
        run_id: the run that the candidate's readings are recorded as; None where no ledger has them.

    Example:
        >>> text = '```actions\n{"actions": [{"type": "list_tasks"},]}\n```'
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turn = runtime.handle(text)
        ...     report = al.gate(ledger, baseline="first", candidate="gembrain-standard")
        >>> report.passed, [condition.name for condition in report.conditions if not condition.passed]
        (False, ['lost', 'not_worse', 'acting'])
    """

    baseline: str
    candidate: str
    conditions: tuple[Condition, ...]
    comparison: PairedComparison
    worse: tuple[WorseTurn, ...] = ()
    notes: tuple[str, ...] = ()
    run_id: str | None = None

    @property
    def passed(self) -> bool:
        """Whether every condition holds."""
        return all(condition.passed for condition in self.conditions)

    @property
    def lacks_evidence(self) -> bool:
        """Whether it does not pass for too few turns or sessions alone: nothing says that the candidate is worse."""
        return not self.passed and all(each.passed or each.lacks_evidence for each in self.conditions)

    def junit(self) -> str:
        r"""Return it as JUnit XML: a testcase for each condition, and for each turn that counts against the candidate.

        Example:
            >>> with al.open_ledger("team.duckdb") as ledger:
            ...     with al.Runtime("assistant", ledger=ledger) as runtime:
            ...         turn = runtime.handle('```actions\n{"actions": [{"type": "list_tasks"}]}\n```')
            ...     report = al.gate(ledger, baseline="first", candidate="assistant")
            >>> report.junit().splitlines()[0]
            '<?xml version="1.0" encoding="UTF-8"?>'
        """
        return drawn(self, "junit")

    def markdown(self) -> str:
        r"""Return it as Markdown for a comment under a pull request: bounded, with a model's text in code alone.

        Example:
            >>> with al.open_ledger("team.duckdb") as ledger:
            ...     with al.Runtime("assistant", ledger=ledger) as runtime:
            ...         turn = runtime.handle('```actions\n{"actions": [{"type": "list_tasks"}]}\n```')
            ...     report = al.gate(ledger, baseline="first", candidate="assistant", allow_few=True)
            >>> report.markdown().splitlines()[0]
            '### The gate passes'
        """
        return drawn(self, "markdown")
