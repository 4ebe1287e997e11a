"""Words before a block that mark it as shown: "for example", "do not write", "you could", in five languages.

Only the last sentence before the block counts. If it says that its writer acts now, it announces a real block, whatever else
it holds: "For example, the port is missing, so I'll add it:".
"""

import re
from collections.abc import Collection

from actionledger.core.patterns import regex
from actionledger.core.values import Span
from actionledger.reading.prose_words import BEFORE
from actionledger.reading.prose_words.phrases import FOLDED
from actionledger.reading.prose_words.stems import EXAMPLES, FORMATS, NEGATIONS, POSSIBILITIES, STEMS
from actionledger.reading.scan.line_starts import AnyCase
from actionledger.reading.scan.openings import text_before
from actionledger.reading.scan.source import Source

_ALWAYS_ASKED = regex(rf"[\u4e00-\u9fff]|{FOLDED.pattern}")
"""Signs with which the stems say nothing: Chinese, and letters that a pattern takes for others."""


def may_hold(text: str, stems: frozenset[str]) -> bool:
    """Return whether a pattern may match in a text, given stems of which each match holds one."""
    return not text.isascii() or not stems.isdisjoint(BEFORE.heard(text) or ())


_PIECE = 128
"""The longest text whose words are remembered, in code points."""


class CueWords:
    """Knows which stems one text holds, and remembers where a block in it is shown."""

    def __init__(self) -> None:
        self.shown: dict[int, bool] = {}
        self._stems: Collection[str] | None = None
        self._is_asked = False

    def may_stand_in(self, text: str, part: str) -> bool:
        """Return whether any cue may be in a part of the text. Long parts but the first are only searched for the stems that the text holds."""
        if not self._is_asked or len(part) <= _PIECE:
            self._is_asked = True
            words = BEFORE.heard(part)
            is_any = not STEMS.isdisjoint(words) if words else False
        else:
            if self._stems is None:
                whole = text.lower()
                self._stems = [stem for stem in STEMS if stem in whole]
            lowered = part.lower() if self._stems else ""
            is_any = [stem for stem in self._stems if stem in lowered] != []
        return is_any or (not part.isascii() and _ALWAYS_ASKED.search(part) is not None)


_WINDOW = 600
"""The searched text before a block, in code points."""

_FENCE_LINE = regex(r"[^\n`~]*+(?:```|~~~)[^\n]*+")
_PARTS = regex(
    rf"\n(?:(?:[ \t\r]*+\n)?{_FENCE_LINE.pattern}|[ \t\r]*+\n)|</[\w.:-]++>|<\|[^|<>\n]{{1,40}}+\|>|<｜[^｜<>\n]{{1,40}}+｜>"
)
"""Ends of all sentences: a blank line, the line of a fence, a closing tag, a special token."""

_CLOSING_TAG = regex(r"(?:</[\w.:-]++>|<\|[^|<>\n]{1,40}+\|>|<｜[^｜<>\n]{1,40}+｜>)\s*+\Z")
_BESIDE = 64
"""The maximum distance of such a tag before a block, in code points."""

_BLANK_LINE = regex(r"\n[ \t\r]*+\n")

_SENTENCES = regex(
    r"[.!?…。！？:：\n](?:(?<=[.!?…])(?<!\b\w.)[\"'”’)*_]*+\s++(?=[^a-zà-ÿ\s])|(?<=[。！？])"
    r"|(?<=[:：])[*_]*+[ \t]*+\r?\n|(?<=\n)(?=[ \t]*+(?:[-*+#>|]|\d++[.)])[ \t]))"
)
"""The end of a sentence. All signs that fit in one class come first, since that is found fast."""

_NEAR = 120
"""The distance before a block in which sentence ends are searched first."""

_DECORATION = " \t\r\n*_`.,，:："
_COLON = regex(r"[:：][*_`\s]*+\Z")

