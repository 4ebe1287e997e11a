"""Who let a call run, or refused it: as each source says so, and in the columns of a ledger."""

from typing import Any

import pytest

import actionledger as al
from actionledger.core.vocabulary import ExecutionStatus, Reason
from actionledger.imports.sources.access import (
    hook_of_claude,
    of_claude,
    of_copilot,
    of_opencode,
    of_qwen,
    of_words,
)

COLUMNS = "SELECT name, decision, decided_by, why, hooks FROM permissions ORDER BY turn_index, action_index"


@pytest.mark.parametrize(
    ("decision", "kind", "found"),
    [
        ({"decision": "accept", "source": "config", "reasonType": "mode"}, "", ("allowed", "mode")),
        ({"decision": "accept", "source": "user_temporary"}, "", ("allowed", "person")),
        ({"decision": "accept", "source": "hook"}, "", ("allowed", "hook")),
        ({"decision": "accept", "source": "config"}, "", ("allowed", "")),
        ({"decision": "reject", "source": "config", "reason_type": "rule"}, "permission-rule", ("refused", "rule")),
        ({"decision": "reject", "source": "config", "reasonCode": "unknown"}, "user-rejected", ("refused", "nobody")),
        ({"decision": "reject", "source": "user_reject"}, "user-rejected", ("refused", "person")),
        ({"decision": "reject", "source": "user_abort"}, "interrupted", None),
        ({"decision": "later"}, "", None),
        ({}, "user-rejected", None),
    ],
)  # fmt: skip
def test_claude_code_says_who_decided(
    decision: dict[str, Any], kind: str, found: tuple[str, str] | None
) -> None:
    """``user-rejected`` is no person's word where the settings have decided: nobody was asked."""
    said = of_claude(decision, kind)
    assert (None if said is None else (said.decision, said.decided_by)) == found


@pytest.mark.parametrize(
    ("kind", "source", "found"),
    [
        ("approved", "", ("allowed", "")),
        ("approved-by-rules", "", ("allowed", "rule")),
        ("approved", "user", ("allowed", "person")),
        ("denied-interactively-by-user", "", ("refused", "person")),
        ("denied-by-rules", "", ("refused", "rule")),
        ("denied-by-permission-request-hook", "", ("refused", "hook")),
        ("denied-no-approval-rule-and-could-not-request-from-user", "unattended_fallback", ("refused", "nobody")),
        ("asked", "", None),
    ],
)  # fmt: skip
def test_copilot_says_who_decided(kind: str, source: str, found: tuple[str, str] | None) -> None:
    said = of_copilot({"result": {"kind": kind}, "decisionSource": source})
    assert (None if said is None else (said.decision, said.decided_by)) == found


@pytest.mark.parametrize(
    ("decision", "kind", "text", "found"),
    [
        ("auto_accept", "", "", al.Permission("allowed", "mode", "auto_accept")),
        ("accept", "", "", al.Permission("allowed", "person", "accept")),
        ("modify", "", "", al.Permission("allowed", "person", "modify")),
        ("reject", "", "", al.Permission("refused", "person", "reject")),
        ("", "execution_denied", "Matching deny rule: x", al.Permission("refused", "rule", "execution_denied")),
        ("", "execution_denied", "Declined.", al.Permission("refused", "", "execution_denied")),
        ("", "", "", None),
    ],
)  # fmt: skip
def test_qwen_code_says_who_decided(decision: str, kind: str, text: str, found: al.Permission | None) -> None:
    assert of_qwen(decision, kind, text) == found


@pytest.mark.parametrize(
    ("error", "by"),
    [
        ("The user rejected permission to use this specific tool call.", ""),
        ("The user rejected permission to use this specific tool call with the following feedback: no", "person"),
        ("The user has specified a rule which prevents you from using this specific tool call.", "rule"),
    ],
)  # fmt: skip
def test_opencodes_user_is_a_person_only_where_one_has_said_something(error: str, by: str) -> None:
    """Where nobody was there to be asked, it words the refusal in the same way."""
    assert of_opencode(error) == al.Permission("refused", by)


