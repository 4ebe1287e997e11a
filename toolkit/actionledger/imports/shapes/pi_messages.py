"""Messages of pi's engine, which openclaw uses too: ``packages/ai/src/types.ts`` of badlogic/pi-mono, later earendil-works/pi."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.ids import derived_id
from actionledger.core.patterns import regex
from actionledger.core.recordings import RecordedCall, RecordedResult, Usage
from actionledger.core.vocabulary import ExecutionStatus, LeftOutReason
from actionledger.imports.shapes.base import Message, plain, since_epoch, texts_of, tools_text, total
from actionledger.imports.shapes.observations import offered
from actionledger.imports.sources.access import (
    as_list,
    count_at,
    exit_status_of,
    number_at,
    object_at,
    objects_at,
    text_at,
)
from actionledger.imports.sources.usage import with_thoughts

_EXITED = regex(r"\nCommand exited with code (\d{1,10})\Z")
_RECEIVED = "\n\nReceived arguments:\n"
"""The words before the text of arguments in their error message."""


_WHOLE = frozenset(
    {"stop", "stop_sequence", "end_turn", "tool_use", "tool_calls", "completed", "length", "max_tokens"}
)
"""Providers' finish reasons of a complete answer: if it failed, it failed for another reason."""


def message(value: JsonMap) -> Message:
    """Read a message of any role; one of an unknown role is skipped."""
    role = text_at(value, "role")
    if role == "assistant":
        return _of_model(value)
    found = Message("person" if role == "user" else "tool")
    if role == "user":
        texts_of(found, value.get("content"))
    elif role == "toolResult":
        found.results.append(_result(value))
    else:
        # A person's shell command, an extension's message, and from 0.99 on the instructions.
        known = role in {
            "bashExecution", "custom", "hookMessage", "branchSummary", "compactionSummary", "system",
        }  # fmt: skip
        found.pass_over(LeftOutReason.INJECTED_CONTEXT, role) if known else found.unknown(role, value)
    return found


def usage(value: JsonMap) -> Usage:
    """Read a response's usage."""
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


class OfferedTools:
    """The tools that a session offers at a time, declared and removed by its ``system`` messages."""

    def __init__(self) -> None:
        self.text = ""
        self._known: dict[str, JsonDict] = {}

    def take(self, value: JsonMap) -> None:
        """Apply a message's additions and removals."""
        if value.get("role") != "system":
            return
        for each in objects_at(value, "toolsRemoved"):
            self._known.pop(text_at(each, "name"), None)
        self._known |= {
            text_at(each["function"], "name"): each for each in offered(objects_at(value, "toolsAdded"))
        }
        self.text = tools_text(list(self._known.values()))

    def begin_anew(self, value: JsonMap) -> None:
        """Replace all tools by those after a summary, if it lists them."""
        if value:
            self._known.clear()
            self.take(value)


def _of_model(value: JsonMap) -> Message:
    model = text_at(value, "responseModel") or text_at(value, "model")
    found = Message("model", model=model, occurred_at=since_epoch(value.get("timestamp")))
    for part in as_list(value.get("content")):
        if isinstance(part, Mapping) and part.get("type") == "toolCall":
            found.call(part.get("id"), part.get("name"), _arguments(part))
        elif isinstance(part, Mapping) and part.get("type") == "thinking":
            found.think(None if part.get("redacted") is True else part.get("thinking"), detail="thinking")
        else:
            texts_of(found, part)
    found.usage = replace(
        usage(object_at(value, "usage")),
        finish_reason=_ending(value)[:80],
        latency_ms=number_at(value, "durationMs"),
    )
    said = [found.text, *(call.call_id for call in found.calls)]
    found.message_id = derived_id(value.get("timestamp"), text_at(value, "responseId"), *said)
    return found


def _arguments(call: JsonMap) -> object:
    """Return a call's arguments; if they could not be parsed, their text, which is kept next to an empty object."""
    _, mark, raw = text_at(call, "argumentsError").partition(_RECEIVED)
    return raw if mark else call.get("arguments")


def _ending(value: JsonMap) -> str:
    """Return the finish reason; the provider's own word if pi calls a complete response an error."""
    said, raw = text_at(value, "stopReason"), text_at(value, "rawStopReason")
    return raw if said == "error" and raw and raw.lower() not in _WHOLE else said


def _result(value: JsonMap) -> RecordedResult:
    details, output = object_at(value, "details"), plain(value.get("content"))
    is_error, took = value.get("isError"), number_at(value, "durationMs")
    within = tuple(_nested(object_at(value, "nestedCalls")))
    failed = [inner for _, inner in within if inner.is_error]
    said = is_error if isinstance(is_error, bool) else None
    exited = _exited(output) if is_error is True else failed[0].exit_status if failed else None
    return RecordedResult(
        text_at(value, "toolCallId"),
        output,
        is_error=True if failed else said,  # a script may handle a failed call and go on
        exit_status=exit_status_of(details.get("exitCode") if exited is None else exited),
        duration_ms=number_at(details, "durationMs") if took is None else took,
        finished_at=since_epoch(value.get("timestamp")),
        within=within,
    )


def _exited(output: object) -> int | None:
    found = _EXITED.search(output[-100:]) if isinstance(output, str) else None
    return int(found[1]) if found else None


def _nested(value: JsonMap) -> Iterator[tuple[RecordedCall, RecordedResult]]:
    """Yield the calls that a tool, such as a script, has made itself; only errors have words in their results."""
    for each in objects_at(value, "calls"):
        call_id, status, said = text_at(each, "id"), text_at(each, "status"), text_at(each, "error")
        yield (
            RecordedCall(call_id, text_at(each, "name"), object_at(each, "arguments")),
            RecordedResult(
                call_id,
                said or None,
                is_error={"ok": False, "error": True}.get(status),
                status=ExecutionStatus.INTERRUPTED if status == "unfinished" else None,
                exit_status=exit_status_of(_exited(said)),
                duration_ms=number_at(each, "durationMs"),
            ),
        )
