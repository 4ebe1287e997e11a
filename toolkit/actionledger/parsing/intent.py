"""Whether a block is meant, judged by where it stands: the place and the content decide, not a fence's label alone.

What the content says is asked first: a dialect has read actions. Then the place says what they are:

- by themselves, or behind what announces them: they are meant;
- within a sentence, with text behind them on their line: whoever writes so may mean them, so it is said, and not run;
- in a quotation, in somebody else's fence, or behind "for example" and "do not": they are shown.
"""

import re

from actionledger.parsing.dialects.base import Found
from actionledger.parsing.scan.openings import Opening, OpeningKind, text_before
from actionledger.values import Issue, Span
from actionledger.vocabulary import BlockStatus, Reason

_ENDS_LINE = re.compile(r"[ \t]*+[.,;:!)]?+[ \t]*+(?:\r?\n|\Z|`{3}|<)")
_QUOTED = re.compile(r"[ \t]{0,3}>")
_SHOWS = re.compile(
    r"\b(?:example|for instance|e\.g\.|such as|instead of|rather than|avoid|never|do not|don['’]t)(?!\w)",
    re.IGNORECASE,
)


def weighed(found: Found, opening: Opening, text: str) -> Found:
    """Return a block that was read as what its place makes of it.

    Args:
        found: the block.
        opening: what it begins with; only what stands in the middle of a line, or is nearly an opening, is in doubt.
        text: the response.
    """
    if opening.kind not in {OpeningKind.EMBEDDED, OpeningKind.NEAR} or found.status is BlockStatus.IGNORED:
        return found
    before = text_before(text, opening.start)
    if _QUOTED.match(before) or _SHOWS.search(before):
        return as_example(found)
    if _ends_line(found, opening, text) and (opening.kind is OpeningKind.EMBEDDED or not before.strip()):
        return found
    if found.status is BlockStatus.MALFORMED:
        return Found(BlockStatus.IGNORED, found.span, found.body, reason=Reason.NOT_AN_ACTION)
    issue = Issue(Reason.CALL_IN_PROSE, found.span, "Text stands around it on its line.")
    return found._replace(status=BlockStatus.IGNORED, reason=issue.code, repairs=(), issues=(issue,))


def as_example(found: Found) -> Found:
    """Return a block that is shown rather than meant; nobody is told what is wrong with it."""
    return found._replace(status=BlockStatus.IGNORED, reason=Reason.EXAMPLE, repairs=(), issues=())


def lost_behind(found: Found, fence: str) -> Found:
    """Return a block that may stand in somebody else's fence or behind it: two readings, so neither is taken.

    Args:
        found: the block.
        fence: what the fence is called.
    """
    detail = f"{fence} either holds this, as an example, or was to be closed before it."
    issue = Issue(Reason.UNCLOSED_FENCE, found.span, detail)
    return Found(BlockStatus.MALFORMED, found.span, found.body, reason=issue.code, issues=(issue,))


def _ends_line(found: Found, opening: Opening, text: str) -> bool:
    """Return whether nothing but a mark of punctuation, or the next block, follows on the line."""
    is_over = _ENDS_LINE.match(text, found.span.end) is not None
    return is_over or "\n" in Span(opening.start, found.span.end).of(text)
