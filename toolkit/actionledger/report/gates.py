"""A gate's verdict and its reasons: as HTML for a notebook, as lines for a terminal, as JUnit XML for continuous integration."""

from collections.abc import Iterator
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from actionledger.core.html import chip, escaped, frame, heading
from actionledger.core.tables import Markup, box
from actionledger.core.text import counted, cut, laid_out, visible
from actionledger.report.comparisons import in_words

if TYPE_CHECKING:
    from actionledger.replay.gate.report import GateReport, WorseTurn

SHOWN = 20
"""Maximum number of turns shown, over all conditions."""

_LONGEST = 200
_LINES = 4
"""Maximum number of lines shown per turn's difference in a terminal: 'compare --show' has all of it."""
_NAMES = {
    "acting": "turns that meant to act",
    "changed": "other actions or arguments",
    "not_worse": "not worse",
    "read_again": "read again",
    "texts_found": "texts found",
}


def condition_name(name: str) -> str:
    """Return a condition's display name."""
    return _NAMES.get(name) or in_words(name)


def verdict(gate: "GateReport") -> str:
    """Return whether it passes, and if not, how many conditions fail."""
    if gate.passed:
        return "The gate passes"
    if gate.lacks_evidence:
        return "The gate does not pass: too little evidence"
    failed = sum(not condition.passed for condition in gate.conditions)
    return f"The gate does not pass: {failed:,} of {counted(len(gate.conditions), 'condition')} not met"


def subject(gate: "GateReport") -> tuple[str, str, str]:
    """Return the candidate, the baseline and the number of turns, each as one line."""
    pairs = counted(gate.comparison.pairs, "turn")
    return visible(cut(gate.candidate, _LONGEST)), visible(cut(gate.baseline, _LONGEST)), pairs


def turn_place(turn: "WorseTurn") -> str:
    """Return a turn's place as one line."""
    return f"{visible(cut(turn.session, _LONGEST))}#{turn.turn_index}"


def gate_line(gate: "GateReport") -> str:
    return f"<GateReport {verdict(gate)}>"


def gate_text(gate: "GateReport") -> str:
    """Return a gate as lines: the verdict, each condition with its numbers, and turns that count against the candidate."""
    return "\n".join(_lines(gate))


def gate_html(gate: "GateReport") -> str:
    """Return a gate as a display."""
    candidate, baseline, pairs = subject(gate)
    top = heading(
        "Gate",
        chip("passes", "good")
        if gate.passed
        else chip("too little evidence", "fair")
        if gate.lacks_evidence
        else chip("does not pass", "bad"),
        f"<b>{escaped(candidate)}</b> against {escaped(baseline)}",
        escaped(pairs),
    )
    rows = [
        (
            Markup(chip("met", "good") if each.passed else chip("not met", "bad")),
            condition_name(each.name),
            each.asked,
            each.found,
        )
        for each in gate.conditions
    ]
    turns = [
        (
            condition_name(each.condition),
            turn_place(each),
            each.before,
            each.after,
            cut(each.detail, _LONGEST),
        )
        for each in gate.worse[:SHOWN]
    ]
    notes = "".join(f'<div class="al-foot">{escaped(note)}</div>' for note in gate.notes)
    shown = box(("counts as", "turn", "before", "after", "what differs"), turns, mono=frozenset({1, 4}))
    return frame(top, box(("", "condition", "asked", "found"), rows), shown if turns else "", notes)


def _lines(gate: "GateReport") -> Iterator[str]:
    candidate, baseline, pairs = subject(gate)
    yield f"{verdict(gate)}: {candidate} against {baseline}, over {pairs}."
    names = [condition_name(condition.name) for condition in gate.conditions]
    widest = max(map(len, names), default=0)
    for name, condition in zip(names, gate.conditions, strict=True):
        met = "met    " if condition.passed else "NOT MET"
        yield f"  {met}  {name:<{widest}}  asked: {condition.asked}; found: {condition.found}"
    for note in gate.notes:
        yield visible(note)
    for turn in gate.worse[:SHOWN]:
        yield f"{condition_name(turn.condition)}: {turn_place(turn)} {turn.before.said} → {turn.after.said}"
        yield from (visible(cut(line, _LONGEST)) for line in turn.detail.splitlines()[:_LINES])
    if len(gate.worse) > SHOWN:
        yield f"… and {len(gate.worse) - SHOWN:,} more turns"


MOST_TURNS = 200
"""Maximum number of turns as testcases."""

_LONGEST_MESSAGE = 4000


def gate_junit(gate: "GateReport") -> str:
    """Return a gate as JUnit XML.

    Each condition is a testcase, and so is each turn that counts against the candidate, up to ``MOST_TURNS``. A turn is a failure
    if its condition isn't met, else skipped, as an allowed change. Characters that XML can't hold are shown as tokens.
    """
    candidate, baseline, pairs = subject(gate)
    root = ET.Element("testsuites")
    suite = ET.SubElement(root, "testsuite", name=f"actionledger gate: {candidate} against {baseline}")
    for condition in gate.conditions:
        case = _case(suite, "actionledger.gate.conditions", condition_name(condition.name))
        said = f"asked: {condition.asked}; found: {condition.found}"
        if condition.passed:
            ET.SubElement(case, "system-out").text = laid_out(said)
        else:
            _add_verdict(case, said, f"{verdict(gate)}, over {pairs}.")
    met = {condition.name: condition.passed for condition in gate.conditions}
    for turn in gate.worse[:MOST_TURNS]:
        case = _case(suite, f"actionledger.gate.{turn.condition}", turn_place(turn))
        _turn(case, turn, is_allowed=met[turn.condition])
    if notes := [*gate.notes, *_left(gate)]:
        ET.SubElement(suite, "system-out").text = laid_out("\n".join(notes))
    for each in (root, suite):
        each.set("tests", str(len(suite.findall("testcase"))))
        each.set("failures", str(len(suite.findall("testcase/failure"))))
        each.set("errors", "0")
    suite.set("skipped", str(len(suite.findall("testcase/skipped"))))
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _case(suite: ET.Element, place: str, name: str) -> ET.Element:
    """Add a testcase; the place is the toolkit's own word, and the name is already made visible."""
    return ET.SubElement(suite, "testcase", classname=place, name=name, time="0")


def _turn(case: ET.Element, turn: "WorseTurn", *, is_allowed: bool) -> None:
    said = f"{turn.before.said} → {turn.after.said}"
    if is_allowed:
        ET.SubElement(case, "skipped", message=visible(f"{said}: so many are allowed"))
    else:
        _add_verdict(case, said, turn.detail)


def _add_verdict(case: ET.Element, message: str, text: str) -> None:
    said = ET.SubElement(case, "failure", type="gate", message=visible(message))
    said.text = laid_out(cut(text, _LONGEST_MESSAGE))


def _left(gate: "GateReport") -> list[str]:
    rest = len(gate.worse) - MOST_TURNS
    return [f"{rest:,} more turns count against the candidate."] if rest > 0 else []
