"""Compare a candidate with a baseline's file: find its texts by hash and parse them again, without recording."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from actionledger.core.errors import SourceError, UsageError
from actionledger.core.events import EVENT, ResponseParsed
from actionledger.core.ids import derived_id, new_id
from actionledger.core.recording import RunKey
from actionledger.core.text import counted
from actionledger.core.vocabulary import ActionStatus, LeftOutReason, Reason, RunKind
from actionledger.ledger import Ledger
from actionledger.ledger.queries.compare import ComparedTurn
from actionledger.ledger.queries.expected import (
    ExpectedAction,
    ExpectedTurn,
    compare_readings,
    expected_turns,
)
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.ledger.queries.rereading import Batch, RecordedResponse
from actionledger.profiles import PROFILES
from actionledger.reading.parsers import READING_RULES
from actionledger.replay.gate.baseline import Baseline, found_in_files, found_in_ledger, lasting_names
from actionledger.replay.gate.report import (
    Candidate,
    Condition,
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
from actionledger.replay.paired import with_test
from actionledger.replay.placement import ChosenReader, reader_of
from actionledger.replay.processes import SECONDS
from actionledger.replay.reparse_run import losses

_BATCH_TURNS = 200
_BATCH_CHARACTERS = 1_000_000


@dataclass(slots=True)
class ReadAgain:
    """A candidate's parses of a baseline's turns."""

    # each turn with its new parse; another version's unusable answers are omitted
    pairs: list[tuple[ExpectedTurn, ExpectedTurn]] = field(default_factory=list)
    # number of texts that could not be parsed to the end, by reason; they count as failed
    failed: Counter[Reason] = field(default_factory=Counter)
    # number of values in the parses that could not be used, by reason
    left_out: Counter[LeftOutReason] = field(default_factory=Counter)


def read_again(turns: Sequence[ExpectedTurn], contents: Mapping[str, str], reader: ChosenReader) -> ReadAgain:
    """Return the candidate's parse of each turn, in the same order."""
    run = RunKey(run_id=new_id(), kind=RunKind.REPARSE)
    answers = reader.runner(run, len(turns)).run(_batches(turns, contents))
    done = ReadAgain()
    for turn, reading in zip(turns, (each for readings in answers for each in readings), strict=True):
        done.left_out.update(reading.left_out)
        done.failed.update([reading.failed] if reading.failed else [])
        if reading.line is not None:
            done.pairs.append((turn, _as_read(turn, reading.line)))
    return done


def _as_read(turn: ExpectedTurn, line: bytes) -> ExpectedTurn:
    event = EVENT.validate_json(line)
    assert isinstance(event, ResponseParsed)
    actions = tuple(
        ExpectedAction(each.name, each.status, hashlib.sha256(each.arguments.encode()).hexdigest())
        for each in event.actions
        if each.status is not ActionStatus.ILLUSTRATION
    )
    return replace(turn, outcome=event.outcome, actions=actions)


def _batches(turns: Iterable[ExpectedTurn], contents: Mapping[str, str]) -> Iterator[Batch]:
    batch: list[RecordedResponse] = []
    characters = 0
    for place, turn in enumerate(turns):
        text = contents[turn.text]
        if batch and (len(batch) >= _BATCH_TURNS or characters + len(text) > _BATCH_CHARACTERS):
            yield _with_tools(batch, contents)
            batch, characters = [], 0
        batch.append(_response(turn, place, text))
        characters += len(text)
    if batch:
        yield _with_tools(batch, contents)


def _with_tools(batch: list[RecordedResponse], contents: Mapping[str, str]) -> Batch:
    offered = {response.tools_hash for response in batch if response.tools_hash}
    return Batch(tuple(batch), {each: contents[each] for each in offered})


def _response(turn: ExpectedTurn, place: int, text: str) -> RecordedResponse:
    return RecordedResponse(
        turn_id=derived_id("gate", place),
        session_id=derived_id("gate", turn.session_id),
        turn_index=turn.turn_index,
        profile=turn.profile,
        model=turn.model,
        task="",
        occurred_at=None,
        tools_hash=turn.tools,
        text=text,
    )


_Pairs = list[tuple[ExpectedTurn, ExpectedTurn]]
_SHOWN_HASHES = 5


