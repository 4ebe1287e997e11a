"""Commands in a folder of their own."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from actionledger.execution.commands import Commands, CommandSettings
from actionledger.execution.commands.running import Ran, run_command
from actionledger.execution.workspace import Workspace


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The workspace's folder."""
    made = tmp_path / "work"
    made.mkdir()
    return made


@pytest.fixture
def run(root: Path, tmp_path: Path) -> Callable[..., Ran]:
    """Runs words in the workspace; settings and what ``run_command`` takes can be given by name."""
    home = tmp_path / "home"
    home.mkdir()

    def command(*words: str, on_output: Any = None, cancelled: Any = None, **settings: Any) -> Ran:
        return run_command(
            words,
            workspace=root,
            home=home,
            settings=CommandSettings(**{"seconds": 20.0, "grace": 0.3} | settings),
            on_output=on_output,
            cancelled=cancelled,
        )

    return command


@pytest.fixture
def commands(root: Path) -> Iterator[Commands]:
    """The commands of a session."""
    made = Commands(Workspace(root), CommandSettings(seconds=20.0, grace=0.3))
    yield made
    made.close()


def is_alive(process: int) -> bool:
    """Return whether a process runs; one that has ended and was not collected doesn't."""
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


@pytest.fixture
def gone() -> Callable[[int], bool]:
    """Waits for a process to end, for a few seconds at the most; says whether it did."""

    def wait(process: int) -> bool:
        patience = time.monotonic() + 5
        while is_alive(process) and time.monotonic() < patience:
            os.sched_yield()
        return not is_alive(process)

    return wait
