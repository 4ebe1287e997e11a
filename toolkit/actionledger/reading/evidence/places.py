"""How its place changes a call: in quotations, echoes, thoughts or invented turns, and by the words around it.

Tags and comments count in pairs; an unclosed tag is a mention, unless the response begins with it as thoughts.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from actionledger.core.patterns import regex
from actionledger.core.values import Span
from actionledger.reading.cues import is_shown
from actionledger.reading.prose_words import ANNOUNCES, CONDITIONS, UNDERTAKES
from actionledger.reading.scan.line_starts import LineStart
from actionledger.reading.scan.openings import HIDDEN, any_of, text_before
from actionledger.reading.scan.source import Source

_ECHOES = (
    *("tool_response", "tool_responses", "tool_result", "tool_results", "tool_output", "function_response"),
    *("function_result", "function_results", "function_output", "observation", "result", "results", "output"),
    *("stdout", "stderr", "execution_result", "search_results", "document", "documents", "file", "context"),
)
_EXAMPLES = (
    "example",
    "examples",
    "sample",
    "pre",
    "blockquote",
    "quote",
    "template",
    "format",
    "usage",
    "doc",
    "docs",
    "details",
)
_THOUGHTS = (
    *("think", "thinking", "thought", "thoughts", "reasoning", "reflection", "scratchpad", "analysis"),
    *("inner_monologue", "internal", "plan", "planning", "chain_of_thought", "seed:think", "mm:think"),
)
_WHAT = (
    dict.fromkeys(_ECHOES, "It stands in a tool's echo.")
    | dict.fromkeys(_EXAMPLES, "It stands in a quotation.")
    | dict.fromkeys(_THOUGHTS, "It stands in the model's thoughts.")
)
_OPENS = regex(
    rf"<(?:(?P<tag>(?a:{any_of(_WHAT)}))(?=[\s>])[^<>\n]{{0,200}}+>|(?P<comment>!--)|(?P<cdata>!\[CDATA\[)"
    r"|\|(?a:thought_start|START_THINKING|begin_of_thought|START_TOOL_RESULT)\|>"
    r"|(?P<analysis>\|channel\|>analysis(?![^<\n]*\bto=)[^<\n]*+<\|message\|>))|\[(?a:THINK|TOOL_RESULTS)\]|◁(?a:think)▷"
    r"|\\begin\{(?P<latex>verbatim|lstlisting|minted|quote|quotation)\}|:(?P<block>::++)[ \t]*+(?:details|example|quote|sample|spoiler)\b"
    r"|#\+begin_(?P<org>example|quote)\b"
    r"|<<-?[ \t]*+(?P<mark>['\"]?)(?P<here>[A-Z_]{2,20}+)(?P=mark)[^\n]*+\n",
    re.IGNORECASE,
)
_RECIPIENT = regex(r"\bto=[^\s<]{1,200}+[ \t]*+\Z")
"""Text before the channel of a message to a tool: that message is a call, and no thought."""
_LONGEST_RECIPIENT = 220
_CLOSERS = {
    "[think]": "[/THINK]",
    "<|thought_start|>": "<|thought_end|>",
    "◁think▷": "◁/think▷",
    "<|begin_of_thought|>": "<|end_of_thought|>",
    "<|start_thinking|>": "<|END_THINKING|>",
    "[tool_results]": "[/TOOL_RESULTS]",
    "<|start_tool_result|>": "<|END_TOOL_RESULT|>",
}
_OF_RESULTS = frozenset({"[tool_results]", "<|start_tool_result|>"})
_ECHO_LINE = LineStart(
    r"[ \t]*+(?:(?:\*\*)?(?:(?:(?:tool|function|api|command|program)[ _-]?)?(?:observation|output|outputs|results?|returns?|response|prints?)"
    r"|stdout|stderr|ausgabe|ergebnis|sortie|résultat|salida|resultado|输出|结果|返回)(?:\*\*)?[ \t]*+[:：](?:\*\*)?[ \t]*+"
    r"|(?:\$|%|#>|>>>|C:\\[^>\n]*+>)[ \t]++(?:cat|type|less|head|tail|bat|jq|echo|curl|more|print|python3?|grep|rg|sed)\b[^\n]*+\n)",
    re.IGNORECASE,
)
_OF_ANSWERS = regex(r"\W*+(?:outputs?|response|ausgabe|sortie|salida|输出)\b", re.IGNORECASE)
_BLANK_LINE = regex(r"\n[ \t\r]*+\n")
_NEXT_LABEL = regex(
    r"^[ \t]*+\*{0,2}(?:Thought|Action|Final Answer|Tool call|Function call|Call|Answer)\b[^\n:]{0,20}+:",
    re.MULTILINE | re.IGNORECASE,
)
_QUOTE_LINE = LineStart(r"[ ]{0,3}>[^\n]*+")
_INDENTS, _BLANK_LINES = ("    ", "\t"), ("\n\n", "\n\r\n")
_INDENTED = regex(r"(?:(?<=\n\n)|(?<=\n\r\n)|\A)(?:(?:[ ]{4}|\t)[^\n]*+(?:\n|\Z))++")
_HEADING = LineStart(
    r"[ ]{0,3}#{1,6}[ \t]++(?!(?:User|Assistant|Human|System|Tool|Function|Observation|Response|Action|Answer)\b)\S"
)
_SENTENCE_LINE = regex(r"^[^\n#`\[{(<][^\n]{40,}[.:][ \t]*+$", re.MULTILINE)
_MOST_HEADINGS = 1
_LONGEST_ANSWER = 12_000
_FLUSH = regex(r"^(?![ ]{4}|\t)[ ]{0,3}\S", re.MULTILINE)
_FENCE = regex(r"\s*+(`{3,}+|~{3,}+)[^\n]*+\n")
_TOKENS = r"<(?:\|[^|<>\n]{1,40}+\|>|｜[^｜<>\n]{1,40}+｜>|/?s>|end_of_turn>)"
_BLANKS = f"{HIDDEN}`*"
_BLANK = regex(rf"(?:[\s{_BLANKS}]|{_TOKENS})*+")
_LAST_TOKEN = regex(rf"(?:{_TOKENS})\Z")
_LONGEST_TOKEN = 44
_TAIL = 400
_ENDS_SENTENCE = regex(
    rf"[ \t{HIDDEN}]*+(?:\r?\n|\Z|<\|(?:start_header_id|im_start|start|turn)\|>|<start_of_turn>)"
)


_BESIDE = f" \t\u3000*_`{HIDDEN}"
"""Signs that may precede a call on its line without a word."""


class Quoted(NamedTuple):
    """A stretch that quotes."""

    span: Span  # where
    why: str  # what it is, as a sentence
    is_thought: bool = False  # whether it is the model's thought


class Quotations:
    """The stretches of a response that quote, echo or think."""

    def __init__(self, text: str, *, indented: bool = True, marked: bool = False) -> None:
        set_apart = _indented(text) if indented and not marked else ()
        lines = _labelled(text) if marked else (*_echoes(text), *_quoted_lines(text))
        found = sorted([*_in_pairs(text), *lines, *set_apart])
        self._found: list[Quoted] = []
        for quoted in found:
            if not self._found or quoted.span.end > self._found[-1].span.end:
                self._found.append(quoted)
        self._starts = [quoted.span.start for quoted in self._found]

    def around(self, span: Span) -> Quoted | None:
        """Return the quotation around a span; None if there is none."""
        if not self._found:
            return None
        last = bisect_right(self._starts, span.start) - 1
        for index in range(last, max(-1, last - 3), -1):
            quoted = self._found[index]
            if quoted.span.start <= span.start and span.end <= quoted.span.end:
                return quoted
        return None


def may_quote(text: str, start: int, end: int) -> bool:
    """Return whether a quotation or an echo that may concern what follows opens in ``text[start:end]``."""
    stretch = text[start:end]
    may_open = "<" in stretch or "[" in stretch or ":::" in stretch or "\\" in stretch or "#" in stretch
    if (may_open or "◁" in stretch) and _OPENS.search(text, start, end):
        return True
    may_echo = ":" in stretch or "$" in stretch or "%" in stretch or ">" in stretch or "：" in stretch
    return may_echo and _ECHO_LINE.search(text, start, end) is not None


def may_enclose(text: str, start: int, end: int) -> bool:
    """Return whether something opens in ``text[start:end]`` that encloses what follows until it is closed."""
    return _OPENS.search(text, start, end) is not None


def _in_pairs(text: str) -> Iterator[Quoted]:
    missing: set[str] = set()
    ink = len(text) - len(text.lstrip())
    at = 0
    while opens := _OPENS.search(text, at):
        at, near = opens.end(), max(0, opens.start() - _LONGEST_RECIPIENT)
        if opens["analysis"] and _RECIPIENT.search(text, near, opens.start()):
            continue
        closer, why, is_thought = _pair(opens)
        close = -1 if closer in missing else text.find(closer, at)
        if close < 0:
            missing.add(closer)
            begins = opens["tag"] != "think" and opens.start() <= ink  # that is a dialect's own tag
            if opens["analysis"] or (is_thought and begins):
                yield Quoted(Span(opens.start(), len(text)), why, is_thought)
            continue
        yield Quoted(Span(opens.start(), close + len(closer)), why, is_thought)
        at = close + len(closer)


def _pair(opens: re.Match[str]) -> tuple[str, str, bool]:
    if tag := opens["tag"]:
        return f"</{tag}>", _WHAT[tag.lower()], tag.lower() in _THOUGHTS
    if opens["comment"]:
        return "-->", "It stands in a comment.", False
    if opens["cdata"]:
        return "]]>", "It stands in a CDATA section.", False
    if opens["latex"]:
        return f"\\end{{{opens['latex']}}}", "It stands in a quotation.", False
    if opens["block"]:
        return f"\n:{opens['block']}", "It stands in a quotation.", False
    if opens["org"]:
        return (
            f"#+{'END' if opens[0].isupper() else 'end'}_{opens['org']}",
            "It stands in a quotation.",
            False,
        )
    if opens["here"]:
        return f"\n{opens['here']}", "It stands in a shell's document.", False
    if opens["analysis"]:
        return "<|end|>", "It stands in the model's thoughts.", True
    marker = opens[0].lower()
    is_thought = marker not in _OF_RESULTS
    why = "It stands in the model's thoughts." if is_thought else "It stands in a tool's echo."
    return _CLOSERS[marker], why, is_thought


def _echoes(text: str) -> Iterator[Quoted]:
    """Yield the text after ``Output:`` or a shell's prompt, up to a blank line or the next label."""
    at, blank = 0, -1
    while opens := _ECHO_LINE.search(text, at):
        begins = opens.end()
        while text.startswith("\n", begins):
            begins += 1
        if blank < begins:
            gap = _BLANK_LINE.search(text, begins)
            blank = gap.start() if gap else len(text)
        label = _NEXT_LABEL.search(text, begins, blank)
        end = label.start() if label else blank
        if fence := _FENCE.match(text, begins):
            close = text.find(f"\n{fence[1]}", fence.end() - 1)
            end = close + 1 + len(fence[1]) if close >= 0 else len(text)
        at = max(end, opens.end())
        yield Quoted(Span(opens.start(), at), "It stands behind the label of an echo.")


