"""A model's server and a ledger, for what passes between them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_upstream import Upstream
from httpx._config import DEFAULT_TIMEOUT_CONFIG

import actionledger as al


@pytest.fixture(scope="package", autouse=True)
def _patient() -> Iterator[None]:
    """Where nothing else is said, an answer is waited for as long as a busy machine takes: five seconds were too few."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        for name in ("connect", "read", "write", "pool"):
            monkeypatch.setattr(DEFAULT_TIMEOUT_CONFIG, name, 120.0)
        yield


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    server = Upstream()
    yield server
    server.close()


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[al.Ledger]:
    with al.open_ledger(tmp_path / "live.duckdb", in_background=False) as opened:
        yield opened
