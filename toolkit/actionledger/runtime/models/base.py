"""The protocol of a language model: it takes messages and returns a response, whole or in pieces."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, get_args

from actionledger.core.canonical import JsonMap
from actionledger.core.errors import UsageError

Role = Literal["system", "user", "assistant", "tool"]

Tools: TypeAlias = Sequence[JsonMap] | None
"""The tools that a model is offered, each in the format of OpenAI's API; None to offer none."""

Stop: TypeAlias = Sequence[str] | None
"""Stop sequences, before which a live model ends its response; None for no such sequences."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message to a model.

    Args:
        role: the role of the message's author.
        content: the message's text.
        tool_calls: the tool calls of an assistant's message outside its text, as its provider wrote them.
        call_id: the call that a tool's message answers; None if the calls were in the text.

    Raises:
        UsageError: an unknown role.
    """

    role: Role
    content: str
    tool_calls: tuple[JsonMap, ...] = ()
    call_id: str | None = None

    def __post_init__(self) -> None:
        if self.role not in get_args(Role):
            raise UsageError(f"There is no role {self.role!r}; use one of: {', '.join(get_args(Role))}.")


@dataclass(frozen=True, slots=True)
class Usage:
    """A response's tokens, as counted by the server.

    Args:
        prompt_tokens: the number of input tokens; None if the server doesn't report it.
        completion_tokens: the number of output tokens; None if the server doesn't report it.
    """

    prompt_tokens: int | None
    completion_tokens: int | None


@dataclass(frozen=True, slots=True)
class Completion:
    """One response of a model.

    Args:
        text: its text; empty if it only has tool calls.
        finish_reason: why it ended, as a server's code (``stop``, ``length``, ``tool_calls``, …); None if unknown.
        usage: its tokens; None if unknown.
        model: the model that answered, as named by the server.
        elapsed_ms: from the request to the last piece, in milliseconds; 0 for a response that was not made live.
        message: the provider's message as JSON, including tool calls; ``parsing.providers.read_message`` parses it.
        reasoning: the model's reasoning, if the server keeps it apart from the text.

    Example:
        >>> message = {"role": "assistant", "content": "Done."}
        >>> al.Completion("Done.", "stop", None, "small", 12.5, message).text
        'Done.'
    """

    text: str
    finish_reason: str | None
    usage: Usage | None
    model: str
    elapsed_ms: float
    message: JsonMap
    reasoning: str = ""

    def as_message(self) -> Message:
        """Return the response as a message for the model's next turn, without reasoning.

        Example:
            >>> message = {"role": "assistant", "content": "Done."}
            >>> al.Completion("Done.", "stop", None, "small", 12.5, message).as_message().content
            'Done.'
        """
        calls = self.message.get("tool_calls")
        return Message("assistant", self.text, tuple(calls) if isinstance(calls, list) else ())


@dataclass(frozen=True, slots=True)
class Chunk:
    """One piece of a response.

    Args:
        text: the next piece of the text; the pieces together are the completion's text.
        reasoning: the next piece of the model's reasoning.
        completion: the whole response, in the last piece only; None in the others.

    Example:
        >>> [chunk.text for chunk in (al.Chunk(text="Let me "), al.Chunk(text="see."))]
        ['Let me ', 'see.']
    """

    text: str = ""
    reasoning: str = ""
    completion: Completion | None = None


Chunks: TypeAlias = Generator[Chunk, None, None]
"""The pieces of a response; closing the generator ends the request."""


class Model(Protocol):
    """A language model: it responds to messages.

    Example:
        >>> from actionledger.runtime.models import Message, ScriptedModel
        >>> model = ScriptedModel(["Hello."], name="mine")
        >>> model.name, model.complete([Message("user", "Hi!")]).text
        ('mine', 'Hello.')
    """

    @property
    def name(self) -> str:
        """The model's name, for the records."""

    def complete(self, messages: Sequence[Message], *, tools: Tools = None, stop: Stop = None) -> Completion:
        """Return the model's response.

        Args:
            messages: the messages to the model, in order.
            tools: the tools that it is offered.
            stop: the stop sequences.

        Raises:
            ModelError: there is no complete response.

        Example:
            >>> from actionledger.runtime.models import Message, ScriptedModel
            >>> ScriptedModel(["Hello."]).complete([Message("user", "Hi!")]).text
            'Hello.'
        """

    def stream(self, messages: Sequence[Message], *, tools: Tools = None, stop: Stop = None) -> Chunks:
        """Yield the model's response in pieces; the request is sent when the first piece is requested.

        Args:
            messages: the messages to the model, in order.
            tools: the tools that it is offered.
            stop: the stop sequences.

        Yields:
            The pieces; the last one carries the completion.

        Raises:
            ModelError: there is no complete response; the earlier pieces were yielded, and are also in ``partial``.

        Example:
            >>> from actionledger.runtime.models import Message, ScriptedModel
            >>> model = ScriptedModel(["Hello."], piece=3)
            >>> [chunk.text for chunk in model.stream([Message("user", "Hi!")])]
            ['Hel', 'lo.', '']
        """


def said(text: str, *, model: str, finish_reason: str | None = None) -> Completion:
    """Return a response that consists of text only and was not made live."""
    message = {"role": "assistant", "content": text}
    return Completion(text, finish_reason, None, model, 0.0, message)


def in_pieces(completion: Completion, size: int) -> Chunks:
    """Yield an existing response in pieces, like a live one."""
    yield from text_pieces(completion, size)
    yield Chunk(completion=completion)


def text_pieces(completion: Completion, size: int) -> Chunks:
    """Yield the pieces of a response's reasoning and text, without the last piece that carries the completion."""
    if completion.reasoning:
        yield Chunk(reasoning=completion.reasoning)
    for start in range(0, len(completion.text), size):
        yield Chunk(completion.text[start : start + size])
