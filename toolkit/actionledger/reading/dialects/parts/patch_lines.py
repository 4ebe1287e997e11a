"""The lines of a patch in OpenAI's form: which of them are no part of a file's section, by the rules of Codex's parser."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import Reason

_SECTION = re.compile(r"[ \t]*\*\*\* (?P<kind>Add|Delete|Update) File: (?P<path>\S.*)")
_MOVE = re.compile(r"\*\*\* Move to: \S.*")
_CONTEXT = re.compile(r"@@(?: .*)?")
_END_OF_FILE = "*** End of File"
_KINDS = "*** Add File: PATH, *** Delete File: PATH or *** Update File: PATH"


class _Line(NamedTuple):
    text: str
    start: int

    @property
    def span(self) -> Span:
        return Span(self.start, self.start + len(self.text))


def faults_of(patch: str, start: int) -> tuple[Issue, ...]:
    """Return what is wrong with a patch's sections and hunks, an issue for each, in text order; none where nothing is."""
    lines = list(_lines(patch, start))[1:-1]
    checker = _Checker()
    for line in lines:
        checker.take(line)
    checker.end_section()
    return tuple(checker.faults)


def _lines(patch: str, start: int) -> Iterator[_Line]:
    at = start
    for line in patch.split("\n"):
        text = line.removesuffix("\r")
        yield _Line(text, at)
        at += len(line) + 1


class _Checker:
    """Walks the lines of a patch; behind a line that fits nowhere, all is passed over up to the next section."""

    def __init__(self) -> None:
        self.faults: list[Issue] = []
        self._header: _Line | None = None
        self._kind = ""
        self._is_lost = False
        self._hunks = 0
        self._hunk_lines = 0
        self._hunk: _Line | None = None

    def take(self, line: _Line) -> None:
        """Look at a line."""
        if "***" in line.text and (section := _SECTION.fullmatch(line.text)):
            self.end_section()
            self._header, self._kind, self._is_lost = line, section["kind"], False
            self._hunks, self._hunk_lines, self._hunk = 0, 0, None
        elif self._is_lost:
            return
        elif self._kind == "Add" and line.text.startswith("+"):
            self._hunk_lines += 1
        elif self._kind == "Update":
            self._take_update(line)
        else:
            self._lose(line, f"Expected {_KINDS}.")

    def end_section(self) -> None:
        """Look back at the section that ends here: an update has a hunk, and each hunk has a line."""
        if self._header is None or self._is_lost or self._kind != "Update":
            return
        self._end_hunk()
        if not self._hunks:
            self.faults.append(Issue(Reason.WRONG_SHAPE, self._header.span, "The update has no hunk."))

    def _take_update(self, line: _Line) -> None:
        if not self._hunks and self._hunk is None and _MOVE.fullmatch(line.text):
            return
        if _CONTEXT.fullmatch(line.text):  # several of them one after the other lead to one place
            self._hunk, self._hunk_lines = line, 0
            self._hunks += 1
        elif line.text == _END_OF_FILE:
            self._end_hunk()
        elif line.text[:1] in {" ", "+", "-", ""}:
            self._hunks = self._hunks or int(bool(line.text))  # the first hunk needs no mark
            self._hunk_lines += bool(line.text)
        else:
            self._lose(line, "A line of a hunk begins with a blank, + or -, and a hunk with @@.")

    def _end_hunk(self) -> None:
        if self._hunk is not None and not self._hunk_lines:
            self.faults.append(Issue(Reason.WRONG_SHAPE, self._hunk.span, "The hunk has no lines."))
        self._hunk = None

    def _lose(self, line: _Line, detail: str) -> None:
        self.faults.append(Issue(Reason.WRONG_SHAPE, line.span, detail))
        self._is_lost = True
