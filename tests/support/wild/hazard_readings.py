"""What a reading, and a runtime, make of a text with a hazard in it, and whether that is a fault."""

import dataclasses
import json
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from types import TracebackType
from typing import Any, Self

import actionledger as al
from wild.hazard_calls import DELETE, TOOLS, Call, plainly
from wild.hazard_texts import Hazard
from wild.silence import Place

MODES = ("its dialect, tools", "auto, tools", "its dialect, no tools", "a runtime of its dialect")
"""In which ways each text is read; in the last one it is also run."""

_WITHOUT_TOOLS = MODES[2]

RAN, OTHERWISE, TWICE, SILENT, DIFFERS = (
    "ran, not meant",
    "ran otherwise",
    "ran twice",
    "silent",
    "run and reading differ",
)
FAULTS = (RAN, OTHERWISE, TWICE, SILENT, DIFFERS)
"""What is never to be: a call that ran though none of its tool was meant, with other arguments, more than once; one that
nothing is said of; and a runtime that runs something else than the reading says."""


@dataclass(frozen=True)
class Verdict:
    """What was made of a text.

    Args:
        hazard: the text.
        mode: in which way it was read.
        outcome: the first of these that is so: it runs, waits, is ambiguous, failed, is shown, is silent where nothing says
            that there is a call at all, or silent.
        faults: those of ``FAULTS`` that it has.
        runs: the calls that may run, as they were read.
        seen: the reading in a line.
    """

    hazard: Hazard
    mode: str
    outcome: str
    faults: tuple[str, ...]
    runs: tuple[Call, ...]
    seen: str

    @property
    def title(self) -> str:
        """What it is of, in a line."""
        return f"{self.hazard.dialect}, {self.hazard.kind}, {self.hazard.variant} ({self.mode})"


def verdict(hazard: Hazard, mode: str) -> Verdict:
    """Read a text in one of the first ``MODES`` and judge what is read."""
    dialects: Any = "auto" if mode == MODES[1] else [hazard.dialect]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = al.parse(hazard.text, dialects=dialects, tools=None if mode == _WITHOUT_TOOLS else TOOLS)
    return _judged(hazard, mode, result)


def _judged(hazard: Hazard, mode: str, result: al.ParseResult) -> Verdict:
    runs = tuple(Call(call.name, call.arguments) for call in result.actions if call.status.is_runnable)
    silent = [place for place in hazard.places if not _is_said(result, place)]
    is_unheard = mode == _WITHOUT_TOOLS and not (hazard.is_named and _reads_without_tools(hazard.dialect))
    faults = wrong_runs(runs, hazard.meant, with_types=mode in MODES[:2])
    if silent and not is_unheard:
        faults.append(SILENT)
    actions = [(str(call.status), call.name, call.arguments) for call in result.actions]
    issues = [(str(issue.code), issue.span and tuple(issue.span)) for issue in result.issues]
    outcome = _outcome(result, runs) or ("silent" if silent and not is_unheard else "unheard")
    seen = f"{result.outcome}: {actions} {issues}"
    return Verdict(hazard, mode, outcome, tuple(dict.fromkeys(faults)), runs, seen)


@cache
def _reads_without_tools(dialect: str) -> bool:
    """Whether a dialect finds a call of which nobody knows that there is such a tool."""
    return bool(al.parse(plainly(dialect, DELETE), dialects=[dialect]).actions)


def _outcome(result: al.ParseResult, runs: Sequence[Call]) -> str:
    """Return what came of it all; empty where nothing is said."""
    statuses = {str(call.status) for call in result.actions}
    if runs:
        return "runs"
    if "needs_approval" in statuses:
        return "waits"
    if any(str(block.status) == "malformed" and str(block.reason) == "ambiguous" for block in result.blocks):
        return "ambiguous"
    has_issue = any(issue.span for issue in result.issues)
    if statuses & {"invalid", "unknown"} or (has_issue and str(result.outcome) in {"failed", "partial"}):
        return "failed"
    is_shown = "illustration" in statuses or any(str(block.reason) == "example" for block in result.blocks)
    return "shown" if is_shown or has_issue else ""


def _is_said(result: al.ParseResult, place: Place) -> bool:
    """Whether a reading says something of a place: an action, an issue, or a block that is an example or can't be read."""
    said = [Place(*call.span) for call in result.actions]
    said += [Place(*issue.span) for issue in result.issues if issue.span is not None]
    said += [
        Place(*block.span)
        for block in result.blocks
        if block.reason is not None and str(block.reason) not in {"reasoning", "not_an_action"}
    ]
    return any(
        place.start < max(each.end, each.start + 1) and each.start < max(place.end, place.start + 1)
        for each in said
    )


