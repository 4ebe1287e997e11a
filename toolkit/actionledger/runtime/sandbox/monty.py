"""Monty: a small Python interpreter in Rust. It runs on every system, but lacks much of the language."""

from threading import Event, Lock
from typing import TYPE_CHECKING

from actionledger.core.errors import missing
from actionledger.runtime.sandbox.base import DEFAULT_LIMITS, NO_API, Api, Availability, CodeResult, Limits
from actionledger.runtime.sandbox.ending import measured

if TYPE_CHECKING:
    from actionledger.runtime.sandbox.monty_worker import MontyWorkers


class MontySandbox:
    """Runs code in the interpreter of the package ``pydantic-monty`` (the extra ``sandbox``)."""

    name = "monty"

    def __init__(self) -> None:
        self._lock = Lock()
        self._workers: MontyWorkers | None = None
        self._availability: Availability | None = None

    def available(self) -> Availability:
        """Return whether the package is installed and its interpreter runs here."""
        if self._availability is None:
            self._availability = self._looked_for()
        return self._availability

    def run(
        self, code: str, *, api: Api = NO_API, limits: Limits = DEFAULT_LIMITS, cancel: Event | None = None
    ) -> CodeResult:
        """Run code; see ``Sandbox.run``."""
        return measured(
            self.name,
            code,
            api,
            limits,
            lambda host, output: self._ready().run(code, host, output, cancel),
            cancel=cancel,
        )

    def close(self) -> None:
        """End the spare interpreters; the next run starts one."""
        with self._lock:
            workers, self._workers = self._workers, None
        if workers is not None:
            workers.close()

    def _ready(self) -> "MontyWorkers":
        # The package is an extra, so it is imported only on use.
        from actionledger.runtime.sandbox.monty_worker import MontyWorkers  # noqa: PLC0415 - as said

        with self._lock:
            if self._workers is None:
                self._workers = MontyWorkers()
            return self._workers

    def _looked_for(self) -> Availability:
        if (lacking := missing("Monty", "sandbox", "pydantic_monty")) is not None:
            return Availability(available=False, reason=str(lacking).rstrip("."))
        result = self.run("6 * 7")
        if result.value != 42:
            return Availability(available=False, reason=f"its interpreter doesn't run here: {result.message}")
        return Availability(available=True, reason="an interpreter without files, network and processes")
