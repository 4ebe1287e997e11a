"""OpenAI's patches: files to add, delete, update and move, between two lines of stars.

A patch is alone, in a fence, or in the here-document of a command. The tool that applies it checks whether its hunks fit
the files; this module checks that they are hunks, by the rules of Codex's own parser.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Repair, Span
from actionledger.core.vocabulary import BlockStatus, Reason, RepairKind
from actionledger.reading.dialects.base import Dialect, Found, Written
from actionledger.reading.dialects.parts.json_values import BARE_LIST, BARE_OBJECT
from actionledger.reading.dialects.parts.markers import read_block, refused
from actionledger.reading.dialects.parts.writing import PlainCall, raw_text
from actionledger.reading.scan.openings import Opening, OpeningKind
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.faults import DecodeOptions

_SECTION = regex(r"[ \t]*\*\*\* (?P<kind>Add|Delete|Update) File: (?P<path>\S.*)")
_MOVE = regex(r"\*\*\* Move to: \S.*")
_CONTEXT = regex(r"@@(?: .*)?")
_END_OF_FILE = "*** End of File"
_KINDS = "*** Add File: PATH, *** Delete File: PATH or *** Update File: PATH"


class _Line(NamedTuple):
    text: str
    start: int

    @property
    def span(self) -> Span:
        return Span(self.start, self.start + len(self.text))


def faults_of(patch: str, start: int) -> tuple[Issue, ...]:
    """Return an issue for each fault in a patch's sections and hunks, in text order."""
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
    """Walks the lines of a patch; after a misplaced line, it skips to the next section."""

    def __init__(self) -> None:
        self.faults: list[Issue] = []
        self._header: _Line | None = None
        self._kind = ""
        self._is_lost = False
        self._hunks = 0
        self._hunk_lines = 0
        self._hunk: _Line | None = None

    def take(self, line: _Line) -> None:
        """Check a line."""
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
        """Check the section that ends here: an update has a hunk, and each hunk has a line."""
        if self._header is None or self._is_lost or self._kind != "Update":
            return
        self._end_hunk()
        if not self._hunks:
            self.faults.append(Issue(Reason.WRONG_SHAPE, self._header.span, "The update has no hunk."))

    def _take_update(self, line: _Line) -> None:
        if not self._hunks and self._hunk is None and _MOVE.fullmatch(line.text):
            return
        if _CONTEXT.fullmatch(line.text):  # several consecutive ones lead to one place
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


_BEGIN = r"\*\*\* Begin Patch[ \t]*\r?(?:\n|$)"
_NEXT = regex(rf"^[ \t]*{_BEGIN}", re.MULTILINE)
_END = regex(r"^\*\*\* End Patch[ \t]*(?=\r?$)", re.MULTILINE)
_PADDED_END = regex(r"^[ \t]*\*\*\* End Patch[ \t]*(?=\r?$)", re.MULTILINE)
_HEREDOC = regex(r"<<-?[ \t]{0,8}(?P<quote>['\"]?)(?P<word>\w{1,40})(?P=quote)[ \t]{0,8}\r?\n\Z")
_IN_JSON = regex(r"\"\*\*\* Begin Patch\\n[^\n]*")
_FAR = 400
"""The distance in an object in which a patch is searched, in code points."""

_WORD = 100
"""The part of a line's end that is searched for the word of a here-document, in code points."""

_LABELS = ("", "apply_patch", "bash", "diff", "patch", "plaintext", "sh", "shell", "text")


class _Patch(NamedTuple):
    """A patch's place."""

    start: int  # where its command begins, or its first line
    body: Span  # its text, from the first line of stars to the last
    end: int  # after the last line, or after the word that ends its here-document
    refusal: Issue | None = None  # why it has no end; None if it has one