def wrong_runs(runs: Sequence[Call], meant: Sequence[Call], *, with_types: bool) -> list[str]:
    """Return the faults of what runs."""
    left, faults = list(meant), []
    for run in runs:
        equal = next((call for call in left if is_equal(run, call, with_types=with_types)), None)
        if equal is not None:
            left.remove(equal)
        elif any(is_equal(run, call, with_types=with_types) for call in meant):
            faults.append(TWICE)
        else:
            faults.append(OTHERWISE if any(run.name == call.name for call in meant) else RAN)
    return faults


def is_equal(one: Call, other: Call, *, with_types: bool = True) -> bool:
    """Whether two calls are the same."""
    as_text = json.dumps if with_types else _as_text
    return one.name == other.name and _written(one, as_text) == _written(other, as_text)


def _written(call: Call, as_text: Any) -> dict[str, str]:
    return {name: as_text(value) for name, value in call.arguments.items()}


def _as_text(value: Any) -> str:
    return value.lower() if isinstance(value, str) else json.dumps(value).lower()


class Recorder:
    """A runtime of the tools that are offered, which write down what is asked of them and do nothing.

    Args:
        dialect: how its responses are read.
    """

    def __init__(self, dialect: str) -> None:
        self._ran: list[Call] = []
        profile = al.custom_profile("hazards", actions=self._actions(), dialects=[dialect])
        limits = profile.repetition
        none = {
            field.name: None
            for field in dataclasses.fields(limits)
            if isinstance(getattr(limits, field.name), type(limits.same_action))
        }
        self._profile = dataclasses.replace(profile, repetition=dataclasses.replace(limits, **none))
        self._runtime: al.Runtime | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def verdict(self, hazard: Hazard, *, is_asked: bool) -> Verdict:
        """Read a text as the runtime does, and judge it; run it too, and judge what ran, where that is asked, or where a fault runs."""
        found = _judged(hazard, MODES[3], al.parse(hazard.text, profile=self._profile))
        if not is_asked and not set(found.faults) - {SILENT}:
            return found
        waiting = self._run(hazard.text)
        wrong = wrong_runs([_as_given(call) for call in self._ran], hazard.meant, with_types=True)
        if not _are_same(self._ran, found.runs, waiting):
            wrong.append(DIFFERS)
        faults = tuple(dict.fromkeys((*found.faults, *wrong)))
        return dataclasses.replace(found, faults=faults, seen=f"{found.seen} ran: {self._ran}")

    def _run(self, text: str) -> list[str]:
        """Hand a text to the runtime; return the names of the actions that wait for a person there."""
        self._ran.clear()
        if self._runtime is None:
            self._runtime = al.Runtime(self._profile, auto=True, manifest=False)
        turn = self._runtime.handle(text)
        if turn.stopped or any(str(each.status) != "succeeded" for each in turn.observations):
            self._close()
        return [each.name for each in turn.observations if str(each.status) == "pending"]

    def _close(self) -> None:
        if self._runtime is not None:
            self._runtime.close()
            self._runtime = None

    def _actions(self) -> al.ActionSet:
        ran, actions = self._ran, al.ActionSet("hazards")

        @actions.action(example={"path": "a", "text": "b"})
        def write_file(path: str, text: str) -> str:
            "Write a file."
            ran.append(Call("write_file", {"path": path, "text": text}))
            return "done"

        @actions.action(example={"path": "a"})
        def delete_file(path: str) -> str:
            "Delete a file."
            ran.append(Call("delete_file", {"path": path}))
            return "done"

        @actions.action(example={"table": "a"})
        def delete_rows(table: str, limit: int = -1, dry_run: bool = False) -> str:
            "Delete rows."
            ran.append(Call("delete_rows", {"table": table, "limit": limit, "dry_run": dry_run}))
            return "done"

        @actions.action(example={"query": "a"})
        def search(query: str) -> str:
            "Search."
            ran.append(Call("search", {"query": query}))
            return "done"

        @actions.action(example={"text": "a"})
        def put_note(text: str, count: int = -1) -> str:
            "Put a note."
            ran.append(Call("put_note", {"text": text, "count": count}))
            return "done"

        return actions


DEFAULTS = {"limit": -1, "dry_run": False, "count": -1}
"""What the functions have for arguments that are left out."""


def _as_given(call: Call) -> Call:
    """Return a call without what its function has by itself."""
    given = {name: value for name, value in call.arguments.items() if DEFAULTS.get(name, ...) != value}
    return Call(call.name, given)


def _are_same(ran: Sequence[Call], promised: Sequence[Call], waiting: Sequence[str]) -> bool:
    """Whether what ran is what was read as runnable, but for what the runtime has a person decide on."""
    left = [_as_text_only(call) for call in promised]
    for call in map(_as_text_only, ran):
        if call not in left:
            return False
        left.remove(call)
    return not Counter(call.name for call in left) - Counter(waiting)


def _as_text_only(call: Call) -> Call:
    return Call(call.name, _written(_as_given(call), _as_text))
