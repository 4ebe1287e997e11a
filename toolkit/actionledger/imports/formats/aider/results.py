"""What came of the edits of a message, by the lines that aider wrote behind it.

aider says which file it has changed, and repeats each block that failed to match. Blocks are matched with edits by what stands in them;
what can't be told has no result, nor has what stands behind it, since results go by their place.
"""

import re
from collections.abc import Sequence

from actionledger.core.values.recordings import RecordedResult

_BLOCK = re.compile(r"^<{5,9} SEARCH[^\n]*\n.*?^>{5,9} (?:REPLACE|UPDATED)[^\n]*$", re.DOTALL | re.MULTILINE)
_APPLIED = "Applied edit to "
_FAILED = re.compile(r"# \d+ SEARCH/REPLACE blocks? failed to match|failed to exactly match lines")
_MALFORMED = "did not conform to the edit format"
_REFLECTED = re.compile(
    rf"{_FAILED.pattern}|{_MALFORMED}|^# Fix any errors below|^## See relevant line|^I ran this command|^The LLM|Malformed"
)


def results_of(text: str, notes: Sequence[str]) -> tuple[tuple[RecordedResult, ...], str]:
    """Return what came of a message's edits, and what aider has told the model of it."""
    blocks = [_plain(found[0]) for found in _BLOCK.finditer(text)]
    said = "\n".join(notes)
    fed_back = said if _REFLECTED.search(said) else ""
    if not blocks:
        return (), fed_back
    if _MALFORMED in said and not _FAILED.search(said):
        return tuple(RecordedResult("", said, is_error=True) for _ in blocks), fed_back
    failed = {_plain(found[0]) for found in _BLOCK.finditer(said)} if _FAILED.search(said) else set()
    has_applied = any(note.startswith(_APPLIED) for note in notes)
    results: list[RecordedResult] = []
    for block in blocks:
        if block in failed:
            results.append(RecordedResult("", said, is_error=True))
        elif has_applied or (failed and "applied successfully" in said):
            results.append(RecordedResult("", "Applied edit.", is_error=False))
        else:
            break
    return tuple(results), fed_back


def _plain(block: str) -> str:
    return "\n".join(line.rstrip() for line in block.splitlines())
