"""A rereading that was stopped or killed goes on where it stopped, and comes to what an uninterrupted one comes to."""

import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from effort import soaked

import actionledger as al
from actionledger.core.errors import UsageError
from actionledger.core.vocabulary import LeftOutReason
from actionledger.ledger import Ledger, open_ledger
from actionledger.ledger.queries import rereading
from actionledger.ledger.queries.filters import Filter
from actionledger.ledger.storage import journal
from actionledger.replay.reparse_run import ReparseProgress, ReparseStopped

OLD = "gembrain-standard"
TURNS = 120

KILLED = """
import os, signal, sys
import actionledger as al
from actionledger.ledger.storage import journal
from actionledger.ledger.queries import rereading
rereading._BATCH_TURNS, journal.BUFFER_BYTES = 3, 500
path, workers, turns = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
def kill(now):
    if now.turns >= turns:
        os.kill(os.getpid(), signal.SIGKILL)
with al.open_ledger(path) as ledger:
    al.reparse(ledger, parser="gembrain-standard", workers=workers, on_progress=kill)
"""
"""A rereading that kills itself when so many turns are read; it has no guard of its own against being imported again."""

READ = "SELECT turn_id, outcome, reason, action_count FROM parse_attempts WHERE run_id = ? ORDER BY turn_id"


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rereading, "_BATCH_TURNS", 3)
    monkeypatch.setattr(journal, "BUFFER_BYTES", 500)


def stopped_at(ledger: Ledger, turns: int, **options: object) -> ReparseStopped:
    """Read again until so many turns are read, and stop it as a person does."""

    def stop(now: ReparseProgress) -> None:
        if now.turns >= turns:
            raise KeyboardInterrupt

    with pytest.raises(ReparseStopped) as stopped:
        al.reparse(ledger, parser=OLD, on_progress=stop, **options)
    return stopped.value


def ends_of(ledger: Ledger, run_id: str) -> list[tuple[int]]:
    return ledger.sql("SELECT turns FROM run_ends WHERE run_id = ?", [run_id]).fetchall()


@pytest.mark.parametrize("workers", soaked([1, 2], [1]))
def test_killed_at_any_point_it_goes_on_and_comes_to_the_same(filled, forked, tmp_path, workers):
    """Killed with -9, resumed, killed again, resumed to its end: each turn is read once, and the comparison is the same."""
    path = filled()
    points = sorted(random.Random(7 + workers).sample(range(5, TURNS - 5), 2))
    for run, turns in enumerate(points):
        words = KILLED if not run else KILLED.replace("on_progress=kill", "on_progress=kill, resume=True")
        done = forked.run(words, tmp_path, path, workers, turns)
        assert done.returncode == -signal.SIGKILL
    with open_ledger(path) as ledger:
        resumed = al.reparse(ledger, parser=OLD, resume=True, workers=workers)
        whole = al.reparse(ledger, parser=OLD, workers=1)
        assert resumed.run_id != whole.run_id
        assert 0 < resumed.resumed < resumed.turns == TURNS
        assert resumed.comparison == whole.comparison
        rows = [ledger.sql(READ, [report.run_id]).fetchall() for report in (resumed, whole)]
        assert len(rows[0]) == TURNS
        assert rows[0] == rows[1]
        assert ends_of(ledger, resumed.run_id) == [(TURNS,)]
        assert ledger.sql("SELECT count(*) FROM runs WHERE run_kind = 'reparse'").fetchall() == [(2,)]


@pytest.mark.parametrize("workers", soaked([1, 2], [1]))
def test_stopped_by_a_person_it_says_how_far_it_came(filled, workers):
    """What was read is kept; only the rest is read when it goes on."""
    with open_ledger(filled()) as ledger:
        stopped = stopped_at(ledger, 60, workers=workers)
        assert 60 <= stopped.turns < TURNS == stopped.total
        assert ends_of(ledger, stopped.run_id) == []
        told: list[ReparseProgress] = []
        report = al.reparse(ledger, parser=OLD, resume=True, workers=workers, on_progress=told.append)
        assert (report.run_id, report.resumed, report.turns) == (stopped.run_id, stopped.turns, TURNS)
        assert told[0].turns > stopped.turns
        assert told[-1] == (TURNS, TURNS)
        attempts = "SELECT count(*), count(DISTINCT turn_id) FROM parse_attempts WHERE run_id = ?"
        assert ledger.sql(attempts, [report.run_id]).fetchall() == [(TURNS, TURNS)]


