"""Sessions as OpenTelemetry spans in OTLP's JSON: one trace per session, one span per response and per attempt at a call.

Names and attributes follow the semantic conventions for generative AI; others begin with ``actionledger.``. docs/exports.md lists
the information that is lost.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import TypeAlias
from uuid import UUID

from actionledger._version import __version__
from actionledger.core.canonical import JsonDict, json_text
from actionledger.core.ids import derived_id
from actionledger.core.vocabulary import ExecutionStatus, Reason
from actionledger.ledger.queries import Execution, TurnDetail
from actionledger.report.exports.parts import Call, Track, call_id, ending_of, noted_of, parts_of

Span: TypeAlias = JsonDict

_UNDATED = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH = _UNDATED
_CLIENT, _INTERNAL = 3, 1
_OK, _ERROR = 1, 2


def traces(tracks: list[Track]) -> JsonDict:
    """Return sessions as the JSON value of an OTLP request."""
    return {
        "resourceSpans": [
            {
                "resource": {
                    "attributes": _attributes({"service.name": track.session.source or "actionledger"})
                },
                "scopeSpans": [
                    {"scope": {"name": "actionledger", "version": __version__}, "spans": _spans(track)}
                ],
            }
            for track in tracks
        ]
    }


def _spans(track: Track) -> list[Span]:
    session = track.session
    trace, root = UUID(session.session_id).hex, _span_id("session", session.session_id)
    begun = session.started_at or _UNDATED.replace(tzinfo=None)
    turns, at = [], begun
    for detail in track.turns():
        # A turn without a time gets the previous turn's, since readers order spans by time.
        at = detail.response.occurred_at or at
        turns += _of_turn(detail, track, at, trace, root)
    ends = [int(_nanoseconds(begun)), *(int(span["endTimeUnixNano"]) for span in turns)]
    ending = ending_of(session)
    scores = ending.pop("scores", {})
    known = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.conversation.id": _conversation(track),
        "gen_ai.request.model": session.model,
        "actionledger.session_id": session.session_id,
        "actionledger.parent_session_id": session.parent_session_id,
        "actionledger.relation": session.relation,
        "actionledger.task": session.task or None,
        **{f"actionledger.{name}": value for name, value in ending.items()},
    }
    whole = _span(trace, root, "", f"invoke_agent {session.source}".strip(), kind=_INTERNAL, known=known)
    whole |= {
        "startTimeUnixNano": _nanoseconds(begun),
        "endTimeUnixNano": str(max(ends)),
        "events": [_evaluated(name, score, max(ends)) for name, score in scores.items()],
    }
    return [whole, *turns]


def _evaluated(name: str, score: float, at: int) -> JsonDict:
    known = {"gen_ai.evaluation.name": name, "gen_ai.evaluation.score.value": score}
    return {
        "name": "gen_ai.evaluation.result",
        "timeUnixNano": str(at),
        "attributes": _attributes(known),
    }


def _conversation(track: Track) -> str:
    """Return the session's id for every span: if spans are sent as they end, the session's own is the last."""
    return track.session.external_id or track.session.session_id


def _of_turn(detail: TurnDetail, track: Track, at: datetime, trace: str, root: str) -> list[Span]:
    response = detail.response
    own = _span_id("turn", response.turn_id)
    known = {
        "gen_ai.operation.name": "chat",
        "gen_ai.conversation.id": _conversation(track),
        "gen_ai.request.model": response.model,
        "gen_ai.response.finish_reasons": [response.finish_reason] if response.finish_reason else None,
        "gen_ai.usage.input_tokens": response.input_tokens,
        "gen_ai.usage.output_tokens": response.output_tokens,
        "gen_ai.usage.cache_read.input_tokens": response.cached_tokens,
        "gen_ai.usage.cache_creation.input_tokens": response.cache_write_tokens,
        "gen_ai.usage.reasoning.output_tokens": response.reasoning_tokens,
        "gen_ai.input.messages": None if response.prompt is None else _message("user", [response.prompt]),
        "gen_ai.output.messages": _message("assistant", parts_of(detail), response.reasoning),
        "actionledger.turn_index": response.index,
        "actionledger.capture": response.capture,
        "actionledger.outcome": detail.attempt.outcome if detail.attempt else None,
        "actionledger.cost_usd": response.cost_usd,
        "actionledger.cost_origin": response.cost_origin,
        "actionledger.latency_ms": response.latency_ms,
        "actionledger.time_to_first_token_ms": response.time_to_first_token_ms,
        "actionledger.is_dated": response.occurred_at is not None,
        **{
            f"actionledger.{name}": None if value is None else json_text(value)
            for name, value in noted_of(detail).items()
        },
    }
    took = timedelta(milliseconds=response.latency_ms or 0)
    span = _span(trace, own, root, f"chat {response.model}".strip(), kind=_CLIENT, known=known)
    span |= {"startTimeUnixNano": _nanoseconds(at - took), "endTimeUnixNano": _nanoseconds(at)}
    return [span, *(_of_call(each, detail, at, trace, own) for each in detail.executions)]


def _of_call(execution: Execution, detail: TurnDetail, at: datetime, trace: str, parent: str) -> Span:
    arguments = next(
        (each.arguments for each in detail.actions if each.index == execution.action_index), None
    )
    identity = (execution.attempt_id, execution.action_index, execution.try_number, execution.origin)
    known = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": execution.name,
        "gen_ai.tool.call.id": call_id(detail, execution.action_index),
        "gen_ai.tool.call.arguments": arguments,
        "gen_ai.tool.call.result": execution.result or None,
        "error.type": None if execution.reason is Reason.NO_RESULT else execution.reason,
        "actionledger.status": execution.status,
        "actionledger.reason": execution.reason,
        "actionledger.duration_ms": execution.duration_ms,
        "actionledger.origin": execution.origin,
        "actionledger.exit_status": execution.exit_status,
        "actionledger.is_inferred": execution.is_inferred or None,
    }
    span = _span(
        trace,
        _span_id("call", *map(str, identity)),
        parent,
        f"execute_tool {execution.name}",
        kind=_INTERNAL,
        known=known,
    )
    begun = execution.started_at or at
    took = timedelta(milliseconds=execution.duration_ms or 0)
    failed = execution.status not in {
        ExecutionStatus.SUCCEEDED,
        ExecutionStatus.DRY_RUN,
        ExecutionStatus.PENDING,
    }
    return span | {
        "startTimeUnixNano": _nanoseconds(begun),
        "endTimeUnixNano": _nanoseconds(begun + took),
        "status": {"code": _ERROR, "message": execution.message[:200]} if failed else {"code": _OK},
    }


def _span(trace: str, own: str, parent: str, name: str, *, kind: int, known: Mapping[str, object]) -> Span:
    return {
        "traceId": trace,
        "spanId": own,
        **({"parentSpanId": parent} if parent else {}),
        "name": name,
        "kind": kind,
        "attributes": _attributes(known),
    }


def _attributes(known: Mapping[str, object]) -> list[JsonDict]:
    return [{"key": key, "value": _value(value)} for key, value in known.items() if value is not None]


def _value(value: object) -> dict[str, object]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [_value(each) for each in value]}}
    return {"stringValue": str(value)}


def _message(role: str, parts: Iterable[str | Call], reasoning: str | None = None) -> str:
    thought = [] if reasoning is None else [{"type": "reasoning", "content": reasoning}]
    return json_text([{"role": role, "parts": [*thought, *map(_part, parts)]}])


def _part(part: str | Call) -> JsonDict:
    if isinstance(part, str):
        return {"type": "text", "content": part}
    return {"type": "tool_call", "id": part.call_id, "name": part.name, "arguments": part.arguments}


def _nanoseconds(at: datetime) -> str:
    return str((at.replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1) * 1000)


def _span_id(*identity: str) -> str:
    return UUID(derived_id("span", *identity)).hex[:16]
