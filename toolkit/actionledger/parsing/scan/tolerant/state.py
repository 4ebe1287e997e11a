"""Where reading stands: the place in the text, the containers that are open, the notes so far."""

from typing import Any, NoReturn

from actionledger.parsing.scan.options import DecodeOptions
from actionledger.parsing.scan.tolerant.contexts import ROOT, Context, context
from actionledger.parsing.scan.tolerant.notes import After, CutError, Note, RefusedError
from actionledger.parsing.scan.tolerant.patterns import BLANKS, COMMENT, OTHER_SPACE
from actionledger.parsing.scan.tolerant.scalars import may_be_text
from actionledger.parsing.scan.tolerant.strings import Memory, Strings
from actionledger.values import Issue
from actionledger.vocabulary import Reason, RepairKind

_MAY_BE_NO_TOKEN = frozenset("/#\x0b\x0c\x1c\x1d\x1e\x1f")
_OUTERMOST = context(ROOT, ROOT)


class Frame:
    """A container that is open.

    Args:
        kind: which one, see ``contexts``.
        value: what it holds so far.
        start: where it begins.
        place: the context of the values in it.
        notes: how many notes there were when it was opened.
    """

    __slots__ = ("comma", "key", "key_end", "key_start", "kind", "notes", "place", "start", "sure", "value")

    def __init__(self, kind: str, value: Any, start: int, place: Context, notes: int) -> None:
        self.kind = kind
        self.value = value
        self.start = start
        self.place = place
        self.notes = notes
        self.key = ""
        self.key_start = self.key_end = start
        self.sure = "sure"
        self.comma = -1  # where the comma stands that nothing has followed yet


class State:
    """The state of reading one value.

    Args:
        text: the text that holds it.
        start: where it begins.
        options: what may be repaired, and the limits.
        is_whole: whether whoever wrote the text ended it here, so that what it leaves open was forgotten, not cut.
    """

    __slots__ = ("at", "frames", "is_whole", "issues", "item", "notes", "options", "strings", "text")

    def __init__(self, text: str, start: int, options: DecodeOptions, *, is_whole: bool) -> None:
        self.text = text
        self.at = start
        self.options = options
        self.is_whole = is_whole
        self.frames: list[Frame] = []
        self.notes: list[Note] = []
        self.issues: list[Issue] = []
        self.strings = Strings(text, self.notes, Memory())
        self.item = -1  # where the member or element begins that is being read

    @property
    def place(self) -> Context:
        """Where the value stands that is being read."""
        return self.frames[-1].place if self.frames else _OUTERMOST

    def skip(self) -> str:
        """Pass over blanks and comments; return the character behind them.

        Raises:
            CutError: the text ends here.
        """
        text, at = self.text, self.at
        while True:
            at = BLANKS.match(text, at).end()  # type: ignore[union-attr]
            self.at = at
            if at >= len(text):
                raise CutError
            character = text[at]
            if character < "\x7f" and character not in _MAY_BE_NO_TOKEN:
                return character
            if match := OTHER_SPACE.match(text, at):
                self.note(RepairKind.SPACE, at, match.end(), " ")
            elif match := COMMENT.match(text, at):
                if may_be_text(match[0]):
                    self.refuse(
                        Reason.AMBIGUOUS, "It may be a comment, or a text that lacks its first quote."
                    )
                self.note(RepairKind.COMMENT, at, match.end(), "")
            else:
                return character
            at = match.end()

    def note(self, kind: RepairKind, start: int, end: int, after: After) -> None:
        """Note a repair."""
        self.notes.append((kind, start, end, after))

    def refuse(self, code: Reason, detail: str = "") -> NoReturn:
        """Give the value up for what stands here."""
        raise RefusedError(code, self.at, min(self.at + 1, len(self.text)), detail)

    def refuse_here(self, expected: str) -> NoReturn:
        """Give the value up because something else stands here."""
        found = self.text[self.at : self.at + 12]
        self.refuse(Reason.MALFORMED_JSON, f"Expected {expected}, got {found!r}.")
