"""A client of OpenAI's chat API, which Ollama, vLLM, the llama.cpp server and most hosted models offer."""

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
from actionledger.runtime.models.stream import (
    OWN_FIELDS,
    Assembly,
    ServerEvent,
    completion_of,
    events,
    fault_in,
    json_object,
    request_body,
)
from actionledger.runtime.models.transport import Transport

KEY_VARIABLE = "OPENAI_API_KEY"
"""The default environment variable with the key."""

MAX_BYTES = 64 * 2**20
"""The maximum size of a response, in bytes; a stream takes some 200 bytes per token."""

_NO_OPTIONS: JsonMap = {}
_DEFAULT_TIMEOUTS = Timeouts()


class OpenAICompatible:
    """A model on a server with OpenAI's chat API.

    The key is only sent in a header; it is in no ``repr``, log, error or record. Redirects are not followed.

    Raises:
        UsageError: an argument can't be used.
    """

    def __init__(
        self,
        base_url: str,  # the API's base address, such as `http://127.0.0.1:11434/v1`
        model: str,  # the model's name, as the server knows it
        *,
        api_key: str | None = None,  # the key; from the environment if not given
        key_variable: str | None = KEY_VARIABLE,  # the environment variable with the key; None to send none
        timeouts: Timeouts = _DEFAULT_TIMEOUTS,  # the timeouts
        # the maximum number of retries of a request without a response (no connection, 408, 429, 5xx), from 0
        retries: int = 2,
        # further fields of every request, such as `{"temperature": 0}`; a field that is None is omitted. That
        # includes `stream_options`, which some servers reject.
        options: JsonMap = _NO_OPTIONS,
        max_bytes: int = MAX_BYTES,  # the maximum size of a response
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
            if not is_whole:  # after the finish reason, only the usage can be missing
                if assembly.has_choice:
                    error.partial = assembly.completion(_milliseconds_since(begin))
                raise
        yield Chunk(assembly.half, completion=assembly.completion(_milliseconds_since(begin)))

    def close(self) -> None:
        """Close the connections; a second call does nothing."""
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
        """Yield the non-empty pieces of a stream, up to its end."""
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
        """Return the object that the server sent, or raise the failure that it reports."""
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
        """Convert parse errors into errors that name the server."""
        try:
            yield
        except MalformedError as error:
            sent = f"{self._transport.server} sent {error.what}: {self._transport.quoted(error.excerpt)}"
            raise BrokenResponseError(
                f"{sent}; check that the base URL is one of OpenAI's chat interface (most end in /v1)."
            ) from error


def _milliseconds_since(begin: float) -> float:
    return (time.perf_counter() - begin) * 1000
