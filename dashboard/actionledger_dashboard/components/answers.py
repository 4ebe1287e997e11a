"""The result of a comparison in one sentence, with the facts behind it. Pure, except for the component that shows it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from actionledger.core.rates import TOO_FEW, Rate, shown_p, shown_share
from actionledger.core.text import counted
from actionledger.replay.contrasts import Contrast, Measure
from actionledger.replay.paired import PairedComparison
from actionledger.report.drawing import interval
from actionledger_dashboard.components.controls import mount_of
from actionledger_dashboard.components.sides import Sides
from actionledger_dashboard.components.wording import pieces

Facts: TypeAlias = list[tuple[str, str]]
"""The facts behind an answer: a name and a text each."""

NOT_BOTH = "One side has nothing that meant to act and can be audited."
"""The reason why no side can be called better."""

_ANSWERS = {
    "parse_success": "parsed",
    "recorded_execution": "of tool calls succeeded",
    "execution": "of executions by actionledger succeeded",
}
"""The rates that can answer, with their words in the sentence; the first one that both sides have is used."""

_SURE = 0.05

_mount = mount_of("answer")


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether the second side is better."""

    verdict: str  # in a word or two
    look: str  # the verdict's look: good, bad or idle
    headline: str  # the change, in a sentence


def answer_of(
    before: Rate,
    after: Rate,
    difference: tuple[float, float] | None,
    p_value: float | None,
    *,
    did: str = "parsed",
) -> Answer:
    """Return whether the second rate is better; it is only if test and interval agree."""
    if before.value is None or after.value is None:
        return Answer("no answer", "idle", NOT_BOTH)
    change = after.value - before.value
    said = f"{before.shown_value} {did} before, {after.shown_value} after: {points(change)} points"
    if difference is None or p_value is None:
        return Answer("inconclusive", "idle", f"{said}, from {TOO_FEW} to tell that from chance.")
    low, high = difference
    said += f" ({points(low)} to {points(high)}, 95 %), {shown_p(p_value)}."
    if p_value < _SURE and low > 0:
        return Answer("better", "good", said)
    if p_value < _SURE and high < 0:
        return Answer("worse", "bad", said)
    return Answer("may be chance", "idle", said)


def show_paired(found: PairedComparison, sides: Sides) -> None:
    """Show the answer for paired turns, with the two-by-two table."""
    answer = answer_of(found.before, found.after, found.difference, found.p_value)
    _show(answer, paired_facts(found), _grid(found, sides))


def paired_facts(found: PairedComparison) -> Facts:
    """Return the facts behind the answer for paired turns."""
    only_one = found.counts["newly_intent"] + found.counts["no_longer_intent"]
    turns, sessions = counted(found.intent, "turn"), counted(found.net.sessions, "session")
    facts = [
        ("Compared", f"{turns} that meant to act in both, in {sessions}"),
        ("Before", f"{found.before.shown_value} parsed ({interval(found.before)})"),
        ("After", f"{found.after.shown_value} parsed ({interval(found.after)})"),
        ("Difference", f"{in_points(found.difference)}, 95 %, of what the sign-flip test leaves possible"),
        ("By the bootstrap", f"{in_points(found.resampled)}, 95 %, drawn by sessions"),
        ("Sign-flip test", f"{shown_p(found.p_value)}, over sessions"),
        (
            "Exact McNemar test",
            f"{shown_p(found.p_value_by_turn)}, as if the turns of a session were independent",
        ),
        ("Design effect", f"{found.design_effect:.2f}"),
    ]
    if only_one:
        said = f"{counted(only_one, 'turn')} that meant to act in only one of the two: neither won nor lost"
        facts.append(("In no rate", said))
    if found.unpaired_before or found.unpaired_after:
        said = f"{found.unpaired_before:,} read only before, {found.unpaired_after:,} only after"
        facts.append(("Without a pair", said))
    return facts


def show_contrast(found: Contrast) -> None:
    """Show the answer for two sides that share no turns."""
    _show(contrast_answer(found), contrast_facts(found), None)


def contrast_answer(found: Contrast) -> Answer:
    """Return which of two sides parses better or, if that is unknown for one of them, executes better."""
    measure = _answering(found)
    if measure is None:
        return Answer("no answer", "idle", NOT_BOTH)
    did = _ANSWERS[measure.name]
    return answer_of(measure.before, measure.after, measure.difference, measure.p_value, did=did)


def _answering(found: Contrast) -> Measure | None:
    both = {
        each.name: each
        for each in found.measures
        if each.before.value is not None and each.after.value is not None
    }
    return next((both[name] for name in _ANSWERS if name in both), None)


def contrast_facts(found: Contrast) -> Facts:
    """Return the facts besides the measures of two sides that share no turns."""
    responses = f"{found.before.responses:,} before, {found.after.responses:,} after"
    facts = [("Compared", f"different turns on each side, compared as independent samples: {responses}")]
    measure = _answering(found)
    if measure is not None and measure.name != "parse_success" and not any(found.not_auditable):
        facts.append(("Parsed", f"no answer: {NOT_BOTH[0].lower()}{NOT_BOTH[1:-1]}"))
    if found.tasks is None:
        facts.append(("Shared tasks", "none, so that nothing says whether both sides were asked alike"))
    else:
        tasks = found.tasks
        facts += [
            (
                "Shared tasks",
                f"{tasks.tasks:,}; only before {tasks.only_before:,}, only after {tasks.only_after:,}",
            ),
            (
                "Over those",
                f"{points(tasks.mean)} points a task ({in_points(tasks.difference)}), {shown_p(tasks.p_value)} by sign-flip over tasks",
            ),
        ]
    if any(found.not_auditable):
        before, after = found.not_auditable
        facts.append(
            (
                "Not auditable",
                f"{before:,} before, {after:,} after: their recordings have the calls, not how they were written",
            )
        )
    return facts


def points(change: float) -> str:
    """Return a change of a share in percentage points, with its sign."""
    return f"{100 * change:+.1f}".replace("-", "−")


def in_points(difference: tuple[float, float] | None) -> str:
    """Return the interval of a difference in percentage points, or that there are too few turns."""
    return TOO_FEW if difference is None else f"{points(difference[0])} to {points(difference[1])} points"


def _grid(found: PairedComparison, sides: Sides) -> dict[str, Any] | None:
    if not found.intent:
        return None
    lost, won = found.only_before, found.only_after
    both = found.before.successes - lost
    neither = found.intent - both - lost - won
    cell = _cell_of(found.intent, sides)
    return {
        "label": "turns that meant to act in both readings, by which read them whole",
        "columns": ["after: parsed", "after: not parsed"],
        "rows": [
            {"label": "before: parsed", "cells": [cell(both, "both parsed"), cell(lost, "lost", "bad")]},
            {
                "label": "before: not parsed",
                "cells": [cell(won, "recovered", "good"), cell(neither, "neither")],
            },
        ],
    }


def _cell_of(whole: int, sides: Sides) -> Any:
    def cell(count: int, words: str, look: str = "") -> dict[str, str]:
        href = sides.href(bucket=words) if look and count else ""
        return {
            "count": f"{count:,}",
            "words": f"{words} · {shown_share(count / whole)}",
            "look": look,
            "href": href,
        }

    return cell


def _show(answer: Answer, facts: Sequence[tuple[str, str]], grid: dict[str, Any] | None) -> None:
    data = {
        "verdict": answer.verdict,
        "look": answer.look,
        "headline": pieces(answer.headline),
        "grid": grid,
        "facts": [(name, pieces(said)) for name, said in facts],
    }
    _mount(key="answer", data=data)
