"""What everyday commands take to start and work is counted: modules loaded, patterns compiled, statements run. Each has its limit."""

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
    "import": {"modules": 500, "own": 305, "patterns": 167, "statements": 62},
    "report": {"modules": 236, "own": 128, "patterns": 33, "statements": 58},
    "show": {"modules": 195, "own": 96, "patterns": 30, "statements": 22},
    "failures": {"modules": 226, "own": 122, "patterns": 33, "statements": 26},
    "loops": {"modules": 226, "own": 122, "patterns": 30, "statements": 18},
    "parse": {"modules": 362, "own": 206, "patterns": 44, "statements": 0},
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
