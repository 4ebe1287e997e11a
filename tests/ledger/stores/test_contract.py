"""What every place keeps where a ledger's tables may lie."""

import subprocess
import sys
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from actionledger.core.errors import UsageError
from actionledger.core.ids import now
from actionledger.ledger import Ledger, open_ledger
from actionledger.ledger.storage.connections import BASE
from actionledger.ledger.storage.encoding import encode
from actionledger.ledger.storage.local import store_at, verify
from actionledger.ledger.storage.schema import QUARANTINE, TABLES, VIEWS

HERE = Path(__file__).parent
STEPS = ("rows", "offsets", "commit", "head", "segments")


@pytest.fixture
def ledger(place):
    with open_ledger(place("here"), in_background=False) as opened:
        yield opened


def messages(ledger: Ledger) -> list[str]:
    return [
        found
        for (found,) in ledger.sql(
            "SELECT message FROM events WHERE code = 'line_refused' ORDER BY 1"
        ).fetchall()
    ]


def committed(path: Path, query: str) -> list[tuple[object, ...]]:
    """What readers are given of the tables themselves, segments aside."""
    with closing(store_at(path, read_only=True).connect(may_write=False).connection) as connection:
        return connection.execute(query.replace("FROM ", f"FROM {BASE}.")).fetchall()


def everything(ledger: Ledger) -> dict[str, list[tuple[object, ...]]]:
    names = [*(table.name for table in TABLES), *VIEWS]
    return {name: sorted(ledger.sql(f"FROM {name}").fetchall(), key=repr) for name in names}


def test_what_is_committed_is_what_was_recorded(ledger, make) -> None:
    """Every table and view has the same rows before they are taken in, as the tail, and after."""
    for event in make.one_of_each():
        ledger.record(event)
    ledger.flush()
    before = everything(ledger)
    assert all(rows for name, rows in before.items() if name != "unacted_turns")  # each response has a call
    report = ledger.ingest()
    assert (report.events, report.published) == (22, True)
    assert everything(ledger) == before
    assert committed(ledger.path, "SELECT count(*) FROM turn_starts") == [(1,)]


def test_readers_see_what_is_committed_and_no_half_of_it(ledger, make) -> None:
    """What was only flushed is in no table; who asks through the toolkit sees it beside them."""
    with open_ledger(ledger.path, read_only=True) as reader:
        ledger.record(make.note("a"))
        ledger.flush()
        assert messages(reader) == ["a"]
        assert committed(ledger.path, "SELECT count(*) FROM events") == [(0,)]
        ledger.ingest()
        assert messages(reader) == ["a"]
        assert committed(ledger.path, "SELECT count(*) FROM events") == [(1,)]


@pytest.mark.parametrize("step", STEPS)
def test_an_ingester_killed_at_any_step_loses_and_doubles_nothing(place, make, step) -> None:
    """Before the commit all of it comes again, after it none."""
    with open_ledger(place("here"), in_background=False) as ledger:
        for number in range(3):
            ledger.record(make.note(str(number)))
        ledger.flush()
        ledger._writer.close()
        done = subprocess.run([sys.executable, HERE / "killed.py", step, ledger.path], check=False)
        assert done.returncode == -9
        assert messages(ledger) == ["0", "1", "2"]
        ledger.ingest()
        assert messages(ledger) == ["0", "1", "2"]
        ledger.record(make.note("3"))
        assert ledger.verify().is_whole
    assert committed(place("here"), "SELECT count(*) FROM events") == [(4,)]


def test_an_event_counts_once_however_often_it_comes(ledger, make) -> None:
    """In one batch, in another one, and by the short way."""
    note = make.note("a")
    for _ in range(2):
        ledger.record(note)
        ledger.record(note)
        ledger.ingest()
    with ledger.internals.direct() as recorder:
        recorder.record(note)
        recorder._take_in()
        assert recorder.is_direct
    assert messages(ledger) == ["a"]


def test_a_parser_is_there_once(ledger, make) -> None:
    """By its hash, whoever has used it."""
    for _ in range(2):
        ledger.record(make.parser())
        ledger.ingest()
    assert ledger.sql("SELECT count(*) FROM parsers").fetchall() == [(1,)]


