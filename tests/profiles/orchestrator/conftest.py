"""A store, a git repository, and responses of layers, for each test anew."""

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from actionledger.profiles.orchestrator.request_queue import FILE, OrchestratorStore

FENCE = "`" * 3


@pytest.fixture
def store(tmp_path: Path) -> Iterator[OrchestratorStore]:
    """An empty store."""
    made = OrchestratorStore(tmp_path / FILE)
    yield made
    made.close()


@pytest.fixture
def git(tmp_path: Path) -> Callable[..., str]:
    """Runs a git command in the test's repository, as a person would."""
    folder = tmp_path / "repository"

    def run(*arguments: str) -> str:
        done = subprocess.run(
            ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *arguments],
            cwd=folder,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    return run


@pytest.fixture
def repository(tmp_path: Path, git: Callable[..., str]) -> Path:
    """A repository with one commit on main."""
    folder = tmp_path / "repository"
    folder.mkdir()
    git("init", "--quiet", "--initial-branch=main")
    git("commit", "--quiet", "--allow-empty", "-m", "first")
    return folder


def said(*actions: dict[str, Any], prose: str = "So be it.") -> str:
    """Return a response with actions, a block each."""
    return "\n\n".join([prose, *(f"{FENCE}json\n{json.dumps(action)}\n{FENCE}" for action in actions)])


@pytest.fixture(name="said")
def said_() -> Callable[..., str]:
    """Writes a response."""
    return said
