"""A message as its text and its calls, the arguments as the message has them: for whoever records it before it is read."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from actionledger.core.vocabulary import Capture
from actionledger.reading.messages.gathering import Gathering
from actionledger.reading.messages.message import gather
from actionledger.reading.messages.spellings import Spelled


class SplitCall(NamedTuple):
    """A call of a message.

    Args:
        call_id: its identifier; empty where it has none.
        name: the tool's name; empty where it has none.
        arguments: as the message has them: a text, or an object.
        kind: ``text`` where the arguments are a text as it is, ``function`` otherwise.
        at: where in the message's text it stands.
    """

    call_id: str
    name: str
    arguments: str | Mapping[str, Any]
    kind: Literal["function", "text"]
    at: int


class SplitMessage(NamedTuple):
    """A message of a provider, split into what it says and what it calls.

    Args:
        text: what it says.
        calls: its calls, in order.
        capture: ``arguments`` where the calls' arguments are texts as the model wrote them, ``calls`` where they are parsed.
    """

    text: str
    calls: tuple[SplitCall, ...]
    capture: Capture


def split_message(message: object) -> SplitMessage:
    """Split a message as a provider's interface returns it; never raises on a JSON value."""
    splitting = _Splitting()
    gather(message, splitting)
    is_parsed = any(not isinstance(call.arguments, str) for call in splitting.calls)
    capture = Capture.CALLS if is_parsed else Capture.ARGUMENTS
    return SplitMessage(splitting.text, tuple(splitting.calls), capture)


class _Splitting(Gathering):
    """Keeps each call as it stands in the message, once."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[SplitCall] = []

    def take(self, call: Spelled) -> None:
        before = len(self._placed)
        super().take(call)
        if len(self._placed) == before:
            return
        name = call.name if isinstance(call.name, str) else ""
        self.calls.append(SplitCall(call.call_id or "", name, *_arguments(call), self._length))


def _arguments(call: Spelled) -> tuple[str | Mapping[str, Any], Literal["function", "text"]]:
    given = call.arguments
    if isinstance(given, str):
        return given, "function"
    if isinstance(given, Mapping):
        is_text = given.keys() == {"input"} and isinstance(given["input"], str) and call.is_text
        return (given["input"], "text") if is_text else (given, "function")
    return ({} if given is None else {"arguments": given}), "function"
