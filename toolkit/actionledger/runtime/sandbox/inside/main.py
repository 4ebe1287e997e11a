"""The process's main module: it gets ready, waits for its task, confines itself, and only then requests the code.

host                                   process
prepare: what the code may use ->
                            <-         confined: its walls; or unconfined: why, and then it ends
run: the code               ->
                            <-         output, log, call (each call is answered), any number of times
                            <-         done, raised or too_large
"""

import os
import signal
import sys
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from io import StringIO, TextIOWrapper

from . import frames, program
from .frames import STREAMS, captured
from .lockdown import lock_down
from .plain import Bounds
from .preload import close_imports, keep_local_zone, load_rare, preload
from .proxy import proxy

FROM_HOST, TO_HOST = 0, 1


def main() -> None:
    """Serve one run, then end."""
    # An interrupt at the operator's terminal is for the host, which then ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    preload()
    keep_local_zone()
    with suppress(EOFError, BrokenPipeError):
        _serve()
    # Without cleanup: threads and exit handlers of the code must not run any longer.
    os._exit(0)


def _serve() -> None:
    task = frames.receive(FROM_HOST)
    load_rare(task["modules"])
    streams = tuple(captured(name, task["output"], _tell) for name in STREAMS)
    _look_away_from_the_host(*streams)
    api = proxy(task["api"], task["methods"], Bounds(**task["bounds"]), _tell, partial(_ask, streams))
    try:
        walls = lock_down(task["memory"], task["seconds"], keep=(FROM_HOST, TO_HOST))
    except OSError as error:
        _tell({"kind": "unconfined", "why": f"{error}"})
        return
    close_imports()
    _tell({"kind": "confined"} | asdict(walls))
    source = frames.receive(FROM_HOST)["code"]
    ending = program.run(source, task["api"], api, Bounds(**task["result_bounds"]))
    _flush(streams)
    _tell(ending)


def _look_away_from_the_host(output: TextIOWrapper, errors: TextIOWrapper) -> None:
    """Remove the host's objects from what the code can reach."""
    for name in set(os.environ) - {"TZ"}:
        del os.environ[name]
    sys.argv[:] = [program.FILE]
    # Final only for the type checker; code that bypasses sys.stdout finds the same streams.
    sys.stdin = sys.__stdin__ = StringIO()  # type: ignore[misc,assignment]
    sys.stdout = sys.__stdout__ = output  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = errors  # type: ignore[misc]


def _tell(frame: frames.Frame) -> None:
    frames.send(TO_HOST, frame)


def _ask(streams: tuple[TextIOWrapper, ...], frame: frames.Frame) -> frames.Frame:
    _flush(streams)
    _tell(frame)
    return frames.receive(FROM_HOST)


def _flush(streams: tuple[TextIOWrapper, ...]) -> None:
    for stream in streams:
        if not stream.closed:
            stream.flush()
