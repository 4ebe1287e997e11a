"""What is forgotten in a lake is in no Parquet file, no catalog and no segment of this host any more; other sessions stay, and so do other hosts."""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import duckdb
import pytest

import actionledger as al
from actionledger.core.errors import LedgerError
from actionledger.ledger import open_ledger
from actionledger.ledger.storage.lake import forgetting as in_lake
from actionledger.ledger.storage.lake.connection import connect_lake
from actionledger.ledger.storage.lake.forgetting import said_of_log
from actionledger.ledger.storage.lake.place import LakePlace

WORDS = "~~~Zaphod"
"""The greatest text of its column, so that the catalog has it, too."""

KEPT = "This one stays."
LOOSE = re.compile(r"->>?'\w+' *(=|<|>|!=|IN |IS |LIKE )")
_LOST = "duplicate key value"
STEPS = ("forget_records", "delete_concurrent", "blank_lines")


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


def _asked(path: Path, statement: str, *, changes: bool = False) -> list[tuple[object, ...]]:
    """Return what a lake's PostgreSQL answers."""
    with closing(connect_lake(LakePlace.read(path), writes=True)) as connection:
        call = "CALL postgres_execute" if changes else "FROM postgres_query"
        return connection.execute(f"{call}('__ducklake_metadata_base', ?)", [statement]).fetchall()


def _race(path: Path, words: str) -> str:
    """Have two hosts commit texts at the same moment until one loses the race in PostgreSQL; return the server's log."""
    meet = threading.Barrier(2, timeout=60)

    def commit(number: int) -> None:
        with closing(connect_lake(LakePlace.read(path), writes=True)) as connection:
            for _ in range(8):
                connection.execute("BEGIN")
                connection.execute(
                    f"INSERT INTO base.quarantine (segment, reason, line) VALUES ('s', '{words} {number}', 'x')"
                )
                meet.wait()
                with suppress(duckdb.Error):
                    connection.execute("COMMIT")

    for _ in range(8):
        threads = [threading.Thread(target=commit, args=(number,)) for number in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        log = str(
            _asked(path, "SELECT pg_read_file(current_setting('data_directory') || '/../log') AS log")[0][0]
        )
        if _LOST in log:
            return log
    pytest.skip("neither of two hosts has lost the race")


def test_a_server_log_keeps_no_text_as_the_docs_set_it(served_lake) -> None:
    """PostgreSQL keeps the statement of a commit that loses the race, unless it is told not to; forgetting says which it is."""
    path = served_lake("a")
    open_ledger(path, in_background=False).close()
    assert "log_min_error_statement = error" in said_of_log(LakePlace.read(path))
    assert WORDS in _race(path, WORDS)
    [(name,)] = _asked(path, "SELECT current_database() AS name")
    _asked(path, f'ALTER DATABASE "{name}" SET log_min_error_statement = panic', changes=True)
    assert "keeps no more" in said_of_log(LakePlace.read(path))
    before = _race(path, WORDS).count(_LOST)
    log = _race(path, "~~~Trillian")
    assert log.count(_LOST) >= before
    assert "Trillian" not in log


def test_a_lake_of_one_machine_has_no_server_log(lake) -> None:
    """There is nothing to say of it."""
    assert said_of_log(LakePlace.read(lake("a"))) == ""
