"""What the code printed, kept up to a limit however the process keeps to it."""

from actionledger.sandbox.inside.frames import FrameError
from actionledger.sandbox.inside.plain import well_formed
from actionledger.sandbox.inside.streams import STREAMS
from actionledger.sandbox.wording import cut_line


class Output:
    """The captured texts of a run.

    Args:
        most: the most characters that are kept of each stream.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._parts: dict[str, list[str]] = {name: [] for name in STREAMS}
        self._left = dict.fromkeys(self._parts, most)
        self._cut: set[str] = set()

    def add(self, stream: str, text: str, *, cut: bool = False) -> None:
        """Keep a text as far as there is room.

        Args:
            stream: where it was printed.
            text: what was printed.
            cut: whether the sender has left out what follows.

        Raises:
            FrameError: there is no such stream.
        """
        if stream not in self._parts:
            raise FrameError("there is no such stream")
        kept = text[: self._left[stream]]
        if kept:
            self._parts[stream].append(kept)
            self._left[stream] -= len(kept)
        if cut or len(kept) < len(text):
            self._cut.add(stream)

    def text(self, stream: str) -> str:
        """Return what was kept of a stream; where it was cut, the last line says so."""
        end = cut_line(self._most) if stream in self._cut else ""
        return well_formed("".join(self._parts[stream])) + end
