"""Rules about commands: what a line starts, and what every example of the document comes to."""

import json
import re
from pathlib import Path

import pytest

from actionledger.runtime.execution.approval import Policy, Rule, Verdict
from actionledger.runtime.execution.rules.programs import started_by


@pytest.mark.parametrize("line", ["bash run.sh", "sh -x run.sh", "bash --version", "ls -l"])
def test_what_is_seen_is_known(line):
    """A script is named, or nothing is run."""
    assert started_by(line).is_known


@pytest.mark.parametrize(
    "line", ["bash", "bash -x", "sh -s", "zsh +e", "bash -c", 'sh -c "$LINE"', "cat a | bash"]
)
def test_what_a_shell_reads_is_not_known(line):
    """Options name no script, and a variable no line."""
    assert not started_by(line).is_known


DOCUMENT = Path(__file__).parents[4] / "docs" / "policies.md"
COMES_TO = {Verdict.REJECT: "rejected", Verdict.ESCALATE: "escalated", Verdict.APPROVE: "approved"}


def rows(heading):
    """Return the cells of the table below a heading, without the marks of code around them."""
    section = DOCUMENT.read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    cells = [re.split(r"(?<!\\)\|", line)[1:-1] for line in section.splitlines() if line.startswith("| `")]
    return [
        [cell.strip().replace("\\|", "|").removeprefix("`").removesuffix("`") for cell in row]
        for row in cells
    ]


def condition(text):
    return tuple(json.loads(text)) if text.startswith("[") else text


def field_of(text):
    return "command" if text.startswith(("[", "git", "rm")) else "path"


@pytest.mark.parametrize(
    ("rule", "text", "verdict"), rows("Commands, by example") + rows("Paths, by example")
)
def test_what_a_rule_rejects(rule, text, verdict):
    """Also in an automatic session: what is escalated by doubt stays so."""
    field = field_of(rule)
    rejecting = Rule("*", Verdict.REJECT, {field: condition(rule)}, why="Because.")
    for policy in (
        Policy((rejecting, ("*", Verdict.APPROVE))),
        Policy((rejecting, ("*", Verdict.ESCALATE))).automatic(),
    ):
        decided = policy.rule_for("do", {field: text})
        assert COMES_TO[decided.verdict] == verdict
        if verdict == "escalated":
            assert rejecting.conditions_in_words in decided.why
            assert "Because." in decided.why


@pytest.mark.parametrize(("rule", "text", "verdict"), rows("Approving rules, by example"))
def test_what_a_rule_approves(rule, text, verdict):
    field = field_of(rule)
    policy = Policy((Rule("*", Verdict.APPROVE, {field: condition(rule)}),))
    assert COMES_TO[policy.rule_for("do", {field: text}).verdict] == verdict


def test_the_tables_are_read():
    """Otherwise the tests above would be of nothing."""
    assert [len(rows(f"{name}, by example")) for name in ("Commands", "Paths", "Approving rules")] == [
        48,
        21,
        15,
    ]
