"""Providers' recorded answers: every call in them is found, with its arguments, and nothing else."""

import gzip
import json
from pathlib import Path

import pytest

from actionledger.parsing.providers import read_message
from actionledger.vocabulary import Reason

pytestmark = pytest.mark.corpus

CORPORA = Path(__file__).parents[3] / "shared" / "corpora"
MARKS = {
    "openai_chat": ["function"],
    "openai_responses": ["function_call", "custom_tool_call"],
    "anthropic": ["tool_use"],
}
"""What the type of a call is in each spelling; a Gemini call is known by its key."""


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
    return "anthropic" if body.get("type") == "message" else ""


def calls_in(value, dialect):
    """Count the calls in a body by what marks one, wherever it stands."""
    if isinstance(value, list):
        return sum(calls_in(item, dialect) for item in value)
    if not isinstance(value, dict):
        return 0
    is_call = "functionCall" in value if dialect == "gemini" else value.get("type") in MARKS[dialect]
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
    seen = dict.fromkeys([*MARKS, "gemini"], 0)
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
