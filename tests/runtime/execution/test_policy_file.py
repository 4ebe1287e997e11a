"""Policies from files: what they may say, and what an operator is told of a slip."""

import pytest

import actionledger as al
from actionledger.core.errors import PolicyError
from actionledger.runtime.execution.approval import Rule, Verdict
from actionledger.runtime.execution.policy_file import load_policy, policy_from

CATALOGUE = al.profile("coder").catalogue

WHOLE = """
[[rule]]
action = "execute_command"
when = { command = ["git", "diff"] }
verdict = "approve"
why = "It only reads."

[[rule]]
action = "*_file"
when = { path = "src/*" }
verdict = "approve"

[[rule]]
action = "execute_command"
verdict = "modify"
set = { description = "from the policy" }

[[rule]]
action = "*"
verdict = "escalate"
"""


def test_a_file_says_all_that_a_policy_can(tmp_path):
    """Row by row, from the top."""
    path = tmp_path / "policy.toml"
    path.write_text(WHOLE)
    policy = load_policy(path, CATALOGUE)
    assert policy.rules == (
        Rule("execute_command", Verdict.APPROVE, {"command": ("git", "diff")}, {}, "It only reads."),
        Rule("*_file", Verdict.APPROVE, {"path": "src/*"}),
        Rule("execute_command", Verdict.MODIFY, {}, {"description": "from the policy"}),
        Rule("*", Verdict.ESCALATE),
    )


def test_an_empty_file_lets_nothing_run():
    """No rule means reject."""
    policy = policy_from("", CATALOGUE, source="p.toml")
    assert policy.rule_for("read_file", {}).verdict is Verdict.REJECT


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "[[rule]]\naction = 'red_file'\nverdict = 'approve'",
            r"in rule 1, no action .*'red_file'.*'read_file'",
        ),
        ("[[rule]]\naction = 'destroy_*'\nverdict = 'approve'", r"'destroy_\*' \(there are: create_file"),
        (
            "[[rule]]\naction = '*'\nverdict = 'aprove'",
            r"the verdict 'aprove' is none \(did you mean 'approve'",
        ),
        ("[[rule]]\naction = '*'\nverdict = 'yes'", r"'yes' is none \(there are: approve, modify"),
        (WHOLE + "\n[[rule]]\naction = '*'", "in rule 5, verdict: field required"),
        ("[[rule]]\naction = '*'\nverdict = 'approve'\nwhy_not = 1", "in rule 1, why_not"),
        ("[[rule]]\naction = 'read_file'\nverdict = 'reject'\nwhen = {pth = 'x'}", "no field 'pth'.*'path'"),
        ("[[rule]]\naction = 'read_file'\nverdict = 'reject'\nset = {path = 'x'}", "belongs to .*'modify'"),
        ("[[rule]]\naction = 'read_file'\nverdict = 'modify'", "'modify' needs it"),
        ("[[rule]]\naction = 'read_file'\nverdict = 'reject'\nwhen = {path = 7}", "in rule 1, when.path"),
        (
            "[[rule]]\naction = 'execute_command'\nverdict = 'reject'\nwhen = {command = ['git push']}",
            "in rule 1, when.command holds 'git push', which is not one word",
        ),
        (
            "[[rule]]\naction = 'execute_command'\nverdict = 'reject'\nwhen = {command = []}",
            "in rule 1, when.command is empty",
        ),
        ("[[rules]]\naction = '*'\nverdict = 'approve'", r"rules: .*\[\[rule\]\] tables"),
        ("rule = 1", "rule: "),
        ("[[rule", "it is not TOML"),
        (f"n = {'1' * 4301}", "it is not TOML"),
    ],
)
def test_a_slip_is_named_with_its_row(text, words):
    """What is wrong, and what would be right."""
    with pytest.raises(PolicyError, match=f"^The policy file p.toml can't be used: .*{words}"):
        policy_from(text, CATALOGUE, source="p.toml")


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    """One that isn't there, and one that is no text."""
    with pytest.raises(PolicyError, match="No such file"):
        load_policy(tmp_path / "none.toml", CATALOGUE)
    (tmp_path / "bytes.toml").write_bytes(b"\xff")
    with pytest.raises(PolicyError, match="not UTF-8"):
        load_policy(tmp_path / "bytes.toml", CATALOGUE)


def test_a_session_takes_a_policy_from_a_file(tmp_path):
    """It replaces the profile's own."""
    path = tmp_path / "policy.toml"
    path.write_text("[[rule]]\naction = 'create_file'\nwhen = {path = 'ok/*'}\nverdict = 'approve'\n")
    text = "".join(
        f"<create_file><path>{name}</path><content>x</content></create_file>\n" for name in ("ok/a", "b")
    )
    with al.Runtime("coder", workspace=tmp_path / "work", policy=path) as runtime:
        assert [each.status for each in runtime.handle(text).observations] == ["succeeded", "denied"]
