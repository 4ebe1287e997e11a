"""Parse a response as it arrives. A block is given out once nothing that follows can change it.

That is so if all blocks before it are settled, nothing open before it may yet hold it, and it is whole: parsed
unrepaired, closed, with text after it. Everything else waits for the end. So the blocks given out are the first
blocks of the whole response's reading, wherever the chunks were cut.

The words after a call may take it back, so it waits for the next call, some more text or the end. A call marked only by its place
waits for the end. One thing can't be known before it comes: an unopened closing marker makes thoughts of all before it.
If a model's template writes the opening tag, stream it with ``is_thinking``.
"""

from actionledger.core.errors import UsageError, require_text
from actionledger.core.patterns import regex
from actionledger.core.values import Block, RawAction, Reading, Span
from actionledger.core.vocabulary import BlockStatus, Reason
from actionledger.reading.dialects.base import Dialect, Found
from actionledger.reading.dialects.reasoning import closer_at, ends_thoughts, may_end_thoughts, opener_of
from actionledger.reading.evidence.echoes import DOCUMENTED, MARKLESS, READ, is_judged, opens_tag
from actionledger.reading.evidence.foreign import may_hold_foreign
from actionledger.reading.evidence.places import invented_from, may_enclose, may_quote
from actionledger.reading.evidence.rests import mentions_and_rests
from actionledger.reading.evidence.surroundings import has_placeholder, is_open_to_prose
from actionledger.reading.evidence.weighing import is_open
from actionledger.reading.finding import Walk
from actionledger.reading.heads import may_look_like_call
from actionledger.reading.parse import REASONING, has_lone_ends, numbered
from actionledger.reading.parsers import AnyParser, DialectParser
from actionledger.reading.prose import BEHIND, is_corrected, verdict_of_marked
from actionledger.reading.prose_words import takes_back
from actionledger.reading.scan.openings import HIDDEN
from actionledger.reading.scan.source import Source
from actionledger.reading.thinking import Thinking, may_be_all_behind
from actionledger.reading.tolerant_json import decode
from actionledger.reading.tolerant_json.faults import STRICT

_MARKUP = regex(r"[<{\[]|```")
_MAY_BE_LABEL = regex(r"\[[\w ]{0,21}+\Z")
"""The beginning of what may be a speaker's name."""


def may_change(
    text: str, gap: Span, placed: tuple[Dialect, Found], names: frozenset[str] | None, *, is_first: bool
) -> bool:
    """Return whether later text may change a block, or put another block before it."""
    dialect, found = placed
    if names:
        reach = gap.end if found.status in READ and not is_open(dialect, found, names) else found.span.end
        if mentions_and_rests(text, gap.start, reach, names) or (reach > gap.end and found.status in READ):
            return True
    if not is_judged(dialect, found):
        return is_open_to_prose(dialect, found) and may_enclose(text, *gap)
    return may_quote(text, *gap) or (not is_first and invented_from(text[: gap.end], gap.start) is not None)


def is_known_behind(text: str, end: int) -> bool:
    """Return whether enough text follows a call to know that it says nothing about it: more text, or the next call."""
    behind = text[end : end + BEHIND]
    lead = len(behind) - len(behind.lstrip("`~ \t\r\n.;,*_"))
    is_all = len(behind) == BEHIND or (
        _MARKUP.search(behind, lead) is not None
        and not (behind.endswith("\n<") or _MAY_BE_LABEL.match(behind, lead))
    )
    return is_all and not takes_back(behind[lead:]) and not is_corrected(behind)


def waits_for_prose(text: str, gap: Span, placed: tuple[Dialect, Found]) -> bool:
    """Return whether the prose around a block changes it, or may do so with more text after it."""
    dialect, found = placed
    return is_open_to_prose(dialect, found) and (
        dialect.name in MARKLESS
        or not is_known_behind(text, found.span.end)
        or has_placeholder(found)
        or verdict_of_marked(text, found.span, gap.start, is_own=dialect.name in DOCUMENTED) is not None
    )


