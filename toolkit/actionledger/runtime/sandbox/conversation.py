"""What the host says to a process and takes from it. The process is a stranger as soon as it has the code.

Its frames are taken by an allow-list of kinds and fields. Whatever else it sends ends the run.
"""

from dataclasses import asdict, dataclass
from typing import Any

from actionledger.runtime.sandbox import ending
from actionledger.runtime.sandbox.channel import Channel
from actionledger.runtime.sandbox.deadline import Deadline
from actionledger.runtime.sandbox.ending import Ending
from actionledger.runtime.sandbox.host_calls import HostCalls, LimitExceededError, Raised
from actionledger.runtime.sandbox.inside.frames import Frame, FrameError
from actionledger.runtime.sandbox.inside.modules import rare_modules_in
from actionledger.runtime.sandbox.output import Output

_MAX_WORDS = 200
"""The most characters of a few words that are taken from the process."""


class NotConfinedError(Exception):
    """The process did not say that it has shut itself in; it must not be given code."""


@dataclass(slots=True)
class Conversation:
    """One run, as the host leads it.

    Args:
        channel: to the process.
        host: answers its calls, and knows how much it may send.
        output: keeps what it prints.
        code: what it is to run; the process is not given it before it is confined.
    """

    channel: Channel
    host: HostCalls
    output: Output
    code: str

    def confine(self, deadline: Deadline) -> Frame:
        """Give the process its task, and wait until it has shut itself in.

        Returns:
            Which walls stand.

        Raises:
            NotConfinedError: they don't.
            TimeoutError, CancelledError, EOFError, BrokenPipeError: it doesn't answer.
        """
        self.channel.send(self._task(), deadline)
        try:
            walls = self._receive(deadline)
        except (FrameError, LimitExceededError) as error:
            raise NotConfinedError(str(error)) from error
        if walls.get("kind") != "confined" or walls.get("seccomp") is not True:
            raise NotConfinedError(str(walls.get("why", walls))[:_MAX_WORDS])
        return walls

    def run(self, deadline: Deadline) -> Ending:
        """Give a confined process its code, and serve it until it has ended.

        Raises:
            TimeoutError, CancelledError, EOFError, BrokenPipeError: it doesn't end in an orderly way.
            LimitExceededError: it is beyond a limit.
            FrameError: it sends what no honest process does.
        """
        self.channel.send({"kind": "run", "code": self.code}, deadline)
        while True:
            frame = self._receive(deadline)
            match frame:
                case {"kind": "output", "stream": str(stream), "text": str(text), "cut": bool(cut)}:
                    self.output.add(stream, text, cut=cut)
                case {"kind": "log", "message": str(message)}:
                    self.host.log(message)
                case {"kind": "call", "method": str(path), "arguments": list(given), "keywords": dict(named)}:
                    self._answer(path, given, named, deadline)
                case {"kind": "done", "value": value}:
                    # The process has measured it already; a stranger's word is not taken for it.
                    return ending.succeeded(value, self.host.limits)
                case {"kind": "too_large", "what": str(what)}:
                    return ending.too_large(what)
                case {
                    "kind": "raised",
                    "type": str(kind),
                    "message": str(text),
                    "line": int() | None as line,
                }:
                    return ending.raised(kind, text, line, self.code, self.host)
                case _:
                    raise FrameError(
                        f"a frame of the kind {str(frame.get('kind'))[:_MAX_WORDS]!r} is not expected"
                    )

    def _task(self) -> Frame:
        limits = self.host.limits
        return {
            "kind": "prepare",
            "api": self.host.api.name,
            "methods": sorted(self.host.api.methods),
            "modules": rare_modules_in(self.code),
            "bounds": asdict(limits.value_bounds),
            "result_bounds": asdict(limits.result_bounds),
            "output": limits.output,
            "memory": limits.memory,
            "seconds": limits.seconds,
        }

    def _receive(self, deadline: Deadline) -> Frame:
        return self.channel.receive(self.host.limits, deadline)

    def _answer(self, path: str, arguments: list[Any], keywords: dict[str, Any], deadline: Deadline) -> None:
        answer = self.host.call(path, arguments, keywords)
        if isinstance(answer, Raised):
            frame = {"kind": "raised", "type": answer.type, "message": answer.message}
        else:
            frame = {"kind": "returned", "value": answer.value}
        self.channel.send(frame, deadline)
