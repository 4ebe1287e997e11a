"""What reading takes is bounded, and what does not fit lies where nobody else looks."""

import json
import os
from pathlib import Path

import pytest

from actionledger.core.errors import LedgerError, MemoryNeededError, UsageError
from actionledger.ledger import Ledger, open_ledger
from actionledger.ledger.queries.marks import Selection
from actionledger.ledger.storage import memory
from actionledger.ledger.storage.copies import write_rows
from actionledger.ledger.storage.memory import (
    FIRST_VARIABLE,
    MEMORY_VARIABLE,
    export_limits,
    limit_for,
    more_than_first,
    reading_limit,
)


def _setting(ledger: Ledger, name: str) -> str:
    [(value,)] = ledger.sql(f"SELECT current_setting('{name}')").fetchall()
    return str(value)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger that holds nothing."""
    path = tmp_path_factory.mktemp("ledger") / "empty.duckdb"
    open_ledger(path, in_background=False).close()
    return path


def test_a_reader_takes_what_the_setting_says(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It holds for ledgers that are opened from then on."""
    monkeypatch.setenv(MEMORY_VARIABLE, "64 MiB")
    with open_ledger(path, read_only=True) as ledger:
        assert _setting(ledger, "memory_limit") == "64.0 MiB"


def test_a_reader_takes_a_part_of_the_machine_where_nothing_is_said(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DuckDB alone takes four fifths of it; a server takes what its ledger needs."""
    monkeypatch.delenv(MEMORY_VARIABLE, raising=False)
    held = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert 0 < int(reading_limit().removesuffix("MB")) * 1_000_000 <= held / 4
    assert (
        limit_for(path)
        == f"{min(96 + path.stat().st_size // 16_000_000, int(reading_limit().removesuffix('MB')))}MB"
    )
    large = path.with_name("large.duckdb")
    with large.open("wb") as file:
        file.truncate(2_400_000_000)
    assert limit_for(large) == f"{min(246, int(reading_limit().removesuffix('MB')))}MB"


@pytest.mark.parametrize("amount", ["much", "64", "-1MB", "64MB; DROP TABLE meta"])
def test_a_setting_that_is_no_amount_is_refused(
    path: Path, amount: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sentence says what to give instead."""
    monkeypatch.setenv(MEMORY_VARIABLE, amount)
    with pytest.raises(UsageError, match="give one such as 512MB"):
        open_ledger(path, read_only=True)


@pytest.mark.parametrize(
    ("amount", "question"), [("1KB", "SELECT 1"), ("20MB", "SELECT list(range) FROM range(5000000)")]
)
def test_a_reader_that_needs_more_names_the_setting(
    path: Path, amount: str, question: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the ledger is opened, and when a question is answered, a first time or by a row."""
    monkeypatch.setenv(MEMORY_VARIABLE, amount)
    with (
        pytest.raises(
            LedgerError, match=f"{MEMORY_VARIABLE}={amount}.*set {MEMORY_VARIABLE} to more, such as 4GB"
        ),
        open_ledger(path, read_only=True) as ledger,
    ):
        ledger.sql(question).fetchall()


def test_a_server_s_reader_takes_more_for_a_question_that_needs_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it was given at first holds again afterwards; who has set a bound is not given more."""
    question = "SELECT len(list(range)) FROM range(5000000)"
    monkeypatch.delenv(MEMORY_VARIABLE, raising=False)
    monkeypatch.setenv(FIRST_VARIABLE, "20MB")
    *between, last = more_than_first()
    assert between[:3] == ["40MB", "80MB", "160MB"]
    assert last == reading_limit()
    with open_ledger(path, read_only=True) as ledger:
        with pytest.raises(MemoryNeededError):
            ledger.sql(question).fetchall()
        with ledger.with_memory(last):
            assert ledger.sql(question).fetchall() == [(5_000_000,)]
        assert _setting(ledger, "memory_limit") == "19.0 MiB"
    monkeypatch.setenv(MEMORY_VARIABLE, "20MB")
    assert list(more_than_first()) == []


def test_what_is_exported_takes_what_any_reader_may(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server begins with little for its pages; a file of everything needs more, once."""
    monkeypatch.delenv(MEMORY_VARIABLE, raising=False)
    monkeypatch.setenv(FIRST_VARIABLE, "20MB")
    with open_ledger(path, read_only=True) as ledger, ledger.snapshot() as connection:
        question = "SELECT len(list(range)) FROM range(5000000)"
        assert connection.execute(question).fetchall() == [(5_000_000,)]
        assert _setting(ledger, "memory_limit") == "19.0 MiB"


@pytest.mark.parametrize(
    ("setting", "limits"),
    [
        ("20MB", ["20MB"]),
        ("1 gb", ["512MB", "1 gb"]),
        ("1.5GiB", ["512MB", "1024MB", "1.5GiB"]),
        ("2GB", ["512MB", "1024MB", "2GB"]),
    ],
)
def test_an_export_begins_with_little(
    path: Path, tmp_path: Path, setting: str, limits: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes twice as much each time, up to what a reader may, and only for rows that need it."""
    monkeypatch.setenv(MEMORY_VARIABLE, setting)
    assert list(export_limits()) == limits
    seen = Selection(
        "SELECT current_setting('memory_limit') AS most, current_setting('threads') AS threads", {}
    )
    with open_ledger(path, read_only=True) as ledger:
        write_rows(ledger, seen, tmp_path / "seen.jsonl", "jsonl")
    [row] = map(json.loads, (tmp_path / "seen.jsonl").read_text().splitlines())
    assert row == {"most": "19.0 MiB" if setting == "20MB" else "488.2 MiB", "threads": 1}


def test_an_export_that_needs_more_gets_it(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the beginning, in a file of its own."""
    monkeypatch.setattr(memory, "_OF_EXPORT", 20_000_000)
    monkeypatch.setenv(MEMORY_VARIABLE, "2GB")
    rows = Selection("SELECT len(list(range)) AS all FROM range(5000000)", {})
    with open_ledger(path, read_only=True) as ledger:
        assert write_rows(ledger, rows, tmp_path / "rows.jsonl", "jsonl") == 1
    assert [each.name for each in tmp_path.iterdir()] == ["rows.jsonl"]
    assert (tmp_path / "rows.jsonl").read_text() == '{"all":5000000}\n'


def test_an_export_that_needs_more_names_the_setting(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No file is left of it."""
    monkeypatch.setenv(MEMORY_VARIABLE, "20MB")
    file = path.with_name("rows.csv")
    with (
        open_ledger(path, read_only=True) as ledger,
        pytest.raises(MemoryNeededError, match=f"{MEMORY_VARIABLE}=20MB"),
    ):
        write_rows(ledger, Selection("SELECT list(range) AS all FROM range(5000000)", {}), file, "csv")
    assert not list(path.parent.glob("*rows.csv*"))


def test_what_does_not_fit_has_a_folder_of_its_own(path: Path) -> None:
    """Nobody else can look into it, no two readers share it, and it isn't beside the ledger."""
    with open_ledger(path, read_only=True) as one, open_ledger(path, read_only=True) as other:
        folders = [Path(_setting(ledger, "temp_directory")) for ledger in (one, other)]
    assert folders[0] != folders[1]
    assert folders[0].parent.stat().st_mode & 0o777 == 0o700
    assert path.parent not in folders[0].parents


@pytest.mark.soak
def test_nothing_stays_of_what_did_not_fit(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A question that needs more than the limit is answered, by way of a folder that goes with the ledger."""
    monkeypatch.setenv(MEMORY_VARIABLE, "64MB")
    with open_ledger(path, read_only=True) as ledger:
        folder = Path(_setting(ledger, "temp_directory"))
        asked = ledger.sql("SELECT a FROM (SELECT range AS a FROM range(10000000)) ORDER BY hash(a), a")
        assert asked.fetchone() is not None
        assert list(folder.iterdir())
        del asked
    assert not folder.exists()
