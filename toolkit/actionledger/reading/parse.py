"""Parse a response into a reading: number its blocks, decide its outcome and separate its narrative."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from actionledger.core.values import Block, Issue, RawAction, Reading, Repair, Span, rows_of
from actionledger.core.vocabulary import BlockStatus, Outcome, Reason, RepairKind
from actionledger.reading.dialects.base import Dialect, Found
from actionledger.reading.dialects.reasoning import AnalysisChannel, Reasoning
from actionledger.reading.evidence.echoes import with_enclosed, without_echoes
from actionledger.reading.evidence.foreign import with_foreign
from actionledger.reading.evidence.surroundings import judged_by_prose
from actionledger.reading.evidence.weighing import EvidenceSetting, with_evidence
from actionledger.reading.finding import Finder, Placed
from actionledger.reading.heads import with_looks, without_held
from actionledger.reading.scan.source import Source
from actionledger.reading.thinking import Thinking
from actionledger.reading.tolerant_json.faults import DecodeOptions

_READ = frozenset({BlockStatus.STRICT, BlockStatus.REPAIRED})
_MALFORMED = BlockStatus.MALFORMED


def has_lone_ends(text: str) -> bool:
    """Return whether a text's lines end with carriage returns, and none with a line feed."""
    return "\r" in text and "\n" not in text


def with_line_feeds(text: str) -> str:
    return text.replace("\r", "\n")


def restored(placed: Sequence[tuple[Dialect, Found]], text: str) -> list[tuple[Dialect, Found]]:
    """Return blocks parsed with line feeds as blocks of the response, each with a repair that says so."""
    return [(dialect, _restored(found, text)) for dialect, found in placed]


def _restored(found: Found, text: str) -> Found:
    again = (replace(repair, before=repair.span.of(text)) for repair in found.repairs)
    repairs = [repair for repair in again if repair.before != repair.after]
    at = text.find("\r", *found.span)
    while at >= 0 and any(repair.span.start <= at < repair.span.end for repair in repairs):
        at = text.find("\r", at + 1, found.span.end)
    if at < 0 or found.status not in _READ:
        return found._replace(repairs=tuple(repairs))
    ends = Repair(RepairKind.SPACE, Span(at, at + 1), "\r", "\n")
    ordered = tuple(sorted([*repairs, ends], key=lambda repair: repair.span))
    return found._replace(status=BlockStatus.REPAIRED, repairs=ordered)


_LOSSES = frozenset({Reason.TRUNCATED, Reason.BLOCK_LIMIT})
"""Issues that show that a parsed block was not read completely."""

_DOUBTS = frozenset({Reason.REASONING, Reason.CALL_IN_PROSE, Reason.EXAMPLE, Reason.AMBIGUOUS})
"""Issues that show that a parsed block's actions may not be meant."""

REASONING, ANALYSIS = Reasoning(), AnalysisChannel()


def read(
    source: Source,
    finder: Finder,
    *,
    options: DecodeOptions,
    max_blocks: int | None,
    requires_action: bool,
    parser_id: str,
    evidence: EvidenceSetting = "ignored",
) -> Reading:
    """Parse a response."""
    written = source.text
    has_other_ends = "\r" in written and has_lone_ends(written) and RepairKind.SPACE in options.repairs
    if has_other_ends:
        source = Source(with_line_feeds(written), source.names, is_cut=source.is_cut)
    placed = _judged(source, finder, [*finder.blocks(source, options)], options, evidence)
    placed = restored(placed, written) if has_other_ends else placed
    placed = placed if max_blocks is None else _within_limit(placed, max_blocks)
    return assembled(written, placed, requires_action=requires_action, parser_id=parser_id)


def _judged(
    source: Source,
    finder: Finder,
    placed: list[Placed],
    options: DecodeOptions,
    evidence: EvidenceSetting,
) -> list[Placed]:
    """Return the dialects' blocks as judged by their places, with those by evidence."""
    thinking = None
    if Reason.REASONING in [found.reason for _, found in placed]:
        thinking = Thinking(source, finder, options, REASONING)
        placed = thinking.told_apart(placed)
    placed = without_echoes(source, placed) if placed else placed
    if source.names:
        weighed = with_evidence(source, placed, options, evidence)
        placed = weighed if weighed == placed else _unheld(without_echoes(source, weighed), source)
        if evidence == "reported":
            placed = with_foreign(source, placed, options)
    placed = with_looks(source, placed, finder.bare_readers)
    if not [found for _, found in placed if found.actions]:
        return placed
    placed = with_enclosed(source, placed)
    return judged_by_prose(source, thinking.still_doubtful(placed) if thinking else placed)


def _unheld(placed: Sequence[Placed], source: Source) -> list[Placed]:
    """Drop blocks by evidence that begin in a string of a call before them."""
    return [*without_held(iter(placed), source.text, len(source.text))]


