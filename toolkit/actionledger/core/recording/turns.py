"""What is recorded of a turn: its response, its end, and what was too large for either."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

from actionledger.core.clock import now
from actionledger.core.errors import EventTooLargeError
from actionledger.core.events import (
    Event,
    ResponseReceived,
    SystemNoted,
    TurnFinished,
    TurnResumed,
    TurnSuperseded,
)
from actionledger.core.ids import derived_id, new_id
from actionledger.core.privacy import mask_text
from actionledger.core.recording.keys import SessionKey, TurnKey, head
from actionledger.core.vocabulary import SENTENCES, Reason

Recorder = Callable[[Event], None]
"""Takes events; a ledger's ``record`` is one, a list's ``append`` another."""


BILLED_BESIDE = "billed_beside"
"""The code of a note on what was billed beside a message."""

RESPONSE_CHARACTERS = 8 * 2**20
"""The longest response that is recorded and read, in characters: whatever they are, its event fits into a ledger."""


KEPT_CHARACTERS = 2**20
"""How much is kept of a prompt, a thought or a feedback that makes its event too large, in characters."""


def record_fitting(record: Recorder, event: ResponseReceived | TurnFinished | TurnResumed) -> None:
    """Record an event, with the beginning of its prompt and thought, or its feedback, alone where it is too large; a cut says so."""
    try:
        record(event)
    except EventTooLargeError:
        if isinstance(event, ResponseReceived):
            record(replace(event, prompt=_cut(event.prompt), reasoning=_cut(event.reasoning)))
        else:
            record(replace(event, feedback=_cut(event.feedback) or ""))


def _cut(text: str | None) -> str | None:
    if text is None or len(text) <= KEPT_CHARACTERS:
        return text
    # Half of a secret would not be known as one.
    return f"{mask_text(text)[:KEPT_CHARACTERS]} … (cut: {KEPT_CHARACTERS:,} of {len(text):,} characters are kept)"


def response_received(
    turn: TurnKey, run_id: str, text: str, prompt: str | None, **recorded: Any
) -> ResponseReceived:
    """Return the event of a response that came in."""
    return ResponseReceived(
        event_id=derived_id("response-received", turn.turn_id),
        text=text,
        prompt=prompt,
        **turn.dimensions(run_id),
        **recorded,
    )


def turn_superseded(turn: TurnKey, run_id: str, superseded_by: str) -> TurnSuperseded:
    """Return the event of a turn for whose response another one stands now."""
    return TurnSuperseded(
        **head(run_id, "turn-superseded", turn.turn_id),
        session_id=turn.session.session_id,
        turn_id=turn.turn_id,
        superseded_by=superseded_by,
    )


def response_refused(session_id: str, run_id: str, index: int, characters: int) -> SystemNoted:
    """Return the event of a response that is too large to be recorded; only its size is."""
    reason = Reason.RESPONSE_TOO_LARGE
    return SystemNoted(
        event_id=new_id(),
        recorded_at=now(),
        run_id=run_id,
        code=str(reason),
        message=f"{SENTENCES[reason]} It has {characters:,} characters; at most {RESPONSE_CHARACTERS:,} are taken.",
        session_id=session_id,
        detail={"characters": characters, "limit": RESPONSE_CHARACTERS, "turn_index": index},
    )


def billed_beside(turn: TurnKey, run_id: str, place: int, detail: dict[str, Any]) -> SystemNoted:
    """Return the event of something that was billed beside a message; its tokens are among the turn's."""
    return SystemNoted(
        **head(run_id, BILLED_BESIDE, turn.turn_id, place),
        code=BILLED_BESIDE,
        message=f"Billed beside the message, and among the turn's tokens: {detail['kind']}.",
        session_id=turn.session.session_id,
        turn_id=turn.turn_id,
        detail=detail,
    )


def turn_id_of(session: SessionKey, index: int) -> str:
    """Return the id of a session's turn, by its place in the session."""
    return derived_id("turn", session.session_id, index)


def turn_finished(turn: TurnKey, run_id: str, feedback: str, finished_at: datetime | None) -> TurnFinished:
    """Return the event of a turn that is over."""
    return TurnFinished(
        **head(run_id, "turn-finished", turn.turn_id),
        session_id=turn.session.session_id,
        turn_id=turn.turn_id,
        feedback=feedback,
        finished_at=finished_at,
    )
