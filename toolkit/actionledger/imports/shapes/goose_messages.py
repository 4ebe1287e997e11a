"""goose's sessions and messages: the same in lines, in an export and in a database.

Defined by aaif-goose/goose, ``crates/goose/src/conversation/message.rs``; 1.52.0 was run. One response with several calls is several messages, each
with the call's place in the response (``goose.toolCall.providerIndex``). A call that it can't read is stored under another name with no arguments, and
as running well; its text is in the error that the model was told.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.patterns import regex
from actionledger.core.recordings import RecordedCall, RecordedSession, RecordedTurn, SessionDetails, Usage
from actionledger.core.vocabulary import (
    Capture,
    ExecutionStatus,
    LeftOutReason,
    Reason,
    Relation,
    TitleOrigin,
)
from actionledger.imports.shapes.base import Message, Speaker, left_out, plain, since_epoch
from actionledger.imports.shapes.conversation import MessageTurns
from actionledger.imports.sources.access import (
    count_at,
    exit_status_of,
    number_at,
    object_at,
    objects_at,
    text_at,
    time_at,
)
from actionledger.imports.sources.base import Recorded, Refusal
from actionledger.imports.sources.containers import shown

NAME = "goose"

_OWN_SESSION = regex(r"\d{8}_\d{1,5}")
"""Names that the database itself gave to its sessions."""

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
"""The parts that are neither text nor reasoning, call or result."""

_UNREAD = "unparseable_tool_call"
"""The name in place of a call that was not run, since it couldn't be read or names no tool that was offered."""
_ABSENT = regex(r"Tool '([^'\n]{1,200})' was not advertised for this model turn")
_NO_OBJECT = regex(r"Tool arguments for (\S{1,200}) \(id .{0,200}?\) must be a JSON object, got an? \w{1,20}\. Raw arguments: '(.*)'\s*\Z", re.DOTALL)  # fmt: skip
_FULL = regex(r"Tool arguments for (\S{1,200}) \(id .{0,200}?\) were truncated because the model reached its output token limit")  # fmt: skip
_CUT = regex(r"\nReceived (\d{1,12}) characters[^\n;]{0,80}; cut off at: (.*)\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What a database knows of a session's messages beside them."""

    origin: str = ""  # the session that it is a fork of; empty if it is none
    # the sessions with copies of a message, by the message's name
    copies: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    served: tuple[JsonMap, ...] = ()  # the models that answered, each with its counts and its cost, in order


def session(
    path: Path, info: JsonMap, told: Iterable[JsonMap], beside: Circumstances = Circumstances()
) -> Recorded:
    """Yield a session, if it has turns, and the skip counts."""
    name, conversation = text_at(info, "id"), MessageTurns()
    answers = _Answers(name)
    for message in answers.of(told):
        conversation.add(message)
    made = conversation.done(Capture.CALLS, splits=True)
    turns = tuple(_known_beside(made, answers.pieces, beside))
    if turns and not name:
        yield Refusal(shown(path), 0, "A session has no id.")
    elif turns:
        kept = {key: count for key in _TOKENS if (count := count_at(info, key)) is not None}
        kind, above = text_at(info, "session_type"), text_at(info, "parent_session_id")
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
            parent=above or beside.origin,
            relation=Relation.SUBAGENT if above else Relation.FORK if beside.origin else None,
            started_at=time_at(info, "created_at"),
            finished_at=time_at(info, "updated_at"),
        )
    yield from left_out(shown(path), conversation.passed)


def _details(info: JsonMap) -> SessionDetails:
    title = text_at(info, "name") or text_at(info, "description")
    by_person = bool(info.get("user_set_name"))
    origin = TitleOrigin.PERSON if by_person else TitleOrigin.AGENT
    return SessionDetails(
        title=title,
        title_from=origin if title else None,
        project=text_at(info, "working_dir"),
        agent=NAME,
        permission_mode=text_at(info, "goose_mode"),
    )


