"""What encloses a call on its lines: a tag that shows, a comment, quotes, a table, a diff, a list, a dialogue or a program's text."""

import re

from actionledger.core.patterns import regex
from actionledger.core.values import Span

_BEFORE, _BEHIND = 400, 160
"""The searched text before a call and after it, in code points."""

_QUOTES = {
    '"': '"',
    "'": "'",
    "“": "”",
    "‘": "’",
    "„": "“”",
    "«": "»",
    "»": "«",
    "「": "」",
    "『": "』",
    "`": "`",
}
_TAG = 80
_PAIR = regex(
    r"(?:<(?P<tag>[A-Za-z][\w.-]{0,40}+)(?:\s[^<>\n]*+)?>|\[(?P<bracket>[A-Za-z][\w -]{0,40}+)\]|\{%-?+ *+(?P<block>[a-z_]++)[^%\n]*+%\})\Z",
)
"""What opens directly before a call and is closed by its name."""

_CALLING = regex(
    r"action|answer|bash|call|cmd|code|command|exec|final|func|invo[ck]|iteration|json|message|plan|python|query|reply|request|response|run\b|solution|step"
    r"|think|thought|tool(?![ _-]?(?:output|resp|result))|use\b|xml",
    re.IGNORECASE,
)
"""What a tag is named that a model may put around a call that it makes; any other name says what the text in it is."""
_COMMENTS = frozenset({"//", "#", "--", "%", ";", "<!--", "/*"})
_TEXTS = ('"""', "'''")
"""What encloses a text of several lines in a program."""

_ITEM = regex(r"(?:[-*+]|\d++[.)])(?:[ \t]|\Z)")
_NEXT_ITEM = regex(r"\s*+(?:[-*+]|\d++[.)])[ \t]++[^\W\d_]")
_TASK = regex(r"[-*+][ \t]++\[ \]")
_HUNK = regex(r"^(?:@@ -\d|\+\+\+ |diff --git )", re.MULTILINE)
_SPEAKER = regex(
    r"(?P<log>\[[^\[\]\n]{1,40}\][ \t]*+|\d[\d:.,TZ -]{4,40})?+(?:\w+[ \t]++)?\W{0,2}\b(?:agent|ai|assistant|bot|model)\b\W{0,2}[:>]\W{0,2}\Z",
    re.IGNORECASE,
)
"""What stands before what a speaker of a written dialogue or of a log says, if that is the model."""

_TURN = regex(
    r"^[ \t]*+(?:#{1,4}[ \t]++(?P<heading>\w[\w ]{0,20}?)[ \t]*+$|\[(?P<bracket>\w[\w ]{0,20})\]|[*_]{0,2}(?P<label>[^\W\d][\w ]{0,20}?)[*_]{0,2}[:：])",
    re.MULTILINE,
)
"""The label of a turn in a written dialogue."""

DIALOGUE = "It stands in a dialogue or a log."

_STEPS = frozenset({"action", "observation", "plan", "reasoning", "step", "thought"})
"""Labels of what one writer says in turns."""

_TURN_BEHIND = regex(rf"[` \t\r\n]{{0,{_BEHIND}}}+{_TURN.pattern}", re.MULTILINE)
_OPENS = regex(r"\s*+(?:```|[<{\[])")

_OTHER_SPEAKER = regex(r"^\W{0,2}(?:human|tool|user)\W{0,2}[:>]", re.MULTILINE | re.IGNORECASE)


def what_holds(text: str, span: Span, low: int) -> str:
    """Return what encloses a call: a tag that shows, a comment, quotes, a table, a diff, a list, or a dialogue; empty if nothing."""
    opens = text[max(low, span.start - _TAG) : span.start].rstrip()
    if opens.endswith((">", "]", "%}")) and _is_in_pair(opens, text, span.end):
        return "It stands in a tag that shows it."
    if _is_in_program(opens, text, span, low):
        return "It stands in the text of a program."
    if is_in_dialogue(text, span):
        return DIALOGUE
    line = text.rfind("\n", low, span.start) + 1 or low
    before = text[line : span.start].strip()
    if not before:
        return ""
    return _marked_as(before, text, span, Span(low, line)) or _beside(before, text, span, line)


