"""Match a recorded turn to the ledger: the same turn, a later state of it, or another one under its name."""

from dataclasses import replace
from enum import Enum, auto
from typing import NamedTuple

from actionledger.core.events import SystemNoted
from actionledger.core.ids import derived_id, now, utc
from actionledger.core.privacy import mask_text
from actionledger.core.recording import (
    RESPONSE_CHARACTERS,
    Recorder,
    SessionKey,
    response_refused,
    turn_id_of,
)
from actionledger.core.recordings import RecordedSession, RecordedTurn
from actionledger.imports.reading import written_of
from actionledger.imports.report import ImportReport
from actionledger.imports.sources.base import Refusal
from actionledger.imports.turn_usage import known_usage
from actionledger.ledger.queries.packed import KnownTurn
from actionledger.ledger.queries.recorded import Known, LastTurn, digest
from actionledger.ledger.storage.encoding import as_recorded
from actionledger.reading.recorded import WithCalls


class TurnMatch(Enum):
    """How a turn of a recording relates to the ledger."""

    NEW = auto()
    KNOWN = auto()
    GROWN = auto()
    DIFFERING = auto()


class LookedUpTurn(NamedTuple):
    """A recorded turn, matched to the ledger."""

    turn: RecordedTurn
    written: WithCalls  # its text as recorded
    turn_id: str  # its identifier in the ledger
    state: TurnMatch  # its relation to the ledger
    replaces: str = ""  # the turn that it replaces; empty if none
    # turns that are the same one, or a part of it, under names given by earlier versions
    formerly: tuple[str, ...] = ()


def looked_up(
    known: Known, source: str, session: RecordedSession, key: SessionKey, turn: RecordedTurn
) -> LookedUpTurn:
    """Match a turn to the ledger."""
    written = written_of(turn)
    text = written.text
    first = _identity(known, source, session, key, turn)
    turn_id, state = _match(known, first, turn, text)
    if state in {TurnMatch.GROWN, TurnMatch.DIFFERING} and session.ids == "source" and turn.external_id:
        names = {derived_id("session", source, name) for name in (session.begun_as, session.formerly) if name}
        is_other = known.session_of(turn_id) not in {"", key.session_id, *names}
        if is_other and not _is_copy(known, turn_id, turn, state):
            first = derived_id("turn", key.session_id, "named", turn.external_id)
            turn_id, state = _match(known, first, turn, text)
    formerly = _formers(known, source, session, key, turn, now_named=turn_id) if turn.formerly else ()
    if state is not TurnMatch.GROWN:
        return LookedUpTurn(turn, written, turn_id, state, formerly=formerly)
    grown = derived_id("turn", first, digest(text), len(turn.calls), turn.usage.output_tokens)
    return LookedUpTurn(turn, written, grown, TurnMatch.GROWN, replaces=turn_id, formerly=formerly)


def _match(known: Known, first: str, turn: RecordedTurn, text: str) -> tuple[str, TurnMatch]:
    """Return the turn that a name stands for, and how a turn relates to it."""
    turn_id = known.current(first)
    there = known.turn(turn_id)
    if there is None:
        return turn_id, TurnMatch.NEW
    state = _compared(turn, text, there)
    if state is TurnMatch.KNOWN and not _is_state_of(turn, text, there, known, turn_id):
        state = TurnMatch.DIFFERING
    if state is TurnMatch.KNOWN and not known.is_done(turn_id):
        state = TurnMatch.NEW
    return turn_id, state


def _is_copy(known: Known, turn_id: str, turn: RecordedTurn, state: TurnMatch) -> bool:
    """Return whether a turn is a copy of another session's, and has not its name by chance: some servers count identifiers from 0 in each session."""
    if state is TurnMatch.DIFFERING or not (there := known.turn(turn_id)) or not there.characters:
        return False
    return known.calls_of(turn_id) <= {call.call_id for call in turn.calls}


