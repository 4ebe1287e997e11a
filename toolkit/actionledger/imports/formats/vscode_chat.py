"""VS Code's chats with Copilot: ``workspaceStorage/ID/chatSessions/SESSION.jsonl`` (``.json`` until about February 2026), and exports of a chat.

Defined by microsoft/vscode, ``chatModel.ts`` and ``objectMutationLog.ts``, and by microsoft/vscode-copilot-chat, ``toolCallRound.ts``; read, not run. A
document has a request for each prompt. A round of a request is one response of the model, with its calls as the model wrote them. The lines of a log
change one document: the first one holds it whole, later ones set, append or delete a part of it.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.errors import SourceError
from actionledger.core.recordings import RecordedSession, SessionDetails, Usage
from actionledger.core.vocabulary import Capture, ExecutionStatus, LeftOutReason, Reason, TitleOrigin
from actionledger.imports.shapes.base import Message, left_out, since_epoch
from actionledger.imports.shapes.conversation import MessageTurns
from actionledger.imports.sources.access import (
    as_list,
    exit_status_of,
    number_at,
    object_at,
    objects_at,
    text_at,
    told as unknown_as,
)
from actionledger.imports.sources.base import Recorded, Refusal, Sample, Source
from actionledger.imports.sources.containers import OnRead, shown
from actionledger.imports.sources.json_values import Elements, document_or_part, json_document, json_lines

NAME = "vscode_chat"

_WHOLE, _SET, _APPEND, _DELETE = range(4)
"""The kinds of line of a log."""

_STATES: Mapping[float | None, str] = {2: "cancelled", 3: "error"}
"""The states of a request that was not answered to its end."""

_SHOWN = {
    "toolInvocationSerialized": LeftOutReason.NO_CALL,
    "inlineReference": LeftOutReason.NO_TEXT,
    **dict.fromkeys(
        (
            "autoModeResolution", "clearToPreviousToolInvocation", "codeblockUri", "command", "confirmation", "disabledClaudeHooks",
            "elicitationSerialized", "extensions", "hook", "mcpServersStarting", "multiDiffData", "notebookEditGroup", "planReview",
            "prepareToolInvocation", "progressMessage", "progressTask", "progressTaskSerialized", "pullRequest", "questionCarousel",
            "textEditGroup", "treeData", "undoStop", "warning", "workspaceEdit",
        ),
        LeftOutReason.BOOKKEEPING,
    ),
}  # fmt: skip
"""The parts of a shown answer that are no text of the model."""

_DENIED = 0
"""How a call was confirmed that a person or a policy refused."""


def read(path: Path, on_read: OnRead | None = None) -> Recorded:
    """Yield the session of a file."""
    if path.name.removesuffix(".gz").endswith(".jsonl"):
        document: JsonMap = {}
        for item in _applied(path, on_read):
            if isinstance(item, Refusal):
                yield item
            else:
                document = item
    else:
        value, reason = document_or_part(path, on_read, Elements(("requests",)))
        if reason:
            yield Refusal(shown(path), 0, reason)
        document = value if isinstance(value, dict) else {}
    if not isinstance(document.get("requests"), list):
        raise SourceError(f"{shown(path)!r} is not a chat of VS Code's: it holds no requests.")
    conversation = MessageTurns()
    for request in objects_at(document, "requests"):
        for message in _messages(request):
            conversation.add(message)
    turns = conversation.done(Capture.ARGUMENTS, splits=True)
    if turns:
        title = text_at(document, "customTitle")
        yield RecordedSession(
            text_at(document, "sessionId") or turns[0].external_id or path.name.split(".json")[0],
            None,
            next((turn.model for turn in turns if turn.model), ""),
            (turns[0].prompt or "").strip().split("\n", 1)[0][:200],
            turns,
            source=NAME,
            details=SessionDetails(
                title=title,
                title_from=TitleOrigin.AGENT if title else None,
                project=_project(path),
                agent="copilot_chat",
                aborted=turns[-1].usage.finish_reason
                if turns[-1].usage.finish_reason in _STATES.values()
                else "",
            ),
            ids="source",
            started_at=since_epoch(document.get("creationDate")),
        )
    yield from left_out(shown(path), conversation.passed)


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample is a chat, or the first line of its log."""
    first = sample.first
    if not isinstance(first, dict):
        return 0.0
    whole = object_at(first, "v") if first.get("kind") == _WHOLE else first
    is_chat = isinstance(whole.get("requests"), list)
    return (
        1.0
        if is_chat and len(whole.keys() & {"responderUsername", "initialLocation", "sessionId"}) > 1
        else 0.0
    )


