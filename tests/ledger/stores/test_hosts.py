"""Several hosts, one lake: each takes in its own segments, and what both know counts once."""

import itertools
import os
import random
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pytest
from effort import is_soak
from typer.testing import CliRunner

from actionledger.cli import app
from actionledger.core.errors import LedgerError, NotALedgerError, UsageError
from actionledger.imports import import_path, sessions
from actionledger.ledger import open_ledger
from actionledger.ledger.storage.lake import loading, tables
from actionledger.ledger.storage.lake.committer import compact
from actionledger.ledger.storage.lake.connection import connect_lake
from actionledger.ledger.storage.lake.place import LakePlace
from actionledger.ledger.storage.local import verify
from actionledger.ledger.storage.schema import TABLES
from actionledger.ledger.storage.store import Publishing
from actionledger.ledger.upkeep.health.examination import examine, mend
from actionledger.runtime.session.runtime import Runtime

SAMPLES = Path(__file__).parents[3] / "data" / "sessions.jsonl"
KILLS = 30 if is_soak() else 3
HOST = Path(__file__).with_name("host.py")


def counts(path: Path) -> dict[str, int]:
    with open_ledger(path, read_only=True) as ledger:
        return {table.name: len(ledger.sql(f"FROM {table.name}")) for table in TABLES}


def test_each_host_sees_the_other(lake, make) -> None:
    """What one has committed the other one reads, and segments carry their host's name."""
    with open_ledger(lake("a"), in_background=False) as a, open_ledger(lake("b"), in_background=False) as b:
        for ledger in (a, b):
            ledger.record(make.note())
            ledger.ingest()
        assert len(a.sql("FROM events")) == len(b.sql("FROM events")) == 2
        found = {name.partition("/")[0] for (name,) in a.sql("SELECT name FROM segments").fetchall()}
        assert found == {"a", "b"}


def test_a_recording_that_two_hosts_take_in_at_once_counts_once(lake, tmp_path, monkeypatch) -> None:
    """Whoever commits second collides, and looks again at what is known."""
    import_path(SAMPLES, tmp_path / "alone.duckdb")
    places = [lake("a"), lake("b")]
    open_ledger(places[0], in_background=False).close()
    usual, meet, collided = loading.LakeLoader._finish, threading.Barrier(2, timeout=60), []

    def together(self, lines, staging):
        if not collided and self._is_shared:
            with_other = threading.current_thread() not in seen
            seen.add(threading.current_thread())
            if with_other:
                meet.wait()
        usual(self, lines, staging)

    seen: set[threading.Thread] = set()
    monkeypatch.setattr(loading.LakeLoader, "_finish", together)
    is_conflict = tables.is_conflict
    monkeypatch.setattr(tables, "is_conflict", lambda error: collided.append(error) or is_conflict(error))
    importers = [threading.Thread(target=import_path, args=(SAMPLES, place)) for place in places]
    for importer in importers:
        importer.start()
    for importer in importers:
        importer.join()
    assert collided
    assert verify(places[0]).is_whole
    expected, found = counts(tmp_path / "alone.duckdb"), counts(places[0])
    assert found["turn_starts"] == expected["turn_starts"] > 0
    # Each of the two imports is a run of its own.
    assert {name for name in expected if found[name] != expected[name]} <= {
        "run_starts",
        "run_ends",
        "left_out",
        "events",
    }


def test_hosts_that_import_the_same_report_what_became_new(lake, monkeypatch) -> None:
    """Each turn is new once, whoever has read it meanwhile."""
    places = [lake("a"), lake("b"), lake("c")]
    open_ledger(places[0], in_background=False).close()
    meet, usual = threading.Barrier(3, timeout=120), sessions.count_first_come

    def together(*given) -> None:
        meet.wait()  # all have read it, and none has committed
        usual(*given)

    monkeypatch.setattr(sessions, "count_first_come", together)
    reports = []
    importing = [
        threading.Thread(target=lambda path=path: reports.append(import_path(SAMPLES, path)))
        for path in places
    ]
    for each in importing:
        each.start()
    for each in importing:
        each.join()
    with open_ledger(places[0], read_only=True) as ledger:
        turns = len(ledger.sql("FROM turns"))
    assert sum(report.turns for report in reports) == turns > 0
    assert {report.looked_at for report in reports} == {turns}
    assert all(report.is_settled for report in reports)


