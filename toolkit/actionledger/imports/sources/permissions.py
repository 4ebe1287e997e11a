"""Who let a call of another runtime run, or refused it, as far as its recording says so."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from actionledger.core.values.recordings import Decider, Permission
from actionledger.core.vocabulary import Reason
from actionledger.imports.sources.access import object_at, text_at

if TYPE_CHECKING:
    from actionledger.core.values.recordings import RecordedResult


_OF_CLAUDE: Mapping[str, Literal["allowed", "refused"]] = {
    "accept": "allowed",
    "allow": "allowed",
    "reject": "refused",
    "deny": "refused",
}
_BY_CLAUDE: Mapping[str, Decider] = {"hook": "hook", "mode": "mode", "rule": "rule"}


def of_claude(decision: Mapping[str, Any], kind: str) -> Permission | None:
    """Return what Claude Code says of a permission; None where it says nothing."""
    decided = _OF_CLAUDE.get(text_at(decision, "decision"))
    if decided is None or kind == "interrupted":
        return None
    source = text_at(decision, "source")
    reason = text_at(decision, "reasonType") or text_at(decision, "reason_type")
    by = _BY_CLAUDE.get(source) or _BY_CLAUDE.get(reason) or ""
    if source.startswith("user"):
        by = "person"
    elif not by and kind.startswith("user"):  # it would have had to be asked
        by = "nobody"
    code = text_at(decision, "reasonCode") or text_at(decision, "reason_code")
    return Permission(decided, by, kind or code or reason or source)


def of_copilot(data: Mapping[str, Any]) -> Permission | None:
    """Return what Copilot CLI says of a permission, in ``permission.completed``; None where it says neither yes nor no."""
    kind, source = text_at(object_at(data, "result"), "kind"), text_at(data, "decisionSource")
    is_refused = kind.startswith(("denied", "rejected"))
    if not is_refused and not kind.startswith(("approved", "allowed")):
        return None
    by: Decider = ""
    if "hook" in kind or "hook" in source:
        by = "hook"
    elif "could-not-request" in kind or source == "unattended_fallback":
        by = "nobody"
    elif "by-user" in kind or source.startswith("user"):
        by = "person"
    elif "rule" in kind or "rule" in source:
        by = "rule"
    return Permission("refused" if is_refused else "allowed", by, kind)


def of_qwen(decision: str, kind: str, text: str) -> Permission | None:
    """Return what Qwen Code says of a permission; None where it says nothing."""
    if kind == "execution_denied":
        by: Decider = "person" if decision == "reject" else "rule" if "deny rule" in text else ""
        return Permission("refused", by, kind)
    match decision:
        case "accept" | "modify":
            return Permission("allowed", "person", decision)
        case "auto_accept":
            return Permission("allowed", "mode", decision)
        case "reject":
            return Permission("refused", "person", decision)
    return None


def of_opencode(error: str) -> Permission | None:
    """Return what opencode says of a permission that was not given: without a person to ask it says the same as with one."""
    if not error.startswith(("The user rejected permission", "The user has specified a rule")):
        return None
    if "a rule" in error[:40]:
        return Permission("refused", "rule")
    return Permission("refused", "person" if "with the following feedback" in error[:120] else "")


_HOOK_ENDS = {
    "hook_success": "succeeded",
    "hook_blocking_error": "blocked the call",
    "hook_non_blocking_error": "failed",
    "hook_error_during_execution": "failed",
    "hook_cancelled": "was cancelled",
    "hook_stopped_continuation": "stopped the agent",
}


def hook_of_claude(attachment: Mapping[str, Any]) -> tuple[str, str]:
    """Return what a hook of Claude Code's ran for, and how it ended; both empty where an attachment is none, or says it once more."""
    ended = _HOOK_ENDS.get(text_at(attachment, "type"))
    if ended is None:
        return "", ""
    return text_at(attachment, "toolUseID"), f"{text_at(attachment, 'hookName') or 'hook'} {ended}"


def with_hook(result: "RecordedResult", hook: str) -> "RecordedResult":
    """Return a result with a hook more that ran beside its call."""
    known = result.permission or Permission("")
    return replace(result, permission=replace(known, hooks=(*known.hooks, hook)))


_BY_WORDS: tuple[tuple[re.Pattern[str], Decider], ...] = (
    (re.compile(r"(?i)\bhook\b"), "hook"),
    (re.compile(r"(?i)approval in a TTY session|needs approval|could not (?:be )?(?:ask|request)"), "nobody"),
    (re.compile(r"(?i)approval policy is|\bmode\b"), "mode"),
    (re.compile(r"(?i)\brules?\b|\bpolicy\b|with command .{0,200} has been denied"), "rule"),
)
_LOOKED_AT = 400


def of_words(reason: Reason | None, text: str, refused_by: str) -> Permission | None:
    """Return what is known of a permission where only the refusal itself is recorded; None where nobody refused the call."""
    if refused_by == "person" or (reason is Reason.REJECTED and not refused_by):
        return Permission("refused", "person")
    if refused_by == "hook":
        return Permission("refused", "hook")
    if refused_by or reason is Reason.NOT_APPROVED:
        found = (by for words, by in _BY_WORDS if words.search(text[:_LOOKED_AT]))
        return Permission("refused", next(found, ""))
    return None
