"""Separate an answer without actions from its thoughts. Pure."""

import re
from typing import NamedTuple

from actionledger.core.patterns import regex
from actionledger.core.values import Span
from actionledger.core.vocabulary import Reason
from actionledger.reading.dialects.reasoning import thought_closers
from actionledger.reading.parsers import DialectParser

_THOUGHTS = DialectParser(name="said", dialects=(), evidence="ignored")
"""Finds thoughts by their markers, and nothing else."""

_HEADER = regex(
    r"(?:<\|start\|>[ ]?assistant)?+<\|channel\|>[ ]?(?P<channel>\w+)[^<]*+<\|message\|>|<\|start\|>[ ]?assistant<\|message\|>"
)
_MARK = regex(r"<\|(?:end|return|start)\|>|<\|channel\|>")
"""The end of a Harmony message."""

_WITHOUT_TOKENS = regex(r"\s*+analysis(?P<thoughts>(?!final\b).*?)assistant\s?final(?P<text>.*)\Z", re.DOTALL)
"""The same two messages if a server has dropped the tokens around them."""


_TAG = r"analysis|inner_monologue|reasoning|reflection|scratchpad|think|thinking|thoughts?"
_LEADING = regex(
    rf"\s*+<[ ]?(?P<tag>{_TAG})[ ]?>(?P<thoughts>.*?)</[ ]?(?P<end>{_TAG})[ ]?>", re.DOTALL | re.IGNORECASE
)
"""Thoughts at the start of an answer in tags that a prompt may have requested, or with a different closing tag."""

_SHOWN = regex(
    r"\s*+(?:```(?:think(?:ing)?|thoughts?|reasoning)[ \t]*+\n(?P<fenced>.*?)\n[ \t]*+```|<unused94>thought\b(?P<unused>.*?)<unused95>"
    r"|<details\b[^>]*+>\s*+<summary>[^<]*?(?:thought|thinking|reasoning)[^<]*+</summary>(?P<folded>.*?)</details>)",
    re.DOTALL | re.IGNORECASE,
)
"""Thoughts at the start of an answer that are shown to a reader: in a fence, folded, or in MedGemma's tokens."""

_THOUGHT = ("thoughts", "fenced", "folded", "unused")
"""The groups that hold thoughts."""

_TURN = regex(
    r"\A\s*+(?:<\|im_start\|>assistant|<\|start_header_id\|>assistant<\|end_header_id\|>|<start_of_turn>model)\s*+"
    r"|(?<!\s)\s*+(?:<\|im_end\|>|<\|eot_id\|>|<\|endoftext\|>|<\|end_of_text\|>|<end_of_turn>)\s*+\Z"
)
"""A chat template's tokens around an answer; tried from the first of several blanks only, since from each it would go through all of them."""

_ENDED = regex(r"(?<!\s)\s*+</s>\s*+\Z")
"""The token that ends a text of Llama's and Mistral's; behind ``<s>`` it closes what is struck out."""

_WRAPPED = regex(
    r"<(?P<tag>answer|final_answer|output|response)>(?P<text>(?:(?!</(?P=tag)>).)*+)</(?P=tag)>|<\|begin_of_solution\|>(?P<solved>.*)<\|end_of_solution\|>",
    re.DOTALL,
)
"""An answer that is all in a tag which says that it is the answer."""

_RESPONSE = regex(r"<\|(?:START|END)_RESPONSE\|>")


class SpokenAnswer(NamedTuple):
    """An answer."""

    text: str  # the answer, stripped
    thoughts: str  # the thoughts before it; empty if there are none, or none are shown


def said(answer: str) -> SpokenAnswer:
    """Return an answer without its thoughts, which are between tags, before a lone closing tag, or in a channel."""
    if bare := _WITHOUT_TOKENS.match(answer):
        return SpokenAnswer(bare["text"].strip(), bare["thoughts"].strip())
    answer = _TURN.sub("", answer)
    if "<s>" not in answer:
        answer = _ENDED.sub("", answer)
    thoughts, answer = _led_by_thoughts(answer)
    reading = _THOUGHTS.read(answer)
    thoughts += [block.body.of(answer) for block in reading.blocks if block.reason is Reason.REASONING]
    text = _RESPONSE.sub("", _spoken(reading.narrative)).strip()
    # No answer is executed, so an end of thoughts also counts in mid-sentence.
    for closer in [*thought_closers(text, Span(0, len(text)))][-1:]:
        thoughts.append(text[: closer.start])
        text = text[closer.end :].strip()
    if wrapped := _WRAPPED.fullmatch(text):
        text = (wrapped["text"] or wrapped["solved"] or "").strip()
    return SpokenAnswer(text, "\n\n".join(filter(None, map(str.strip, thoughts))))


def _led_by_thoughts(answer: str) -> tuple[list[str], str]:
    """Return the thoughts at the start of an answer in tags that no format has, and the rest."""
    thoughts: list[str] = []
    while found := _SHOWN.match(answer) or _LEADING.match(answer):
        parts = found.groupdict()
        if parts.get("tag") == parts.get("end") and found[0].lstrip().startswith(("<think>", "<thinking>")):
            break
        thoughts.append(next(parts[name] for name in _THOUGHT if parts.get(name) is not None))
        answer = answer[found.end() :]
    return thoughts, answer


def _spoken(text: str) -> str:
    """Return the user-visible text of Harmony messages: the final ones, if any."""
    headers = list(_HEADER.finditer(text))
    if not headers:
        return text
    messages: list[tuple[str, str]] = [("", text[: headers[0].start()])]
    for header in headers:
        end = _MARK.search(text, header.end())
        messages.append((header["channel"] or "", text[header.end() : end.start() if end else len(text)]))
    final = [message for channel, message in messages if channel == "final"]
    return "\n\n".join(filter(None, map(str.strip, final or [message for _, message in messages])))