class ApplyPatch(Dialect):
    """Each ``*** Begin Patch`` to ``*** End Patch`` is one action; a patch with a hunk that is none is refused whole, as Codex does."""

    name: Literal["apply_patch"] = "apply_patch"
    source = "openai/codex, codex-rs/apply-patch: apply_patch_tool_instructions.md and src/parser.rs"
    rules = (
        (
            "Change files by a patch between *** Begin Patch and *** End Patch: sections that begin with *** Add File: PATH, "
            "*** Delete File: PATH or *** Update File: PATH, the last perhaps with *** Move to: PATH."
        ),
        "In an update, each hunk begins with @@, and each of its lines with a blank (kept), - (removed) or + (added); an added file has + lines alone.",
    )
    example = "*** Begin Patch\n*** Update File: app.py\n@@ def greet():\n-    return 'Hi'\n+    return 'Hello'\n*** End Patch"
    strings_only = True

    @property
    def line_patterns(self) -> frozenset[str]:
        """The first line of a patch, or of an object that may hold a patch as text."""
        return frozenset({_BEGIN, BARE_OBJECT, BARE_LIST})

    @property
    def fence_labels(self) -> frozenset[str]:
        """The labels of fences with patches, or with commands that apply them."""
        return frozenset(_LABELS)

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the patch that begins here, or right after the fence's opening; see ``Dialect.read``."""
        if opening.kind is OpeningKind.LINE and source.text[opening.start] in "{[":
            return _in_json(source, opening, end)
        if opening.kind is OpeningKind.LINE:
            start = source.text.rfind("\n", 0, opening.start) + 1
            patch = _patch_at(source, start, end)
            return _found(source, patch, Span(patch.start, patch.end))
        begins = _first_line(source.text, opening.end, end)
        if begins < 0:
            return None
        patch = _patch_at(source, begins, end)
        return _in_fence(source, opening, patch, end, options)

    def may_grow(self, found: Found, text: str) -> bool:
        """Return whether the line after a here-document's patch may yet be its closing word; see ``Dialect.may_grow``."""
        is_command = found.span.start < found.body.start and text[found.span.start] not in "`~"
        ends = text.find("\n", found.body.end)
        return is_command and (ends < 0 or text.find("\n", ends + 1) < 0)

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write each patch unchanged; see ``Dialect.write``."""
        return "\n\n".join(map(_written, calls))


def _written(call: PlainCall) -> str:
    if call.name != "apply_patch" or call.arguments.keys() != {"input"}:
        raise ValueError(f"{call.name!r} with {list(call.arguments)} is not apply_patch(input)")
    return raw_text(call.arguments["input"])


def _in_json(source: Source, opening: Opening, end: int) -> Found | None:
    """Return a patch in a JSON text as unreadable, since no other dialect has parsed it as a call."""
    patch = _IN_JSON.search(source.text, opening.start, min(end, opening.start + _FAR))
    if patch is None:
        return None
    line = source.text.find("\n", patch.end(), end)
    span = Span(opening.start, line if line >= 0 else end)
    issue = Issue(Reason.WRONG_SHAPE, span, "The patch is a text in JSON: write it on lines of its own.")
    return Found(BlockStatus.MALFORMED, span, span, reason=issue.code, issues=(issue,))


def _first_line(text: str, at: int, end: int) -> int:
    """Return where a patch begins that has a fence's first line, or the second after a here-document's; else -1."""
    for _ in range(2):
        if _NEXT.match(text, at, end):
            return at
        line_end = text.find("\n", at, end) + 1
        if not line_end or not _word_of(text, at, line_end):
            return -1
        at = line_end
    return -1


def _word_of(text: str, start: int, end: int) -> str:
    """Return the closing word of the here-document that a line begins, if it is one for apply_patch; else nothing."""
    opens = _HEREDOC.search(text, max(start, end - _WORD), end)
    return opens["word"] if opens and text.find("apply_patch", start, end) >= 0 else ""


def _patch_at(source: Source, begins: int, end: int) -> _Patch:
    """Return the patch whose first line begins here: it ends with its last line, and never after the next one's first."""
    text = source.text
    above = text.rfind("\n", 0, max(0, begins - 1)) + 1
    word = _word_of(text, above, begins)
    behind = text.find("\n", begins, end) + 1 or end
    following = source.search(_NEXT, behind, end)
    start = above if word else begins
    for pattern in (_END, _PADDED_END):
        at = source.search(pattern, behind, end)
        if at < following and (last := pattern.match(text, at, end)):
            body = Span(begins, last.end())
            return _Patch(start, body, _behind_word(text, last.end(), end, word) if word else last.end())
    reason = Reason.TRUNCATED if following == len(text) else Reason.UNCLOSED_TAG
    issue = Issue(reason, Span(begins, following), "Expected a line *** End Patch.")
    return _Patch(start, Span(begins, following), following, issue)


def _behind_word(text: str, at: int, end: int, word: str) -> int:
    """Return where a here-document ends: after its word, if that follows."""
    ends = re.compile(rf"\r?\n[ \t]*{re.escape(word)}[ \t]*(?=\r?$)", re.MULTILINE).match(text, at, end)
    return ends.end() if ends else at


def _found(source: Source, patch: _Patch, span: Span, repairs: tuple[Repair, ...] = ()) -> Found:
    if patch.refusal is not None:
        return refused(span, patch.body, patch.refusal)
    text = patch.body.of(source.text)
    faults = faults_of(text, patch.body.start)
    if faults:
        return Found(BlockStatus.MALFORMED, span, patch.body, reason=faults[0].code, issues=faults)
    return read_block(span, patch.body, (Written("apply_patch", {"input": text}, span),), repairs)


def _in_fence(source: Source, opening: Opening, patch: _Patch, end: int, options: DecodeOptions) -> Found:
    closing = source.closing_behind(opening, patch.end, end)
    if patch.refusal is not None:
        ends = source.closing_fence(opening, opening.end, patch.end)
        cut = patch._replace(body=Span(patch.body.start, max(patch.body.start, ends.start)))
        issue = Issue(
            Reason.UNCLOSED_TAG if ends.found else patch.refusal.code, cut.body, patch.refusal.detail
        )
        return refused(Span(opening.start, ends.end), cut.body, issue)
    if closing is None:
        later = source.closing_fence(opening, patch.end, end)
        issue = Issue(Reason.TEXT_AFTER_VALUE, Span(patch.end, later.start))
        return refused(Span(opening.start, later.end), patch.body, issue)
    span = Span(opening.start, closing.end)
    if closing.found:
        return _found(source, patch, span)
    if RepairKind.UNCLOSED_FENCE not in options.repairs:
        return refused(span, patch.body, Issue(Reason.UNCLOSED_FENCE, Span(opening.start, opening.end)))
    missing = Repair(RepairKind.UNCLOSED_FENCE, Span(closing.end, closing.end), "", "\n" + opening.mark)
    return _found(source, patch, span, (missing,))
