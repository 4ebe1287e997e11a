"""How a DuckDB gets a lake's extensions where no package has them: from its own folder, else by INSTALL."""

import gzip
from pathlib import Path

import duckdb
import pytest
from lakes import why_no_lake, write_place

from actionledger.core.errors import LedgerError
from actionledger.ledger import open_ledger
from actionledger.ledger.storage.lake import connection as connecting

NAMES = ("ducklake", "sqlite_scanner")


class Asked:
    """A connection that has some extensions, can install others, and notes what it was asked."""

    def __init__(self, *, has: bool, installs: bool) -> None:
        self._has, self._installs = has, installs
        self.asked: list[str] = []

    def execute(self, statement: str) -> None:
        self.asked.append(statement)
        if statement.startswith("INSTALL"):
            if not self._installs:
                raise duckdb.IOException("Failed to download extension")
            self._has = True
        elif not self._has:
            raise duckdb.IOException("Extension not found")


def test_what_is_there_is_not_installed() -> None:
    """That asks for no network, and for no folder that can be written to."""
    connection = Asked(has=True, installs=False)
    connecting._load(connection, "postgres_scanner", None)
    assert connection.asked == ["LOAD postgres"]


def test_what_is_not_there_is_installed() -> None:
    """By the name that DuckDB installs it by."""
    connection = Asked(has=False, installs=True)
    connecting._load(connection, "sqlite_scanner", None)
    assert connection.asked == ["LOAD sqlite", "INSTALL sqlite", "LOAD sqlite"]


def test_what_can_not_be_had_is_said_with_what_to_do() -> None:
    """In one sentence, with this DuckDB's version."""
    with pytest.raises(
        LedgerError, match=rf"DuckDB {duckdb.__version__} has no extension 'ducklake'.*INSTALL"
    ):
        connecting._load(Asked(has=False, installs=False), "ducklake", None)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A folder laid out as DuckDB's own server of extensions is, with those of the packages."""
    if why := why_no_lake():
        pytest.skip(f"no lake: {why}")
    with duckdb.connect() as plain:
        [(platform,)] = plain.execute("PRAGMA platform").fetchall()
    folder = tmp_path / "repository" / f"v{duckdb.__version__}" / platform
    folder.mkdir(parents=True)
    for name in NAMES:
        file = connecting._in_package(name)
        if file is None:
            pytest.skip("the extensions of this lake are no packages")
        content = file.read_bytes()
        (folder / file.name).write_bytes(content)
        (folder / f"{file.name}.gz").write_bytes(gzip.compress(content, 1))
    return tmp_path / "repository"


def test_a_lake_by_install_and_then_without_the_network(repository, tmp_path, monkeypatch) -> None:
    """No package: each is installed once, into the user's folder; brought along, that folder is enough."""
    monkeypatch.setattr(connecting, "_in_package", lambda _name: None)
    usual, source = duckdb.connect, [str(repository)]

    def connect(*given, config=None, **named):
        more = {
            "custom_extension_repository": source[0],
            "extension_directory": str(tmp_path / "home"),
        }
        return usual(*given, config={**(config or {}), **more}, **named)

    monkeypatch.setattr(connecting.duckdb, "connect", connect)
    place = write_place(tmp_path / "a", f"sqlite:{tmp_path}/catalog.sqlite", f"{tmp_path}/data")
    with open_ledger(place, in_background=False) as ledger:
        ledger.record_turn("s1", "Hello.")
        assert ledger.ingest().published
    assert {path.name.split(".")[0] for path in (tmp_path / "home").rglob("*.duckdb_extension")} == set(NAMES)
    source[0] = str(tmp_path / "nowhere")
    with open_ledger(place, read_only=True) as ledger:
        assert ledger.sql("SELECT text FROM turns").fetchall() == [("Hello.",)]
    monkeypatch.setattr(duckdb, "connect", usual)
