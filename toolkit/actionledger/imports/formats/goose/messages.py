"""goose's sessions and messages: the same in lines, in an export and in a database.

Defined by block/goose, ``crates/goose/src/conversation/message.rs`` and ``tool_result_serde.rs``. A tool's request and its response stand in
messages of their own, joined by an identifier. What only the model sees, such as the summary of what was said before, is no response.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from actionledger.core.values.recordings import RecordedSession, SessionDetails
from actionledger.core.vocabulary import Capture, LeftOutReason, TitleOrigin
from actionledger.imports.shapes.base import Message, Speaker, left_out, plain, since_epoch
from actionledger.imports.shapes.conversation import Conversation
from actionledger.imports.sources.access import count_at, object_at, objects_at, text_at, time_at
from actionledger.imports.sources.base import Recorded, Refusal
from actionledger.imports.sources.containers import shown

NAME = "goose"

_OWN_SESSION = re.compile(r"\d{8}_\d{1,5}")
"""What the store calls the sessions that began in it."""

_SPEAKERS: Mapping[str, Speaker] = {"assistant": "model", "user": "person"}
_TOKENS = (
    "total_tokens",
    "accumulated_total_tokens",
    "accumulated_input_tokens",
    "accumulated_output_tokens",
)
_OTHERS = {
    "image": LeftOutReason.NO_TEXT,
    "jsonRenderSpec": LeftOutReason.NO_TEXT,
    "toolConfirmationRequest": LeftOutReason.BOOKKEEPING,
    "actionRequired": LeftOutReason.BOOKKEEPING,
    "systemNotification": LeftOutReason.BOOKKEEPING,
    "contextLengthExceeded": LeftOutReason.BOOKKEEPING,
    "summarizationRequested": LeftOutReason.BOOKKEEPING,
    "conversationCompacted": LeftOutReason.COMPACTED,
}
"""What the parts are that are neither text nor thought, call or result."""


def session(path: Path, info: Mapping[str, Any], told: Iterable[Mapping[str, Any]]) -> Recorded:
    """Yield a session, if it has turns, and what was passed over."""
    name, conversation = text_at(info, "id"), Conversation()
    for message in _merged(map(message_of, told), name):
        conversation.add(message)
    turns = conversation.done(Capture.CALLS, splits=True)
    if turns and not name:
        yield Refusal(shown(path), 0, "A session has no id.")
    elif turns:
        kept = {key: count for key in _TOKENS if (count := count_at(info, key)) is not None}
        kind = text_at(info, "session_type")
        yield RecordedSession(
            name,
            None,
            text_at(object_at(info, "model_config"), "model_name"),
            (text_at(info, "name") or text_at(info, "description"))[:200],
            turns,
            source=NAME,
            metadata={"cwd": text_at(info, "working_dir"), "provider": text_at(info, "provider_name")} | kept,
            details=_details(info),
            labels=(kind,) if kind else (),
            started_at=time_at(info, "created_at"),
            finished_at=time_at(info, "updated_at"),
        )
    yield from left_out(shown(path), conversation.passed)


def _details(info: Mapping[str, Any]) -> SessionDetails:
    title = text_at(info, "name") or text_at(info, "description")
    by_person = bool(info.get("user_set_name"))
    origin = TitleOrigin.PERSON if by_person else TitleOrigin.AGENT
    return SessionDetails(
        title=title,
        title_from=origin if title else None,
        project=text_at(info, "working_dir"),
        agent=NAME,
    )


def message_of(value: Mapping[str, Any]) -> Message:
    """Return what a message says, with its calls and results."""
    speaker = _SPEAKERS.get(text_at(value, "role"))
    if speaker is None or object_at(value, "metadata").get("userVisible") is False:
        found = Message("tool")
        if speaker is None:
            found.pass_over(LeftOutReason.UNKNOWN_KIND, text_at(value, "role"))
        else:
            found.pass_over(LeftOutReason.INJECTED_CONTEXT, "for the model alone")
        return found
    found = Message(speaker, message_id=text_at(value, "id"), occurred_at=since_epoch(value.get("created")))
    for part in objects_at(value, "content"):
        _read_part(part, found)
    return found


def _merged(messages: Iterable[Message], session_name: str) -> Iterator[Message]:
    """Yield messages; pieces of one that was streamed are put together, and a later one under its name gets one of its own."""
    held, held_id = None, ""
    seen: Counter[str] = Counter()
    for message in messages:
        name = _identity(message.message_id, session_name)
        is_model = message.speaker == "model"
        if held is not None and is_model and name and name == held_id:
            _join(held, message)
            continue
        if held is not None:
            yield held
        held, held_id = (message, name) if is_model else (None, "")
        if not is_model:
            yield message
            continue
        message.message_id = f"{name}#{seen[name]}" if name and seen[name] else name
        seen[name] += 1
    if held is not None:
        yield held


def _identity(message_id: str, session_name: str) -> str:
    """Return by what a message is known again; empty for its place.

    The store has given those that it took over from files a name of their own, which the files don't have.
    """
    made, _, rest = message_id.partition(f"msg_{session_name}_")
    is_made = not made and bool(rest)
    return "" if is_made and (rest.isdigit() or not _OWN_SESSION.fullmatch(session_name)) else message_id


def _join(held: Message, piece: Message) -> None:
    """Add a piece of a message to those before it."""
    begin = len(held.text)
    held.say(piece.text)
    held.calls += [replace(call, at=begin + (call.at or 0)) for call in piece.calls]
    held.passed.update(piece.passed)
    held.reasoning += piece.reasoning


def _read_part(part: Mapping[str, Any], found: Message) -> None:
    kind = text_at(part, "type")
    if kind == "text":
        found.say(part.get("text"))
    elif kind in {"toolRequest", "frontendToolRequest"}:
        _read_call(part, found)
    elif kind == "toolResponse":
        _read_result(part, found)
    elif kind in {"thinking", "reasoning"}:
        found.think(part.get("thinking"), part.get("text"), detail=kind)
    elif kind == "redactedThinking":
        found.pass_over(LeftOutReason.ENCRYPTED, kind)
    else:
        found.pass_over(_OTHERS.get(kind, LeftOutReason.UNKNOWN_KIND), kind)


def _read_call(part: Mapping[str, Any], found: Message) -> None:
    """Take a call; one that goose couldn't read has neither name nor arguments there."""
    made = object_at(object_at(part, "toolCall"), "value")
    found.call(part.get("id"), made.get("name"), made.get("arguments"))


def _read_result(part: Mapping[str, Any], found: Message) -> None:
    result = object_at(part, "toolResult")
    value = result.get("value")
    if text_at(result, "status") == "error":
        found.result(part.get("id"), result.get("error"), is_error=True)
    elif isinstance(value, dict):
        is_error = value.get("isError")
        said = is_error if isinstance(is_error, bool) else None
        found.result(part.get("id"), _for_the_model(value.get("content")), is_error=said)
    else:
        found.result(part.get("id"), _for_the_model(value))


def _for_the_model(content: object) -> object:
    """Return a result's content without the parts that only a person is shown: they say the same in other words."""
    if not isinstance(content, list):
        return content
    return plain([part for part in content if not isinstance(part, dict) or _is_for_the_model(part)])


def _is_for_the_model(part: Mapping[str, Any]) -> bool:
    audience = object_at(part, "annotations").get("audience")
    return not isinstance(audience, list) or "assistant" in audience
