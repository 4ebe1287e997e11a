"""Claude Code's and Codex's sessions of a project, counted in a ledger and once more by a few lines that share no code with it."""

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from corpus_files import CORPORA
from effort import is_soak

import actionledger as al

pytestmark = [
    pytest.mark.scaled,
    pytest.mark.skipif(not (CORPORA / "agents-more").is_dir(), reason="no recordings of agents here"),
]
FILES, LARGEST = (12, None) if is_soak() else (6, -12)
"""So many files of each format: the largest of them, or those behind these."""


def largest(form: str) -> list[Path]:
    found = (CORPORA / "agents-more" / form).glob("*.jsonl.gz")
    return sorted(found, key=lambda path: path.stat().st_size)[-FILES + (LARGEST or 0) : LARGEST]


def lines(form: str) -> Iterator[dict[str, Any]]:
    decoder = json.JSONDecoder()
    for path in largest(form):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for line in file:
                at = 0
                while at < len(line.rstrip()):
                    value, at = decoder.raw_decode(line, at)
                    yield value


def parts(form: str, kind: str) -> Iterator[dict[str, Any]]:
    for line in lines(form):
        content = (line.get("message") or {}).get("content")
        yield from (part for part in content or [] if isinstance(part, dict) and part.get("type") == kind)


def counted(form: str, folder: Path) -> dict[str, object]:
    """Return what a ledger has of the files, after taking them in twice."""
    with al.open_ledger(folder / "l.duckdb") as ledger:
        al.import_path(largest(form), ledger)
        events = ledger.sql("SELECT count(*) FROM events").fetchone()
        again = al.import_path(largest(form), ledger)
        assert (again.turns, ledger.sql("SELECT count(*) FROM events").fetchone()) == (0, events)
        asked = """
            SELECT (SELECT count(DISTINCT call_id) FROM actions), count(*), count(DISTINCT call_id),
                   count(*) FILTER (status <> 'succeeded' AND NOT is_inferred), (SELECT sum(output_tokens) FROM turns)
            FROM executions WHERE origin = 'recorded'"""
        row = ledger.sql(asked).fetchone()
    return dict(zip(("calls", "executions", "results", "errors", "tokens"), row, strict=True))


def test_claude_codes_calls_and_results_are_all_there_once(tmp_path):
    """Each call, each result, each error by its own mark; and the tokens of a message once, however many lines it has."""
    calls = {part["id"] for part in parts("claude-code", "tool_use")}
    results = {part["tool_use_id"]: part.get("is_error") for part in parts("claude-code", "tool_result")}
    messages = [line["message"] for line in lines("claude-code") if line["type"] == "assistant"]
    usage = {
        each["id"]: each["usage"]["output_tokens"] for each in messages if each["model"] != "<synthetic>"
    }
    ended = {each["id"] for each in messages if each["stop_reason"]}
    size: Counter[str] = Counter()
    for each in messages:
        for part in each["content"] if isinstance(each["content"], list) else ():
            told = part.get("text") or part.get("thinking") or json.dumps(part.get("input", ""))
            size[each["id"]] += len(told)
    begun = {name for name, tokens in usage.items() if name not in ended and size[name] > 16 * (tokens + 2)}
    assert counted("claude-code", tmp_path) == {
        "calls": len(calls),
        "executions": len(results),
        "results": len(results),
        "errors": sum(map(bool, results.values())),
        "tokens": sum(tokens for name, tokens in usage.items() if name not in begun),
    }


def test_codexs_calls_and_results_are_all_there_once(tmp_path):
    """Also those that a sub-agent's file has copied from its parent's."""
    items = [line["payload"] for line in lines("codex") if line["type"] == "response_item"]
    calls = {item["call_id"] for item in items if item["type"] in {"function_call", "custom_tool_call"}}
    results = {item["call_id"] for item in items if item["type"].endswith("call_output")}
    found = counted("codex", tmp_path)
    assert (found["calls"], found["executions"], found["results"]) == (len(calls), len(results), len(results))
