"""Shared parts of exports: a session with its turns, a response as message parts, and usage; and a session as a trajectory of ATIF.

ATIF is Harbor's Agent Trajectory Interchange Format, here version 1.4. A prompt is a user step; a response is an agent step with its calls, their
results, and its tokens. docs/exports.md lists the information that the format has no place for.
"""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

from actionledger._version import __version__
from actionledger.core.canonical import JsonDict
from actionledger.core.errors import UsageError
from actionledger.core.vocabulary import BILLED_BESIDE, BY_PRICES, COMPACTED, ActionStatus, Capture
from actionledger.ledger import Ledger, queries
from actionledger.ledger.queries import Execution, Response, Session, TurnDetail

_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class Track:
    """One session to export."""

    session: Session
    indexes: tuple[int, ...]  # the indexes of its turns, in order
    run_id: str | None  # the run whose parses to export; None for the first parses
    ledger: Ledger  # the ledger with the session

    def turns(self) -> Iterator[TurnDetail]:
        """Yield each turn in full, loading only one at a time."""
        for place in range(0, len(self.indexes), _AT_ONCE):
            held = self.indexes[place : place + _AT_ONCE]
            yield from queries.turn_details(
                self.ledger, self.session.session_id, (held[0], held[-1]), self.run_id
            )


def track(ledger: Ledger, session_id: str, run_id: str | None = None) -> Track:
    """Return a session to export."""
    session = queries.session(ledger, session_id)
    if session is None:
        raise UsageError(
            f"There is no session {session_id!r} in this ledger; 'actionledger show' lists them."
        )
    indexes = tuple(row.index for row in queries.turns(ledger, session.session_id, run_id))
    return Track(session, indexes, run_id, ledger)


def spent(response: Response) -> Iterator[str]:
    """Yield a response's time, usage and finish reason, as far as recorded."""
    if response.occurred_at is not None:
        yield f"{response.occurred_at:%Y-%m-%d %H:%M:%S} UTC"
    if response.input_tokens is not None:
        cache = ((response.cached_tokens, "from a cache"), (response.cache_write_tokens, "written to one"))
        yield f"{response.input_tokens:,} tokens in" + _of_them(*cache)
    if response.output_tokens is not None:
        yield f"{response.output_tokens:,} tokens out" + _of_them((response.reasoning_tokens, "reasoning"))
    elif response.input_tokens is not None:
        yield "tokens out not recorded"
    if response.cost_usd is not None:
        shown = f"${response.cost_usd:,.2f}" if response.cost_usd >= 1 else f"${response.cost_usd:,.4f}"
        yield shown + BY_PRICES.get(response.cost_origin, "")
    if response.latency_ms is not None:
        yield f"answered in {response.latency_ms / 1000:,.1f} s"
    if response.time_to_first_token_ms is not None:
        yield f"first token after {response.time_to_first_token_ms / 1000:,.2f} s"
    if response.finish_reason:
        yield f"finish reason {response.finish_reason}"


def _of_them(*parts: tuple[int | None, str]) -> str:
    told = ", ".join(f"{count:,} {what}" for count, what in parts if count)
    return f" ({told})" if told else ""


class Call(NamedTuple):
    """A tool call next to a text."""

    call_id: str  # its identifier
    name: str  # the tool's name
    arguments: Any  # the model's own string if it was kept and is a JSON object; else the parsed arguments


def parts_of(detail: TurnDetail) -> Iterator[str | Call]:
    """Yield a response's texts and calls in order; only the text if its calls are part of the text."""
    response = detail.response
    if response.capture is Capture.TEXT:
        yield response.text
        return
    spans = {block.index: block.span for block in detail.blocks}
    taken = 0
    for action in detail.actions:
        if action.status is ActionStatus.ILLUSTRATION or action.block not in spans:
            continue
        start, end = spans[action.block]
        if response.text[taken:start]:
            yield response.text[taken:start]
        taken = max(taken, end)
        yield Call(
            call_id(detail, action.index), action.name, _written(response, start, end, action.arguments)
        )
    if response.text[taken:]:
        yield response.text[taken:]


def ending_of(session: Session) -> dict[str, Any]:
    """Return a session's outcome according to its source: success, reason, scores and labels."""
    known = {
        "success": session.success,
        "end_reason": session.reason or None,
        "scores": json.loads(session.scores or "{}") or None,
        "labels": json.loads(session.labels or "[]") or None,
    }
    return {name: value for name, value in known.items() if value is not None}


def noted_of(detail: TurnDetail) -> dict[str, Any]:
    """Return the values that a turn's import noted next to its response, by the names of ``RecordedTurn``; empty without texts."""
    said = [(each.code, json.loads(each.detail or "{}")) for each in detail.notes]
    billed = [known for code, known in said if code == BILLED_BESIDE and known]
    compacted = next((known for code, known in said if code == COMPACTED), None)
    return {"billed": billed or None, "compaction": compacted}


