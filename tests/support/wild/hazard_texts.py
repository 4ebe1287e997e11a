"""The texts of the table of hazards: calls that are quoted, thought of, cut, misspelt or shown, in every dialect."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from wild.hazard_calls import (
    DELETE,
    GAP,
    NO_CLOSERS,
    NOTE,
    ROWS,
    SEARCH,
    WRITE,
    Call,
    Mark,
    as_inside,
    brackets,
    dialects,
    is_marked,
    marks,
    plainly,
    thoughts_of,
    with_gap,
    without_special_marks,
)
from wild.hazard_prose import AFTER, BEFORE, SHOWN
from wild.silence import Place


@dataclass(frozen=True)
class Hazard:
    """A text with a call in a place, or of a form, in which it is easily read wrongly."""

    dialect: str  # what its calls are written in
    kind: str  # which hazard
    variant: str  # in which way, and what stands around it
    text: str  # the response
    meant: tuple[Call, ...] = ()  # the calls that may run, each once
    places: tuple[Place, ...] = ()  # where a call is written: a reading has to say something of each
    is_named: bool = True  # whether something but the tools' names says that a call is written

    @property
    def combination(self) -> str:
        """What decides the part that it belongs to; all cuts of a call are one."""
        return f"{self.dialect}|{self.kind}|{self.variant.partition(' at ')[0]}"


Maker = Callable[[str], Iterator[Hazard]]


def in_arguments(dialect: str) -> Iterator[Hazard]:
    """Yield calls with another call in a text of theirs: as it is, and as the dialect would write it there."""
    inner = plainly(dialect, DELETE)
    for name, outer, field in (("last", WRITE, "text"), ("first", NOTE, "text")):
        for way, inside in (("raw", inner), ("escaped", as_inside(dialect, inner))):
            found = _within(dialect, "argument", f"{name} {way}", with_gap(outer, field), (inner, inside))
            yield from _around(found)


def of_others_in_arguments(dialect: str) -> Iterator[Hazard]:
    """Yield calls with a call of another dialect in a text of theirs."""
    for other in dialects():
        if other != dialect:
            inner = plainly(other, DELETE)
            for way, inside in (("raw", inner), ("escaped", as_inside(dialect, inner))):
                if way == "raw" or inside != inner:
                    yield _within(
                        dialect, "argument-other", f"{other} {way}", with_gap(WRITE, "text"), (inner, inside)
                    )


def twice_in_arguments(dialect: str) -> Iterator[Hazard]:
    """Yield calls with a call in a call."""
    inner = plainly(dialect, DELETE)
    middle = plainly(dialect, with_gap(WRITE, "text")).replace(GAP, inner)
    yield from _around(_within(dialect, "argument-twice", "raw", with_gap(NOTE, "text"), (middle, middle)))
    escaped = plainly(dialect, with_gap(WRITE, "text")).replace(GAP, as_inside(dialect, inner))
    inside = as_inside(dialect, escaped)
    if inside != middle:
        yield from _around(
            _within(dialect, "argument-twice", "escaped", with_gap(NOTE, "text"), (escaped, inside))
        )


def in_strings(dialect: str) -> Iterator[Hazard]:
    """Yield calls with JSON text in a text of theirs that holds a call."""
    plain = json.dumps({"name": DELETE.name, "arguments": DELETE.arguments})
    own = json.dumps({"saved": plainly(dialect, DELETE)}, ensure_ascii=False)
    for name, inner in (("json", plain), ("own", own), ("json twice", json.dumps(plain))):
        escaped = as_inside(dialect, inner)
        is_other = escaped != inner and "\\" not in inner  # a backslash that is not escaped may be an escape
        for way, inside in (("escaped", escaped), *((("raw", inner),) if is_other else ())):
            found = _within(dialect, "string", f"{name} {way}", with_gap(WRITE, "text"), (inner, inside))
            yield from _around(found)


def in_closed_thoughts(dialect: str) -> Iterator[Hazard]:
    """Yield calls in thoughts that are closed, with words or with a call that is meant behind them."""
    call, real = _on_its_line(plainly(dialect, DELETE)), plainly(dialect, SEARCH)
    for name, (opener, closer) in thoughts_of(dialect).items():
        thought = f"{opener}I might {call} but no.{closer}"
        place = _place(thought, call)
        yield Hazard(dialect, "thought-closed", f"{name} word", f"{thought}Done.", (), (place,))
        yield Hazard(dialect, "thought-closed", f"{name} line", f"{thought}\n\nDone.", (), (place,))
        text = f"{thought}\n\n{real}"
        places = (place, Place(len(thought) + 2, len(text)))
        yield Hazard(dialect, "thought-closed", f"{name} call", text, (SEARCH,), places)


def in_thoughts_without_opener(dialect: str) -> Iterator[Hazard]:
    """Yield calls in thoughts whose opener the template wrote."""
    call, real = _on_its_line(plainly(dialect, DELETE)), plainly(dialect, SEARCH)
    for name, (_, closer) in thoughts_of(dialect).items():
        if name == "own" and dialect in NO_CLOSERS:
            continue
        thought = f"I might {call} but no.{closer}"
        place = _place(thought, call)
        yield Hazard(dialect, "thought-no-opener", f"{name} word", f"{thought}Done.", (), (place,))
        yield Hazard(dialect, "thought-no-opener", f"{name} line", f"{thought}\n\nDone.", (), (place,))
        text = f"{thought}{real}"
        places = (place, Place(len(thought), len(text)))
        yield Hazard(dialect, "thought-no-opener", f"{name} call", text, (SEARCH,), places)


def in_unclosed_thoughts(dialect: str) -> Iterator[Hazard]:
    """Yield calls in thoughts that never end."""
    call = _on_its_line(plainly(dialect, DELETE))
    for name, (opener, _) in thoughts_of(dialect).items():
        for way, behind in (("end", ""), ("words", " Let me see.")):
            text = f"{opener}I ping it.{call}{behind}"
            yield Hazard(dialect, "thought-unclosed", f"{name} {way}", text, (), (_place(text, call),))


def cut(dialect: str) -> Iterator[Hazard]:
    """Yield calls that end at each of their characters; they may run where all of the last argument is there, and its end."""
    for call, before in ((ROWS, ""), (NOTE, ""), (NOTE, BEFORE)):
        text = plainly(dialect, call)
        named = text.index(call.name) + len(call.name)
        whole = _end_of_last_value(text, call)
        for length in range(1, len(text)):
            places = (Place(len(before), len(before) + length),) if length >= named else ()
            yield Hazard(
                dialect,
                "cut",
                f"{call.name} {'behind words' if before else 'alone'} at {length}",
                before + text[:length],
                (call,) if length > whole else (),
                places,
                is_marked(text),
            )


def with_closers_twice(dialect: str) -> Iterator[Hazard]:
    """Yield calls one of whose closers stands twice."""
    yield from _with_marks_twice(dialect, "closer-twice", closers=True)


def with_openers_twice(dialect: str) -> Iterator[Hazard]:
    """Yield calls one of whose openers stands twice."""
    yield from _with_marks_twice(dialect, "opener-twice", closers=False)


def with_marks_misspelt(dialect: str) -> Iterator[Hazard]:
    """Yield calls in which one of the format's words is misspelt: in a mark, or as a key of its JSON."""
    text = plainly(dialect, WRITE)
    named = text.index(WRITE.name) + len(WRITE.name)
    words = [
        word
        for mark in (*marks(text), *_keys(text))
        for word in re.finditer(r"[A-Za-z]{3,}", text[mark.start : mark.end])
        if word[0] not in {"write", "file", "path", "text", "hello"}
        for word in [_moved(word, mark.start)]
    ]
    for number, (start, end) in enumerate(words):
        for way, wrong in (
            ("doubled", text[start + 1 : start + 2] + text[start + 1 : end]),
            ("lost", text[start + 2 : end]),
        ):
            misspelt = text[: start + 1] + wrong + text[end:]
            is_named = start > named and is_marked(text)
            yield _whole(dialect, "misspelt", f"{number} {way}", misspelt, WRITE, is_named=is_named)


