"""Recordings of agents that were run: identifiers that ledgers have, and changes that stop no import."""

import hashlib
import json
import random
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from effort import examples
from given_items import check_items, sessions
from hostile_values import STRANGE, holder, paths

from actionledger import import_path, open_ledger
from actionledger.core.errors import SourceError
from actionledger.core.vocabulary import LeftOutReason
from actionledger.imports.sources.base import Item, LeftOut, Refusal
from actionledger.imports.sources.json_values import value_of
from actionledger.imports.sources.registry import recognised, sample_of, source_named

AT = "2026-06-17T11:20:24Z"


def _codex(kind: str, **payload) -> dict:
    return {"timestamp": AT, "type": kind, "payload": payload}


def _claude(kind: str, uuid: str, message: dict) -> dict:
    return {
        "type": kind,
        "sessionId": "s",
        "uuid": uuid,
        "parentUuid": None,
        "timestamp": AT,
        "message": message,
    }


_TOKENS = {"last_token_usage": {"output_tokens": 3}, "total_token_usage": {"output_tokens": 3}}
_BLOCKS = [
    {"type": "text", "text": "I look."},
    {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}},
]
_GIVEN = [{"type": "tool_result", "tool_use_id": "t1", "content": "a", "is_error": False}]
_SHELL = [{"functionResponse": {"response": {"output": "a"}}}]

FILES = {
    "rollout-1.jsonl": [
        _codex("session_meta", id="s", timestamp=AT),
        _codex("response_item", type="message", role="assistant", content=[{"type": "output_text", "text": "I look."}]),
        _codex("response_item", type="function_call", name="exec_command", arguments='{"cmd":"ls"}', call_id="c1"),
        _codex("response_item", type="function_call", name="exec_command", arguments='{"cmd":', call_id="c2"),
        _codex("event_msg", type="exec_command_end", call_id="c1", exit_code=3),
        _codex("response_item", type="function_call_output", call_id="c1", output="a"),
        _codex("response_item", type="function_call_output", call_id="c2", output="failed to parse function arguments: x"),
        _codex("event_msg", type="token_count", info=_TOKENS),
        _codex("response_item", type="message", role="assistant", content=[{"type": "output_text", "text": "Done."}]),
    ],
    "session.jsonl": [
        _claude("assistant", "u1", {"id": "m1", "model": "m", "role": "assistant", "content": _BLOCKS}),
        _claude("user", "u2", {"role": "user", "content": _GIVEN}),
        _claude("assistant", "u3", {"id": "m2", "model": "m", "role": "assistant", "content": _BLOCKS[:1]}),
    ],
    "session-1.jsonl": [
        {"sessionId": "s", "projectHash": "ab", "startTime": AT},
        {"id": "g1", "type": "gemini", "content": "I look.", "toolCalls": [{"id": "c1", "name": "run_shell_command", "args": {}, "result": _SHELL, "status": "success"}]},
        {"id": "g2", "type": "gemini", "content": "Done.", "tokens": {"input": 1, "output": 2}},
    ],
    "pi.jsonl": [
        {"type": "session", "id": "11111111-1111-1111-1111-111111111111", "timestamp": AT, "cwd": "/w"},
        {"type": "message", "message": {"role": "assistant", "timestamp": 1, "content": [{"type": "toolCall", "id": "c1", "name": "bash", "arguments": {"command": "ls"}}]}},
        {"type": "message", "message": {"role": "toolResult", "toolCallId": "c1", "content": "a", "isError": False}},
    ],
    "s.messages.json": [{"version": 1, "agent": "lead", "sessionId": "s", "messages": [{"role": "assistant", "content": _BLOCKS}, {"role": "user", "content": _GIVEN}]}],
}  # fmt: skip
"""Recordings as the importers have known them for long, none with what has changed since."""

KNOWN = {
    "rollout-1.jsonl": "cb89327939641889",
    "session.jsonl": "2c24a7c25c58ba07",
    "session-1.jsonl": "6f49b3939ef26205",
    "pi.jsonl": "183464fc203d998e",
    "s.messages.json": "17bdb5fbeb18b1a9",
}
"""What the identifiers of their turns, actions and executions come to in the ledgers that there are: these may not change."""

_IDS = """
SELECT turn_id::VARCHAR FROM turns UNION ALL SELECT action_id::VARCHAR FROM actions
UNION ALL SELECT execution_id::VARCHAR || action_id::VARCHAR FROM executions ORDER BY ALL"""


