"""Provider message JSON as raw actions: what an interface returns where it has read the calls itself.

Four spellings: OpenAI's chat interface (``tool_calls`` beside ``content``), its Responses interface (a list ``output`` of
items), Anthropic's (a list ``content`` of blocks) and Gemini's (``content`` with ``parts``); a message alone, or the
response around it. The calls stand beside the text and not in it: each is a block of its own whose span is the empty one at
the place in the text where it was made. What a provider ran itself (web search, code execution) is no action, and thoughts
are no text.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from actionledger.parsing.dialects.base import Found, Written
from actionledger.parsing.parse import assembled
from actionledger.parsing.scan.options import STRICT
from actionledger.parsing.scan.tolerant import decode
from actionledger.values import Issue, Reading, Span
from actionledger.vocabulary import BlockStatus, Reason

PARSER_NAME = "provider-messages"
"""What results say that they were read by."""

_VERSION = "1"
"""Raised when the meaning of what is read changes."""

_PARSER_ID = hashlib.sha256(f"{PARSER_NAME} {_VERSION}".encode()).hexdigest()[:16]

_Json = Mapping[str, Any]


def read_message(message: Mapping[str, Any]) -> Reading:
    """Read a message as a provider's interface returns it; never raises on what it holds.

    Args:
        message: the decoded JSON: a chat completion or its message, a response or one with a list ``output``,
            an Anthropic message, a Gemini response or one of its candidates. Of several choices the first is read.

    Returns:
        Its text and its calls. A call whose arguments can't be read is a malformed block, no action; the dialect of a block
        is the interface: ``openai_chat``, ``openai_responses``, ``anthropic`` or ``gemini``, and ``message`` where what
        is wrong is no call.
    """
    reader = _Reader()
    message = _within(message)
    if isinstance(output := message.get("output"), list):
        reader.responses(output)
    elif isinstance(parts := message.get("parts"), list):
        reader.gemini(parts)
    elif isinstance(message.get("tool_calls"), list) or isinstance(message.get("function_call"), Mapping):
        reader.chat(message)
    elif isinstance(content := message.get("content"), list):
        reader.anthropic(content)
    elif "content" in message or "role" in message:
        reader.chat(message)
    else:
        keys = ", ".join(repr(str(key)[:40]) for key in list(message)[:5])
        reader.note(Reason.WRONG_SHAPE, f"It is no message of a known provider; its keys are: {keys}.")
    return reader.reading()


def _within(message: _Json) -> _Json:
    """Return the message in what an interface wraps it in: the first choice, the first candidate, its content."""
    for key, inner in (("choices", "message"), ("candidates", "content")):
        if isinstance(several := message.get(key), list):
            first = several[0] if several and isinstance(several[0], Mapping) else {}
            found = first.get(inner)
            return found if isinstance(found, Mapping) else {"content": None}
    content = message.get("content")
    return content if isinstance(content, Mapping) and "parts" in content else message


class _Interface(NamedTuple):
    """A provider's interface, as what a block is written in."""

    name: str
    strings_only: bool = False