@pytest.mark.scaled
def test_a_host_that_is_killed_again_and_again_loses_and_doubles_nothing(place, tmp_path) -> None:
    """Two hosts write and commit; one of them is killed at any moment, and started anew."""
    if not place("a").name.endswith(".toml"):
        pytest.skip("one file has one host")
    open_ledger(place("a"), in_background=False).close()
    drawn = random.Random(5)
    acknowledged: list[str] = []

    def run(host: str, kills: int) -> None:
        for turn in range(kills + 1):
            process = subprocess.Popen([sys.executable, HOST, place(host)], stdout=subprocess.PIPE, text=True)
            assert process.stdout is not None
            said = iter(process.stdout.readline, "")
            acknowledged.extend(line.strip() for line in itertools.islice(said, drawn.randrange(20, 60)))
            if turn < kills:
                time.sleep(drawn.uniform(0.0, 0.4))
                process.kill()
            else:
                process.terminate()
            acknowledged.extend(line.strip() for line in said if line.endswith("\n"))
            process.wait()

    hosts = [threading.Thread(target=run, args=("a", KILLS)), threading.Thread(target=run, args=("b", 0))]
    for host in hosts:
        host.start()
    for host in hosts:
        host.join()
    for host in ("a", "b"):
        with open_ledger(place(host), in_background=False) as ledger:
            ledger.ingest()
    with connect_lake(LakePlace.read(place("a"))) as plain:
        rows = plain.execute("SELECT event_id::VARCHAR FROM base.events").fetchall()
    found = [event_id for (event_id,) in rows]
    assert len(found) == len(set(found))
    assert acknowledged
    assert set(acknowledged) <= set(found)
    assert verify(place("a")).is_whole


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "does not say where the lake is"),
        ("[ducklake", "can't be read as TOML"),
        ('[ducklake]\nmetadata_path = "sqlite:x"', "does not say where the lake is"),
        ('[ducklake]\nmetadata_path = "sqlite:x"\ndata_path = 7', "7 is not text"),
        (
            '[ducklake]\nmetadata_path = "sqlite:x"\ndata_path = "d"\ncommit_seconds = "often"',
            "not a number of seconds",
        ),
        (
            '[ducklake]\nmetadata_path = "sqlite:x"\ndata_path = "d"\nsecret = "s"',
            "says secret, which is nothing of a lake's",
        ),
        (
            '[ducklake]\nmetadata_path = "postgres:dbname=x password=hush"\ndata_path = "d"',
            "holds credentials",
        ),
        (
            '[ducklake]\nmetadata_path = "postgres:postgresql://me:hush@db/x"\ndata_path = "d"',
            "holds credentials",
        ),
        ('[ducklake]\nmetadata_path = "catalog.ducklake"\ndata_path = "d"', "one process in at a time"),
        ('[ducklake]\nmetadata_path = "sqlite:x"\ndata_path = "d"\nhost = "../up"', "is not a host's name"),
    ],
)
def test_a_place_that_cannot_be_is_said_in_a_sentence(tmp_path, text, said) -> None:
    """Whatever is wrong with the file; what it holds of a secret is not said."""
    path = tmp_path / "team.toml"
    path.write_text(text)
    with pytest.raises(LedgerError, match=said) as error:
        LakePlace.read(path)
    assert "hush" not in str(error.value)


