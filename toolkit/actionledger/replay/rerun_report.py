"""Find where a rerun diverges from the recorded session, field by field, and report on all sessions run again."""

import difflib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from actionledger.core.hooks import drawn
from actionledger.replay.rerun_course import SENTENCES, ActionTrace, Effect, TurnTrace, WhyNot
from actionledger.runtime.session.states.capture import SkippedPath

_MOST = 200
"""Maximum number of reported divergences per turn."""


class Cause(StrEnum):
    """The cause of a divergence.

    Example:
        >>> [str(cause) for cause in al.Cause]
        ['change', 'since_recording', 'nondeterminism']
    """

    CHANGE = "change"
    SINCE_RECORDING = "since_recording"
    NONDETERMINISM = "nondeterminism"


@dataclass(frozen=True, slots=True)
class Divergence:
    """One place where a rerun diverges from the record.

    Args:
        turn_index: the turn's place in its session, from 0.
        action_index: the action's place among its response's actions, from 0; None for the turn as a whole.
        action: the action's name; empty for the turn as a whole.
        field: the field that differs: ``outcome``, ``name``, ``arguments.…``, ``status``, ``result.…``, ``message``, ``effects:PATH``, ``feedback``.
        recorded: the recorded value, as JSON; None if missing.
        rerun: the rerun's value, likewise.
        diff: for a file or a longer text, the unified diff from the recorded one; else empty.
        cause: its cause.

    Example:
        >>> actions = al.ActionSet("greeting")
        >>> @actions.action(example={"name": "Ada"})
        ... def greet(name: str) -> str:
        ...     "Greet somebody."
        ...     return f"Hello {name}"
        >>> greeting = al.custom_profile("greeting", actions=actions, dialects=["hermes"])
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime(greeting, ledger=ledger) as runtime:
        ...         turn = runtime.handle(al.render([("greet", {"name": "Ada"})], "hermes"))
        ...     shorter = {"greet": lambda action, context: f"Hi {action.name}"}
        ...     report = al.rerun(ledger, runtime.session_id, profile=greeting, handlers=shorter)
        >>> parted = report.sessions[0].divergences[0]
        >>> parted.field, str(parted.cause)
        ('result', 'change')
    """

    turn_index: int
    action_index: int | None
    action: str
    field: str
    recorded: Any
    rerun: Any
    diff: str = ""
    cause: Cause = Cause.SINCE_RECORDING

    @property
    def place(self) -> tuple[int, int | None, str]:
        """Its place: a divergence at the same place in another rerun counts as the same one."""
        return self.turn_index, self.action_index, self.field


def divergences(recorded: Mapping[int, TurnTrace], rerun: Mapping[int, TurnTrace]) -> Iterator[Divergence]:
    """Yield the divergences of a rerun from a record, in the order in which they happened."""
    for index in sorted({*recorded, *rerun}):
        old = recorded.get(index, TurnTrace())
        new = rerun.get(index, TurnTrace())
        if old.outcome != new.outcome:
            yield Divergence(index, None, "", "outcome", old.outcome, new.outcome)
        places = sorted({*old.actions, *new.actions})
        for place in places:
            yield from _action(index, place, old.actions.get(place), new.actions.get(place))
            for group in sorted({*old.effects, *new.effects}):
                if group and group[-1] == place:
                    yield from _effects(index, place, old, new, group)
        for group in sorted({*old.effects, *new.effects}):
            if not group or group[-1] not in places:
                yield from _effects(index, None, old, new, group)
        if old.feedback != new.feedback:
            yield Divergence(
                index,
                None,
                "",
                "feedback",
                old.feedback,
                new.feedback,
                _text_diff(old.feedback, new.feedback),
            )


def _action(index: int, place: int, old: ActionTrace | None, new: ActionTrace | None) -> Iterator[Divergence]:
    name = (old or new or ActionTrace("", None, "")).name
    if old is None or new is None:
        yield Divergence(index, place, name, "name", old.name if old else None, new.name if new else None)
        return
    was = {"name": old.name, "arguments": old.arguments, "check": old.status, **old.execution}
    now = {"name": new.name, "arguments": new.arguments, "check": new.status, **new.execution}
    for field in dict.fromkeys((*was, *now)):
        for path, before, after in _values(field, was.get(field), now.get(field)):
            diff = _text_diff(before, after) if isinstance(before, str) and "\n" in before else ""
            yield Divergence(index, place, name, path, before, after, diff)


