"""How agents say in the words of a result how a command ended, in a fixed form.

What a program printed stands beside it, so that a status counts only where its agent writes it: first or last.
"""

import re

from actionledger.core.patterns import regex
from actionledger.imports.sources.access import exit_status_of

_TAIL = 400
"""So much of the end of a result is looked at for an exit status, in characters."""

_FIRST = regex(
    r"(?:Chunk ID: \w{1,20}\n)?(?:Wall time: [^\n]{1,40}\n)?(?:Process exited with code|Exit code:) (-?\d{1,10})\n"
)
_ERROR_STATUS = regex(r"Exit code (-?\d{1,10})(?=\n|\Z)")
_FAILURE = regex(r"Exit code (-?[1-9]\d{0,9})(?=\n|\Z)")
"""How an agent begins the output of a command that failed alone; it marks it as an error as well, which a router may drop."""
_COMMANDS = ('[{"query":', "}]")
"""How Cline's list of what its commands did begins and ends: the first that failed is told behind all that it printed."""
_OF_COMMANDS = regex(r'[^\\]","error":"Command exited with code ([1-9]\d{0,9})","success":false\}')
_LAST = regex(
    r"(?:<shellId: \w{1,40} completed with exit code (-?\d{1,10})>"
    r"|\nCommand exited with code (\d{1,10})"
    r"|\nExit Code: (\d{1,10})(?:\n(?:Signal|Process Group PGID|Background PIDs): [^\n]{0,80})+(?:\n</untrusted_context>)?)\s*\Z"
)
_OF_SCRIPT = regex(r'^\{"chunk_id":[^\n]{0,200}?"exit_code":([1-9]\d{0,9})\b', re.MULTILINE)
_LAST_OF_SCRIPT = regex(
    r'"truncated":(?:true|false),(?:"full_output_path":"[^"\n]{1,200}",)?"exit_code":([1-9]\d{0,9}),"wall_time_seconds":[\d.]{1,20}\}(?:\n\n\[Full output: [^\n]{1,200}\])?\s*\Z'
)
"""What a command in a script has ended with, as the script prints what it was told: Codex says it first, pi last."""

_LATE = (
    ("<shell_metadata>", "exceeding timeout"),
    ("\nCommand did not complete within its ", " timeout and was moved to the background"),
    ("\n\nCommand timed out after ", " seconds"),
)
"""What stands behind the output of a command whose time was over: where it begins, and what it says then."""


def is_late_told(text: str) -> bool:
    """Return whether a result says, in the fixed words of an agent behind what a program printed, that its time was over."""
    return any((place := text.rfind(begins)) >= 0 and says in text[place:] for begins, says in _LATE)


def exit_told(text: str, *, is_error: bool | None = None) -> int | None:
    """Return the exit status that a result's words say in the fixed form of an agent; None where they say none."""
    if is_error is not None:
        found = _ERROR_STATUS.match(text) if is_error else None
        return None if found is None else exit_status_of(int(found[1]))
    begins = text.startswith(("Chunk ID: ", "Wall time: ", "Exit code: ", "Process exited "))
    found = _FIRST.match(text) if begins else _FAILURE.match(text)
    if text.startswith(_COMMANDS[0]) and text.endswith(_COMMANDS[1]):
        found = _OF_COMMANDS.search(text)
    if found is None and text.startswith("Script "):
        found = _OF_SCRIPT.search(text, 0, _TAIL) or _LAST_OF_SCRIPT.search(text[-_TAIL:])
    if found is None and (tail := text[-_TAIL:].rstrip()).endswith((">", ")", *"0123456789")):
        found = _LAST.search(tail)
    return None if found is None else exit_status_of(int(next(filter(None, found.groups()))))