def _known_beside(
    turns: Iterable[RecordedTurn], pieces: Mapping[str, list[str]], beside: Circumstances
) -> Iterator[RecordedTurn]:
    """Yield turns with the models that answered, and with the names of their copies and pieces, which were turns in earlier versions."""
    served = list(beside.served)
    for turn in turns:
        name, usage = turn.external_id, turn.usage
        names = (name, *pieces.get(name, ()))
        formerly = (*names[1:], *((copy, each) for each in names for copy in beside.copies.get(each, ())))
        place = next((n for n, row in enumerate(served) if _counts(row) == _counted(usage)), None)
        model = turn.model
        if place is not None:
            row = served[place]
            del served[: place + 1]
            model = text_at(row, "model") or model
            usage = replace(usage, cost_usd=number_at(row, "cost"))
        yield replace(turn, model=model, usage=usage, formerly=formerly)


def _counts(row: JsonMap) -> tuple[int | None, ...] | None:
    """Return a row's counts; None if it has none."""
    found = tuple(count_at(row, key) for key in ("input_tokens", "output_tokens", "cache_read_tokens"))
    return found if any(found) else None


def _counted(usage: Usage) -> tuple[int | None, ...]:
    return usage.input_tokens, usage.output_tokens, usage.cached_tokens


def message_of(value: JsonMap) -> Message:
    """Return a message with its calls and results."""
    speaker, metadata = _SPEAKERS.get(text_at(value, "role")), object_at(value, "metadata")
    if speaker is None or metadata.get("userVisible") is False:
        found = Message("tool")
        if speaker is None:
            found.unknown(value.get("role"), value)
        else:
            found.pass_over(LeftOutReason.INJECTED_CONTEXT, "for the model alone")
        return found
    found = Message(speaker, message_id=text_at(value, "id"), occurred_at=since_epoch(value.get("created")))
    found.model = text_at(object_at(metadata, "inference"), "requestedModel")
    found.usage = _usage(object_at(metadata, "usage"))
    for part in objects_at(value, "content"):
        kind = text_at(part, "type")
        if kind == "text":
            found.say(part.get("text"))
        elif kind in {"toolRequest", "frontendToolRequest"}:
            # Add a call; one that goose couldn't parse has neither name nor arguments.
            made = object_at(object_at(part, "toolCall"), "value")
            found.call(part.get("id"), made.get("name"), made.get("arguments"))
        elif kind == "toolResponse":
            _read_result(part, found)
        elif kind in {"thinking", "reasoning"}:
            found.think(part.get("thinking"), part.get("text"), detail=kind)
        elif kind == "redactedThinking":
            found.pass_over(LeftOutReason.ENCRYPTED, kind)
        elif kind in _OTHERS:
            found.pass_over(_OTHERS[kind], kind)
        else:
            found.unknown(kind, part)
    return found


def _usage(told: JsonMap) -> Usage:
    """Return the usage of a response, which its first message has in newer versions."""
    return Usage(
        input_tokens=count_at(told, "inputTokens"),
        output_tokens=count_at(told, "outputTokens"),
        cached_tokens=count_at(told, "cacheReadTokens"),
        cache_write_tokens=count_at(told, "cacheWriteTokens"),
        latency_ms=number_at(told, "elapsedMs"),
        time_to_first_token_ms=number_at(told, "timeToFirstTokenMs"),
    )


