"""A session's turns as a conversation: prompt, reasoning and answer, and each tool call in a form that fits its tool."""

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from difflib import unified_diff
from itertools import islice
from typing import Any

from actionledger.core.events import ActionRecord
from actionledger.core.text import counted, in_and_out
from actionledger.core.vocabulary import ActionStatus
from actionledger.ledger.queries.lineage import Start
from actionledger.ledger.queries.turn import Execution, Response, TurnDetail
from actionledger_dashboard.components.wording import dollars, milliseconds, pieces
from actionledger_dashboard.viewer.looks import NEUTRAL, Values, bounded, look_of, pretty, words
from actionledger_dashboard.viewer.markdown import markdown_tree
from actionledger_dashboard.viewer.media import text_of_parts

LINES = 400
"""The number of lines of a diff, a file or a result that are shown; a link leads to all of them."""

_OLD, _NEW = ("old_string", "old_str", "search"), ("new_string", "new_str", "replace")
_PATHS = ("file_path", "path", "filePath", "filename", "absolute_path")
_COMMANDS = ("command", "cmd", "script")
_LISTS = ("todos", "plan", "items", "tasks")
_PATCHES = ("patch", "input", "diff")
_WHOLE = ("content", "file_text", "contents")


def turns_of(
    details: Sequence[TurnDetail],  # the turns
    # the subagents, by the indexes of the turn and of the call that started each
    started: Mapping[tuple[int, int], Start],
    *,
    failing: Iterable[int],  # the indexes of turns with a failure
    href_of: Any,  # returns the link to a turn's replay, given its index
    child_of: Any,  # returns a subagent's title and the link to its transcript, given its id
) -> list[Values]:
    """Return the turns of one page of a conversation."""
    failed = set(failing)
    above = [None, *(each.response for each in details)]
    return [
        {
            "index": each.response.index,
            "href": href_of(each.response.index),
            "failing": each.response.index in failed,
            "about": _about(each.response, before),
            "parts": list(_parts(each, started, child_of)),
        }
        for each, before in zip(details, above, strict=False)
    ]


def _about(response: Response, before: Response | None) -> list[Any]:
    """Return the margin's lines: time, model, tokens, cost and latency. A day and a model that the turn before has are not repeated."""
    took = response.input_tokens, response.output_tokens
    at = response.occurred_at
    is_same_day = at and before and before.occurred_at and before.occurred_at.date() == at.date()
    lines = [
        f"{at:{'%H:%M:%S' if is_same_day else '%Y-%m-%d %H:%M:%S'}}" if at else "",
        "" if before and before.model == response.model else response.model,
        "" if took == (None, None) else in_and_out(*took, unit="", between=" · "),
        "" if response.cost_usd is None else dollars(response.cost_usd),
        "" if response.latency_ms is None else milliseconds(response.latency_ms),
    ]
    return [pieces(line) for line in lines if line]


def _parts(detail: TurnDetail, started: Mapping[tuple[int, int], Start], child_of: Any) -> Iterable[Values]:
    response = detail.response
    if detail.compaction:
        yield {"kind": "line", "text": pieces(detail.compaction.rstrip("."))}
    if response.prompt:
        yield {"kind": "user", **_folded(response.prompt)}
    if response.reasoning:
        yield {"kind": "thought", "text": pieces(bounded(response.reasoning))}
    if answer := _answer(detail):
        yield {"kind": "answer", "tree": markdown_tree(answer), "raw": pieces(answer)}
    tries = {each.action_index: each for each in detail.executions if _is_shown(each, detail)}
    for action in detail.actions:
        if action.status is ActionStatus.ILLUSTRATION:
            continue
        yield call_of(action, tries.get(action.index))
        if child := started.get((response.index, action.index)):
            title, href = child_of(child.child_id)
            yield {"kind": "child", "text": pieces(title), "href": href}
    if not (response.text.strip() or detail.actions):
        why = f" ({words(response.finish_reason)})" if response.finish_reason else ""
        yield {"kind": "note", "text": pieces(f"Empty response{why}.")}
    if detail.attempt and detail.attempt.reason:
        yield {"kind": "note", "look": "bad", "text": pieces(f"Not parsed: {detail.attempt.reason}.")}
    if response.told and not detail.executions:
        yield {"kind": "user", **_folded(response.told[-1].text)}


def _is_shown(execution: Execution, detail: TurnDetail) -> bool:
    """Return whether an execution belongs to the shown reading; of several tries the last one wins."""
    return detail.attempt is not None and execution.attempt_id == detail.attempt.attempt_id


def _folded(text: str) -> Values:
    return {
        "tree": markdown_tree(text),
        "raw": pieces(text),
        "is_long": text.count("\n") > 12 or len(text) > 1500,
    }


def _answer(detail: TurnDetail) -> str:
    """Return a response's text without the spans of its calls."""
    text = detail.response.text
    called = {action.block for action in detail.actions if action.status is not ActionStatus.ILLUSTRATION}
    kept, at = [], 0
    for block in sorted(detail.blocks, key=lambda each: each.span.start):
        if block.index in called and block.span.start >= at:
            kept.append(text[at : block.span.start])
            at = block.span.end
    return "".join([*kept, text[at:]]).strip()


