"""Errors of language models. The audience is the operator.

ModelError                        there is no complete response; carries the part that arrived
├── ModelUnreachableError         no connection, or it broke before the first byte of a response
├── ModelTimeoutError             connecting, waiting, or the whole request took too long
├── ModelStatusError              the server answered without a response; carries the status
│   ├── RequestRefusedError       the request can't succeed: key, address, model's name, its own content
│   ├── RateLimitedError          too many requests
│   └── ServerFailedError         the server failed, before or during the response
├── BrokenResponseError           the response was cut off, is not JSON, has no choice, or is too large
├── NoMoreResponsesError          a recorded or scripted model has no more responses
└── ReplayDivergedError           a recorded model got a message other than the recorded one
"""

from actionledger.core.errors import ActionLedgerError
from actionledger.runtime.models.base import Completion


class ModelError(ActionLedgerError):
    """There is no complete response.

    Args:
        message: one sentence for the operator.
        partial: the part of the response that arrived; None if there is none.
    """

    def __init__(self, message: str, *, partial: Completion | None = None) -> None:
        super().__init__(message)
        self.partial = partial


class ModelUnreachableError(ModelError):
    """There is no connection, or it broke before the first byte of a response."""


class ModelTimeoutError(ModelError):
    """Connecting, waiting, or the whole request took too long."""


class ModelStatusError(ModelError):
    """The server answered without a response.

    Args:
        message: one sentence for the operator.
        status: the HTTP status; 200 if the server reports its failure within a response.
        retry_after: the wait that the server asks for, in seconds; None if missing.
    """

    def __init__(self, message: str, *, status: int = 200, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after


class RequestRefusedError(ModelStatusError):
    """The request can't succeed: because of its key, its address, the model's name or its own content."""


class RateLimitedError(ModelStatusError):
    """There were too many requests."""


class ServerFailedError(ModelStatusError):
    """The server failed, before or during the response."""


class BrokenResponseError(ModelError):
    """The response was cut off, is not JSON, has no choice, or is too large."""


class NoMoreResponsesError(ModelError):
    """A recorded or scripted model has no more responses."""


class ReplayDivergedError(ModelError):
    """A recorded model got a message other than the recorded one."""


class MalformedError(Exception):
    """Bytes that can't be parsed; a caller that knows the server raises ``BrokenResponseError`` instead."""

    def __init__(self, what: str, excerpt: str) -> None:
        super().__init__(what)
        self.what = what
        self.excerpt = excerpt