def _applied(path: Path, on_read: OnRead | None) -> Iterator[JsonMap | Refusal]:
    """Yield the document that a log's lines make, last; and refusals of lines that change nothing of it."""
    document: Any = {}
    for item in json_lines(path, on_read):
        if isinstance(item, Refusal):
            yield item
            continue
        number, line = item
        try:
            document = _changed(document, line)
        except (KeyError, IndexError, TypeError, AttributeError):
            yield Refusal(shown(path), number, "The line changes a part of the chat that isn't there.")
    yield document if isinstance(document, dict) else {}


def _changed(document: Any, line: JsonDict) -> Any:
    kind, place = line.get("kind"), line.get("k") or []
    if kind == _WHOLE or not place:
        return line.get("v") if kind in {_WHOLE, _SET} else document
    part = document
    for step in place[:-1]:
        part = part[step]
    last = place[-1]
    if kind == _APPEND:
        there = part[last] if isinstance(part, list) else part.setdefault(last, [])
        there[line["i"] if line.get("i") is not None else len(there) :] = as_list(line.get("v"))
    elif kind == _DELETE:
        part[last] = None
    elif isinstance(part, list) and last == len(part):
        part.append(line.get("v"))
    else:
        part[last] = line.get("v")
    return document


def _messages(request: JsonMap) -> Iterator[Message]:
    """Yield a prompt, then the responses to it."""
    prompt, said = Message("person"), request.get("message")
    prompt.say(said if isinstance(said, str) else text_at(object_at(request, "message"), "text"))
    yield prompt
    result = object_at(request, "result")
    metadata = object_at(result, "metadata")
    rounds = list(objects_at(metadata, "toolCallRounds"))
    is_cancelled = request.get("isCanceled") is True
    state = (
        "cancelled" if is_cancelled else _STATES.get(number_at(object_at(request, "modelState"), "value"), "")
    )
    finish = text_at(object_at(result, "errorDetails"), "code") or (
        "error" if result.get("errorDetails") else state
    )
    ends = {
        text_at(part, "toolCallId"): part
        for part in objects_at(request, "response")
        if part.get("toolCallId")
    }
    results = object_at(metadata, "toolCallResults")
    for place, each in enumerate(rounds):
        found = _of_round(each, request)
        for call in found.calls:
            if call.call_id in results or call.call_id in ends:
                _add_result(found, call.call_id, object_at(results, call.call_id), ends.get(call.call_id, {}))
        if place == len(rounds) - 1:
            found.usage = Usage(finish_reason=(state or finish)[:80])
        yield found
    if not rounds:
        yield _without_rounds(request, (state or finish)[:80])


def _of_round(value: JsonMap, request: JsonMap) -> Message:
    found = Message("model", message_id=text_at(value, "id"), model=_model(request))
    found.occurred_at = since_epoch(value.get("timestamp") or request.get("timestamp"))
    found.say(value.get("response"))
    if thought := object_at(value, "thinking"):
        text = thought.get("text")
        found.think(*(text if isinstance(text, list) else [text]), detail="thinking")
    for call in objects_at(value, "toolCalls"):
        found.call(call.get("id"), call.get("name"), call.get("arguments"))
    return found