def test_what_is_no_refusal_of_opencodes_says_nothing() -> None:
    assert of_opencode("ENOENT: the user rejected permission") is None


@pytest.mark.parametrize(
    ("reason", "text", "refused_by", "by"),
    [
        (Reason.REJECTED, "exec command rejected by user", "", "person"),
        (Reason.NOT_APPROVED, "approval policy is Never; reject command", "", "mode"),
        (Reason.NOT_APPROVED, "PreToolUse hook blocked the call", "", "hook"),
        (Reason.NOT_APPROVED, 'Tool "x" requires approval in a TTY session', "", "nobody"),
        (Reason.NOT_APPROVED, "blocked by policy", "", "rule"),
        (Reason.NOT_APPROVED, "no", "", ""),
        (Reason.NOT_APPROVED, "no", "hook", "hook"),
        (Reason.NOT_APPROVED, "no", "policy", ""),
    ],
)
def test_a_refusals_words_say_who_decided(reason: Reason, text: str, refused_by: str, by: str) -> None:
    assert of_words(reason, text, refused_by) == al.Permission("refused", by)


def test_a_tools_own_check_is_nobodys_decision() -> None:
    assert of_words(Reason.PATH_REFUSED, "outside the workspace", "") is None


def test_a_hooks_other_messages_are_not_its_end() -> None:
    said = {"hookName": "PreToolUse:Bash", "toolUseID": "t1"}
    assert hook_of_claude(said | {"type": "hook_success"}) == ("t1", "PreToolUse:Bash succeeded")
    assert hook_of_claude(said | {"type": "hook_additional_context"}) == ("", "")


def session(*results: al.RecordedResult) -> al.RecordedSession:
    calls = tuple(al.RecordedCall(each.call_id, "Bash", {"command": "ls"}) for each in results)
    turn = al.RecordedTurn(0, "", calls=calls, results=results, capture=al.Capture.CALLS)
    return al.RecordedSession("s", None, "m", "", (turn,))


def test_permissions_are_columns(ledger) -> None:
    """Each call once, also where its recording says nothing of it; importing again doubles none."""
    asked = session(
        al.RecordedResult("a", "ok", permission=al.Permission("allowed", "rule", "rule:cliArg", ("PreToolUse succeeded",))),
        al.RecordedResult("b", "no", status=ExecutionStatus.DENIED, refused_by="person"),
        al.RecordedResult("c", "ok", is_error=False),
    )  # fmt: skip
    for _ in range(2):
        al.import_sessions(ledger, [asked])
    assert ledger.sql(COLUMNS).fetchall() == [
        ("Bash", "allowed", "rule", "rule:cliArg", ["PreToolUse succeeded"]),
        ("Bash", "refused", "person", None, None),
        ("Bash", None, "not_recorded", None, None),
    ]


def test_show_says_who_decided(tmp_path) -> None:
    from actionledger.report.explanation import recorded_turn, turn_lines

    hooks = ("PreToolUse:Bash succeeded",)
    with al.open_ledger(tmp_path / "l.duckdb") as ledger:
        refused = al.RecordedResult(
            "a", "no", status=ExecutionStatus.DENIED, permission=al.Permission("refused", "nobody", "no-tty")
        )
        watched = al.RecordedResult("b", "ok", is_error=False, permission=al.Permission("", hooks=hooks))
        al.import_sessions(ledger, [session(refused, watched)])
        shown = "\n".join(line.text for line in turn_lines(recorded_turn(ledger, "s#0")))
    assert "action 0, Bash refused since nobody could be asked: no-tty" in shown
    assert "action 1, Bash watched by hooks (PreToolUse:Bash succeeded)" in shown
    assert "permission_decided" not in shown