_SMALL_GROWTH = 64
_SHARE_OF_GROWTH = 8

_FENCE = regex("```|~~~")
_LINE_GOES_ON = regex(rf"[ \t\r{HIDDEN}]*\Z")

StreamedBlock = tuple[Block, tuple[RawAction, ...]]
"""A settled block with its actions."""


class StreamParser:
    """Parses a response chunk by chunk.

    Args:
        parser: the configuration, as ``al.parser(name)`` returns it; the documents' own parsers only read whole responses.
        names: the names of the tools that the model was offered; None if unknown.
        is_thinking: whether the response begins in thoughts whose opening tag the template wrote.

    Raises:
        UsageError: the parser can't read streams.

    Example:
        >>> stream = al.StreamParser(al.parser("mint"))
        >>> pieces = ("Hm. <exe", "cute>1 + 1</execute>", " And so on." * 9)
        >>> [[action.name for block, actions in stream.feed(piece) for action in actions] for piece in pieces]
        [[], [], ['execute']]
    """

    def __init__(
        self, parser: AnyParser, names: frozenset[str] | None = None, *, is_thinking: bool = False
    ) -> None:
        if not isinstance(parser, DialectParser):
            raise UsageError(
                f"A stream is read by a parser of dialects, such as al.parser('coder'), not by {parser!r:.80}; the documents' own "
                "parsers read whole responses alone."
            )
        self.parser = parser
        self.names = names
        self._waits_for_thoughts = is_thinking and parser.reasoning
        self._chunks: list[str] = []
        self._length = 0
        self._settled = 0
        self._resumes = 0
        self._looked_at = 0
        self._blocks = 0
        self._read_blocks = 0
        self._thought_until = 0
        self._waits = False

    def feed(self, chunk: str) -> tuple[StreamedBlock, ...]:
        """Take the next piece of the response.

        Args:
            chunk: the piece, any string.

        Returns:
            The blocks that it settles, in text order.

        Raises:
            UsageError: the chunk is not a string.

        Example:
            >>> stream = al.StreamParser(al.parser("mint"))
            >>> [(block, actions)] = stream.feed("<execute>1 + 1</execute>" + " " * 99)
            >>> str(block.status), actions[0].arguments
            ('strict', {'code': '1 + 1'})
        """
        require_text(chunk)
        self._chunks.append(chunk)
        self._length += len(chunk)
        grown = self._length - self._looked_at
        if grown < max(_SMALL_GROWTH, (self._length - self._resumes) // _SHARE_OF_GROWTH):
            return ()
        return tuple(self._settle())

    def finish(self, *, is_cut: bool = False) -> Reading:
        """End the response and return its reading, the same as that of the whole text at once.

        Args:
            is_cut: whether the model was stopped before it was done, as a finish reason ``length`` says.

        Example:
            >>> stream = al.StreamParser(al.parser("mint"))
            >>> _ = stream.feed("<execute>1 + 1</execute>")
            >>> len(stream.finish().actions)
            1
        """
        return self.parser.read(self._text(), self.names, is_cut=is_cut)

    def _settle(self) -> list[StreamedBlock]:
        text = self._text()
        self._looked_at = len(text)
        if has_lone_ends(text):
            return []  # a carriage return's meaning is known only with a line feed, or the end
        settled: list[StreamedBlock] = []
        if self._waits_for_thoughts or (
            self.parser.reasoning and not self._blocks and may_end_thoughts(text)
        ):
            thoughts = self._thoughts(text)
            if thoughts is None:
                return []
            settled.extend(thoughts)
        source = Source(text, self.names)
        walk = Walk(is_behind_thoughts=self._resumes > 0 and self._resumes == self._thought_until)
        for dialect, found in self.parser.finder.blocks(source, self.parser.decoding, self._resumes, walk):
            if found.span.end <= self._settled:
                continue
            if walk.has_unread or (walk.is_in_fence and dialect.respects_fences):
                break  # with more text, a block may begin before this one and hold it
            is_open = dialect.last_counts or dialect.may_grow(found, text) or not _is_settled(found, text)
            if is_open or self._is_over_limit(found) or self._may_change(dialect, found):
                break
            if found.reason is Reason.REASONING and (
                ends_thoughts(found, text)
                or _FENCE.search(text, self._resumes, found.span.start)  # a fence's content is no thought
                or Thinking(source, self.parser.finder, self.parser.decoding, REASONING).may_change(found)
            ):
                break
            settled.append(self._given_out(dialect, found))
        return settled

    def _thoughts(self, text: str) -> list[StreamedBlock] | None:
        """Return the thoughts at the start of a response without an opening tag; None if they are still pending."""
        reading = self.parser.read(text, self.names)
        end, count = 0, 0
        for block in reading.blocks:
            if block.reason is not Reason.REASONING or block.span.start != end:
                break
            end, count = block.span.end, block.index + 1
        has_ending = count > 0 and closer_at(end, text) is not None and not opener_of(text)
        if not has_ending and not self._waits_for_thoughts:
            return []
        if not has_ending or may_be_all_behind(text, end):
            return None
        if not self._waits_for_thoughts and _FENCE.search(text, 0, end):
            return None  # the tag may yet turn out to be in a fence
        self._waits_for_thoughts = False
        self._settled = self._resumes = self._thought_until = end
        self._blocks = count
        return [
            (block, tuple(action for action in reading.actions if action.block == block.index))
            for block in reading.blocks[:count]
        ]

    def _given_out(self, dialect: Dialect, found: Found) -> StreamedBlock:
        [block], actions = numbered([(dialect, found)], first=self._blocks)
        if dialect.respects_fences or not _FENCE.search(self._text(), self._resumes, found.span.start):
            self._resumes = found.span.end  # otherwise an open fence may concern what follows
        self._settled = found.span.end
        self._thought_until = found.span.end if found.reason is Reason.REASONING else self._thought_until
        self._blocks += 1
        self._read_blocks += found.status is not BlockStatus.IGNORED
        return block, tuple(actions)

    def _may_change(self, dialect: Dialect, found: Found) -> bool:
        """Return whether the context of a block may yet change it, or another block be found before it."""
        names = None if self.parser.evidence == "ignored" else self.names
        gap = Span(self._settled, found.span.start)
        placed = dialect, found
        text = self._text()
        if waits_for_prose(self._text(), gap, placed):
            return True
        if self.names:
            self._waits = self._waits or opens_tag(text, gap, self.names)
        elif may_look_like_call(text, gap, found, self.parser.finder.bare_readers):
            self._waits = True
        self._waits = self._waits or may_change(text, gap, placed, names, is_first=not self._blocks)
        if not self._waits and names and self.parser.evidence == "reported" and not self._read_blocks:
            self._waits = may_hold_foreign(text, gap, found, names, self.parser.decoding)
        return self._waits

    def _is_over_limit(self, found: Found) -> bool:
        limit = self.parser.max_blocks
        return limit is not None and found.status is not BlockStatus.IGNORED and self._read_blocks >= limit

    def _text(self) -> str:
        self._chunks = ["".join(self._chunks)]
        return self._chunks[0]


def _is_settled(found: Found, text: str) -> bool:
    if found.status is BlockStatus.MALFORMED or found.span.end >= len(text):
        return False
    if text[found.span.end - 1] in "`~" and _LINE_GOES_ON.match(text, found.span.end):
        return False  # a fence closes with nothing else on its line
    if found.repairs or found.issues:
        return False  # with more text after it, it may be repaired in another way
    if found.status is BlockStatus.IGNORED and found.reason is not Reason.REASONING:
        # Data in a fence is settled if it needs no repair; an example's fence may still turn out to be longer.
        is_fence = text[found.span.start : found.span.start + 40].lstrip()[:1] in {"`", "~"}
        return (
            found.reason is Reason.NOT_AN_ACTION
            and is_fence
            and decode(found.body.of(text), options=STRICT).ok
        )
    return True