_ANYWHERE = AnyCase(
    r"\b(?:for (?:example(?!\.\w|['’]s)|instance)|as an example(?! \w+ (?:is|was)\b)"
    r"|example (?:of\b|(?:usage|format|call|output|response|syntax)"
    r"(?!\s+(?!(?:of|for|from|in|with|to|that|which|is|would|looks?|might|could|here|below)\b)\w))"
    r"|(?:you|one|someone) (?:could|might)(?! (?:see|notice|expect|guess|say|tell|think|want|need|not|be|have)\b)"
    r"|(?:would|could|might) look like(?! (?:they|you|we)\b)"
    r"|zum beispiel|beispielsweise|(?:ein )?beispiel (?:für|eines|einer)|exemple d(?:e|['’]un)|à titre d['’]exemple|ejemplo de|a modo de ejemplo"
    r"|you can (?:try|use|call|run|do|write|send|also)(?=[^,;]*+\Z)|(?:du kannst|sie können|man kann)(?=[^,;]*+\Z)"
    r"|(?:vous pouvez|tu peux|on peut)(?=[^,;]*+\Z)|(?:puedes?|se puede)(?=[^,;]*+\Z)|(?:du könntest|man könnte|sie könnten)(?! meinen|[^,;]*\bnicht\b)(?=[^,;]*+\Z)"
    r"|par exemple|(?:vous pourriez|tu pourrais|on pourrait)(?=[^,;]*+\Z)"
    r"|por ejemplo|(?:podrías|se podría)(?=[^,;]*+\Z))(?!\w)"
    r"|(?<!\w)(?:e\. ?g\.|z\. ?b\.|p\. ?ex\.|p\. ?ej\.)"
    r"|例如|比如|譬如|举例|(?:可以这样写|[你您]也?可以(?:写|自行|自己|试|尝试|调用|使用|用))(?=[^，；]*+\Z)",
)
_ENDS_SO = AnyCase(
    r"(?:\bfor (?:example|instance)|\bas an example|zum beispiel|par exemple|por ejemplo"
    r"|(?<!\w)(?:e\. ?g|z\. ?b|p\. ?ex|p\. ?ej))\Z",
)
"""Cues at the end of a sentence, whatever else it says: "Adding a task, for example:"."""

_CLAUSE = r"(?:\A\W*+|[:：]\s*+)"
_WHY = r"(?:,\s*+(?:it|this|that|as|since|because|es|das|da|weil|cela|ça|car|esto|eso|porque)\b[^;]*+)?+"
"""A reason after a prohibition."""

_FORBIDS = AnyCase(
    rf"(?:(?:{_CLAUSE}|\b(?:please|you (?:must|should))\s+)(?:do not|don['’]t|never|avoid)"
    r"|\bI (?:will not|won['’]t|refuse to)|\bI(?:['’]m| am) not going to)\s+"
    rf"(?:do\b|(?:writ|send|emit|us|run|call|return|answer|output|execut|creat|delet|remov|mak)\w*+)(?P<en>[^,;]*+){_WHY}\Z"
    r"|\A\W*+(?:bitte\s+)?(?:schreib|benutz|verwend|send|mach|führ|ruf|nutz|gib|geb)(?:en sie|et|e|t)?+\b"
    rf"(?P<de>\s[^,;]*?\b(?:nicht|nie|niemals)\b[^,;]*+){_WHY}\Z"
    rf"|{_CLAUSE}n(?:e\s|['’])(?:l['’]|l[ae]s?\s)?(?:utilis|écri[sv]|envo|exécut|fai[st]|appel|lanc)\w*+\s(?:pas|jamais)\b(?P<fr>[^,;]*+){_WHY}\Z"
    rf"|{_CLAUSE}(?:por favor\s+)?(?:no|nunca)\s(?:l[aeo]s?\s)?(?:us|escrib|env[ií]|ejecut|hag|llam|invoqu)(?:[ae]s?|an|en)\b(?P<es>[^,;]*+){_WHY}\Z"
    rf"|(?:{_CLAUSE}|请)(?:不要|请勿|切勿|不应该?|别)(?:再|这样)?(?:写|发送?|用|使用|运行|调用|返回|输出|执行)(?P<zh>[^，；]*+)(?:，[^；]*+)?+\Z",
)
_POINTS = AnyCase(
    r"\W*+(?:it|this|that|these|such|so|like|anything|the following"
    r"|das|dies|so|folgendes|ceci|cela|ça|comme|ainsi|ce qui suit|esto|eso|así|lo siguiente|这|那|以下|如下)?+"
    r"(?:\W+(?:this|that|these|so|nicht|nie|niemals|aus|auf|dies|das|folgendes|ceci|cela|ça|ainsi|esto|eso|así)|[样个种的])*+"
    r"(?:调用|内容|命令|操作|函数)?+\W*+"
    r"|.*\b(?:like (?:this|that|so)|(?:this|these|such|so|diese[sn]?|cette|ce|este) \w+)\W*",
    re.DOTALL,
)
"""Prohibitions that name nothing, and so can only mean the block."""

