"""``doctor``: how a ledger is, and what to do about it."""

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from actionledger.cli.exits import ExitCode
from actionledger.cli.ledgers import ledger_to_read
from actionledger.cli.options import JsonOption, LedgerOption
from actionledger.cli.sheets import Sheet
from actionledger.cli.tables import beside, console, plain, print_json, print_note
from actionledger.core.errors import LedgerError, UsageError
from actionledger.imports.bundles import UnknownWordings, bundle, unknown_wordings
from actionledger.imports.newer_versions import Newer, newer_recordings
from actionledger.ledger import open_ledger
from actionledger.ledger.storage.files import LedgerFiles
from actionledger.ledger.upkeep.health import Health, Level, examine, mend

_STYLES = {Level.FINE: "", Level.NOTE: "yellow", Level.FAULT: "bold red"}


def doctor(
    path: Annotated[Path | None, typer.Argument(help="The ledger's file; the same as --ledger.")] = None,
    ledger: LedgerOption = None,
    *,
    fix: Annotated[
        bool,
        typer.Option(
            "--fix",
            help="Take in what waits, publish it, and remove what killed processes left; nothing that is recorded is lost by it.",
        ),
    ] = False,
    as_json: JsonOption = False,
    bundle_file: Annotated[
        Path | None,
        typer.Option(
            "--bundle",
            metavar="FILE",
            help="Write a JSON file for a report of a failure: versions, unknown kinds and counts, masked, without texts.",
        ),
    ] = None,
    with_text: Annotated[
        bool,
        typer.Option(
            "--with-text",
            help="Add short responses that could not be parsed, and unknown errors, to --bundle.",
        ),
    ] = False,
) -> None:
    """Look at how a ledger is, and say what to do about it; --fix mends what can be mended safely.

    It works on a ledger that nothing else can open, and changes nothing without --fix. Exit code 3: something needs you.
    """
    if bundle_file and (fix or as_json):
        raise UsageError("--bundle writes a file and does nothing else; give it without --fix and --json.")
    if with_text and not bundle_file:
        raise UsageError("--with-text adds texts to a bundle; give it with --bundle FILE.")
    looked_at = path or ledger_to_read(ledger)
    files = LedgerFiles.at(looked_at)
    if not files.published.exists() and not files.folder.exists():
        raise LedgerError(f"There is no ledger at {looked_at}, and no folder of one beside it.")
    if bundle_file:
        _write_bundle(looked_at, bundle_file, with_text=with_text)
        return
    done = mend(looked_at) if fix else ()
    found = examine(looked_at)
    unknown, newer = _unknown(looked_at)
    if as_json:
        told = {
            "health": found,
            "needs_person": found.needs_person,
            "mended": done,
            "unknown_wordings": unknown,
            "newer_than_tested": newer,
        }
        print_json(told)
    else:
        for sentence in done:
            print_note(sentence)
        _print(found, was_mended=fix)
        for each in unknown:
            print_note(f"{each.words}: their reason is tool_error, and no more is known of them.")
        for recorded in newer:
            print_note(f"{recorded.words}.")
    raise typer.Exit(ExitCode.WAITING if found.needs_person else ExitCode.DONE)


def _write_bundle(ledger: Path, file: Path, *, with_text: bool) -> None:
    """Write a bundle to a file that is not there yet, for its owner alone."""
    if file.exists():
        raise UsageError(f"The file {str(file)!r} is there already; name another one.")
    made = bundle(ledger, with_text=with_text)
    text = json.dumps(made, indent=2, ensure_ascii=False, default=str)
    try:
        with os.fdopen(
            os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8"
        ) as stream:
            stream.write(text + "\n")
    except OSError as error:
        raise UsageError(f"The file {str(file)!r} can't be written: {error.strerror}.") from error
    has = "texts of models and tools" if made["has_text"] else "no text of a model"
    print_note(
        f"Wrote {file}, which has {has}; secrets are masked. Read it before you attach it to a report."
    )


def _unknown(path: Path) -> tuple[list[UnknownWordings], list[Newer]]:
    """Return the errors that no table knows, and what is newer than what was tested; none of a ledger that can't be read."""
    try:
        with open_ledger(path, read_only=True) as ledger:
            return unknown_wordings(ledger), newer_recordings(ledger)
    except LedgerError:
        return [], []


def _print(found: Health, *, was_mended: bool) -> None:
    table = Sheet("", "check", "what is so")
    for finding in found.findings:
        said = f"{finding.sentence} → {finding.to_do}" if finding.to_do else finding.sentence
        table.add_row(str(finding.level), str(finding.check), plain(said), style=_STYLES[finding.level])
    console.print(table)
    faults = sum(finding.level is Level.FAULT for finding in found.findings)
    needs = "needs" if faults == 1 else "need"
    verdict = "Nothing needs you." if not faults else f"{faults} of these {needs} you."
    mendable = any(finding.is_mendable for finding in found.findings)
    beside.print(plain(verdict + " --fix mends some of it." * (mendable and not was_mended)))
