"""The JSON values of a fence, and where it closes."""

from collections.abc import Iterable
from typing import NamedTuple

from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Repair, Span
from actionledger.core.vocabulary import Reason, RepairKind
from actionledger.reading.dialects.parts.json_values import Group, Reach, json_ahead, values_at
from actionledger.reading.dialects.parts.markers import behind_blanks
from actionledger.reading.scan.line_starts import LineStart
from actionledger.reading.scan.openings import Closing, Opening, OpeningKind
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json import Decoded, comments_behind
from actionledger.reading.tolerant_json.faults import DecodeOptions

_OPEN_TO_THE_END = regex(r"\s*+[\[{][^\])}>/#\\]*+\Z")
"""An opening bracket that nothing closes and no comment follows; nothing after it is escaped."""

_LOOKED_AT = 200
_GAP = regex(r"\s*+[;,]?+\s*+")


class Content(NamedTuple):
    """The content of a fence."""

    values: tuple[Decoded, ...]  # its values in text order; the end of the text may cut off the last one
    closing: Closing  # where it closes
    beside: tuple[Repair, ...] = ()  # the repairs that concern no value: comments and gaps
    refusal: Issue | None = None  # why it is unreadable; None if it is readable

    @property
    def is_cut(self) -> bool:
        """Whether the end of the text cuts through the last value."""
        return bool(self.values and self.values[-1].cut)

    def repairs_with(self, values: Iterable[Decoded]) -> tuple[Repair, ...]:
        """Return the changes that made it readable, in text order."""
        of_values = [repair for decoded in values for repair in decoded.repairs]
        return tuple(sorted([*self.beside, *of_values], key=lambda repair: repair.span))


def content_of(
    source: Source, opening: Opening, end: int, options: DecodeOptions, following: LineStart
) -> Content:
    """Read the content of the fence that begins here; cached.

    Nearly always that is one valid value, and the fence closes right after it. Then the search ends: valid
    JSON has no line that begins with backticks, so no other fence begins or closes in it.
    """
    start = opening.end
    if source.text[start : start + 1] not in ("{", "["):
        start = behind_blanks(source.text, start, end)
    whole = json_ahead(source, start, end, options).whole
    if whole and (closing := source.closing_behind(opening, whole.end, end)):
        return Content((whole,), closing)
    asked = content_of, opening, end, options, following
    return source.once(asked, lambda: _searched_content(source, opening, end, options, following))


def never_closed(source: Source, opening: Opening, end: int, following: LineStart, key: str) -> Span | None:
    """Return the content of a fence whose value the next fence cuts off, if it has no key like this one.

    However it is repaired, it lacks such a key and ends at the next fence, so it needs no reading. None
    if that is not plain, or if there is more to check.
    """
    stop = opening.end + _LOOKED_AT
    near = source.text[opening.end : stop].partition("```")[0]
    if "}" in near and "~~~" not in near:
        return None
    bound = source.search(following, opening.end, end)
    if opening.kind is not OpeningKind.FENCE or bound >= min(stop, end):
        return None
    body = source.text[opening.end : bound]
    if not _OPEN_TO_THE_END.match(body) or set(key) <= set(body):
        return None
    found = source.closing_fence(opening, opening.end, bound).found
    return None if found else Span(opening.end, bound)


def _searched_content(
    source: Source, opening: Opening, end: int, options: DecodeOptions, following: LineStart
) -> Content:
    """Read the content of a fence whose first value is broken, or has text after it or comments before it."""
    text = source.text
    bound = source.search(following, opening.end, end)
    first = source.closing_fence(opening, opening.end, bound)
    body = Span(opening.end, first.start)
    start, comments = _behind_comments(text, opening.end, options)
    if start >= first.start:
        missing = Issue(Reason.MALFORMED_JSON, body, "There is no value.")
        return Content((), first, refusal=missing if comments else Issue(Reason.EMPTY_BLOCK, body))
    limit = bound if source.may_overrun else first.start
    gap = _GAP if RepairKind.SEVERAL_VALUES in options.repairs else None
    group = values_at(source, start, Reach(first.start if first.found else None, limit, limit), options, gap)
    source.overran((limit if group.is_broken else group.end) - first.end)
    if group.is_broken:
        return _broken(opening, group, first, comments, is_last=bound == end)
    _, behind = _behind_comments(text, group.end, options)
    beside = (*comments, *_gaps(source, opening, group), *behind)
    if closing := _closing(source, opening, behind[-1].span.end if behind else group.end, Span(bound, end)):
        return Content(group.values, closing, beside)
    if group.end > first.start:
        return Content(group.values, first, beside, refusal_of(group.values[-1], body))
    return Content(group.values, first, beside, Issue(Reason.TEXT_AFTER_VALUE, Span(group.end, first.start)))


def _behind_comments(text: str, start: int, options: DecodeOptions) -> tuple[int, tuple[Repair, ...]]:
    """Return where blanks and comments end, and the comments as repairs."""
    at = behind_blanks(text, start, len(text))
    if not text.startswith(("/", "#"), at):
        return at, ()
    comments = comments_behind(text, start, options=options)
    return behind_blanks(text, comments[-1].span.end if comments else at, len(text)), comments


def _closing(source: Source, opening: Opening, behind: int, rest: Span) -> Closing | None:
    """Return where a block closes after its value; None unless a fence, or only the next block, follows."""
    if closing := source.closing_behind(opening, behind, rest.end):
        return closing
    is_next = rest.start < rest.end and behind_blanks(source.text, behind, rest.start) == rest.start
    return Closing(behind, behind, found=False) if is_next else None


def _gaps(source: Source, opening: Opening, group: Group) -> list[Repair]:
    """Return a repair for each gap between two values, since the format has one value per fence."""
    fence = Span(opening.start, opening.end).of(source.text).strip()
    between = [Span(one.end, other.start) for one, other in zip(group.values, group.values[1:], strict=False)]
    return [
        Repair(RepairKind.SEVERAL_VALUES, gap, gap.of(source.text), f"\n{opening.mark}\n{fence}\n")
        for gap in between
    ]


def _broken(
    opening: Opening, group: Group, first: Closing, comments: tuple[Repair, ...], *, is_last: bool
) -> Content:
    """Return the content of a fence without an end: the text ends early, or it is unreadable."""
    if group.is_cut and is_last and not first.found:
        return Content(group.values, first, comments)
    body = Span(opening.end, first.start)
    return Content(group.values, first, comments, refusal_of(group.refused or group.values[-1], body))


def refusal_of(decoded: Decoded, body: Span) -> Issue:
    """Return why a block has no readable value."""
    if not decoded.ok and (span := decoded.issues[0].span) and span.end <= body.end:
        return decoded.issues[0]
    return Issue(Reason.MALFORMED_JSON, body, "The block ends before its value does.")
