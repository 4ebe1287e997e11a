"""Texts of recordings that name the tools which were offered: what others wrote, for the oracle of silent calls."""

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

CORPORA = Path(__file__).parents[4] / "shared" / "corpora"

_DOCUMENTED = re.compile(r"BEGIN FUNCTION #\d+: (\S+) --")
_API_CALL = re.compile(r"<<<api_call>>>:\s*([A-Za-z_][\w.]*)\(")
_DEFINED = re.compile(r"^\s*def (\w+)\(", re.MULTILINE)


class Recorded(NamedTuple):
    """A text and the tools that were offered with it."""

    source: str  # the folder that it is from
    text: str  # what was written
    names: tuple[str, ...]  # the tools' names


def recorded() -> Iterator[Recorded]:
    """Yield each text of the recordings that are here in which an offered name stands, once for each set of names."""
    seen: set[Recorded] = set()
    for make in (_of_agents, _of_gorilla, _of_aider, _of_mint):
        for each in make():
            if each not in seen and any(name in each.text for name in each.names):
                seen.add(each)
                yield each


def _of_agents() -> Iterator[Recorded]:
    """Yield the texts of files in which tools are defined, or called by the interfaces of providers."""
    for folder in ("agents", "agents-more", "vcr-cassettes", "tau-bench", "inspect-logs", "langfuse-export"):
        for path in sorted((CORPORA / folder).rglob("*")):
            if path.is_file() and path.stat().st_size < 4_000_000:
                values = list(_values(path))
                names = tuple(sorted({name for value in values for name in _tool_names(value)}))
                texts = dict.fromkeys(text for value in values for text in _strings(value))
                yield from (Recorded(folder, text, names) for text in texts if len(text) < 20_000)


def _of_gorilla() -> Iterator[Recorded]:
    for path in sorted((CORPORA / "gorilla-apibench").rglob("*.jsonl.gz")):
        for value in _values(path):
            text = value.get("text", "") if isinstance(value, dict) else ""
            names = tuple(sorted(set(_API_CALL.findall(text))))
            yield Recorded("gorilla-apibench", text, names)


def _of_aider() -> Iterator[Recorded]:
    """Yield the turns of chats about code; what is defined in a chat stands for the tools."""
    for path in sorted((CORPORA / "aider-swe-bench").glob("*.md.gz")):
        text = gzip.decompress(path.read_bytes()).decode(errors="replace")
        names = tuple(sorted(set(_DEFINED.findall(text))))
        yield from (Recorded("aider-swe-bench", turn, names) for turn in text.split("\n#### "))


def _of_mint() -> Iterator[Recorded]:
    """Yield the assistant's turns of every twelfth file; one tool is a function that its code calls."""
    for path in sorted((CORPORA / "mint").rglob("results.jsonl.gz"))[::12]:
        for value in _values(path):
            history = value.get("state", {}).get("history", []) if isinstance(value, dict) else []
            for turn in history:
                if turn.get("role") == "assistant" and isinstance(turn.get("content"), str):
                    yield Recorded("mint", turn["content"], ("execute", "solution", "wikipedia_search"))


def _values(path: Path) -> Iterator[Any]:
    try:
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        text = content.decode()
    except (OSError, UnicodeDecodeError):
        return
    try:
        yield json.loads(text)
    except ValueError:
        for line in text.splitlines():
            try:
                yield json.loads(line)
            except ValueError:
                continue


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
        yield from _strings_of_json(value)
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _strings(item)


def _strings_of_json(text: str) -> Iterator[str]:
    if text[:1] in {"{", "["} and len(text) < 100_000:
        try:
            yield from _strings(json.loads(text))
        except ValueError:
            return


def _tool_names(value: Any) -> Iterator[str]:
    """Yield what is defined as a tool, documented as one, or called as one."""
    if isinstance(value, str):
        yield from _DOCUMENTED.findall(value)
    elif isinstance(value, list):
        for item in value:
            yield from _tool_names(item)
    elif isinstance(value, dict):
        name = value.get("name")
        if (
            isinstance(name, str)
            and name
            and {"parameters", "input_schema", "arguments", "input"} & value.keys()
        ):
            yield name
        for item in value.values():
            yield from _tool_names(item)