def _labelled(text: str) -> Iterator[Quoted]:
    """Yield echoes, but those whose label may name an answer."""
    return (echo for echo in _echoes(text) if not _OF_ANSWERS.match(text, echo.span.start))


def _quoted_lines(text: str) -> Iterator[Quoted]:
    for line in _QUOTE_LINE.finditer(text):
        is_prompt = line[0].lstrip().startswith(">>>")
        why = "It stands behind a prompt." if is_prompt else "It stands in a block quote."
        yield Quoted(Span(*line.span()), why)


def _indented(text: str) -> Iterator[Quoted]:
    """Yield indented blocks, which set code apart; if all lines are indented, none is."""
    may_begin = text.startswith(_INDENTS) or any(
        f"{blank}{by}" in text for blank in _BLANK_LINES for by in _INDENTS
    )
    if may_begin and _FLUSH.search(text):
        for block in _INDENTED.finditer(text):
            yield Quoted(Span(*block.span()), "It stands in an indented block.")


def stands_alone(text: str, span: Span, low: int) -> bool:
    """Return whether a span is alone on its lines, apart from a list's marker or a label with a colon before it."""
    line = text_before(text, span.start)
    before = line[max(0, len(line) - (span.start - low)) :].rstrip(_BESIDE)
    return bool(_ENDS_SENTENCE.match(text, span.end)) and (
        not before or before.endswith((":", "：", ">", "|", "]"))
    )