def test_a_name_of_ducklake_is_no_path(tmp_path) -> None:
    """The sentence says what to write down."""
    with pytest.raises(UsageError, match=r"metadata_path = 'sqlite:x'"):
        open_ledger("ducklake:sqlite:x")


def test_a_lake_of_others_is_left_alone(lake) -> None:
    """One that holds other tables, one of an older and one of a newer version."""
    path = lake("a")
    with connect_lake(LakePlace.read(path), writes=True) as connection:
        connection.execute("CREATE TABLE base.theirs (x INTEGER)")
        for read_only in (False, True):
            with pytest.raises(NotALedgerError):
                open_ledger(path, read_only=read_only)
        connection.execute("DROP TABLE base.theirs")
        open_ledger(path, in_background=False).close()
        for version, said in ((4, "actionledger migrate"), (99, "upgrade actionledger")):
            connection.execute(f"UPDATE base.meta SET schema_version = {version}")
            with pytest.raises(LedgerError, match=said):
                open_ledger(path, read_only=True)


def test_what_the_environment_has_of_credentials_is_nowhere(served_lake, make) -> None:
    """Neither in what is said when they are wrong, nor in any file beside the ledger."""
    path = served_lake("a")
    with open_ledger(path, in_background=False) as ledger:
        ledger.record(make.note())
    secrets = [os.environ[name] for name in ("PGPASSWORD", "AWS_SECRET_ACCESS_KEY")]
    for file in path.parent.rglob("*"):
        assert file.is_dir() or not any(secret in file.read_text(errors="replace") for secret in secrets)
    os.environ["PGPASSWORD"] = "another-one"  # the fixture puts it back
    with pytest.raises(LedgerError) as error:
        open_ledger(path)
    assert "another-one" not in str(error.value)


def test_a_duckdb_that_lacks_the_extension_says_what_to_install(tmp_path, monkeypatch) -> None:
    """Where there is neither a package for it nor a way to INSTALL it."""
    monkeypatch.setattr("actionledger.ledger.storage.lake.connection._in_package", lambda _: None)
    monkeypatch.setattr(
        "actionledger.ledger.storage.lake.connection._NAMES", {"ducklake": "no_such_extension"}
    )
    path = tmp_path / "team.toml"
    path.write_text('[ducklake]\nmetadata_path = "sqlite:x"\ndata_path = "d"')
    began = time.monotonic()
    with pytest.raises(
        LedgerError, match=rf"DuckDB {duckdb.__version__} has no extension 'ducklake'.*actionledger\[lake\]"
    ):
        open_ledger(path)
    assert time.monotonic() - began < 60


def test_doctor_knows_a_lake(lake, make) -> None:
    """It says that it can be read, takes in what waits, and what to look at where it can't be reached."""
    path = lake("a")
    assert not examine(path).needs_person
    assert "does not exist yet" in examine(path).findings[0].sentence
    with open_ledger(path, in_background=False) as ledger:
        ledger.record(make.note())
        ledger.flush()
        assert next(each.sentence for each in examine(path).findings) == f"The lake of {path} can be read."
        assert examine(path).waiting.bytes > 0
        assert mend(path)
        assert examine(path).waiting.bytes == 0
        assert not examine(path).needs_person
    (path.parents[1] / "catalog.sqlite").write_bytes(b"no database at all, but as long as one is" * 100)
    assert examine(path).needs_person


def test_a_host_commits_no_more_often_than_it_is_told(lake, make) -> None:
    """While its agents work; asked, it does at once. What waits is seen here meanwhile, and not elsewhere."""
    path = lake("a")
    path.write_text(path.read_text() + "\ncommit_seconds = 3600")
    with (
        open_ledger(path, in_background=False) as ledger,
        open_ledger(lake("b"), read_only=True) as elsewhere,
    ):
        for number in range(2):
            ledger.record(make.note(str(number)))
            ledger.flush()
            report = ledger._store.ingest(Publishing.WHEN_DUE)
        assert not report.published
        assert report.due_in is not None
        assert 3000 < report.due_in <= 3600
        assert len(ledger.sql("FROM events")) == 2
        assert len(elsewhere.sql("FROM events")) == 1
        assert ledger.ingest().published
        assert len(elsewhere.sql("FROM events")) == 2


