"""One statement as who asks it sees it: rows as they come, or why there are none, in a sentence."""

import time
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from actionledger.core.errors import UsageError
from actionledger.ledger.guarding.process import DiedError, GuardProcess
from actionledger.ledger.guarding.wire import LateError, OverLimitError


class Asked:
    """One statement that is being answered.

    Args:
        process: answers it.
        request: ``rows``, ``arrow`` or ``parquet``, and the statement.
        seconds: how long that may take.
        max_bytes: how many bytes it may give.
        end: ends the process, for who has it.

    Attributes:
        is_over: whether the process waits for the next one.
    """

    def __init__(
        self,
        process: GuardProcess,
        request: tuple[str, str],
        *,
        seconds: float,
        max_bytes: int,
        end: Callable[[], None],
    ) -> None:
        self._process, self._end = process, end
        self._seconds, self._max_bytes = seconds, max_bytes
        self._until = time.monotonic() + seconds
        self._left = max_bytes
        self.is_over = False
        self._tell(request)

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Yield the rows; while some are used, the next ones are fetched."""
        self._tell(("more",))
        while True:
            [rows] = self.hear("rows")
            if not rows:
                self.is_over = True
                return
            self._tell(("more",))
            yield from rows

    def hear(self, expected: str) -> list[Any]:
        """Return what the process says, which has to be of a kind; whatever else becomes of it is said in a sentence."""
        try:
            (what, *said), length = self._process.hear(self._left, self._until)
        except LateError as error:
            self._end()
            raise self._late() from error
        except OverLimitError as error:
            self._end()
            raise UsageError(
                f"The statement gives more than {_amount(self._max_bytes)}; ask for less."
            ) from error
        except DiedError as error:
            self._died(error)
        except BaseException:  # Ctrl-C
            self._end()
            raise
        self._left -= length
        if what == expected:
            return said
        self.is_over = True
        if what == "wrong":
            raise UsageError(str(said[0]))
        self._end()
        raise UsageError(f"The statement can't be run: {said[-1] if said else 'DuckDB has failed'}")

    def _tell(self, request: tuple[str, ...]) -> None:
        try:
            self._process.tell(request)
        except DiedError as error:
            self._died(error)

    def _died(self, error: DiedError) -> NoReturn:
        self._end()
        if time.monotonic() >= self._until:  # it has ended itself
            raise self._late() from error
        raise UsageError(
            f"The statement can't be run: its process {error}. It needs more memory than it may take, or meets a fault of DuckDB; ask "
            "for less at a time."
        ) from error

    def _late(self) -> UsageError:
        return UsageError(
            f"The statement took longer than {self._seconds:g} seconds and was stopped; ask for less, or give it more time."
        )


def _amount(count: int) -> str:
    return f"{count / 2**30:.3g} GB" if count >= 2**30 else f"{count / 2**20:.3g} MB"
