"""What is in the files of further formats, counted once more by JSON and regular expressions: by none of our code."""

import gzip
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from corpus_files import CORPORA, Held, held_by, sessions_in

from actionledger.imports.sources.registry import source_named

pytestmark = [pytest.mark.corpus, pytest.mark.soak]

AIDER_TOKENS = re.compile(r"(?m)^> ([\d,]+) prompt tokens, ([\d,]+) completion tokens")
NO_ACTION = re.compile(r"\s*(?:No \w+ code was found|Format your \w+ command)")


def text_of(path: Path) -> str:
    """Return a file's text, unpacked."""
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()


def gorilla(path: Path) -> Held:
    """Each line is a session of one response."""
    lines = sum(bool(line.strip()) for line in text_of(path).splitlines())
    return Held(lines, lines, 0, 0, 0, 0)


def intercode(path: Path) -> Held:
    """Each action is a response; where the environment found none in it, there is no call."""
    whole = json.loads(text_of(path))
    episodes = [each["turn_history"] for each in whole.get("logs", whole).values()]
    seen = [observation for each in episodes for observation in each["observations"]]
    turns = sum(len(each["actions"]) for each in episodes)
    none = sum(isinstance(each, str) and bool(NO_ACTION.match(each)) for each in seen)
    return Held(len(episodes), turns, turns - none, len(seen) - none, 0, 0)


def aider(path: Path) -> Held:
    """Each chat says when it began, and each response what it took."""
    text = text_of(path)
    took = [tuple(int(number.replace(",", "")) for number in found) for found in AIDER_TOKENS.findall(text)]
    begun = len(re.findall(r"(?m)^# aider chat started at", text))
    return Held(begun, len(took), -1, -1, sum(sent for sent, _ in took), sum(got for _, got in took))


def spans(value: Any) -> Iterator[dict[str, Any]]:
    """Yield the attributes of each span in a document, wherever it stands."""
    if isinstance(value, dict) and "attributes" in value and "name" in value:
        yield value["attributes"]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for each in inner:
        yield from spans(each)


def any_agent(path: Path) -> Held:
    """Each span of a model's call is a response, each of a tool's a call with its result."""
    found = list(spans(json.loads(text_of(path))))
    asked = [each for each in found if each.get("gen_ai.operation.name") == "call_llm"]
    tools = sum(each.get("gen_ai.operation.name") == "execute_tool" for each in found)
    taken, given = (
        sum(each[f"gen_ai.usage.{side}_tokens"] for each in asked) for side in ("input", "output")
    )
    return Held(1, len(asked), tools, tools, taken, given)


@pytest.mark.parametrize(
    ("source", "files", "count"),
    [
        ("gorilla_apibench", "gorilla-apibench/**/*.jsonl.gz", gorilla),
        ("intercode", "intercode/**/*.json.gz", intercode),
        ("aider", "aider-swe-bench/*_*.md.gz", aider),
        ("otel", "agents/otel-genai-any-agent/*.json", any_agent),
    ],
    ids=["gorilla", "intercode", "aider", "otel"],
)
def test_a_file_holds_what_a_count_of_its_own_says(source: str, files: str, count: Callable[[Path], Held]):
    """Sessions, responses, calls, results and tokens, file by file."""
    paths = sorted(CORPORA.glob(files))
    if not paths:
        pytest.skip(
            f"What others have recorded is not here: expected in shared/corpora/{files} beside the checkout."
        )
    for path in paths:
        held, counted = held_by(sessions_in(path, source_named(source))), count(path)
        if counted.calls < 0:  # what is no call beside a text is not counted apart
            counted = counted._replace(calls=held.calls, results=held.results)
        assert held == counted, path.name
