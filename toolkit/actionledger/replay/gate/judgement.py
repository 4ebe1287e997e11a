"""The gate: parse a baseline's turns again with a candidate, which passes if it is no worse than allowed."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import UUID

from actionledger.core.errors import UnknownNameError, UsageError, require_kind
from actionledger.core.processes import check_workers
from actionledger.ledger import Ledger
from actionledger.ledger.queries.compare import Bucket, ComparedTurn
from actionledger.ledger.queries.differences import compare_turn
from actionledger.ledger.queries.expected import count_without_text
from actionledger.ledger.queries.filters import EVERYTHING, Filter, rated
from actionledger.ledger.queries.names import Called, one_run, run_or_first, session_names
from actionledger.ledger.queries.rereading import count_responses
from actionledger.reading.parsers import PARSERS, AnyParser
from actionledger.replay.gate.baseline import Baseline, beside, load_baseline
from actionledger.replay.gate.report import (
    MIN_ACTING,
    WORSE,
    Candidate,
    GateReport,
    ReadNow,
    ReadRun,
    Requirements,
    conditions,
    counted_turns,
    not_judged,
    unread,
    worse_turns,
)
from actionledger.replay.gate.texts import FileBaseline
from actionledger.replay.paired import PairedComparison, compare_pairs
from actionledger.replay.reparse import reparse
from actionledger.replay.reparse_run import losses


@dataclass(frozen=True, slots=True)
class _Read:
    run_id: str
    name: str
    comparison: PairedComparison
    notes: tuple[str, ...] = ()


def judge_by_run(ledger: Ledger, within: Filter, candidate: Candidate, required: Requirements) -> GateReport:
    """Judge a candidate against a ledger's recorded parses."""
    read = _read(ledger, within, candidate)
    total = count_responses(ledger, within)
    missing = count_responses(ledger, within, done=read.run_id)
    found = (
        *conditions(read.comparison, required),
        unread(
            "read_again", "that the candidate has not read", missing, total, allowed=required.allow_missing
        ),
    )

    def detail(turn: ComparedTurn) -> str:
        difference = compare_turn(ledger, within.run_id, read.run_id, turn.turn_id)
        return "\n".join(str(difference).splitlines()[1:])

    chosen = counted_turns(read.comparison, found)
    names = session_names(ledger, {turn.session_id for _, turn in chosen})
    without_text = count_without_text(ledger, within)
    return GateReport(
        baseline=f"run {within.run_id}" if within.run_id else "the first readings",
        candidate=read.name,
        conditions=found,
        comparison=read.comparison,
        worse=worse_turns(chosen, names, detail),
        notes=(*read.notes, *([not_judged(without_text)] if without_text else [])),
        run_id=read.run_id,
    )


def _read(ledger: Ledger, within: Filter, candidate: Candidate) -> _Read:
    if isinstance(candidate, ReadRun):
        turns = replace(within, run_id=None)
        compared = compare_pairs(ledger, within.run_id, candidate.run_id, turns)
        return _Read(candidate.run_id, candidate.name, compared)
    report = reparse(
        ledger, parser=candidate.parser, against=candidate.against, within=within, workers=candidate.workers
    )
    notes = [*losses(report.failed, report.left_out)]
    if report.unfit:
        notes.append(_unfit(report.unfit))
    return _Read(report.run_id, report.parser_name, report.comparison, tuple(notes))


def _unfit(unfit: Mapping[str, int]) -> str:
    of_profiles = ", ".join(f"{profile} ({turns:,})" for profile, turns in unfit.items())
    return f"The candidate doesn't read the formats of these profiles: {of_profiles}; name others, or leave them out."