def _formers(
    known: Known,
    source: str,
    session: RecordedSession,
    key: SessionKey,
    turn: RecordedTurn,
    *,
    now_named: str,
) -> tuple[str, ...]:
    """Return the turns that a turn supersedes: what earlier versions recorded of it under other names."""
    others = (turn.formerly,) if isinstance(turn.formerly, str) else turn.formerly
    named = (
        _of_other(source, *each)
        if isinstance(each, tuple)
        else _identity(known, source, session, key, replace(turn, external_id=each))
        for each in others
        if each not in {"", turn.external_id}
    )
    # A name that begins with its session's own is no other session's, and neither was its former name.
    is_own = turn.external_id.startswith(f"{session.external_id}/")
    return tuple(
        stands
        for other in named
        if (stands := _formerly(known, other, now_named))
        and not (is_own and known.session_of(stands) != key.session_id)
    )


def _formerly(known: Known, other: str, turn_id: str) -> str:
    """Return the turn that an earlier version recorded under another name, unless it is superseded."""
    stands = known.current(other)
    return stands if stands != turn_id and known.turn(stands) is not None else ""


def places_before(known: Known, source: str, session: RecordedSession, key: SessionKey) -> int:
    """Return how many turns of a session come before those of a file: one that only goes on with a session counts its turns from 0."""
    first = session.turns[0]
    if not first.external_id:
        return 0
    looked = looked_up(known, source, session, key, first)
    if looked.state is not TurnMatch.NEW:
        turn_id = looked.replaces or looked.turn_id
        there = known.turn(turn_id)
        if there is None or there.place <= first.index or known.session_of(turn_id) != key.session_id:
            return 0
        return there.place - first.index
    if first.index or first.occurred_at is None:
        return 0
    last = known.last_of(key.session_id)
    return last.place + 1 if last and last.at and utc(first.occurred_at) > utc(last.at) else 0


def remember(known: Known, looked: LookedUpTurn, session_id: str) -> None:
    """Add an imported turn of a session to what is known."""
    turn = looked.turn
    text = looked.written.text
    there = KnownTurn(
        digest(text),
        len(text),
        len(turn.calls),
        known_usage(turn).output_tokens,
        has_cost=True,
        place=turn.index,
        session_id=session_id,
    )
    known.add_turn(looked.turn_id, there, looked.replaces)
    known.add_done(looked.turn_id)
    last = known.last_since.get(session_id)
    if last is None or last.place <= turn.index:
        known.last_since[session_id] = LastTurn(turn.index, turn.occurred_at)


def _identity(
    known: Known, source: str, session: RecordedSession, key: SessionKey, turn: RecordedTurn
) -> str:
    """Return the id under which a turn was first recorded."""
    if not turn.external_id:
        return turn_id_of(key, turn.index)
    scope = source if session.ids == "source" else key.session_id
    own = derived_id("turn", scope, "named", turn.external_id)
    # Older ledgers have it under its session's name.
    if not session.begun_as or known.turn(known.current(own)) is not None:
        return own
    return _of_other(source, session.begun_as, turn.external_id)


def _of_other(source: str, session: str, name: str) -> str:
    """Return the id of a turn that was recorded under another session's name."""
    return derived_id("turn", derived_id("session", source, session), "named", name)


def _compared(turn: RecordedTurn, text: str, there: KnownTurn) -> TurnMatch:
    # Tokens billed separately may be counted only now: that is no later state of the message.
    beside = sum(each.output_tokens for each in turn.usage.billed if not each.is_own)
    calls, tokens = len(turn.calls), (known_usage(turn).output_tokens or 0) - beside
    is_same = _is_text_of(text, there)
    has_more_beside = calls > there.call_count or tokens > (there.output_tokens or 0)
    if is_same and not (turn.external_id and has_more_beside and calls >= there.call_count):
        return TurnMatch.KNOWN
    if not turn.external_id:
        return TurnMatch.DIFFERING
    if is_same:
        return TurnMatch.GROWN
    if len(text) < there.characters or calls < there.call_count:
        return TurnMatch.KNOWN  # an earlier state of what is there
    goes_on = len(text) > there.characters and _is_text_of(text[: there.characters], there)
    return TurnMatch.GROWN if goes_on else TurnMatch.DIFFERING


