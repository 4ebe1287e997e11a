"""How runtimes word errors, as data, and the judgement of a recorded result by them.

A recording seldom says more than that a result is an error, and some don't say that. The rows below are shared by many runtimes. A source's own rows
(``Source.wordings``) are tried first, then those of agents from any source (``agent_wordings``). A row matches if its pattern is found in the
beginning of the text; the first match counts.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, TypeAlias

from actionledger.core.canonical import json_text
from actionledger.core.patterns import regex
from actionledger.core.recordings import RecordedResult
from actionledger.core.vocabulary import ExecutionStatus, Reason
from actionledger.imports.sources.agent_wordings import AGENTS
from actionledger.imports.sources.base import Wording
from actionledger.imports.sources.told_endings import exit_told, is_late_told

JUDGED = 2000
"""How much of a result's text is examined, in characters: later text is a program's output, not the runtime's words."""

SHARED: tuple[Wording, ...] = (
    Wording(
        r"(?i)^(?:<tool_use_error>)?(?:the )?user (?:doesn't want|rejected|declined|denied|refused|cancelled this)",
        Reason.REJECTED,
        "The user doesn't want to proceed with this tool use.",
        is_telling=True,
    ),
    Wording(
        r"(?i)^(?:<tool_use_error>|error: )?[\w' ]{0,40}\b(?:rejected|refused|denied|declined) by (?:the )?(?:user|human|operator)\b",
        Reason.REJECTED,
        "exec command rejected by user",
        is_telling=True,
    ),
    Wording(
        # With its first letters spelled out, the search takes a sixth of the time.
        r"[rRdD](?i:(?:ejected|efused|enied|eclined) by (?:the )?(?:user|human|operator))",
        Reason.REJECTED,
        "Error (code 3): it was rejected by the operator",
    ),
    Wording(
        r"(?i)^(?:<tool_use_error>)?(?:permission\b.{0,80}\bdenied by|blocked by (?:a )?(?:hook|policy)|denied by (?:a )?(?:hook|policy))",
        Reason.NOT_APPROVED,
        "Permission for this action was denied by the classifier.",
        is_telling=True,
    ),
    Wording(
        r"(?i)\bhook\b.{0,80}\b(?:blocked|denied|refused)\b|\b(?:blocked|denied) by\b.{0,80}\bhook\b",
        Reason.NOT_APPROVED,
        "PreToolUse hook blocked the call: no pushes",
    ),
    Wording(
        r"(?i)^(?:<tool_use_error>)?(?:cancelled|canceled)\b|sibling tool call",
        Reason.CANCELLED,
        "Cancelled: parallel tool call Bash(ls) errored",
    ),
    Wording(
        r"(?i)^(?:<tool_use_error>)?(?:\[?request )?(?:interrupted|aborted)\b.{0,20}\buser",
        Reason.STOPPED,
        "[Request interrupted by user for tool use]",
        is_telling=True,
    ),
    Wording(
        r"(?i)^(?:<tool_use_error>)?(?:error: )?(?:unknown tool|no such tool|tool \S* (?:not found|does not exist)|unsupported (?:tool|call|custom tool)|\S+ is not a valid tool\b|[^\n]{0,200}\btried to call unavailable tool\b)",
        Reason.UNKNOWN_ACTION,
        "No such tool available: Reader",
        is_telling=True,
    ),
    Wording(
        r"(?i)\b(?:input ?validation ?error|validation errors? for|invalid (?:tool )?(?:arguments|parameters|input)|failed to parse (?:function )?arguments|missing required (?:parameter|argument|property)|required parameter|is a required property)",
        Reason.SCHEMA_ERROR,
        "InputValidationError: Read failed due to the following issue",
    ),
    Wording(
        r"(?i)\b(?:has not been read|not been read yet|read it first)\b",
        Reason.NOT_READ,
        "File has not been read yet. Read it first before writing to it.",
    ),
    Wording(
        r"(?i)\b(?:has been modified|has changed|modified|changed) since\b",
        Reason.CHANGED_SINCE,
        "File has been modified since read, either by the user or by a linter.",
    ),
    Wording(
        r"(?i)\b(?:found )?(?:\d+|multiple|several) (?:matches|occurrences)\b.{0,80}\b(?:string|text|replace|unique)|not unique\b",
        Reason.SEVERAL_MATCHES,
        "Found 3 matches of the string to replace, but replace_all is false.",
    ),
    Wording(
        r"(?i)\bcommand not found\b|^(?:\S{1,100}: )?exec: [^\n]{1,200}: not found|is not recognized as an internal or external command",
        Reason.COMMAND_FAILED,
        "Exit code 127\n/bin/bash: line 1: rg: command not found",
    ),
    Wording(
        r"(?i)(?:string|text|old_str\w*|context|lines?|hunk|search block)\b.{0,60}\b(?:not found|did not match|no match|failed to match|not be found|did not appear|doesn't match)|failed to find (?:expected lines|context)|patch (?:does not|did not|failed to) apply|no replacement was performed",
        Reason.NO_MATCH,
        "String to replace not found in file.",
    ),
    Wording(
        r"(?i)(?:exceeds (?:the )?maximum (?:allowed )?(?:tokens|characters|size|length)|(?:content|output|result|file) (?:is )?too (?:large|long)|larger than the (?:maximum|limit))",
        Reason.CONTEXT_LIMIT,
        "File content (31125 tokens) exceeds maximum allowed tokens (25000).",
    ),
    Wording(
        r"(?i)\b(?:timed? ?out|timeout|deadline exceeded)\b(?! *[=:])",
        Reason.TIMEOUT,
        "Command timed out after 2m 0.0s",
    ),
    Wording(
        r"(?i)\b(?:rate limit|too many requests|status(?: code)?:? 429)",
        Reason.RATE_LIMIT,
        "Rate limit exceeded, retry in 5 s",
    ),
    Wording(
        r"(?im)^(?:process )?(?:exit(?:ed)?(?: with)?(?: exit)? (?:code|status):?) *-?[1-9]\d*",
        Reason.COMMAND_FAILED,
        "Exit code 1\nFAIL: TestRun",
    ),
    Wording(
        r"(?i)\b(?:exit(?:ed)? (?:with )?(?:code|status):? |returned non-zero exit status |exited with |returncode=)-?[1-9]\d*",
        Reason.COMMAND_FAILED,
        "The command ended: exit status 2",
    ),
    Wording(
        r"(?i)\b(?:eacces|eperm|permission denied|operation not permitted|access denied|forbidden)\b",
        Reason.NOT_PERMITTED,
        "EACCES: permission denied, open '/etc/shadow'",
    ),
    Wording(
        r"(?i)\b(?:outside (?:of )?(?:the )?(?:workspace|project|allowed|working)|path (?:is )?not allowed)\b",
        Reason.PATH_REFUSED,
        "Path is outside the allowed directories",
    ),
    Wording(
        r"(?i)\b(?:eexist|already exists)\b", Reason.ALREADY_EXISTS, "EEXIST: file already exists, mkdir 'x'"
    ),
    Wording(
        r"(?i)\b(?:enoent|enotdir|no such file|does not exist|doesn't exist|not found|no (?:files?|results?|matches) found|was deleted|is a directory|eisdir)\b",
        Reason.NOT_FOUND,
        "File does not exist.",
    ),
    Wording(
        r"(?i)\b(?:econnrefused|econnreset|enotfound|connection (?:refused|reset|error|closed)|could not resolve|unreachable|service unavailable|status(?: code)?:? 5\d\d|fetch failed|not available)\b",
        Reason.UNAVAILABLE,
        "connect ECONNREFUSED 127.0.0.1:80",
    ),
    Wording(
        r"(?m)^Traceback \(most recent call last\)|\b\w*(?:SyntaxError|NameError|TypeError|ValueError|KeyError|AttributeError|IndexError|ZeroDivisionError|ModuleNotFoundError|ImportError|AssertionError)\b",
        Reason.CODE_ERROR,
        "Traceback (most recent call last):\n  File",
    ),
    Wording(
        r"(?i)^(?:<tool_use_error>)?(?:blocked|refused|not allowed|not permitted|disallowed)\b",
        Reason.COMMAND_REFUSED,
        "Blocked: sleep 30 followed by: ls",
    ),
)
"""The wordings shared by many runtimes, the narrower ones first."""

