"""The messages to a model: its instructions, the request, and as many turns as fit. Pure.

The latest turns are shown whole, earlier ones by their beginnings, and still earlier ones only as a number.
Each cut is marked with its size.
"""

from dataclasses import dataclass

from actionledger.runtime.models import Message

_BEGINNING = 160
"""How much is shown of a text in a shortened turn, in characters."""

_MOST_BEGINNINGS = 12
_LEAST = 400
"""The minimum shown of the latest message, even without space, in characters."""


@dataclass(frozen=True, slots=True)
class _Exchange:
    """A response and its feedback."""

    response: str
    told: str

    @property
    def size(self) -> int:
        return len(self.response) + len(self.told)


class Transcript:
    """The messages of a conversation, as many as fit into ``room`` characters; instructions and request are never cut."""

    def __init__(self, system: str, prompt: str, room: int) -> None:
        self._system = system
        self._prompt = prompt
        self._room = room
        self._exchanges: list[_Exchange] = []

    def add(self, response: str, told: str) -> None:
        """Add a response and its feedback."""
        self._exchanges.append(_Exchange(response, told))

    def messages(self) -> tuple[Message, ...]:
        """Return the messages for the next request."""
        room = self._room - len(self._system) - len(self._prompt)
        if sum(exchange.size for exchange in self._exchanges) > room:
            room -= 200 + min(len(self._exchanges), _MOST_BEGINNINGS) * (2 * _BEGINNING + 120)
        whole = self._latest(room)
        before = self._exchanges[: len(self._exchanges) - len(whole)]
        first = "\n\n".join(part for part in (self._prompt, _beginnings(before)) if part)
        messages = [Message("system", self._system), Message("user", first)]
        for exchange in whole:
            messages += [Message("assistant", exchange.response), Message("user", exchange.told)]
        return tuple(messages)

    def _latest(self, room: int) -> list[_Exchange]:
        """Return as many of the latest exchanges as fit; always the last one, cut if necessary."""
        shown: list[_Exchange] = []
        for exchange in reversed(self._exchanges):
            if exchange.size > room:
                break
            room -= exchange.size
            shown.insert(0, exchange)
        if self._exchanges and not shown:
            last = self._exchanges[-1]
            half = max(_LEAST, room // 2)
            return [_Exchange(_middle_cut(last.response, half), _middle_cut(last.told, half))]
        return shown


def _beginnings(exchanges: list[_Exchange]) -> str:
    """Return the shortened form of turns that don't fit."""
    if not exchanges:
        return ""
    left_out = max(0, len(exchanges) - _MOST_BEGINNINGS)
    lines = [
        f"(To save room, of your first {len(exchanges):,} responses and what came of them only beginnings are shown.)"
    ]
    if left_out:
        lines.append(f"Responses 1 to {left_out:,}: left out.")
    for number, exchange in enumerate(exchanges[left_out:], start=left_out + 1):
        lines.append(f"Response {number:,}: {_beginning(exchange.response)}")
        lines.append(f"What came of it: {_beginning(exchange.told)}")
    return "\n".join(lines)


def _beginning(text: str) -> str:
    line = " ".join(text.split())
    if len(line) <= _BEGINNING:
        return line
    return f"{line[:_BEGINNING]} … (cut: {_BEGINNING:,} of {len(text):,} characters are shown)"


def _middle_cut(text: str, room: int) -> str:
    """Return a text, cut in the middle if it is too long."""
    if len(text) <= room:
        return text
    head, tail = room - room // 3, room // 3
    return f"{text[:head]}\n… (cut: {room:,} of {len(text):,} characters are shown) …\n{text[-tail:]}"
