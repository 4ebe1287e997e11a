"""What the figures of a report cost in a ledger of ten million actions.

    python tests/benchmarks/ten_million.py make BASE LARGE [--actions 10000000] [--texts 0.1]
    python tests/benchmarks/ten_million.py ask LARGE [--only funnel] [--rounds 3]

``make`` repeats the rows of a ledger that was recorded or imported, under other identifiers and later times, until it has so many
actions, each repetition as if it had been taken in at once (a link of the chain, though none that proves anything); a part of the repetitions keep their texts, the others' are cut to a few words, for the sake of the disk. ``ask`` asks each
query of the pages and of the report. Seconds of processor time of all threads, and of wall time on this machine as it is: of the first
time, when DuckDB has to read the columns from the file, and the least of those that follow.
"""

import argparse
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import duckdb
from rich.console import Console
from rich.table import Table as Grid

from actionledger.ledger import Ledger, open_ledger, queries
from actionledger.ledger.queries import EVERYTHING, Filter
from actionledger.ledger.storage.connections import ROW_GROUP_ROWS, STORAGE_VERSION
from actionledger.ledger.storage.schema import LINK, LONG_TEXTS, TABLES, Table

KEPT_ONCE = {"parsers", "tools"}
"""Tables that have a row for what many sessions share."""

WORDS = 40
TURN = 5_000_000
"""Which turn's session is looked at: one in the midst."""

DAYS = 365

AT_ONCE = 40
"""So many repetitions are put in by one statement: of few rows at a time DuckDB writes the last block anew each time."""


