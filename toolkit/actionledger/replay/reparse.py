"""Recorded turns read again with another parser: a run of its own, compared turn by turn with the first."""

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
    r"""The readings of the same turns by another parser, compared.

    Args:
        run_id: the run that the second reading is recorded as.
        parser_name: the parser that read again.
        turns: how many turns it read.
        unfit: how many of them are of each profile whose formats the parser doesn't read.
        comparison: both readings, pair by pair.
        seconds: how long reading and recording took.
        before_run_id: the run that it is compared with; None for the first readings.
        resumed: how many of the turns the run had read before it was resumed.
        failed: how many texts nobody could read to their end, by reason; they are recorded as failed.
        left_out: how much of another version's readings could not be recorded, by reason.
        ledger: where both readings are recorded.

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
        """How many turns are read the same, recovered, lost, read as other actions, or meant to act in neither."""
        return {str(bucket): count for bucket, count in self.comparison.counts.items()}

    @property
    def p_value(self) -> float:
        """The p-value of the sign-flip test over sessions: how likely chance alone shifts the sessions so far."""
        return self.comparison.p_value

    @property
    def p_value_by_turn(self) -> float:
        """The p-value of the exact McNemar test, which takes the turns of a session for independent."""
        return self.comparison.p_value_by_turn

    @property
    def difference(self) -> tuple[float, float] | None:
        """The 95 % interval of the change in success, -1 to 1; None where too few sessions were compared."""
        return self.comparison.difference

    def difference_of(self, turn: ComparedTurn | str) -> TurnDifference:
        r"""Return how the two readings of a turn differ, action by action and field by field.

        Args:
            turn: the turn, or its id.

        Raises:
            UsageError: one of the runs has not read it.
            LedgerError: the ledger is no longer there.

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
    r"""Read recorded turns again with another parser, record that as a run, and say what changed.

    Each turn's actions are checked against the tools that it was offered, or its own profile's catalogue, as they were at first.
    A rereading that is stopped or killed keeps what it has read, and can be resumed.

    Args:
        ledger: where the turns are; it must be writable.
        parser: what reads them, by name or as a value.
        run: the run whose turns to read, by its id or name, and to compare with; all first readings if not given.
        within: a filter that narrows the turns down; its ``run_id`` is ``run``.
        workers: how many processes read; one on each core if not given, where there are enough turns. 1 reads in this process.
        resume: True to go on with the last unfinished rereading of the same parser and turns, or its run's id; else a new one begins.
        against: another version of this package that reads, ``parser`` being a name: a wheel, a folder with its source, or a commit,
            branch or tag of the repository in the current folder. Its code is run: it must be trusted.
        texts: Parquet files, as a path or a pattern, with the turns' texts as an export writes them; the ledger's own if not given.
        place: ``processes`` of this machine, or ``ray`` for the cluster that Ray is connected to, or a local one.
        seconds_a_text: how long a process may take for a text, in seconds of a processor; one that takes longer is recorded as failed.
            What is read in this process has no limit.
        on_progress: is told how far it is, with ``turns`` and ``total``.

    Returns:
        How many turns are read the same, recovered, lost, rejected, accepted or changed, with the test over sessions.

    Raises:
        UsageError: no recorded turn fits, two runs are named, there is nothing to resume, or no such parser or version.
        SourceError: nothing of what another version answers can be taken, or files of texts can't be read.
        KeyboardInterrupt: it was stopped; what was read is kept.

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
    """Read turns again, and compare the readings with those of before."""
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
