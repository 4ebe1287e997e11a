"""Unmatched brackets: one is missing, one is extra, or one is of the wrong kind.

At the first bracket that doesn't fit, the reader assumes the usual fault. If the brackets still don't match, it reads
the text again under another assumption. Even matched brackets may be ambiguous, since a forgotten bracket
may belong in several places. Then no place is plainly meant, unless the indentation shows it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from actionledger.core.patterns import regex
from actionledger.core.vocabulary import Reason, RepairKind
from actionledger.reading.tolerant_json import faults
from actionledger.reading.tolerant_json.containers import Containers, Step
from actionledger.reading.tolerant_json.contexts import CLOSERS, JSON_CLOSERS, LIST, OBJECT, ROOT
from actionledger.reading.tolerant_json.decoded import last_of
from actionledger.reading.tolerant_json.faults import DecodeOptions
from actionledger.reading.tolerant_json.notes import RefusedError
from actionledger.reading.tolerant_json.patterns import ANOTHER_VALUE, GOES_ON, MORE_CLOSERS, SCALAR_ELEMENT
from actionledger.reading.tolerant_json.state import Frame

_LINE = regex(r"\n([ \t]*+)(?=\S)")
_INDENT = regex(r"[ \t]*+")


class Rule(Enum):
    """The fault at a closing bracket that doesn't fit."""

    MISSING = "one is missing before it"
    EXTRA = "it is one too many"
    WRONG = "it is of the wrong kind"


@dataclass(frozen=True, slots=True)
class Supposition:
    """The assumed single fault of a text's brackets."""

    rule: Rule  # the fault
    at: int  # the bracket's place


def guess(kinds: Sequence[str], closer: str) -> Rule:
    """Return the usual fault if a bracket doesn't close the innermost of these containers."""
    return Rule.MISSING if any(CLOSERS[kind] == closer for kind in kinds) else Rule.EXTRA


def other_place(kind: str, parent: str, value: Any) -> str:
    """Return where else a container's closing bracket may have been forgotten; empty if nowhere.

    It may belong after an earlier item, if the items that follow may be in the outer container. Or it may belong in the
    last item, if that is of the same kind: then each bracket after it closes one container further out.
    """
    if not isinstance(value, dict | list):
        return ""
    if _holds_the_same(kind, parent) and len(value) > 1:
        return (
            f"before {next(reversed(value))[:80]!r}" if isinstance(value, dict) else "before the last element"
        )
    last = last_of(value)
    if type(last) is type(value) and _may_end_earlier(last):
        return (
            f"inside the value of {next(reversed(value))[:80]!r}"
            if isinstance(value, dict)
            else "inside the last element"
        )
    return ""


def _holds_the_same(kind: str, parent: str) -> bool:
    """Return whether the items of two kinds of container are alike: members, or elements."""
    return parent != ROOT and (kind == OBJECT) == (parent == OBJECT)


