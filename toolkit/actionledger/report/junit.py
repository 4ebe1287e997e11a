"""Whether a gate passes, as JUnit XML: what continuous integration shows as tests."""

from typing import Any
from xml.etree import ElementTree as ET

from actionledger.core.formatting.text import cut, laid_out, visible
from actionledger.report.gates import Gate, condition_name, subject, turn_place, verdict

MOST_TURNS = 200
"""How many turns are testcases at most."""

_LONGEST = 4000


def gate_junit(gate: Gate) -> str:
    """Return a gate as JUnit XML.

    Each condition is a testcase, and each turn that counts against the candidate, up to ``MOST_TURNS``: a failure where its
    condition isn't met, else skipped, since so many are allowed. What XML can't hold is shown as a token.
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
            _said(case, "failure", said, f"{verdict(gate)}, over {pairs}.")
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
    """Add a testcase; its place is a word of ours, and its name is visible already."""
    return ET.SubElement(suite, "testcase", classname=place, name=name, time="0")


def _turn(case: ET.Element, turn: Any, *, is_allowed: bool) -> None:
    said = f"{turn.before} → {turn.after}"
    if is_allowed:
        ET.SubElement(case, "skipped", message=visible(f"{said}: so many are allowed"))
    else:
        _said(case, "failure", said, turn.detail)


def _said(case: ET.Element, tag: str, message: str, text: str) -> None:
    said = ET.SubElement(case, tag, type="gate", message=visible(message))
    said.text = laid_out(cut(text, _LONGEST))


def _left(gate: Gate) -> list[str]:
    rest = len(gate.worse) - MOST_TURNS
    return [f"{rest:,} more turns count against the candidate."] if rest > 0 else []
