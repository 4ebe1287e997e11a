"""A case's expectation: compare it with a parse, show it, and write it as TOML."""

import json
from collections.abc import Iterator, Mapping
from difflib import unified_diff
from typing import Any

from actionledger.core.canonical import JsonDict, JsonMap, json_text
from actionledger.core.text import escaped_halves, writable
from actionledger.core.values import ActionCall, Block, ParseResult
from actionledger.core.vocabulary import ActionStatus
from actionledger.ledger.queries.readings import RecordedReading

_NAMED = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
_INTEGERS = range(-(2**63), 2**63)


def has_halves(text: str) -> bool:
    """Return whether a text contains half of a surrogate pair, which TOML can't represent."""
    return escaped_halves(text) is not text


def assigned(name: str, value: Any) -> str:
    """Return a TOML line that assigns a key's value."""
    return f"{name} = {_inline(value)}"


def assigned_text(name: str, text: str) -> str:
    """Return TOML lines that assign a text of several lines to a key, exactly."""
    is_plain = all(mark.isprintable() or mark == "\n" for mark in text)
    if is_plain and "'''" not in text and not text.endswith("'"):
        return f"{name} = '''\n{text}'''"
    escaped = "".join("\n" if mark == "\n" else _escaped(mark) for mark in text)
    return f'{name} = """\n{escaped}"""'


def is_sayable(value: Any) -> bool:
    """Return whether TOML can represent a JSON value so that it loads as the same value."""
    if isinstance(value, Mapping):
        return all(is_sayable(key) and is_sayable(each) for key, each in value.items())
    if isinstance(value, list | tuple):
        return all(map(is_sayable, value))
    if isinstance(value, str):
        return not has_halves(value)
    return isinstance(value, bool) or (isinstance(value, int) and value in _INTEGERS)


def json_literal(value: Any) -> str:
    """Return a value's JSON text, with halves of surrogate pairs as escapes."""
    return escaped_halves(json.dumps(value, ensure_ascii=False))


def _inline(value: Any) -> str:
    match value:
        case bool():
            return str(value).lower()
        case int():
            return str(value)
        case Mapping():
            return (
                "{ " + ", ".join(f"{_key(key)} = {_inline(each)}" for key, each in value.items()) + " }"
                if value
                else "{}"
            )
        case list() | tuple():
            return f"[{', '.join(map(_inline, value))}]"
        case _:
            text = str(value)
            is_literal = "\\" in text or '"' in text
            return f"'{text}'" if is_literal and "'" not in text and text.isprintable() else _basic(text)


def _key(name: str) -> str:
    is_bare = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
    return name if is_bare else _basic(name)


def _basic(text: str) -> str:
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(mark: str) -> str:
    if mark in _NAMED:
        return _NAMED[mark]
    if mark.isprintable():
        return mark
    return f"\\u{ord(mark):04x}" if ord(mark) < 0x10000 else f"\\U{ord(mark):08x}"


BLOCK: JsonDict = {"status": None, "reason": None, "repairs": []}
ACTION: JsonDict = {"name": None, "arguments": None, "status": "valid", "errors": []}
"""The keys of an expected block and action, with the defaults of omitted ones."""

NOT_CHECKED = ActionStatus.NOT_CHECKED.value
"""Another status that may be omitted, equivalent to ``valid``: the case states elsewhere whether there is a schema to check against."""


def described(result: ParseResult) -> JsonDict:
    """Describe a parse result in the form of a case's expectation."""
    return {
        "outcome": result.outcome.value,
        "blocks": [_block(block) for block in result.blocks],
        "issues": [issue.code.value for issue in result.issues],
        "narrative": result.narrative,
        "actions": [_action(call) for call in result.actions],
    }


def difference(expect: JsonMap, today: JsonMap) -> str:
    """Return the line diff of two descriptions; empty if they are equal. What the expected one omits (blocks, a narrative) is not compared."""
    said = {name: value for name, value in today.items() if name in expect or name in {"actions", "issues"}}
    before, after = list(_lines(expect)), list(_lines(said))
    if before == after:
        return ""
    return "\n".join([*unified_diff(before, after, "expected", "read today", lineterm="", n=2)])


def expected_text(expect: JsonMap) -> str:
    """Return the end of a case's file, its expectation."""
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


def _block(block: Block) -> JsonDict:
    return {
        "status": block.status.value,
        "reason": block.reason.value if block.reason else None,
        "repairs": [repair.kind.value for repair in block.repairs],
    }


def _action(call: ActionCall) -> JsonDict:
    return {
        "name": writable(call.name),
        "arguments": call.arguments,
        "status": call.status.value,
        "errors": [f"{error.path} {error.code}" for error in call.errors],
    }


def _lines(expect: JsonMap) -> Iterator[str]:
    """Yield a description line by line, with its defaults; arguments that TOML can't represent are given as JSON text."""
    yield f"outcome {expect['outcome']}"
    for block in expect.get("blocks", ()):
        whole = BLOCK | block
        yield " ".join(filter(None, ("block", whole["status"], whole["reason"], *whole["repairs"])))
    for action in expect["actions"]:
        whole = ACTION | action
        given = whole["arguments"]
        arguments = json.loads(given) if isinstance(given, str) else given
        status = "" if whole["status"] in {ACTION["status"], NOT_CHECKED} else whole["status"]
        yield " ".join(
            filter(
                None,
                (
                    "action",
                    whole["name"],
                    status,
                    json.dumps(json.loads(json_text(arguments)), sort_keys=True, ensure_ascii=False),
                ),
            )
        )
        yield from (f"  refused {error}" for error in whole["errors"])
    for issue in expect.get("issues", ()):
        yield f"issue {issue}"
    if "narrative" in expect:
        yield from (f"narrative {line}" for line in writable(expect["narrative"]).split("\n"))


def recorded_expectation(reading: RecordedReading) -> JsonDict:
    """Return a recorded parse in the form of a case's expectation."""
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
