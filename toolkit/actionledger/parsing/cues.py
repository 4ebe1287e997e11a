"""The words before a block that say that it is shown: "for example", "do not write", "you could", in five languages.

Only the last sentence before the block counts. One that says what its writer does now announces what is meant, whatever else
is in it: "For example, the port is missing, so I'll add it:".
"""

import re

from actionledger.parsing.scan.openings import text_before

_WINDOW = 600
"""How much before a block is looked at, in code points."""

_PARTS = re.compile(r"\n[ \t\r]*+\n|^[^\n`~]*+(?:```|~~~)[^\n]*+$|</[\w.-]++>", re.MULTILINE)
"""What a sentence never goes on behind: a blank line, the line of a fence, a closing tag."""

_SENTENCES = re.compile(
    r"(?<!\b\w)[.!?…][\"'”’)*_]*+\s++(?=[^a-zà-ÿ\s])|[。！？]"
    r"|:[*_]*+[ \t]*+\r?\n|\n(?=[ \t]*+(?:[-*+#>|]|\d++[.)])[ \t])"
)
_DECORATION = " \t\r\n*_`.,，:："
_COLON = re.compile(r"[:：][*_`\s]*+\Z")

_ANYWHERE = re.compile(
    r"\b(?:for (?:example|instance)|as an example|example (?:of|usage|format|call|output|response|syntax)"
    r"|you (?:could|might)(?! (?:see|notice|expect|guess))|(?:would|could|might) look like"
    r"|zum beispiel|beispielsweise|(?:du könntest|man könnte|sie könnten)"
    r"|par exemple|(?:vous pourriez|tu pourrais|on pourrait)|por ejemplo|podrías|se podría)(?!\w)"
    r"|(?<!\w)(?:e\. ?g\.|z\. ?b\.|p\. ?ex\.|p\. ?ej\.)"
    r"|例如|比如|譬如|举例|可以这样写|你也?可以写",
    re.IGNORECASE,
)
_FORBIDS = re.compile(
    r"(?:\A\W*+|[:：]\s*+|\b(?:please|you (?:must|should))\s+)(?:do not|don['’]t|never|avoid)\s+"
    r"(?:writ|send|emit|us|run|call|return|answer|output)\w*+[^,;]*+\Z"
    r"|\A\W*+(?:bitte\s+)?(?:schreib|benutz|verwend|send)\w*+\s[^,;]*?\b(?:nicht|nie|niemals)\b[^,;]*+\Z"
    r"|(?<!je )\bn(?:e\s|['’])(?:utilis|écri[sv]|envo|exécut)\w*+\s(?:pas|jamais)\b[^,;]*+\Z"
    r"|\b(?:no|nunca)\s(?:us|escrib|env[ií]|ejecut)[ae]s?\b[^,;]*+\Z"
    r"|(?:不要|请勿|切勿)再?(?:写|发|用|使用|运行|调用|返回|输出)[^，；]*+\Z",
    re.IGNORECASE,
)
_LAST = re.compile(
    r"\A(?:\W*+(?:\w+ )?|\W*+(?:here|hier|voici|aquí|this|dies|das|ceci|esto|following)\b.*|.*\b(?:show|give) (?:you|us)\b.*)"
    r"(?<!\w)(?:examples?|sample|beispiele?|exemples?|ejemplos?)\Z"
    r"|(?<!\w)(?:formato?(?: is| ist| est| es| would be)"
    r"|such as|instead of|rather than|not|never|avoid|nicht(?: so)?|statt|au lieu de|pas|en lugar de|en vez de)\Z"
    r"|(?:示例|例子|范例|格式(?:如下|为|是))\Z",
    re.IGNORECASE,
)
"""What says so only as the last words before the block: "an example plan" is a plan, and an issue "with code examples" an issue."""

_FORMAT = re.compile(
    r"\W*+(?:the |das |le |el )?(?:output |expected |required |response |json |action )?formato?",
    re.IGNORECASE,
)
"""What says so as the whole of a sentence: whoever corrects a format shows none."""

_ANNOUNCES = re.compile(
    r"\b(?:I['’]ll|I will|I['’]m|I am|I have|I['’]ve|let me|let['’]s|we['’]ll|we will"
    r"|ich (?!könnte|zeige|würde)\w+|je (?!pourrais|montre)\w+|voy a|vamos a)\b"
    r"|\b(?:in|im|au|en) (?:\w+ ){0,3}formato?\b|我(?:来|将|会|现在)",
    re.IGNORECASE,
)
_SHOWS = re.compile(r"\b(?:show|illustrat|demonstrat|give you)|展示|举", re.IGNORECASE)


def is_shown(text: str, start: int) -> bool:
    """Return whether the last sentence before a block says that the block is an example, or is not to be written.

    Args:
        text: the response.
        start: where the block begins, in code points.
    """
    is_within_line = bool(text_before(text, start).strip())
    sentence = _sentence_before(text, start if is_within_line else text.rfind("\n", 0, start) + 1)
    words = sentence.rstrip(_DECORATION)
    if not words:
        return False
    if _FORBIDS.search(words):
        return True
    if _ANNOUNCES.search(sentence) and not _SHOWS.search(sentence):
        return False
    if _ANYWHERE.search(sentence):
        return True
    is_heading = sentence.lstrip().startswith("#") or len(words.split()) == 1
    is_announced = is_within_line or is_heading or _COLON.search(sentence)
    return bool(is_announced and (_LAST.search(words) or _FORMAT.fullmatch(words)))


def _sentence_before(text: str, start: int) -> str:
    before = text[max(0, start - _WINDOW) : start].rstrip()
    for parting in (_PARTS, _SENTENCES):
        before = parting.split(before)[-1]
    return before
