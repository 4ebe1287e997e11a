"""A model's thoughts between ``<think>`` and ``</think>`` or its family's own markers: no action in them is meant."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import BlockStatus, Reason
from actionledger.reading.dialects.base import Dialect, Found
from actionledger.reading.dialects.parts.markers import (
    is_mentioned,
    thoughts,
    thoughts_behind,
    unclosed_thoughts,
)
from actionledger.reading.scan.openings import Opening, OpeningKind, text_before
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.faults import DecodeOptions

TAGS: Mapping[str, str] = {
    f"<{tag}>": f"</{tag}>"
    for tag in ("think", "thinking", "thoughts", "reasoning", "seed:think", "mm:think", "longcat_think")
}
"""Tags that a text may also mention; the last three are Seed-OSS's, MiniMax M3's and LongCat's."""

TOKENS: Mapping[str, str] = {
    "[THINK]": "[/THINK]",
    "◁think▷": "◁/think▷",
    "<|START_THINKING|>": "<|END_THINKING|>",
    "<|begin_of_thought|>": "<|end_of_thought|>",
    "<|inner_prefix|>": "<|inner_suffix|>",
    "<|open|>think<|sep|>": "<|close|>think<|sep|>",
    "<|plamo:begin_think:plamo|>": "<|plamo:end_think:plamo|>",
    "<|think:start|>": "<|think:end|>",
    "<|thinking|>": "<|/thinking|>",
    "<|think|>": "<|end|>",
    "<|channel>": "<channel|>",
    "<|thought_start|>": "<|thought_end|>",
    **{f"<ifm|{think}>": f"</ifm|{think}>" for think in ("think", "think_fast", "think_faster")},
}
"""Markers that are written only for thoughts: Magistral's, Kimi VL's, Cohere's, OpenThinker's, Apertus's, Kimi K3's, PLaMo 3's,
Solar Open's, Gemma 4's, MiniCPM's and K2 Horizon's.
"""

_CLOSERS = frozenset({*TAGS.values(), *TOKENS.values()} - {"<|end|>"})
"""Markers that close only thoughts."""
_ANY_CLOSER = regex("|".join(map(re.escape, sorted(_CLOSERS))) + r"|</think:[\w.-]{1,40}>")

_RELEASE = r"<think:[\w.-]{1,40}>"
_RELEASE_CLOSER = r"</think:[\w.-]{1,40}>"
"""Hunyuan 3's tags carry the name of a release."""

_PROSE = r"Here(?:['’]s| is) my thought process:"
_PROSE_CLOSER = regex(r"Here(?:['’]s| is) my response:")
"""Granite 3.2's markers are sentences."""

_BLANKS = regex(r"\s*+")
_ENDS_SENTENCE = regex(r"(?:\A|[.:!?…。！？>\])}*_|—-]|[^\x00-\u02ff])[\s\"'”’]*+\Z")
_GOES_ON = regex(r"[ \t]++[a-zà-ÿ]")
_NAMES = regex(r"\w+")
_INLINE_CODE = regex(r"(?<!`)`{1,2}(?!`)")


class Reasoning(Dialect):
    """Thoughts between markers.

    A marker that is never closed holds thoughts to the end: the model was cut off thinking, or went on to a call. A tag is
    a mention where a sentence names it, and where a tool has its name. A closing marker that nothing opened ends the
    thoughts that the response begins with: the template wrote the opening one for the model.
    """

    name: Literal["reasoning"] = "reasoning"
    source = "The chat templates of DeepSeek-R1, Qwen3 and their descendants; those of the families beside their markers"
    example = "<think>\nThe user wants a list.\n</think>\nHere it is."

    @property
    def literals(self) -> frozenset[str]:
        """The markers; an unopened closing one ends the thoughts at the start of the response."""
        return frozenset({*TAGS, *TOKENS}) | _CLOSERS

    @property
    def near_literals(self) -> frozenset[str]:
        """The markers without a fixed form."""
        return frozenset({_RELEASE, _RELEASE_CLOSER})

    @property
    def line_patterns(self) -> frozenset[str]:
        """The sentence before thoughts."""
        return frozenset({_PROSE})

    def read(self, source: Source, opening: Opening, end: int, _options: DecodeOptions) -> Found | None:
        """Skip the thoughts that begin, or end, here; see ``Dialect.read``."""
        text, place = source.text, Span(opening.start, opening.end)
        name = _NAMES.search(opening.label)
        if name and source.names is not None and name[0] in source.names:
            return None
        if is_closer(opening.label):
            return None if _is_quoted(text, place) else thoughts(place, Span(opening.start, opening.start))
        if opening.kind is OpeningKind.LINE:
            # Thoughts after their sentence; if unclosed, they must begin the response.
            close = source.search(_PROSE_CLOSER, opening.end, end)
            closer = _PROSE_CLOSER.match(source.text, close, end)
            if closer is None:
                begins_response = _BLANKS.match(source.text).end() == opening.start  # type: ignore[union-attr]
                return unclosed_thoughts(opening, end) if begins_response else None
            if not _begins_sentence(source.text, opening.start):
                return None
            return thoughts(Span(opening.start, closer.end()), Span(opening.end, close))
        if opening.label in TOKENS:
            return None if is_mentioned(text, place) else _to_closer(source, opening, end)
        found = _to_closer(source, opening, end)
        if not found.issues:
            return self.unless_quoted(found, source.text)
        is_named = _is_quoted(source.text, Span(opening.start, opening.end)) or not _begins_sentence(
            source.text, opening.start
        )
        return None if is_named else found


