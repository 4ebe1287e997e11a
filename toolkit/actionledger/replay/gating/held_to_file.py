"""A candidate held to a blessed baseline: its texts are found by their hashes, wherever they are kept."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from actionledger.errors import SourceError, UsageError
from actionledger.ledger import Ledger
from actionledger.ledger.queries.compare import ComparedTurn
from actionledger.ledger.queries.compare_values import compare_readings
from actionledger.ledger.queries.expected import ExpectedTurn, expected_turns
from actionledger.ledger.queries.filters import Filter
from actionledger.parsing.parsers import READING_RULES
from actionledger.plurals import counted
from actionledger.profiles import PROFILES
from actionledger.replay.choosing import reader_of
from actionledger.replay.gating.baseline import Baseline
from actionledger.replay.gating.blessing import lasting_names
from actionledger.replay.gating.candidates import Candidate, ReadNow, ReadRun
from actionledger.replay.gating.conditions import Asked, conditions, unread
from actionledger.replay.gating.contents import found_in_files, found_in_ledger
from actionledger.replay.gating.held_to_run import not_judged
from actionledger.replay.gating.report import GateReport
from actionledger.replay.gating.rereading import read_again
from actionledger.replay.gating.worse import counted_turns, worse_turns
from actionledger.replay.paired import with_test
from actionledger.replay.processes import SECONDS

_Pairs = list[tuple[ExpectedTurn, ExpectedTurn]]
_SHOWN_HASHES = 5


@dataclass(frozen=True, slots=True)
class HeldToFile:
    """A blessed baseline and where its texts may be.

    Args:
        baseline: the readings.
        called: what people call it.
        ledger: where runs, and texts, may be; None for none.
        places: a file or a folder with texts; None for none.
    """

    baseline: Baseline
    called: str
    ledger: Ledger | None
    places: Path | None

    def judge(self, candidate: Candidate, within: Filter, asked: Asked) -> GateReport:
        """Judge a candidate.

        Args:
            candidate: what is judged.
            within: which profiles and models.
            asked: what must hold.

        Raises:
            UsageError: no turn fits, or the run has read none of them.
            SourceError: none of the texts is there.
        """
        turns = [turn for turn in self.baseline.turns if _fits(turn, within)]
        if not turns:
            of = counted(len(self.baseline.turns), "turn")
            raise UsageError(f"No turn of {self.called} fits; it has {of}.")
        if isinstance(candidate, ReadRun):
            pairs, name, lacking = (
                self._read_before(turns, candidate),
                "read_again",
                "that the candidate has not read",
            )
        else:
            pairs, name, lacking = self._read_now(turns, candidate), "texts_found", "whose text is not there"
        there = {id(was) for was, _ in pairs}
        missing = [turn for turn in turns if id(turn) not in there]
        comparison = with_test(compare_readings([was for was, _ in pairs], [now for _, now in pairs]))
        found = (
            *conditions(comparison, asked),
            unread(name, lacking, len(missing), len(turns), allowed=asked.allow_missing),
        )
        return GateReport(
            baseline=self.called,
            candidate=candidate.name,
            conditions=found,
            comparison=comparison,
            worse=worse_turns(counted_turns(comparison, found), {}, _names_of_actions(pairs)),
            notes=tuple(self._notes(turns, missing)),
        )

    def _read_now(self, turns: Sequence[ExpectedTurn], candidate: ReadNow) -> _Pairs:
        """Return the readings of the turns whose texts are there, each with what the candidate makes of it."""
        wanted = {each for turn in turns for each in (turn.text, turn.tools) if each}
        contents = {} if self.places is None else found_in_files(self.places, wanted)
        if self.ledger is not None and (left := wanted - contents.keys()):
            contents |= found_in_ledger(self.ledger, left)
        there = [turn for turn in turns if {turn.text, turn.tools} - {None} <= contents.keys()]
        if not there:
            where = f"in {str(self.places)!r}" if self.places else "beside it"
            ledger = " or in the ledger" if self.ledger else ""
            raise SourceError(
                f"None of the {counted(len(turns), 'text')} of {self.called} is {where}{ledger}; name a folder, a file or a "
                "ledger that has them, or bless with --with-texts."
            )
        reader = reader_of(
            candidate.parser, None, workers=candidate.workers, seconds=SECONDS, place="processes"
        )
        return list(zip(there, read_again(there, contents, reader), strict=True))

    def _read_before(self, turns: Sequence[ExpectedTurn], candidate: ReadRun) -> _Pairs:
        """Return the readings of the turns that a run has read, each with the run's."""
        assert self.ledger is not None
        read = list(expected_turns(self.ledger, Filter(run_id=candidate.run_id)))
        names = lasting_names(self.ledger, read)
        by_turn = {(names[turn.session_id], turn.turn_index, turn.text): turn for turn in read}
        pairs = [
            (turn, by_turn[key])
            for turn in turns
            if (key := (turn.session_id, turn.turn_index, turn.text)) in by_turn
        ]
        if not pairs:
            of = counted(len(turns), "turn")
            raise UsageError(f"The {candidate.name} has read none of the {of} of {self.called}.")
        return pairs

    def _notes(self, turns: Sequence[ExpectedTurn], missing: Sequence[ExpectedTurn]) -> Iterator[str]:
        baseline = self.baseline
        if missing:
            shown = ", ".join(sorted({turn.text for turn in missing})[:_SHOWN_HASHES])
            yield f"Not read again: {counted(len(missing), 'turn')}; the SHA-256 of their texts: {shown}."
        if baseline.reading_rules != READING_RULES:
            yield (
                f"The baseline was blessed under the rules of reading {baseline.reading_rules}; "
                f"they are {READING_RULES} now."
            )
        if baseline.without_text:
            yield not_judged(baseline.without_text)
        if unknown := sorted({turn.profile for turn in turns} - set(PROFILES) - {""}):
            named = ", ".join(map(repr, unknown))
            yield f"No profile here goes by {named}: its actions are checked where tools are recorded, else not at all."


def _fits(turn: ExpectedTurn, within: Filter) -> bool:
    return (not within.profiles or turn.profile in within.profiles) and (
        not within.models or turn.model in within.models
    )


def _names_of_actions(pairs: _Pairs) -> Callable[[ComparedTurn], str]:
    by_turn = {(was.session_id, was.turn_index): (was, now) for was, now in pairs}

    def detail(turn: ComparedTurn) -> str:
        was, now = by_turn[turn.session_id, turn.turn_index]
        return f"  before: {_actions(was)}\n  after: {_actions(now)}"

    return detail


def _actions(turn: ExpectedTurn) -> str:
    return ", ".join(f"{each.name} ({each.status})" for each in turn.actions) or "no action"
