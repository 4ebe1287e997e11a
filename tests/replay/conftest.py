"""Recorded sessions to read again, and two readings of a turn made by hand."""

from collections.abc import Callable
from pathlib import Path

import pytest

from actionledger.core.recordings import RecordedSession, RecordedTurn
from actionledger.imports import Importer
from actionledger.ledger import Ledger, open_ledger
from actionledger.ledger.queries.recorded import Known

TEXTS = (
    '```actions\n{"actions": [{"type": "list_tasks"}]}\n```',
    '```actions\n{"actions": [{"type": "list_tasks"},]}\n```',
    "```actions\n{oops\n```",
    "Good morning.",
    '```actions\n{"actions": [{"type": "create_task", "content": "a\nb"}]}\n```',
)


def fill(ledger: Ledger, sessions: int, turns: int) -> None:
    """Record so many sessions of so many turns each, of every kind of text."""
    importer = Importer(ledger.record, source="jsonl", origin="log.jsonl", known=Known())
    for number in range(sessions):
        texts = [TEXTS[(number + index) % len(TEXTS)] for index in range(turns)]
        recorded = tuple(RecordedTurn(index, text) for index, text in enumerate(texts))
        importer.take(RecordedSession(f"s{number}", "assistant", "m", "t", recorded))
    importer.finish()


@pytest.fixture
def filled(tmp_path: Path) -> Callable[..., Path]:
    """Makes a ledger with so many sessions of so many turns, and returns its path."""

    def make(sessions: int = 12, turns: int = 10, name: str = "team") -> Path:
        path = tmp_path / f"{name}.duckdb"
        with open_ledger(path) as ledger:
            fill(ledger, sessions, turns)
        return path

    return make
