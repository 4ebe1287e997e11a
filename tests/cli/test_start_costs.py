"""What everyday commands take to start and work is counted: modules, patterns, statements and threads. Each has its limit."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SESSION = ROOT / "data" / "agents" / "claude-code" / "retry-backoff.jsonl"
RESPONSE = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>\n'
LIMITS = {
    "import": {"modules": 497, "own": 302, "patterns": 167, "statements": 62, "threads": 1},
    "report": {"modules": 232, "own": 124, "patterns": 32, "statements": 54, "threads": 1},
    "show": {"modules": 185, "own": 86, "patterns": 28, "statements": 19, "threads": 1},
    "failures": {"modules": 215, "own": 112, "patterns": 31, "statements": 25, "threads": 1},
    "loops": {"modules": 214, "own": 112, "patterns": 28, "statements": 16, "threads": 1},
    "parse": {"modules": 360, "own": 204, "patterns": 43, "statements": 0, "threads": 0},
}


@pytest.fixture(scope="module")
def arguments(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, list[str]]]:
    """With a cache of its own, which no other version's command writes to."""
    folder = tmp_path_factory.mktemp("start")
    response, ledger = folder / "response.txt", str(folder / "team.duckdb")
    response.write_text(RESPONSE, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        counted(["import", str(SESSION), "--ledger", ledger])
        counted(["loops", "--ledger", ledger])  # what it finds is kept, and not searched for again
        yield {name: [name, "--ledger", ledger] for name in ("report", "show", "failures", "loops")} | {
            "import": ["import", str(SESSION), "--ledger", str(folder / "new.duckdb")],
            "parse": ["parse", str(response)],
        }


def counted(arguments: list[str]) -> dict[str, int]:
    script = ROOT / "tests" / "support" / "counting_start.py"
    done = subprocess.run([sys.executable, script, *arguments], check=True, capture_output=True, text=True)
    return json.loads(done.stderr.splitlines()[-1])


@pytest.mark.parametrize("command", LIMITS)
def test_a_command_takes_no_more_than_it_needs(arguments: dict[str, list[str]], command: str) -> None:
    took = counted(arguments[command])
    over = {name: took[name] for name, limit in LIMITS[command].items() if took[name] > limit}
    assert not over, (
        f"{took}: what a command needs is loaded when it is needed; where it needs more, raise its limit"
    )
