"""``report``: what a ledger says."""

from collections.abc import Sequence
from dataclasses import asdict

from actionledger.cli.filters import Chosen, filtered
from actionledger.cli.ledgers import existing
from actionledger.cli.options import JsonOption, LedgerOption
from actionledger.cli.tables import (
    changes_table,
    console,
    dialects_table,
    failures_table,
    funnel_table,
    funnels_table,
    left_out_table,
    plain,
    print_json,
    rate_value,
    targets_table,
    usage_line,
)
from actionledger.ledger import Ledger, open_ledger
from actionledger.ledger.queries.dialects import dialects
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.ledger.queries.funnel import Dimension, Funnel, funnel, funnel_by
from actionledger.ledger.queries.left_out import left_out
from actionledger.ledger.queries.naming import session_names
from actionledger.ledger.queries.price_files import price_file_dates
from actionledger.ledger.queries.reasons import Failure, reasons
from actionledger.ledger.queries.targets import Timings, timings
from actionledger.ledger.queries.usage import usage
from actionledger.replay.changes import Change, changes

TOP_REASONS = 10
SPLIT_BY: tuple[Dimension, ...] = ("profile", "model")


@filtered()
def report(ledger: LedgerOption = None, *, within: Chosen, as_json: JsonOption = False) -> None:
    """Print how far the recorded responses got, and why the others didn't."""
    with open_ledger(existing(ledger), read_only=True) as opened:
        chosen = within(opened)
        if as_json:
            print_json(_as_value(opened, chosen))
        else:
            print_report(opened, chosen)


def print_report(ledger: Ledger, within: Filter) -> None:
    """Print the funnel, the plan's targets, the dialects, the split by profile and model, and the top reasons of failure."""
    whole = funnel(ledger, within)
    if not whole.responses:
        if within == EVERYTHING:
            console.print("There is no response yet; 'actionledger import --help' says how to take some in.")
        else:
            said = f"No response fits {within.words}; without these options it says what the ledger holds."
            console.print(plain(said))
        return
    console.print(funnel_table(whole))
    console.print(targets_table(whole, timings(ledger, within)))
    if read_in := dialects(ledger, within):
        console.print(dialects_table(read_in))
    for dimension in SPLIT_BY:
        console.print(funnels_table(f"By {dimension}", funnel_by(ledger, dimension, within)))
    if failures := reasons(ledger, within, limit=TOP_REASONS):
        names = session_names(ledger, {failure.session_id for failure in failures})
        console.print(failures_table(failures, names))
    if found := changes(ledger, within):
        console.print(changes_table(found))
    if line := usage_line(usage(ledger, within), price_file_dates(ledger)):
        console.print()
        console.print(plain(line))
    if omitted := left_out(ledger, limit=TOP_REASONS):
        console.print(left_out_table(omitted))


def _as_value(ledger: Ledger, within: Filter) -> dict[str, object]:
    return {
        "funnel": _numbers(funnel(ledger, within)),
        "timings": _timings(timings(ledger, within)),
        **{
            f"by_{dimension}": {label: _numbers(part) for label, part in funnel_by(ledger, dimension, within)}
            for dimension in SPLIT_BY
        },
        "read_in": {part.dialect: rate_value(part.share) for part in dialects(ledger, within)},
        "reasons": _reasons(ledger, reasons(ledger, within)),
        "changes": [_change(each) for each in changes(ledger, within)],
        "usage": asdict(usage(ledger, within)),
        "left_out": [asdict(part) for part in left_out(ledger)],
    }


def _reasons(ledger: Ledger, failures: Sequence[Failure]) -> list[dict[str, object]]:
    names = session_names(ledger, {failure.session_id for failure in failures})
    return [
        asdict(failure) | {"session": names[failure.session_id], "turns": rate_value(failure.turns)}
        for failure in failures
    ]


def _change(change: Change) -> dict[str, object]:
    return asdict(change) | {"before": rate_value(change.before), "after": rate_value(change.after)}


def _numbers(counted: Funnel) -> dict[str, object]:
    return {
        "responses": counted.responses,
        "intent": counted.intent,
        "outcomes": dict(counted.outcomes),
        "only_shown": counted.only_shown,
        "illustrations": counted.illustrations,
        "by_evidence": counted.by_evidence,
        "in_sentences": counted.in_sentences,
        "parse_success": rate_value(counted.parse_success),
        "strict_success": rate_value(counted.strict_success),
        "validation": rate_value(counted.validation),
        "execution": rate_value(counted.execution),
        "taken_back": rate_value(counted.taken_back),
        "not_auditable": counted.not_auditable,
        "recorded": dict(counted.recorded),
        "recorded_execution": rate_value(counted.recorded_execution),
    }


def _timings(found: Timings) -> dict[str, object]:
    return {
        "without_code": {"count": found.count, "mean_ms": found.mean_ms, "p95_ms": found.p95_ms},
        "code_timeouts": rate_value(found.code_timeouts),
        "code_limits": found.code_limits,
    }
