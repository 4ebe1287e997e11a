"""Commands in a folder of their own."""

import fcntl
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from actionledger.runtime.commands import Commands, CommandSettings, Means, Wall
from actionledger.runtime.commands.process import Ran, run_command
from actionledger.runtime.workspace import Workspace


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The workspace's folder."""
    made = tmp_path / "work"
    made.mkdir()
    return made


MEANS = {
    "all": Means(),
    "Landlock 4": Means(landlock=4),
    "no Landlock": Means(landlock=0),
    "no namespaces": Means(namespaces=False),
    "Landlock 4, no namespaces": Means(namespaces=False, landlock=4),
}
"""What a machine may have to build walls of; each of these keeps a command to its workspace."""


@cache
def walls_of(means: Means) -> frozenset[Wall]:
    """Return the walls that stand here where only some means are used; none where nothing would run."""
    with tempfile.TemporaryDirectory() as folder:
        commands = Commands(Workspace(folder), CommandSettings(means=means))
        try:
            return frozenset(commands.walls())
        finally:
            commands.close()


@pytest.fixture(params=MEANS)
def held(request: pytest.FixtureRequest) -> Means:
    """Means that keep commands to their workspace on this machine, one set after the other."""
    means: Means = MEANS[request.param]
    if Wall.FILES not in walls_of(means):
        pytest.skip("this machine has not even these means")
    return means


@pytest.fixture
def means() -> Means:
    """The means that walls are built of."""
    return Means()


@pytest.fixture
def run(root: Path, tmp_path: Path, means: Means) -> Callable[..., Ran]:
    """Runs words in the workspace; settings and what ``run_command`` takes can be given by name."""
    home = tmp_path / "home"
    home.mkdir()

    def command(*words: str, on_output: Any = None, cancelled: Any = None, **settings: Any) -> Ran:
        return run_command(
            words,
            workspace=root,
            home=home,
            settings=CommandSettings(**{"seconds": 120.0, "grace": 0.3, "means": means} | settings),
            on_output=on_output,
            cancelled=cancelled,
        )

    return command


@pytest.fixture
def commands(root: Path) -> Iterator[Commands]:
    """The commands of a session."""
    made = Commands(Workspace(root), CommandSettings(seconds=120.0, grace=0.3))
    yield made
    made.close()


@pytest.fixture
def locking() -> str:
    """Python code that has a command and all that it starts hold a lock on a file: their numbers mean nothing out here."""
    return (
        "import fcntl, os\nheld = open('held', 'w'); fcntl.flock(held, fcntl.LOCK_EX)\n"
        "os.set_inheritable(held.fileno(), True)\n"
    )


@pytest.fixture
def gone(root: Path) -> Callable[[], bool]:
    """Waits for all that holds the lock of ``locking`` to end, for two minutes at the most; says whether it did."""

    def wait() -> bool:
        patience = time.monotonic() + 120
        with (root / "held").open() as held:
            while time.monotonic() < patience:
                with suppress(BlockingIOError):
                    fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    return True
                os.sched_yield()
        return False

    return wait
