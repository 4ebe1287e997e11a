"""Automatic sessions of the coder, and what its tags look like."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import actionledger as al
from actionledger.core.values import Observation
from actionledger.core.vocabulary import ExecutionStatus


class Session:
    """A session of the coder, asked for actions by name."""

    def __init__(self, runtime: al.Runtime) -> None:
        self.runtime = runtime
        self.root = runtime.workspace

    def handle(self, *calls: tuple[str, dict[str, object]]) -> al.Turn:
        """Have a response handled that holds calls."""
        return self.runtime.handle(al.render(list(calls), dialect="xml_tags"))

    def run(self, name: str, /, **arguments: object) -> Observation:
        """Return what came of one action."""
        (observation,) = self.handle((name, arguments)).observations
        return observation

    def done(self, name: str, /, **arguments: object) -> dict[str, object]:
        """Return the result of one action that succeeds."""
        observation = self.run(name, **arguments)
        assert observation.status is ExecutionStatus.SUCCEEDED, observation.message
        return observation.result

    def write(self, path: str, text: str) -> None:
        """Put a file there, past the session."""
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def read(self, path: str) -> str:
        """Return what a file holds."""
        return (self.root / path).read_text()

    def tree(self) -> dict[str, str]:
        """Return every file outside of a repository's own folder, with what it holds."""
        files = (path for path in self.root.rglob("*") if path.is_file() and ".git" not in path.parts)
        return {str(path.relative_to(self.root)): path.read_text() for path in files}


@pytest.fixture
def open_session(tmp_path: Path) -> Iterator[Callable[..., Session]]:
    """Opens sessions in a folder of the test's own; automatic ones, unless told otherwise."""
    opened: list[al.Runtime] = []

    def open_one(profile: object = "coder", **given: object) -> Session:
        opened.append(al.Runtime(profile, **({"workspace": tmp_path / "work", "auto": True} | given)))
        return Session(opened[-1])

    yield open_one
    for runtime in opened:
        runtime.close()


@pytest.fixture
def session(open_session: Callable[..., Session]) -> Session:
    """An automatic session without a ledger."""
    return open_session()
