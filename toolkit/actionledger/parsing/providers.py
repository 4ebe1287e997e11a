"""Provider message JSON as raw actions: what an interface returns where it has read the calls itself.

Four spellings: OpenAI's chat interface (``tool_calls`` beside ``content``), its Responses interface (a list ``output`` of
items), Anthropic's (a list ``content`` of blocks) and Gemini's (``content`` with ``parts``); a message alone, or the
response around it. The calls stand beside the text and not in it: a call's span is the empty one at the place in the text
where it was made. What a provider ran itself (web search, code execution) is no action, and thoughts are no text.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from actionledger.parsing.scan.options import STRICT
from actionledger.parsing.scan.tolerant import decode
from actionledger.values import Issue, RawAction, Span
from actionledger.vocabulary import Reason

_Json = Mapping[str, Any]


class MessageReading(NamedTuple):
    """What a provider's message says.

    Args:
        text: what the user is told.
        actions: the calls, in the order in which they were made.
        issues: why a call is not among them, each at its place in the text.
    """

    text: str
    actions: tuple[RawAction, ...]
    issues: tuple[Issue, ...]


def read_message(message: Mapping[str, Any]) -> MessageReading:
    """Read a message as a provider's interface returns it; never raises on what it holds.

    Args:
        message: the decoded JSON: a chat completion or its message, a response or one with a list ``output``,
            an Anthropic message, a Gemini response or one of its candidates. Of several choices the first is read.

    Returns:
        Its text, its calls and what is wrong with them. A call whose arguments can't be read is an issue, no action.
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


class _Reader:
    """Gathers text, calls and issues in the order of the message."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.length = 0
        self.actions: list[RawAction] = []
        self.issues: list[Issue] = []

    def reading(self) -> MessageReading:
        return MessageReading("".join(self.pieces), tuple(self.actions), tuple(self.issues))

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
        if read is None:
            return
        action = RawAction(
            name=name if isinstance(name, str) else "",
            arguments=read,
            span=self.place,
            dialect=dialect,
            block=len(self.actions),
            call_id=call_id if isinstance(call_id, str) else None,
        )
        self.actions.append(action)

    def arguments(self, given: object) -> dict[str, Any] | None:
        """Return the arguments, or None and an issue; left out they are none."""
        if given is None or given == "":
            return {}
        if isinstance(given, str):
            decoded = decode(given, options=STRICT)
            if not decoded.ok:
                self.note(decoded.issues[0].code, f"The arguments are {given[:80]!r}.")
                return None
            if given[decoded.end :].strip():
                self.note(Reason.TEXT_AFTER_VALUE, f"The arguments are {given[:80]!r}.")
                return None
            given = decoded.value
        if isinstance(given, Mapping):
            return dict(given)
        self.note(Reason.WRONG_SHAPE, "The arguments are no object.")
        return None

    def note(self, code: Reason, detail: str) -> None:
        self.issues.append(Issue(code, self.place, detail))
