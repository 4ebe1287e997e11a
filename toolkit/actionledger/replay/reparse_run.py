"""Record a reparse as a run of a ledger: begin or resume it, record each parse once and in order, and end it."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from typing import NamedTuple

from actionledger.core.canonical import json_text
from actionledger.core.errors import UsageError
from actionledger.core.events import SystemNoted
from actionledger.core.ids import derived_id, is_uuid, new_id, now
from actionledger.core.recording import (
    ParserIdentity,
    RunKey,
    input_left_out,
    parser_used,
    run_finished,
    run_started,
)
from actionledger.core.text import counted
from actionledger.core.vocabulary import LEFT_OUT, LeftOutReason, Reason, RunKind
from actionledger.ledger import Ledger
from actionledger.ledger.queries.choices import UnfinishedRereading, unfinished_rereadings
from actionledger.ledger.queries.filters import Filter
from actionledger.ledger.queries.rereading import (
    OWN_TEXTS,
    batches,
    check_texts,
    count_read,
    count_responses,
    parquet_texts,
)
from actionledger.replay.runners import Runner

SELECTED = "reparse_selected"
"""The code of the note with a run's selection of turns."""


@dataclass(frozen=True, slots=True)
class ResumedRun:
    """A resumed run."""

    run_id: str
    turns: int  # number of turns already parsed


def selection_noted(run_id: str, parser_id: str, within: Filter) -> SystemNoted:
    """Return the note of a run's turns and parser, by which a later call finds the run to resume."""
    return SystemNoted(
        event_id=derived_id("reparse-selected", run_id),
        recorded_at=now(),
        run_id=run_id,
        code=SELECTED,
        message="What this run is to read; without an end of the run, it was cut off.",
        detail={"parser_id": parser_id, "selection": _selection(within)},
    )


def resumed(ledger: Ledger, which: bool | str, parser_id: str, within: Filter) -> ResumedRun | None:
    """Return the run to resume; None to begin a new one."""
    if which is False:
        return None
    found = unfinished_rereadings(ledger, SELECTED)
    fitting = [run for run in found if _fits(run, parser_id, within)]
    if which is not True:
        fitting = [run for run in fitting if run.run_id == which]
    if not fitting:
        raise UsageError(_why_none(which, found))
    return ResumedRun(fitting[-1].run_id, count_read(ledger, fitting[-1].run_id))


def _fits(run: UnfinishedRereading, parser_id: str, within: Filter) -> bool:
    detail = json.loads(run.detail)
    return bool(
        detail["parser_id"] == parser_id and _without_empty(detail["selection"]) == _selection(within)
    )


def _selection(within: Filter) -> object:
    """Return a filter in the form that it has when loaded from a record."""
    return _without_empty(json.loads(json_text(asdict(within))))


def _without_empty(selection: dict[str, object]) -> dict[str, object]:
    """Return a selection without its empty fields, which another version may not know."""
    return {name: value for name, value in selection.items() if value}


def _why_none(which: bool | str, found: list[UnfinishedRereading]) -> str:
    others = f"{counted(len(found), 'rereading')} without an end" if found else "no rereading without an end"
    if which is True:
        return (
            f"Nothing to resume: the ledger has {others}, none of them of this parser and these turns. "
            "Without resume a new one begins. One that was stopped when all was read is over: 'actionledger compare' shows it."
        )
    name = which if is_uuid(str(which)) else repr(which)
    return (
        f"Run {name} can't be resumed: it is over, or not a rereading of this parser and these turns; the ledger has {others}. "
        "'actionledger sql \"FROM runs\"' lists them."
    )


class ReparseProgress(NamedTuple):
    """A reparse's progress.

    Args:
        turns: number of turns done, including those of earlier attempts at the same run.
        total: number of turns to parse.

    Example:
        >>> progress = al.ReparseProgress(turns=50, total=200)
        >>> progress.turns / progress.total
        0.25
    """

    turns: int
    total: int


