"""What a newer version writes beside what is known: in each source an entry of a kind that nobody knows is told, by its name and its keys."""

import json
from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from actionledger.core.errors import SourceError
from actionledger.core.recordings import RecordedSession
from actionledger.core.vocabulary import LeftOutReason
from actionledger.imports.parts import items_of
from actionledger.imports.sources.base import Item, LeftOut
from actionledger.imports.sources.registry import source_named, sources


def beside(name: str) -> ModuleType:
    """Return the module of tests beside this one, whose recordings are changed here."""
    spec = spec_from_file_location(f"known_{name}", Path(__file__).with_name(f"test_{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


documents, values, crush, runs, letta = map(
    beside, ("strange_documents", "strange_values", "crush", "inspect", "letta_code")
)
RECORDINGS = Path(__file__).parents[1] / "recordings"

NEW: dict[str, Any] = {
    "type": "teleported", "role": "teleported", "source": "teleported", "kind": "TeleportedEvent", "place": "moon",
    "how": {"far": 1}, "/home/ada/x": 1,
}  # fmt: skip
"""An entry of a kind that nobody knows, whatever a format calls kinds; one of its keys is a person's."""


def lines(name: str, *more: dict[str, Any]) -> str:
    """Return the lines of a format's recording, and others behind them."""
    known = values.LINES.get(name) or documents.LINES[name]
    return "".join(json.dumps(each) + "\n" for each in (*known, *more))


def recorded(pattern: str) -> str:
    """Return the lines of a recording of an agent that was run, and a new one."""
    path = next(each for each in sorted(RECORDINGS.glob(pattern)) if each.name != "truth.json")
    return path.read_text(encoding="utf-8").rstrip("\n") + "\n" + json.dumps(NEW) + "\n"


def within(document: Any, *places: str | int, new: dict[str, Any] = NEW) -> str:
    """Return a document with a new entry at the end of a list in it."""
    changed = deepcopy(document)
    listed = changed
    for place in places:
        listed = listed[place]
    listed.append(new)
    return json.dumps(changed)


CONTINUED = {
    "sessionId": "s1", "title": "t", "workspaceDirectory": "/w",
    "history": [{"message": {"role": role, "content": "Go."}, "contextItems": []} for role in ("user", "assistant")],
}  # fmt: skip
MESSAGES = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": "On it."}]
EVENTS = [
    {"id": "1", "timestamp": "2026-04-16T09:34:38", "source": "user", "kind": "MessageEvent", "llm_message": MESSAGES[0]},
    {"id": "2", "timestamp": "2026-04-16T09:34:39", "source": "agent", "kind": "MessageEvent",
     "llm_message": {"role": "assistant", "content": [{"type": "text", "text": "On it."}]}},
]  # fmt: skip

NEWER: dict[str, Callable[[], str]] = {
    **{
        name: lambda name=name: lines(name, NEW)  # type: ignore[misc]
        for name in (
            "agent_sdk_stream", "claude_code", "gemini_cli", "langfuse", "langsmith", "mlflow", "openai_agents", "openclaw_telemetry", "openinference", "otel",
            "pi",
        )
    },
    "atif": lambda: within(values.LINES["atif"][0], "steps"),
    "cline": lambda: within(documents.DOCUMENTS["cline"], "messages", 1, "content"),
    "codex": lambda: lines("codex", {"type": "event_msg", "payload": NEW}),
    "completion_log": lambda: within(documents.DOCUMENTS["completion_log"], "messages"),
    "continue_cli": lambda: within(CONTINUED, "history", new={"message": NEW}),
    "copilot": lambda: recorded("copilot/exit3/**/events.jsonl"),
    "droid": lambda: recorded("droid/good/**/*.jsonl"),
    "goose": lambda: within(documents.DOCUMENTS["goose"], "conversation", 1, "content"),
    "letta_code": lambda: "".join(json.dumps(each) + "\n" for each in (letta.ASK, letta.said(2, "On."), NEW)),
    "kimi_code": lambda: recorded("kimi_code/good/**/wire.jsonl"),
    "mini_swe_agent": lambda: within({"info": {}, "messages": MESSAGES}, "messages"),
    "opencode": lambda: within(documents.DOCUMENTS["opencode"], "messages", new={"info": NEW, "parts": []}),
    "openhands": lambda: within(EVENTS),
    "promptfoo": lambda: within(documents.DOCUMENTS["promptfoo"], "results", "results"),
    "provider_wire": lambda: within(documents.DOCUMENTS["provider_wire"], "request", "messages"),
    "qwen_code": lambda: recorded("qwen_code/good/**/chats/*.jsonl"),
    "tau2": lambda: within(documents.DOCUMENTS["tau2"], "simulations", 0, "messages"),
    "vscode_chat": lambda: within(documents.DOCUMENTS["vscode_chat"], "requests", 1, "response"),
    "tau_bench": lambda: within(documents.DOCUMENTS["tau_bench"], 0, "traj"),
}  # fmt: skip
"""A recording of each source with one entry of a kind that nobody knows."""

ELSEWHERE = {
    "crush": "a database, below",
    "inspect": "an archive, below",
    "cassettes": "bodies, as `provider_wire` has",
    "openai_batch": "bodies, as `provider_wire` has",
    "braintrust": "spans of any kind, which are named by what they are",
}
WITHOUT_KINDS = {
    "aider", "gorilla_apibench", "intercode", "jsonl", "mint", "swe_agent", "table", "toolbench",
}  # fmt: skip
"""Text, tables, and trajectories of one kind of step."""


def told(items: list[Item]) -> list[str]:
    return [
        each.detail
        for each in items
        if isinstance(each, LeftOut) and each.reason is LeftOutReason.UNKNOWN_KIND
    ]


def turns(items: list[Item]) -> int:
    return sum(len(each.turns) for each in items if isinstance(each, RecordedSession))


def test_each_source_is_here():
    assert sorted({*NEWER, *ELSEWHERE, *WITHOUT_KINDS}) == sorted(sources())


@pytest.mark.parametrize("name", NEWER)
def test_an_entry_that_nobody_knows_is_told_and_the_rest_is_read(name, tmp_path):
    """By the name of its kind and a sample of its keys, none of them a person's."""
    path = tmp_path / "recording"
    path.write_text(NEWER[name]())
    items = []
    with suppress(SourceError):
        items = list(items_of(path, name, source_named(name).read, lambda _bytes: None))
    (unknown,) = told(items)
    assert "teleported" in unknown or "object" in unknown or "TeleportedEvent" in unknown, unknown
    assert ("place" in unknown, "ada" in unknown) == (name != "tau2", False), unknown
    assert turns(items) > 0


def test_a_part_in_a_database_that_nobody_knows_is_told(tmp_path):
    database = crush.database.__wrapped__(tmp_path)
    path = database(crush.ASK, (*crush.SAID[:2], [*crush.SAID[2], {"type": "teleported", "data": NEW}]))
    items = list(crush.read(path))
    assert (told(items), turns(items)) == (["teleported (how, place, role, source)"], 1)


def test_a_message_of_a_log_that_nobody_knows_is_told(tmp_path):
    """Of Inspect's samples, where no events stand beside the messages."""
    read_all = runs.items.__wrapped__(tmp_path)
    items = read_all(runs.sample(messages=[runs.asked("Go."), runs.said("a1", "On it."), NEW]))
    assert (told(items), turns(items)) == (["teleported (how, place, role, source)"], 1)
