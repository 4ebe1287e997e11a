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
_SHOWING_TAG = regex(
    r"<(?:examples?|samples?|summary|quotes?|quotation|quoted|documentation|docs?|logs?|illustration|snippet|transcript)\b[^<>\n]*>\Z",
    re.IGNORECASE,
)
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

_OTHER_SPEAKER = regex(r"^\W{0,2}(?:human|tool|user)\W{0,2}[:>]", re.MULTILINE | re.IGNORECASE)


def what_holds(text: str, span: Span, low: int) -> str:
    """Return what encloses a call: a tag that shows, a comment, quotes, a table, a diff, a list, or a dialogue; empty if nothing."""
    opens = text[max(low, span.start - _TAG) : span.start].rstrip()
    if opens.endswith(">") and _SHOWING_TAG.search(opens):
        return "It stands in a tag that shows it."
    near = max(low, span.start - _BEFORE, text.rfind("```", low, span.start))
    if (
        opens.endswith("`")
        and not opens.endswith("``")
        and text[span.end : span.end + _BEHIND].lstrip().startswith("`")
    ):
        return "It stands in the text of a program."
    for mark in _TEXTS:
        if text.count(mark, near, span.start) % 2:
            return "It stands in the text of a program."
    line = max(low, text.rfind("\n", low, span.start) + 1)
    before = text[line : span.start].strip()
    if not before:
        return ""
    if before in _COMMENTS:
        return "It stands in a comment."
    if before in {"+", "-"} and _HUNK.search(text, low, line):
        return "It stands in a diff."
    if _TASK.match(before) or (_ITEM.match(before) and _NEXT_ITEM.match(text, span.end, span.end + _BEHIND)):
        return "It stands in a list of what is to be done."
    speaker = _SPEAKER.match(before)
    if speaker and (speaker["log"] or _OTHER_SPEAKER.search(text, max(0, line - _BEFORE), line)):
        return "It stands in a dialogue or a log."
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