def is_document(text: str) -> bool:
    """Return whether a response reads like a document that shows calls: it is long or has many headings."""
    if len(text) > _LONGEST_ANSWER:
        return True
    headings = len([*_HEADING.finditer(text)]) if "#" in text else 0
    if headings > _MOST_HEADINGS:
        return True
    return headings > 0 and len(_SENTENCE_LINE.findall(text)) > _MOST_HEADINGS


def inked(text: str, thoughts: Sequence[Span]) -> Span:
    """Return the span of a response without surrounding blanks, special tokens and thoughts."""
    start = 0
    for thought in [*thoughts, None]:
        start = _BLANK.match(text, start).end()  # type: ignore[union-attr]
        if thought is None or thought.start > start:
            break
        start = max(start, thought.end)
    return Span(start, _inked_until(text, max(start, len(text) - _TAIL)))


def _inked_until(text: str, low: int) -> int:
    """Return where the blanks and special tokens at the end of a text begin, no further back than ``low``."""
    end = len(text)
    while end > low:
        last = text[end - 1]
        if last.isspace() or last in _BLANKS:
            end -= 1
        elif last == ">" and (token := _LAST_TOKEN.search(text, max(low, end - _LONGEST_TOKEN), end)):
            end = token.start()
        else:
            break
    return end


