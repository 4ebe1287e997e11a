"""Blocks that dialects read in places that quote, in turns that the model invented, and once more: none of them is meant.

The documents' own formats merge all their blocks, and say themselves what an example is; only a value of theirs that stands
without its fence is as bare as any other.
"""

from collections.abc import Sequence
from typing import TypeAlias

from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import BlockStatus, Evidence, Reason, RepairKind
from actionledger.reading.dialects.base import Dialect, Found, Written
from actionledger.reading.evidence.cues import is_choice, speaks_against
from actionledger.reading.evidence.places import Quotations, inked, is_document
from actionledger.reading.evidence.turns import invented_from
from actionledger.reading.scan.source import Source

DOCUMENTED = frozenset(
    {"actions", "iteration", "json_action", "plan", "xml_tags", "mint", "search_replace", "apply_patch"}
)
"""The formats of the documents, and those that are blocks of edits."""

MARKLESS = frozenset({"json", "pythonic", "llama4_pythonic", "llama3_json", "python_fence", "evidence"})
"""The dialects whose calls may have no marks but their own looks."""

READ = frozenset({BlockStatus.STRICT, BlockStatus.REPAIRED})

Placed: TypeAlias = tuple[Dialect, Found]


def without_echoes(source: Source, placed: Sequence[Placed]) -> list[Placed]:
    """Return blocks with those as illustrations that quote, that stand in an invented turn, or that repeat another."""
    text, names = source.text, source.names
    native = [found for dialect, found in placed if is_judged(dialect, found)]
    if not native:
        return list(placed)
    ink = inked(text, [found.span for _, found in placed if found.reason is Reason.REASONING])
    reads_like_document = names is not None and is_document(text)
    quotations = Quotations(text, indented=names is not None)
    judged: list[Placed] = []
    invented = _invented(text, placed)
    stated: dict[str, tuple[Dialect, Found]] = {}
    previous: Found | None = None
    for dialect, found in placed:
        if not is_judged(dialect, found):
            judged.append((dialect, found))
            continue
        rank, why = Evidence.QUOTATION, ""
        if quoted := quotations.around(found.span):
            why = quoted.why
        elif invented is not None and found.span.start >= invented.start:
            why = "It stands behind a turn that the model wrote itself."
        elif dialect.name in MARKLESS and is_bare(found, text):
            rank, why = Evidence.EXAMPLE, _against(source, found, stated, previous)
            if (
                not why
                and reads_like_document
                and not (found.span.start <= ink.start and ink.end <= found.span.end)
            ):
                why = "The response is a document."
        if not why and found.status in READ:
            stated.setdefault(calls_text(found.actions), (dialect, found))
            previous = found
        judged.append((dialect, as_shown(found, why, rank) if why else found))
    return judged


def as_shown(found: Found, why: str, rank: Evidence) -> Found:
    """Return a block as an illustration, with an issue that says what makes one of it."""
    issue = Issue(Reason.EXAMPLE, found.span, why)
    return found._replace(
        status=BlockStatus.IGNORED, reason=issue.code, repairs=(), issues=(issue,), evidence=rank
    )


def calls_text(actions: Sequence[Written]) -> str:
    """Return calls as a text that is the same for the same calls."""
    return repr([(action.name, sorted(action.arguments.items(), key=str)) for action in actions])


def is_judged(dialect: Dialect, found: Found) -> bool:
    """Return whether a block's place decides about it: the documents' own formats say themselves what an example is."""
    if found.status is BlockStatus.IGNORED or is_doubted(found):
        return False
    if dialect.name not in DOCUMENTED or not found.repairs:
        return dialect.name not in DOCUMENTED
    return any(repair.kind is RepairKind.MISSING_FENCE for repair in found.repairs)


def is_doubted(found: Found) -> bool:
    """Return whether it was said already that a block's actions may not be meant."""
    for action in found.actions:
        if action.doubt is None:
            return False
    return bool(found.actions)


def is_bare(found: Found, text: str) -> bool:
    """Return whether a block has no special token before its calls."""
    return not text.startswith(("<", "[TOOL"), found.span.start)


def _against(
    source: Source,
    found: Found,
    stated: dict[str, tuple[Dialect, Found]],
    previous: Found | None,
) -> str:
    """Return what speaks against a block that has no marks; empty where nothing does."""
    if (
        found.status in READ
        and (before := stated.get(calls_text(found.actions)))
        and _is_restated(source.text, before[1], found)
    ):
        return "It states the same calls once more."
    if source.names is None:
        return ""
    if previous and is_choice(source.text[previous.span.end : found.span.start]):
        return "It is one of two that the text offers as a choice."
    if why := speaks_against(source, *found.span):
        return why
    return ""


def _is_restated(text: str, before: Found, found: Found) -> bool:
    """Return whether the same calls stand in another form, or with words between: whoever wants them twice goes on with them."""
    one, other = before.span.of(text).split("\n", 1)[0], found.span.of(text).split("\n", 1)[0]
    is_other_form = one[:3] != other[:3] or (one.startswith("```") and one.strip() != other.strip())
    between = text[before.span.end : found.span.start]
    return is_other_form or bool(between.strip(" \t\r\n,;")) or between.count("\n") > 1


def _invented(text: str, placed: Sequence[Placed]) -> Span | None:
    """Return where the first turn of somebody else begins behind the first call, outside of all blocks."""
    spans = [found.span for _, found in placed]
    first = next(
        (
            found.span.end
            for dialect, found in placed
            if found.status in READ and dialect.name not in DOCUMENTED
        ),
        None,
    )
    at = 0
    while first is not None and (marker := invented_from(text, first)):
        while at < len(spans) and spans[at].end <= marker.start:
            at += 1
        if at == len(spans) or spans[at].start > marker.start:
            return marker
        first = spans[at].end
    return None
