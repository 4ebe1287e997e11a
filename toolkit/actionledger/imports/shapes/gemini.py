"""Gemini's ``generateContent``: https://ai.google.dev/api/generate-content.

Arguments come parsed, and seldom with an identifier: a result then belongs to the first call of its name without a result, as its position implies.
The interface writes keys as ``functionCall``, Python clients as ``function_call``. Reasoning is in parts with ``thought``; its tokens are not among
the candidates'.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.patterns import regex
from actionledger.core.recordings import RecordedResult, Usage
from actionledger.core.vocabulary import Capture, ExecutionStatus, LeftOutReason, Reason
from actionledger.imports.shapes.base import (
    Message,
    Request,
    Response,
    error_kind,
    read_parts,
    tools_text,
    total,
    with_usage,
)
from actionledger.imports.sources.access import (
    as_list,
    count_at,
    exit_status_of,
    object_at,
    objects_at,
    text_at,
    time_at,
)

NAME = "gemini"
KEEPS = Capture.CALLS

_NO_TEXT = ("inlineData", "inline_data", "fileData", "file_data")
_RAN_THERE = (
    "executableCode",
    "executable_code",
    "codeExecutionResult",
    "code_execution_result",
    "toolCall",
    "toolResponse",
)


def message(value: JsonMap) -> Message:
    """Read a content of any role; a person's content holds results of calls."""
    role = text_at(value, "role")
    found = Message("model" if role == "model" else "system" if role == "system" else "person")
    read_parts(found, value.get("parts"), _read_part)
    return found


def usage(value: JsonMap) -> Usage:
    """Read a response's usage."""

    def count(camel: str, snake: str) -> int | None:
        return count_at(value, camel if camel in value else snake)

    thought = count("thoughtsTokenCount", "thoughts_token_count")
    return Usage(
        input_tokens=total(
            count("promptTokenCount", "prompt_token_count"),
            count("toolUsePromptTokenCount", "tool_use_prompt_token_count"),
        ),
        output_tokens=total(count("candidatesTokenCount", "candidates_token_count"), thought),
        cached_tokens=count("cachedContentTokenCount", "cached_content_token_count"),
        reasoning_tokens=thought,
    )


def is_request(body: JsonMap) -> bool:
    """Return whether a body is a request of this interface."""
    return any("parts" in each for each in objects_at(body, "contents"))


def request(body: JsonMap) -> Request:
    """Read a request; the model's name is in the address."""
    told = object_at(body, "systemInstruction") or object_at(body, "system_instruction")
    history = [message(each) for each in objects_at(body, "contents")]
    if told:
        history.insert(0, message({**told, "role": "system"}))
    return Request(tuple(history), tools_text(body.get("tools")), text_at(body, "model"))


def is_response(body: JsonMap) -> bool:
    """Return whether a body is a response of this interface."""
    return isinstance(body.get("candidates"), list) or "promptFeedback" in body


def response(body: JsonMap) -> Response:
    """Read a response; several candidates are several messages, the first with the usage of all."""
    choices = []
    for each in objects_at(body, "candidates"):
        found = message({**object_at(each, "content"), "role": "model"})
        why = text_at(each, "finishReason") or text_at(each, "finish_reason")
        found.usage = Usage(finish_reason=why[:80])
        choices.append(found)
    took = object_at(body, "usageMetadata") or object_at(body, "usage_metadata")
    done = with_usage(
        choices,
        usage(took),
        message_id=text_at(body, "responseId") or text_at(body, "response_id"),
        model=text_at(body, "modelVersion") or text_at(body, "model_version"),
        occurred_at=time_at(body, "createTime"),
    )
    refused = text_at(object_at(body, "promptFeedback"), "blockReason")
    return Response(done, error_kind(body.get("error")) or refused)