_STATUSES = {
    Reason.TIMEOUT: ExecutionStatus.TIMED_OUT,
    Reason.REJECTED: ExecutionStatus.DENIED,
    Reason.NOT_APPROVED: ExecutionStatus.DENIED,
    Reason.COMMAND_REFUSED: ExecutionStatus.DENIED,
    Reason.PATH_REFUSED: ExecutionStatus.DENIED,
    Reason.RATE_LIMIT: ExecutionStatus.RATE_LIMITED,
    Reason.CANCELLED: ExecutionStatus.SKIPPED,
    Reason.STOPPED: ExecutionStatus.INTERRUPTED,
}
"""The status for a reason; any other reason means failed."""

_REASONS = {
    ExecutionStatus.TIMED_OUT: Reason.TIMEOUT,
    ExecutionStatus.DENIED: Reason.NOT_APPROVED,
    ExecutionStatus.RATE_LIMITED: Reason.RATE_LIMIT,
    ExecutionStatus.SKIPPED: Reason.CANCELLED,
    ExecutionStatus.INTERRUPTED: Reason.STOPPED,
    ExecutionStatus.FAILED: Reason.TOOL_ERROR,
}
"""The reason for a status, if nothing says more."""

_AT_BEGINNING = regex(r"(?:\(\?[aiLsux]+\))?\^")
_FLAGS = regex(r"\(\?([aiLsux]+)\)")
_SIGNS = regex(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()|]", re.DOTALL)
"""Escapes and character sets, which contain no syntax, and the signs of groups and alternatives."""