class Format(Protocol):
    """The part of a block's dialect that numbering needs; see ``Dialect``."""

    @property
    def name(self) -> str:
        """The name in records and charts."""

    @property
    def strings_only(self) -> bool:
        """Whether all its values are strings."""


def assembled(
    text: str, placed: Sequence[tuple[Format, Found]], *, requires_action: bool, parser_id: str
) -> Reading:
    """Number the blocks, collect actions and issues, and decide the outcome."""
    blocks, actions = numbered(placed)
    is_meant = None in [action.illustration for action in actions]
    is_lost = True in [_is_lost(block) for block in blocks if block.issues or block.status is _MALFORMED]
    outcome = _outcome(text, blocks, has_actions=is_meant, is_lost=is_lost, requires_action=requires_action)
    issues = [issue for block in blocks for issue in block.issues]
    if outcome is Outcome.FAILED and not is_lost:
        issues.append(Issue(Reason.NO_ACTION_FOUND))
    return Reading(
        text=text,
        outcome=outcome,
        blocks=tuple(blocks),
        actions=tuple(actions),
        issues=tuple(issues),
        narrative=_narrative(text, blocks),
        parser_id=parser_id,
    )


def numbered(placed: Sequence[tuple[Format, Found]], first: int = 0) -> tuple[list[Block], list[RawAction]]:
    blocks: list[Block] = []
    actions: list[tuple[object, ...]] = []
    for index, (dialect, found) in enumerate(placed, start=first):
        blocks.append(
            Block(
                index=index,
                dialect=dialect.name,
                status=found.status,
                span=found.span,
                body=found.body,
                reason=found.reason,
                repairs=found.repairs,
                issues=found.issues,
                evidence=found.evidence,
            )
        )
        illustration = found.reason if found.status is BlockStatus.IGNORED else None
        known, strings_only = dialect.name, dialect.strings_only or found.strings_only
        evidence = found.evidence
        actions += [
            (name, arguments, span, known, index, strings_only, illustration, call_id, evidence, doubt)
            for name, arguments, span, call_id, doubt in found.actions
        ]
    return blocks, rows_of(RawAction, actions)


def _within_limit(placed: list[Placed], max_blocks: int) -> list[Placed]:
    """Ignore the blocks with actions beyond the limit, each with an issue."""
    kept, count = [], 0
    for dialect, found in placed:
        count += found.status is not BlockStatus.IGNORED
        if found.status is not BlockStatus.IGNORED and count > max_blocks:
            issue = Issue(Reason.BLOCK_LIMIT, found.span, f"The limit is {max_blocks}.")
            kept.append(
                (dialect, found._replace(status=BlockStatus.IGNORED, reason=issue.code, issues=(issue,)))
            )
        else:
            kept.append((dialect, found))
    return kept


def _outcome(
    text: str, blocks: Sequence[Block], *, has_actions: bool, is_lost: bool, requires_action: bool
) -> Outcome:
    if not blocks and not text.strip():
        return Outcome.FAILED if requires_action else Outcome.EMPTY
    read_blocks = [
        block
        for block in blocks
        if block.status is BlockStatus.STRICT or block.status is BlockStatus.REPAIRED
    ]
    if is_lost:
        return Outcome.PARTIAL if read_blocks else Outcome.FAILED
    if not read_blocks:
        return Outcome.FAILED if requires_action else Outcome.NO_ACTION
    if not has_actions:
        return Outcome.ABSTAINED
    changed = [block for block in read_blocks if block.status is BlockStatus.REPAIRED]
    return Outcome.REPAIRED if changed else Outcome.CLEAN


def _is_lost(block: Block) -> bool:
    """Return whether a block holds something meant that was not fully parsed."""
    if block.status is BlockStatus.IGNORED:
        return any(issue.code in _LOSSES for issue in block.issues)
    if block.status is BlockStatus.MALFORMED:
        return True
    return any(issue.code in _LOSSES or issue.code in _DOUBTS for issue in block.issues)


def _narrative(text: str, blocks: Sequence[Block]) -> str:
    """Return the text without blocks that hold actions or thoughts; other ignored blocks stay."""
    if not blocks:
        return text.strip()
    narrative, before, start = "", "", 0
    spans = sorted(
        [
            block.span
            for block in blocks
            if block.status is not BlockStatus.IGNORED or block.reason is Reason.REASONING
        ]
    )
    for begins, ends in (*spans, (len(text), 0)):
        piece = text[start:begins]
        said = piece.strip()
        if said and narrative:
            own_line = before.rstrip(" \t")[-1:] == "\n" or piece.lstrip(" \t\r")[:1] == "\n"
            narrative += "\n\n" if own_line else " "
        narrative += said
        before, start = piece, ends if ends > start else start  # noqa: FURB136 - no call for each block
    return narrative
