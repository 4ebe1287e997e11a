"""Whose turns are new, where several imports take in the same at once: of the same event a ledger keeps the first."""

from collections.abc import Iterable
from contextlib import suppress

from actionledger.core.errors import LedgerError
from actionledger.imports.report import ImportReport
from actionledger.ledger import Ledger

_TAKEN = """
SELECT count(*) FILTER (kind = 'response_received'),
    (SELECT sum(call_count) FROM turn_starts WHERE run_id IN (FROM runs)),
    (SELECT count(*) FROM execution_starts WHERE run_id IN (FROM runs)),
    count(*) FILTER (kind = 'turn_superseded'),
    count(DISTINCT session_id) FILTER (kind IN ('session_started', 'response_received'))
FROM events WHERE run_id IN (FROM runs)"""
_QUERY = f"WITH runs AS (SELECT unnest(string_split(?, ','))::UUID) {_TAKEN}"


def count_first_come(report: ImportReport, ledger: Ledger, run_ids: Iterable[str]) -> None:
    """Count as new what a ledger has of the runs of an import: the rest had come in by others, since the import began."""
    report.is_settled = False
    with suppress(LedgerError):  # what was recorded is safe, whoever can tell of it
        if not ledger.internals.settle():
            return
        [(turns, calls, results, revised, sessions)] = ledger.sql(_QUERY, [",".join(run_ids)]).fetchall()
        if turns < report.turns:
            report.known += report.turns - turns
            report.turns, report.revised = turns, min(report.revised, revised)
        # Without those of turns that others stand for by now: of these a ledger keeps no more than that there was one.
        report.calls = min(report.calls, calls or 0)
        report.results = min(report.results, results)
        report.sessions = min(report.sessions, sessions)
        report.is_settled = True