class ReparseStopped(KeyboardInterrupt):
    """Raised if a reparse is stopped; its progress is kept, and the same call can resume it."""

    def __init__(self, run_id: str, turns: int, total: int) -> None:
        super().__init__("The rereading was stopped.")
        self.run_id = run_id  # its run
        self.turns = turns  # number of turns parsed
        self.total = total  # number of turns to parse


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """The task of a reparse."""

    parser: ParserIdentity  # the parser, as recorded
    within: Filter  # filter for the parse attempts whose turns to parse again
    resume: bool | str  # the run to resume; True for the last matching one, False for a new one
    texts: str | None  # Parquet files with the texts; None for the ledger's own
    runner: Callable[[RunKey, int], Runner]  # makes the runner, given the run and the number of turns
    on_progress: Callable[[ReparseProgress], object] | None  # is called with the progress


@dataclass(slots=True)
class RecordedRun:
    """The result of a reparse."""

    run: RunKey
    resumed: int  # number of turns parsed before it was resumed; 0 for a new run
    turns: int  # number of turns parsed in all
    # number of texts that could not be parsed to the end, by reason
    failed: Counter[Reason] = field(default_factory=Counter)
    # number of values that could not be recorded, by reason
    left_out: Counter[LeftOutReason] = field(default_factory=Counter)


def reread(ledger: Ledger, task: Task) -> RecordedRun:
    """Parse turns again and record this as a run."""
    if task.texts is not None:
        check_texts(ledger, task.texts)
    earlier = resumed(ledger, task.resume, task.parser.id, task.within)
    missing = count_responses(ledger, task.within, done=earlier.run_id if earlier else None)
    if earlier is None and not missing:
        raise UsageError("No recorded turn fits; 'actionledger report' says what the ledger holds.")
    begun = earlier or ResumedRun(new_id(), 0)
    run = RunKey(run_id=begun.run_id, kind=RunKind.REPARSE)
    with _alone(ledger, run.run_id):
        if earlier is None:
            name = f"reparse {task.parser.name}"
            ledger.record(
                run_started(run, name=name, source=task.texts or "", parent_run_id=task.within.run_id)
            )
            ledger.record(parser_used(task.parser, run.run_id))
            ledger.record(selection_noted(run.run_id, task.parser.id, task.within))
            ledger.flush()
        done = RecordedRun(run, resumed=begun.turns, turns=begun.turns)
        _read(ledger, task, done, missing)
        _finish(ledger, done)
    return done


def losses(failed: Mapping[Reason, int], left_out: Mapping[LeftOutReason, int]) -> Iterator[str]:
    """Yield sentences on texts that could not be parsed to the end, and on values that could not be used."""
    for reason, count in failed.items():
        yield f"{counted(count, 'text')} could not be read to the end ({reason})."
    for left, count in left_out.items():
        yield f"Left out {count:,}: {LEFT_OUT[left]}"


@contextmanager
def _alone(ledger: Ledger, run_id: str) -> Iterator[None]:
    """Hold a run's lock; the kernel releases it if the process dies."""
    lock = ledger.internals.session_lock(run_id)
    if not lock.acquire():
        raise UsageError(f"Another process is at run {run_id} right now; let it end, or stop it first.")
    try:
        yield
    finally:
        lock.release(remove=True)


def _read(ledger: Ledger, task: Task, done: RecordedRun, missing: int) -> None:
    looked_at, total = done.turns, done.turns + missing
    if not missing:
        return
    runner = task.runner(done.run, missing)
    texts = OWN_TEXTS if task.texts is None else parquet_texts(task.texts)
    try:
        with closing(ledger.snapshot()) as snapshot:
            todo = batches(snapshot, task.within, done=done.run.run_id, texts=texts)
            with closing(runner.run(todo)) as answers:
                for readings in answers:
                    ledger.internals.record_lines(reading.line for reading in readings if reading.line)
                    looked_at += len(readings)
                    done.turns += sum(reading.line is not None for reading in readings)
                    done.failed.update(reading.failed for reading in readings if reading.failed)
                    for reading in readings:
                        done.left_out.update(reading.left_out)
                    if task.on_progress is not None:
                        task.on_progress(ReparseProgress(looked_at, total))
    except KeyboardInterrupt:
        ledger.flush()
        raise ReparseStopped(done.run.run_id, done.turns, total) from None
    if absent := total - looked_at:
        done.left_out[LeftOutReason.NOT_IN_SOURCE] += absent


def _finish(ledger: Ledger, done: RecordedRun) -> None:
    run_id = done.run.run_id
    for reason, count in done.left_out.items():
        ledger.record(input_left_out(run_id, f"run {run_id}", reason, "", count))
    ledger.record(run_finished(done.run, turns=done.turns))
    ledger.ingest()
