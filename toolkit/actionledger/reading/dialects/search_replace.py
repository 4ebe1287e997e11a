"""Edit blocks: a path, a fence, and in it the searched text and its replacement, between lines of marks.

Whole lines are searched for and replaced, so each side keeps its line breaks. The path is above the fence or is its
first line; further edits in the same fence may omit it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Repair, Span
from actionledger.core.vocabulary import Reason, RepairKind
from actionledger.reading.dialects.base import Dialect, Found, Written
from actionledger.reading.dialects.parts.markers import excerpt, read_block, refused
from actionledger.reading.dialects.parts.writing import PlainCall, fenced, raw_text
from actionledger.reading.scan.line_starts import LineStart
from actionledger.reading.scan.openings import Opening, OpeningKind
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.faults import DecodeOptions

_MARK = r"<{7} SEARCH[ \t]*\r?(?:\n|$)"
_HEAD = regex(rf"[ \t]*{_MARK}", re.MULTILINE)
_NEXT_HEAD = LineStart(rf"[ \t]*{_MARK}")
_BEHIND_FENCE = regex(rf"(?:[^\n]*\n)??(?=[ \t]*{_MARK})", re.MULTILINE)
_FENCE = regex(r"[ \t]*(?P<mark>`{3,}|~{3,}|<(?P<tag>source|code|pre|codename|sourcecode)>)(?P<info>[^\n`]*)")
_DIVIDER = regex(r"^[ \t]*={7}[ \t]*\r?\n", re.MULTILINE)
_END = LineStart(r"[ \t]*>{7} REPLACE[ \t]*(?=\r?$)")
_BLANK_LINES = regex(r"(?:[ \t]*\r?\n(?=[ \t]*\r?\n))*+")
_LINE_BREAK = regex(r"[ \t]*\r?\n")
_PATH = regex(r"[^\s`<>|*?\"]*\w")


class SearchReplace(Dialect):
    """Each pair of ``<<<<<<< SEARCH`` and ``>>>>>>> REPLACE`` is an edit of the file whose path was given before.

    A fence with edits is known by what it holds, whatever its label.
    """

    name: Literal["search_replace"] = "search_replace"
    source = "Aider, edit formats diff and diff-fenced"
    rules = (
        (
            "Name the file on a line of its own, then write a fence with the text to replace, exactly "
            "as it stands in the file, and the text to put in its place, between the markers of the "
            "example."
        ),
        "Several edits may follow one another.",
    )
    example = "app.py\n```python\n<<<<<<< SEARCH\nimport flask\n=======\nimport fastapi\n>>>>>>> REPLACE\n```"
    strings_only = True
    respects_fences = False
    reads_any_fence = True

    @property
    def line_patterns(self) -> frozenset[str]:
        """The mark that opens an edit."""
        return frozenset({_MARK})

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the edits whose fence or first mark begins here; see ``Dialect.read``."""
        text = source.text
        if opening.kind is OpeningKind.LINE:
            return _Reader(source, _header(text, opening.start), end, options).found()
        mark = _BEHIND_FENCE.match(text, opening.end, end)
        if mark is None:
            return None
        header = _header(text, mark.end(), fence_at=opening.start)
        return _Reader(source, header, end, options).found()

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write each edit in a fence of its own; see ``Dialect.write``."""
        return "\n\n".join(map(_written, calls))


def _written(call: PlainCall) -> str:
    if call.name != "search_replace" or call.arguments.keys() != {"path", "search", "replace"}:
        raise ValueError(
            f"{call.name!r} with {list(call.arguments)} is not search_replace(path, search, replace)"
        )
    path, search, replace = (raw_text(call.arguments[name]) for name in ("path", "search", "replace"))
    return f"{path}\n" + fenced("", f"<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE")


@dataclass(frozen=True, slots=True)
class _Header:
    """The text before an edit's mark."""

    start: int  # where the block begins: at its path, its fence or its mark
    head: int  # where the line of the mark begins
    path: str  # the path; empty if missing
    closer: str  # the closing line of its fence; empty if no fence is open


@dataclass(frozen=True, slots=True)
class _Edit:
    """One edit: the action, or why it is unreadable, and its end."""

    end: int
    written: Written | None = None
    refusal: Issue | None = None


def _header(text: str, mark: int, *, fence_at: int = -1) -> _Header:
    """Read the two lines before a mark: a path, a fence, or both in either order."""
    start = head = text.rfind("\n", 0, mark) + 1
    path = closer = ""
    for _ in range(2):
        line = Span(text.rfind("\n", 0, max(0, start - 1)) + 1, start)
        fence = _FENCE.match(text, *line)
        opens = fence and (fence["tag"] or fence["info"].strip() or line.start == fence_at)
        if opens and fence and not closer:
            closer = f"</{fence['tag']}>" if fence["tag"] else fence["mark"]
        elif not path and not fence and (said := _path(line.of(text))):
            path = said
        else:
            break
        start = line.start
    return _Header(start, head, path, closer)


def _path(line: str) -> str:
    """Return the path in a line, without markdown around it; empty if there is none."""
    path = line.strip(" \t\r\n#*`:")
    return path if _PATH.fullmatch(path) else ""


