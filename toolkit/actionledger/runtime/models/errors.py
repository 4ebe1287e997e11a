"""Errors of language models. The audience is the operator.

ModelError                        there is no whole response; carries what came of it
├── ModelUnreachableError         no connection, or it broke before the first byte of a response
├── ModelTimeoutError             connecting, waiting, or all of it together took too long
├── ModelStatusError              the server answered, but with no response; carries the status
│   ├── RequestRefusedError       the request can't work: key, address, model's name, its own content
│   ├── RateLimitedError          too many requests
│   └── ServerFailedError         the server has a fault, before or in the middle of the response
├── BrokenResponseError           the response was cut off, is no JSON, has no choice in it, or is too large
├── NoMoreResponsesError          a recorded or scripted model has given all that it has
└── ReplayDivergedError           a recorded model was shown something else than what is recorded
"""

from actionledger.core.errors import ActionLedgerError
from actionledger.runtime.models.base import Completion


class ModelError(ActionLedgerError):
    """There is no whole response.

    Args:
        message: one sentence for the operator.
        partial: what came of the response; None where nothing did.
    """

    def __init__(self, message: str, *, partial: Completion | None = None) -> None:
        super().__init__(message)
        self.partial = partial


class ModelUnreachableError(ModelError):
    """There is no connection, or it broke before the first byte of a response."""


class ModelTimeoutError(ModelError):
    """Connecting, waiting, or all of it together took too long."""


class ModelStatusError(ModelError):
    """The server answered, but with no response.

    Args:
        message: one sentence for the operator.
        status: the HTTP status; 200 where the server reports its fault within a response.
        retry_after: how long the server asks to wait, in seconds; None where it doesn't say.
    """

    def __init__(self, message: str, *, status: int = 200, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after


class RequestRefusedError(ModelStatusError):
    """The request can't work: its key, its address, the model's name or its own content."""


class RateLimitedError(ModelStatusError):
    """There were too many requests."""


class ServerFailedError(ModelStatusError):
    """The server has a fault, before or in the middle of the response."""


class BrokenResponseError(ModelError):
    """The response was cut off, is no JSON, has no choice in it, or is too large."""


class NoMoreResponsesError(ModelError):
    """A recorded or scripted model has given all that it has."""


class ReplayDivergedError(ModelError):
    """A recorded model was shown something else than what is recorded."""


class MalformedError(Exception):
    """Bytes that can't be read; whoever knows the server makes a ``BrokenResponseError`` of it.

    Args:
        what: what was sent, as the object of "the server sent …".
        excerpt: where it goes wrong; not yet fit to be shown.
    """

    def __init__(self, what: str, excerpt: str) -> None:
        super().__init__(what)
        self.what = what
        self.excerpt = excerpt