class _Answers:
    """Joins the pieces of each response: of a streamed one, or one message a call, with the results of the calls before between them.

    Args:
        session_name: the session's name.

    Attributes:
        pieces: the names of a response's later messages, by its name.
    """

    def __init__(self, session_name: str) -> None:
        self.pieces: dict[str, list[str]] = {}
        self._session = session_name
        self._seen: Counter[str] = Counter()
        self._held: Message | None = None
        self._held_id = ""
        self._between: list[Message] = []

    def of(self, told: Iterable[JsonMap]) -> Iterator[Message]:
        """Yield messages; a later one with an earlier one's name gets another name."""
        for value in told:
            message = message_of(value)
            if message.speaker != "model":
                if self._held is not None and not message.text:
                    self._between.append(message)
                    continue
                yield from self._done()
                yield message
                continue
            name = self._name(message.message_id)
            if self._held is not None and self._is_piece(self._held, name, _place(value)):
                self._join(self._held, message, name)
                continue
            yield from self._done()
            self._held, self._held_id = message, name
            message.message_id = f"{name}#{self._seen[name]}" if name and self._seen[name] else name
            self._seen[name] += 1
        yield from self._done()

    def _name(self, message_id: str) -> str:
        """Return a message's identifier; empty to use its index: the database named messages from files, which have no names there."""
        made, _, rest = message_id.partition(f"msg_{self._session}_")
        is_made = not made and bool(rest)
        return "" if is_made and (rest.isdigit() or not _OWN_SESSION.fullmatch(self._session)) else message_id

    def _is_piece(self, held: Message, name: str, place: int | None) -> bool:
        """Return whether a message belongs to the response before it."""
        if place is not None and held.calls and place >= len(held.calls):
            return True
        return bool(name) and name == self._held_id and not self._between

    def _join(self, held: Message, message: Message, name: str) -> None:
        begin = len(held.text)
        held.say(message.text)
        held.calls += [replace(call, at=begin + (call.at or 0)) for call in message.calls]
        held.passed.update(message.passed)
        held.reasoning += message.reasoning
        held.usage = held.usage if held.usage != Usage() else message.usage
        if name and name != self._held_id:
            self.pieces.setdefault(held.message_id, []).append(name)

    def _done(self) -> Iterator[Message]:
        if self._held is not None:
            errors = {
                result.call_id: result.output for message in self._between for result in message.results
            }
            self._held.calls = [_restored(call, errors.get(call.call_id)) for call in self._held.calls]
            if any(isinstance(error, str) and _FULL.search(error) for error in errors.values()):
                self._held.usage = replace(self._held.usage, finish_reason="length")
            yield self._held
        yield from self._between
        self._held, self._held_id, self._between = None, "", []


def _place(value: JsonMap) -> int | None:
    """Return the place of a message's first call in its response, if it is not the first there."""
    calls = (part for part in objects_at(value, "content") if text_at(part, "type") == "toolRequest")
    first = next(calls, None)
    return (
        None if first is None else count_at(object_at(first, "_meta"), "goose.toolCall.providerIndex") or None
    )


def _restored(call: RecordedCall, error: object) -> RecordedCall:
    """Return a call that goose couldn't read as the model wrote it, as far as the error says it."""
    if call.name != _UNREAD or not isinstance(error, str):
        return call
    if absent := _ABSENT.search(error):
        return replace(call, name=absent[1])
    if no_object := _NO_OBJECT.search(error):
        return replace(call, name=no_object[1], arguments=no_object[2])
    if full := _FULL.search(error):
        return replace(call, name=full[1])
    if cut := _CUT.search(error):
        is_whole = int(cut[1]) == len(cut[2].encode())
        return replace(call, name="", arguments=cut[2] if is_whole else f"…{cut[2]}")
    return replace(call, name="")


def _read_result(part: JsonMap, found: Message) -> None:
    result = object_at(part, "toolResult")
    value = result.get("value")
    if text_at(result, "status") == "error":
        found.result(part.get("id"), result.get("error"), is_error=True)
    elif isinstance(value, dict):
        is_error = value.get("isError")
        said = is_error if isinstance(is_error, bool) else None
        ending = _ending(object_at(value, "structuredContent"), is_error=said)
        found.result(part.get("id"), _for_the_model(value.get("content")), is_error=said, **ending)
    else:
        found.result(part.get("id"), _for_the_model(value))


def _ending(ran: JsonMap, *, is_error: bool | None) -> JsonDict:
    """Return how a command ended: by itself, out of time, or by a signal, of which goose tells its model nothing."""
    if "stdout" not in ran:
        return {}
    if ran.get("timed_out") is True:
        return {"status": ExecutionStatus.TIMED_OUT, "reason": Reason.TIMEOUT}
    status = exit_status_of(ran.get("exit_code"))
    if status is None and is_error and not text_at(ran, "stderr").startswith("Error: "):
        return {"status": ExecutionStatus.FAILED, "reason": Reason.COMMAND_FAILED}
    return {"exit_status": status}


def _for_the_model(content: object) -> object:
    """Return a result's content without the parts for people only: they repeat it in other words."""
    if not isinstance(content, list):
        return content
    return plain([part for part in content if not isinstance(part, dict) or _is_for_the_model(part)])


def _is_for_the_model(part: JsonMap) -> bool:
    audience = object_at(part, "annotations").get("audience")
    return not isinstance(audience, list) or "assistant" in audience