def _read_part(part: JsonMap, found: Message) -> None:
    call = object_at(part, "functionCall") or object_at(part, "function_call")
    came = object_at(part, "functionResponse") or object_at(part, "function_response")
    if call:
        found.call(call.get("id"), call.get("name"), call.get("args"))
    elif came:
        output = came.get("response")
        is_error = True if isinstance(output, Mapping) and output.get("error") else None
        found.result(came.get("id"), output, is_error=is_error)
    elif isinstance(part.get("text"), str):
        found.think(part["text"], detail="thought") if part.get("thought") is True else found.say(
            part["text"]
        )
    elif any(key in part for key in _RAN_THERE):
        found.pass_over(LeftOutReason.RUN_BY_PROVIDER, next(key for key in _RAN_THERE if key in part))
    elif any(key in part for key in _NO_TEXT):
        found.pass_over(LeftOutReason.NO_TEXT)
    elif "thoughtSignature" in part or "thought_signature" in part:
        found.pass_over(LeftOutReason.ENCRYPTED)
    elif part:
        found.unknown(next(iter(part)), object_at(part, next(iter(part))))


# The chunks of a Gemini response: each is a response with further parts.
_KEPT = ("responseId", "modelVersion", "usageMetadata", "promptFeedback", "createTime")


def body(events: Sequence[JsonMap]) -> JsonDict:
    """Return the body that the chunks add up to, with each candidate."""
    whole: JsonDict = {}
    candidates: dict[int, JsonDict] = {}
    for event in events:
        whole.update({key: event[key] for key in _KEPT if event.get(key)})
        for candidate in objects_at(event, "candidates"):
            index = candidate.get("index")
            there = candidates.setdefault(index if isinstance(index, int) else 0, {"parts": []})
            there["parts"] += objects_at(object_at(candidate, "content"), "parts")
            there["finishReason"] = candidate.get("finishReason") or there.get("finishReason")
    return whole | {"candidates": [_candidate(candidates[key]) for key in sorted(candidates)]}


def _candidate(there: JsonMap) -> JsonDict:
    content = {"role": "model", "parts": there["parts"]}
    return {"content": content, "finishReason": there["finishReason"]}


_ENDED = regex(r"^(?:Exit Code|Process exited with code): *(-?\d{1,10})\b", re.MULTILINE)
_SIGNAL = regex(r"^Signal: *(?!0$|\(none\))\w{1,20}$", re.MULTILINE)
_SHELLS = frozenset({"run_shell_command", "shell"})

_NOT_RUN = (
    (regex(r"Command injection detected: "), Reason.COMMAND_REFUSED),
    (regex(r"Command was automatically cancelled because it exceeded the timeout"), Reason.TIMEOUT),
    (regex(r"Command was cancelled by user before it could complete"), Reason.STOPPED),
)
"""The beginning of a shell's result that is marked as a success but is none."""


def results_of(calls: list[JsonMap]) -> Iterator[RecordedResult]:
    """Yield what came of calls."""
    for call in calls:
        output, status = _output(call.get("result"), text_at(call, "id")), text_at(call, "status")
        if output is None and status not in {"success", "error", "cancelled"}:
            continue
        is_shell = isinstance(output, str) and text_at(call, "name") in _SHELLS
        found = RecordedResult(
            text_at(call, "id"),
            output,
            is_error=None if status == "cancelled" else status == "error",
            status=ExecutionStatus.DENIED if status == "cancelled" else None,
            reason=Reason.REJECTED if status == "cancelled" else None,
            finished_at=time_at(call, "timestamp"),
        )
        yield replace(found, **_of_shell(str(output), is_success=status == "success")) if is_shell else found


def _of_shell(output: str, *, is_success: bool) -> JsonDict:
    """Return the end of a shell command from the result's words: its status is always success."""
    exits = _ENDED.findall(output)  # the client's words come after the program's output
    if exits:
        return {"exit_status": exit_status_of(int(exits[-1]))}
    if is_success and _SIGNAL.search(output):
        return {"is_error": True, "reason": Reason.COMMAND_FAILED}
    told = next((reason for words, reason in _NOT_RUN if is_success and words.match(output)), None)
    return {} if told is None else {"is_error": True, "reason": told, "is_inferred": True}


def _output(result: object, name: str) -> object:
    """Return the output as the model received it: the text of the response, or other content."""
    parts = as_list(result)
    given = [object_at(part, "functionResponse") for part in parts if isinstance(part, dict)]
    # A rewritten history has the results of all calls of a message at each call.
    came = [object_at(each, "response") for each in given if text_at(each, "id") == name] or [
        object_at(each, "response") for each in given
    ]
    first = next((each for each in came if each), None)
    if first is None:
        return result if isinstance(result, str) else None
    return next((first[key] for key in ("output", "error") if isinstance(first.get(key), str)), dict(first))
