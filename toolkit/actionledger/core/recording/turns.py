"""Events of turns: the response, its parse attempts, permissions of calls, the end of the turn, and notes such as a response that is too large."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from actionledger.core.canonical import JsonDict, json_text
from actionledger.core.errors import EventTooLargeError
from actionledger.core.events import (
    ActionRecord,
    Event,
    ResponseParsed,
    ResponseReceived,
    SystemNoted,
    TurnFinished,
    TurnResumed,
    TurnSuperseded,
)
from actionledger.core.ids import derived_id, new_id, now
from actionledger.core.privacy import mask_text
from actionledger.core.recording.sessions import RunKey, SessionKey, TurnKey, head
from actionledger.core.values import ParseResult
from actionledger.core.vocabulary import (
    BILLED_BESIDE,
    COMPACTED,
    PERMISSION,
    SENTENCES,
    BlockStatus,
    Capture,
    Reason,
)

Recorder = Callable[[Event], None]
"""Records an event, such as a ledger's ``record`` or a list's ``append``."""


RESPONSE_CHARACTERS = 8 * 2**20
"""The longest response that is recorded and parsed, in characters; of any characters, its event fits into a ledger."""


KEPT_CHARACTERS = 2**20
"""The number of characters that are kept of a prompt, reasoning or feedback if its event is too large."""


def record_fitting(record: Recorder, event: ResponseReceived | TurnFinished | TurnResumed) -> None:
    """Record an event; if it is too large, cut its prompt and reasoning, or its feedback, with a note of the cut."""
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
    # masked first, since half of a secret would not be recognised
    return f"{mask_text(text)[:KEPT_CHARACTERS]} … (cut: {KEPT_CHARACTERS:,} of {len(text):,} characters are kept)"


def response_received(
    turn: TurnKey, run_id: str, text: str, prompt: str | None, **recorded: Any
) -> ResponseReceived:
    """Return the event of a received response."""
    return ResponseReceived(
        event_id=derived_id("response-received", turn.turn_id),
        text=text,
        prompt=prompt,
        **turn.dimensions(run_id),
        **recorded,
    )


def turn_superseded(turn: TurnKey, run_id: str, superseded_by: str) -> TurnSuperseded:
    """Return the event of a turn that another turn of the same response replaces."""
    return TurnSuperseded(
        **head(run_id, "turn-superseded", turn.turn_id),
        session_id=turn.session.session_id,
        turn_id=turn.turn_id,
        superseded_by=superseded_by,
    )


def response_refused(session_id: str, run_id: str, index: int, characters: int) -> SystemNoted:
    """Return the event of a response that is too large to be recorded; only its size is recorded."""
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


def billed_beside(turn: TurnKey, run_id: str, place: int, detail: JsonDict) -> SystemNoted:
    """Return the event of something billed beside a message; the turn's tokens include its tokens."""
    return SystemNoted(
        **head(run_id, BILLED_BESIDE, turn.turn_id, place),
        code=BILLED_BESIDE,
        message=f"Billed beside the message, and among the turn's tokens: {detail['kind']}.",
        session_id=turn.session.session_id,
        turn_id=turn.turn_id,
        detail=detail,
    )


_TRIGGER_CHARACTERS = 80


def context_compacted(turn: TurnKey, run_id: str, said: JsonDict) -> SystemNoted:
    """Return the event of a context that was compacted right before a response."""
    said = said | {"trigger": said["trigger"][:_TRIGGER_CHARACTERS]}  # the source's word may have any length
    trigger = f" ({said['trigger']})" if said["trigger"] else ""
    before, after = said["tokens_before"], said["tokens_after"]
    sizes = (
        ""
        if before is None
        else f": {before:,} tokens" + ("" if after is None else f" before, {after:,} after")
    )
    return SystemNoted(
        **head(run_id, COMPACTED, turn.turn_id),
        code=COMPACTED,
        message=f"Context compacted{trigger}{sizes}.",
        session_id=turn.session.session_id,
        turn_id=turn.turn_id,
        detail={name: value for name, value in said.items() if value not in ("", None)},
    )