_WITHOUT = frozenset({ExecutionStatus.SUCCEEDED, ExecutionStatus.PENDING, ExecutionStatus.DRY_RUN})
_TAGGED_ERROR = "<tool_use_error>"
"""The tag with which one agent begins its messages about failed calls."""
_TIMED_OUT = 124
"""The exit status of coreutils' ``timeout`` for a timeout."""


class JudgedResult(NamedTuple):
    """The judged result of a recorded call."""

    status: ExecutionStatus
    reason: Reason | None  # why it did not succeed; None if it did
    is_inferred: bool  # whether only the words of the result say so


def judged(result: RecordedResult, wordings: Sequence[Wording] = ()) -> JudgedResult:
    """Judge a call's result by its recording, and by its words if that leaves it open."""
    if result.status in _WITHOUT:
        return JudgedResult(result.status, None, result.is_inferred)
    text = _words(result.output)[:JUDGED]
    rows = _rows(tuple(wordings))
    if result.refused_by:
        refused = Reason.REJECTED if result.refused_by == "person" else Reason.NOT_APPROVED
        return JudgedResult(
            result.status or ExecutionStatus.DENIED, result.reason or refused, result.is_inferred
        )
    if result.status is not None:
        # Output printed before the failure is the program's own, and doesn't say why the call failed.
        exited = bool(result.exit_status) and result.status is ExecutionStatus.FAILED
        fitting = _fitting(rows.own if exited else rows.all, text, result.status)
        ended = _fitting_exit(result) if exited else None
        reason = result.reason or fitting or ended or _REASONS[result.status]
        return JudgedResult(result.status, reason, result.is_inferred)
    if result.reason is not None:
        return _by(result.reason, is_inferred=result.is_inferred)
    if result.exit_status:
        return _by(_first(rows.own, text) or _of_exit(result.exit_status), is_inferred=result.is_inferred)
    if result.is_error:
        return _by(_first(rows.all, text) or Reason.TOOL_ERROR, is_inferred=result.is_inferred)
    if result.is_error is False or result.exit_status == 0:
        return JudgedResult(ExecutionStatus.SUCCEEDED, None, is_inferred=False)
    told = rows.told(text)
    if told is None:
        return JudgedResult(ExecutionStatus.SUCCEEDED, None, is_inferred=True)
    return _by(told, is_inferred=True)


def with_end_told(result: RecordedResult) -> RecordedResult:
    """Return a result with the end that its words state in an agent's fixed form, if nothing else states one."""
    is_said = result.status is not None or result.reason is not None or result.refused_by
    if is_said or result.exit_status is not None:
        return result
    text = _words(result.output)
    if result.is_error is not True and is_late_told(text):
        return replace(result, status=ExecutionStatus.TIMED_OUT, is_inferred=True)
    if result.is_error is None and text.startswith(_TAGGED_ERROR):
        return replace(result, is_error=True, is_inferred=True)
    status = exit_told(text, is_error=result.is_error)
    is_unmarked = result.is_error is None and text.startswith("Exit code ")  # its error flag was lost
    return result if status is None else replace(result, exit_status=status, is_inferred=is_unmarked)


def is_known(text: str, wordings: Sequence[Wording] = ()) -> bool:
    """Return whether any row matches a result: otherwise its words are new, or were never examined."""
    return _first(_rows(tuple(wordings)).all, text[:JUDGED]) is not None


def reason_of(text: str, rows: Sequence[Wording]) -> Reason | None:
    """Return the reason of the first row that matches a text; None if none does."""
    return _first(_ready(rows), text)


def text_of(output: Any) -> str:
    """Return a result as text: the text itself, the texts of its parts, or its JSON."""
    if isinstance(output, str):
        return output
    if output is None:
        return ""
    if (
        isinstance(output, list)
        and output
        and all(isinstance(part, dict) and isinstance(part.get("text"), str) for part in output)
    ):
        return "\n".join(part["text"] for part in output)
    return json_text(output)


