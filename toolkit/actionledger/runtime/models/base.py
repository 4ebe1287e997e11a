"""The protocol of a language model: it gets messages and returns a response, whole or piece by piece."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, get_args

from actionledger.core.canonical import JsonMap
from actionledger.core.errors import UsageError

Role = Literal["system", "user", "assistant", "tool"]

Tools: TypeAlias = Sequence[JsonMap] | None
"""The tools that a model is offered, each as the OpenAI interface takes it; None to offer none."""

Stop: TypeAlias = Sequence[str] | None
"""Texts before which a live model ends its response; None for its own end only."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message that a model is shown.

    Args:
        role: who says it.
        content: what is said.
        tool_calls: the calls that an assistant's message made beside its text, as its provider wrote them.
        call_id: the call that a tool's message answers; None where the calls stood in the text.

    Raises:
        UsageError: there is no such role.
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
    """The tokens of a response, as the server counts them.

    Args:
        prompt_tokens: tokens that the model was shown; None where the server doesn't say.
        completion_tokens: tokens that it wrote; None where the server doesn't say.
    """

    prompt_tokens: int | None
    completion_tokens: int | None


@dataclass(frozen=True, slots=True)
class Completion:
    """One response of a model.

    Args:
        text: what it said; empty where it only made calls.
        finish_reason: why it ended, in its server's word (``stop``, ``length``, ``tool_calls``, …); None if unknown.
        usage: what it took; None if unknown.
        model: the model that answered, as its server names it.
        elapsed_ms: from the request to the last piece, in milliseconds; 0 for a response that was not made now.
        message: the provider's message as JSON, calls included; ``parsing.providers.read_message`` reads it.
        reasoning: what the model thought to itself, where its server keeps that apart from the text.

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
        """Return the response as the message to show the model in the next turn; thoughts are left out.

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
        reasoning: the next piece of what the model thinks to itself.
        completion: all of the response, in the last piece only; None in the others.

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
    """Anything that gives responses to messages.

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
            messages: what the model is shown, in order.
            tools: the tools that it is offered.
            stop: texts before which it ends.

        Raises:
            ModelError: there is no whole response.

        Example:
            >>> from actionledger.runtime.models import Message, ScriptedModel
            >>> ScriptedModel(["Hello."]).complete([Message("user", "Hi!")]).text
            'Hello.'
        """

    def stream(self, messages: Sequence[Message], *, tools: Tools = None, stop: Stop = None) -> Chunks:
        """Yield the model's response piece by piece; nothing is asked before the first piece is.

        Args:
            messages: what the model is shown, in order.
            tools: the tools that it is offered.
            stop: texts before which it ends.

        Yields:
            The pieces; the last one carries the completion.

        Raises:
            ModelError: there is no whole response; what came before that was given out, and is in ``partial``, too.

        Example:
            >>> from actionledger.runtime.models import Message, ScriptedModel
            >>> model = ScriptedModel(["Hello."], piece=3)
            >>> [chunk.text for chunk in model.stream([Message("user", "Hi!")])]
            ['Hel', 'lo.', '']
        """


def said(text: str, *, model: str, finish_reason: str | None = None) -> Completion:
    """Return a response that is text alone and was not made now."""
    message = {"role": "assistant", "content": text}
    return Completion(text, finish_reason, None, model, 0.0, message)


def in_pieces(completion: Completion, size: int) -> Chunks:
    """Yield a response that is there already as a live one would come."""
    yield from text_pieces(completion, size)
    yield Chunk(completion=completion)


def text_pieces(completion: Completion, size: int) -> Chunks:
    """Yield the pieces of a response's thoughts and text, without the last piece that carries it."""
    if completion.reasoning:
        yield Chunk(reasoning=completion.reasoning)
    for start in range(0, len(completion.text), size):
        yield Chunk(completion.text[start : start + size])
