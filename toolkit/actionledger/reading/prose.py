"""How the prose around a call decides, if only its place suggests that it is meant.

An announced call is meant: "Let me check." Calls are shown in countless ways, so a sentence that neither announces nor shows
leaves the call open: it waits for approval. A call with no words before it is meant, unless those after it take it back.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from actionledger.core.patterns import regex
from actionledger.core.values import Span
from actionledger.reading.enclosing import DIALOGUE, is_in_dialogue, what_holds
from actionledger.reading.prose_words import (
    ANNOUNCES,
    CONDITIONS,
    CORRECTS,
    OPEN,
    SHOWS,
    UNDERTAKES,
    asks,
    bids,
    defers,
    describes,
    goes_on_about,
    is_about_work,
    is_question,
    judges,
    offers,
    says_nothing,
    takes_back,
)
from actionledger.reading.prose_words.sequels import ABOUT, GOES_FORTH, REFERS, RESUMES, STEP

_BEFORE = 400
"""The searched text before a call, in code points."""

BEHIND = 160
"""The searched text after a call, in code points."""

_NEAR, _LETTER_WITHIN = 120, 20
"""The distance before a call in which sentences are searched first, and the one in which a letter must start the search."""

_LAST = 2
"""The number of sentences before a call that may announce it."""

_SHORT, _FEW = 20, 3
_WORDS = regex(r"[\u3040-\u9fff\uac00-\ud7a3]|[^\W\d_\u3040-\u9fff\uac00-\ud7a3]++")
_WORD = regex(r"[^\W\d_]")
_PARTS = regex(
    r"</[\w.:-]++>|<\|[^|<>\n]{1,40}+\|>|<｜[^｜<>\n]{1,40}+｜>|^[^\n`~]*+(?:```|~~~)[^\n]*+$|(?:^|\n)[ \t]*+[-*_]{3,}+[ \t]*+(?=\n|\Z)",
    re.MULTILINE,
)
_RULE = regex(r"[-*_][-*_]{2}")

_TAGS = regex(r"</?[\w|:-][^<>\n]{0,80}+>")
_TAG_BEFORE = regex(r"(?P<mark><[A-Za-z][\w:-]{0,40}(?:\s[^<>\n]{0,80})?>\s*)+\Z")
_TURN_BEFORE = regex(
    r"(?:<\|(?:im_start|start_header_id|start)\|>|<start_of_turn>|<\|turn>)\s*(?:assistant|model)\s*(?:<\|end_header_id\|>\s*)?\Z"
)
_FENCE_BEFORE = regex(r"(?:(?<=[^\s`~])[ \t]*+`{3,}+[\w.+-]*+|`{3,}+[\w.+-]++)[ \t]*+\r?\n\s*+\Z")
"""A call's fence, if it opens in the middle of a line or has a label."""

_SENTENCE = regex(
    r"[.!?…。！？\n](?:(?<=[.!?…])(?<!^\d\.)(?<!^\d\d\.)[\"'”’)*_]*+\s++|(?<=[。！？])\s*+|(?<=\n)(?=[ \t]*+(?:[-*+#>|]|\d++[.)])[ \t]))",
    re.MULTILINE,
)
"""The end of a sentence, whose sign belongs to it; an item's number is none. All signs are in one class first, since that is
found fast. A blank line is no end: the text before it is the subject of the next line.
"""

_WORDS_BEHIND = regex(r"[`~ \t\r\n.;,*_]*+(?![<{\[])(?=[\s\S]*?[^\W\d_])(?P<words>(?:[^<{\[`]++|`(?!``))*+)")
"""Text behind a call up to the next markup, if there is a word in it or behind that."""

_GOES_ON = regex(r"[a-zà-ÿа-я]++[ ,]")
_NEXT_CALL = regex(r"(?:[^<{\[`]|`(?!``))*+(?<=\n)(?:<(?!/)|[{\[]|```)")
"""Words behind a call that lead to the next one, as in a series of steps."""

_LABEL = regex(r"[*_#\s]*+\w++[*_\s]*+[:：][*_\s]*+")
_LEADS = 5
"""The longest sentence that leads to a profile's own block whatever it says, in words: "A branch comes first:"."""

_LABEL_LINE = regex(r"(?:\A|\n)\w++:\Z")
_HEADING = regex(r"[#*_>|+-]|\d++[.)]")


class Verdict(NamedTuple):
    """How prose judges a call."""

    is_shown: bool  # whether it is only shown; otherwise it is open whether it is meant
    why: str  # the reason, as a sentence


