"""What the prose around a call makes of it, where nothing but its place says that it is meant.

Whoever announces a call means it: "Let me check." Whoever shows one says so in countless ways, so a sentence that says neither
leaves it open: the call waits for a person. A call with no words before it is meant, unless those behind it take it back.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from actionledger.parsing.prose_words import ANNOUNCES, CORRECTS, OPEN, SHOWS, asks, takes_back
from actionledger.values import Span

_BEFORE = 400
"""How much before a call is looked at, in code points."""

BEHIND = 160
"""How much behind a call is looked at, in code points."""

_LAST = 2
"""How many sentences before a call may announce it."""

_SHORT, _FEW = 20, 3
_WORDS = re.compile(r"[\u3040-\u9fff\uac00-\ud7a3]|[^\W\d_\u3040-\u9fff\uac00-\ud7a3]++")
_WORD = re.compile(r"[^\W\d_]")
_PARTS = re.compile(
    r"</[\w.:-]++>|<\|[^|<>\n]{1,40}+\|>|<｜[^｜<>\n]{1,40}+｜>|^[^\n`~]*+(?:```|~~~)[^\n]*+$|(?:^|\n)[ \t]*+[-*_]{3,}+[ \t]*+(?=\n|\Z)",
    re.MULTILINE,
)
_RULE = re.compile(r"[-*_][-*_]{2}")

_TAGS = re.compile(r"</?[\w|:-][^<>\n]{0,80}+>")
_TAG_BEFORE = re.compile(r"(?P<mark><[A-Za-z][\w:-]{0,40}(?:\s[^<>\n]{0,80})?>\s*)+\Z")
_TURN_BEFORE = re.compile(
    r"(?:<\|(?:im_start|start_header_id|start)\|>|<start_of_turn>|<\|turn>)\s*(?:assistant|model)\s*(?:<\|end_header_id\|>\s*)?\Z"
)
_FENCE_BEFORE = re.compile(r"(?:(?<=[^\s`~])[ \t]*+`{3,}+[\w.+-]*+|`{3,}+[\w.+-]++)[ \t]*+\r?\n\s*+\Z")
"""The fence that a call stands in, where it opens in the middle of a line or has a label."""

_SENTENCE = re.compile(
    r"[.!?…。！？\n](?:(?<=[.!?…])[\"'”’)*_]*+\s++|(?<=[。！？])\s*+|(?<=\n)(?:\s*+\n|(?=[ \t]*+(?:[-*+#>|]|\d++[.)])[ \t])))"
)
"""What ends a sentence; a sign that does is still its own. All signs stand in one class first, for that is found fast."""

_MARKUP = re.compile(r"[<{\[`]")
_LEAD = re.compile(r"[`~ \t\r\n.;,*_]*+")


class Verdict(NamedTuple):
    """What prose makes of a call.

    Args:
        is_shown: whether it is only shown; where it is not, it is open whether it is meant.
        why: what says so, as a sentence.
    """

    is_shown: bool
    why: str


def verdict(text: str, span: Span, low: int) -> Verdict | None:
    """Return what the prose around a call makes of it; None where it is meant.

    Args:
        text: the response.
        span: where the call stands.
        low: where what was read before it ends.
    """
    if is_taken_back(text, span.end):
        return Verdict(True, "What follows takes it back.")
    before = text[max(low, span.start - _BEFORE) : span.start]
    has_tag = before.rstrip().endswith(">")
    if has_tag and (tag := _TAG_BEFORE.search(before)):
        return verdict_of_marked(text, Span(span.start - len(tag[0]), span.end), low)
    turn = _TURN_BEFORE.search(before) if "<" in before else None
    sentences = [*islice(_before(text, span.start - len(turn[0]) if turn else span.start, low), _LAST)]
    behind = _behind(text, span.end)
    if not sentences:
        is_asked = has_words(behind) and asks(behind)
        return Verdict(False, "What follows asks about it.") if is_asked else None
    if SHOWS.search(sentences[0]) or OPEN.search(sentences[0]):
        return Verdict(False, "The sentence before it leaves open whether it is meant.")
    if not _is_short(sentences[0]) and not any(map(ANNOUNCES.search, sentences)):
        return Verdict(False, "Nothing before it says that it is meant.")
    if asks(behind):
        return Verdict(False, "What follows asks about it.")
    return None


def _is_short(sentence: str) -> bool:
    """Return whether a sentence is a word or two, which say nothing of a call."""
    return len(sentence) < _SHORT and len(_WORDS.findall(sentence)) < _FEW


def verdict_of_marked(text: str, span: Span, low: int) -> Verdict | None:
    """Return what the prose around a call with its format's marks makes of it; None where it is meant.

    Args:
        text: the response.
        span: where the call stands.
        low: where what was read before it ends.
    """
    if is_taken_back(text, span.end):
        return Verdict(True, "What follows takes it back.")
    if _WORD.search(text, max(low, span.start - _BEFORE), span.start) is None:
        return None
    sentence = next(_before(text, span.start, low), None)
    if sentence and SHOWS.search(sentence):
        return Verdict(False, "The sentence before it says that it is not made.")
    return None


def is_taken_back(text: str, end: int) -> bool:
    """Return whether what follows a call says that it is not to be carried out."""
    behind = _behind(text, end)
    return bool(behind) and takes_back(behind)


def is_corrected(between: str) -> bool:
    """Return whether a text between two calls says that the second one stands for the first."""
    return len(between) <= BEHIND and CORRECTS.search(between)


def is_known_behind(text: str, end: int) -> bool:
    """Return whether enough stands behind a call to know that it says nothing of it: more text, or the next call."""
    behind = text[end : end + BEHIND]
    lead = _LEAD.match(behind).end()  # type: ignore[union-attr]
    is_all = len(behind) == BEHIND or _MARKUP.search(behind, lead) is not None
    return is_all and not takes_back(behind[lead:]) and not CORRECTS.search(behind)


def has_words(text: str) -> bool:
    """Return whether a text has a word that stands in no tag."""
    return _WORD.search(_TAGS.sub("", text) if "<" in text else text) is not None


def _behind(text: str, end: int) -> str:
    behind = text[end : end + BEHIND]
    if _WORD.search(behind) is None:
        return ""
    behind = behind[_LEAD.match(behind).end() :]  # type: ignore[union-attr]
    markup = _MARKUP.search(behind)
    return behind[: markup.start()] if markup else behind


def _before(text: str, start: int, low: int) -> Iterator[str]:
    """Yield the sentences with a word before a call, the last one first."""
    before = text[max(low, start - _BEFORE) : start]
    fence = before.rfind("```")
    if fence >= 0 and (label := _FENCE_BEFORE.search(before, before.rfind("\n", 0, fence) + 1)):
        before = before[: label.start()]
    if _may_part(before):
        before = _PARTS.split(before)[-1]
    line = before.rfind("\n") + 1
    if before[line:].lstrip().startswith(("{", "[")):
        before = before[:line]  # what a message that was written out holds is no sentence
    return filter(has_words, _sentences_backwards(before.strip()))


def _may_part(text: str) -> bool:
    """Return whether a text has what parts sentences: where it has not, that needs not be tried at each place."""
    if "<" in text and ("</" in text or "<|" in text or "<｜" in text):
        return True
    return "```" in text or "~~~" in text or _RULE.search(text) is not None


def _sentences_backwards(text: str) -> Iterator[str]:
    stop = len(text)
    for end in reversed([*_SENTENCE.finditer(text)]):
        yield text[end.end() : stop]
        stop = end.start() + (not text.startswith("\n", end.start()))
    yield text[:stop]
