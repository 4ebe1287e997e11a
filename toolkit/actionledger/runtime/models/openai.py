"""A client of OpenAI's chat interface, which Ollama, vLLM, the llama.cpp server and most hosted models speak."""

import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Self

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.errors import UsageError
from actionledger.runtime.models.access import Timeouts, endpoint, key_to_send
from actionledger.runtime.models.base import Chunk, Chunks, Completion, Message, Stop, Tools
from actionledger.runtime.models.errors import (
    BrokenResponseError,
    MalformedError,
    ModelError,
    ServerFailedError,
)
from actionledger.runtime.models.stream import Assembly, ServerEvent, events
from actionledger.runtime.models.transport import Transport
from actionledger.runtime.models.wire import OWN_FIELDS, completion_of, fault_in, json_object, request_body

KEY_VARIABLE = "OPENAI_API_KEY"
"""The environment variable that holds the key, where no other is named."""

MAX_BYTES = 64 * 2**20
"""How large a response may be; a stream takes some 200 bytes for a token."""

_NO_OPTIONS: JsonMap = {}
_DEFAULT_TIMEOUTS = Timeouts()


class OpenAICompatible:
    """A model behind a server that speaks OpenAI's chat interface.

    The key is sent in a header and stands nowhere else: in no ``repr``, log, error or record. Redirects are not followed.

    Args:
        base_url: the address that the interface begins with, as ``http://127.0.0.1:11434/v1``.
        model: the model's name, as the server knows it.
        api_key: the key; taken from the environment if not given.
        key_variable: the environment variable that holds the key; None to send none.
        timeouts: how long to wait.
        retries: how often a request is sent again that brought no response (no connection, 408, 429, 5xx), from 0.
        options: further fields of every request, as ``{"temperature": 0}``; one that is None is left out, also
            ``stream_options``, which some servers don't take.
        max_bytes: how large a response may be.

    Raises:
        UsageError: one of them can't work.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: str | None = None,
        key_variable: str | None = KEY_VARIABLE,
        timeouts: Timeouts = _DEFAULT_TIMEOUTS,
        retries: int = 2,
        options: JsonMap = _NO_OPTIONS,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        if retries < 0 or max_bytes < 1:
            raise UsageError(f"retries counts from 0 and max_bytes from 1, got {retries} and {max_bytes}.")
        if taken := sorted(OWN_FIELDS & options.keys()):
            raise UsageError(f"{taken[0]!r} is not an option: a request sets it from its other arguments.")
        self._name = model
        self._options = dict(options)
        self._endpoint = endpoint(base_url)
        key = key_to_send(api_key, key_variable)
        self._transport = Transport(
            self._endpoint, key, timeouts=timeouts, retries=retries, max_bytes=max_bytes
        )

    @property
    def name(self) -> str:
        """The model's name, as the server knows it."""
        return self._name

    def __repr__(self) -> str:
        return f"OpenAICompatible({self._endpoint.shown!r}, {self._name!r})"

    def complete(self, messages: Sequence[Message], *, tools: Tools = None, stop: Stop = None) -> Completion:
        """Return the model's response; see ``Model``."""
        body = self._body(messages, tools, stop, stream=False)
        begin = time.perf_counter()
        with self._errors_in_words():
            data = self._object(b"".join(self._transport.post(body)))
            return completion_of(data, model=self._name, elapsed_ms=_milliseconds_since(begin))

    def stream(self, messages: Sequence[Message], *, tools: Tools = None, stop: Stop = None) -> Chunks:
        """Yield the model's response piece by piece; see ``Model``."""
        body = self._body(messages, tools, stop, stream=True)
        begin = time.perf_counter()
        assembly = Assembly(self._name)
        try:
            with self._errors_in_words(), closing(self._transport.post(body)) as pieces:
                yield from self._chunks(events(pieces), assembly)
        except ModelError as error:
            is_whole = isinstance(error, BrokenResponseError) and assembly.finish_reason is not None
            if not is_whole:  # once it says why it ended, nothing but the usage can still be missing
                if assembly.has_choice:
                    error.partial = assembly.completion(_milliseconds_since(begin))
                raise
        yield Chunk(assembly.half, completion=assembly.completion(_milliseconds_since(begin)))

    def close(self) -> None:
        """Let go of the connections; a second time does nothing."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _body(self, messages: Sequence[Message], tools: Tools, stop: Stop, *, stream: bool) -> bytes:
        return request_body(
            self._name, messages, tools=tools, stop=stop, stream=stream, options=self._options
        )

    def _chunks(self, received: Iterator[ServerEvent], assembly: Assembly) -> Iterator[Chunk]:
        """Yield the pieces of a stream that have something in them, up to its end."""
        is_done = False
        for event in received:
            if event.data.strip() == "[DONE]":
                is_done = True
                break
            if event.name == "error":
                raise self._reported(event.data)
            chunk = assembly.add(self._object(event.data))
            if chunk.text or chunk.reasoning:
                yield chunk
        if not assembly.has_choice:
            raise BrokenResponseError(f"{self._transport.server} sent a stream with no response in it.")
        if not is_done and assembly.finish_reason is None:
            raise BrokenResponseError(
                f"{self._transport.server} ended its response in the middle; ask again."
            )

    def _object(self, text: str | bytes) -> JsonDict:
        """Return the object that the server sent, unless it reports a fault."""
        data = json_object(text)
        if fault := fault_in(data):
            raise self._reported(fault)
        return data

    def _reported(self, fault: str) -> ServerFailedError:
        server = self._transport.server
        return ServerFailedError(
            f"{server} reports a fault: {self._transport.quoted(fault)}; look into its log."
        )

    @contextmanager
    def _errors_in_words(self) -> Iterator[None]:
        """Tell what can't be read in words that name the server."""
        try:
            yield
        except MalformedError as error:
            sent = f"{self._transport.server} sent {error.what}: {self._transport.quoted(error.excerpt)}"
            raise BrokenResponseError(
                f"{sent}; check that the base URL is one of OpenAI's chat interface (most end in /v1)."
            ) from error


def _milliseconds_since(begin: float) -> float:
    return (time.perf_counter() - begin) * 1000