@pytest.mark.parametrize("name", FILES)
def test_what_was_imported_has_the_same_names(tmp_path, name):
    """A ledger of before knows all of it, and a second import adds nothing."""
    path = tmp_path / name
    for _ in range(2):
        path.write_text("".join(json.dumps(line) + "\n" for line in FILES[name]))
        import_path(path, tmp_path / "x.duckdb")
        with open_ledger(tmp_path / "x.duckdb") as ledger:
            ids = [row[0] for row in ledger.sql(_IDS).fetchall()]
            assert ledger.sql("SELECT count(*) FROM superseded").fetchall() == [(0,)]
        assert hashlib.sha256("\n".join(ids).encode()).hexdigest()[:16] == KNOWN[name]


TESTS = Path(__file__).parents[1]
RECORDED = sorted(
    path
    for folder in ("imports/recordings", "lab/recordings")
    for kind in ("*.jsonl", "*.json")
    for path in (TESTS / folder).rglob(kind)
    if path.name != "truth.json"
)
HALF, UNKNOWN = "\ud800", {"type": "teleported", "role": "teleported", "place": {"on": "moon"}}
OTHERS = (
    *STRANGE,
    HALF,
    f'{{"half": "{HALF}"}}',
    "2026-13-45T99:99:99Z",
    -(2**63),
    [{"type": {}}],
    {"": None},
)
FIRST = frozenset({"pi", "gemini_cli", "droid"})
"""Formats whose first line says which session the others are of: without it they are refused."""


def changed(line: Any, dice: random.Random) -> Any:
    """Return a line with one of its values, one of its names, its kind, or all of it put for something else."""
    there = list(paths(line))
    if not there or dice.random() < 0.1:
        return dice.choice((5, None, "text", [1], [], {}))
    place, other = dice.choice(there), deepcopy(line)
    held, kinds = holder(other, place), ("type", "role", "kind", "status")
    chance = dice.random()
    if isinstance(held, dict) and chance < 0.2:
        held[f"{place[-1]}V2"] = held.pop(place[-1])
    elif isinstance(held, dict) and chance < 0.4 and (kind := next(filter(held.get, kinds), "")):
        held[kind] = "teleported"
    else:
        held[place[-1]] = dice.choice(OTHERS)
    return other


def read(path: Path, name: str, values: list[Any]) -> list[Item]:
    """Write values as a recording beside whatever stands beside it, and read it."""
    texts = [json.dumps(value) for value in values]
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    try:
        return list(source_named(name).read(path, None))
    except SourceError as error:  # a document that is none
        return [Refusal(str(path), 0, str(error))]


def words(items: list[Item]) -> set[str]:
    """Return the first lines of what was said: a text may be joined to what stands beside it."""
    said = (line for each in sessions(items) for turn in each.turns for line in turn.text.split("\n"))
    return {line.strip() for line in said if line.strip()}


def recordings(*kinds: str) -> list[Any]:
    """Return the recordings of some kinds of file, each with its format's name."""
    sure = {path: recognised(sample_of(path))[:1] for path in RECORDED if path.suffix in kinds}
    return [
        pytest.param(path, found.source.name, id=f"{path.relative_to(TESTS)}")
        for path, some in sure.items()
        for found in some
        if found.sureness == 1
    ]


@pytest.mark.scaled
@pytest.mark.parametrize(("path", "name"), recordings(".json", ".jsonl"))
def test_no_change_stops_an_import_and_no_other_line_is_lost(path, name, tmp_path):
    """Whatever is put in one place; what is lost is what that line said."""
    is_lines, dice = path.suffix == ".jsonl", random.Random(path.name)
    text = path.read_text(encoding="utf-8")
    lines = [value_of(line) for line in text.splitlines() if line.strip()] if is_lines else [value_of(text)]
    copy = tmp_path / path.name
    said = words(read(copy, name, lines))
    for _ in range(examples(20)):
        at = dice.randrange(len(lines))
        other = changed(lines[at], dice)
        items = read(copy, name, [*lines[:at], other, *lines[at + 1 :]])
        check_items(items, source_named(name).wordings)
        if is_lines and not (at == 0 and name in FIRST):
            own = json.dumps(lines[at])
            there = "\n".join(words(items))
            lost = {line for line in said if line not in there and json.dumps(line[:20])[1:-1] not in own}
            assert not lost, other


@pytest.mark.parametrize(("path", "name"), recordings(".jsonl"))
def test_a_kind_that_nobody_knows_is_counted_by_its_name(path, name, tmp_path):
    """Between any two lines, which are read as they were."""
    lines = [value_of(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    copy = tmp_path / path.name
    said = words(read(copy, name, lines))
    items = read(copy, name, [*lines, UNKNOWN])
    unknown = [
        each.detail
        for each in items
        if isinstance(each, LeftOut) and each.reason is LeftOutReason.UNKNOWN_KIND
    ]
    assert [each for each in unknown if "teleported" in each and "place" in each], unknown
    assert words(items) == said
