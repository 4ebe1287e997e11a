"""``verify``: whether a ledger holds what was taken in."""

from pathlib import Path
from typing import Annotated

import typer

from actionledger.cli.exits import ExitCode
from actionledger.cli.ledgers import existing
from actionledger.cli.options import JsonOption, LedgerOption
from actionledger.cli.sheets import Sheet
from actionledger.cli.tables import beside, console, plain, print_json
from actionledger.core.errors import LedgerError
from actionledger.core.text import counted
from actionledger.ledger.storage.local import verify as verified
from actionledger.ledger.upkeep.proofs.report import Verification


def verify(
    path: Annotated[Path | None, typer.Argument(help="The ledger's file; the same as --ledger.")] = None,
    ledger: LedgerOption = None,
    *,
    head: Annotated[
        bool, typer.Option("--head", help="Print nothing but the head of each chain, to be kept elsewhere.")
    ] = False,
    since: Annotated[
        str,
        typer.Option(metavar="HEAD", help="Look as well whether all is as it was when this was kept."),
    ] = "",
    as_json: JsonOption = False,
) -> None:
    """Look whether a ledger holds what was taken in; say what was changed, lost or put there, the first place first.

    Exit code 1: something is not as it was taken in. What this does not prove stands in docs/ledger.md.
    """
    found = verified(existing(path or ledger), since=since)
    if as_json:
        print_json({"verification": found, "head": found.head, "is_whole": found.is_whole})
    elif head:
        if not found.head:
            raise LedgerError(" ".join(found.notes))
        console.print(plain(found.head))
    else:
        _print(found)
    raise typer.Exit(ExitCode.DONE if found.is_whole else ExitCode.FAULT)


def _print(found: Verification) -> None:
    if found.faults:
        table = Sheet("table", "link", "what is so")
        for fault in found.faults:
            table.add_row(
                fault.table,
                "" if fault.link is None else str(fault.link),
                plain(fault.sentence),
                style="bold red",
            )
        console.print(table)
    for note in found.notes:
        beside.print(plain(note))
    if found.chains:
        _print_proven(found)


def _print_proven(found: Verification) -> None:
    if len(found.chains) > 1:
        table = Sheet("host", "links", "rows", "since (UTC)", "head")
        for each in found.chains:
            table.add_row(
                each.host,
                f"{each.links:,}",
                f"{each.rows:,}",
                f"{each.since:%Y-%m-%d %H:%M:%S}",
                str(each.head),
            )
        console.print(table)
    gone = f"; {found.forgotten:,} cells of forgotten sessions and {found.superseded:,} of superseded turns are gone rightly"
    said = f"{counted(found.rows, 'row')} in {counted(found.links, 'link')} since {found.since:%Y-%m-%d %H:%M:%S} UTC{gone}."
    before = f" {counted(found.unproven, 'row')} of them were recorded before proofs were kept." * bool(
        found.unproven
    )
    verdict = (
        "All is as it was taken in."
        if found.is_whole
        else f"{counted(len(found.faults), 'place')} are not as they were taken in."
    )
    console.print(plain(f"{said}{before} {verdict}"))
    if len(found.chains) == 1:
        console.print(plain(f"Head: {found.head}"))