def gate(
    ledger: Ledger | None,
    *,
    baseline: Called | Path | Baseline,
    candidate: Called | AnyParser,
    against: str | None = None,
    within: Filter = EVERYTHING,
    max_lost: int = 0,
    max_changed: int | None = None,
    most: Mapping[Bucket, int] | None = None,
    min_rate: float | None = None,
    alpha: float | None = 0.05,
    min_acting: int = MIN_ACTING,
    allow_few: bool = False,
    allow_missing: bool = False,
    texts: str | os.PathLike[str] | None = None,
    workers: int | None = None,
) -> GateReport:
    r"""Parse a baseline's turns again with a candidate, and report whether the candidate is worse.

    Args:
        ledger: the ledger with the turns; it must be writable if a parser runs. None if a baseline's file and its texts are enough.
        baseline: ``first`` for each turn's first parse, a run by its id or name, or a blessed baseline as a file or a value.
        candidate: a parser by name or as a value, or a run that has already parsed the turns, by its id or name.
        against: another version of this package whose parser ``candidate`` names: a wheel, a source folder, or a commit, branch or
            tag of the repository in the current folder. Its code is run, so it must be trusted.
        within: filter for the turns, by properties known before parsing; for a baseline's file only by profile and model.
        max_lost: maximum number of turns that are no longer parsed.
        max_changed: maximum number of turns parsed as other actions or with other arguments; no limit if not given.
        most: maximum number of turns in other buckets; 0 for ``newly_rejected`` and ``no_longer_intent`` if not given.
        min_rate: minimum for the lower end of the interval of the candidate's success, 0 to 1; no minimum if not given.
        alpha: a loss counts if its p-value is below this, 0 to 1; None for no such condition.
        min_acting: minimum number of turns that meant to act in both parses. With fewer, or too few to reach ``min_rate`` even if
            all are parsed, the gate lacks evidence and does not pass.
        allow_few: whether too few sessions for an interval are enough, and a single turn that meant to act; then the share itself is used.
        allow_missing: whether turns may stay unparsed because their texts are missing or the run has not parsed them.
        texts: a file or folder with the texts of a baseline's file; if not given, those next to it and the ledger's.
        workers: number of processes; by default one per core if there are enough turns.

    Returns:
        Each condition with its finding, and the turns that count against the candidate.

    Raises:
        UsageError: a name or version is unknown, no turn matches, or a number is out of range.
        SourceError: a baseline's file can't be used, or none of its texts is found.

    Example:
        >>> text = '```actions\n{"actions": [{"type": "list_tasks"},]}\n```'
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turn = runtime.handle(text)
        ...     few = al.gate(ledger, baseline="first", candidate="assistant")
        ...     same = al.gate(ledger, baseline="first", candidate="assistant", allow_few=True)
        ...     worse = al.gate(ledger, baseline="first", candidate="gembrain-standard")
        >>> same.passed, worse.passed, worse.conditions[0].found
        (True, False, '1 of 1')
        >>> few.passed, few.lacks_evidence, few.conditions[4].asked
        (False, True, 'at least 10 turns that meant to act')
    """
    check_workers(workers)
    required = Requirements(
        most=_limits(most, max_lost),
        max_changed=max_changed,
        min_rate=min_rate,
        alpha=alpha,
        min_acting=min_acting,
        allow_few=allow_few,
        allow_missing=allow_missing,
    )
    if rated(within).run_id is not None:
        raise UsageError("The baseline says which run it is: name that one, and leave the run out of within.")
    judged = _candidate(ledger, candidate, against, workers)
    if (file := _baseline_file(baseline, ledger, texts)) is not None:
        return file.judge(judged, within, required)
    if ledger is None:
        raise UsageError("Without a ledger the baseline must be a file, as 'actionledger bless' writes it.")
    if texts is not None:
        raise UsageError("The texts of a run are in its ledger: name texts for a baseline's file alone.")
    of_run = replace(within, run_id=run_or_first(ledger, str(baseline)))
    return judge_by_run(ledger, of_run, judged, required)


def _limits(most: Mapping[Bucket, int] | None, max_lost: int) -> dict[Bucket, int]:
    """Return the maximum number of turns for each bucket."""
    require_kind(most or {}, Mapping, "most is how many turns a bucket may have, by its name")
    if "lost" in (most or {}):
        raise UsageError("How many turns may be lost is said by max_lost (--max-lost), and by nothing else.")
    return {**WORSE, **(most or {}), "lost": max_lost}


def _baseline_file(
    baseline: Called | Path | Baseline, ledger: Ledger | None, texts: str | os.PathLike[str] | None
) -> FileBaseline | None:
    """Return the blessed baseline with the places to find its texts; None if the baseline is a run."""
    given = None if texts is None else Path(texts)
    if isinstance(baseline, Baseline):
        return FileBaseline(baseline, "the baseline", ledger, given)
    require_kind(
        baseline, str | Path | UUID, "A baseline is a run by its id or name, a file's path, or a Baseline"
    )
    if isinstance(baseline, UUID) or not is_file(baseline):
        return None
    path = Path(baseline)
    folder = beside(path)
    places = given or (folder if folder.exists() else None)
    return FileBaseline(load_baseline(path), f"the baseline {path.name}", ledger, places)


def is_file(baseline: str | Path) -> bool:
    """Return whether a baseline is a file rather than a run."""
    return isinstance(baseline, Path) or baseline.endswith(".json") or Path(baseline).is_file()


def _candidate(
    ledger: Ledger | None, candidate: Called | AnyParser, against: str | None, workers: int | None
) -> Candidate:
    """Return the candidate as a parser or a run."""
    candidate = str(candidate) if isinstance(candidate, UUID) else candidate
    if against is not None or not isinstance(candidate, str):
        return ReadNow(candidate, against, workers)
    if candidate in PARSERS:
        return ReadNow(PARSERS[candidate], None, workers)
    unknown = UnknownNameError("parser", candidate, PARSERS)
    if ledger is None:
        raise unknown
    try:
        return ReadRun(one_run(ledger, candidate))
    except UsageError as error:
        raise UsageError(f"{unknown} {error}") from None
