"""What the code printed, kept up to a limit however the process keeps to it."""

import re

from actionledger.runtime.sandbox.inside.frames import FrameError
from actionledger.runtime.sandbox.inside.plain import well_formed
from actionledger.runtime.sandbox.inside.streams import STREAMS
from actionledger.runtime.sandbox.wording import cut_line

_LONGEST_WORD = 300
"""The longest secret that is not cut into, in characters."""

_LAST_WORD = re.compile(r"(?<=\s)\S+\Z")


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
        """Keep a text as far as there is room."""
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
        kept = well_formed("".join(self._parts[stream]))
        if stream not in self._cut:
            return kept
        return _whole_words(kept) + cut_line(self._most)


def _whole_words(text: str) -> str:
    """Return a text that was cut without its last word, as far as it is no long one: half of a secret is not known as such."""
    found = _LAST_WORD.search(text, max(0, len(text) - _LONGEST_WORD))
    return text[: found.start()] if found else text
