"""A session as a trajectory of ATIF, version 1.4: the Agent Trajectory Interchange Format defined by Harbor.

A prompt is a user step; a response is an agent step with its calls, their results, and its tokens. docs/exports.md lists the
information that the format has no place for.
"""

import json
from collections.abc import Iterator
from contextlib import suppress

from actionledger._version import __version__
from actionledger.core.canonical import JsonDict
from actionledger.core.vocabulary import ActionStatus
from actionledger.ledger.queries import Execution, Response, TurnDetail
from actionledger.report.exports.parts import Track, call_id, ending_of, noted_of, parts_of

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