def _words(output: Any) -> str:
    """Return the words of a result; for an object with a single text, as in Gemini's interface, that text."""
    if isinstance(output, str):
        return output
    if isinstance(output, Mapping) and output.keys() == {"output"} and isinstance(output["output"], str):
        return output["output"]
    return text_of(output)


_Ready: TypeAlias = tuple[tuple[Callable[[str], re.Match[str] | None], Reason], ...]
"""Each row's match function and reason, in the rows' order."""


class _Rows:
    """The compiled rows of a source, compiled on first use."""

    def __init__(self, wordings: tuple[Wording, ...]) -> None:
        self._wordings = wordings

    @cached_property
    def own(self) -> _Ready:
        """The source's own."""
        return _ready(self._wordings)

    @cached_property
    def _telling(self) -> _Ready:
        return _ready([row for row in self._wordings if row.is_telling])

    @cached_property
    def all(self) -> _Ready:
        """The source's, the agents' and the shared rows."""
        return _ready((*self._wordings, *AGENTS, *SHARED))

    def told(self, text: str) -> Reason | None:
        """Return the reason of the first matching row whose words alone show an error; None if none does."""
        own = _first(self._telling, text)
        return _told(text) if own is None else own


def _told(text: str) -> Reason | None:
    """Return the reason of a shared row; most texts match none, which one joined pattern finds out."""
    beginning, others, rows = _shared_telling()
    if beginning.match(text) is None and not any(fits(text) for fits in others):
        return None
    return _first(_ready(rows), text)


@lru_cache(maxsize=1)
def _shared_telling() -> tuple[re.Pattern[str], tuple[Callable[[str], object], ...], tuple[Wording, ...]]:
    """Return one pattern of all rows that match only at the beginning, the other rows' matchers, and the rows."""
    rows = tuple(row for row in (*AGENTS, *SHARED) if row.is_telling)
    first = [row.pattern for row in rows if _is_of_beginning(row.pattern)]
    others = tuple(_finder(row.pattern) for row in rows if not _is_of_beginning(row.pattern))
    return re.compile("|".join(map(_scoped, first))), others, rows


def _scoped(pattern: str) -> str:
    """Return a pattern as an alternative of a larger one: its leading flags apply within it only."""
    flags = _FLAGS.match(pattern)
    return f"(?{flags[1]}:{pattern[flags.end() :]})" if flags else f"(?:{pattern})"


@lru_cache(maxsize=64)
def _rows(wordings: tuple[Wording, ...]) -> _Rows:
    return _Rows(wordings)


def _ready(rows: Sequence[Wording]) -> _Ready:
    return tuple((_finder(row.pattern), row.reason) for row in rows)


def _first(rows: _Ready, text: str) -> Reason | None:
    return next((reason for fits, reason in rows if fits(text)), None)


def _fitting(rows: _Ready, text: str, status: ExecutionStatus) -> Reason | None:
    """Return a text's reason if it agrees with a known status; otherwise None."""
    reason = _first(rows, text)
    return reason if reason is not None and _by(reason, is_inferred=False).status is status else None


def _of_exit(status: int) -> Reason:
    return Reason.TIMEOUT if status == _TIMED_OUT else Reason.COMMAND_FAILED


def _fitting_exit(result: RecordedResult) -> Reason | None:
    reason = _of_exit(result.exit_status or 0)
    return reason if _by(reason, is_inferred=False).status is result.status else None


def _by(reason: Reason, *, is_inferred: bool) -> JudgedResult:
    return JudgedResult(_STATUSES.get(reason, ExecutionStatus.FAILED), reason, is_inferred)


@lru_cache(maxsize=1024)
def _finder(pattern: str) -> Callable[[str], re.Match[str] | None]:
    """Return a pattern's match function: ``search`` would try every place even if it matches only at the beginning."""
    compiled = re.compile(pattern)
    return compiled.match if _is_of_beginning(pattern) else compiled.search


@lru_cache(maxsize=1024)
def _is_of_beginning(pattern: str) -> bool:
    """Return whether a pattern matches only at the beginning of the text, not of each line."""
    flags = _FLAGS.match(pattern)
    has_lines = flags is not None and "m" in flags[1]
    return not has_lines and _AT_BEGINNING.match(pattern) is not None and not _has_alternatives(pattern)


def _has_alternatives(pattern: str) -> bool:
    """Return whether a pattern has alternatives outside of any group; True if unsure."""
    depth = 0
    for sign in _SIGNS.findall(pattern):
        if sign == "|" and depth <= 0:
            return True
        depth += (sign == "(") - (sign == ")")
    return False
