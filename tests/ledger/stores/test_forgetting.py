"""What is forgotten in a lake is in no Parquet file, no catalog and no segment of this host any more; other sessions stay, and so do other hosts."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

import actionledger as al
from actionledger.errors import LedgerError
from actionledger.ledger import open_ledger
from actionledger.ledger.stores.lake import forgetting as in_lake

WORDS = "~~~Zaphod"
"""The greatest text of its column, so that the catalog has it, too."""

KEPT = "This one stays."
LOOSE = re.compile(r"->>?'\w+' *(=|<|>|!=|IN |LIKE )")
STEPS = ("forget_records", "delete_late", "blank_lines")


class KilledError(BaseException):
    """Stands for a process that is gone."""


def found_in(folder: Path) -> Iterator[str]:
    """Yield every file that holds the words, and every column of a Parquet file in which a row does."""
    for path in folder.rglob("*"):
        if not path.is_file() or path.suffix == ".log":
            continue
        if b"Zaphod" in path.read_bytes():
            yield str(path.relative_to(folder))
        if path.suffix == ".parquet" and "-delete" not in path.name:
            with duckdb.connect() as connection:
                rows = connection.execute("SELECT columns(*)::VARCHAR FROM read_parquet(?)", [str(path)])
                if any("Zaphod" in (value or "") for row in rows.fetchall() for value in row):
                    yield f"rows of {path.relative_to(folder)}"


def recorded(path: Path, log: Path) -> None:
    lines = [
        json.dumps({"session": name, "text": text, "prompt": text})
        for name, text in (("bad", WORDS), ("good", KEPT))
    ]
    log.write_text("\n".join(lines), encoding="utf-8")
    al.import_path(log, path, source="log")


def texts(path: Path) -> list[str]:
    with open_ledger(path, read_only=True) as ledger:
        return [text for (text,) in ledger.sql("SELECT text FROM turns ORDER BY text").fetchall()]


def test_nothing_is_left_in_a_lake(lake, tmp_path) -> None:
    """Rows, states of the past, the catalog's pages, segments that are kept for readers; another import doesn't bring it back."""
    path, log = lake("here"), tmp_path / "a.log"
    recorded(path, log)
    with open_ledger(path, in_background=False) as ledger:
        first = ledger._store.state()
        ledger.record_turn("bad 2", WORDS)
        ledger.ingest()
        assert list(found_in(tmp_path))
        report = ledger.forget(["bad", "bad 2"], by="ann")
        assert report.counts["turn_starts"] == 2
        assert list(found_in(tmp_path)) == []
        ledger.record_turn("good 2", KEPT)
    assert al.import_path(log, path, source="log", again_forgotten=False).turns == 0
    assert texts(path) == [KEPT, KEPT]
    assert list(found_in(tmp_path)) == []
    with pytest.raises(LedgerError, match="no snapshot"):
        open_ledger(path, as_of=first)
    with open_ledger(path, read_only=True) as ledger:
        assert ledger.sql("SELECT DISTINCT forgotten_by FROM forgotten").fetchall() == [("ann",)]
    assert al.import_path(log, path, source="log", again_forgotten=True).turns == 1
    assert texts(path) == [KEPT, KEPT, WORDS]


@pytest.mark.parametrize("step", STEPS)
def test_whoever_is_killed_at_a_lake_is_followed_by_the_next(lake, tmp_path, monkeypatch, step) -> None:
    """The next ingest of this host goes on with it."""
    path = lake("here")
    recorded(path, tmp_path / "a.log")

    def killed(*given, **named):
        raise KilledError

    with open_ledger(path, in_background=False) as ledger:
        with monkeypatch.context() as patched:
            patched.setattr(in_lake, step, killed)
            with pytest.raises(KilledError):
                ledger.forget(["bad"])
        ledger.ingest()
    assert list(found_in(tmp_path)) == []
    assert texts(path) == [KEPT]


def test_another_host_goes_on(lake, tmp_path) -> None:
    """What it still has of the session is passed over when it commits, and its readers see the state that is left."""
    here, there = lake("here"), lake("there")
    with open_ledger(there, in_background=False) as other, open_ledger(here, in_background=False) as ledger:
        other.record_turn("bad", WORDS)
        other.ingest()
        assert len(other.sql("FROM turns")) == 1
        ledger.record_turn("good", KEPT)
        ledger.forget(["bad"])
        assert len(other.sql("FROM turn_starts").fetchall()) == 1
        other.record_turn("good", f"{KEPT} There.")
        other.ingest()
        assert ledger.sql("SELECT text FROM turns ORDER BY text").fetchall() == [(KEPT,), (f"{KEPT} There.",)]


def test_what_json_holds_is_compared_in_parentheses() -> None:
    """Up to DuckDB 1.5 the arrow binds looser than a comparison, so that a session was forgotten on 2.0 alone."""
    root = Path(__file__).parents[3]
    loose = [
        f"{path.name}: {line.strip()}"
        for path in (*root.glob("toolkit/**/*.py"), *root.glob("dashboard/**/*.py"), *root.glob("docs/*.md"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if LOOSE.search(line)
    ]
    assert loose == []
