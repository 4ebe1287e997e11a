"""A candidate held to the readings of a ledger's run, or to the first ones."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from actionledger.core.plurals import counted
from actionledger.ledger import Ledger
from actionledger.ledger.queries.compare import ComparedTurn
from actionledger.ledger.queries.differences import compare_turn
from actionledger.ledger.queries.expected import count_without_text
from actionledger.ledger.queries.filters import Filter
from actionledger.ledger.queries.naming import session_names
from actionledger.ledger.queries.rereading import count_responses
from actionledger.replay.gating.candidates import Candidate, ReadRun
from actionledger.replay.gating.conditions import Asked, conditions, unread
from actionledger.replay.gating.report import GateReport
from actionledger.replay.gating.worse import counted_turns, worse_turns
from actionledger.replay.paired import PairedComparison, compare_pairs
from actionledger.replay.recorded_run import losses
from actionledger.replay.reparse import reparse


@dataclass(frozen=True, slots=True)
class _Read:
    run_id: str
    name: str
    comparison: PairedComparison
    notes: tuple[str, ...] = ()


def held_to_run(ledger: Ledger, within: Filter, candidate: Candidate, asked: Asked) -> GateReport:
    """Judge a candidate by what a ledger has recorded."""
    read = _read(ledger, within, candidate)
    total = count_responses(ledger, within)
    missing = count_responses(ledger, within, done=read.run_id)
    found = (
        *conditions(read.comparison, asked),
        unread("read_again", "that the candidate has not read", missing, total, allowed=asked.allow_missing),
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


def not_judged(count: int) -> str:
    """Return the sentence on turns without a text."""
    return f"{counted(count, 'turn')} not judged: the recording has kept the calls alone, and there is no text to read."


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
