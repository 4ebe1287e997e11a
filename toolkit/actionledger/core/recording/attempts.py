"""From a reading to the event of its parse attempt: ids, the actions as they are recorded, what stands for the whole."""

from collections import Counter
from functools import lru_cache

from actionledger.core.canonical import json_text
from actionledger.core.events import ActionRecord, ResponseParsed
from actionledger.core.ids import derived_id
from actionledger.core.recording.keys import RunKey, TurnKey
from actionledger.core.values import ParseResult
from actionledger.core.vocabulary import BlockStatus, Capture, Reason


def attempt_id_of(turn: TurnKey, run: RunKey) -> str:
    """Return the id of the parse attempt that a run makes on a turn: a turn is read for the first time only once."""
    return _attempt_id(turn.turn_id, "" if run.kind.is_first_reading else run.run_id)


@lru_cache(maxsize=256)  # whoever records what came of a turn's actions asks for the same again
def _attempt_id(turn_id: str, run_id: str) -> str:
    return derived_id("attempt", turn_id, run_id)


@lru_cache(maxsize=1024)
def action_id_of(attempt_id: str, index: int) -> str:
    """Return the id of an attempt's action, by its place among the attempt's actions."""
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
    """The dialect of most blocks that were meant; of the first of them where several have as many."""
    meant = [block.dialect for block in result.blocks if block.status is not BlockStatus.IGNORED]
    if len(set(meant)) > 1:
        return Counter(meant).most_common(1)[0][0]
    return meant[0] if meant else ""


def main_reason(result: ParseResult) -> Reason | None:
    """Why something could not be read; None where all of it could."""
    if not result.outcome.has_intent or result.outcome.is_success:
        return None
    lost = [block.reason for block in result.blocks if block.reason and block.status is BlockStatus.MALFORMED]
    return lost[0] if lost else (result.issues[0].code if result.issues else None)
