"""Collect a message's text, thoughts, calls and issues in their order."""

import hashlib
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from actionledger.core.canonical import JsonDict, JsonMap, is_deeper
from actionledger.core.values import Issue, Reading, Span
from actionledger.core.vocabulary import BlockStatus, Reason
from actionledger.reading.dialects.base import Found, Written
from actionledger.reading.leaked import Text, beside
from actionledger.reading.messages.spellings import Spelled, spelled
from actionledger.reading.parse import assembled
from actionledger.reading.tolerant_json import decode
from actionledger.reading.tolerant_json.faults import STRICT

THOUGHTS = frozenset(
    {"reasoning", "reasoning_content", "reasoning_details", "thinking", "thinking_blocks", "thoughts"}
)
"""The keys of thoughts next to a message's content."""

_WITHIN = (
    "thinking",
    "text",
    "reasoning",
    "reasoning_content",
    "reasoningText",
    "summary",
    "content",
    "thought",
)
_DEEPEST = 4


def thoughts_in(value: object, depth: int = 0) -> Iterator[str]:
    """Yield the texts in thoughts."""
    if isinstance(value, str):
        if value:
            yield value
    elif depth < _DEEPEST and isinstance(value, Mapping):
        for key in _WITHIN:
            yield from thoughts_in(value.get(key), depth + 1)
    elif depth < _DEEPEST and isinstance(value, list | tuple):
        for each in value:
            yield from thoughts_in(each, depth + 1)


PARSER_NAME = "provider-messages"
"""The parser that results name."""

_VERSION = "4"
"""Raised if the meaning of a reading changes."""

_PARSER_ID = hashlib.sha256(f"{PARSER_NAME} {_VERSION}".encode()).hexdigest()[:16]


class _Interface(NamedTuple):
    """A provider's interface, as the format of a block."""

    name: str
    strings_only: bool = False


class Gathering:
    """The findings in a message so far."""

    def __init__(self) -> None:
        self.handled: set[int] = set()
        self.acted: set[int] = set()
        self._pieces: list[str] = []
        self._thoughts: list[str] = []
        self._length = 0
        self._placed: list[tuple[_Interface, Found]] = []
        self._here: list[Spelled] = []
        self._elsewhere: list[Spelled] = []
        self._repeated: set[int] = set()

    @property
    def is_empty(self) -> bool:
        """Whether nothing was found."""
        return not (self._length or self._placed or self.handled)

    @property
    def text(self) -> str:
        """The message's text."""
        return "".join(self._pieces)

    def reading(self, names: frozenset[str] | None = None) -> Reading:
        """Return the reading, numbered, with the calls that the model left as text."""
        called = frozenset(call.name for _, found in self._placed for call in found.actions)
        written = Text(
            self.text, self._placed, called if names is None else names, "\n\n".join(self._thoughts)
        )
        return assembled(written.text, beside(written), requires_action=False, parser_id=_PARSER_ID)

    def say(self, text: object) -> None:
        """Add a text of the model."""
        if isinstance(text, str):
            self._pieces.append(text)
            self._length += len(text)

    def think(self, thought: object) -> None:
        """Add a thought: it is no text of the message, and is searched for leaked calls."""
        self._thoughts += thoughts_in(thought)

    def next_place(self) -> None:
        """Continue at another place of the message, since some interfaces write the same calls in two or three places."""
        self._elsewhere += self._here
        self._here = []
        self._repeated = set()

    def act(self, call: JsonMap, dialect: str = "") -> None:
        """Add a call, whatever keys it is written in."""
        self.handled.add(id(call))
        self.acted.add(id(call))
        self.take(spelled(call, dialect))

    def take(self, call: Spelled) -> None:
        """Add a call with known keys, unless another place of the message had it."""
        read = (
            Issue(call.reason, self._place, call.detail) if call.reason else self._arguments(call.arguments)
        )
        if isinstance(read, dict):
            call = call._replace(arguments=read)
        if self._was_read(call, read):
            return
        self._here.append(call)
        if isinstance(read, Issue):
            self._refuse(read, call.dialect)
            return
        name = call.name if isinstance(call.name, str) else ""
        written = Written(name, read, self._place, call.call_id)
        found = Found(BlockStatus.STRICT, self._place, self._place, (written,))
        self._placed.append((_Interface(call.dialect), found))

    def lose(self, call: JsonMap) -> None:
        """Note a call that a LangChain message reports as unreadable."""
        self.handled.add(id(call))
        name, text = spelled(call)[1:3]
        error = f" ({str(call['error'])[:200]})" if call.get("error") else ""
        detail = f"The call of {str(name)[:80]!r} has the arguments {str(text)[:200]!r}{error}."
        code = Reason.MALFORMED_JSON
        if isinstance(text, str) and not (decoded := decode(text, options=STRICT)).ok:
            code = decoded.issues[0].code
        found = spelled(call, "langchain")
        if any(found.call_id and found.call_id == other.call_id for other in self._elsewhere):
            return
        self._here.append(found)
        self._refuse(Issue(code, self._place, detail), found.dialect)

    def note(self, code: Reason, detail: str) -> None:
        """Note a problem of the message."""
        self._refuse(Issue(code, self._place, detail), "message")

    @property
    def _place(self) -> Span:
        """The current place in the text."""
        return Span(self._length, self._length)

    def _was_read(self, call: Spelled, read: JsonDict | Issue) -> bool:
        """Return whether another place of the message holds the same call."""
        for number, other in enumerate(self._elsewhere):
            is_same = other.name == call.name and (
                call.call_id == other.call_id
                if call.call_id and other.call_id
                else other.arguments == call.arguments
            )
            if is_same and number not in self._repeated:
                if isinstance(read, dict) and other.reason is None and other.arguments != read:
                    detail = (
                        f"The call of {str(call.name)[:80]!r} has other arguments elsewhere in the message."
                    )
                    self.note(Reason.AMBIGUOUS, detail)
                self._repeated.add(number)
                return True
        return False

    def _arguments(self, given: object) -> JsonDict | Issue:
        """Return the arguments, or why they can't be parsed; missing ones are empty."""
        if given is None or given == "":
            return {}
        if isinstance(given, str):
            decoded = decode(given, options=STRICT)
            if not decoded.ok:
                return Issue(decoded.issues[0].code, self._place, f"The arguments are {given[:80]!r}.")
            if given[decoded.end :].strip():
                return Issue(Reason.TEXT_AFTER_VALUE, self._place, f"The arguments are {given[:80]!r}.")
            given = decoded.value
        if not isinstance(given, Mapping):
            return Issue(Reason.WRONG_SHAPE, self._place, "The arguments are no object.")
        if is_deeper(given, STRICT.max_depth, (Mapping, list)):
            return Issue(Reason.TOO_DEEP, self._place, f"The limit is {STRICT.max_depth} levels.")
        return dict(given)

    def _refuse(self, issue: Issue, dialect: str) -> None:
        found = Found(BlockStatus.MALFORMED, self._place, self._place, reason=issue.code, issues=(issue,))
        self._placed.append((_Interface(dialect), found))
