"""What comes of decoding: the value, and on demand where its parts stand and what was changed to read it."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from actionledger.core.values import Issue, Repair, Span
from actionledger.reading.tolerant_json.locating import Mended, objects_with_spans
from actionledger.reading.tolerant_json.notes import Note


@dataclass(slots=True)
class Call:
    """A Python call, read as a value.

    Args:
        name: what is called, dots included.
        arguments: the arguments without a name.
        keywords: the arguments by name.
    """

    name: str
    arguments: list[Any] = field(default_factory=list)
    keywords: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What reading a value left behind: enough to say later where everything stands.

    Args:
        text: the text that was read.
        offset: where that text begins in the one that was handed in, in code points.
        notes: the repairs.
        opened: the objects and calls that were read piece by piece, each with its start and end.
        scanned: the valid values that were read in one go, each with its start and end.
        mended: the containers that were rewritten and then read in one go.
        before: the repairs that stand before the value.
    """

    text: str = ""
    offset: int = 0
    notes: Iterable[Note] = ()
    opened: Iterable[tuple[Any, int, int]] = ()
    scanned: Iterable[tuple[Any, int, int]] = ()
    mended: Sequence[Mended] = ()
    before: tuple[Repair, ...] = ()

    def repairs(self) -> tuple[Repair, ...]:
        """Return the repairs, in text order."""
        text, offset = self.text, self.offset
        return self.before + tuple(
            Repair(
                kind,
                Span(start + offset, end + offset),
                before,
                after if isinstance(after, str) else after(before),
            )
            for kind, start, end, after in sorted(self.notes, key=_place)
            for before in (text[start:end],)
        )

    def located(self) -> tuple[tuple[Any, Span], ...]:
        """Return the objects and calls with their spans, in text order."""
        known = [(value, Span(start, end)) for value, start, end in self.opened]
        for value, start, end in self.scanned:
            known += objects_with_spans(value, self.text, start, end)
        for part in self.mended:
            spans = objects_with_spans(part.value, part.text, 0, len(part.text))
            known += [(value, Span(*map(part.original, span))) for value, span in spans]
        known.sort(key=lambda item: item[1])
        if not self.offset:
            return tuple(known)
        return tuple((value, Span(*(place + self.offset for place in span))) for value, span in known)


def moved(issue: Issue, by: int) -> Issue:
    """Return an issue for a text in which it stands that many code points further on."""
    if not by or issue.span is None:
        return issue
    return Issue(issue.code, Span(issue.span.start + by, issue.span.end + by), issue.detail)


def _place(note: Note) -> tuple[int, int]:
    return note[1], note[2]


@dataclass(frozen=True)
class Decoded:
    """One value read from a text.

    Args:
        ok: whether a value was read.
        value: the value; None where none was read.
        start: where it begins, in code points.
        end: where it ends, or where reading stopped.
        issues: what is wrong with it; the first one says why nothing was read.
        cut: the containers that the end of the text left open, outermost first. They hold what was complete;
            whether more was meant to be in them can't be known.
        evidence: what reading left behind.

    Example:
        >>> decoded = al.decode("{'a': 1,} and more")
        >>> decoded.value, decoded.end, [str(repair.kind) for repair in decoded.repairs]
        ({'a': 1}, 9, ['quotes', 'trailing_comma'])
    """

    ok: bool
    value: Any
    start: int
    end: int
    issues: tuple[Issue, ...] = ()
    cut: tuple[Any, ...] = ()
    evidence: Evidence = field(default=Evidence(), repr=False, compare=False)

    @cached_property
    def repairs(self) -> tuple[Repair, ...]:
        """The changes that made it readable, in text order."""
        return self.evidence.repairs()

    @cached_property
    def located(self) -> tuple[tuple[Any, Span], ...]:
        """Its objects and calls, each with its span, in text order."""
        return self.evidence.located()

    @cached_property
    def _spans(self) -> dict[int, Span]:
        return {id(value): span for value, span in self.located}

    def moved(self, by: int) -> "Decoded":
        """Return the same for a text in which it stands that many code points further on.

        Example:
            >>> moved = al.decode("[1]").moved(10)
            >>> moved.start, moved.end
            (10, 13)
        """
        known = self.evidence
        evidence = Evidence(
            known.text,
            known.offset + by,
            known.notes,
            known.opened,
            known.scanned,
            known.mended,
            known.before,
        )
        start, end = self.start + by, self.end + by
        issues = tuple(moved(issue, by) for issue in self.issues) if self.issues else ()
        if (
            type(self) is Decoded
        ):  # a value in every block of thousands: ``replace`` takes three times as long
            return Decoded(self.ok, self.value, start, end, issues, self.cut, evidence)
        return replace(self, start=start, end=end, issues=issues, evidence=evidence)

    def is_cut(self, value: object) -> bool:
        """Return whether the end of the text left this container open.

        Example:
            >>> decoded = al.decode('{"a": [1, 2,')
            >>> decoded.value, decoded.is_cut(decoded.value["a"])
            ({'a': [1, 2]}, True)
        """
        return any(container is value for container in self.cut)

    def span_of(self, value: object) -> Span:
        """Return where one of its objects or calls stands; for anything else, where the whole value stands.

        Example:
            >>> text = '{"a": {"b": 1}}'
            >>> decoded = al.decode(text)
            >>> decoded.span_of(decoded.value["a"]).of(text)
            '{"b": 1}'
        """
        return self._spans.get(id(value), Span(self.start, self.end))

    def spans_of(self, values: Collection[object]) -> list[Span]:
        """Return where each of these stands; see ``span_of``.

        Example:
            >>> decoded = al.decode('[{"a": 1}, {"b": 2}]')
            >>> decoded.spans_of(decoded.value)
            [Span(start=1, end=9), Span(start=11, end=19)]
        """
        return [self.span_of(value) for value in values]
