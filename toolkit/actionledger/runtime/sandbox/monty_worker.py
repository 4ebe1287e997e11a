"""Runs in Monty's own processes. This module imports the package, which is an extra, so it is itself imported only on use."""

import os
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from threading import Event, Thread
from typing import Any

from pydantic_monty import (
    NOT_HANDLED,
    ClassInstance,
    Monty,
    MontyCrashedError,
    MontyError,
    MontyRuntimeError,
    MontySession,
    MontySyntaxError,
    ResourceLimits,
)

from actionledger.core.text import writable
from actionledger.runtime.sandbox import ending, messages
from actionledger.runtime.sandbox.base import LOG, HostMethod, Limits
from actionledger.runtime.sandbox.budget import CancelledError, Deadline
from actionledger.runtime.sandbox.ending import HostCalls, LimitExceededError, Output, Raised, RunEnding
from actionledger.runtime.sandbox.inside.plain import (
    NotPlainError,
    TooLargeError,
    builtin_error,
    exact,
    no_method,
)

_SPARE_SUSPENSIONS = 100_000
"""How often the code may leave the interpreter besides host calls: to sleep, or to look up a name."""


_LACKING = frozenset(
    {"NotImplementedError", "ModuleNotFoundError", "ImportError", "AttributeError", "NameError"}
)
"""Exceptions of code that uses a part of Python that Monty lacks."""


class MontyWorkers:
    """A pool of Monty's processes."""

    def __init__(self) -> None:
        # A process serves one run, so that runs can't affect each other.
        self._pool = Monty(max_checkouts_per_worker=1)
        self._pool.__enter__()

    def close(self) -> None:
        """End the processes."""
        self._pool.__exit__(None, None, None)

    def run(self, code: str, host: HostCalls, output: Output, cancel: Event | None) -> RunEnding:
        """Run code; this table converts every error into an outcome."""
        run = _Run(host, Deadline(host.limits.seconds, cancel))
        try:
            with self._session(host.limits) as session, _watched(session, run.deadline):
                functions = run.functions()
                value = session.feed_run(
                    writable(code),
                    inputs={host.api.name: _Door(host.api.name, functions)},
                    # Monty calls a function that it was given before by its name.
                    external_lookup={function.__name__: function for function in functions.values()},
                    print_callback=output.add,
                    os=run.outside,
                )
                return run.over() or ending.succeeded(value, host.limits)
        except (MontyRuntimeError, MontySyntaxError) as error:
            return run.over() or _raised(error, code, host)
        except MontyCrashedError as error:
            return run.over() or ending.crashed(messages.crashed(str(error)))
        except MontyError as error:
            return run.over() or ending.crashed(messages.crashed(f"{type(error).__name__}: {error}"))
        except (ValueError, RecursionError) as error:
            # Raised for a value that Python itself could not write.
            return run.over() or ending.too_large(f"can't be given back ({error})")

    def _session(self, limits: Limits) -> MontySession:
        resources: ResourceLimits = {
            "max_feed_duration_secs": limits.seconds,
            "max_memory": limits.memory,
            "max_suspensions": limits.calls + _SPARE_SUSPENSIONS,
        }
        return self._pool.checkout(
            script_name="code.py",
            limits=resources,
            # So that a failed assert has the same message as in CPython.
            assert_message_annotations=False,
            os_policy={"sleep": "call_host"},
        )


