"""Parse recorded turns again with another parser, as a new run, and compare it turn by turn with the first."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from actionledger.core.errors import SourceError, UsageError
from actionledger.core.hooks import Shown
from actionledger.core.processes import check_workers
from actionledger.core.vocabulary import LeftOutReason, Reason
from actionledger.ledger import Ledger, open_ledger
from actionledger.ledger.queries.base import refuse_no_ledger
from actionledger.ledger.queries.compare import ComparedTurn
from actionledger.ledger.queries.differences import TurnDifference, compare_turn
from actionledger.ledger.queries.filters import Filter, rated
from actionledger.ledger.queries.names import Called, run_or_first
from actionledger.reading.parsers import AnyParser
from actionledger.replay.fit import unfit_turns
from actionledger.replay.paired import PairedComparison, compare_pairs
from actionledger.replay.placement import ChosenReader, Place, reader_of
from actionledger.replay.processes import SECONDS
from actionledger.replay.reparse_run import ReparseProgress, Task, losses, reread


@dataclass(frozen=True, slots=True, repr=False)
class ReparseReport(Shown):
    r"""The comparison of two parses of the same turns by different parsers.

    Args:
        run_id: the run that records the second parse.
        parser_name: the second parser.
        turns: number of turns parsed again.
        unfit: number of these turns by profile, for each profile whose formats the parser doesn't support.
        comparison: both parses, pair by pair.
        seconds: how long parsing and recording took.
        before_run_id: the run that it is compared with; None for each turn's first parse.
        resumed: number of turns that the run had parsed before it was resumed.
        failed: number of texts that could not be parsed to the end, by reason; they are recorded as failed.
        left_out: number of another version's values that could not be recorded, by reason.
        ledger: the ledger with both parses.

    Example:
        >>> text = '```actions\n{"actions": [{"type": "list_tasks"},]}\n```'
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turn = runtime.handle(text)
        ...     report = al.reparse(ledger, parser="gembrain-standard")
        >>> report.turns, report.counts["lost"]
        (1, 1)
    """

    run_id: str
    parser_name: str
    turns: int
    unfit: Mapping[str, int]
    comparison: PairedComparison
    seconds: float
    before_run_id: str | None = None
    resumed: int = 0
    failed: Mapping[Reason, int] = field(default_factory=dict)
    left_out: Mapping[LeftOutReason, int] = field(default_factory=dict)
    ledger: Path = Path()

    @property
    def counts(self) -> dict[str, int]:
        """Number of turns parsed the same, recovered, lost, parsed as other actions, or meant to act in neither run."""
        return {str(bucket): count for bucket, count in self.comparison.counts.items()}

    @property
    def p_value(self) -> float:
        """The p-value of the sign-flip test over sessions: the probability of a shift this large by chance."""
        return self.comparison.p_value

    @property
    def p_value_by_turn(self) -> float:
        """The p-value of the exact McNemar test, which treats a session's turns as independent."""
        return self.comparison.p_value_by_turn

    @property
    def difference(self) -> tuple[float, float] | None:
        """The 95 % interval of the change in success, -1 to 1; None with too few sessions."""
        return self.comparison.difference

    def difference_of(self, turn: ComparedTurn | str) -> TurnDifference:
        r"""Return how the two parses of a turn differ, action by action and field by field.

        Args:
            turn: the turn, or its id.

        Raises:
            UsageError: one of the runs has not parsed it.
            LedgerError: the ledger is closed or missing.

        Example:
            >>> text = '```actions\n{"actions": [{"type": "list_tasks"},]}\n```'
            >>> with al.open_ledger("team.duckdb") as ledger:
            ...     with al.Runtime("assistant", ledger=ledger) as runtime:
            ...         turn = runtime.handle(text)
            ...     report = al.reparse(ledger, parser="gembrain-standard")
            >>> [pair.kind for pair in report.difference_of(turn.turn_id).actions]
            ['removed']
        """
        turn_id = turn if isinstance(turn, str) else turn.turn_id
        with open_ledger(self.ledger, read_only=True) as ledger:
            return compare_turn(ledger, self.before_run_id, self.run_id, turn_id)


