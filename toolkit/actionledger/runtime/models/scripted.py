"""A model that says what it was told to say, and remembers what it was asked: for tests and demonstrations."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from actionledger.core.errors import SourceError
from actionledger.runtime.models.base import (
    Chunks,
    Completion,
    Message,
    Stop,
    Tools,
    in_pieces,
    said,
    text_pieces,
)
from actionledger.runtime.models.errors import ModelError, NoMoreResponsesError

_PIECE = 16


@dataclass(frozen=True, slots=True)
class Asked:
    """One request.

    Args:
        messages: what was shown.
        tools: what was offered.
        stop: texts before which to end.
    """

    messages: tuple[Message, ...]
    tools: Tools
    stop: Stop


class ScriptedModel:
    """Gives the responses that it was made with, in their order.

    Args:
        responses: a text, a completion, or an error to raise, for one request each; what a ``ModelError`` carries as
            ``partial`` is streamed before it is raised. They may go on without end.
        name: its name, for the records.
        piece: how long the pieces of a streamed text are, in code points.

    Attributes:
        asked: the requests, in order.
    """

    def __init__(
        self,
        responses: Iterable[str | Completion | Exception],
        *,
        name: str = "scripted",
        piece: int = _PIECE,
    ) -> None:
        self.asked: list[Asked] = []
        self._responses = iter(responses)
        self._name = name
        self._piece = piece

    @classmethod
    def from_file(cls, path: Path) -> Self:
        """Return a model that says what a file holds.

        Args:
            path: a JSON value a line: a text, or an object whose ``text`` is one, as the format ``jsonl`` has it.

        Raises:
            SourceError: the file can't be opened, or a line is something else.
        """
        try:
            lines = path.read_text(encoding="utf-8").split("\n")
        except (OSError, UnicodeError) as error:
            raise SourceError(f"The script {str(path)!r} can't be read: {error}.") from error
        return cls(
            [_response(path, number, line) for number, line in enumerate(lines, start=1) if line.strip()],
            name=path.stem,
        )

    @property
    def name(self) -> str:
        """Its name, for the records."""
        return self._name

    def complete(self, messages: Sequence[Message], *, tools: Tools = None, stop: Stop = None) -> Completion:
        """Return the next response, or raise the next error; see ``Model``. A stop changes no response.

        Raises:
            NoMoreResponsesError: there is none.
        """
        response = self._next(Asked(tuple(messages), tools, stop))
        if isinstance(response, Exception):
            raise response
        return response

    def stream(self, messages: Sequence[Message], *, tools: Tools = None, stop: Stop = None) -> Chunks:
        """Yield the next response in pieces, or raise the next error; see ``complete``."""
        response = self._next(Asked(tuple(messages), tools, stop))
        if isinstance(response, Exception):
            if isinstance(response, ModelError) and response.partial:
                yield from text_pieces(response.partial, self._piece)
            raise response
        yield from in_pieces(response, self._piece)

    def _next(self, asked: Asked) -> Completion | Exception:
        self.asked.append(asked)
        try:
            response = next(self._responses)
        except StopIteration:
            given = len(self.asked) - 1
            return NoMoreResponsesError(
                f"The script {self._name!r} is at its end after {given} requests; give it more responses."
            )
        return (
            said(response, model=self._name, finish_reason="stop") if isinstance(response, str) else response
        )


def _response(path: Path, number: int, line: str) -> str:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{path}:{number}: the line is no JSON: {error}.") from error
    text = value.get("text") if isinstance(value, dict) else value
    if not isinstance(text, str):
        raise SourceError(
            f"{path}:{number}: a line is a text, or an object whose 'text' is one, got {line[:60]!r}."
        )
    return text
