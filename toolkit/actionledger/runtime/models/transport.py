"""HTTP requests: retried until the first byte arrives, limited in time and size, with statuses translated into errors.

A later retry could join the beginning of one response with the end of another.
"""

import ssl
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from itertools import chain
from math import isfinite
from weakref import finalize

from pydantic import SecretStr

from actionledger._version import __version__
from actionledger.core.errors import UsageError, require
from actionledger.runtime.models.access import Endpoint, Timeouts
from actionledger.runtime.models.errors import (
    BrokenResponseError,
    MalformedError,
    ModelError,
    ModelStatusError,
    ModelTimeoutError,
    ModelUnreachableError,
    RateLimitedError,
    RequestRefusedError,
    ServerFailedError,
)
from actionledger.runtime.models.stream import fault_in, json_object

require("A live model", "live", "httpx", "tenacity")
import httpx  # noqa: E402
import tenacity  # noqa: E402

LONGEST = 300
"""The maximum shown of a server's text, in code points."""


def excerpt(text: str, secret: SecretStr | None) -> str:
    """Return a text in quotes, safe to show to an operator."""
    if secret is not None:
        text = text.replace(secret.get_secret_value(), "[key]")
    text = " ".join(text[: 10 * LONGEST].split())
    return repr(text if len(text) <= LONGEST else text[:LONGEST] + "…")


LONGEST_WAIT = 60.0
"""The longest wait requested by a server that is followed, in seconds; after a longer one there is no retry."""

_REFUSAL_BYTES = 64 * 1024
_BACKOFF = tenacity.wait_random_exponential(multiplier=0.5, max=5.0)


