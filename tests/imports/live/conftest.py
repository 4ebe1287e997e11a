"""A model's server and a ledger, for what passes between them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_upstream import Upstream

import actionledger as al


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    server = Upstream()
    yield server
    server.close()


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[al.Ledger]:
    with al.open_ledger(tmp_path / "live.duckdb", in_background=False) as opened:
        yield opened
