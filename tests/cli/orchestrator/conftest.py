"""What layers say, and a repository, for each test anew."""

import json
import runpy
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

FENCE = "`" * 3
PLAN = {"action": "update_plan", "plan": "First the index."}
BRANCH = {"action": "create_branch", "branch_name": "search/accents"}
ISSUES = {"action": "create_issues", "issues": [{"title": "Accents", "body": "", "labels": ["search"]}]}

Play = Callable[..., list[str]]


def said(prose: str, *actions: dict[str, Any]) -> str:
    """Return a response with actions, a block each."""
    return "\n\n".join([prose, *(f"{FENCE}json\n{json.dumps(action)}\n{FENCE}" for action in actions)])


@pytest.fixture(name="said")
def said_() -> Callable[..., str]:
    """Writes a response: its prose, then its actions."""
    return said


@pytest.fixture
def play(tmp_path: Path) -> Play:
    """Writes what layers say; gives the options that have them say it."""

    def write(**texts: list[str]) -> list[str]:
        options = []
        for name, responses in texts.items():
            layer = name.strip("_").replace("_", "-")
            path = tmp_path / f"{layer}.jsonl"
            path.write_text("\n".join(map(json.dumps, responses)))
            options.append(f"--layer={layer}=scripted:{path}")
        return options

    return write


@pytest.fixture
def whole(play: Play) -> list[str]:
    """Three layers, each of which does its part."""
    return play(
        _2ic=[said("We begin with the index.", PLAN)],
        eng_lead=[said("On a branch of its own.", BRANCH)],
        team_lead=[said("One issue will do.", ISSUES)],
    )


@pytest.fixture
def script(play: Play) -> str:
    """A model that has one word to say."""
    (option,) = play(_2ic=["Fine."])
    return option.removeprefix("--layer=2ic=")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one commit on main."""
    folder = tmp_path / "repository"
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main", folder], check=True)
    subprocess.run(["git", "-C", folder, *who, "commit", "-q", "--allow-empty", "-m", "first"], check=True)
    return folder


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The server that the tests of models have."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    made = runpy.run_path(str(Path(__file__).parents[2] / "runtime" / "models" / "conftest.py"))[
        "ChatServer"
    ]()
    yield made
    made.close()
