"""A clock that is far ahead as soon as a command has said so: it runs out of time then, however fast or slow the machine is."""

import time
from pathlib import Path
from types import SimpleNamespace

import pytest

AHEAD_SECONDS = 1000.0


def late_once(monkeypatch: pytest.MonkeyPatch, sign: Path) -> None:
    """Have the time of commands be over when there is a file."""

    def monotonic() -> float:
        return time.monotonic() + AHEAD_SECONDS * sign.exists()

    monkeypatch.setattr("actionledger.runtime.commands.process.time", SimpleNamespace(monotonic=monotonic))