def without_first_mark(dialect: str) -> Iterator[Hazard]:
    """Yield calls without the first of their marks."""
    yield from _without_marks(dialect, "first-lost", 1)


def without_two_marks(dialect: str) -> Iterator[Hazard]:
    """Yield calls without the first two of their marks."""
    yield from _without_marks(dialect, "two-lost", 2)


def without_any_special_mark(dialect: str) -> Iterator[Hazard]:
    """Yield calls as a server gives them that leaves out special tokens, unless nothing but words is left."""
    text = plainly(dialect, NOTE)
    rest = without_special_marks(text)
    if rest != text and re.search(r"[{<(]", rest):
        yield from _around(_whole(dialect, "special-lost", "all", rest, NOTE, is_named=False))


def shown(language: str) -> Maker:
    """Return what yields calls that prose in a language shows, wishes for or forbids."""

    def in_language(dialect: str) -> Iterator[Hazard]:
        call = plainly(dialect, DELETE)
        for name, prose in SHOWN[language].items():
            before, _, behind = prose.partition("@")
            put = _on_its_line(call) if before and not before.endswith("\n") else call
            text = f"{before}{put}{behind}"
            yield Hazard(dialect, f"shown-{language}", name, text, (), (_place(text, put),))

    return in_language


MAKERS: dict[str, Maker] = {
    "argument": in_arguments,
    "argument-other": of_others_in_arguments,
    "argument-twice": twice_in_arguments,
    "string": in_strings,
    "thought-closed": in_closed_thoughts,
    "thought-no-opener": in_thoughts_without_opener,
    "thought-unclosed": in_unclosed_thoughts,
    "cut": cut,
    "closer-twice": with_closers_twice,
    "opener-twice": with_openers_twice,
    "misspelt": with_marks_misspelt,
    "first-lost": without_first_mark,
    "two-lost": without_two_marks,
    "special-lost": without_any_special_mark,
    **{f"shown-{language}": shown(language) for language in SHOWN},
}
"""What makes each kind's texts of a dialect."""


