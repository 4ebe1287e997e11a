"""What tests share: a state folder that is nobody's, and what no profile may do: take for nothing what the documents' parsers act on."""

import gc
import os
import shutil
from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import count
from pathlib import Path

import pytest
from effort import register_profiles
from forked_python import ForkedPython

from actionledger.core.values import Block, RawAction
from actionledger.core.vocabulary import BlockStatus, Outcome, Reason
from actionledger.ledger import Ledger, open_ledger
from actionledger.ledger.storage import background, ingest, working_file
from actionledger.ledger.storage.files import LedgerFiles
from actionledger.ledger.storage.store import IngestReport
from actionledger.ledger.storage.working_file import bring_up_to_date
from actionledger.reading.parsers import PARSERS

pytest_plugins = ["slow_tests", "time_limit"]
register_profiles()

BASELINES = {
    "assistant": ("gembrain-standard", "gembrain-iterative"),
    "assistant-iterative": ("gembrain-iterative",),
    "orchestrator": ("echelon-progressive",),
    "coder": ("go-tags",),
    "mint": ("mint-harness", "mint-harness-fences"),
}
"""Each parser of a document's format with the document's own parsers."""

SYNCING = {"fsync", "fdatasync"} & set(dir(os))
MAKING_LEDGERS = {
    Path(__file__).with_name("ledger") / f"test_{name}.py"
    for name in ("comments", "crashes", "ingest", "migrations", "opening", "publishing")
}
"""The tests of how a new ledger is made."""

PUBLISHING = MAKING_LEDGERS | {
    Path(__file__).with_name("ledger") / f"test_{name}.py" for name in ("background", "ledger", "reading")
}
"""The tests of what is taken in and published without being asked."""

RARELY = 20_000
"""So many new objects are looked through for rubbish at once; with the usual seven hundred, reading took a thirtieth longer."""

SOAK_ORDER = "SOAK_ORDER"
"""A variable of the environment: another order of files for each of its values."""

LostActions = Callable[[str, str], list[RawAction]]


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """What is collected stays to the end: nobody looks through it for rubbish, now or in every child that is forked later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.set_threshold(RARELY)
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A soak that is cut off leaves out other tests than the one before it."""
    if order := os.environ.get(SOAK_ORDER):
        items.sort(key=lambda item: sha256(f"{order} {item.path.name}".encode()).digest())


@pytest.fixture(scope="session")
def states(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One new folder after the other: pytest's own way looks through all that are there, for each of many thousand tests."""
    folder = tmp_path_factory.mktemp("states")
    return (folder / str(number) for number in count())


@pytest.fixture(autouse=True)
def state(monkeypatch: pytest.MonkeyPatch, states: Iterator[Path]) -> Path:
    """The folder that takes the place of ``~/.local/state``."""
    folder = next(states)
    folder.mkdir()
    monkeypatch.setenv("XDG_STATE_HOME", str(folder))
    return folder


@pytest.fixture(scope="session", autouse=True)
def _hurried() -> Iterator[None]:
    """No test loses the machine's power: nobody waits until something is on the disk; what would be waited for is still asked for."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        for name in SYNCING:
            monkeypatch.setattr(os, name, lambda descriptor: os.fstat(descriptor) and None)
        yield


@pytest.fixture(scope="session")
def forked() -> Iterator[ForkedPython]:
    """What runs programs that need a process of their own, and not that it loads the package itself."""
    with ForkedPython() as python:
        yield python


@pytest.fixture(scope="session")
def blank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The working file of a new ledger."""
    files = LedgerFiles.at(tmp_path_factory.mktemp("blank") / "blank.duckdb")
    files.make_folders()
    bring_up_to_date(files)
    return files.store


@pytest.fixture(autouse=True)
def _ready_ledgers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, blank: Path) -> None:
    """A new ledger is a copy of one that is made once, but where its making is tested."""
    if request.path not in MAKING_LEDGERS:
        usual = working_file.make_store
        monkeypatch.setattr(
            working_file,
            "make_store",
            lambda files: usual(files) if files.published.exists() else shutil.copy(blank, files.store),
        )


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """A new ledger of a test's own."""
    with open_ledger(tmp_path / "l.duckdb") as opened:
        yield opened


@pytest.fixture(autouse=True)
def _nothing_in_background(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside a test nobody takes in what it records, but where that is tested: queries see it all the same."""
    if request.path not in PUBLISHING:
        monkeypatch.setattr(background, "_GATHER_SECONDS", 3600.0)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """What a ledger that is closed behind its test holds is published for nobody."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        if item.path not in PUBLISHING:
            monkeypatch.setattr(ingest, "ingest", lambda *_, **__: IngestReport())
        return (yield)


class Disk:
    """Notes what was waited for until it was on the disk: what would survive a power loss."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._synced: dict[tuple[int, int], int] = {}
        for name in SYNCING:
            monkeypatch.setattr(os, name, self._noting(getattr(os, name)))

    def _noting(self, usual: Callable[[int], None]) -> Callable[[int], None]:
        def sync(descriptor: int) -> None:
            usual(descriptor)
            status = os.fstat(descriptor)
            self._synced[status.st_dev, status.st_ino] = status.st_size

        return sync

    def bytes_of(self, path: Path) -> int:
        """Return how long a file was when it was last waited for; 0 where it never was."""
        status = path.stat()
        return self._synced.get((status.st_dev, status.st_ino), 0)

    def forget(self) -> None:
        """Forget all that was waited for."""
        self._synced.clear()


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    """Notes from here on what is waited for until it is on the disk."""
    return Disk(monkeypatch)


@pytest.fixture(scope="session")
def lost_actions() -> LostActions:
    """Return what tells which actions a baseline reads that a parser neither reads nor reports."""
    return _lost_actions


@pytest.fixture(scope="session")
def claimed_actions() -> LostActions:
    """Return what tells which actions the baselines of a parser read."""
    return _claimed_actions


def _claimed_actions(name: str, text: str) -> list[RawAction]:
    """An empty answer is none: its tag was only mentioned."""
    claimed = (action for baseline in BASELINES[name] for action in PARSERS[baseline].read(text).actions)
    return [action for action in claimed if action.arguments != {"answer": ""}]


def _lost_actions(name: str, text: str) -> list[RawAction]:
    """An action is accounted for if it was read or shown with a reason, or if the response counts as a loss."""
    claimed = _claimed_actions(name, text)
    if not claimed:
        return []
    reading = PARSERS[name].read(text)
    if reading.outcome in {Outcome.FAILED, Outcome.PARTIAL}:
        assert reading.issues
        return []
    return [action for action in claimed if not any(_accounts(block, action) for block in reading.blocks)]


def _accounts(block: Block, action: RawAction) -> bool:
    is_named = block.status is not BlockStatus.IGNORED or block.reason is not Reason.NOT_AN_ACTION
    return is_named and block.span.start < action.span.end and action.span.start < block.span.end