class Transport:
    """Posts JSON to one address, with a limit on the response's bytes and on retries after a request without a response."""

    def __init__(
        self, endpoint: Endpoint, key: SecretStr | None, *, timeouts: Timeouts, retries: int, max_bytes: int
    ) -> None:
        self.server = f"The model server at {endpoint.shown}"
        self._endpoint = endpoint
        self._key = key
        self._timeouts = timeouts
        self._attempts = retries + 1
        self._max_bytes = max_bytes
        self._client = _client(endpoint)
        # Connections are closed even if nobody closes the model.
        self.close = finalize(self, self._client.close)

    def quoted(self, text: str) -> str:
        """Return a server's text in quotes, safe to show."""
        return excerpt(text, self._key)

    def post(self, body: bytes) -> Generator[bytes, None, None]:
        """Send a request and yield the response's bytes as they arrive; closing the generator ends the request."""
        deadline = time.monotonic() + self._timeouts.total
        asking = tenacity.Retrying(
            retry=tenacity.retry_if_exception(lambda error: _is_worth_asking_again(error, deadline)),
            stop=tenacity.stop_after_attempt(self._attempts)
            | tenacity.stop_after_delay(self._timeouts.total),
            wait=_wait,
            reraise=True,
        )
        response, pieces = asking(self._open, body, deadline)
        received = 0
        with closing(response):
            for piece in pieces:
                received += len(piece)
                if received > self._max_bytes:
                    raise BrokenResponseError(
                        f"{self.server} sent more than {self._max_bytes:,} bytes; the rest was not read."
                    )
                self._refuse_after(deadline)
                yield piece

    def _open(self, body: bytes, deadline: float) -> tuple[httpx.Response, Iterator[bytes]]:
        """Return a successful response whose first piece has arrived, and its pieces."""
        if not self.close.alive:
            raise UsageError(f"{self.server} is not asked any more: the model was closed; make another one.")
        self._refuse_after(deadline)
        headers = {
            "Content-Type": "application/json",
            # A small compressed response could be huge in memory.
            "Accept-Encoding": "identity",
            "User-Agent": f"actionledger/{__version__}",
        }
        if self._key is not None:
            headers["Authorization"] = f"Bearer {self._key.get_secret_value()}"
        read = min(self._timeouts.read, max(deadline - time.monotonic(), 0.001))
        timeout = httpx.Timeout(read, connect=min(self._timeouts.connect, read))
        request = self._client.build_request(
            "POST", self._endpoint.url, content=body, headers=headers, timeout=timeout
        )
        with ExitStack() as undo, self._translated(ModelUnreachableError):
            response = self._client.send(request, stream=True)
            undo.callback(response.close)
            if not response.is_success:
                raise self._refusal(response, deadline)
            rest = response.iter_bytes()
            first = next(rest, b"")
            undo.pop_all()
        return response, chain((first,), self._rest(rest))

    def _rest(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        with self._translated(BrokenResponseError):
            yield from pieces

    def _refuse_after(self, deadline: float) -> None:
        if time.monotonic() > deadline:
            raise ModelTimeoutError(
                f"{self.server} did not finish in time ({self._timeouts}); raise the total time-out, or ask for less."
            )

    @contextmanager
    def _translated(self, broken: type[ModelError]) -> Iterator[None]:
        """Convert HTTP errors into model errors; ``broken`` is the error for a broken connection here."""
        try:
            yield
        except httpx.TimeoutException as error:
            waited = (
                "takes no connection"
                if isinstance(error, httpx.ConnectTimeout)
                else "was silent for too long"
            )
            message = (
                f"{self.server} {waited} ({self._timeouts}); check that it runs, or raise the time-outs."
            )
            raise ModelTimeoutError(message) from error
        except httpx.RequestError as error:
            where = "broke off its response" if broken is BrokenResponseError else "can't be reached"
            message = f"{self.server} {where}: {self.quoted(str(error))}; check that it runs, and look into its log."
            raise broken(message) from error

    def _refusal(self, response: httpx.Response, deadline: float) -> ModelStatusError:
        """Return the error for an unsuccessful response, with as much of its text as arrives."""
        headers, body = response.headers, self._beginning(response, deadline)
        refusal = HttpRefusal(
            response.status_code, headers.get("Location", ""), headers.get("Retry-After", ""), body
        )
        return status_error(self.server, refusal, self.quoted)

    def _beginning(self, response: httpx.Response, deadline: float) -> bytes:
        body = bytearray()
        try:
            for piece in response.iter_bytes():
                body += piece
                if len(body) > _REFUSAL_BYTES or time.monotonic() > deadline:
                    break
        except httpx.RequestError:
            pass  # the status is enough
        return bytes(body[:_REFUSAL_BYTES])


@cache
def _certificates() -> ssl.SSLContext:
    """Return the certificates of this machine; loading them takes longer than the rest of a client's setup."""
    return httpx.create_ssl_context()


def _client(endpoint: Endpoint) -> httpx.Client:
    try:
        return httpx.Client(verify=_certificates(), trust_env=not endpoint.is_local, follow_redirects=False)
    except (ImportError, OSError, ValueError) as error:
        raise UsageError(
            f"The environment's settings for proxies and certificates can't be used: {error}."
        ) from error


def _is_worth_asking_again(error: BaseException, deadline: float) -> bool:
    if isinstance(error, RateLimitedError | ServerFailedError):
        return (error.retry_after or 0.0) <= min(LONGEST_WAIT, deadline - time.monotonic())
    return isinstance(error, ModelUnreachableError)


def _wait(asked: tenacity.RetryCallState) -> float:
    """Return the wait before the next retry, in seconds: as requested by the server, or increasing."""
    error = asked.outcome.exception() if asked.outcome else None
    wished = error.retry_after if isinstance(error, ModelStatusError) else None
    return _BACKOFF(asked) if wished is None else wished


_ADVICE = {
    400: "change what the request holds",
    401: "check the key",
    403: "check the key and what it gives access to",
    404: "check the base URL and the model's name",
    408: "try again",
    413: "show the model less text",
    422: "change what the request holds",
    429: "wait, or ask less often",
}
_SPENT = frozenset({"insufficient_quota", "billing_not_active"})


@dataclass(frozen=True, slots=True)
class HttpRefusal:
    """An unsuccessful HTTP response."""

    status: int
    location: str  # its `Location` header; empty if missing
    retry_after: str  # its `Retry-After` header; empty if missing
    body: bytes  # the beginning of its body


def status_error(server: str, refusal: HttpRefusal, quoted: Callable[[str], str]) -> ModelStatusError:
    """Return the error for an unsuccessful HTTP response."""
    status, wait = refusal.status, seconds_to_wait(refusal.retry_after)
    if status < 400:
        place = quoted(refusal.location.split("?")[0])
        return RequestRefusedError(
            f"{server} answered {status} and points to {place}; a redirect is not followed, because the key would go "
            "along: give the right address as base URL.",
            status=status,
        )
    said, is_spent = _words(refusal.body)
    answered = f"{server} answered {status}: {quoted(said)}"
    asks = f" It asks to wait {wait:g} s." if wait is not None else ""
    if is_spent:
        return RequestRefusedError(f"{answered}; the quota is used up, look at its billing.", status=status)
    if status >= 500:
        message = f"{answered}; look into its log, or try again later.{asks}"
        return ServerFailedError(message, status=status, retry_after=wait)
    message = f"{answered}; {_ADVICE.get(status, 'check the base URL')}.{asks}"
    if status in {408, 429}:
        return RateLimitedError(message, status=status, retry_after=wait)
    return RequestRefusedError(message, status=status)


def _words(body: bytes) -> tuple[str, bool]:
    """Return the server's message in an error response, and whether it says that the account's quota is used up."""
    text = body.decode(errors="replace")
    try:
        answer = json_object(body)
    except MalformedError:
        return text, False
    fault = answer.get("error")
    return fault_in(answer) or text, isinstance(fault, dict) and fault.get("code") in _SPENT


def seconds_to_wait(retry_after: str) -> float | None:
    """Return the wait in a ``Retry-After`` header, in seconds; None if it can't be parsed."""
    if not retry_after:
        return None
    try:
        seconds = float(retry_after)
    except ValueError:
        pass
    else:
        return max(0.0, seconds) if isfinite(seconds) else None
    try:
        moment = parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())