_LAST = AnyCase(
    r"\A(?:\W*+(?:\w+ )?|\W*+(?:here|hier|voici|aquí|this|dies|das|ceci|esto|following)\b.*|.*\b(?:show|give) (?:you|us)\b.*)"
    r"(?<!\w)(?:examples?|sample|beispiele?|exemples?|ejemplos?)\Z"
    r"|(?<!\w)(?:formato?(?: is| ist| est| es| would be)"
    r"|such as|instead of|rather than|avoid|statt|au lieu de|en lugar de|en vez de"
    r"|so nicht|not like this|(?:you|user|he|she|they) (?:wrote|sent)"
    r"|(?:tool|program|command|script|server|it) (?:print(?:s|ed)|return(?:s|ed)|answered|said)"
    r"|tool(?:['’]s)? (?:result|output|response)|(?:output|result) was|observation"
    r"|(?:(?:\A|[,;(])\W*|\b(?:and|but|do|please|und|aber|bitte|et|mais|y|pero)\s)(?:not|never|nicht(?: so)?|pas))\Z"
    r"|(?:示例|例子|范例|格式(?:如下|为|是))\Z",
    re.DOTALL,
)
"""Cues only as the last words before the block: "an example plan" is a plan, and an issue "with code examples" an issue."""

_FORMAT = AnyCase(
    r"\W*+(?:the |das |le |el )?(?:output |expected |required |response |json |action )?(?:formato?|syntax|usage)"
    r"|\W*+(?:wrong|bad|incorrect|falsch|schlecht|faux|mal|错误)",
)
"""Cues only as a whole sentence: a sentence that corrects a format, or a wrong file, shows nothing."""

_TELLS_FORMAT = AnyCase(
    r"\b(?:format|formato|syntax|syntaxe|sintaxis|schema|schéma)\b[^.:<>]*\b(?:is|are|lautet|ist|est|es|looks?|sieht|sera)\b"
    r"|\b(?:calls?|it|one)\b[^.:<>]*\b(?:format|syntax)\b"
    r"|\b(?:has|have|hat|haben|ont|tienen?|use|uses|follow|must|müssen|doivent|deben|need)\b[^.:<>]*\b(?:this|that|these|the following|diese[sn]?"
    r"|folgende[sn]?|cet?|cette|suivante?|est[ea]|siguiente)\b[^.:<>]*\b(?:format|formato|syntax|syntaxe|sintaxis|form|forme|forma)\b"
    r"|\b(?:calls?|aufrufe?|appels?|llamadas?|it|they|one)\b[^.:<>]*\b(?:looks? like|sieht|sehen|ressemblent?|se ven?|written|geschrieben|écrits?|s['’]écri(?:t|vent)|se escriben?)\b"
    r"|(?:格式|语法|写法)",
)
"""Descriptions of a call's notation, in a sentence that announces a block."""

_PRESCRIBES = AnyCase(
    r"\b(?:must|have to|has to|need to|should|müssen|muss|doivent|doit|deben?)\b[^.:]{0,60}\b(?:formato?|form|syntax)\b"
    r"|(?:必须|应该?)[^。：]{0,20}(?:格式|语法)",
)
"""Prescriptions of a notation."""

_OWN = AnyCase(r"\b(?:I|we|ich|wir|je|nous|yo|nosotros)\b|我")

_DOING = (
    r"\b(?:add|apply|chang|correct|creat|delet|edit|fix|implement|insert|mak|modify|mov|read|remov|renam|replac"
    r"|sav|updat|writ)ing\b"
)
_ANNOUNCES = AnyCase(
    r"\b(?:I['’]ll|I will|I['’]m|I am|I have|I['’]ve|let me|let['’]s|we['’]ll|we will"
    r"|ich (?!könnte|zeige|würde)\w+|je (?!pourrais|montre)\w+|voy a|vamos a)\b"
    rf"|\A\W*(?:(?:now|ok|okay|sure|so|then|next|first|finally)\b\W*)*{_DOING}(?!.*\b(?:would|could|might|like)\b)"
    rf"|{_DOING} (?:it|them)\b(?! would)|\bapplied(?: to (?:your|the) \w+)?\W*\Z"
    r"|\A\W*(?:now\W*)?I (?:now )?(?:add|change|create|edit|fix|update|write)\b"
    r"|[,;] here (?:it is|(?:is|are) the files?)\b"
    r"|\A\W*(?:creo|agrego|añado|escribo|corrijo|actualizo)\b|, l[ao]s? (?:agrego|añado|creo|corrijo)\b"
    r"|\b(?:in|im|au|en) (?:\w+ ){0,3}formato?\b"
    r"|我(?:来|将|会|现在)|现在(?:加|创|添|写|改|来)"
    r"|\A\W*(?:现在|先|下面|接下来)*(?:创建|添加|新建|写入|修改|修正|更新)",
)
_SHOWS = AnyCase(r"\b(?:show|illustrat|demonstrat|give you)|展示|举")