def verdict(text: str, span: Span, low: int) -> Verdict | None:
    """Judge a call by the prose around it; None if it is meant."""
    behind = _behind(text, span.end)
    if behind and takes_back(behind):
        return Verdict(True, "What follows takes it back.")
    if why := what_holds(text, span, low):
        return Verdict(False, why)
    before = text[max(low, span.start - _BEFORE) : span.start]
    has_tag = before.rstrip().endswith(">")
    if has_tag and (tag := _TAG_BEFORE.search(before)):
        return verdict_of_marked(text, Span(span.start - len(tag[0]), span.end), low)
    turn = _TURN_BEFORE.search(before) if "<" in before else None
    sentences = _last(text, span.start - len(turn[0]) if turn else span.start, low)
    if why := _against_behind(behind, lambda: bool(sentences)):
        return Verdict(False, why)
    if not sentences:
        return None
    if _leaves_open(sentences[-1]) or _answers(sentences):
        return Verdict(False, "The sentence before it leaves open whether it is meant.")
    if not _is_announced(sentences, behind, is_beside=_begins_line(text, span.start, low)):
        return Verdict(False, "Nothing before it says that it is meant.")
    return None


def _leaves_alone(said: str, before: str, *, is_own: bool) -> bool:
    """Return whether the text before a marked call plainly says nothing against it, as most texts do.

    Nothing else is on its line or around it, no sentence is a question, and the last one ends properly and holds no word that
    counts against a call.
    """
    if not said:
        return len(before) < _BEFORE
    ends = said[-1] in (".!。！" if is_own else ".!") or (is_own and _LABEL_LINE.search(said))
    if not (ends and "\n" in before[len(said) :] and said[-2:-1].isalpha()) or _may_ask_or_quote(said):
        return False
    last = said.rfind("\n\n") + 1
    if not says_nothing(said[last:]):  # already heard by ``cues``
        return False
    if not last:
        return True
    ahead = said[:last].rstrip()
    return not ahead or (ahead[-1] in ".!。！" and ahead[-2:-1].isalpha()) or says_nothing(ahead)


def _may_ask_or_quote(said: str) -> bool:
    """Return whether a text has signs of a question, of a program's text, or such as separate it otherwise than by sentences."""
    is_plain = not ("?" in said or "`" in said or "~" in said or "[" in said or "{" in said or "'''" in said)
    return not is_plain or '"""' in said or "？" in said or "か" in said


def _against_behind(behind: str, is_made: Callable[[], bool], *, is_own: bool = False) -> str:
    """Return what the text after a call says against it, unless something says that it is made; empty if nothing."""
    if not behind:
        return ""
    is_asked = ABOUT.match(behind) and asks(behind) if is_own else asks(behind) or defers(behind)
    if is_asked and not (is_own and is_made()):
        return "What follows asks about it."
    return "What follows says what it was." if describes(behind) and not is_made() else ""


def _is_made(sentences: list[str]) -> bool:
    """Return whether any of these sentences says that its writer makes the call."""
    return any(UNDERTAKES.search(each) or ANNOUNCES.search(each) for each in sentences)


def _begins_line(text: str, start: int, low: int) -> bool:
    """Return whether there are words before a call on its line."""
    return has_words(text[max(low, text.rfind("\n", low, start) + 1) : start])


def _answers(sentences: list[str]) -> bool:
    """Return whether a question precedes a call, with only a label between them."""
    return len(sentences) > 1 and is_question(sentences[-2]) and _LABEL.fullmatch(sentences[-1]) is not None


def _leaves_open(sentence: str) -> bool:
    """Return whether the sentence before a markless call leaves open whether it is made."""
    if is_question(sentence) or CONDITIONS.search(sentence):
        return True
    if UNDERTAKES.search(sentence):
        return False
    return SHOWS.search(sentence) or OPEN.search(sentence)


def _is_announced(sentences: list[str], behind: str, *, is_beside: bool) -> bool:
    """Return whether the last sentences announce a markless call, or are only a word or two with hardly more behind it."""
    last = sentences[-1]
    if _is_short(last) and _is_short(behind) and not is_beside and not (behind and _presents(last)):
        return True
    if _is_within(last, behind):
        return UNDERTAKES.search(last)
    return _is_made(sentences[-1:] if _presents(last) or _is_unended(last) else sentences)