def turn_id_of(session: SessionKey, index: int) -> str:
    """Return the id of a session's turn, by its index."""
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


def attempt_id_of(turn: TurnKey, run: RunKey) -> str:
    """Return the id of the parse attempt of a run on a turn; all first readings of a turn have the same id."""
    return _attempt_id(turn.turn_id, "" if run.kind.is_first_reading else run.run_id)


@lru_cache(maxsize=256)  # events of the turn's actions use the same id again
def _attempt_id(turn_id: str, run_id: str) -> str:
    return derived_id("attempt", turn_id, run_id)


@lru_cache(maxsize=1024)
def action_id_of(attempt_id: str, index: int) -> str:
    """Return the id of an attempt's action, by its index."""
    return derived_id("action", attempt_id, index)


def response_parsed(
    result: ParseResult, turn: TurnKey, run: RunKey, duration_us: int, capture: Capture = Capture.TEXT
) -> ResponseParsed:
    """Return the event of a parse attempt."""
    attempt_id = attempt_id_of(turn, run)
    return ResponseParsed(
        event_id=derived_id("response-parsed", attempt_id),
        attempt_id=attempt_id,
        run_kind=run.kind,
        parser_id=result.parser_id,
        parser_name=result.parser_name,
        catalogue=result.catalogue,
        dialect=_main_dialect(result),
        outcome=result.outcome,
        reason=main_reason(result),
        duration_us=duration_us,
        capture=capture,
        blocks=result.blocks,
        actions=tuple(_action_records(result, attempt_id)),
        issues=result.issues,
        **turn.dimensions(run.run_id),
    )


def _action_records(result: ParseResult, attempt_id: str) -> list[ActionRecord]:
    return [
        ActionRecord(
            action_id=action_id_of(attempt_id, index),
            index=index,
            block=call.block,
            dialect=call.dialect,
            name=call.name,
            status=call.status,
            reason=call.reason,
            span=call.span,
            arguments=json_text(call.arguments),
            errors=call.errors,
            call_id=call.call_id,
            conversions=call.conversions,
            evidence=call.evidence,
        )
        for index, call in enumerate(result.actions)
    ]


def _main_dialect(result: ParseResult) -> str:
    """Return the dialect of most blocks that are not ignored; if several dialects have as many, the first one."""
    meant = [block.dialect for block in result.blocks if block.status is not BlockStatus.IGNORED]
    if len(set(meant)) > 1:
        return Counter(meant).most_common(1)[0][0]
    return meant[0] if meant else ""


def main_reason(result: ParseResult) -> Reason | None:
    """Return why something could not be parsed; None if everything could be."""
    if not result.outcome.has_intent or result.outcome.is_success:
        return None
    lost = [block.reason for block in result.blocks if block.reason and block.status is BlockStatus.MALFORMED]
    return lost[0] if lost else (result.issues[0].code if result.issues else None)


_WORDS = {
    "person": "by a person",
    "hook": "by a hook",
    "rule": "by a rule",
    "mode": "by the agent's mode",
    "nobody": "since nobody could be asked",
    "": "its recording doesn't say by whom",
}


def permission_noted(turn: TurnKey, run_id: str, execution_id: str, name: str, said: JsonDict) -> SystemNoted:
    """Return the event of a decision on a call; the view ``permissions`` has it in columns."""
    what = f"{said['decision']}, {_WORDS[said['decided_by']]}" if said["decision"] else "watched by hooks"
    beside = "; ".join(filter(None, (said["why"], *said["hooks"])))
    return SystemNoted(
        **head(run_id, PERMISSION, execution_id),
        code=PERMISSION,
        message=f"{name}: {what}{f' ({beside})' if beside else ''}.",
        session_id=turn.session.session_id,
        turn_id=turn.turn_id,
        detail={"execution_id": execution_id, **{key: value for key, value in said.items() if value}},
    )
