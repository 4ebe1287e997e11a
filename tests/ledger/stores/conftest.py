"""The places where a ledger's tables may lie: one file, a lake on this disk, a lake on PostgreSQL and S3."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import lake_servers
import pytest
from effort import soaked
from lakes import why_no_lake, write_place

from actionledger.core.ids import new_id

Where = Callable[[Path], Path]
"""Makes the path of a ledger in a folder; each time of one in the same place, for another host."""


@pytest.fixture
def lake(tmp_path: Path) -> Callable[[str], Path]:
    """Returns the path of one and the same lake on this disk, as the host of a name has it."""
    if why := why_no_lake():
        pytest.skip(f"no lake: {why}")
    return lambda host: write_place(
        tmp_path / host, f"sqlite:{tmp_path}/catalog.sqlite", f"{tmp_path}/data", host
    )


@pytest.fixture(scope="session")
def servers() -> Iterator[dict[str, str]]:
    """How a PostgreSQL and an S3 are reached that run while the tests do."""
    if why := why_no_lake():
        pytest.skip(f"no lake: {why}")
    try:
        with lake_servers.postgres() as database, lake_servers.s3() as storage:
            yield database | storage
    except lake_servers.NotHereError as error:
        pytest.skip(str(error))


@pytest.fixture
def served_lake(tmp_path: Path, servers, monkeypatch) -> Callable[[str], Path]:
    """Returns the path of one and the same lake on PostgreSQL and S3, as the host of a name has it."""
    for name, value in servers.items():
        monkeypatch.setenv(name, value)
    name = f"ledger_{new_id()[-12:]}"
    lake_servers.make_database(servers, name)
    data_path = f"s3://{lake_servers.BUCKET}/{name}/"
    return lambda host: write_place(tmp_path / host, f"postgres:dbname={name}", data_path, host)


@pytest.fixture(params=soaked(["one file", "lake", "served lake"], ["one file", "lake"]))
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], Path]:
    """Returns the path of one and the same ledger, as the host of a name has it; one file has one host."""
    match request.param:
        case "lake":
            found = request.getfixturevalue("lake")
        case "served lake":
            found = request.getfixturevalue("served_lake")
        case _:
            found = lambda _host: tmp_path / "team.duckdb"  # noqa: E731
    assert callable(found)
    return found


@pytest.fixture
def environment() -> dict[str, str]:
    """The environment of another process."""
    return dict(os.environ)
