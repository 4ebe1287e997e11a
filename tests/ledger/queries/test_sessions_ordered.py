"""The list of sessions ordered by any of its columns, with how each came out and what its subagents cost."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import actionledger as al
from actionledger.core.errors import UsageError
from actionledger.core.vocabulary import Relation
from actionledger.ledger import queries
from actionledger.ledger.queries.orders import COLUMNS

MONDAY = datetime(2026, 3, 2, 12, tzinfo=UTC)


def recorded(number: int, parent: str = "", relation: Relation | None = None) -> al.RecordedSession:
    """Return a session that differs from the others in everything that there is an order by."""
    calls = number % 3
    turns = [
        al.RecordedTurn(
            place,
            "" if place < calls else "That is all.",
            external_id=f"{number}.{place}",
            capture=al.Capture.CALLS if place < calls else al.Capture.TEXT,
            calls=(al.RecordedCall(f"{number}.{place}", "Read", {"path": "a"}),) if place < calls else (),
            results=(al.RecordedResult(f"{number}.{place}", "x", is_error=number % 2 == 0),)
            if place < calls
            else (),
            occurred_at=MONDAY + timedelta(hours=number, minutes=place * number),
            usage=al.Usage(
                input_tokens=100 * number, output_tokens=7, cost_usd=number / 4 if number % 4 else None
            ),
        )
        for place in range(number % 5 + 1)
    ]
    return al.RecordedSession(
        f"s{number}",
        None,
        f"m{number % 3}",
        f"task {9 - number}",
        tuple(turns),
        parent=parent,
        relation=relation,
        success=[None, True, False][number % 3],
        details=al.SessionDetails(
            title=f"{'Tt'[number % 2]}itle {number * 7 % 10}" if number else "",
            project=f"/work/{number % 2}",
            git_branch="" if number % 3 else f"fix/{number}",
            agent="codex" if number % 2 else "",
        ),
    )


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[al.Ledger]:
    """A ledger of ten sessions, three of which have called others."""
    path = tmp_path_factory.mktemp("ordered") / "l.duckdb"
    with al.open_ledger(path) as opened:
        al.import_sessions(opened, [recorded(number) for number in range(10)], source="ours")
    with al.open_ledger(path, read_only=True) as opened:
        yield opened


KEYS: dict[str, Callable[[Any], Any]] = {
    "started": lambda row: row.started_at,
    "title": lambda row: (row.title or "").lower() or None,
    "project": lambda row: row.project,
    "branch": lambda row: row.branch or None,
    "agent": lambda row: row.agent or None,
    "model": lambda row: row.model,
    "source": lambda row: row.source,
    "profile": lambda row: row.profile or None,
    "task": lambda row: row.task.lower(),
    "outcome": lambda row: row.outcome,
    "turns": lambda row: row.turns,
    "duration": lambda row: row.duration_s,
    "cost": lambda row: row.cost_usd,
    "tokens": lambda row: row.input_tokens + row.output_tokens,
    "tool_calls": lambda row: row.actions,
    "failed": lambda row: row.failed if row.executions else None,
    "parsed": lambda row: row.parsed.value,
    "valid": lambda row: row.valid if row.checked else None,
}
"""What a row is ordered by, in plain Python."""


@pytest.mark.parametrize("sign", ["", "-"])
@pytest.mark.parametrize("name", COLUMNS)
def test_every_column_orders_all_sessions(ledger: al.Ledger, name: str, sign: str) -> None:
    """Over all pages; what is not known stands last both ways, and equals by their ids."""
    whole = queries.sessions(ledger, limit=None)
    key = KEYS[name]
    known = sorted((row for row in whole if key(row) is not None), key=lambda row: row.session_id)
    unknown = sorted((row for row in whole if key(row) is None), key=lambda row: row.session_id)
    known.sort(key=key, reverse=bool(sign))
    if sign:  # equals stay in the order of their ids
        known.sort(key=lambda row: row.session_id)
        known.sort(key=key, reverse=True)
    pages = [
        queries.sessions(ledger, limit=3, offset=offset, order=f"{sign}{name}") for offset in range(0, 12, 3)
    ]
    assert [row.session_id for page in pages for row in page] == [
        row.session_id for row in [*known, *unknown]
    ]


def test_an_order_that_is_none_is_refused(ledger: al.Ledger) -> None:
    """With those that there are."""
    with pytest.raises(
        UsageError, match=r"'size' is not an order of sessions; choose from newest, .*, valid, or one"
    ):
        queries.sessions(ledger, order="size")


def test_each_session_s_outcome_is_the_one_that_is_counted(ledger: al.Ledger) -> None:
    """One definition for the list and for the sums."""
    counts: dict[Any, int] = {}
    for row in queries.sessions(ledger, limit=None):
        counts[row.outcome] = counts.get(row.outcome, 0) + 1
    assert counts == queries.session_outcomes(ledger)
    assert len(counts) > 2


def test_subagents_are_summed_apart_however_deep(tmp_path: Path) -> None:
    """A continuation is none, and a session's own cost is its own."""
    family = [
        recorded(1),
        recorded(2, "s1", Relation.SUBAGENT),
        recorded(3, "s2", Relation.SUBAGENT),
        recorded(5, "s1", Relation.CONTINUATION),
        recorded(4),
    ]
    with al.open_ledger(tmp_path / "l.duckdb") as opened:
        al.import_sessions(opened, family)
        opened.flush()
        rows = {row.external_id: row for row in queries.sessions(opened, limit=None)}
        costs = dict(
            opened.sql(
                "SELECT external_id, sum(cost_usd) FROM turn_starts JOIN session_starts USING (session_id) GROUP BY ALL"
            ).fetchall()
        )
    assert {name: (row.subagents, row.subagents_cost_usd) for name, row in rows.items()} == {
        "s1": (2, pytest.approx(costs["s2"] + costs["s3"])),
        "s2": (1, pytest.approx(costs["s3"])),
        "s3": (0, None),
        "s5": (0, None),
        "s4": (0, None),
    }
    assert rows["s1"].cost_usd == pytest.approx(costs["s1"])