def _may_end_earlier(value: dict[str, Any] | list[Any]) -> bool:
    """Return whether a container, or one of its kind in it, has several items; no recursion."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if len(part) > 1:
            return True
        parts = part.values() if isinstance(part, dict) else part
        waiting += [inner for inner in parts if type(inner) is type(value)]
    return False


def may_end_later(value: Any) -> bool:
    """Return whether a bracket after a value may be its own, because one inside it closes too early.

    That is so if an item after a container of the value's kind may belong to that container.
    """
    while isinstance(value, dict | list):
        parts = list(value.values()) if isinstance(value, dict) else value
        if any(type(part) is type(value) for part in parts[:-1]):
            return True
        value = parts[-1] if parts and type(parts[-1]) is type(value) else None
    return False


def closes_in_one_run(value: Any) -> bool:
    """Return whether all brackets that close a value are at its end, so that any of them may be the extra one."""
    while isinstance(value, dict | list):
        parts = value.values() if isinstance(value, dict) else value
        inner = [part for part in parts if isinstance(part, dict | list)]
        if len(inner) > 1 or (inner and inner[0] is not last_of(value)):
            return False
        value = inner[0] if inner else None
    return True


def is_indented(text: str, start: int, stop: int) -> bool | None:
    """Return whether all lines of a container are indented more than the line on which it begins.

    None if its first line is not, or if it has no lines.
    """
    line = _INDENT.match(text, text.rfind("\n", 0, start) + 1)
    assert line is not None
    lines = [len(match[1]) for match in _LINE.finditer(text, start, stop)]
    return min(lines) > len(line[0]) if lines and lines[0] > len(line[0]) else None


_MOST_CLOSERS_TOO_MANY = 16


class UnevenContainers(Containers):
    """Containers with possibly unmatched brackets.

    Attributes:
        supposition: the assumed single fault of the brackets; None while the usual one is assumed.
        bracket_faults: the faults of the brackets so far, in text order.
        suspect: where the first possibly wrong bracket is; -1 if there is none.
        bracket_doubt: why a reading with matched brackets is refused; None if it isn't.
    """

    __slots__ = ("bracket_doubt", "bracket_faults", "supposition", "suspect")

    def __init__(
        self,
        text: str,
        start: int,
        options: DecodeOptions,
        *,
        is_whole: bool,
        is_likelier: bool = False,
        supposition: Supposition | None = None,
    ) -> None:
        apart = supposition.at if supposition else -1
        super().__init__(text, start, options, is_whole=is_whole, is_likelier=is_likelier, apart=apart)
        self.supposition = supposition
        self.bracket_faults: list[Rule] = []
        self.suspect = -1
        self.bracket_doubt: RefusedError | None = None

    def close(self, end: int) -> Step | None:
        """Close the innermost container, unless its bracket is the assumed wrong one."""
        if self.supposition is not None and self.supposition.at == end - 1:
            return self.as_supposed()
        return super().close(end)

    def wrong_closer(self, frame: Frame, closer: str) -> Step | None:
        """Skip a bracket that doesn't close the innermost container."""
        if self.supposition is not None:
            if self.supposition.at != self.at:
                self.refuse_brackets()
            return self.as_supposed()
        if self.suspect < 0:
            self.suspect = self.at
        rule = guess(self.kinds, closer)
        self.add_bracket_fault(rule)
        if rule is Rule.MISSING:
            self.check_place_of_missing_closer(frame)
            return self.close_unwritten(self.at)
        if not closes_in_one_run(last_of(frame.value)):
            self.refuse_brackets()
        closers = faults.EXTRA_CLOSER.looks.match(self.text, self.at)
        assert closers is not None
        return self.drop_closers(frame, closers.end())

    def add_bracket_fault(self, rule: Rule) -> None:
        """Record a fault of the brackets; faults of two kinds may cancel out, and many are no accident."""
        self.bracket_faults.append(rule)
        has_others = self.bracket_faults[0] is not rule
        if has_others or (rule is Rule.EXTRA and len(self.bracket_faults) > _MOST_CLOSERS_TOO_MANY):
            self.refuse_brackets()

    def as_supposed(self) -> Step | None:
        """Skip the bracket that is the assumed wrong one."""
        assert self.supposition is not None
        frame, self.at = self.frames[-1], self.supposition.at
        self.add_bracket_fault(self.supposition.rule)
        fits = self.text[self.at] == CLOSERS[frame.kind]
        if self.supposition.rule is Rule.EXTRA:
            if not closes_in_one_run(frame.value if fits else last_of(frame.value)):
                self.refuse_brackets()
            return self.drop_closers(frame, self.at + 1)
        if fits or not frame.value:  # in an empty container, nothing shows which bracket is wrong
            self.refuse_brackets()
        self.notes.add(faults.MISSING_CLOSER, self.at, self.at, JSON_CLOSERS[frame.kind])
        self.notes.add(faults.EXTRA_CLOSER, self.at, self.at + 1)
        return self.closed(self.at + 1)

    def drop_closers(self, frame: Frame, end: int) -> Step | None:
        """Skip brackets that close nothing."""
        self.notes.add(faults.EXTRA_CLOSER, self.at, end)
        self.at = end
        if frame.comma < 0 and frame.value:
            return self.after_value
        return self.member if frame.kind == OBJECT else self.element

    def check_place_of_missing_closer(self, frame: Frame) -> None:
        """Check whether the innermost container's bracket was forgotten here, or possibly earlier."""
        if self.bracket_doubt:
            return
        place = "before it" if self.issues else other_place(frame.kind, self.outer, frame.value)
        if place and not self.is_indented(frame, self.at):
            detail = f"A {CLOSERS[frame.kind]!r} is missing: here, or {place}."
            self.bracket_doubt = RefusedError(Reason.AMBIGUOUS, self.at, self.at + 1, detail)

    def is_indented(self, frame: Frame, stop: int) -> bool | None:
        """Return what the indentation shows about a container that ends there; see ``brackets.is_indented``."""
        if any(kind is RepairKind.CONTROL_CHARACTER for kind, *_ in self.notes.since(frame.notes)):
            return None  # some lines are in strings
        return is_indented(self.text, frame.start, stop)

    def close_before_comma(self, frame: Frame, comma: int) -> Step | None:
        """Close a container whose bracket was forgotten before a comma, since the rest belongs to the outer one."""
        self.at = comma
        self.check_place_of_missing_closer(frame)
        self.forget_from(comma)
        self.add_bracket_fault(Rule.MISSING)
        self.item = frame.comma = -1
        return self.close_unwritten(comma)

    def forget_from(self, at: int) -> None:
        """Drop the notes about text from a comma on, which is dropped or read again."""
        self.notes.keep(lambda note: note[2] <= at)

    def element_in_object(self, frame: Frame) -> Step | None:
        """Read an object's item that is no member as an element of the list around it; None if it may be neither."""
        is_element = self.outer == LIST and frame.comma >= 0 and SCALAR_ELEMENT.match(self.text, self.item)
        if not is_element or self.bracket_faults or self.supposition:
            return None
        return self.close_before_comma(frame, frame.comma)

    def member_in_list(self, frame: Frame) -> Step | None:
        """Read a list's element before a colon as a member of the object around it, or of the one before it."""
        comma = frame.item_comma
        if comma < 0 or not isinstance(last_of(frame.value), str) or self.bracket_faults or self.supposition:
            return None
        closer = len(self.text[frame.start : comma].rstrip()) + frame.start - 1
        if self.text[closer] == "}":
            self.suspect = closer
        if self.outer == OBJECT:
            frame.value.pop()
            return self.close_before_comma(frame, comma)
        if self.suspect >= 0:
            self.refuse_brackets()
        return None

    def after_root(self, frame: Frame) -> Step | None:
        """End, unless the next text shows that the outermost container continues or that its brackets don't match."""
        if GOES_ON.match(self.text, self.at):
            is_plain = frame.kind == OBJECT and closes_in_one_run(frame.value)
            if not is_plain or self.issues or self.supposition:
                self.refuse_brackets()  # a duplicate key hides the value that it replaced, with its brackets
            self.add_bracket_fault(Rule.EXTRA)
            return self.reopen(frame)
        closers = MORE_CLOSERS.match(self.text, self.at)
        if self.bracket_faults and (closers or ANOTHER_VALUE.match(self.text, self.at)):
            self.refuse_brackets()
        if closers and self.is_whole and closers.end() == len(self.text):
            if self.issues or (
                self.text[closers.start(1)] == CLOSERS[frame.kind] and may_end_later(frame.value)
            ):
                self.doubt(Reason.AMBIGUOUS, "A bracket closes too much: this one, or one before it.")
            self.notes.add(faults.EXTRA_CLOSER, self.at, closers.end(1))
            self.at = closers.end(1)
        self.raise_bracket_doubt()
        return None

    def reopen(self, frame: Frame) -> Step:
        """Continue with the outermost container, whose bracket was an extra one."""
        self.notes.add(faults.EXTRA_CLOSER, self.at - 1, self.at)
        if frame.kind == OBJECT:
            self.opened.drop_last()
        self.push(frame)
        if frame.value:
            return self.after_value
        return self.member if frame.kind == OBJECT else self.element

    def raise_bracket_doubt(self) -> None:
        """Refuse the value if a bracket may have been forgotten elsewhere, or report that."""
        if self.bracket_doubt is None:
            return
        if not self.is_likelier:
            raise self.bracket_doubt
        self.add_doubt(self.bracket_doubt.issue)
        self.bracket_doubt = None

    def refuse_brackets(self) -> None:
        """Refuse the value if any of several brackets may be wrong, or assume the usual one and report that."""
        self.doubt(Reason.AMBIGUOUS, "The brackets don't add up; any of several may be the wrong one.")
