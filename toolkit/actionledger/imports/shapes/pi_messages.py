"""Messages of pi's engine, which openclaw runs as well: ``packages/ai/src/types.ts`` of badlogic/pi-mono, later earendil-works/pi."""

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
"""What stands before the text of arguments in what was wrong with them."""


_WHOLE = frozenset(
    {"stop", "stop_sequence", "end_turn", "tool_use", "tool_calls", "completed", "length", "max_tokens"}
)
"""What providers call an answer in order: one that has failed behind it has failed otherwise."""


def message(value: JsonMap) -> Message:
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
        # What a person ran in a shell of their own, what an extension has put in, and from 0.99 on the instructions.
        known = role in {
            "bashExecution", "custom", "hookMessage", "branchSummary", "compactionSummary", "system",
        }  # fmt: skip
        found.pass_over(LeftOutReason.INJECTED_CONTEXT, role) if known else found.unknown(role, value)
    return found


def usage(value: JsonMap) -> Usage:
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


class OfferedTools:
    """The tools that a session offers at a moment, as its messages of the role ``system`` declare and remove them.

    Attributes:
        text: all of them, as a turn takes them; empty where none are known.
    """

    def __init__(self) -> None:
        self.text = ""
        self._known: dict[str, JsonDict] = {}

    def take(self, value: JsonMap) -> None:
        """Take what a message adds and removes."""
        if value.get("role") != "system":
            return
        for each in objects_at(value, "toolsRemoved"):
            self._known.pop(text_at(each, "name"), None)
        self._known |= {
            text_at(each["function"], "name"): each for each in offered(objects_at(value, "toolsAdded"))
        }
        self.text = tools_text(list(self._known.values()))

    def begin_anew(self, value: JsonMap) -> None:
        """Take the whole of what is offered behind a summary, where it says so."""
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
    """Return a call's arguments: as their text where that could not be parsed, which it keeps beside an empty object."""
    _, mark, raw = text_at(call, "argumentsError").partition(_RECEIVED)
    return raw if mark else call.get("arguments")


def _ending(value: JsonMap) -> str:
    """Return why a response ended: in its provider's own word, where pi calls a response an error that came whole."""
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
        is_error=True if failed else said,  # a script may look at what failed, and go on
        exit_status=exit_status_of(details.get("exitCode") if exited is None else exited),
        duration_ms=number_at(details, "durationMs") if took is None else took,
        finished_at=since_epoch(value.get("timestamp")),
        within=within,
    )


def _exited(output: object) -> int | None:
    found = _EXITED.search(output[-100:]) if isinstance(output, str) else None
    return int(found[1]) if found else None


def _nested(value: JsonMap) -> Iterator[tuple[RecordedCall, RecordedResult]]:
    """Yield the calls that a tool has made by itself, such as a script; of what came of them, errors alone have words."""
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
