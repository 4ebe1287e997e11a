"""One fenced command of a shell: the action of mini-swe-agent's responses.

A bash fence is usually somebody's example, so every format together looks for one only where a shell was offered.
"""

import re
from collections.abc import Sequence
from typing import ClassVar, Literal

from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import Reason
from actionledger.reading.dialects.base import Dialect, Found, Written
from actionledger.reading.dialects.parts.shells import one_command, shell_tool
from actionledger.reading.dialects.parts.verdicts import read_block, refused
from actionledger.reading.dialects.parts.writing import PlainCall, fenced
from actionledger.reading.scan.openings import Opening
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.options import DecodeOptions

_OPENER = re.compile(r"^[ \t]*(?:`{3,}|~{3,})[ \t]*(?i:mswea_bash_command|bash)(?=\s|$)", re.MULTILINE)


class BashFence(Dialect):
    """The one ```` ```bash ```` fence of a response is a command to run; the runtime refuses a response with several.

    Args:
        needs_shell: whether it is looked for only where a tool was offered that runs a command of a shell.
    """

    name: Literal["bash_fence"] = "bash_fence"
    needs_shell: bool = False
    source = "mini-swe-agent, config/mini_textbased.yaml and models/utils/actions_text.py; version 2 labels it mswea_bash_command"
    rules = (
        "Write exactly one command, in a fence labelled bash; join several with && or ||.",
        "It is run as it stands: escape nothing.",
    )
    example = "I list the files.\n\n```bash\nls -la\n```"
    strings_only: ClassVar[bool] = True

    @property
    def fence_labels(self) -> frozenset[str]:
        """The labels of both versions."""
        return frozenset({"bash", "mswea_bash_command"})

    def read(self, source: Source, opening: Opening, end: int, _options: DecodeOptions) -> Found | None:
        """Read the fenced command that begins here; see ``Dialect.read``."""
        name = shell_tool(source, is_needed=self.needs_shell)
        if not name:
            return None
        closing = source.closing_fence(opening, opening.end, end)
        span, body = Span(opening.start, closing.end), Span(opening.end, closing.start)
        command = body.of(source.text).strip()
        if not closing.found:  # a command that is cut may do something else
            reason = Reason.UNCLOSED_FENCE if command else Reason.TRUNCATED
            return refused(span, body, Issue(reason, Span(opening.start, opening.end)))
        if not command:
            return refused(span, body, Issue(Reason.EMPTY_BLOCK, body))
        if source.search(_OPENER, 0, len(source.text)) < source.text.rfind("\n", 0, opening.start) + 1:
            detail = "A response has exactly one bash block, and another one stands before it."
            return refused(span, body, Issue(Reason.AMBIGUOUS, body, detail))
        return read_block(span, body, (Written(name, {"command": command}, span),))

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write the one command; see ``Dialect.write``."""
        return fenced("bash", one_command(calls))
