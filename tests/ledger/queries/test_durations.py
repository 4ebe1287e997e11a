"""How long something took is said only where somebody saw its end."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import actionledger as al
from actionledger.ledger.queries import base
from actionledger.ledger.queries.turn import turn
from actionledger.ledger.queries.turns import timeline

CREATE = "<create_file><path>a</path><content>x</content></create_file>"


class Recorded:
    """A ledger whose executions are said to have come to a status, in no time."""

    def __init__(self, ledger: al.Ledger, status: str) -> None:
        self._ledger = ledger
        self._executions = f"(SELECT * REPLACE ('{status}' AS status, 0.0 AS duration_ms) FROM executions)"

    def sql(self, query: str, parameters: object = None, /) -> base.Result:
        return self._ledger.sql(query.replace("FROM executions", f"FROM {self._executions}"), parameters)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[al.Ledger, al.Turn]]:
    """An open ledger, and the one turn in it."""
    with al.open_ledger(tmp_path_factory.mktemp("durations") / "l.duckdb") as ledger:
        with al.Runtime("coder", ledger=ledger, auto=True) as runtime:
            done = runtime.handle(CREATE)
        yield ledger, done


@pytest.mark.parametrize(
    ("status", "took"),
    [("succeeded", 0.0), ("failed", 0.0), ("timed_out", 0.0)]
    + [
        (status, None)
        for status in ("interrupted", "pending", "denied", "rate_limited", "skipped", "dry_run")
    ],
)
def test_what_was_not_tried_or_not_seen_to_end_has_no_duration(recorded, status, took):
    """A turn and its timeline say the same; 0.0 is what is recorded for want of a time."""
    ledger, done = recorded
    found = turn(Recorded(ledger, status), done.session_id, 0)
    steps = timeline(Recorded(ledger, status), done.turn_id)
    assert [each.duration_ms for each in found.executions] == [took]
    assert [step.duration_ms for step in steps if step.kind == "run"] == [took]


def test_what_a_converted_field_is_has_one_definition():
    """No query spells the code itself."""
    folder = Path(base.__file__).parent
    assert [
        path.name for path in folder.glob("*.py") if "'converted'" in path.read_text(encoding="utf-8")
    ] == []
