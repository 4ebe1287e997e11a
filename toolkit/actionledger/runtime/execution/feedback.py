"""Feedback to the model: issues, rejections with corrections, errors and results, in the order of its actions. Pure.

Failures are reported in full, as far as the limit allows; results share the rest, so that short ones are shown whole.
Cuts are marked. Secrets are masked as in the record and before any cut, because half a secret would not be recognised.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from actionledger.actions.guidance import correction
from actionledger.core.canonical import json_text
from actionledger.core.errors import UsageError
from actionledger.core.patterns import regex
from actionledger.core.privacy import mask, mask_text
from actionledger.core.text import counted
from actionledger.core.values import ActionCall, Observation, ParseResult
from actionledger.core.vocabulary import SENTENCES, ActionStatus, ExecutionStatus, Reason
from actionledger.reading.evidence.echoes import MENTIONED
from actionledger.runtime.execution.limits import STANDARD_LIMITS, Limits
from actionledger.runtime.execution.mending import Mend, example_for, notice
from actionledger.runtime.execution.profile import Profile, dialect_of, writer

MAX_LINE = 4000
"""The maximum length of one issue or error, in characters."""

_MARK = 60
"""A text no longer than a cut's mark is shown whole, in characters."""

FORMS: dict[str, tuple[str, str]] = {
    "hermes": ("<tool_response>\n", "\n</tool_response>"),
    "mint": ("Observation:\n", ""),
    "react": ("Observation: ", ""),
}
"""The text before and after the feedback, by dialect, for dialects that have a form for it."""

_DONE = frozenset({ExecutionStatus.SUCCEEDED, ExecutionStatus.DRY_RUN})

_NO_NAME = regex(
    r"""["']?\b(?P<key>action|type)["']?\s*+:\s*+(?P<value>[-+\d.]++(?:[eE][-+]?\d++)?+|[a-z]++|[\[{])"""
)
"""An action's name that is not text."""

Correct = Callable[[ActionCall, bool, str], str]
"""Returns what is wrong with a rejected action of a response, given as its text, and, if requested, its correct form."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """One entry of the feedback."""

    text: str
    result: str | None = None
    first: int | None = None


def say_what_is_wrong(call: ActionCall, _with_format: bool, _text: str) -> str:
    """Return what is wrong with a rejected action, without its correct form."""
    errors = " ".join(error.message for error in call.errors)
    return _on_one_line(errors or (SENTENCES[call.reason] if call.reason else ""))


def render(
    result: ParseResult,
    observations: Sequence[Observation],
    *,
    correct: Correct = say_what_is_wrong,
    mend: Mend = lambda _result: "",
    note: str = "",
    limits: Limits = STANDARD_LIMITS,
) -> str:
    """Return the feedback to the model: an entry for each action and each issue in an intended call, none for mere examples; empty without any."""
    entries = list(_entries(result, observations, correct, mend))
    if not entries and not note:
        return ""
    before, behind = FORMS.get(_dialect(result), ("", ""))
    text = "\n".join(
        filter(None, (_fitted(entries, limits.feedback - len(note), limits.result), _on_one_line(note)))
    )
    closer = behind.strip()
    # A result must not close the form that contains it.
    told = text.replace(closer, closer.replace("</", "<\\/")) if closer else text
    return mask_text(before + told + behind)


def _dialect(result: ParseResult) -> str:
    """Return the dialect of a response's actions, if they all have the same."""
    dialects = {call.dialect for call in result.actions}
    return dialects.pop() if len(dialects) == 1 else ""


def _entries(
    result: ParseResult, observations: Sequence[Observation], correct: Correct, mend: Mend
) -> Iterator[_Entry]:
    has_spoken = bool(result.narrative.strip()) or any(call.status.is_plannable for call in result.actions)
    for issue in result.unread:
        if has_spoken and issue.code is Reason.REASONING and issue.detail == MENTIONED:
            continue  # thoughts that weigh a call, before the model decides otherwise
        yield _Entry(
            _on_one_line(mask_text(f"{'Note' if issue.code.is_note else 'Not read'}: {issue.message}"))
        )
    if how := mend(result):
        yield _Entry(_cut(mask_text(how), MAX_LINE))
    seen = {observation.action_index: observation for observation in observations}
    corrected: set[str] = set()
    for index, call in enumerate(result.actions):
        if call.status is ActionStatus.ILLUSTRATION:
            continue
        if index in seen:
            yield _observed(index, seen[index])
            if seen[index].status in _DONE and (noticed := notice(call)):
                yield _Entry(_cut(mask_text(noticed), MAX_LINE))
        elif not call.status.is_plannable:
            head = _on_one_line(f"Action {index + 1} ({call.name[:100] or 'unnamed'}) refused")
            if not call.name and (given := _NO_NAME.search(call.span.of(result.text))):
                value = {"{": "an object", "[": "a list"}.get(given["value"], given["value"])
                head += f": {given['key']!r} is {value}, which is not a name"
            yield _Entry(
                _cut(f"{head}: {mask_text(correct(call, call.name not in corrected, result.text))}", MAX_LINE)
            )
            corrected.add(call.name)