def make(base: Path, large: Path, actions: int, texts: float) -> None:
    """Write the large ledger."""
    with open_ledger(large, in_background=False):
        pass
    with closing(
        duckdb.connect(config={"memory_limit": "6GB", "storage_compatibility_version": STORAGE_VERSION})
    ) as connection:
        connection.execute(
            f"ATTACH '{base}' AS base (READ_ONLY); ATTACH '{large}' AS large (ROW_GROUP_SIZE {ROW_GROUP_ROWS})"
        )
        connection.execute("SET preserve_insertion_order = true")
        [(each,)] = connection.execute("SELECT count(*) FROM base.actions").fetchall()
        repetitions = -(-actions // each)
        for source, is_cut in (("whole", False), ("cut", True)):
            connection.execute(f"CREATE SCHEMA memory.{source}")
            for table in TABLES:
                connection.execute(_prepared(table, source, is_cut=is_cut))
        for start in range(0, repetitions, AT_ONCE):
            numbers = range(start, min(start + AT_ONCE, repetitions))
            for table in TABLES:
                if table.name not in KEPT_ONCE:
                    connection.execute(_copied(table, numbers, repetitions, texts))
                elif not start:
                    connection.execute(f"INSERT INTO large.{table.name} BY NAME FROM base.{table.name}")
            connection.execute("CHECKPOINT large")
        connection.execute(
            "INSERT INTO large.links BY NAME SELECT range AS link, made_at, seed, head, marks "
            f"FROM range(1, {repetitions + 1}), large.links"
        )
    # The working file is made anew, of the published one.
    for path in Path(f"{large}.d").glob("store.duckdb*"):
        path.unlink()


def _prepared(table: Table, source: str, *, is_cut: bool) -> str:
    """Return the statement that keeps a table in memory, its identifiers without their time, and the beginnings of its texts alone."""
    values = ", ".join(
        f"{_without_time(name) if kind == 'UUID' else _beginning(name, kind) if is_cut else _named(name)} AS {name}"
        for name, kind in table.columns.items()
    )
    return f"CREATE TABLE memory.{source}.{table.name} AS SELECT {values} FROM base.{table.name}"


def _named(name: str) -> str:
    return f'"{name}"'


def _without_time(name: str) -> str:
    return f"('00000000' || substr(\"{name}\"::VARCHAR, 9))::UUID"


def _beginning(name: str, kind: str) -> str:
    if name not in LONG_TEXTS | {"body", "value"}:
        return _named(name)
    if kind == "VARCHAR":
        return f'left("{name}", {WORDS})'
    cut = "'{}'" if name == "metadata" else "NULL"  # what every session has
    return f'CASE WHEN len("{name}"::VARCHAR) > {WORDS} THEN {cut} ELSE "{name}" END'


def _copied(table: Table, numbers: range, repetitions: int, texts: float) -> str:
    return f"INSERT INTO large.{table.name} BY NAME " + " UNION ALL ".join(
        _repetition(table, "whole" if number % 10 < 10 * texts else "cut", number, repetitions)
        for number in numbers
    )


def _repetition(table: Table, source: str, number: int, repetitions: int) -> str:
    values = ", ".join(
        f"{_value(name, kind, number, repetitions)} AS {name}" for name, kind in table.columns.items()
    )
    return f"SELECT {values}, {number + 1} AS {LINK} FROM memory.{source}.{table.name}"


def _value(name: str, kind: str, number: int, repetitions: int) -> str:
    if kind == "UUID":
        # As a fresh identifier has its time there: later ones sort later. As a number it takes a thirtieth of what its text would.
        return f'xor("{name}"::UHUGEINT, {number << 96}::UHUGEINT)::UUID'
    if kind == "TIMESTAMP":
        # What has no time gets one, so that a trend has something to show.
        known = f"coalesce(\"{name}\", TIMESTAMP '2025-11-01')" if name == "occurred_at" else f'"{name}"'
        return f"{known} + INTERVAL {int(number * DAYS * 86_400 / repetitions)} SECOND"
    return _named(name)


def questions(ledger: Ledger) -> dict[str, Callable[[], object]]:
    """Return what is asked, by name."""
    some = "SELECT session_id::VARCHAR, turn_index, model FROM turn_starts WHERE model <> '' LIMIT 1 OFFSET "
    [(session_id, turn_index, model)] = (
        ledger.sql(f"{some} {TURN}").fetchall() or ledger.sql(f"{some} 1000").fetchall()
    )
    one_model = Filter(models=(model,))
    [(last,)] = ledger.sql("SELECT max(occurred_at) FROM turn_starts WHERE model = ?", [model]).fetchall()
    within = replace(one_model, since=last - timedelta(days=30), text="return")
    return {
        "funnel": lambda: queries.funnel(ledger),
        "funnel by model": lambda: queries.funnel_by(ledger, "model"),
        "reasons": lambda: queries.reasons(ledger),
        "trend by day": lambda: queries.success_over_time(ledger),
        "dialects": lambda: queries.dialects(ledger),
        "funnel, one model": lambda: queries.funnel(ledger, one_model),
        "reasons, one model": lambda: queries.reasons(ledger, one_model),
        "dimensions": lambda: queries.dimensions(ledger),
        "usage": lambda: queries.usage(ledger),
        "usage by model": lambda: queries.usage_by(ledger, "model"),
        "what was new when": lambda: queries.arrivals(ledger),
        "sessions, first page": lambda: queries.sessions(ledger, limit=50),
        "sessions, counted": lambda: queries.count_sessions(ledger),
        "one session": lambda: (queries.session(ledger, session_id), queries.turns(ledger, session_id)),
        "one turn": lambda: queries.turn(ledger, session_id, turn_index),
        "sessions with a text, a model's last month": lambda: queries.sessions_page(ledger, within),
        "turns with a text, a model's last month": lambda: queries.turns_page(ledger, within),
        "turns with a text, everywhere": lambda: queries.turns_page(
            ledger, replace(EVERYTHING, text="fibonacci")
        ),
    }


def ask(large: Path, only: str, rounds: int) -> None:
    """Print what each question costs."""
    grid = Grid(title=f"{large.name}: {large.stat().st_size / 1e6:,.0f} MB")
    for column in ("question", "first CPU s", "wall s", "again CPU s", "wall s"):
        grid.add_column(column, justify="left" if column == "question" else "right")
    with open_ledger(large, read_only=True) as ledger:
        names = [name for name in questions(ledger) if only in name]
    for name in names:
        with open_ledger(large, read_only=True) as ledger:
            asked = questions(ledger)[name]
            first = _cost(asked)
            again = [_cost(asked) for _ in range(rounds)]
        figures = (*first, min(cpu for cpu, _ in again), min(wall for _, wall in again))
        grid.add_row(name, *(f"{figure:.3f}" for figure in figures))
        print(name, *(f"{figure:.3f}" for figure in figures), flush=True)
    Console().print(grid)


def _cost(work: Callable[[], object]) -> tuple[float, float]:
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - cpu, time.perf_counter() - wall


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description="A ledger of ten million actions.")
    what = parser.add_subparsers(dest="what", required=True)
    making = what.add_parser("make")
    making.add_argument("base", type=Path)
    making.add_argument("large", type=Path)
    making.add_argument("--actions", type=int, default=10_000_000)
    making.add_argument("--texts", type=float, default=0.1)
    asking = what.add_parser("ask")
    asking.add_argument("large", type=Path)
    asking.add_argument("--only", default="")
    asking.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    if given.what == "make":
        make(given.base, given.large, given.actions, given.texts)
    else:
        ask(given.large, given.only, given.rounds)


if __name__ == "__main__":
    main()
