"""Notes of repaired faults, and the two ways in which reading can stop.

A badly broken text has a note for every other character, so making and keeping notes must be cheap. The last few
are plain tuples, and the others are packed into columns of numbers. A note becomes a ``Repair`` only on request
(see ``decoded``).
"""

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain

from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import Reason, RepairKind

After = str | Callable[[str], str]
"""A stretch's replacement in JSON, or the function that returns it on request."""

Note = tuple[RepairKind, int, int, After]
"""A kind of repair, start and end of the stretch, and its replacement."""

Form = tuple[RepairKind, After]
"""The common part of notes about the same fault."""

_NOWHERE = "(?!)"
_NO_FORMS: Mapping[Form, int] = {}
_MANY = 256
_KEPT_AS_THEY_ARE = 16  # more than the notes of one string, which may change again


class Fault:
    """A way in which a text deviates from JSON.

    Args:
        kind: the repair that it needs.
        example: a text that has it.
        meant: the JSON that this is read as.
        looks: its pattern; one that never matches, if only its neighbours show it.
        usual: the pattern of its usual form, with the fault in a group, which has one repair everywhere; empty if
            it has none.
        after: the replacement to note, unless the reader gives a better one.
        write: the replacement for a given text; ``after`` by default, and blanks if that is empty.
        guesses: whether reading it guesses at content.
        is_python: whether it is Python's notation, and so no fault in a call.
    """

    __slots__ = ("after", "example", "guesses", "is_python", "kind", "looks", "meant", "usual", "write")

    def __init__(
        self,
        kind: RepairKind,
        example: str,
        meant: str,
        *,
        looks: str = _NOWHERE,
        usual: str = "",
        after: After = "",
        write: Callable[[str], str] | None = None,
        guesses: bool = False,
        is_python: bool = False,
    ) -> None:
        self.kind = kind
        self.example = example
        self.meant = meant
        self.looks = regex(looks)
        self.usual = usual
        self.after = after
        self.write = write or _writer(after)
        self.guesses = guesses
        self.is_python = is_python


def _writer(after: After) -> Callable[[str], str]:
    """Return the function that writes a fault's replacement; a removed stretch becomes blanks, so nothing shifts."""
    if callable(after):
        return after
    return (lambda _: after) if after.strip() else (lambda written: " " * len(written))


class Columns:
    """Packed notes: a column of numbers for each of their parts, since a text's notes have few different forms."""

    __slots__ = ("_numbers", "ends", "forms", "starts")

    def __init__(self, numbers: Mapping[Form, int] = _NO_FORMS) -> None:
        self._numbers = dict(numbers)
        self.forms = array("I")
        self.starts = array("I")
        self.ends = array("I")

    def __len__(self) -> int:
        return len(self.forms)

    def extend(self, notes: Iterable[Note]) -> None:
        numbers = self._numbers
        for kind, start, end, after in notes:
            self.forms.append(numbers.setdefault((kind, after), len(numbers)))
            self.starts.append(start)
            self.ends.append(end)

    def kinds(self) -> set[RepairKind]:
        """Return the kinds of repair that occur or were predefined."""
        return {kind for kind, _ in self._numbers}

    def since(self, first: int) -> Iterator[Note]:
        """Yield the notes from this number on."""
        forms = list(self._numbers)
        for at in range(first, len(self)):
            kind, after = forms[self.forms[at]]
            yield kind, self.starts[at], self.ends[at], after

    def keep(self, is_kept: Callable[[Note], bool], first: int) -> None:
        """Drop the notes from this number on that are not kept; in place, since there may be many."""
        columns = self.forms, self.starts, self.ends
        kept = first
        for at, note in enumerate(self.since(first), first):
            if is_kept(note):
                for column in columns:
                    column[kept] = column[at]
                kept += 1
        self.cut(kept)

    def cut(self, first: int) -> None:
        """Drop the notes from this number on."""
        for column in (self.forms, self.starts, self.ends):
            del column[first:]


class Notes:
    """Notes in the order of their making."""

    __slots__ = ("packed", "recent")

    def __init__(self, packed: Columns | None = None) -> None:
        self.recent: list[Note] = []
        self.packed = packed

    def __len__(self) -> int:
        packed = self.packed
        return len(self.recent) if packed is None else len(packed) + len(self.recent)

    def __iter__(self) -> Iterator[Note]:
        return self.since(0)

    def since(self, first: int) -> Iterator[Note]:
        """Return the notes from this number on."""
        packed = self.packed
        if packed is None:
            return iter(self.recent[first:])
        return chain(packed.since(first), self.recent[max(0, first - len(packed)) :])

    def kinds(self) -> set[RepairKind]:
        """Return the kinds of repair that occur, and perhaps some more."""
        kinds = {note[0] for note in self.recent}
        return kinds if self.packed is None else kinds | self.packed.kinds()

    def add(self, fault: Fault, start: int, end: int, after: After | None = None) -> None:
        """Note a fault, and its replacement if that is unusual."""
        self.recent.append((fault.kind, start, end, fault.after if after is None else after))

    def pack(self) -> None:
        """Pack all notes but the last few, if there are many."""
        if len(self.recent) > _MANY:
            self._pack(len(self.recent) - _KEPT_AS_THEY_ARE)

    def _pack(self, count: int) -> Columns:
        """Pack the first of the unpacked notes."""
        if self.packed is None:
            self.packed = Columns()
        self.packed.extend(self.recent[:count])
        del self.recent[:count]
        return self.packed

    def take(self, others: "Notes") -> None:
        """Add the notes about another stretch of the text, emptying their source."""
        packed = others.packed
        if packed is not None:
            if self.packed is not None or self.recent:
                self._pack(len(self.recent)).extend(packed.since(0))
            else:
                self.packed = packed
        self.recent += others.recent

    def keep(self, is_kept: Callable[[Note], bool], first: int = 0) -> None:
        """Drop the notes from this number on that are not kept."""
        if self.packed is not None:
            recent = first - len(self.packed)
            self.packed.keep(is_kept, first)
            first = max(0, recent)
        self.recent[first:] = filter(is_kept, self.recent[first:])


_OTHER_REASONS = {RepairKind.DROPPED_TAIL: Reason.TRUNCATED}


def reason_for(kind: RepairKind) -> Reason:
    """Return why a text that needs this kind of repair is refused."""
    return _OTHER_REASONS.get(kind) or Reason(kind.value)


class RefusedError(Exception):
    """The text can't be read, or not in one plain way."""

    def __init__(self, code: Reason, start: int, end: int, detail: str = "") -> None:
        super().__init__(code)
        self.issue = Issue(code, Span(start, end), detail)


class CutError(Exception):
    """The text ends in the middle of a key or a scalar."""