_ANALYSIS_ENDS = regex(r"<\|(?:end|return|call|start)\|>|<\|channel\|>")


class AnalysisChannel(Reasoning):
    """Harmony's channel of thoughts, for parsers that read none of Harmony's calls.

    It ends with ``<|end|>``, or where the next message begins.
    """

    @property
    def literals(self) -> frozenset[str]:
        """The header of a message of thoughts; a message with a recipient is a call."""
        return frozenset(
            f"{role}<|channel|>{blank}analysis<|message|>"
            for role in ("", "<|start|>assistant")
            for blank in ("", " ")
        )

    @property
    def near_literals(self) -> frozenset[str]:
        """None, since the tokens have one form."""
        return frozenset()

    @property
    def line_patterns(self) -> frozenset[str]:
        """None."""
        return frozenset()

    def read(self, source: Source, opening: Opening, end: int, _options: DecodeOptions) -> Found | None:
        """Skip the message of thoughts that begins here; see ``Dialect.read``."""
        close = source.search(_ANALYSIS_ENDS, opening.end, end)
        closer = "<|end|>" if source.text.startswith("<|end|>", close, end) else ""
        if closer or close >= end:
            return thoughts_behind(source, opening, "<|end|>", end)
        return thoughts(Span(opening.start, close), Span(opening.end, close))


def is_closer(marker: str) -> bool:
    """Return whether a marker closes thoughts."""
    return marker in _CLOSERS or marker.startswith("</think:")


def opener_of(text: str) -> str:
    """Return the marker of thoughts at the start of a text; empty if there is none."""
    return next((opener for opener in (*TAGS, *TOKENS) if text.startswith(opener)), "")


def closer_at(end: int, text: str) -> Span | None:
    """Return the closing marker that ends at a place, or None."""
    begins = max(0, end - 60)
    return next(
        (
            Span(begins + found.start(), end)
            for found in _ANY_CLOSER.finditer(text[begins:end])
            if begins + found.end() == end
        ),
        None,
    )


def may_end_thoughts(text: str) -> bool:
    """Return whether a text has a closing marker of thoughts."""
    return _ANY_CLOSER.search(text) is not None


def thought_closers(text: str, within: Span) -> Iterator[Span]:
    """Yield the closing markers in a stretch that are not only mentioned."""
    for found in _ANY_CLOSER.finditer(text, *within):
        closer = Span(*found.span())
        if not _is_quoted(text, closer):
            yield closer


def ends_thoughts(found: Found, text: str) -> bool:
    """Return whether a block is an unopened closing marker: the template wrote the opening one for the model."""
    return (
        found.reason is Reason.REASONING
        and found.body.end == found.span.start
        and is_closer(found.span.of(text))
    )


def may_be_mention(closer: Span, text: str) -> bool:
    """Return whether a sentence that continues may only mention a closing marker, so that it is unclear what are thoughts."""
    return _GOES_ON.match(text, closer.end) is not None and not _begins_sentence(text, closer.start)


def thoughts_up_to(closer: Span, blocks: Sequence[Found]) -> Iterator[Found]:
    """Yield the thoughts at the start of a response, up to their closing marker."""
    at = 0
    for block in blocks:
        if at < block.span.start:
            yield thoughts(Span(at, block.span.start), Span(at, block.span.start))
        is_call = block.status is not BlockStatus.IGNORED
        issue = Issue(Reason.REASONING, block.span, "It stands in the model's thoughts.")
        issues = (
            (issue,) if is_call else tuple(each for each in block.issues if each.code is Reason.REASONING)
        )
        yield block._replace(status=BlockStatus.IGNORED, reason=Reason.REASONING, issues=issues)
        at = block.span.end
    yield thoughts(Span(at, closer.end), Span(at, closer.start))


def _to_closer(source: Source, opening: Opening, end: int) -> Found:
    """Return the thoughts up to the marker that closes the opening one and all further ones of its kind."""
    opener = opening.label
    closer = TAGS.get(opener) or TOKENS.get(opener) or f"</{opener[1:]}"
    depth, at, close = 1, opening.end, -1
    while depth:
        next_close = source.find(closer, at, end)
        if next_close < 0:
            break
        depth += _openers_between(source, opener, at, next_close) - 1
        close, at = next_close, next_close + len(closer)
    if close < 0:
        return unclosed_thoughts(opening, end)
    return thoughts(Span(opening.start, close + len(closer)), Span(opening.end, close))


def _openers_between(source: Source, opener: str, at: int, end: int) -> int:
    count = 0
    while (at := source.text.find(opener, at, end)) >= 0:
        count += not _is_quoted(source.text, Span(at, at + len(opener))) and _begins_sentence(source.text, at)
        at += len(opener)
    return count


def _begins_sentence(text: str, start: int) -> bool:
    return _ENDS_SENTENCE.search(text_before(text, start)) is not None


def _is_quoted(text: str, marker: Span) -> bool:
    """Return whether a marker is a mention: between quotation marks, or within inline code on its line."""
    if is_mentioned(text, marker):
        return True
    before = text_before(text, marker.start)
    if "`" not in before or len(_INLINE_CODE.findall(before)) % 2 == 0:
        return False
    line = text.find("\n", marker.end)
    return _INLINE_CODE.search(text, marker.end, line if line >= 0 else len(text)) is not None
