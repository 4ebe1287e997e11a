"""The common result of all shapes: messages with text, calls and results, and the bodies around them."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple, TypeAlias

from actionledger.core.canonical import JsonMap, json_text
from actionledger.core.patterns import regex
from actionledger.core.recordings import RecordedCall, RecordedResult, Usage
from actionledger.core.vocabulary import LeftOutReason, Relation
from actionledger.imports.sources.access import as_list, object_at, text_at, told
from actionledger.imports.sources.base import LeftOut


# The session of a request: agents name it in the body or in a header, and some name its parent too.
class RequestOwner(NamedTuple):
    """A session as its client names it."""

    name: str = ""  # its name; empty if unknown
    parent: str = ""  # its parent session; empty if unknown
    relation: Relation | None = None  # its relation to the parent


NOBODY = RequestOwner()
"""An unknown session."""

_AGENT = "x-claude-code-agent-id"
_CODEX = "x-codex-turn-metadata"
_ABOVE = ("x-codex-parent-thread-id", "x-parent-session-id")
_NAMING = (
    "thread-id", "x-claude-code-session-id", "session-id", "session_id", "x-session-id", "x-opencode-session",
    "x-session-affinity", "conversation_id",
    "x-conversation-id",
)  # fmt: skip

HEADERS = frozenset({_AGENT, _CODEX, *_ABOVE, *_NAMING})
"""The headers that name a request's session; no others are read."""

_KEYS = ("thread_id", "session_id", "conversation_id")
_LONGEST = 200
_LONGEST_METADATA = 64 * 1024
_OLDER_USER = regex(r"_session_([0-9a-fA-F-]{36})$")
_UNIQUE = regex(r"(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|^ses_\w{10,}")
"""A cache key that is unique to a session; some programs use one key for all requests."""


def owner_of(body: JsonMap, headers: Iterable[tuple[str, str]] = ()) -> RequestOwner:
    """Return the session of a request."""
    said = {name: value for name, value in headers if name in HEADERS}
    told, user = object_at(body, "client_metadata"), object_at(body, "metadata")
    of_codex = _object(told.get(_CODEX) or said.get(_CODEX))
    of_claude = _object(user.get("user_id"))
    names = (
        *(text_at(each, key) for each in (of_codex, told, of_claude, user) for key in _KEYS),
        *(said.get(name, "") for name in _NAMING),
        _older(text_at(user, "user_id")),
        text_at(body, "session_id"),
        _conversation(body.get("conversation")),
        key if _UNIQUE.search(key := text_at(body, "prompt_cache_key")) else "",
    )
    name = next((each for each in names if 0 < len(each) <= _LONGEST), "")
    if not name:
        return NOBODY
    if agent := said.get(_AGENT, ""):
        return RequestOwner(f"{name}/{agent}"[:_LONGEST], name, Relation.SUBAGENT)
    above = text_at(of_codex, "parent_thread_id") or next(filter(None, map(said.get, _ABOVE)), "")
    forked = text_at(of_codex, "forked_from_thread_id")
    parent = (above or forked)[:_LONGEST]
    if parent in {"", name}:
        return RequestOwner(name)
    return RequestOwner(name, parent, Relation.SUBAGENT if above else Relation.FORK)


def _object(value: object) -> JsonMap:
    """Return the object in a field with JSON text; empty if it holds none."""
    if not isinstance(value, str) or not value.startswith("{") or len(value) > _LONGEST_METADATA:
        return {}
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _older(user: str) -> str:
    found = _OLDER_USER.search(user[-_LONGEST:])
    return found[1] if found else ""


def _conversation(value: object) -> str:
    return value if isinstance(value, str) else text_at(value, "id") if isinstance(value, Mapping) else ""


Speaker: TypeAlias = Literal["model", "person", "system", "tool"]
"""The author of a message."""

Passed: TypeAlias = Counter[tuple[LeftOutReason, str]]
"""How often something was skipped, by reason and detail; the caller adds the file."""


_MOST_OF_OTHERS = 40
_MOST = 240
"""The longest name of something skipped, in characters."""