def call_of(action: ActionRecord, execution: Execution | None) -> Values:
    """Return a parsed call with its last try, if any: name, verdict, arguments in a form that fits its tool, and result."""
    arguments = _object(action.arguments)
    status, look = _verdict(action, execution)
    about = []
    if execution is not None and execution.exit_status is not None:
        about.append(f"exit status {execution.exit_status}")
    if execution is not None and execution.duration_ms is not None:
        about.append(milliseconds(execution.duration_ms))
    return {
        "kind": "call",
        "name": pieces(action.name),
        "status": status,
        "look": look,
        "about": about,
        "body": body_of(arguments),
        "result": _cut(_result(execution)),
    }


def _verdict(action: ActionRecord, execution: Execution | None) -> tuple[str, str]:
    if execution is not None:
        reason = f": {execution.reason}" if execution.reason else ""
        look = look_of(execution.status)
        return f"{words(execution.status)}{reason}", "bad" if look == NEUTRAL and execution.reason else look
    if action.status.is_refused:
        return f"rejected by schema ({words(action.status)})", "bad"
    return "no result recorded", NEUTRAL


def _decoded(text: str) -> Any:
    """Return the value of a JSON text, or the text itself if it is not JSON or is nested too deep."""
    with suppress(ValueError, RecursionError):
        return json.loads(text)
    return text


def _object(text: str) -> dict[str, Any]:
    found = _decoded(text)
    return found if isinstance(found, dict) else {"": found}


def body_of(arguments: Mapping[str, Any]) -> Values:
    """Return a call's content: a diff, a command, a file's new text, a to-do list, or the arguments as JSON."""
    path = _first(arguments, _PATHS)
    named = pieces(str(path)) if path else ""
    old, new = _first(arguments, _OLD), _first(arguments, _NEW)
    if isinstance(old, str) and isinstance(new, str):
        return {"kind": "diff", "title": named, "lines": _diff(old, new)}
    patch = _first(arguments, _PATCHES)
    if isinstance(patch, str) and patch.lstrip().startswith(("*** Begin Patch", "diff --git", "--- ")):
        return {
            "kind": "diff",
            "title": named,
            "lines": _shown(_lines(patch)),
        }
    whole = _first(arguments, _WHOLE)
    if path and isinstance(whole, str):
        return {
            "kind": "diff",
            "title": named,
            "lines": _shown([f"+{line}" for line in _lines(whole)]),
        }
    command = _first(arguments, _COMMANDS)
    if isinstance(command, str | list):
        line = command if isinstance(command, str) else " ".join(map(str, command))
        return {"kind": "command", "text": pieces(bounded(line))}
    for name in _LISTS:
        if things := _things(arguments.get(name)):
            return {"kind": "list", "items": things}
    if path and len(arguments) <= 3:  # at most two more arguments, such as a line range
        where = ", ".join(f"{name} {value}" for name, value in arguments.items() if name not in _PATHS)
        return {"kind": "path", "text": pieces(f"{path}{f' ({where})' if where else ''}")}
    return {
        "kind": "json",
        "text": pieces(bounded(pretty(json.dumps(dict(arguments), ensure_ascii=False)))) if arguments else "",
    }


def _first(arguments: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((arguments[name] for name in names if arguments.get(name) is not None), None)


def _diff(old: str, new: str) -> list[list[Any]]:
    """Return the changed lines with some context, without line numbers, since the text is only a part of a file."""
    lines = islice(unified_diff(_lines(old), _lines(new), lineterm="", n=3), 2, None)
    return _shown([line for line in lines if not line.startswith("@@")])


def _lines(text: str) -> list[str]:
    return bounded(text).splitlines()


def _shown(lines: Sequence[str]) -> list[list[Any]]:
    """Return lines with their signs; of many only the first ones, and the number of the others."""
    more = len(lines) - LINES
    rest = [["@", pieces(f"… and {counted(more, 'more line')}")]] if more > 0 else []
    return [*map(_signed, lines[:LINES]), *rest]


def _signed(line: str) -> list[Any]:
    sign = line[:1] if line[:1] in {"+", "-", "@", "*"} else " "
    return [sign, pieces(line[1:] if sign in {"+", "-"} else line.removeprefix(" "))]


def _things(value: object) -> list[list[Any]]:
    """Return the items of a to-do list, each with its state; empty if the value is not such a list."""
    if not isinstance(value, list) or not value:
        return []
    found = []
    for each in value:
        if not isinstance(each, dict):
            return []
        text = next(
            (
                each[name]
                for name in ("content", "step", "title", "task", "text")
                if isinstance(each.get(name), str)
            ),
            None,
        )
        if text is None:
            return []
        found.append([pieces(str(each.get("status", ""))), pieces(text)])
    return found


def _result(execution: Execution | None) -> str:
    """Return a result as text: a JSON string's value, or only the output of a command."""
    if execution is None:
        return ""
    if execution.result in {"", "null"}:
        return execution.message
    found = _decoded(execution.result)
    if (said := text_of_parts(found)) is not None:
        return said
    if isinstance(found, dict):
        outputs = [found[name] for name in ("output", "stdout", "stderr") if isinstance(found.get(name), str)]
        return "\n".join(filter(None, outputs)) or pretty(execution.result)
    return found if isinstance(found, str) else pretty(execution.result)


def _cut(text: str) -> Values | None:
    """Return a result with its number of lines and of hidden lines; None if it is blank."""
    if not text.strip():
        return None
    shown = bounded(text)
    lines = shown.splitlines()
    return {"text": pieces("\n".join(lines[:LINES])), "more": max(0, len(lines) - LINES), "lines": len(lines)}
