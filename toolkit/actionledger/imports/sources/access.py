"""Look up values in unchecked data: a value of a wrong type counts as missing."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from math import isfinite, nan
from typing import TYPE_CHECKING, Any, Literal

from actionledger.core.canonical import JsonDict, JsonMap, json_text
from actionledger.core.ids import utc
from actionledger.core.patterns import regex
from actionledger.core.recordings import Decider, Permission
from actionledger.core.vocabulary import Reason

if TYPE_CHECKING:
    from actionledger.core.recordings import RecordedResult

NOTHING: JsonMap = {}

_MOST_SCORED = 1e300
"""No score is larger: an integer may exceed any float."""


def text_at(value: JsonMap, key: str) -> str:
    """Return the text under a key; empty if there is none."""
    held = value.get(key)
    return held if isinstance(held, str) else ""


def object_at(value: JsonMap, key: str) -> JsonMap:
    """Return the object under a key; an empty one if there is none."""
    held = value.get(key)
    return held if isinstance(held, dict) else NOTHING


def objects_at(value: JsonMap, key: str) -> Iterator[JsonMap]:
    """Yield the objects in the list under a key; other values are skipped."""
    held = value.get(key)
    return (each for each in held if isinstance(each, dict)) if isinstance(held, list) else iter(())


def texts_at(value: JsonMap, key: str) -> tuple[str, ...]:
    """Return the texts in the list under a key; other values are skipped."""
    held = value.get(key)
    return tuple(each for each in held if isinstance(each, str)) if isinstance(held, list) else ()


def as_list(value: Any) -> list[Any]:
    """Return a list unchanged, and anything else as a list of one."""
    return value if isinstance(value, list) else [value]


def non_empty(known: Mapping[str, Any]) -> JsonDict:
    """Return the entries whose value is not empty or zero."""
    return {key: value for key, value in known.items() if value}


def given_arguments(given: object) -> str | JsonDict:
    """Return a call's arguments unchanged if a text or an object, otherwise as JSON text."""
    return given if isinstance(given, str | dict) else {} if given is None else json_text(given)


def count_at(value: JsonMap, key: str) -> int | None:
    """Return the count under a key, 0 or more; None if there is none."""
    held = value.get(key)
    return held if isinstance(held, int) and not isinstance(held, bool) and 0 <= held < 2**63 else None


def number_at(value: JsonMap, key: str) -> float | None:
    """Return the number under a key, 0 or more; None if there is none."""
    held = value.get(key)
    if isinstance(held, bool) or not isinstance(held, int | float):
        return None
    return float(held) if 0 <= held < 1e15 and isfinite(held) else None


def score_of(held: object) -> float | None:
    """Return a value as a score; NaN for a number that JSON has no form for, None if it is no number."""
    if not isinstance(held, int | float):
        return None
    return float(held) if -_MOST_SCORED < held < _MOST_SCORED else nan


def scores_of(named: Iterable[tuple[str, object]]) -> dict[str, float]:
    """Return named values as scores: NaN for one that is no number, so that it is counted as skipped."""
    return {name: _score_or_nan(held) for name, held in named if held is not None}


def _score_or_nan(held: object) -> float:
    score = score_of(held)
    return nan if score is None else score


def exit_status_of(held: object) -> int | None:
    """Return a program's exit status as signed 32 bits, since Windows' come signed and unsigned; None if it is none."""
    if not isinstance(held, int) or isinstance(held, bool) or not -(2**31) <= held < 2**32:
        return None
    return held - 2**32 if held >= 2**31 else held