@dataclass(slots=True)
class Message:
    """The content of one message."""

    speaker: Speaker  # its author. A message of a tool or a person may hold results of calls
    text: str = ""  # its text; for a model, the text without calls
    calls: list[RecordedCall] = field(default_factory=list)
    results: list[RecordedResult] = field(default_factory=list)  # results of earlier calls
    passed: Passed = field(default_factory=Counter)  # what was skipped in it
    message_id: str = ""  # its own identifier; empty if it has none
    usage: Usage = field(default_factory=Usage)  # its usage, if it is a response
    model: str = ""  # the model that wrote it, if recorded
    occurred_at: datetime | None = None  # when it was written, if recorded
    reasoning: str = ""  # the model's reasoning, if its provider shows it

    @property
    def is_empty(self) -> bool:
        """Whether it holds nothing to record."""
        return not (self.text or self.calls or self.results or self.reasoning)

    def say(self, text: object) -> None:
        """Add a text. A model's parts are joined as they are, others' by a line break."""
        if isinstance(text, str) and text:
            between = "\n" if self.text and self.speaker != "model" else ""
            self.text += between + text

    def think(self, *thoughts: object, detail: object = "") -> None:
        """Add the texts of one reasoning item (others are ignored); reasoning without readable text is counted as ``detail``."""
        texts = [text for text in thoughts if isinstance(text, str) and text]
        if not texts:
            self.pass_over(LeftOutReason.ENCRYPTED, detail)
        elif self.speaker != "model":
            self.pass_over(LeftOutReason.REASONING, detail)
        else:
            self.reasoning = "\n\n".join(filter(None, (self.reasoning, *texts)))

    def call(
        self,
        call_id: object,
        name: object,
        arguments: object,
        kind: Literal["function", "text"] = "function",
    ) -> None:
        """Add a call at this place in the text.

        Args:
            call_id: its identifier, if it is a text.
            name: the tool's name, if it is a text.
            arguments: the text that the model wrote, or the parsed value; None for none. A value that is no object is kept as JSON text, which the
                parser refuses.
            kind: whether arguments in a text are JSON or plain text.
        """
        given = {} if arguments is None else arguments
        kept = given if isinstance(given, str | Mapping) else json_text(given)
        self.calls.append(RecordedCall(_text(call_id), _text(name), kept, kind, at=len(self.text)))

    def result(self, call_id: object, output: object, **said: Any) -> None:
        """Add the output of a call, as the model received it, and other fields of ``RecordedResult``."""
        self.results.append(RecordedResult(_text(call_id), output, **said))

    def pass_over(self, reason: LeftOutReason, detail: object = "") -> None:
        """Count something that is not recorded."""
        most = _MOST if reason is LeftOutReason.UNKNOWN_KIND else _MOST_OF_OTHERS
        self.passed[reason, _text(detail)[:most]] += 1

    def unknown(self, kind: object, value: JsonMap) -> None:
        """Count something of an unknown kind, by its name and a sample of its keys."""
        self.pass_over(LeftOutReason.UNKNOWN_KIND, told(_text(kind), value))


@dataclass(frozen=True, slots=True)
class Request:
    """A request to a model."""

    messages: tuple[Message, ...]  # the history with the new messages at its end; instructions first
    tools: str = ""  # the offered tools, as JSON text; empty for none
    model: str = ""
    previous: str = ""  # the identifier of the response that it continues; empty if unknown
    owner: RequestOwner = NOBODY  # its session, as far as it says so


@dataclass(frozen=True, slots=True)
class Response:
    """A model's response."""

    messages: tuple[Message, ...]  # its choices, usually one; the first has the usage of all
    error: str = ""  # the provider's kind of error, if there was no answer or it was cut off


_WITHOUT_TEXT = regex(r"(?i)image|audio|video|file|document|resource|media|blob|attachment|data")
"""Words in the names of parts that are no text, in any interface."""


def texts_of(message: Message, content: object) -> None:
    """Add a content that is a text or a list of texts and parts with a ``text``; other parts are skipped and counted by kind."""
    for part in as_list(content):
        if isinstance(part, Mapping) and isinstance(part.get("text"), str):
            message.say(part["text"])
        elif isinstance(part, Mapping):
            kind = _text(part.get("type")) or next(iter(part), "")
            if not part or _WITHOUT_TEXT.search(kind):
                message.pass_over(LeftOutReason.NO_TEXT, part.get("type"))
            else:
                message.unknown(kind, part)
        elif isinstance(part, str):
            message.say(part)
        elif part is not None:
            message.pass_over(LeftOutReason.NOT_AN_OBJECT, type(part).__name__)


def read_parts(message: Message, content: object, read_part: Callable[[JsonMap, Message], None]) -> None:
    """Read a content that is a text, a part, or a list of them."""
    for part in as_list(content):
        if isinstance(part, Mapping):
            read_part(part, message)
        else:
            texts_of(message, part)


def plain(output: object) -> object:
    """Return a result's content as a text if it holds only texts; otherwise unchanged."""
    if not isinstance(output, list) or not output:
        return output
    texts = [part.get("text") for part in output if isinstance(part, Mapping)]
    if len(texts) < len(output) or not all(isinstance(text, str) for text in texts):
        return output
    return "\n".join(text for text in texts if isinstance(text, str))


def tools_text(tools: object) -> str:
    """Return the offered tools as a turn has them; empty for none."""
    return json_text(tools) if isinstance(tools, list) and tools else ""


def error_kind(error: object) -> str:
    """Return a provider's kind of error, such as ``overloaded_error``, without its message, which may hold anything."""
    if isinstance(error, Mapping):
        said = next((error[key] for key in ("code", "type", "status") if error.get(key)), "error")
        return str(said)[:40] if isinstance(said, str | int) else "error"
    return "error" if error else ""


def total(*counts: int | None) -> int | None:
    """Return the sum of the known counts; None if none is known."""
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def since_epoch(seconds: object) -> datetime | None:
    """Return a time given in seconds or milliseconds since 1970, UTC without a zone; None if it is no such time."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return None
    try:
        return datetime.fromtimestamp(seconds / 1000 if seconds > 1e11 else seconds, UTC).replace(tzinfo=None)
    except (ValueError, OverflowError, OSError):
        return None


def with_usage(
    choices: list[Message],
    usage: Usage,
    *,
    message_id: str = "",
    model: str = "",
    occurred_at: datetime | None = None,
) -> tuple[Message, ...]:
    """Return the choices of a response: the first with the usage of all, each with its own finish reason."""
    for number, choice in enumerate(choices):
        choice.usage = replace(usage if number == 0 else Usage(), finish_reason=choice.usage.finish_reason)
        choice.message_id = f"{message_id}#{number}" if number and message_id else message_id
        choice.model, choice.occurred_at = model, occurred_at
    return tuple(choices)


def left_out(file: str, passed: Passed) -> Iterator[LeftOut]:
    """Yield the skip counts as a source reports them."""
    for (reason, detail), count in passed.items():
        yield LeftOut(file, reason, detail, count)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