def test_a_lake_on_a_disk_is_for_its_owner_alone(lake, make, tmp_path) -> None:
    """Catalog, folders and Parquet files, whatever has made them; a folder that its group may write to is the group's, too."""
    path = lake("a")
    with open_ledger(path, in_background=False) as ledger:
        ledger.record(make.note())
        ledger.ingest()
        ledger.record(make.note())
    compact(LakePlace.read(path), keep=timedelta(0))
    made = [tmp_path / "data", *tmp_path.glob("catalog.sqlite*"), *(tmp_path / "data").rglob("*")]
    assert len(made) > 10
    assert {each.stat().st_mode & 0o777 for each in made} == {0o600, 0o700}
    (tmp_path / "data").chmod(0o770)
    with open_ledger(path, in_background=False) as ledger:
        ledger.record(make.note())
    assert 0o660 in {each.stat().st_mode & 0o777 for each in (tmp_path / "data").rglob("*.parquet")}


def test_compact_says_what_it_frees_and_when(lake, make) -> None:
    """What no state needs stays for a day; then it goes."""
    path = lake("a")
    with open_ledger(path, in_background=False) as ledger:
        for _ in range(2):
            ledger.record(make.note())
            ledger.ingest()
    before = datetime.now(UTC).replace(tzinfo=None)
    done = compact(LakePlace.read(path), keep=timedelta(0))
    assert done.files_removed == 0
    assert done.files_kept > 0
    assert done.free_from is not None
    assert timedelta(hours=23) < done.free_from - before < timedelta(hours=25)
    said = CliRunner().invoke(app, ["compact", "--ledger", str(path)])
    assert f"a compact after {done.free_from:%Y-%m-%d}" in " ".join(said.output.split())


def test_waiting_for_another_host_is_said_to_nobody(lake, capfd) -> None:
    """A collision is no trouble: nothing of it is on standard error."""
    attempts = []
    for attempt in tables.tried_again():
        with attempt:
            attempts.append(attempt)
            if len(attempts) < 3:
                raise duckdb.TransactionException("Transaction conflict")
    assert len(attempts) == 3
    assert capfd.readouterr() == ("", "")


def test_a_live_session_goes_on_on_its_own_host_alone(lake, tmp_path) -> None:
    """Two hosts at one session would each record its next turn: of the same name, twice where they commit at once, else one lost."""
    (tmp_path / "work").mkdir()
    with open_ledger(lake("a"), in_background=False) as a, open_ledger(lake("b"), in_background=False) as b:
        with Runtime("assistant", workspace=tmp_path / "work", ledger=a) as runtime:
            runtime.handle("First.")
            a.ingest()
            for _ in range(2):  # while it is at work there, and after
                with pytest.raises(
                    LedgerError, match=r"runs on the host 'a', where its lock is: go on with it there\."
                ):
                    Runtime.reopen(b, runtime.session_id)
                runtime.handle("Second.")
                a.ingest()
        session = runtime.session_id
        with Runtime.reopen(a, session) as again:
            again.handle("Fourth.")
        a.ingest()
        found = b.sql("SELECT turn_index, count(*) FROM turn_starts GROUP BY ALL ORDER BY ALL").fetchall()
        assert found == [(index, 1) for index in range(4)]
    # A host that takes a dead one's place says so, and goes on.
    place = lake("b")
    place.write_text(place.read_text().replace('host = "b"', 'host = "a"'))
    with open_ledger(place, in_background=False) as heir, Runtime.reopen(heir, session) as again:
        assert again.handle("Fifth.").turn_id
