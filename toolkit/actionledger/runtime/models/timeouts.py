"""How long to wait for a model."""

from dataclasses import dataclass

from actionledger.core.errors import UsageError


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long to wait, in seconds.

    Args:
        connect: for a connection.
        read: for the next piece; before the first one a model reads its prompt.
        total: for all of it, retries included; looked at with every piece.

    Raises:
        UsageError: one of them is not above 0.
    """

    connect: float = 10.0
    read: float = 300.0
    total: float = 900.0

    def __post_init__(self) -> None:
        if not all(seconds > 0 for seconds in (self.connect, self.read, self.total)):
            raise UsageError(f"Time-outs are seconds above 0, got {self}.")

    def __str__(self) -> str:
        return f"connect {self.connect:g} s, read {self.read:g} s, total {self.total:g} s"