_WINDOW = 400
_REFUSES = regex(
    r"\b(?:I (?:can(?:no|['’])t|cannot|could(?:n['’]t| not)|am (?:not able|unable)|do(?:n['’]t| not) have|won['’]t|will not)"
    r"|I['’]m (?:not able|unable)|unable to|not able to|no access|there is no need|would(?: have| be| need| normally| look| return| call| use)"
    r"|if (?:you|I|we|it|the user)\b|could (?:be|call|use|have)|might (?:be|call|use|have)"
    r"|kann ich nicht|ich kann [^.]{0,40}\bnicht|würde|falls (?:sie|du|ich)|je ne peux pas|si vous|si tu|pourrait|pourriez"
    r"|no puedo|si (?:quieres|desea|usted)|podría)|无法|不能|如果|可以(?:用|使用|调用)",
    re.IGNORECASE,
)
_ASKS = regex(
    r"\b(?:do you want|would you like|shall I|should I|may I|can I|is (?:it|this) ok|please confirm|let me know if|want me to"
    r"|soll ich|darf ich|möchten sie|möchtest du|voulez-vous|veux-tu|dois-je|puis-je|quieres que|quiere que|debo)\b"
    r"|(?:要不要|是否|可以)[^。\n]{0,20}[吗?？]",
    re.IGNORECASE,
)
_ASKS_BEHIND = regex(
    r"\s*+[^.!\n]{0,120}?(?:shall I|should I|do you want|would you like|may I|is (?:it|this) ok|want me to|soll ich|darf ich|möchten sie"
    r"|voulez-vous|dois-je|puis-je|quieres que|quiere que|debo|要不要|是否)[^.!\n]{0,120}[?？]",
    re.IGNORECASE,
)
_DESCRIBES = regex(
    r"\b(?:documentation|docs|docstring|signature|syntax|usage|tutorial|manual|definition|schema|defined as|used as|returns?|returned"
    r"|print(?:s|ed)|(?:output|log|logs|result)s? (?:is|was|of|from|shows?)|earlier|previous(?:ly)?|already (?:called|ran|run|did|made)"
    r"|last (?:time|call)|called|ran|answered|user (?:wrote|asked|sent|typed)|instead of|rather than|deprecated|wrong|incorrect|mistake"
    r"|dokumentation|signatur|verwendung|ausgabe|bereits|frühere?n?|la documentation|déjà|la documentación|ya (?:llamé|ejecuté)|anterior)\b"
    r"|文档|用法|语法|签名|已经|之前|上次|输出",
    re.IGNORECASE,
)
_TELLS = regex(
    r"\b(?:the|an?) (?:assistant|model|agent|server|client|LLM|system|program|script|function|tool)\b (?!call)(?:\w+ly )?(?!is ready)\w+s\b",
    re.IGNORECASE,
)
_OR = regex(
    r"\s*+(?:[*_]*+(?:or|alternatively|another (?:way|option)|oder|alternativ|ou(?: bien)?|o(?: bien)?|alternativamente|或者?|也可以)\b"
    r"|option \w+\b|variante? \w+\b)",
    re.IGNORECASE,
)
_NO_NEED = regex(
    r"\s*+(?:is (?:not|only|just)|isn['’]t|would|wouldn['’]t|could|might|won['’]t|does(?:n['’]t| not)|returns?|will return|fails?|raises?"
    r"|but I (?:can|do|won|will not)|However,? I (?:can|do|won)|but (?:this|that) (?:is not|isn)|ist nur|n['’]est qu|es solo|只是)",
    re.IGNORECASE,
)


