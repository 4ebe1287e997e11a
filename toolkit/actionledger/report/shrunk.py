"""A text that was made smaller, at a glance."""

from typing import Protocol

from actionledger.core.html import escaped, faithful, frame, heading
from actionledger.core.text import counted, cut, visible


class Smaller(Protocol):
    """A text and the one that it was made of."""

    @property
    def text(self) -> str:
        """The smaller text."""

    @property
    def original(self) -> str:
        """The other one."""

    @property
    def tries(self) -> int:
        """How many texts were tried."""

    @property
    def is_smallest(self) -> bool:
        """Whether nothing more could be left out."""


def shrunk_line(found: Smaller) -> str:
    """Return it in one line."""
    return f"<Shrunk {shrunk_sentence(found)}: {cut(visible(found.text), 80)}>"


def shrunk_sentence(found: Smaller) -> str:
    """Return how much smaller it is."""
    end = "" if found.is_smallest else ", as far as it got"
    return f"{counted(len(found.original), 'character')} to {len(found.text):,} in {counted(found.tries, 'try', 'tries')}{end}"


def shrunk_html(found: Smaller) -> str:
    """Return it as a display: the text, every character as it is."""
    return frame(
        heading("Shrunk", escaped(shrunk_sentence(found))),
        f'<pre class="al-raw"><span>{faithful(found.text)}</span></pre>',
    )
