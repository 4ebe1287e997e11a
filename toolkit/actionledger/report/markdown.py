"""Comparisons as Markdown for a pull request's comment: limited in length, with model text only in code."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from actionledger.core.rates import shown_p
from actionledger.core.text import counted, cut, visible
from actionledger.report.comparisons import contrast_sentences, in_words, shown_ends
from actionledger.report.gates import condition_name, subject, turn_place, verdict

if TYPE_CHECKING:
    from actionledger.ledger.queries.differences import TurnDifference
    from actionledger.replay.contrasts import Contrast
    from actionledger.replay.gate.report import GateReport
    from actionledger.replay.paired import PairedComparison

MOST_CHARACTERS = 60_000
"""Maximum length of a comment in characters: GitHub allows 65,536."""

_SHOWN = 20
_LINES = 10
_LONGEST = 200


def code(text: str) -> str:
    """Return a text as inline code on one line that the text can't end."""
    shown = visible(text) or " "
    marks = "`" * (1 + max((len(run) for run in re.findall("`+", shown)), default=0))
    return f"{marks} {shown} {marks}" if "`" in shown or shown.strip() != shown else f"{marks}{shown}{marks}"


def gate_markdown(gate: "GateReport") -> str:
    """Return a gate as Markdown: the verdict, a table of conditions, and some of the turns that count against the candidate."""
    return bounded(_lines(gate))


def comparison_markdown(
    comparison: "PairedComparison", success: Sequence[str], differences: "Sequence[TurnDifference]"
) -> str:
    """Return two parses of the same turns as Markdown: the change in success, the buckets, and some turns field by field."""
    return bounded(_compared(comparison, success, differences))


def contrast_markdown(contrast: "Contrast", why: str, meanings: Mapping[str, str]) -> str:
    """Return two compared sets of responses as Markdown."""
    return bounded(_contrasted(contrast, why, meanings))


def bounded(lines: Iterator[str]) -> str:
    """Return as many lines as a comment can hold, with a note if some are left out."""
    kept, left, length = list[str](), 0, 0
    for line in lines:
        length += len(line) + 1
        if length > MOST_CHARACTERS:
            left += 1
        else:
            kept.append(line)
    if left:
        kept += ["", f"… and {left:,} more lines."]
    return "\n".join(kept) + "\n"


def _lines(gate: "GateReport") -> Iterator[str]:
    candidate, baseline, pairs = subject(gate)
    yield f"### {verdict(gate)}"
    yield ""
    yield f"{code(candidate)} against {code(baseline)}, over {pairs}."
    yield ""
    yield "| | condition | asked | found |"
    yield "|---|---|---|---|"
    for each in gate.conditions:
        mark = "✅" if each.passed else "❌"
        yield f"| {mark} | {condition_name(each.name)} | {each.asked} | {each.found} |"
    if gate.notes:
        yield ""
        yield from (f"- {code(cut(note, 10 * _LONGEST))}" for note in gate.notes)
    if gate.worse:
        yield ""
        yield "<details><summary>Turns that count against it</summary>"
        yield ""
        for turn in gate.worse[:_SHOWN]:
            yield f"- {condition_name(turn.condition)}: {code(turn_place(turn))} {turn.before.said} → {turn.after.said}"
            for line in turn.detail.splitlines()[:_LINES]:
                if line.strip():
                    yield f"  - {code(cut(line.strip(), _LONGEST))}"
        if len(gate.worse) > _SHOWN:
            yield f"- … and {len(gate.worse) - _SHOWN:,} more"
        yield ""
        yield "</details>"


def _compared(
    comparison: "PairedComparison", success: Sequence[str], differences: "Sequence[TurnDifference]"
) -> Iterator[str]:
    yield f"{counted(comparison.pairs, 'turn')} that both have read."
    yield ""
    yield from (f"- {line}" for line in success)
    yield ""
    yield "| what changed | turns |"
    yield "|---|---:|"
    for bucket, count in comparison.counts.items():
        yield f"| {in_words(bucket)} | {count:,} |"
    if differences:
        yield ""
    for difference in differences:
        first, *rest = str(difference).splitlines()
        yield f"- {code(cut(first, _LONGEST))}"
        yield from (f"  - {code(cut(line.strip(), _LONGEST))}" for line in rest[:_LINES])


def _contrasted(contrast: "Contrast", why: str, meanings: Mapping[str, str]) -> Iterator[str]:
    yield why
    yield ""
    yield "| measure | before | after | difference (95 %) | p, by Holm |"
    yield "|---|---|---|---|---|"
    for measure in contrast.measures:
        p_value = "–" if measure.p_value is None else shown_p(measure.p_value)
        shown = shown_ends(measure.difference)
        yield f"| {meanings[measure.name]} | {measure.before} | {measure.after} | {shown} | {p_value} |"
    yield ""
    yield from (f"- {line}" for line in contrast_sentences(contrast))
