"""``agreement``: what is read here beside what the recordings' own runtimes made of their calls."""

from collections.abc import Mapping
from dataclasses import asdict

from actionledger.cli.filters import Chosen, filtered
from actionledger.cli.ledgers import existing
from actionledger.cli.options import JsonOption, LedgerOption
from actionledger.cli.sheets import Sheet
from actionledger.cli.tables import console, plain, print_json, rate_value, shown_rate
from actionledger.ledger import open_ledger
from actionledger.ledger.queries.agreement import Agreement, agreement
from actionledger.ledger.queries.names import session_names

SHOWN = 20


@filtered()
def show_agreement(ledger: LedgerOption = None, *, within: Chosen, as_json: JsonOption = False) -> None:
    """Put what is read here beside what the recordings' own runtimes made of their calls, and list where they differ."""
    with open_ledger(existing(ledger), read_only=True) as opened:
        found = agreement(opened, within(opened))
        names = session_names(opened, {each.session_id for each in found.differing})
    if as_json:
        print_json(_as_value(found))
    else:
        _print(found, names)


def _print(found: Agreement, names: Mapping[str, str]) -> None:
    if not found.rate.count:
        console.print(
            "no session has results that another runtime recorded: there is no verdict to agree with"
        )
        return
    table = Sheet("here", "there", "calls")
    for (here, there), count in found.counts.items():
        table.add_row(here.replace("_", " "), there.replace("_", " "), f"{count:,}")
    console.print(table)
    by_source = Sheet("source", "calls", "of one mind")
    for name, rate in found.by_source.items():
        by_source.add_row(plain(name), f"{rate.count:,}", shown_rate(rate))
    console.print(by_source)
    console.print(
        f"of one mind {shown_rate(found.rate)} ({found.rate.successes:,} of {found.rate.count:,} calls)"
    )
    for each in found.differing[:SHOWN]:
        why = f" ({each.reason})" if each.reason else ""
        line = f"  {names[each.session_id]}#{each.turn_index} {each.name}: {each.here} here, {each.there} there{why}"
        console.print(plain(line))


def _as_value(found: Agreement) -> dict[str, object]:
    return {
        "counts": [
            {"here": here, "there": there, "calls": count} for (here, there), count in found.counts.items()
        ],
        "rate": rate_value(found.rate),
        "by_source": {name: rate_value(rate) for name, rate in found.by_source.items()},
        "differing": [asdict(each) for each in found.differing],
    }
