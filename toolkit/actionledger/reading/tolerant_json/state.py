"""The reader's position: the place in the text, the open containers, the notes so far."""

from typing import Any, NoReturn

from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import Reason
from actionledger.reading.tolerant_json import faults
from actionledger.reading.tolerant_json.contexts import OBJECT, ROOT, Context, context
from actionledger.reading.tolerant_json.endings import Memory
from actionledger.reading.tolerant_json.faults import DecodeOptions
from actionledger.reading.tolerant_json.notes import CutError, Notes, RefusedError
from actionledger.reading.tolerant_json.patterns import BLANKS, STRUCTURE_IN_COMMENT, VALUE_AHEAD, may_be_text
from actionledger.reading.tolerant_json.strings import Strings

_MAY_BE_NO_TOKEN = frozenset("/#<\x0b\x0c\x1c\x1d\x1e\x1f")
_MOST_DOUBTS = 100
_OUTERMOST = context(ROOT, ROOT)


class Frame:
    """An open container.

    Args:
        kind: its kind, see ``contexts``.
        value: its content so far.
        start: where it begins.
        place: the context of the values in it.
        notes: the number of notes when it was opened.

    Attributes:
        key, key_start, key_end: the last key, and where it is.
        sure: how certain a key must be after a quote inside a string, see ``patterns.KEYS``.
        comma: where the comma is that nothing has followed yet; -1 if there is none.
        item, item_end: where the last item begins and ends.
        item_comma: where the comma before that is; -1 if there is none.
        is_doubled: whether its bracket is doubled.
        replaced: the last value that another one under the same key has replaced, and its key's place; None if there is none.
    """

    __slots__ = (
        *("comma", "item", "item_comma", "item_end", "key", "key_end", "key_start", "kind", "is_doubled"),
        *("notes", "place", "replaced", "start", "sure", "value"),
    )

    def __init__(self, kind: str, value: Any, start: int, place: Context, notes: int) -> None:
        self.kind = kind
        self.value = value
        self.start = start
        self.place = place
        self.notes = notes
        self.key = ""
        self.key_start = self.key_end = start
        self.sure = "sure"
        self.comma = self.item_comma = -1
        self.item = self.item_end = start
        self.replaced: tuple[int, Any] | None = None
        self.is_doubled = False

    def take_back(self) -> None:
        """Remove the last value."""
        if self.kind == OBJECT and self.replaced is not None and self.replaced[0] == self.key_start:
            self.value[self.key] = self.replaced[1]
        else:
            self.value.pop(self.key if self.kind == OBJECT else -1)


class State:
    """The state of reading one value."""

    __slots__ = (
        *("at", "cut_at", "frames", "is_likelier", "is_whole", "issues", "item", "kinds", "notes", "options"),
        *("strings", "text"),
    )

    def __init__(
        self, text: str, start: int, options: DecodeOptions, *, is_whole: bool, is_likelier: bool = False
    ) -> None:
        self.text = text  # the text that holds it
        self.is_likelier = is_likelier  # whether the likelier of two readings is taken
        self.at = start  # where it begins
        self.options = options  # what may be repaired, and the limits
        # whether the text's writer ended it here, so that open brackets were forgotten, not cut off
        self.is_whole = is_whole
        self.frames: list[Frame] = []
        self.kinds: list[str] = []
        self.notes = Notes()
        self.issues: list[Issue] = []
        self.strings = Strings(text, self.notes, Memory(is_likelier=is_likelier), self.kinds)
        self.cut_at = -1  # where the scalar begins that was kept up to the end of the text
        self.item = -1  # where the current member or element begins

    @property
    def place(self) -> Context:
        """The context of the current value."""
        return self.frames[-1].place if self.frames else _OUTERMOST

    @property
    def outer(self) -> str:
        """The kind of the container around the innermost one."""
        return self.kinds[-2] if len(self.kinds) > 1 else ROOT

    def push(self, frame: Frame) -> None:
        """Open a container inside the innermost one."""
        self.frames.append(frame)
        self.kinds.append(frame.kind)

    def pop(self) -> Frame:
        """Close the innermost container."""
        self.kinds.pop()
        return self.frames.pop()

    def skip(self, *, is_value_due: bool = False) -> str:
        """Skip blanks and comments; return the character after them."""
        text, at = self.text, self.at
        while True:
            at = BLANKS.match(text, at).end()  # type: ignore[union-attr]
            self.at = at
            if at >= len(text):
                raise CutError
            character = text[at]
            if character < "\x7f" and character not in _MAY_BE_NO_TOKEN:
                return character
            if match := faults.SPACE.looks.match(text, at):
                self.notes.add(faults.SPACE, at, match.end())
            elif match := faults.COMMENT.looks.match(text, at):
                if may_be_text(match[0]):
                    if is_value_due and not VALUE_AHEAD.match(text, match.end()):
                        return character
                    self.doubt(Reason.AMBIGUOUS, "It may be a comment, or a text that lacks its first quote.")
                end = self.end_of_comment(match.end())
                self.notes.add(faults.COMMENT, at, end)
                self.notes.pack()
                at = end
                continue
            else:
                return character
            at = match.end()

    def end_of_comment(self, end: int) -> int:
        """Return where the comment here ends: before any structure in it, if no line break ends it."""
        is_line = self.text.startswith(("//", "#"), self.at)
        if not is_line or not self.frames or end < len(self.text):
            return end
        structure = STRUCTURE_IN_COMMENT.search(self.text, self.at, end)
        if structure is None:
            return end
        self.doubt(Reason.AMBIGUOUS, "The comment may end before a bracket, or with the text.")
        return structure.start()

    def doubt(self, code: Reason, detail: str = "") -> None:
        """Refuse the value because of the text here, or continue with the likelier reading and report the doubt."""
        end = min(self.at + 1, len(self.text))
        if not self.is_likelier:
            raise RefusedError(code, self.at, end, detail)
        self.add_doubt(Issue(code, Span(self.at, end), detail))

    def add_doubt(self, issue: Issue) -> None:
        """Keep a doubt, up to a limit."""
        if len(self.issues) < _MOST_DOUBTS:
            self.issues.append(issue)

    def refuse(self, code: Reason, detail: str = "") -> NoReturn:
        """Refuse the value because of the text here."""
        raise RefusedError(code, self.at, min(self.at + 1, len(self.text)), detail)

    def refuse_here(self, expected: str) -> NoReturn:
        """Refuse the value because other text is here than expected."""
        found = self.text[self.at : self.at + 12]
        self.refuse(Reason.MALFORMED_JSON, f"Expected {expected}, got {found!r}.")
