"""What pages ask a ledger, and how much memory an answer may take."""

from pathlib import Path

import pytest

from actionledger.core.errors import MemoryNeededError
from actionledger.ledger import Ledger, open_ledger
from actionledger.ledger.storage.memory import FIRST_VARIABLE, MEMORY_VARIABLE
from actionledger_dashboard import LEDGER_VARIABLE
from actionledger_dashboard.data import ask


def _large_list(ledger: Ledger, numbers: int) -> int:
    [(length,)] = ledger.sql("SELECT len(list(range)) FROM range($numbers)", {"numbers": numbers}).fetchall()
    return int(length)


def test_a_question_that_needs_more_memory_than_the_others_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A session of long texts opens; where the user has set a bound, the page says which."""
    path = tmp_path / "ledger.duckdb"
    open_ledger(path, in_background=False).close()
    monkeypatch.setenv(LEDGER_VARIABLE, str(path))
    monkeypatch.setenv(FIRST_VARIABLE, "20MB")
    monkeypatch.delenv(MEMORY_VARIABLE, raising=False)
    assert ask(_large_list, 5_000_000) == 5_000_000
    monkeypatch.setenv(MEMORY_VARIABLE, "20MB")
    with pytest.raises(MemoryNeededError, match=f"{MEMORY_VARIABLE}=20MB"):
        ask(_large_list, 5_000_001)