def _is_state_of(turn: RecordedTurn, text: str, there: KnownTurn, known: Known, turn_id: str) -> bool:
    """Return whether a shorter turn is an earlier state of the recorded one: it has some of its calls and begins as it does."""
    if len(turn.calls) < there.call_count and not _are_among(turn, known, turn_id):
        return False
    has_calls_within = text != turn.text  # a state with fewer calls need not begin as the whole does
    if has_calls_within or len(text) >= there.characters:
        return True
    recorded = known.text_of(turn_id)
    return recorded is None or recorded.startswith((text, as_recorded(text)))


def _are_among(turn: RecordedTurn, known: Known, turn_id: str) -> bool:
    """Return whether a turn's calls are all among the recorded ones: otherwise it is no earlier state."""
    own = {call.call_id for call in turn.calls if call.call_id}
    return not own or own <= known.calls_of(turn_id)


def _is_text_of(text: str, there: KnownTurn) -> bool:
    return there.digest == digest(text) or there.digest == digest(as_recorded(text))


TASK_CHARACTERS = 64 * 1024
"""How many characters of a session's task are kept: each of its events repeats it."""


def task_of(session: RecordedSession) -> str:
    """Return a session's task; a long one is cut, and says so."""
    task = session.task
    if len(task) <= TASK_CHARACTERS:
        return task
    # Mask before the cut: half of a secret would not be recognized.
    return f"{mask_text(task)[:TASK_CHARACTERS]} … (cut: {TASK_CHARACTERS:,} of {len(task):,} characters are kept)"


# Refusals of an import, recorded and reported once each, however often the input is read.
PLACES = 2**31
"""The most turns of a session."""


class Refusals:
    """Records what is refused."""

    def __init__(self, record: Recorder, run_id: str, source: str) -> None:
        self._record = record
        self._run_id = run_id
        self._source = source

    def refuse(self, refusal: Refusal, report: ImportReport) -> None:
        """Record a refusal; the same one of the same file is recorded once."""
        report.refusals.append(refusal)
        self._note("line_refused", str(refusal), "line-refused", self._source, str(refusal))

    def note_differing(
        self,
        item: RecordedSession,
        session: SessionKey,
        looked: LookedUpTurn,
        report: ImportReport,
        file: str,
    ) -> None:
        """Record that a turn of a file comes with another text than before."""
        place = f"{item.external_id}#{looked.turn.index}"
        reason = f"{place}: other content under the same id; what was recorded first is kept."
        report.differing.append(Refusal(file, 0, reason))
        about = ("turn-differs", looked.turn_id, looked.written.text)
        self._note("turn_differs", reason, *about, session_id=session.session_id)

    def is_too_large(
        self,
        item: RecordedSession,
        session: SessionKey,
        looked: LookedUpTurn,
        report: ImportReport,
        file: str,
    ) -> bool:
        """Return whether a response is too large to be recorded; refuse it if so."""
        if len(looked.written.text) <= RESPONSE_CHARACTERS:
            return False
        index = looked.turn.index
        event = response_refused(session.session_id, self._run_id, index, len(looked.written.text))
        reason = f"Session {item.external_id!r}, turn {index}: {event.message}"
        report.refusals.append(Refusal(file, 0, reason))
        self._record(replace(event, event_id=derived_id("response-refused", looked.turn_id)))
        return True

    def has_no_place(
        self, item: RecordedSession, looked: LookedUpTurn, report: ImportReport, file: str
    ) -> bool:
        """Return whether a turn's index is out of range; refuse it if so."""
        index = looked.turn.index
        if 0 <= index < PLACES:
            return False
        why = f"Session {item.external_id!r}: a turn's place counts from 0 to {PLACES - 1}, got {index}."
        self.refuse(Refusal(file, 0, why), report)
        return True

    def _note(self, code: str, message: str, *about: str, session_id: str | None = None) -> None:
        self._record(
            SystemNoted(
                event_id=derived_id(*about),
                recorded_at=now(),
                run_id=self._run_id,
                code=code,
                message=message,
                session_id=session_id,
            )
        )