def _without_rounds(request: JsonMap, finish: str) -> Message:
    """Return the answer of a chat without tools, or of an older version: the parts that are shown."""
    name = text_at(request, "responseId") or text_at(request, "requestId")
    found = Message("model", message_id=name, model=_model(request))
    found.occurred_at, found.usage = since_epoch(request.get("timestamp")), Usage(finish_reason=finish)
    for part in objects_at(request, "response"):
        kind = text_at(part, "kind")
        if not kind or kind in {"markdownContent", "markdownVuln"}:
            found.say(part.get("value") or text_at(object_at(part, "content"), "value"))
        elif kind == "thinking":
            value = part.get("value")
            found.think(*(value if isinstance(value, list) else [value]), detail=kind)
        else:
            reason = _SHOWN.get(kind, LeftOutReason.UNKNOWN_KIND)
            found.pass_over(reason, kind if kind in _SHOWN else unknown_as(kind, part))
    if not found.is_empty:
        return found
    found.pass_over(LeftOutReason.NO_RESPONSE, finish)
    return Message("tool", passed=found.passed)


def _add_result(found: Message, call_id: str, result: JsonMap, end: JsonMap) -> None:
    """Add what came of a call: what its model was told, and how its tool ended as the chat shows it."""
    told = [_text_of(part.get("value")) for part in objects_at(result, "content")]
    terminal = object_at(object_at(end, "toolSpecificData"), "terminalCommandState")
    confirmed = end.get("isConfirmed")
    is_denied = confirmed is False or (isinstance(confirmed, dict) and confirmed.get("type") == _DENIED)
    found.result(
        call_id,
        "\n".join(told) if result else None,
        is_error=True if object_at(end, "resultDetails").get("isError") is True else None,
        exit_status=exit_status_of(terminal.get("exitCode")),
        status=ExecutionStatus.DENIED if is_denied else None,
        reason=Reason.REJECTED if is_denied else None,
        duration_ms=number_at(terminal, "duration"),
    )


def _text_of(value: object) -> str:
    """Return the text of a part of a result: a text, or the leaves of what a tool renders."""
    if not isinstance(value, dict):
        return value if isinstance(value, str) else ""
    parts, open_ = [], [object_at(value, "node")]
    while open_:
        node = open_.pop()
        parts.append(text_at(node, "text"))
        open_ += reversed(list(objects_at(node, "children")))
    return "".join(parts)


def _model(request: JsonMap) -> str:
    return text_at(request, "modelId").removeprefix("copilot/")


def _project(path: Path) -> str:
    """Return the folder that a workspace's chats belong to; empty if it is not known."""
    beside = path.absolute().parent.parent / "workspace.json"
    try:
        folder = text_at(json_document(beside), "folder") if beside.is_file() else ""
    except (OSError, SourceError, AttributeError):
        return ""
    return unquote(urlsplit(folder).path)


_TOOLS = (
    "apply_patch", "create_directory", "create_file", "fetch_webpage", "file_search", "get_errors", "grep_search", "insert_edit_into_file",
    "list_dir", "manage_todo_list", "multi_replace_string_in_file", "read_file", "replace_string_in_file", "run_in_terminal", "runSubagent",
    "runTests", "semantic_search",
)  # fmt: skip
"""The agent's built-in tools."""

SOURCE = Source(
    NAME,
    "VS Code's chats (Copilot)",
    Capture.ARGUMENTS,
    read,
    recognise,
    patterns=("*.jsonl", "*.json"),
    loses="Tokens, which a request has as a sum of unknown rounds, and cost; the tools that were offered; calls of chats without rounds, which have no arguments there; whether a call failed, where the chat shows no exit status or error of it.",
    fields=("requests", "responderUsername", "initialLocation"),
    tools=_TOOLS,
    other_fields=(("kind", "v"), ("kind", "k", "v")),
)