class _Run:
    """The host's side of one run."""

    def __init__(self, host: HostCalls, deadline: Deadline) -> None:
        self.host = host
        self.deadline = deadline
        self.exceeded: LimitExceededError | None = None

    def over(self) -> RunEnding | None:
        """Return the run's ending, if the host ended it."""
        if self.exceeded is not None:
            return ending.limit_exceeded(str(self.exceeded))
        try:
            self.deadline.wait()
        except TimeoutError:
            return ending.timed_out(self.host.limits)
        except CancelledError:
            return ending.cancelled()
        return None

    def functions(self) -> dict[str, HostMethod]:
        """Return the callable functions by their names in the code, such as ``gb.create_task``."""
        api = self.host.api
        named = {f"{api.name}.{path}": partial(self._call, path) for path in api.methods}
        return {name: _named(name, function) for name, function in named.items()} | {
            f"{api.name}.{LOG}": _named(f"{api.name}.{LOG}", self._log)
        }

    def _log(self, *messages: object) -> None:
        self.host.log(" ".join(map(str, messages)))

    def _call(self, path: str, *arguments: Any, **keywords: Any) -> Any:
        """Call a host method; raise its exceptions in the code."""
        name = f"{self.host.api.name}.{path}()"
        try:
            given = exact([list(arguments), keywords], self.host.limits.value_bounds).value
            answer = self.host.call(path, given[0], given[1])
        except NotPlainError as error:
            raise TypeError(f"an argument of {name} {error}") from None
        except TooLargeError as error:
            raise ValueError(f"an argument of {name} {error}") from None
        except LimitExceededError as error:
            self.exceeded = error
            raise RuntimeError(str(error)) from None
        if isinstance(answer, Raised):
            raise builtin_error(answer.type, answer.message)
        return answer.value

    def outside(self, *, name: str, args: tuple[Any, ...], **_: Any) -> Any:
        """Answer a system request of the code: it may sleep, and nothing else."""
        if name not in {"time.sleep", "asyncio.sleep"}:
            return NOT_HANDLED
        end = time.monotonic() + max(0.0, float(args[0]))
        while (left := end - time.monotonic()) > 0:
            time.sleep(min(left, self.deadline.wait()))
        return None


class _Handle:
    """A handle for Monty in place of the host's object."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"<{self._name}>"


class _Door(ClassInstance):
    """The host's object, or one of its namespaces, for the code."""

    def __init__(self, name: str, functions: Mapping[str, HostMethod]) -> None:
        # Monty requests any attribute; this class decides which exist.
        super().__init__(_Handle(name), lazy_attrs=(name,))
        self._name = name
        self._functions = functions

    def get_eager_attrs(self) -> dict[str, Any]:
        """Return the inner namespaces."""
        start = len(self._name) + 1
        inner = [path[start:].partition(".") for path in self._functions if path.startswith(f"{self._name}.")]
        return {name: _Door(f"{self._name}.{name}", self._functions) for name, dot, _ in inner if dot}

    def lookup_lazy_attrs(self, name: str) -> HostMethod:
        """Return a method that is not called at once: ``fn = gb.list_tasks``."""
        path = f"{self._name}.{name}"
        if path not in self._functions:
            raise AttributeError(no_method(self._name, name, self._functions))
        return self._functions[path]

    def call_method(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self.lookup_lazy_attrs(name)(*args, **kwargs)


def _named(name: str, function: HostMethod) -> HostMethod:
    """Return a function with a given name, because Monty needs names without dots."""

    def named(*arguments: Any, **keywords: Any) -> Any:
        return function(*arguments, **keywords)

    named.__name__ = named.__qualname__ = name.replace(".", "__")
    return named


@contextmanager
def _watched(session: MontySession, deadline: Deadline) -> Iterator[None]:
    """End the session's process when the deadline is past or cancelled: Monty's own clock stops during host calls."""
    process = session.worker_pid
    ended = Event()

    def watch() -> None:
        try:
            while not ended.wait(deadline.wait()):
                pass
        except (TimeoutError, CancelledError):
            if process is not None and not ended.is_set():
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)

    watcher = Thread(target=watch, name="monty-watch", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()


def _raised(error: MontyRuntimeError | MontySyntaxError, code: str, host: HostCalls) -> RunEnding:
    kind, _, text = error.display("type-msg").partition(": ")
    frames = error.traceback()
    ended = ending.raised(kind, text, frames[-1].line if frames else None, code, host)
    if kind in _LACKING:
        return replace(ended, message=f"{ended.message} {messages.part_of_python()}")
    return ended
