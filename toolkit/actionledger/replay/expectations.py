"""What a case expects of a reading, as it is written, shown and compared."""

import json
from collections.abc import Iterator, Mapping
from difflib import unified_diff
from typing import Any

from actionledger.core.canonical import json_text
from actionledger.core.text import writable
from actionledger.core.values import ActionCall, Block, ParseResult
from actionledger.core.vocabulary import ActionStatus
from actionledger.ledger.queries.readings import RecordedReading
from actionledger.replay.case_text import assigned, assigned_text, has_halves, is_sayable, json_literal

BLOCK: dict[str, Any] = {"status": None, "reason": None, "repairs": []}
ACTION: dict[str, Any] = {"name": None, "arguments": None, "status": "valid", "errors": []}
"""What may be said of a block and of an action, with what goes for what is left unsaid."""

NOT_CHECKED = ActionStatus.NOT_CHECKED.value
"""A status that goes unsaid as well, and is as good as ``valid``: whether there is something to check against, the case says elsewhere."""


def described(result: ParseResult) -> dict[str, Any]:
    """Return what came of reading a response, as a case expects it."""
    return {
        "outcome": result.outcome.value,
        "blocks": [_block(block) for block in result.blocks],
        "issues": [issue.code.value for issue in result.issues],
        "narrative": result.narrative,
        "actions": [_action(call) for call in result.actions],
    }


def difference(expect: Mapping[str, Any], today: Mapping[str, Any]) -> str:
    """Return how two descriptions differ, line by line; empty where they don't.

    Args:
        expect: what has to come of a response; a block or narrative of which it says nothing may be anything.
        today: what came of it.
    """
    said = {name: value for name, value in today.items() if name in expect or name in {"actions", "issues"}}
    before, after = list(_lines(expect)), list(_lines(said))
    if before == after:
        return ""
    return "\n".join([*unified_diff(before, after, "expected", "read today", lineterm="", n=2)])


def expected_text(expect: Mapping[str, Any]) -> str:
    """Return the end of a case's file: what it expects."""
    lines = ["[expect]", assigned("outcome", expect["outcome"])]
    if "blocks" in expect:
        blocks = [
            {name: value for name, value in each.items() if value != BLOCK[name]} for each in expect["blocks"]
        ]
        lines.append(assigned("blocks", blocks))
    lines.append(assigned("issues", list(expect.get("issues", ()))))
    if "narrative" in expect and not has_halves(expect["narrative"]):
        lines.append(
            assigned_text("narrative", expect["narrative"]) if expect["narrative"] else 'narrative = ""'
        )
    if not expect["actions"]:
        lines.append("actions = []")
    for action in expect["actions"]:
        arguments = action["arguments"]
        lines += ["", "[[expect.actions]]", assigned("name", action["name"])]
        lines.append(assigned("arguments", arguments if is_sayable(arguments) else json_literal(arguments)))
        lines += [
            assigned(name, action[name])
            for name in ("status", "errors")
            if (said := action.get(name, ACTION[name])) != ACTION[name] and said != NOT_CHECKED
        ]
    return "".join(f"{line}\n" for line in lines)


def _block(block: Block) -> dict[str, Any]:
    return {
        "status": block.status.value,
        "reason": block.reason.value if block.reason else None,
        "repairs": [repair.kind.value for repair in block.repairs],
    }


def _action(call: ActionCall) -> dict[str, Any]:
    return {
        "name": writable(call.name),
        "arguments": call.arguments,
        "status": call.status.value,
        "errors": [f"{error.path} {error.code}" for error in call.errors],
    }


def _lines(expect: Mapping[str, Any]) -> Iterator[str]:
    """Yield a description line by line, with its defaults; arguments that TOML can't say are given as JSON text."""
    yield f"outcome {expect['outcome']}"
    for block in expect.get("blocks", ()):
        whole = BLOCK | block
        yield " ".join(filter(None, ("block", whole["status"], whole["reason"], *whole["repairs"])))
    for action in expect["actions"]:
        whole = ACTION | action
        given = whole["arguments"]
        arguments = json.loads(given) if isinstance(given, str) else given
        status = "" if whole["status"] in {ACTION["status"], NOT_CHECKED} else whole["status"]
        yield " ".join(filter(None, ("action", whole["name"], status, _in_order(arguments))))
        yield from (f"  refused {error}" for error in whole["errors"])
    for issue in expect.get("issues", ()):
        yield f"issue {issue}"
    if "narrative" in expect:
        yield from (f"narrative {line}" for line in writable(expect["narrative"]).split("\n"))


def recorded_expectation(reading: RecordedReading) -> dict[str, Any]:
    """Return what a ledger has recorded of a reading, as a case would expect it."""
    actions = [
        {
            "name": each.name,
            "arguments": each.arguments,
            "status": each.status.value,
            "errors": list(each.errors),
        }
        for each in reading.actions
    ]
    return {
        "outcome": reading.outcome.value,
        "issues": [code.value for code in reading.issues],
        "actions": actions,
    }


def _in_order(arguments: Any) -> str:
    """Return arguments as they would be recorded, their names in order."""
    return json.dumps(json.loads(json_text(arguments)), sort_keys=True, ensure_ascii=False)
