"""Messages of pi's engine, which openclaw runs as well: badlogic/pi-mono, ``packages/ai/src/types.ts``.

Arguments come parsed; a result is a message of the role ``toolResult``. ``input`` leaves out what a cache gave or took. A message has no
identifier of its own that holds everywhere: copied into another session's file it keeps its time, its words and its calls, and these name it.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from actionledger.core.ids import derived_id
from actionledger.core.values.recordings import Billed, RecordedResult, Usage
from actionledger.core.vocabulary import Capture, LeftOutReason
from actionledger.imports.shapes.base import Message, plain, since_epoch, texts_of, total
from actionledger.imports.sources.access import count_at, exit_status_of, number_at, object_at, text_at
from actionledger.imports.sources.billed import with_billed
from actionledger.imports.sources.usage import with_thoughts

NAME = "pi"
_EXITED = re.compile(r"\nCommand exited with code (\d{1,10})\Z")
KEEPS = Capture.CALLS


def message(value: Mapping[str, Any]) -> Message:
    """Read a message of any role; one of a role that is not known is passed over."""
    role = text_at(value, "role")
    if role == "assistant":
        return _of_model(value)
    found = Message("person" if role == "user" else "tool")
    if role == "user":
        texts_of(found, value.get("content"))
    elif role == "toolResult":
        found.results.append(_result(value))
    else:
        # What a person ran in a shell of their own, and what an extension has put in.
        known = role in {"bashExecution", "custom", "hookMessage", "branchSummary", "compactionSummary"}
        reason = LeftOutReason.INJECTED_CONTEXT if known else LeftOutReason.UNKNOWN_KIND
        found.pass_over(reason, role)
    return found


def usage(value: Mapping[str, Any]) -> Usage:
    """Read what a response took."""
    read, written = count_at(value, "cacheRead"), count_at(value, "cacheWrite")
    shown, thought = (
        total(count_at(value, "input"), read, written),
        count_at(value, "reasoning" if "reasoning" in value else "reasoningTokens"),
    )
    return Usage(
        input_tokens=shown,
        output_tokens=with_thoughts(
            count_at(value, "output"), thought, count_at(value, "totalTokens"), shown
        ),
        cached_tokens=read,
        cache_write_tokens=written,
        reasoning_tokens=thought,
        cost_usd=number_at(object_at(value, "cost"), "total"),
    )


def with_summary(took: Usage, kind: str, summary: Usage) -> Usage:
    """Return what a response took with what it took to sum up the history before it: nobody answers that, and it is billed all the same."""
    counts: dict[str, Any] = {
        name: getattr(summary, name) or 0
        for name in ("input_tokens", "output_tokens", "cached_tokens", "cache_write_tokens")
    }
    with_it = with_billed(took, [Billed(kind=kind, **counts)])
    costs = [each for each in (took.cost_usd, summary.cost_usd) if each is not None]
    return replace(with_it, cost_usd=sum(costs) if took.cost_usd is not None else None)


def _of_model(value: Mapping[str, Any]) -> Message:
    model = text_at(value, "responseModel") or text_at(value, "model")
    found = Message("model", model=model, occurred_at=since_epoch(value.get("timestamp")))
    content = value.get("content")
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, Mapping) and part.get("type") == "toolCall":
            found.call(part.get("id"), part.get("name"), part.get("arguments"))
        elif isinstance(part, Mapping) and part.get("type") == "thinking":
            found.think(None if part.get("redacted") is True else part.get("thinking"), detail="thinking")
        else:
            texts_of(found, part)
    found.usage = replace(usage(object_at(value, "usage")), finish_reason=text_at(value, "stopReason")[:80])
    said = [found.text, *(call.call_id for call in found.calls)]
    found.message_id = derived_id(value.get("timestamp"), text_at(value, "responseId"), *said)
    return found


def _result(value: Mapping[str, Any]) -> RecordedResult:
    details = object_at(value, "details")
    is_error, output = value.get("isError"), plain(value.get("content"))
    exited = _EXITED.search(output[-100:]) if is_error is True and isinstance(output, str) else None
    return RecordedResult(
        text_at(value, "toolCallId"),
        output,
        is_error=is_error if isinstance(is_error, bool) else None,
        exit_status=exit_status_of(int(exited[1]) if exited else details.get("exitCode")),
        duration_ms=number_at(details, "durationMs"),
        finished_at=since_epoch(value.get("timestamp")),
    )
