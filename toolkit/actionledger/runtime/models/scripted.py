"""Scripted and recorded models: fixed responses for tests and demonstrations, or a session's recorded responses."""

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
    """One request."""

    messages: tuple[Message, ...]  # the messages to the model
    tools: Tools  # the offered tools
    stop: Stop  # the stop sequences


class ScriptedModel:
    """A model with given responses, returned in order.

    Args:
        responses: one text, completion, or error to raise per request; the ``partial`` of a ``ModelError``
            is streamed before it is raised. The sequence may be endless.
        name: its name, for the records.
        piece: the length of a streamed text's pieces, in code points.

    Attributes:
        asked: the requests so far, in order.
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
        """Return a model with the responses in a file.

        Args:
            path: a file with one JSON value per line: a text, or an object with a ``text``, as in the format ``jsonl``.

        Raises:
            SourceError: the file can't be opened, or a line has another form.
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
        """Return the next response, or raise the next error; see ``Model``. Stop sequences have no effect.

        Raises:
            NoMoreResponsesError: there are no more responses.
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
    """A model that returns the responses of a recorded session in order, whatever its messages.

    Args:
        ledger: the ledger with the session.
        name: the session: its own name, its id, the beginning of either, or its title.
        strict: whether to compare the last message with the recorded prompt (or the previous turn's feedback,
            if that was the prompt) and raise if they differ. A turn without a recorded prompt is not compared;
            one with masked secrets in its text is refused.

    Raises:
        UsageError: there is no such session, or several match.
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
        """The name of the recorded model."""
        return self._model

    def complete(self, messages: Sequence[Message], *, tools: Tools = None, stop: Stop = None) -> Completion:  # noqa: ARG002 - the protocol's
        """Return the next recorded response; see ``Model``. Tools and stop sequences are not recorded, and are ignored."""
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
    """Raise if the record shows that a response was given to other messages."""
    # The record's mark of masking covers the prompt, too; a masked text itself contains placeholders.
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
    """Return the index of the first difference of two texts."""
    pairs = zip(one, other, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