class _Reader:
    """Walks the edits of one fence, or the one edit without a fence."""

    def __init__(self, source: Source, header: _Header, end: int, options: DecodeOptions) -> None:
        self.source, self.text, self.end, self.options = source, source.text, end, options
        self.header, self.closer = header, header.closer

    def found(self) -> Found:
        """Return the block: its good edits, or why it has none."""
        edits = self.edits()
        actions = tuple(edit.written for edit in edits if edit.written)
        at = edits[max(0, len(actions) - 1)].end
        start, body = self.header.start, Span(self.header.head, at)
        if refusal := edits[0].refusal:
            # If the fence belongs to a block before these edits, they take the rest of it.
            fence = self.closing_fence(at, self.closer or "```")
            return refused(Span(start, fence.end if fence else at), body, refusal)
        fence = self.closing_fence(at, self.closer)
        if fence or not self.closer:
            return read_block(Span(start, fence.end if fence else at), body, actions)
        following = self.source.search(_NEXT_HEAD, at, self.end)
        if later := _fence_pattern(self.closer).search(self.text, at, following):
            behind = Span(at, later.start())
            issue = Issue(Reason.TEXT_AFTER_VALUE, behind, f"{excerpt(self.text, *behind)}.")
            return read_block(Span(start, later.end()), body, actions, issues=(issue,))
        if RepairKind.UNCLOSED_FENCE not in self.options.repairs:
            return refused(Span(start, at), body, Issue(Reason.UNCLOSED_FENCE, Span(start, body.start)))
        repair = Repair(RepairKind.UNCLOSED_FENCE, Span(at, at), "", "\n" + self.closer)
        return read_block(Span(start, at), body, actions, (repair,))

    def closing_fence(self, at: int, closer: str) -> Span | None:
        """Return the closing fence if it follows here, after blank lines at most."""
        blank = _BLANK_LINES.match(self.text, at, self.end)
        fence = _fence_pattern(closer).match(self.text, blank.end() if blank else at, self.end)
        return Span(*fence.span()) if fence and closer else None

    def edits(self) -> list[_Edit]:
        """Read the first edit and those after it in the same fence, up to an unreadable one."""
        header = self.header
        edits = [self.edit(header)]
        while self.closer and edits[-1].written and not self.closing_fence(edits[-1].end, self.closer):
            further = self.further(edits[-1].end, header.path)
            if further is None:
                break
            header = further
            edits.append(self.edit(header))
        return edits

    def further(self, at: int, path: str) -> _Header | None:
        """Return the header of the next edit in the same fence, after blank lines and perhaps a path."""
        text = self.text
        while blank := _LINE_BREAK.match(text, at, self.end):
            at = blank.end()
        if _HEAD.match(text, at, self.end):
            return _Header(at, at, path, self.closer)
        line_end = text.find("\n", at, self.end) + 1
        said = _path(text[at:line_end])
        is_further = said and _HEAD.match(text, line_end, self.end)
        return _Header(at, line_end, said, self.closer) if is_further else None

    def edit(self, header: _Header) -> _Edit:
        """Read one edit from its mark on."""
        text = self.text
        mark = _HEAD.match(text, header.head, self.end)
        start = mark.end() if mark else self.end
        close = self.source.search(_END, start, self.end)
        ends = _END.match(text, close, self.end)
        if ends is None or self.source.search(_NEXT_HEAD, start, self.end) < close:
            return self.unclosed(start)
        dividers = list(_DIVIDER.finditer(text, start, close))
        if len(dividers) == 1 and header.path:
            search, replace = text[start : dividers[0].start()], text[dividers[0].end() : close]
            arguments = {"path": header.path, "search": search, "replace": replace}
            written = Written("search_replace", arguments, Span(header.start, ends.end()))
            return _Edit(ends.end(), written)
        if not dividers:
            issue = Issue(
                Reason.WRONG_SHAPE, Span(start, close), "Expected a line ======= between the marks."
            )
        elif len(dividers) > 1:
            issue = Issue(Reason.AMBIGUOUS, Span(start, close), "More than one line ======= may divide it.")
        else:
            where = Span(header.head, start)
            issue = Issue(
                Reason.WRONG_SHAPE, where, "Expected a path on the line before the mark or its fence."
            )
        return _Edit(ends.end(), refusal=issue)

    def unclosed(self, start: int) -> _Edit:
        """Return an edit without its last mark: cut off, ended by its fence, or followed by another one."""
        following = self.source.search(_NEXT_HEAD, start, self.end)
        stop = following
        if following < self.end:
            above = self.text.rfind("\n", 0, max(0, following - 1)) + 1
            stop = max(start, _header(self.text, following, fence_at=above).start)
        fence = _fence_pattern(self.closer).search(self.text, start, stop) if self.closer else None
        if stop == len(self.text) and not fence:
            return _Edit(stop, refusal=Issue(Reason.TRUNCATED, Span(start, stop)))
        stop = fence.start() if fence else stop
        return _Edit(stop, refusal=Issue(Reason.UNCLOSED_TAG, Span(start, stop), "Expected >>>>>>> REPLACE."))


@lru_cache(maxsize=16)
def _fence_pattern(closer: str) -> re.Pattern[str]:
    return regex(rf"\r?\n[ \t]*{re.escape(closer)}[ \t]*(?=\r?$)", re.MULTILINE)