def time_at(value: JsonMap, key: str) -> datetime | None:
    """Return the time under a key, as ISO 8601 writes it, in UTC without a zone; None if there is none."""
    text = text_at(value, key)
    try:
        if text[-1:] == "Z" and text[10:11] == "T":  # the usual form; the general way takes longer
            moment = datetime.fromisoformat(text[:-1])
            return moment if moment.tzinfo is None else None
        return utc(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        return None


# The name of an entry of unknown kind: its kind, and a sample of its keys that hint at what it is.
MOST_OF_KIND = 40
"""The longest part of a kind's name, in characters."""

_MOST_KEYS = 6
_KEY = regex(r"[A-Za-z_][A-Za-z0-9_]{0,23}")
_EVERYWHERE = frozenset(
    {
        "agentId", "cwd", "entrypoint", "gitBranch", "id", "isSidechain", "kind", "ordinal", "parentId", "parentUuid", "provenance",
        "sessionId", "session_id", "slug", "subtype", "time", "timestamp", "type", "userType", "uuid", "version",
    }
)  # fmt: skip
"""Keys of all kinds of entries, which say nothing about one."""


def told(kind: str, value: JsonMap) -> str:
    """Return the name under which an entry of unknown kind is counted.

    Args:
        kind: its kind; empty if it has none.
        value: the entry.

    Example:
        >>> told("teleport", {"type": "teleport", "place": "moon", "when": 5})
        'teleport (place, when)'
    """
    keys = sorted(key for key in value if _KEY.fullmatch(key) and key not in _EVERYWHERE)
    more = ", …" if len(keys) > _MOST_KEYS else ""
    sample = f"({', '.join(keys[:_MOST_KEYS])}{more})" if keys else ""
    return " ".join(filter(None, (kind[:MOST_OF_KIND], sample)))


# Who allowed or refused another runtime's call, as far as its recording says.
_OF_CLAUDE: Mapping[str, Literal["allowed", "refused"]] = {
    "accept": "allowed",
    "allow": "allowed",
    "reject": "refused",
    "deny": "refused",
}
_BY_CLAUDE: Mapping[str, Decider] = {"hook": "hook", "mode": "mode", "rule": "rule"}


def of_claude(decision: JsonMap, kind: str) -> Permission | None:
    """Return Claude Code's record of a permission; None if it has none."""
    decided = _OF_CLAUDE.get(text_at(decision, "decision"))
    if decided is None or kind == "interrupted":
        return None
    source = text_at(decision, "source")
    reason = text_at(decision, "reasonType") or text_at(decision, "reason_type")
    by = _BY_CLAUDE.get(source) or _BY_CLAUDE.get(reason) or ""
    if source.startswith("user"):
        by = "person"
    elif not by and kind.startswith("user"):  # it needed a person's approval, and none was there
        by = "nobody"
    code = text_at(decision, "reasonCode") or text_at(decision, "reason_code")
    return Permission(decided, by, kind or code or reason or source)


def of_copilot(data: JsonMap) -> Permission | None:
    """Return Copilot CLI's record of a permission in ``permission.completed``; None if it is neither yes nor no."""
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
    """Return Qwen Code's record of a permission; None if it has none."""
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
    """Return opencode's record of a refused permission: it uses the same words with and without a person to ask."""
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


def hook_of_claude(attachment: JsonMap) -> tuple[str, str]:
    """Return the call of a Claude Code hook, and how the hook ended; both empty if an attachment is none, or repeats one."""
    ended = _HOOK_ENDS.get(text_at(attachment, "type"))
    if ended is None:
        return "", ""
    return text_at(attachment, "toolUseID"), f"{text_at(attachment, 'hookName') or 'hook'} {ended}"


def with_hook(result: "RecordedResult", hook: str) -> "RecordedResult":
    """Return a result with one more hook of its call."""
    known = result.permission or Permission("")
    return replace(result, permission=replace(known, hooks=(*known.hooks, hook)))


_BY_WORDS: tuple[tuple[re.Pattern[str], Decider], ...] = (
    (regex(r"(?i)\bhook\b"), "hook"),
    (regex(r"(?i)approval in a TTY session|needs approval|could not (?:be )?(?:ask|request)"), "nobody"),
    (regex(r"(?i)approval policy is|\bmode\b"), "mode"),
    (regex(r"(?i)\brules?\b|\bpolicy\b|with command .{0,200} has been denied"), "rule"),
)
_LOOKED_AT = 400


def of_words(reason: Reason | None, text: str, refused_by: str) -> Permission | None:
    """Return the permission if only the refusal's words are recorded; None if nobody refused the call."""
    if refused_by == "person" or (reason is Reason.REJECTED and not refused_by):
        return Permission("refused", "person")
    if refused_by == "hook":
        return Permission("refused", "hook")
    if refused_by or reason is Reason.NOT_APPROVED:
        found = (by for words, by in _BY_WORDS if words.search(text[:_LOOKED_AT]))
        return Permission("refused", next(found, ""))
    return None