def _is_within(sentence: str, behind: str) -> bool:
    """Return whether the sentence before a call goes on behind it."""
    if behind == "" or _GOES_ON.match(behind) is None:
        return False
    return sentence.endswith((",", "，", "、")) or _is_unended(sentence)


def _presents(sentence: str) -> bool:
    """Return whether a sentence ends in a colon and so presents what follows."""
    return sentence.rstrip("*_` ")[-1:] in (":", "：")


def _is_short(sentence: str) -> bool:
    """Return whether a sentence is only a word or two, which say nothing about a call."""
    return len(sentence) < _SHORT and len(_WORDS.findall(sentence)) < _FEW


def verdict_of_marked(text: str, span: Span, low: int, *, is_own: bool = False) -> Verdict | None:
    """Judge a call with its format's marks by the prose around it; None if it is meant.

    A profile's own block is how its model acts: only words about the block are a text that shows it.
    """
    before, behind = text[max(low, span.start - _BEFORE) : span.start], _behind(text, span.end)
    said = before.rstrip()
    is_quiet = _leaves_alone(said, before, is_own=is_own)
    if is_quiet and not behind:
        return None
    has_before = bool(said) and (is_quiet or _WORD.search(said) is not None)
    is_told = behind != "" and (goes_on_about(behind) if is_own else judges(behind))
    if (is_told and judges(behind)) or asks(behind):
        if takes_back(behind):
            return Verdict(True, "What follows takes it back.")
        is_made = lambda: has_before and _is_made(_last(text, span.start, low, 1))  # noqa: E731
        if why := _against_behind(behind, is_made, is_own=is_own):
            return Verdict(False, why)
    if is_quiet and is_in_dialogue(text, span):
        return Verdict(False, DIALOGUE)
    if not is_quiet and (why := what_holds(text, span, low)):
        return Verdict(False, why)
    if not has_before:
        return None
    is_followed = behind != "" and _is_followed(text, span, said, behind, is_own=is_own, is_told=is_told)
    if is_quiet and not is_followed:
        return None
    why = _against_last(text, span, low, behind, is_quiet=is_quiet, is_followed=is_followed, is_own=is_own)
    return Verdict(False, why) if why else None


def _is_followed(text: str, span: Span, said: str, behind: str, *, is_own: bool, is_told: bool) -> bool:
    """Return whether words follow a call that may go on about it."""
    is_about = not is_own or (is_told and REFERS.match(behind) is not None)
    return not (
        (not is_about and (not _presents(said) or STEP.match(said[said.rfind("\n") + 1 :])))
        or len(_WORDS.findall(behind)) < _FEW
        or GOES_FORTH.match(behind)
        or _NEXT_CALL.match(text, span.end, span.end + BEHIND)
    )


def _against_last(
    text: str, span: Span, low: int, behind: str, *, is_quiet: bool, is_followed: bool, is_own: bool
) -> str:
    """Return what the last sentences before a marked call say against it; empty if nothing."""
    needs_last = is_own and not is_followed
    sentences = _last(text, span.start, low, 1 if needs_last else _LAST)
    if needs_last and sentences and _LABEL.fullmatch(sentences[0]):
        sentences = _last(text, span.start, low)
    if not sentences:
        return ""
    last = sentences[-1]
    if _answers(sentences):
        return "It stands as the answer to a question that the text asks itself."
    told = None if is_quiet else _against_sentence(last, is_own=is_own)
    if told is not None:
        return told
    if needs_last and not (_presents(last) or _is_within(last, behind)):
        return ""
    is_beside = not is_quiet and _begins_line(text, span.start, low)
    return _against_marked(sentences, behind, is_followed=is_followed, is_beside=is_beside, is_own=is_own)


def _against_sentence(sentence: str, *, is_own: bool) -> str | None:
    """Return what the sentence before a marked call says against it in so many words; empty if it is undertaken, None if nothing."""
    is_shown = False
    if not says_nothing(sentence):
        if CONDITIONS.search(sentence):
            return "The sentence before it makes it wait for something else."
        is_shown = SHOWS.search(sentence)
    if is_own and _presents(sentence) and takes_back(sentence) and not UNDERTAKES.search(sentence):
        return "The sentence before it takes it back."
    if not (is_shown or offers(sentence)):
        return None
    says = "says that it is not made" if is_shown else "asks whether to make it"
    return "" if UNDERTAKES.search(sentence) else f"The sentence before it {says}."


