"""JSON values at known places of a response: where each may end, and how a broken one is read.

A valid value determines its own end, whatever its strings hold. A broken one is read up to the marker that should close
it, then beyond, since the marker may be in a string. It never reaches beyond the next opening marker: so no call
swallows the next one, and a response is read in linear time.
"""

import re
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Repair, Span
from actionledger.core.vocabulary import Reason, RepairKind
from actionledger.reading.dialects.parts.json_calls import arguments_of
from actionledger.reading.dialects.parts.value_faults import (
    BrokenValues,
    OpenBrackets,
    ends_inside,
    unless_doubtful,
)
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json import Decoded, decode
from actionledger.reading.tolerant_json.faults import DecodeOptions
from actionledger.reading.tolerant_json.valid import outlined, read_valid

BEGINS_JSON = regex(r"""[\[{]\s*+(?:["'“‘\[\]{}#]|//|/\*|\w++\s*+:|\Z)""")
"""The beginning of a container; ``{...}`` and ``[name]`` in prose don't match."""

BARE_OBJECT = r"""\{\s*+["'“‘]"""
BARE_LIST = r"""\[\s*+\{\s*+["'“‘]"""
"""The beginnings of an object, and of a list of objects, at the start of a line."""

_NO_JSON = regex(r"""(?:\[[ \t\r\n]*+){0,2}+(?:\{[ \t\r\n]*+[^"}\s]|(?<=[\[ \t\r\n])[^"{}\[\]\-\dtfn\s])""")
"""The beginning of an invalid container: its second or third sign shows it, without the C scanner."""

_OFTEN = ('{"', '[{"')
_PLAIN = ('{"', "{}")
_BREAKS_KEY = regex(r'\[?\{"[^"\\\x00-\x1f]{0,60}+[\x00-\x1f]')
"""A first key with a line break, which is invalid JSON; the C scanner's error would count the lines before it."""

_OPENS_AT_END = regex(r"[\[{][ \t\r\n]*+\Z")

_PIECE = 2_048
"""The first searched part of a text, in code points: it holds most values, and few lines to count before an error."""

_GROWTH = 16
_GUESSED_ENDS = frozenset({RepairKind.INNER_QUOTE, RepairKind.UNCLOSED_STRING})
_RUNS_ON = regex(r"\s*+[}\]),]")


class Reach(NamedTuple):
    """How far a value may reach, in code points."""

    closer: int | None  # the first marker that may close the block; None if there is none
    bound: int  # the latest end of a broken value: the next opening marker, or the end of the text
    end: int  # where the searched text ends


@lru_cache(maxsize=64)
def _unbounded(options: DecodeOptions) -> DecodeOptions:
    """Return the decoder's options for an unbounded value: no guess may decide where a string ends."""
    return options.model_copy(update={"repairs": options.repairs - _GUESSED_ENDS})


class Ahead(NamedTuple):
    """The valid JSON ahead."""

    whole: Decoded | None  # the value; None if there is none
    is_cut: bool = False  # whether the text up to its end is the beginning of one


def json_ahead(source: Source, start: int, end: int, options: DecodeOptions) -> Ahead:
    """Return the valid JSON that begins, or may begin, at ``start``; cached."""
    asked = json_ahead, start, end, options.max_depth
    return source.once(asked, lambda: _unless_open(source, start, end, options.max_depth))


def _unless_open(source: Source, start: int, end: int, max_depth: int) -> Ahead:
    """Read ahead, unless the text is known to end before the brackets opened here close."""
    if source.text.startswith(_OFTEN, start):
        if _BREAKS_KEY.match(source.text, start, end):
            return Ahead(None)
    else:
        if _NO_JSON.match(source.text, start, end):
            return Ahead(None)
        if _OPENS_AT_END.match(source.text, start, end):
            return Ahead(None, is_cut=True)
    brackets = source.memory(OpenBrackets)
    if brackets.hold(start, end):
        return Ahead(None, is_cut=True)
    ahead = _json_ahead(source.text, start, end, max_depth)
    if ahead.is_cut:
        brackets.note(source.text, start, end)
    return ahead


def _json_ahead(text: str, start: int, end: int, max_depth: int) -> Ahead:
    """Read the whole text at once near its beginning, else growing pieces of it.

    The C scanner's errors count the lines before them: ten thousand broken values in a megabyte would take ten thousand
    times a megabyte.
    """
    if start <= _PIECE and end == len(text):
        whole = outlined(text, start, max_depth)
        return Ahead(whole, is_cut=whole is None and ends_inside(text, start))
    size = _PIECE
    while True:
        stop = min(end, start + size)
        piece = text[start:stop]
        whole = outlined(piece, 0, max_depth, start)
        if whole and (whole.end < stop or stop == end):
            return Ahead(whole)
        goes_on = ends_inside(piece, 0)
        if stop == end or not goes_on:
            return Ahead(None, goes_on)
        size *= _GROWTH