def call_id(detail: TurnDetail, index: int) -> str:
    """Return a call's id: the recorded one if known, else one made of turn and place."""
    named = (each.call_id for each in detail.executions if each.action_index == index and each.call_id)
    return next(named, f"call-{detail.response.index}-{index}")


def _written(response: Response, start: int, end: int, arguments: str) -> Any:
    written = response.text[start:end]
    if response.capture is Capture.ARGUMENTS and _is_object(written):
        return written
    return json.loads(arguments)


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


SCHEMA = "ATIF-v1.4"


def trajectory(track: Track) -> JsonDict:
    """Return a session as the JSON value of a trajectory."""
    session = track.session
    steps = [
        {"step_id": number} | step
        for number, step in enumerate((step for detail in track.turns() for step in _steps(detail)), 1)
    ]
    return {
        "schema_version": SCHEMA,
        "session_id": session.external_id or session.session_id,
        "agent": {"name": session.source, "version": __version__, "model_name": session.model},
        "steps": steps,
        "final_metrics": _totals(steps),
        "extra": {
            "actionledger_session_id": session.session_id,
            "profile": session.profile,
            "task": session.task,
            **ending_of(session),
        },
    }


def _steps(detail: TurnDetail) -> Iterator[JsonDict]:
    response = detail.response
    if response.prompt is not None:
        yield {"source": "user", "message": response.prompt}
    said = "".join(part for part in parts_of(detail) if isinstance(part, str))
    step: JsonDict = {"source": "agent", "message": said}
    if response.model:
        step["model_name"] = response.model
    if response.reasoning is not None:
        step["reasoning_content"] = response.reasoning
    if response.occurred_at is not None:
        step["timestamp"] = f"{response.occurred_at.isoformat()}Z"
    calls = [action for action in detail.actions if action.status is not ActionStatus.ILLUSTRATION]
    if calls:
        step["tool_calls"] = [
            {
                "tool_call_id": call_id(detail, action.index),
                "function_name": action.name,
                "arguments": _object(action.arguments),
            }
            for action in calls
        ]
    if results := [_result(detail, execution) for execution in detail.executions]:
        step["observation"] = {"results": results}
    if metrics := _metrics(response):
        step["metrics"] = metrics
    step["extra"] = {
        "outcome": str(detail.attempt.outcome) if detail.attempt else None,
        "capture": str(response.capture),
        **_known(
            finish_reason=response.finish_reason,
            latency_ms=response.latency_ms,
            time_to_first_token_ms=response.time_to_first_token_ms,
            cost_origin=response.cost_origin and str(response.cost_origin),
            **noted_of(detail),
        ),
    }
    yield step


def _result(detail: TurnDetail, execution: Execution) -> JsonDict:
    content = execution.message if execution.result in {"", "null"} else _text(execution.result)
    told = {
        "status": str(execution.status),
        "reason": str(execution.reason) if execution.reason else None,
        "exit_status": execution.exit_status,
        "duration_ms": execution.duration_ms,
        "origin": str(execution.origin),
        "is_inferred": execution.is_inferred or None,
    }
    extra = {name: value for name, value in told.items() if value is not None}
    return {"source_call_id": call_id(detail, execution.action_index), "content": content, "extra": extra}


def _metrics(response: Response) -> JsonDict:
    known = _known(
        prompt_tokens=response.input_tokens,
        completion_tokens=response.output_tokens,
        cached_tokens=response.cached_tokens,
        cost_usd=response.cost_usd,
    )
    more = _known(reasoning_tokens=response.reasoning_tokens, cache_write_tokens=response.cache_write_tokens)
    return known | ({"extra": more} if more else {})


def _known(**values: object) -> JsonDict:
    return {name: value for name, value in values.items() if value is not None}


def _totals(steps: list[JsonDict]) -> JsonDict:
    metrics = [step["metrics"] for step in steps if "metrics" in step]
    names = {
        "total_prompt_tokens": "prompt_tokens",
        "total_completion_tokens": "completion_tokens",
        "total_cached_tokens": "cached_tokens",
        "total_cost_usd": "cost_usd",
    }
    known = {
        total: sum(each[name] for each in metrics if name in each)
        for total, name in names.items()
        if any(name in each for each in metrics)
    }
    return known | {"total_steps": len(steps)}


def _object(text: str) -> object:
    value = json.loads(text)
    return value if isinstance(value, dict) else {"value": value}


def _text(result: str) -> str:
    with suppress(ValueError):
        value = json.loads(result)
        if isinstance(value, str):
            return value
    return result