def test_without_resume_it_begins_anew(filled):
    """The run that was cut off stays without an end, and can be resumed by its id all the same."""
    with open_ledger(filled(2, 6)) as ledger:
        stopped = stopped_at(ledger, 6)
        assert al.reparse(ledger, parser=OLD).run_id != stopped.run_id
        assert al.reparse(ledger, parser=OLD, resume=stopped.run_id).run_id == stopped.run_id


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"parser": "auto"}, "1 rereading without an end, none of them of this parser"),
        ({"within": Filter(models=("m",))}, "none of them of this parser and these turns"),
        (
            {"resume": "00000000-0000-4000-8000-000000000009"},
            "can't be resumed: it is over, or not a rereading",
        ),
        ({"resume": "last week"}, "Run 'last week' can't be resumed"),
    ],
)
def test_what_is_another_rereading_is_not_resumed(filled, options, said):
    """Another parser or selection would make one run of two."""
    with open_ledger(filled(2, 6)) as ledger:
        stopped_at(ledger, 6)
        with pytest.raises(UsageError, match=said):
            al.reparse(ledger, **({"parser": OLD, "resume": True} | options))


def test_what_is_over_is_not_resumed(filled):
    """There is nothing to go on with, and nothing is recorded."""
    with open_ledger(filled(2, 6)) as ledger:
        al.reparse(ledger, parser=OLD)
        with pytest.raises(UsageError, match="Nothing to resume: the ledger has no rereading without an end"):
            al.reparse(ledger, parser=OLD, resume=True)


def test_two_processes_are_never_at_one_run(filled):
    """The second one is told so; the lock of one that died is free."""
    with open_ledger(filled(2, 6)) as ledger:
        stopped = stopped_at(ledger, 6)
        lock = ledger.internals.session_lock(stopped.run_id)
        assert lock.acquire()
        with pytest.raises(UsageError, match="Another process is at run"):
            al.reparse(ledger, parser=OLD, resume=True)
        lock.release()
        assert al.reparse(ledger, parser=OLD, resume=True).turns == 12


def test_texts_come_from_parquet_where_they_are_named(filled, tmp_path):
    """The same readings as from the ledger; the files are what an export writes."""
    with open_ledger(filled(3, 5)) as ledger:
        file = tmp_path / "turns.parquet"
        ledger.snapshot().execute(f"COPY (SELECT * FROM turns) TO '{file}'")
        own = al.reparse(ledger, parser=OLD)
        theirs = al.reparse(ledger, parser=OLD, texts=str(tmp_path / "*.parquet"))
        assert own.comparison == theirs.comparison
        assert own.turns == theirs.turns == 15
        assert (own.left_out, theirs.left_out) == ({}, {})
        ledger.snapshot().execute(f"COPY (SELECT * FROM turns WHERE turn_index < 3) TO '{file}'")
        some = al.reparse(ledger, parser=OLD, texts=str(file))
        assert some.turns == some.comparison.pairs == 9
        assert some.left_out == {LeftOutReason.NOT_IN_SOURCE: 6}


def test_a_script_without_a_guard_may_use_processes(filled, tmp_path: Path):
    """No process loads the caller's main module again."""
    script = tmp_path / "plain.py"
    script.write_text(
        f"import actionledger as al\nledger = al.open_ledger({str(filled(2, 6))!r})\n"
        f"print(al.reparse(ledger, parser={OLD!r}, workers=2).turns)\nledger.close()\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert done.stdout == "12\n"