@dataclass(frozen=True, slots=True)
class FileBaseline:
    """A blessed baseline, with the places to find its texts."""

    baseline: Baseline  # the parses
    called: str  # its display name
    ledger: Ledger | None  # the ledger to find runs and texts in; None for none
    places: Path | None  # a file or folder with texts; None for none

    def judge(self, candidate: Candidate, within: Filter, required: Requirements) -> GateReport:
        _refuse_unsaid(within)
        turns = [
            turn
            for turn in self.baseline.turns
            if (
                (not within.profiles or turn.profile in within.profiles)
                and (not within.models or turn.model in within.models)
            )
        ]
        if not turns:
            of = counted(len(self.baseline.turns), "turn")
            raise UsageError(f"No turn of {self.called} fits; it has {of}.")
        read = (
            self._read_before(turns, candidate)
            if isinstance(candidate, ReadRun)
            else self._read_now(turns, candidate)
        )
        pairs = read.pairs
        comparison = with_test(compare_readings([was for was, _ in pairs], [now for _, now in pairs]))
        found = (
            *conditions(comparison, required),
            *_unread(read, len(turns), allowed=required.allow_missing),
        )
        return GateReport(
            baseline=self.called,
            candidate=read.name,
            conditions=found,
            comparison=comparison,
            worse=worse_turns(counted_turns(comparison, found), {}, _names_of_actions(pairs)),
            notes=(*read.notes, *self._notes(turns, [*(read.without_text or ()), *read.unread])),
        )

    def _read_now(self, turns: Sequence[ExpectedTurn], candidate: ReadNow) -> "_Read":
        """Return the parses of the turns whose texts are found, each with the candidate's."""
        reader = reader_of(
            candidate.parser,
            candidate.against,
            workers=candidate.workers,
            seconds=SECONDS,
            place="processes",
        )
        contents = self._contents(turns)
        there = [turn for turn in turns if _texts(turn) <= contents.keys()]
        if not there:
            where = f"in {str(self.places)!r}" if self.places else "beside it"
            ledger = " or in the ledger" if self.ledger else ""
            raise SourceError(
                f"None of the {counted(len(turns), 'text')} of {self.called} is {where}{ledger}; name a folder, a file or a "
                "ledger that has them, or bless with --with-texts."
            )
        done = read_again(there, contents, reader)
        if not done.pairs:
            raise SourceError(
                f"Nothing that {reader.identity.name} answers can be taken: {' '.join(losses(done.failed, done.left_out))}"
            )
        return _Read(
            reader.identity.name,
            done.pairs,
            _but(turns, there),
            _but(there, [was for was, _ in done.pairs]),
            tuple(losses(done.failed, done.left_out)),
        )

    def _contents(self, turns: Sequence[ExpectedTurn]) -> dict[str, str]:
        """Return the available texts and offered tools of turns, by hash."""
        wanted = {each for turn in turns for each in _texts(turn)}
        contents = {} if self.places is None else found_in_files(self.places, wanted)
        if self.ledger is not None and (left := wanted - contents.keys()):
            contents |= found_in_ledger(self.ledger, left)
        return contents

    def _read_before(self, turns: Sequence[ExpectedTurn], candidate: ReadRun) -> "_Read":
        """Return the baseline's parses of the turns that a run has parsed, each with the run's."""
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
        return _Read(candidate.name, pairs, None, _but(turns, [was for was, _ in pairs]))

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
            yield f"No profile here is named {named}: its actions are checked only if tools are recorded."


@dataclass(frozen=True, slots=True)
class _Read:
    """A candidate's parses paired with a baseline's."""

    name: str
    pairs: _Pairs
    without_text: Sequence[ExpectedTurn] | None
    unread: Sequence[ExpectedTurn]
    notes: tuple[str, ...] = ()


def _unread(read: _Read, total: int, *, allowed: bool) -> Iterator[Condition]:
    """Yield the conditions that every turn was parsed: by a run, or by a parser that may be another version's."""
    if read.without_text is not None:
        yield unread("texts_found", "whose text is not there", len(read.without_text), total, allowed=allowed)
    if read.without_text is None or read.unread:
        yield unread(
            "read_again", "that the candidate has not read", len(read.unread), total, allowed=allowed
        )


def _but(turns: Sequence[ExpectedTurn], others: Sequence[ExpectedTurn]) -> list[ExpectedTurn]:
    """Return the turns that are not among the others."""
    there = set(map(id, others))
    return [turn for turn in turns if id(turn) not in there]


def _texts(turn: ExpectedTurn) -> set[str]:
    """Return the hashes of the texts needed to parse a turn."""
    return {each for each in (turn.text, turn.tools) if each}


def _refuse_unsaid(within: Filter) -> None:
    """Refuse a filter on a property that a baseline's file doesn't hold."""
    unsaid = replace(within, profiles=(), models=())
    if unsaid != EVERYTHING:
        raise UsageError(
            f"A baseline's file says of its turns their profile and model alone, and nothing of {unsaid.words}; take a run of the "
            "ledger as the baseline, or bless those turns alone."
        )


def _names_of_actions(pairs: _Pairs) -> Callable[[ComparedTurn], str]:
    by_turn = {(was.session_id, was.turn_index): (was, now) for was, now in pairs}

    def detail(turn: ComparedTurn) -> str:
        was, now = by_turn[turn.session_id, turn.turn_index]
        return f"  before: {_actions(was)}\n  after: {_actions(now)}"

    return detail


def _actions(turn: ExpectedTurn) -> str:
    return ", ".join(f"{each.name} ({each.status})" for each in turn.actions) or "no action"
