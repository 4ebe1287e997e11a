"""A turn known again: the same one, a later state of it, or another one under its name."""

from dataclasses import replace
from enum import Enum, auto
from typing import NamedTuple

from actionledger.core.ids import derived_id
from actionledger.core.recording import SessionKey, turn_id_of
from actionledger.core.values.recordings import RecordedSession, RecordedTurn
from actionledger.imports.reading import written_of
from actionledger.ledger.encoding import as_recorded
from actionledger.ledger.queries.packed import KnownTurn
from actionledger.ledger.queries.recorded import Known, digest
from actionledger.reading.recorded import WithCalls


class State(Enum):
    """What a turn of a recording is to a ledger."""

    NEW = auto()
    KNOWN = auto()
    GROWN = auto()
    DIFFERING = auto()


class Looked(NamedTuple):
    """A turn of a recording beside what a ledger has of it.

    Args:
        turn: the turn.
        written: what is recorded of it.
        turn_id: what it is recorded as, or was.
        state: what it is to the ledger.
        replaces: the turn that it takes the place of; empty where it takes none's.
        formerly: the turn that is the same one under the name that an earlier version gave it; empty where there is none.
    """

    turn: RecordedTurn
    written: WithCalls
    turn_id: str
    state: State
    replaces: str = ""
    formerly: str = ""


def looked_up(
    known: Known, source: str, session: RecordedSession, key: SessionKey, turn: RecordedTurn
) -> Looked:
    """Return what a turn is to a ledger."""
    written = written_of(turn)
    text = written.text
    first = _identity(known, source, session, key, turn)
    turn_id = known.current(first)
    there = known.turn(turn_id)
    formerly = ""
    if turn.formerly not in {"", turn.external_id}:
        other = replace(turn, external_id=turn.formerly)
        formerly = _formerly(known, _identity(known, source, session, key, other), turn_id)
    if there is None:
        return Looked(turn, written, turn_id, State.NEW, formerly=formerly)
    state = _compared(turn, text, there)
    if state is State.KNOWN and not _is_state_of(turn, text, there, known, turn_id):
        state = State.DIFFERING
    if state is State.KNOWN and not known.is_done(turn_id):
        state = State.NEW
    if state is not State.GROWN:
        return Looked(turn, written, turn_id, state, formerly=formerly)
    grown = derived_id("turn", first, digest(text), len(turn.calls), turn.usage.output_tokens)
    return Looked(turn, written, grown, State.GROWN, replaces=turn_id, formerly=formerly)


def _formerly(known: Known, other: str, turn_id: str) -> str:
    """Return the turn that a ledger has under the name that an earlier version gave it, if that one still stands."""
    stands = known.current(other)
    return stands if stands != turn_id and known.turn(stands) is not None else ""


def remember(known: Known, looked: Looked) -> None:
    """Add a turn that was taken in to what is known."""
    turn = looked.turn
    text = looked.written.text
    there = KnownTurn(digest(text), len(text), len(turn.calls), turn.usage.output_tokens, has_cost=True)
    known.add_turn(looked.turn_id, there, looked.replaces)
    known.add_done(looked.turn_id)


def _identity(
    known: Known, source: str, session: RecordedSession, key: SessionKey, turn: RecordedTurn
) -> str:
    """Return the id of a turn as it was recorded first."""
    if not turn.external_id:
        return turn_id_of(key, turn.index)
    scope = source if session.ids == "source" else key.session_id
    own = derived_id("turn", scope, "named", turn.external_id)
    # Ledgers of before have it under its session's name.
    if not session.begun_as or known.turn(known.current(own)) is not None:
        return own
    first = derived_id("session", source, session.begun_as)
    return derived_id("turn", first, "named", turn.external_id)


def _compared(turn: RecordedTurn, text: str, there: KnownTurn) -> State:
    # What is billed beside a message may be counted by now where it was not: that is no later state of the message.
    beside = sum(each.output_tokens for each in turn.usage.billed if not each.is_own)
    calls, tokens = len(turn.calls), (turn.usage.output_tokens or 0) - beside
    is_same = _is_text_of(text, there)
    has_more_beside = calls > there.call_count or tokens > (there.output_tokens or 0)
    if is_same and not (turn.external_id and has_more_beside and calls >= there.call_count):
        return State.KNOWN
    if not turn.external_id:
        return State.DIFFERING
    if is_same:
        return State.GROWN
    if len(text) < there.characters or calls < there.call_count:
        return State.KNOWN  # an earlier state of what is there
    goes_on = len(text) > there.characters and _is_text_of(text[: there.characters], there)
    return State.GROWN if goes_on else State.DIFFERING


def _is_state_of(turn: RecordedTurn, text: str, there: KnownTurn, known: Known, turn_id: str) -> bool:
    """Return whether what has less than is recorded is an earlier state of it: has calls of it and begins as it does."""
    if len(turn.calls) < there.call_count and not _are_among(turn, known, turn_id):
        return False
    has_calls_within = text != turn.text  # a state with fewer of them need not begin as the whole does
    if has_calls_within or len(text) >= there.characters:
        return True
    recorded = known.text_of(turn_id)
    return recorded is None or recorded.startswith((text, as_recorded(text)))


def _are_among(turn: RecordedTurn, known: Known, turn_id: str) -> bool:
    """Return whether an earlier state's calls are among those that are recorded: a part of a message is no state of it."""
    own = {call.call_id for call in turn.calls if call.call_id}
    return not own or own <= known.calls_of(turn_id)


def _is_text_of(text: str, there: KnownTurn) -> bool:
    return there.digest == digest(text) or there.digest == digest(as_recorded(text))