def _within(dialect: str, kind: str, variant: str, outer: Call, inner: tuple[str, str]) -> Hazard:
    """Return a call with a text in its gap; the outer one is meant, with the text as it is or as it was before escaping."""
    plain, inside = inner
    text = plainly(dialect, outer).replace(GAP, inside)
    arguments = {
        name: value.replace(GAP, plain) if isinstance(value, str) else value
        for name, value in outer.arguments.items()
    }
    return Hazard(dialect, kind, variant, text, (Call(outer.name, arguments),), (Place(0, len(text)),))


def _whole(dialect: str, kind: str, variant: str, text: str, call: Call, *, is_named: bool = True) -> Hazard:
    return Hazard(dialect, kind, variant, text, (call,), (Place(0, len(text)),), is_named)


def _around(hazard: Hazard) -> Iterator[Hazard]:
    """Yield a text alone and between words."""
    yield replace(hazard, variant=f"{hazard.variant} alone")
    places = tuple(Place(start + len(BEFORE), end + len(BEFORE)) for start, end in hazard.places)
    text = f"{BEFORE}{hazard.text}{AFTER}"
    yield replace(hazard, variant=f"{hazard.variant} in words", text=text, places=places)


def _on_its_line(call: str) -> str:
    """Return a call as it stands within a sentence: on lines of its own where its format asks for that."""
    return f"\n{call}\n" if call.startswith(("```", "Action:")) else call


def _place(text: str, call: str) -> Place:
    start = text.index(call)
    return Place(start, start + len(call))


def _end_of_last_value(text: str, call: Call) -> int:
    """Return where the last argument's value ends: its text, without the quote or the mark behind it."""
    value = list(call.arguments.values())[-1]
    return max(at + len(each) for each in {str(value), json.dumps(value)} if (at := text.rfind(each)) >= 0)


def _with_marks_twice(dialect: str, kind: str, *, closers: bool) -> Iterator[Hazard]:
    text = plainly(dialect, WRITE)
    found = dict.fromkeys(marks(text), "mark")
    found |= {mark: "bracket" for mark in brackets(text) if not _touches(mark, list(found))}
    for number, (mark, what) in enumerate(sorted(found.items())):
        if mark.is_closer == closers:
            again = text[mark.start : mark.end]
            for way, gap in (("", ""), (" on a line", "\n")):
                doubled = text[: mark.end] + gap + again + text[mark.end :]
                yield _whole(dialect, kind, f"{what} {number}{way}", doubled, WRITE)


def _touches(mark: Mark, others: list[Mark]) -> bool:
    return any(mark.start < other.end and other.start < mark.end for other in others)


def _keys(text: str) -> list[Mark]:
    """Return the keys of a format's JSON."""
    return [Mark(*match.span(1), is_closer=False) for match in re.finditer(r'"(\w+)":', text)]


def _moved(word: re.Match[str], by: int) -> Place:
    return Place(word.start() + by, word.end() + by)


def _without_marks(dialect: str, kind: str, count: int) -> Iterator[Hazard]:
    """Yield calls without so many marks; of one that holds the tool's name, what stands before that is lost."""
    for call in (WRITE, NOTE):
        text = plainly(dialect, call)
        lost = marks(text)[:count]
        for start, end, _ in reversed(lost):
            name = text.find(call.name, start, end)
            text = text[:start] + text[end if name < 0 else name :]
        if len(lost) == count:
            yield from _around(_whole(dialect, kind, call.name, text, call, is_named=False))


def hazards(kind: str, dialect: str) -> Iterator[Hazard]:
    """Yield the texts of a kind in a dialect."""
    return MAKERS[kind](dialect)
