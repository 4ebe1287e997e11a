"""Find how a command ended in the fixed words of agents' results.

A program's output is next to these words, so a status counts only where its agent writes it: first or last.
"""

import re

from actionledger.core.patterns import regex
from actionledger.imports.sources.access import exit_status_of

_LONGEST_ENDING = 4000
_TAIL = 400
"""How much of a result's end is searched for an exit status, in characters."""

_FIRST = regex(
    r"(?:Chunk ID: \w{1,20}\n)?(?:Wall time: [^\n]{1,40}\n)?(?:Process exited with code|Exit code:) (-?\d{1,10})\n"
)
_ERROR_STATUS = regex(r"Exit code (-?\d{1,10})(?=\n|\Z)")
_FAILURE = regex(r"Exit code (-?[1-9]\d{0,9})(?=\n|\Z)")
"""How an agent begins the output of a failed command; it also sets an error flag, which a router may drop."""
_COMMANDS = ('[{"query":', "}]")
"""The start and end of Cline's list of command results: the first failure comes after all output."""
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
"""A command's exit status as a script prints its tool's result: Codex puts it first, pi last."""

_OF_FAILED_TOOL = regex(
    r"(?:Wall time: [\d.]{1,12} seconds\n)?<system>ERROR: Tool execution failed\.</system>\n"
)
"""How Kimi begins the output of a failed tool; a command's exit status comes last."""
_LAST_OF_FAILED = regex(r"\nCommand failed with exit code: (\d{1,10})\.\s*\Z")

_SHORTENED = regex(r"\s\[Output exceeded \d{1,12} line limit \([^\n]{1,60}\)\. Full output saved to [^\n]{1,600}\]\s*\Z")  # fmt: skip
_SHORTENED_ENDS = "lines at a time.]"
"""What goose writes behind a long output, and behind how its command ended, once for each stream."""

_LATE = (
    ("<shell_metadata>", "exceeding timeout"),
    ("\nCommand did not complete within its ", " timeout and was moved to the background"),
    ("\n\nCommand timed out after ", " seconds"),
    ("\n[Command timed out after ", " of no output]"),
)
"""Words after the output of a command that timed out: how they begin, and what they contain."""


def is_late_told(text: str) -> bool:
    """Return whether an agent's fixed words after the output say that a command timed out."""
    return any((place := text.rfind(begins)) >= 0 and says in text[place:] for begins, says in _LATE)


def exit_told(text: str, *, is_error: bool | None = None) -> int | None:
    """Return the exit status in an agent's fixed words; None if they have none."""
    if is_error is not None:
        found = _ERROR_STATUS.match(text) if is_error else None
        return None if found is None else exit_status_of(int(found[1]))
    begins = text.startswith(("Chunk ID: ", "Wall time: ", "Exit code: ", "Process exited "))
    found = _FIRST.match(text) if begins else _FAILURE.match(text)
    if text.startswith(_COMMANDS[0]) and text.endswith(_COMMANDS[1]):
        found = _OF_COMMANDS.search(text)
    if found is None and text.startswith("Script "):
        found = _OF_SCRIPT.search(text, 0, _TAIL) or _LAST_OF_SCRIPT.search(text[-_TAIL:])
    if found is None and text.startswith(("Wall time: ", "<system>")) and _OF_FAILED_TOOL.match(text):
        found = _LAST_OF_FAILED.search(text[-_TAIL:])
    for _ in range(3 if found is None and text.endswith(_SHORTENED_ENDS) else 0):
        text = _SHORTENED.sub("", text[-_LONGEST_ENDING:])
    if found is None and (tail := text[-_TAIL:].rstrip()).endswith((">", ")", *"0123456789")):
        found = _LAST.search(tail)
    return None if found is None else exit_status_of(int(next(filter(None, found.groups()))))