def value_at(source: Source, start: int, reach: Reach, options: DecodeOptions) -> Decoded:
    """Read the value that begins at ``start``; refuse one with two readings."""
    whole = json_ahead(source, start, reach.end, options).whole
    if whole and not _RUNS_ON.match(source.text, whole.end, reach.end):
        return whole
    if whole is not None:
        return _undoubted(source, start, reach, options, whole)
    known = source.memory(BrokenValues)
    return known.read(
        source.text, start, reach[:2], options, lambda: _undoubted(source, start, reach, options)
    )


def _undoubted(
    source: Source, start: int, reach: Reach, options: DecodeOptions, whole: Decoded | None = None
) -> Decoded:
    return unless_doubtful(source.text, _broken_at(source.text, start, reach, options, whole))


def _broken_at(text: str, start: int, reach: Reach, options: DecodeOptions, whole: Decoded | None) -> Decoded:
    """Read a value up to the first marker, else up to the end of valid JSON, else beyond the marker."""
    if reach.closer is not None:
        near = decode(text, start, options=options, end=reach.closer)
        if near.ok and not near.cut:
            is_guess = whole is None and any(repair.kind in _GUESSED_ENDS for repair in near.repairs)
            return _unless_it_goes_on(near, _beyond(text, start, reach, options)) if is_guess else near
    return whole or _beyond(text, start, reach, options)


def _beyond(text: str, start: int, reach: Reach, options: DecodeOptions) -> Decoded:
    """Read a broken value up to the next opening marker, ignoring all others."""
    stop = reach.bound if reach.bound < len(text) else None
    return decode(text, start, options=_unbounded(options), end=stop)


def _unless_it_goes_on(near: Decoded, beyond: Decoded) -> Decoded:
    """Refuse a value with a guessed end if it is also whole, and longer, without that guess."""
    if not beyond.ok or beyond.cut or beyond.end <= near.end:
        return near
    detail = f"It may end at {near.end}, before what closes the block, or at {beyond.end}, behind that."
    issue = Issue(Reason.AMBIGUOUS, Span(near.start, near.end), detail)
    return replace(near, ok=False, value=None, issues=(issue,))


class Group(NamedTuple):
    """JSON values in sequence."""

    # the readable ones, in text order; the end of the text may cut off the last one
    values: tuple[Decoded, ...]
    refused: Decoded | None = None  # the unreadable one after them, if any

    @property
    def end(self) -> int:
        """Where the last readable value ends."""
        return self.values[-1].end

    @property
    def stop(self) -> int:
        """Where reading stopped."""
        return self.refused.end if self.refused else self.end

    @property
    def is_cut(self) -> bool:
        """Whether the end of the text cuts through the last value."""
        return bool(self.values and self.values[-1].cut)

    @property
    def is_broken(self) -> bool:
        """Whether something in it is unreadable or incomplete."""
        return self.refused is not None or self.is_cut

    @property
    def repairs(self) -> list[Repair]:
        """The changes that made the values readable, in text order."""
        return [repair for decoded in self.values for repair in decoded.repairs]

    @property
    def issues(self) -> list[Issue]:
        """The values' issues, in text order."""
        return [issue for decoded in self.values for issue in decoded.issues]


def values_at(
    source: Source, start: int, reach: Reach, options: DecodeOptions, gap: re.Pattern[str] | None
) -> Group:
    """Read the containers in sequence from ``start`` on."""
    text = source.text
    values: list[Decoded] = []
    at = start
    while True:
        decoded = value_at(source, at, reach, options)
        if not decoded.ok:
            return Group(tuple(values), decoded)
        values.append(decoded)
        between = gap.match(text, decoded.end, reach.end) if gap else None
        if decoded.cut or not between or not BEGINS_JSON.match(text, between.end(), reach.end):
            return Group(tuple(values))
        at = between.end()


class Arguments(NamedTuple):
    """The arguments of a call whose name precedes them."""

    values: dict[str, Any]
    end: int  # where they end, in code points
    repairs: tuple[Repair, ...]  # repairs, issues: what was changed, what is wrong, in text order
    issues: tuple[Issue, ...]


def plain_arguments(text: str, start: int, end: int, max_depth: int) -> Arguments | None:
    """Read arguments that are a short valid object without lists; None if there is more to check."""
    if not text.startswith(_PLAIN, start):
        return None
    piece = text[start : min(end, start + _PIECE)]
    read = read_valid(piece, 0, max_depth)
    if read is None or "[" in piece[: read[1]] or _RUNS_ON.match(text, start + read[1], end):
        return None
    return Arguments(read[0], start + read[1], (), ())


def arguments_at(source: Source, start: int, reach: Reach, options: DecodeOptions) -> Arguments | Issue:
    """Read the arguments that begin at ``start``: an object, or its JSON text as a string."""
    decoded = value_at(source, start, reach, options)
    if not decoded.ok:
        return decoded.issues[0]
    span = Span(decoded.start, decoded.end)
    if decoded.cut:
        return Issue(Reason.TRUNCATED, span)
    arguments = arguments_of(decoded.value)
    if arguments is None:
        return Issue(Reason.WRONG_SHAPE, span, "Expected an object with the arguments.")
    return Arguments(arguments, decoded.end, decoded.repairs, decoded.issues)
