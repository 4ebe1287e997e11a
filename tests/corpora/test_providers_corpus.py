"""Providers' recorded answers: every call in them is found, with its arguments, and nothing else."""

import gzip
import json

import pytest
from corpus_files import CORPORA

from actionledger.core.vocabulary import Reason
from actionledger.reading.messages import read_message

pytestmark = pytest.mark.corpus

MARKS = {
    "openai_chat": ["function"],
    "openai_responses": ["function_call", "custom_tool_call"],
    "anthropic": ["tool_use"],
}
"""What the type of a call is in each spelling."""

KEYS = {"gemini": "functionCall", "bedrock": "toolUse"}
"""The key that a call stands under in the spellings that have no type for it."""


def folder(name):
    found = CORPORA / name
    if not found.is_dir():
        pytest.skip(f"The recordings are not here: expected in shared/corpora/{name} beside the checkout.")
    return found


def spelling(body):
    if isinstance(body.get("output"), list):
        return "openai_responses"
    if "choices" in body:
        return "openai_chat"
    if "candidates" in body:
        return "gemini"
    if isinstance(body.get("output"), dict):
        return "bedrock"
    return "anthropic" if body.get("type") == "message" else ""


def calls_in(value, dialect):
    """Count the calls in a body by what marks one, wherever it stands."""
    if isinstance(value, list):
        return sum(calls_in(item, dialect) for item in value)
    if not isinstance(value, dict):
        return 0
    is_call = KEYS[dialect] in value if dialect in KEYS else value.get("type") in MARKS[dialect]
    return is_call + sum(calls_in(item, dialect) for item in value.values())


def recorded_bodies():
    yaml = pytest.importorskip("yaml")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    for path in sorted(folder("vcr-cassettes").glob("*/*.yaml")):
        for interaction in yaml.load(path.read_text(encoding="utf-8"), Loader=loader)["interactions"]:
            body = interaction["response"].get("parsed_body")
            if isinstance(body, dict):
                yield body


def test_recorded_bodies_of_all_providers_are_read():
    """Each spelling is recognised, and its calls are all of the body's."""
    seen = dict.fromkeys([*MARKS, *KEYS], 0)
    for body in recorded_bodies():
        dialect = spelling(body)
        read = read_message(body)
        if not dialect:
            found = (read.text, read.actions, [issue.code for issue in read.issues])
            assert found == ("", (), [Reason.WRONG_SHAPE])
            continue
        assert read.issues == ()
        assert len(read.actions) == calls_in(body.get("output", body), dialect)
        assert all(action.dialect == dialect and action.name for action in read.actions)
        seen[dialect] += len(read.actions)
    assert all(seen.values()), seen


def test_the_messages_of_an_agent_are_read():
    """tau-bench's episodes: each call with its arguments, each text as it stands."""
    path = folder("tau-bench") / "gpt-4o-airline.first100.json.gz"
    episodes = json.loads(gzip.decompress(path.read_bytes()))
    messages = [
        message for episode in episodes for message in episode["traj"] if message["role"] == "assistant"
    ]
    assert messages
    for message in messages:
        read = read_message(message)
        functions = [call["function"] for call in message.get("tool_calls") or []]
        assert read.text == (message.get("content") or "")
        assert read.issues == ()
        assert [(action.name, action.arguments) for action in read.actions] == [
            (function["name"], json.loads(function["arguments"])) for function in functions
        ]


HELD = ("tool_calls", "toolCalls")
SINGLE = ("function_call", "tool_call", "functionCall", "toolUse")
TYPES = {"tool_use", "tool_call", "tool-call", "toolCall", "function_call", "custom_tool_call"}


def objects_in(value, depth=0):
    """Yield every object in a recording, those in JSON texts as well."""
    if isinstance(value, str) and depth < 60 and value[:1] in {"{", "["}:
        try:
            value = json.loads(value)
        except ValueError:
            return
    if isinstance(value, dict):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects_in(item, depth + 1)


def is_typed(part):
    return isinstance(part, dict) and isinstance(part.get("type"), str) and part["type"] in TYPES


def raw_calls(message):
    """Return the calls of a message, found by what marks one in any agent's recording."""
    parts = [
        part
        for key in ("content", "parts", "output")
        for part in (message.get(key) if isinstance(message.get(key), list) else [])
    ]
    found = [part for part in parts if is_typed(part)]
    found += [
        part[key]
        for part in (message, *filter(lambda part: isinstance(part, dict), parts))
        for key in SINGLE
        if isinstance(part.get(key), dict)
    ]
    found += [
        call for key in HELD for call in (message.get(key) if isinstance(message.get(key), list) else [])
    ]
    return found or ([message] if is_typed(message) else [])


def name_and_arguments(call):
    """Return what a call says, whatever its keys are; free text is the argument input."""
    inner = call["function"] if isinstance(call.get("function"), dict) else call
    name = next((inner[key] for key in inner if key in {"name", "function_name", "toolName"}), "")
    if inner.get("namespace") not in {None, "functions"}:
        name = f"{inner['namespace']}__{name}"
    keys = [key for key in inner if key in {"arguments", "args", "input", "parameters"}]
    given = inner[keys[0]] if keys else {}
    if call.get("type") == "custom_tool_call":
        return name, {"input": given}
    return name, json.loads(given) if isinstance(given, str) and given else given or {}


def test_the_calls_of_every_agent_are_read():
    """Each message in 25 formats of recordings: all of its calls, with their names and arguments."""
    messages = calls = with_arguments = 0
    for path in sorted(folder("agents").rglob("*")):
        text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
        whole = list(objects_in(text))
        for found in whole or [each for line in text.splitlines() for each in objects_in(line)]:
            marked = raw_calls(found)
            if not marked:
                continue
            read = read_message(found)
            if all(isinstance(call, str) for call in marked):  # a text for each call, and its name elsewhere
                assert (len(read.issues), read.actions) == (len(marked), ()), path
                continue
            expected = [name_and_arguments(call) for call in marked]
            assert read.issues == (), (path, found)
            assert [(action.name, action.arguments) for action in read.actions] == expected, path
            messages += 1
            calls += len(expected)
            with_arguments += sum(bool(arguments) for _, arguments in expected)
    assert (messages, calls, with_arguments) == (326, 331, 298)