def _against_marked(
    sentences: list[str], behind: str, *, is_followed: bool, is_beside: bool, is_own: bool
) -> str:
    """Return what the last sentence before a marked call says against it; empty if nothing."""
    sentence = sentences[-1]
    if UNDERTAKES.search(sentence):
        return ""
    if _is_within(sentence, behind) and not (is_own and _is_short(sentence)):
        return "It stands in the middle of a sentence."
    if (ANNOUNCES.search(sentence) and not (is_followed and OPEN.search(sentence))) or bids(sentence):
        return ""
    is_presented = _presents(sentence)
    if is_followed and not _is_made([behind] if is_presented else [*sentences[:-1], behind]):
        return "Words follow it, and none before it say that it is made."
    if (
        _is_short(sentence)
        and not is_beside
        and not (is_presented and (OPEN.search(sentence) or (behind and not is_own)))
    ):
        return ""
    is_led_to = is_own and (
        len(_WORDS.findall(sentence)) <= _LEADS
        or is_about_work(sentence)
        or STEP.match(sentence)
        or RESUMES.match(sentence)
    )
    if is_presented and not is_led_to and not _goes_on(sentences):
        return "The sentence before it presents it, and does not say that it is made."
    if not is_own and _is_unended(sentence) and len(_WORDS.findall(sentence)) > _FEW:
        return "It stands in the middle of a sentence."
    return ""


def _goes_on(sentences: list[str]) -> bool:
    """Return whether a sentence that presents something only continues what the one before undertakes."""
    *before, last = sentences
    is_undertaken = bool(before) and (UNDERTAKES.search(before[-1]) or bids(before[-1]))
    return is_undertaken and is_about_work(last) and not OPEN.search(last)


def _is_unended(sentence: str) -> bool:
    """Return whether a sentence ends without a sign, and is neither a heading nor emphasized."""
    return sentence[-1:].isalnum() and not _HEADING.match(sentence)


def is_corrected(between: str) -> bool:
    """Return whether a text between two calls says that the second one replaces the first."""
    return len(between) <= BEHIND and CORRECTS.search(between)


def has_words(text: str) -> bool:
    """Return whether a text has a word outside of tags."""
    return _WORD.search(_TAGS.sub("", text) if "<" in text else text) is not None


def _behind(text: str, end: int) -> str:
    behind = _WORDS_BEHIND.match(text, end, end + BEHIND)
    return behind["words"] if behind else ""


def _last(text: str, start: int, low: int, most: int = _LAST) -> list[str]:
    """Return the last sentences with words before a call, unchanged."""
    found: list[str] = []
    for sentence in _sentences_backwards(_before(text, start, low)):
        if has_words(sentence):
            found.insert(0, sentence)
            if len(found) == most:
                break
    return found


def _before(text: str, start: int, low: int) -> str:
    """Return the prose before a call, within the searched window."""
    before = text[max(low, start - _BEFORE) : start]
    if "```" in before:
        line = before.rfind("\n", 0, before.rfind("```")) + 1
        if label := _FENCE_BEFORE.search(before, line):
            before = before[: label.start()]
    if _may_part(before):
        before = _PARTS.split(before)[-1]
    line = before.rfind("\n") + 1
    opens = before[line:].lstrip()
    if opens[:1] == "{" or (opens[:1] == "[" and "]" not in opens):
        before = before[:line]  # the content of a written-out message is no sentence
    return before.strip()


def _may_part(text: str) -> bool:
    """Return whether a text has signs that separate sentences; otherwise the search at each place is unnecessary."""
    if "<" in text and ("</" in text or "<|" in text or "<｜" in text):
        return True
    if "```" in text or "~~~" in text:
        return True
    return ("-" in text or "*" in text or "_" in text) and _RULE.search(text) is not None


def _sentences_backwards(text: str) -> Iterator[str]:
    stop, near = len(text), _near_end(text)
    for low in (near, 0) if near else (0,):  # usually only the last sentence is requested
        for end in reversed([*_SENTENCE.finditer(text, low, near if low < near else len(text))]):
            yield text[end.end() : stop]
            stop = end.start() + (not text.startswith("\n", end.start()))
    yield text[:stop]


def _near_end(text: str) -> int:
    """Return a place near the end of a text where a letter shows that no sentence ends; 0 if there is none."""
    for place in range(len(text) - _NEAR, len(text) - _NEAR - _LETTER_WITHIN, -1):
        if place <= 0:
            return 0
        if text[place].isalpha():
            return place
    return 0
