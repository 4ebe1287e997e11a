"""The words around a call that stands on evidence alone: those that ask first, refuse, describe, or offer a choice.

What ``parsing.cues`` says of any block is asked as well. These are too weak to speak against a block with its format's marks.
"""

import re

from actionledger.reading.cues import is_shown
from actionledger.reading.prose_words import ANNOUNCES, CONDITIONS, UNDERTAKES
from actionledger.reading.scan.source import Source

_WINDOW = 400
_REFUSES = re.compile(
    r"\b(?:I (?:can(?:no|['’])t|cannot|could(?:n['’]t| not)|am (?:not able|unable)|do(?:n['’]t| not) have|won['’]t|will not)"
    r"|I['’]m (?:not able|unable)|unable to|not able to|no access|there is no need|would(?: have| be| need| normally| look| return| call| use)"
    r"|if (?:you|I|we|it|the user)\b|could (?:be|call|use|have)|might (?:be|call|use|have)"
    r"|kann ich nicht|ich kann [^.]{0,40}\bnicht|würde|falls (?:sie|du|ich)|je ne peux pas|si vous|si tu|pourrait|pourriez"
    r"|no puedo|si (?:quieres|desea|usted)|podría)|无法|不能|如果|可以(?:用|使用|调用)",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\b(?:do you want|would you like|shall I|should I|may I|can I|is (?:it|this) ok|please confirm|let me know if|want me to"
    r"|soll ich|darf ich|möchten sie|möchtest du|voulez-vous|veux-tu|dois-je|puis-je|quieres que|quiere que|debo)\b"
    r"|(?:要不要|是否|可以)[^。\n]{0,20}[吗?？]",
    re.IGNORECASE,
)
_ASKS_BEHIND = re.compile(
    r"\s*+[^.!\n]{0,120}?(?:shall I|should I|do you want|would you like|may I|is (?:it|this) ok|want me to|soll ich|darf ich|möchten sie"
    r"|voulez-vous|dois-je|puis-je|quieres que|quiere que|debo|要不要|是否)[^.!\n]{0,120}[?？]",
    re.IGNORECASE,
)
_DESCRIBES = re.compile(
    r"\b(?:documentation|docs|docstring|signature|syntax|usage|tutorial|manual|definition|schema|defined as|used as|returns?|returned"
    r"|print(?:s|ed)|(?:output|log|logs|result)s? (?:is|was|of|from|shows?)|earlier|previous(?:ly)?|already (?:called|ran|run|did|made)"
    r"|last (?:time|call)|called|ran|answered|user (?:wrote|asked|sent|typed)|instead of|rather than|deprecated|wrong|incorrect|mistake"
    r"|dokumentation|signatur|verwendung|ausgabe|bereits|frühere?n?|la documentation|déjà|la documentación|ya (?:llamé|ejecuté)|anterior)\b"
    r"|文档|用法|语法|签名|已经|之前|上次|输出",
    re.IGNORECASE,
)
_TELLS = re.compile(
    r"\b(?:the|an?) (?:assistant|model|agent|server|client|LLM|system|program|script|function|tool)\b (?!call)(?:\w+ly )?(?!is ready)\w+s\b",
    re.IGNORECASE,
)
_OR = re.compile(
    r"\s*+(?:[*_]*+(?:or|alternatively|another (?:way|option)|oder|alternativ|ou(?: bien)?|o(?: bien)?|alternativamente|或者?|也可以)\b"
    r"|option \w+\b|variante? \w+\b)",
    re.IGNORECASE,
)
_NO_NEED = re.compile(
    r"\s*+(?:is (?:not|only|just)|isn['’]t|would|wouldn['’]t|could|might|won['’]t|does(?:n['’]t| not)|returns?|will return|fails?|raises?"
    r"|but I (?:can|do|won|will not)|However,? I (?:can|do|won)|but (?:this|that) (?:is not|isn)|ist nur|n['’]est qu|es solo|只是)",
    re.IGNORECASE,
)


def speaks_against(source: Source, start: int, end: int) -> str:
    """Return what the words around a call say against it, as a sentence; empty where nothing does."""
    if is_shown(source, start):
        return "The sentence before it shows or forbids it."
    before = _last_sentence(source.text, start)
    behind = source.text[end : end + _WINDOW].lstrip("`~ \t\r\n.")
    if _ASKS.search(before) or _ASKS_BEHIND.match(behind):
        return "It is asked about first."
    is_undertaken = UNDERTAKES.search(before) and not CONDITIONS.search(before)
    if (not is_undertaken and _REFUSES.search(before)) or _NO_NEED.match(behind):
        return "The sentence around it says that it is not done."
    if is_undertaken:
        return ""
    if (_DESCRIBES.search(before) or _TELLS.search(before)) and not ANNOUNCES.search(before):
        return "The sentence before it describes a call."
    return ""


def is_choice(between: str) -> bool:
    """Return whether a text between two calls makes a choice of them."""
    return _OR.match(between) is not None


def _last_sentence(text: str, start: int) -> str:
    before = text[max(0, start - _WINDOW) : start].rstrip()
    return (
        re.split(r"\n[ \t\r]*\n|(?<=[.!?])\s+(?=[^a-z])|(?<=[。！？])\s*|```", before)[-1] if before else ""
    )