def speaks_against(source: Source, start: int, end: int) -> str:
    """Return what the words around a call say against it, as a sentence; empty if nothing."""
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
    """Return whether the text between two calls offers a choice of them."""
    return _OR.match(between) is not None


def _last_sentence(text: str, start: int) -> str:
    before = text[max(0, start - _WINDOW) : start].rstrip()
    return (
        re.split(r"\n[ \t\r]*\n|(?<=[.!?])\s+(?=[^a-z])|(?<=[。！？])\s*|```", before)[-1] if before else ""
    )


_MARKERS = regex(
    r"<\|im_start\|>[ \t]*+(?!assistant)\w|<\|start_header_id\|>[ \t]*+(?!assistant)\w|<start_of_turn>[ \t]*+(?!model)\w"
    r"|<\|start\|>(?!assistant)\w|<\|(?:user|observation|tool|ipython|tool_response|end_of_turn_user)\|>|<｜(?:User|tool▁outputs▁begin|tool▁output▁begin)｜>"
    r"|<\|turn>[ \t]*+(?!model)\w|<\|START_OF_TURN_TOKEN\|><\|USER_TOKEN\|>"
    r"|<tool_responses?>|<function_results?>|<function_response>|<\|tool▁outputs|\[TOOL_RESULTS\]|\[INST\]"
    r"|^[ \t]*+(?:#{1,4}[ \t]*+)?(?:\*\*)?(?:Observation|Human|User|Utilisateur|Benutzer|Usuario|用户)(?:\*\*)?[ \t]*+[:：]"
    r"|^#{1,4}[ \t]*+(?:Human|User|Observation)[ \t]*+$",
    re.MULTILINE,
)
"""The beginning of another's turn."""


def invented_from(text: str, start: int) -> Span | None:
    """Return the first marker of another's turn from ``start`` on; None if there is none."""
    found = _MARKERS.search(text, start)
    return Span(*found.span()) if found else None