def reparse(
    ledger: Ledger,
    *,
    parser: str | AnyParser,
    run: Called | None = None,
    within: Filter | None = None,
    workers: int | None = None,
    resume: bool | str = False,
    against: str | None = None,
    texts: str | None = None,
    place: Place = "processes",
    seconds_a_text: float = SECONDS,
    on_progress: Callable[[ReparseProgress], object] | None = None,
) -> ReparseReport:
    r"""Parse recorded turns again with another parser, record this as a run, and report the changes.

    Each turn's actions are checked against its offered tools or its profile's catalogue, as before. A stopped or killed run keeps
    its progress and can be resumed.

    Args:
        ledger: the ledger with the turns; it must be writable.
        parser: the parser, by name or as a value.
        run: the run whose turns to parse and compare with, by its id or name; every turn's first parse if not given.
        within: filter for the turns; its ``run_id`` is ``run``.
        workers: number of processes; by default one per core if there are enough turns. 1 parses in this process.
        resume: True to resume the last unfinished run with the same parser and turns, or that run's id; otherwise a new run begins.
        against: another version of this package whose parser to use: a wheel, a source folder, or a commit, branch or tag of the
            repository in the current folder. ``parser`` must be a name. Its code is run, so it must be trusted.
        texts: exported Parquet files with the turns' texts, as a path or a pattern; the ledger's own texts if not given.
        place: ``processes`` on this machine, or ``ray`` for the cluster that Ray is connected to, or a local one.
        seconds_a_text: limit per text, in seconds of processor time; a text that takes longer is recorded as failed. Texts parsed
            in this process have no limit.
        on_progress: is called with the progress: ``turns`` and ``total``.

    Returns:
        Number of turns parsed the same, recovered, lost, rejected, accepted or changed, with the test over sessions.

    Raises:
        UsageError: no recorded turn matches, two runs are named, there is nothing to resume, or the parser or version is unknown.
        SourceError: none of another version's answers can be used, or the files with texts can't be read.
        KeyboardInterrupt: it was stopped; its progress is kept.

    Example:
        >>> text = '```actions\n{"actions": [{"type": "list_tasks"},]}\n```'
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turn = runtime.handle(text)
        ...     report = al.reparse(ledger, parser="gembrain-standard")
        >>> report.counts["same"], report.counts["lost"]
        (0, 1)
    """
    refuse_no_ledger(ledger)
    if within is not None and run is not None:
        raise UsageError("Give either run or within: a filter names its run by run_id.")
    check_workers(workers)
    begin = time.perf_counter()
    chosen = rated(within or Filter(run_id=run_or_first(ledger, run)))
    reader = reader_of(parser, against, workers=workers, seconds=seconds_a_text, place=place)
    task = Task(
        parser=reader.identity,
        within=chosen,
        resume=resume,
        texts=texts,
        runner=reader.runner,
        on_progress=on_progress,
    )
    return _reread_and_compared(ledger, reader, task, begin)


def _reread_and_compared(ledger: Ledger, reader: ChosenReader, task: Task, begin: float) -> ReparseReport:
    """Parse turns again, and compare the result with the earlier parses."""
    chosen = task.within
    unfit = unfit_turns(ledger, reader.fits, chosen) if reader.fits else {}
    done = reread(ledger, task)
    if not done.turns:
        raise SourceError(
            f"Nothing that {reader.identity.name} answers can be taken: {' '.join(losses(done.failed, done.left_out))}"
        )
    comparison = compare_pairs(ledger, chosen.run_id, done.run.run_id, chosen)
    return ReparseReport(
        run_id=done.run.run_id,
        parser_name=reader.identity.name,
        turns=done.turns,
        unfit=unfit,
        comparison=comparison,
        seconds=time.perf_counter() - begin,
        before_run_id=chosen.run_id,
        resumed=done.resumed,
        failed=done.failed,
        left_out=done.left_out,
        ledger=ledger.path,
    )