def _is_in_program(opens: str, text: str, span: Span, low: int) -> bool:
    """Return whether a call stands in a string of a program's text."""
    is_quoted = opens.endswith("`") and not opens.endswith("``")
    if is_quoted and text[span.end : span.end + _BEHIND].lstrip().startswith("`"):
        return True
    before = text[max(low, span.start - _BEFORE) : span.start]
    if _TEXTS[0] not in before and _TEXTS[1] not in before:
        return False
    near = before[max(0, before.rfind("```")) :]
    return any(near.count(mark) % 2 for mark in _TEXTS)


def _marked_as(before: str, text: str, span: Span, above: Span) -> str:
    """Return what the signs before a call on its line make of it, given the span above that line; empty if nothing."""
    if before in _COMMENTS or (before == "*" and _is_in_comment(text, span.start, above)):
        return "It stands in a comment."
    lines = span.of(text).split("\n")[1:]
    if before[0] in "+-|" and lines and all(each.startswith(before[0]) for each in lines):
        return "Each of its lines begins with a sign."
    if before in {"+", "-"} and _HUNK.search(text, *above):
        return "It stands in a diff."
    if _TASK.match(before) or (_ITEM.match(before) and _NEXT_ITEM.match(text, span.end, span.end + _BEHIND)):
        return "It stands in a list of what is to be done."
    return ""


def _is_in_comment(text: str, start: int, above: Span) -> bool:
    """Return whether a comment is open above a call's line."""
    near = max(above.start, start - _BEFORE, text.rfind("```", above.start, start))
    return text.rfind("/*", near, above.end) > text.rfind("*/", near, above.end)


def _beside(before: str, text: str, span: Span, line: int) -> str:
    """Return what the words on a call's line make of it: a dialogue, a table, quotes; empty if nothing."""
    speaker = _SPEAKER.match(before)
    if speaker and (speaker["log"] or _OTHER_SPEAKER.search(text, max(0, line - _BEFORE), line)):
        return DIALOGUE
    end = text.find("\n", span.end, span.end + _BEHIND)
    behind = text[span.end : end if end >= 0 else span.end + _BEHIND].strip()
    if not behind:
        return ""
    if before.startswith("|") and behind.startswith("|"):
        return "It stands in a table."
    is_quoted = before[-1] in _QUOTES and behind[0] in _QUOTES[before[-1]]
    if is_quoted or (behind[0] == '"' and before.count('"') % 2):
        return "It stands in quotes."
    return ""


def is_in_dialogue(text: str, span: Span) -> bool:
    """Return whether one who spoke before the last turn ahead of a call speaks again right behind it."""
    again = _TURN_BEHIND.match(text, span.end)
    if again is None or again[again.lastgroup or 0].lower() in _STEPS or _OPENS.match(text, again.end()):
        return False  # a label that leads to the next call is a step, as in "And one more:"
    speakers = [
        each[each.lastgroup or 0] for each in _TURN.finditer(text, max(0, span.start - _BEFORE), span.start)
    ]
    return again[again.lastgroup or 0] in speakers[:-1]


def _is_in_pair(opens: str, text: str, end: int) -> bool:
    """Return whether a call stands alone between an opener and its closer that don't name what makes calls."""
    pair = _PAIR.search(opens)
    if pair is None:
        return False
    behind = text[end : end + _BEHIND].lstrip("` \t\r\n")
    name = pair["tag"] or pair["bracket"] or ""
    closer = "{%" if pair["block"] else f"</{name}" if pair["tag"] else f"[/{name}"
    # A stream may have brought only the closer's beginning.
    is_closed = behind != "" and closer.startswith(behind[: len(closer)])
    return is_closed and _CALLING.search(name) is None