def _observed(index: int, observation: Observation) -> _Entry:
    status = observation.status.value.replace("_", " ")
    head = _on_one_line(f"Action {index + 1} ({observation.name[:100]}) {status}")
    has_result = observation.status is ExecutionStatus.SUCCEEDED or (
        observation.status is ExecutionStatus.DRY_RUN and observation.result is not None
    )
    said = _on_one_line(mask_text(observation.message))
    if observation.status is ExecutionStatus.DRY_RUN:
        head += ", nothing was done"
        said += " It would give" if said and has_result else ""
    if observation.status is ExecutionStatus.INTERRUPTED:
        said += " What it has done is not known: look first, and do what is still to be done."
    if has_result and (file := _file(observation.result)):
        lines, first, content = file
        what = f"{observation.result['path']}, {lines}"
        text = mask_text(content)
        if observation.result.get("line_numbers") is True:
            what += ", each behind its number, which is not part of it"
            text = _numbered(text, first)
        return _Entry(_cut(f"{head}: {_on_one_line(mask_text(what))}:\n", MAX_LINE), text, first)
    if has_result:
        told = f"{head}: {said}" if said else head
        return _Entry(f"{_cut(told, MAX_LINE)}: ", mask(json_text(observation.result).encode()).decode())
    return _Entry(_cut(f"{head}: {said}", MAX_LINE))


def _file(result: object) -> tuple[str, int, str] | None:
    """Return a result's line range in words, its first line's number, and its text; None if it is not part of a file."""
    if not isinstance(result, dict) or not isinstance(result.get("path"), str):
        return None
    content, first, last = result.get("content"), result.get("first_line"), result.get("last_line")
    if not isinstance(content, str):
        return None
    if isinstance(first, int) and isinstance(last, int):
        lines = result.get("lines", last)
        if first > last:
            return f"{counted(lines, 'line')}, none of them from line {first:,}", first, content
        rest = f" (read on with first_line {last + 1})" if last < lines else ""
        return f"lines {first:,} to {last:,} of {lines:,}{rest}", first, content
    return counted(len(content.splitlines()), "line"), 1, content


def _numbered(text: str, first: int) -> str:
    """Return a text with a number and a tab before each line."""
    lines = text.splitlines(keepends=True)
    width = len(str(first + len(lines) - 1))
    return "".join(f"{number:>{width}}\t{line}" for number, line in enumerate(lines, first))


def _fitted(entries: Sequence[_Entry], budget: int, most: int) -> str:
    """Return the entries in order, within the limit; a result gets at most ``most`` characters."""
    shown: set[int] = set()
    # Failures get space first; then the beginning of each result.
    for place in sorted(range(len(entries)), key=lambda place: entries[place].result is not None):
        least = len(entries[place].text) + 1 + min(_MARK, len(entries[place].result or ""))
        if least > budget:
            break
        shown.add(place)
        budget -= least
    results = [len(entries[place].result or "") for place in shown]
    share = min(most, _fair_share(results, budget))
    lines = [_shortened(entries[place], share) for place in sorted(shown)]
    if len(shown) < len(entries):
        lines.append(f"… (cut: {len(entries) - len(shown):,} of {len(entries):,} lines are not shown)")
    return "\n".join(lines)


def _shortened(entry: _Entry, share: int) -> str:
    if entry.result is None:
        return entry.text
    if entry.first is not None:
        return entry.text + _fenced(*_first_lines(entry.result, share, entry.first))
    return entry.text + _cut(entry.result, share)


def _first_lines(text: str, length: int, first: int) -> tuple[str, str]:
    """Return as many whole lines of a file as fit, and a note on the others."""
    if len(text) <= max(length, _MARK):
        return text, ""
    end = text.rfind("\n", 0, length) + 1 or length
    shown, lines = text[:end], len(text.splitlines())
    last = first + max(1, len(shown.splitlines())) - 1
    rest = f"lines {first:,} to {last:,} of {first:,} to {first + lines - 1:,} are shown; read on with first_line {last + 1}"
    return (
        shown,
        f"\n… (cut: {rest if last < first + lines - 1 else f'{end:,} of {len(text):,} characters are shown'})",
    )


def _fenced(text: str, said: str) -> str:
    """Return a file's text in a fence that its content can't close."""
    longest = max((len(marks) for marks in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}\n{text}{'' if text.endswith(chr(10)) or not text else chr(10)}{fence}{said}"


def _fair_share(lengths: Sequence[int], budget: int) -> int:
    """Return the length to cut results to, so that all fit and none loses space to a longer one."""
    rest = max(0, budget)
    for number, length in enumerate(sorted(lengths)):
        equal = rest // (len(lengths) - number)
        if length > equal:
            return equal
        rest -= length
    return max(lengths, default=0)


def _cut(text: str, length: int) -> str:
    if len(text) <= max(length, _MARK):
        return text
    return f"{text[:length]} … (cut: {length:,} of {len(text):,} characters are shown)"


def _on_one_line(text: str) -> str:
    """Return a text as one line, because names and messages may contain text from a model or another party."""
    return text.replace("\r", " ").replace("\n", " ")


def corrector(profile: Profile) -> Correct:
    """Return a function that explains how to write a rejected action correctly under a profile."""

    def correct(call: ActionCall, with_format: bool, text: str) -> str:
        try:
            dialect = dialect_of(profile, call.dialect)
        except UsageError:  # a baseline parser has formats that can't be written
            return say_what_is_wrong(call, with_format, text)
        made = example_for(call, text, profile.catalogue, dialect)
        return correction(call, profile.catalogue, writer(dialect), with_format=with_format, example=made)

    return correct
