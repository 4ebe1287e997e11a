"""A ledger of all kinds: what another runtime did, what ours did, hostile and strange texts, a child, what was left out."""

from pathlib import Path

import pytest

import actionledger as al
from actionledger.core.recordings import Usage
from actionledger.core.vocabulary import LeftOutReason, Relation

STRANGE = "![x](https://evil.example/x.png)<img src=https://evil.example/y.png><script>fetch('https://evil.example')</script>\x1b[0m\x00\r\n\u202e😀\u2028'\";--"


def _turn(number: int) -> al.RecordedTurn:
    return al.RecordedTurn(
        number,
        f"Text {number} {STRANGE}",
        prompt=STRANGE,
        occurred_at=None if number == 2 else al_time(number),
        external_id=f"m{number}",
        capture=al.Capture.ARGUMENTS,
        calls=(
            al.RecordedCall(
                f"c{number}", "edit", '{"path": "a", "n": 1e400}' if number == 1 else '{"path": "=1+1"}'
            ),
        ),
        results=(
            al.RecordedResult(
                f"c{number}", STRANGE, is_error=number == 1, exit_status=number, duration_ms=12.5
            ),
        ),
        usage=Usage(input_tokens=100, output_tokens=7, cost_usd=0.1 + 0.2, latency_ms=900.0),
        tools='[{"type":"function"}]',
    )


def al_time(number: int):
    """A time with microseconds."""
    from datetime import datetime

    return datetime(2026, 3, 2, 9, 0, number, 123456)


@pytest.fixture(scope="session")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The closed ledger's file."""
    folder = tmp_path_factory.mktemp("exports")
    items = [
        al.RecordedSession(
            "one", None, "big", STRANGE, tuple(map(_turn, range(3))), metadata={"k": [1, None]}
        ),
        al.RecordedSession("kid", None, "small", "", (_turn(0),), parent="one", relation=Relation.SUBAGENT),
        al.LeftOut("f.jsonl", LeftOutReason.EMPTY, STRANGE, 2),
    ]
    file = folder / "l.duckdb"
    with al.open_ledger(file) as ledger:
        al.import_sessions(ledger, items, source="chatlog", origin="f.jsonl")
        with al.Runtime("assistant", ledger=ledger) as runtime:
            runtime.handle(al.render([("create_task", {"content": "tea"})], "actions"))
            runtime.handle('{"actions": [{"action": ')
        al.reparse(ledger, parser="auto")
    return file


@pytest.fixture
def ledger(path: Path):
    """It, opened for reading."""
    with al.open_ledger(path, read_only=True) as opened:
        yield opened


@pytest.fixture
def strange() -> str:
    """A text that fetches, runs and hides wherever it is taken for more than text."""
    return STRANGE
