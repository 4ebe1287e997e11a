"""Counting across processes: one file, whoever writes."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from actionledger.core.errors import LedgerError
from actionledger.ledger import open_ledger
from actionledger.ledger.storage.internals import SharedCounter

_TAKE = """
import sys
from pathlib import Path
from actionledger.ledger.storage.internals import SharedCounter
counter = SharedCounter(Path(sys.argv[1]))
print(sum(counter.take("a", 100, 3600) is None for _ in range(80)))
"""


def test_processes_share_one_count(tmp_path):
    """Three that want eighty each get a hundred together."""
    command = [sys.executable, "-c", _TAKE, str(tmp_path / "rates.json")]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert sum(int(process.communicate()[0]) for process in running) == 100


def test_threads_share_one_count(tmp_path):
    """Each counter opens the file for itself."""
    counter = SharedCounter(tmp_path / "rates.json")
    with ThreadPoolExecutor(4) as pool:
        taken = list(pool.map(lambda _: counter.take("a", 20, 3600), range(40)))
    assert taken.count(None) == 20


@pytest.mark.parametrize("content", [b"", b"no json", b"[1]", b'{"a": 1}', b'{"a": ["x"]}', b"\xff"])
def test_a_file_that_cannot_be_read_is_begun_anew(tmp_path, content):
    """It is no record; nothing fails for its sake."""
    path = tmp_path / "rates.json"
    path.write_bytes(content)
    assert SharedCounter(path).take("a", 1, 60) is None
    assert SharedCounter(path).take("a", 1, 60) is not None


def test_a_clock_that_was_set_back_locks_nobody_out(tmp_path):
    """Times in the future are forgotten."""
    path = tmp_path / "rates.json"
    assert SharedCounter(path, lambda: 5000.0).take("a", 1, 60) is None
    assert SharedCounter(path, lambda: 1000.0).take("a", 1, 60) is None


def test_a_folder_that_is_gone_is_said(tmp_path):
    """In one sentence, for the operator."""
    with pytest.raises(LedgerError, match="can't be counted"):
        SharedCounter(tmp_path / "gone" / "rates.json").take("a", 1, 60)


def test_a_ledger_has_one(tmp_path):
    """In its folder, for all that write to it."""
    with open_ledger(tmp_path / "team.duckdb") as ledger:
        ledger.internals.counter().take("a", 1, 60)
        assert ledger.internals.counter().take("a", 1, 60) is not None
    assert (tmp_path / "team.duckdb.d" / "rates.json").exists()