class _Reader:
    """Gathers text and calls in the order of the message."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.length = 0
        self.placed: list[tuple[_Interface, Found]] = []

    def reading(self) -> Reading:
        return assembled("".join(self.pieces), self.placed, requires_action=False, parser_id=_PARSER_ID)

    # One provider each

    def chat(self, message: _Json) -> None:
        """OpenAI's chat interface, and those that copy it."""
        content = message.get("content")
        for part in content if isinstance(content, list) else [{"type": "text", "text": content}]:
            if isinstance(part, Mapping) and part.get("type") == "text":
                self.say(part.get("text"))
        for call in self.objects(message.get("tool_calls")):
            named = call.get("function") or call.get("custom") or call
            if not isinstance(named, Mapping):
                self.note(Reason.WRONG_SHAPE, "A call is no object.")
            elif "custom" in call:
                self.act("openai_chat", named.get("name"), {"input": named.get("input")}, call.get("id"))
            else:
                self.act("openai_chat", named.get("name"), named.get("arguments"), call.get("id"))
        if isinstance(legacy := message.get("function_call"), Mapping):
            self.act("openai_chat", legacy.get("name"), legacy.get("arguments"), None)

    def responses(self, items: Sequence[Any]) -> None:
        """OpenAI's Responses interface."""
        for item in self.objects(items):
            match item.get("type"):
                case "message":
                    for part in self.objects(item.get("content")):
                        self.say(part.get("text"))
                case "function_call":
                    self.act("openai_responses", item.get("name"), item.get("arguments"), item.get("call_id"))
                case "custom_tool_call":
                    given = {"input": item.get("input")}
                    self.act("openai_responses", item.get("name"), given, item.get("call_id"))
                case _:
                    pass  # thoughts, and what the provider ran itself

    def anthropic(self, blocks: Sequence[Any]) -> None:
        """Anthropic's messages."""
        for block in self.objects(blocks):
            match block.get("type"):
                case "text":
                    self.say(block.get("text"))
                case "tool_use":
                    self.act("anthropic", block.get("name"), block.get("input"), block.get("id"))
                case _:
                    pass  # thoughts, and what the provider ran itself

    def gemini(self, parts: Sequence[Any]) -> None:
        """Gemini's content."""
        for part in self.objects(parts):
            if isinstance(call := part.get("functionCall", part.get("function_call")), Mapping):
                self.act("gemini", call.get("name"), call.get("args"), call.get("id"))
            elif not part.get("thought"):
                self.say(part.get("text"))

    # What they share

    @property
    def place(self) -> Span:
        """Where in the text the reader is."""
        return Span(self.length, self.length)

    def objects(self, items: object) -> list[_Json]:
        """Return the objects of a list; where it is none, and for anything else in it, there is an issue."""
        several = [] if items is None else items if isinstance(items, list) else [items]
        for item in several:
            if not isinstance(item, Mapping):
                self.note(Reason.WRONG_SHAPE, "A part of the message is no object.")
        return [item for item in several if isinstance(item, Mapping)]

    def say(self, text: object) -> None:
        if isinstance(text, str):
            self.pieces.append(text)
            self.length += len(text)

    def act(self, dialect: str, name: object, arguments: object, call_id: object) -> None:
        """Take a call; arguments may be an object, or one as JSON text."""
        read = self.arguments(arguments)
        if isinstance(read, Issue):
            self.refuse(read, dialect)
            return
        call = Written(
            name=name if isinstance(name, str) else "",
            arguments=read,
            span=self.place,
            call_id=call_id if isinstance(call_id, str) else None,
        )
        found = Found(BlockStatus.STRICT, self.place, self.place, (call,))
        self.placed.append((_Interface(dialect), found))

    def arguments(self, given: object) -> dict[str, Any] | Issue:
        """Return the arguments, or why they can't be read; left out they are none."""
        if given is None or given == "":
            return {}
        if isinstance(given, str):
            decoded = decode(given, options=STRICT)
            if not decoded.ok:
                return Issue(decoded.issues[0].code, self.place, f"The arguments are {given[:80]!r}.")
            if given[decoded.end :].strip():
                return Issue(Reason.TEXT_AFTER_VALUE, self.place, f"The arguments are {given[:80]!r}.")
            given = decoded.value
        if isinstance(given, Mapping):
            return dict(given)
        return Issue(Reason.WRONG_SHAPE, self.place, "The arguments are no object.")

    def note(self, code: Reason, detail: str) -> None:
        """Say what is wrong with the message."""
        self.refuse(Issue(code, self.place, detail), "message")

    def refuse(self, issue: Issue, dialect: str) -> None:
        found = Found(BlockStatus.MALFORMED, self.place, self.place, reason=issue.code, issues=(issue,))
        self.placed.append((_Interface(dialect), found))