def _effects(
    index: int, place: int | None, old: TurnTrace, new: TurnTrace, group: tuple[int, ...]
) -> Iterator[Divergence]:
    was, now = old.effects.get(group, {}), new.effects.get(group, {})
    action = old.actions.get(place) or new.actions.get(place) if place is not None else None
    for path in sorted({*was, *now}):
        before, after = was.get(path), now.get(path)
        if before != after:
            diff = (before or Effect(None)).diff_to(path, after)
            name = action.name if action else ""
            yield Divergence(
                index,
                place,
                name,
                f"effects:{path}",
                before.after if before else None,
                after.after if after else None,
                diff,
            )


def _values(path: str, before: Any, after: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield the paths at which two JSON values differ, as deep as they have the same structure."""
    if before == after and type(before) is type(after):
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for name in dict.fromkeys((*before, *after)):
            yield from _values(f"{path}.{name}", before.get(name), after.get(name))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, pair in enumerate(zip(before, after, strict=True)):
            yield from _values(f"{path}[{number}]", *pair)
    else:
        yield path, before, after


def _text_diff(before: Any, after: Any) -> str:
    if not isinstance(before, str) or not isinstance(after, str):
        return ""
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), "recorded", "rerun", lineterm="", n=2
    )
    return "\n".join(list(lines)[:_MOST])


@dataclass(frozen=True, slots=True)
class TurnVerdict:
    """The verdict on the rerun of one turn.

    Args:
        index: its place in the session, from 0.
        verdict: ``same``, ``diverged`` for the first turn that differs, or ``not_comparable`` after it, since the state differs from there on.
    """

    index: int
    verdict: Literal["same", "diverged", "not_comparable"]


@dataclass(frozen=True, slots=True)
class SessionRerun:
    """The verdict on the rerun of one session.

    Args:
        session_id: the session.
        refusal: why it was not run again; None if it was.
        detail: the same as a sentence.
        turns: each turn with its verdict.
        first: the first divergence; None without one.
        divergences: all divergences of that turn, in order.
        unstable: the differences up to that turn that also occur without the requested change.
        performed: number of executions run again.
        from_record: number of executions that got their recorded results, because they have external effects or were interrupted.
        left_out: the parts of the workspace that could not be restored.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turn = runtime.handle(al.render([("create_task", {"content": "Call Ada"})], "actions"))
        ...     [shown] = al.rerun(ledger, runtime.session_id).sessions
        >>> shown.verdict, shown.performed, [turn.verdict for turn in shown.turns]
        ('identical', 1, ['same'])
    """

    session_id: str
    refusal: WhyNot | None = None
    detail: str = ""
    turns: tuple[TurnVerdict, ...] = ()
    first: Divergence | None = None
    divergences: tuple[Divergence, ...] = ()
    unstable: tuple[Divergence, ...] = ()
    performed: int = 0
    from_record: int = 0
    left_out: tuple[SkippedPath, ...] = ()

    @property
    def verdict(self) -> Literal["refused", "identical", "diverged"]:
        """The verdict in one word."""
        if self.refusal is not None:
            return "refused"
        return "identical" if self.first is None else "diverged"


@dataclass(frozen=True, slots=True)
class RerunReport:
    """The report of a rerun.

    Args:
        run_id: the run that records it.
        sessions: the verdict on each session.
        seconds: how long it took.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turn = runtime.handle(al.render([("create_task", {"content": "Call Ada"})], "actions"))
        ...     report = al.rerun(ledger, runtime.session_id)
        >>> report.counts
        {'identical': 1, 'diverged': 0, 'refused': 0}
    """

    run_id: str
    sessions: tuple[SessionRerun, ...]
    seconds: float

    @property
    def counts(self) -> dict[str, int]:
        """Number of sessions that are identical, diverged or refused."""
        found = Counter(each.verdict for each in self.sessions)
        return {verdict: found[verdict] for verdict in ("identical", "diverged", "refused")}

    @property
    def refusals(self) -> dict[str, int]:
        """Number of refused sessions by reason."""
        return dict(
            Counter(str(each.refusal) for each in self.sessions if each.refusal is not None).most_common()
        )

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {name}" for name, count in self.counts.items())
        return f"<RerunReport {len(self.sessions)} sessions: {counts}>"

    def __str__(self) -> str:
        return drawn(self, "text", {str(reason): sentence for reason, sentence in SENTENCES.items()})

    def _repr_html_(self) -> str:
        return drawn(self, "html", {str(reason): sentence for reason, sentence in SENTENCES.items()})
