"""The turns of a baseline read by a candidate, without a ledger: the same reading and checking, recorded nowhere."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from actionledger.core.events import EVENT, ResponseParsed
from actionledger.core.ids import derived_id, new_id
from actionledger.core.recording import RunKey
from actionledger.core.vocabulary import ActionStatus, LeftOutReason, Reason, RunKind
from actionledger.ledger.queries.expected import ExpectedAction, ExpectedTurn
from actionledger.ledger.queries.rereading import Batch, RecordedResponse
from actionledger.replay.choosing import ChosenReader

_BATCH_TURNS = 200
_BATCH_CHARACTERS = 1_000_000


@dataclass(slots=True)
class ReadAgain:
    """What a candidate reads of a baseline's turns.

    Args:
        pairs: each turn with what is read of it now; another version's answer that can't be taken is in none.
        failed: how many texts nobody could read to their end, by reason; they are read as failed.
        left_out: how much of the readings could not be taken, by reason.
    """

    pairs: list[tuple[ExpectedTurn, ExpectedTurn]] = field(default_factory=list)
    failed: Counter[Reason] = field(default_factory=Counter)
    left_out: Counter[LeftOutReason] = field(default_factory=Counter)


def read_again(turns: Sequence[ExpectedTurn], contents: Mapping[str, str], reader: ChosenReader) -> ReadAgain:
    """Return what a candidate reads of each turn, in the same order."""
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