def is_shown(source: Source, start: int) -> bool:
    """Return whether the last sentence before a block presents it as an example, or forbids writing it."""
    text, memory = source.text, source.memory(CueWords)
    tag = text.rfind("<", start - _BESIDE if start > _BESIDE else 0, start)
    if tag >= 0 and _CLOSING_TAG.match(text, tag, start):
        return False  # a closing tag that ends all sentences is directly before it, as between calls
    # The last paragraph holds the last sentence, and is found faster.
    said = text[start - _WINDOW if start > _WINDOW else 0 : start].rstrip()
    if not said or not memory.may_stand_in(text, said[said.rfind("\n\n") + 1 :]):
        return False
    if start not in memory.shown:
        is_within_line, place = _sentence_before(text, start)
        sentence = place.of(text)
        memory.shown[start] = memory.may_stand_in(text, sentence) and _shows(is_within_line, sentence)
    return memory.shown[start]


def _shows(is_within_line: bool, sentence: str) -> bool:
    """Return whether a sentence before a block presents it as an example, or forbids writing it."""
    words = sentence.rstrip(_DECORATION)
    if may_hold(sentence, NEGATIONS) and _FORBIDS.search(words):
        return True
    has_example = may_hold(sentence, EXAMPLES)
    if has_example and _ENDS_SO.search(words):
        return True
    if may_hold(sentence, FORMATS) and _PRESCRIBES.search(words) and not _OWN.search(sentence):
        return True
    is_anywhere = (has_example or may_hold(sentence, POSSIBILITIES)) and _ANYWHERE.search(sentence)
    if not (is_anywhere or _tells(is_within_line, sentence, words)):
        return False
    return not _ANNOUNCES.search(sentence) or _SHOWS.search(sentence) is not None


def may_forbid_something_else(source: Source, start: int) -> bool:
    """Return whether the last sentence before a block forbids something that may not be the block."""
    _, place = _sentence_before(source.text, start)
    forbids = _FORBIDS.search(place.of(source.text).rstrip(_DECORATION))
    return bool(forbids and not _POINTS.fullmatch(forbids[forbids.lastgroup or 0]))


def _tells(is_within_line: bool, sentence: str, words: str) -> bool:
    """Return whether a sentence that leads to the block says, by its last words or as a whole, that the block is an example."""
    is_heading = sentence.lstrip().startswith("#") or len(words.split()) == 1
    if not (is_within_line or is_heading or _COLON.search(sentence)):
        return False
    return bool(_LAST.search(words) or _FORMAT.fullmatch(words) or _TELLS_FORMAT.search(words))


def _sentence_before(text: str, start: int) -> tuple[bool, Span]:
    """Return whether there are words before a block on its line, and the span of the last sentence before it."""
    begins_line = start == 0 or text[start - 1] == "\n"
    is_within_line = not begins_line and bool(text_before(text, start).strip())
    end = start if begins_line or is_within_line else text.rfind("\n", 0, start) + 1
    first = end - _WINDOW if end > _WINDOW else 0
    before = text[first:end].rstrip()
    end = first + len(before)
    before = _SENTENCES.split(_last_part(before))[-1]
    return is_within_line, Span(end - len(before), end)


def _last_part(text: str) -> str:
    """Return the text after the last place that ends all sentences; that place is nearly always close to the end."""
    near = text.rfind("\n", 0, -_NEAR) + 1
    parts = _parts(text[near:]) if not text[near : near + 1].isspace() else []
    return (parts if len(parts) > 1 else _parts(text))[-1]


def _parts(text: str) -> list[str]:
    """Split a text into parts; most texts have only blank lines between their parts."""
    has_tags = "<" in text and ("</" in text or "<|" in text or "<｜" in text)
    if not (has_tags or "```" in text or "~~~" in text):
        return _BLANK_LINE.split(text)
    if fence := _FENCE_LINE.match(text):
        return ["", *_PARTS.split(text[fence.end() :])]
    return _PARTS.split(text)