def test_rows_of_a_superseded_turn_go(ledger, make) -> None:
    """And what comes of it later is no row."""
    old, new = make.response("old"), make.response("new")
    for event in (old, new, make.superseded(old.turn_id, new.turn_id)):
        ledger.record(event)
    ledger.ingest()
    ledger.record(make.parsed(turn_id=old.turn_id))
    ledger.ingest()
    assert ledger.sql("SELECT text FROM turns").fetchall() == [("new",)]
    assert ledger.sql("SELECT count(*) FROM parse_attempts").fetchall() == [(0,)]
    assert ledger.sql("SELECT count(*) FROM superseded").fetchall() == [(1,)]


def test_a_line_that_cannot_be_read_is_kept(ledger, make) -> None:
    """Whole, with the reason and whose segment it is of; the rest goes on."""
    ledger.internals.record_lines([b"nonsense\n", encode(make.note("a"))])
    ledger.ingest()
    [(line, segment)] = ledger.sql(f"SELECT line, segment FROM {QUARANTINE.name}").fetchall()
    assert line == "nonsense"
    assert segment.startswith("here/") is ledger.path.name.endswith(".toml")
    assert messages(ledger) == ["a"]


def test_a_guarded_statement_reads_and_reaches_no_further(ledger, make) -> None:
    """Tables and views answer, files and other systems don't."""
    ledger.record(make.response())
    ledger.ingest()
    with ledger.guarded() as guarded:
        with guarded.ask("WITH t AS (FROM turns) SELECT count(*) FROM t, range(2)") as answer:
            assert list(answer.rows) == [(2,)]
        for statement in ("FROM read_text('/etc/hostname')", "FROM '/etc/hostname'", "DELETE FROM turns"):
            with pytest.raises(UsageError), guarded.ask(statement):
                pass


def test_two_processes_write_at_once(place, make, worker) -> None:
    """In one file they take turns; in a lake each is a host of its own."""
    hosts = [place("here"), place("there")]
    open_ledger(hosts[0], in_background=False).close()
    writers = [
        subprocess.Popen([sys.executable, worker, "write_some", path], stdout=subprocess.PIPE)
        for path in hosts
    ]
    for writer in writers:
        assert writer.communicate()[0] == b"done\n"
    with open_ledger(hosts[0], in_background=False) as ledger:
        ledger.ingest()
        found = ledger.sql("SELECT count(*), count(DISTINCT event_id) FROM events").fetchall()
    assert found == [(200, 200)]
    assert verify(hosts[0]).is_whole


def test_processes_that_find_nothing_there_make_one_ledger(place, worker) -> None:
    """Three at once, two of them of one host: none fails, and all that they record is in it."""
    paths = [place("here"), place("here"), place("there")]
    writers = [
        subprocess.Popen([sys.executable, worker, "write_some", path], stdout=subprocess.PIPE)
        for path in paths
    ]
    assert [writer.communicate()[0] for writer in writers] == [b"done\n"] * 3
    with open_ledger(paths[0], in_background=False) as ledger:
        ledger.ingest()
        assert ledger.sql("SELECT count(*), count(DISTINCT event_id) FROM events").fetchall() == [(300, 300)]
        assert ledger.verify().is_whole


def test_the_past_can_be_read_where_it_is_kept(ledger, make) -> None:
    """By the number of a snapshot and by time; one file keeps none, and says so."""
    if not ledger.path.name.endswith(".toml"):
        with pytest.raises(UsageError, match="one file, which keeps no past"):
            open_ledger(ledger.path, as_of=1)
        return
    ledger.record(make.note("a"))
    ledger.ingest()
    first, at_first = store_at(ledger.path, read_only=True).state(), now()
    ledger.record(make.note("b"))
    ledger.ingest()
    ledger.record(make.note("c"))
    ledger.flush()
    for as_of in (first, at_first + timedelta(milliseconds=1)):
        with open_ledger(ledger.path, as_of=as_of) as past:
            assert messages(past) == ["a"]
    assert messages(ledger) == ["a", "b", "c"]
