"""Scripted and recorded models: fixed responses for tests and demonstrations, or a session's responses once more."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from actionledger.core.errors import SourceError
from actionledger.ledger.queries import Queryable, Response, conversation, session
from actionledger.ledger.queries.names import one_session
from actionledger.ledger.storage.encoding import as_recorded
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
from actionledger.runtime.models.errors import ModelError, NoMoreResponsesError, ReplayDivergedError

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
        raise SourceError(f"{path}:{number}: the line is not JSON: {error}.") from error
    text = value.get("text") if isinstance(value, dict) else value
    if not isinstance(text, str):
        raise SourceError(
            f"{path}:{number}: a line is a text, or an object whose 'text' is one, got {line[:60]!r}."
        )
    return text


_PIECE = 16
_SHOWN = 60
_STAND_INS = frozenset("*\ufffd")


class RecordedModel:
    """Gives the responses of a recorded session in their order, whatever it is shown.

    Args:
        ledger: where the session is recorded.
        name: which session: its own name, its id, the beginning of either, or its title.
        strict: whether to compare the last message with the recorded prompt (or the feedback of the turn before,
            where that was the prompt) and to refuse where they differ. A turn whose prompt was not recorded is
            given without; one whose text is not recorded exactly (a secret was masked) is refused.

    Raises:
        UsageError: there is no such session, or several are called that.
    """

    def __init__(self, ledger: Queryable, name: str, *, strict: bool = False) -> None:
        session_id = one_session(ledger, name)
        recorded = session(ledger, session_id)
        assert recorded is not None
        self._called = name
        self._model = recorded.model
        self._strict = strict
        self._responses = conversation(ledger, session_id)
        self._given = 0

    @property
    def name(self) -> str:
        """The name of the model that was recorded."""
        return self._model

    def complete(self, messages: Sequence[Message], *, tools: Tools = None, stop: Stop = None) -> Completion:  # noqa: ARG002 - the protocol's
        """Return the next recorded response; see ``Model``. Tools and stops made no part of the record."""
        if self._given == len(self._responses):
            raise NoMoreResponsesError(
                f"The session {self._called} has {self._given} recorded responses, and all were given; its replay "
                "ends here."
            )
        response = self._responses[self._given]
        if self._strict:
            before = self._responses[self._given - 1] if self._given else None
            _refuse_difference(response, before, messages)
        self._given += 1
        return said(response.text, model=self._model)

    def stream(self, messages: Sequence[Message], *, tools: Tools = None, stop: Stop = None) -> Chunks:
        """Yield the next recorded response in pieces; see ``complete``."""
        yield from in_pieces(self.complete(messages, tools=tools, stop=stop), _PIECE)


def _refuse_difference(response: Response, before: Response | None, messages: Sequence[Message]) -> None:
    """Raise where a response was not given to these messages, as far as the record knows."""
    # The record's mark covers the prompt, too; a text that was changed itself shows what stands in for the rest.
    if not response.text_is_exact and not _STAND_INS.isdisjoint(response.text):
        raise ReplayDivergedError(
            f"Turn {response.index} is not recorded exactly (a secret or half a character was replaced); replay it "
            "without strict=True."
        )
    prompt = response.prompt if response.prompt is not None else before.feedback if before else None
    if prompt is None:
        return
    shown = as_recorded(messages[-1].content) if messages else ""
    if shown != prompt:
        place = _first_difference(shown, prompt)
        raise ReplayDivergedError(
            f"Turn {response.index} was recorded after another message: at character {place} it goes on with "
            f"{prompt[place : place + _SHOWN]!r}, and not with {shown[place : place + _SHOWN]!r}; replay it without "
            "strict=True, or find what changed the message."
        )


def _first_difference(one: str, other: str) -> int:
    """Return where two texts part."""
    pairs = zip(one, other, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
