"""``doctor``, ``verify``, ``migrate``, ``compact`` and ``committer``: a ledger's health, integrity and storage."""

import json
import os
import signal
from datetime import timedelta
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated

import typer

from actionledger.cli.exits import ExitCode
from actionledger.cli.options import JsonOption, LedgerOption, existing, ledger_to_read
from actionledger.cli.tables import Sheet, beside, console, plain, print_json, print_note
from actionledger.core.errors import LedgerError, UsageError, require
from actionledger.core.files import writing
from actionledger.core.text import counted
from actionledger.imports.bundles import bundle
from actionledger.imports.newer_versions import Newer, newer_recordings
from actionledger.imports.unknown_wordings import UnknownWordings, unknown_wordings
from actionledger.ledger import open_ledger
from actionledger.ledger.storage.files import LedgerFiles
from actionledger.ledger.storage.local import verify as verified
from actionledger.ledger.upkeep.health import Health, Level, examine, mend
from actionledger.ledger.upkeep.proofs.report import Verification

if TYPE_CHECKING:
    from actionledger.ledger.storage.lake.committer import Round

_STYLES = {Level.FINE: "", Level.NOTE: "yellow", Level.FAULT: "bold red"}


def doctor(
    path: Annotated[Path | None, typer.Argument(help="Ledger file; same as --ledger")] = None,
    ledger: LedgerOption = None,
    *,
    fix: Annotated[
        bool,
        typer.Option(
            "--fix",
            help="Load pending records, publish them, and remove leftovers of killed processes",
        ),
    ] = False,
    as_json: JsonOption = False,
    bundle_file: Annotated[
        Path | None,
        typer.Option(
            "--bundle",
            metavar="FILE",
            help="Write a JSON file for a bug report: versions, unknown kinds, counts; masked, no texts",
        ),
    ] = None,
    with_text: Annotated[
        bool,
        typer.Option(
            "--with-text",
            help="Add short unparseable responses and unknown errors to --bundle",
        ),
    ] = False,
) -> None:
    """Check a ledger's health; --fix repairs what is safe.

    It works on a ledger that nothing else can open, and changes nothing without --fix. Exit code 3: something needs you.
    """
    if bundle_file and (fix or as_json):
        raise UsageError("--bundle writes a file and does nothing else; give it without --fix and --json.")
    if with_text and not bundle_file:
        raise UsageError("--with-text adds texts to a bundle; give it with --bundle FILE.")
    looked_at = path or ledger_to_read(ledger)
    files = LedgerFiles.at(looked_at)
    if not files.published.exists() and not files.folder.exists():
        raise LedgerError(f"There is no ledger at {looked_at}, and no folder of one next to it.")
    if bundle_file:
        _write_bundle(looked_at, bundle_file, with_text=with_text)
        return
    mended = mend(looked_at) if fix else ()
    health = examine(looked_at)
    unknown, newer = _unknown(looked_at)
    if as_json:
        print_json(
            {
                "health": health,
                "needs_person": health.needs_person,
                "mended": mended,
                "unknown_wordings": unknown,
                "newer_than_tested": newer,
            }
        )
    else:
        notes = (
            f"{each.words}: their reason is tool_error, and no more is known of them." for each in unknown
        )
        for sentence in mended:
            print_note(sentence)
        _print(health, was_mended=fix)
        for sentence in (*notes, *(f"{recorded.words}." for recorded in newer)):
            print_note(sentence)
    raise typer.Exit(ExitCode.WAITING if health.needs_person else ExitCode.DONE)


def _write_bundle(ledger: Path, file: Path, *, with_text: bool) -> None:
    """Write a bundle to a new file, readable only by its owner."""
    if file.exists():
        raise UsageError(f"The file {str(file)!r} already exists; name another one.")
    made = bundle(ledger, with_text=with_text)
    text = json.dumps(made, indent=2, ensure_ascii=False, default=str)
    with writing(file):
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(text + "\n")
    has = "texts of models and tools" if made["has_text"] else "no text of a model"
    print_note(
        f"Wrote {file}, which has {has}; secrets are masked. Read it before you attach it to a report."
    )


def _unknown(path: Path) -> tuple[list[UnknownWordings], list[Newer]]:
    """Return unknown error wordings, and versions newer than those tested; none for an unreadable ledger."""
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
    verdict = "All good." if not faults else f"{faults} of these {needs} you."
    mendable = any(finding.is_mendable for finding in found.findings)
    beside.print(plain(verdict + " --fix mends some of it." * (mendable and not was_mended)))


def migrate(
    source: Annotated[Path, typer.Argument(metavar="LEDGER", help="Ledger to copy; it does not change")],
    target: Annotated[
        Path,
        typer.Argument(
            metavar="TARGET",
            help="File that names a blank lake; or, to leave a lake, a new file",
        ),
    ],
    *,
    as_json: JsonOption = False,
) -> None:
    """Copy a whole ledger from one file into a lake, or back."""
    require("A ledger in a lake", "lake", "tenacity")
    from actionledger.ledger.upkeep.relocation import migrate as bring_over  # noqa: PLC0415 - of an extra

    done = bring_over(existing(source), target)
    if as_json:
        print_json({"source": source, "target": target, "rows": done.rows})
        return
    table = Sheet("table", "rows")
    for name, rows in done.rows.items():
        table.add_row(name, f"{rows:,}")
    console.print(table)
    print_note(
        f"{target} holds {counted(sum(done.rows.values()), 'row')}, each compared with the one it was; {source} is as it was."
    )


def compact(
    ledger: LedgerOption = None,
    *,
    keep_days: Annotated[
        float,
        typer.Option("--keep-days", min=0, help="Days for which past states stay readable"),
    ] = 30.0,
    as_json: JsonOption = False,
) -> None:
    """Merge a lake's small files and drop old states."""
    require("A ledger in a lake", "lake", "tenacity")
    from actionledger.ledger.storage.files import LedgerFiles  # noqa: PLC0415 - of an extra
    from actionledger.ledger.storage.lake.committer import compact as join  # noqa: PLC0415
    from actionledger.ledger.storage.lake.place import LakePlace, is_place  # noqa: PLC0415

    found = existing(ledger)
    if not is_place(found):
        raise UsageError(
            f"{found} is one file, which has nothing to be joined; a ledger in a lake is NAME.toml."
        )
    done = join(LakePlace.read(LedgerFiles.at(found).published), keep=timedelta(days=keep_days))
    if as_json:
        print_json(done)
        return
    print_note(
        f"{counted(done.files_before, 'file')} before, {done.files_after:,} now, of {done.bytes_after:,} bytes; "
        f"{counted(done.snapshots_expired, 'state')} of the past let go of, {counted(done.files_removed, 'file')} removed."
    )
    if done.free_from is not None:
        print_note(
            f"{counted(done.files_kept, 'file')} that no state needs any more stay for a day, for whoever reads them still: a compact after "
            f"{done.free_from:%Y-%m-%d %H:%M} UTC removes them."
        )


def committer(
    ledger: LedgerOption = None,
    *,
    once: Annotated[
        bool, typer.Option("--once", help="Commit what is there and end, instead of waiting for more")
    ] = False,
) -> None:
    """Commit what hosts ship to a lake; run one for each lake."""
    require("A ledger in a lake", "lake", "tenacity")
    from actionledger.ledger.storage.lake.committer import committer_of  # noqa: PLC0415 - of an extra

    found = existing(ledger)
    path = found
    from actionledger.ledger.storage.lake.place import is_place  # noqa: PLC0415

    if not is_place(path):
        raise UsageError(f"{path} is one file, which commits by itself; a ledger in a lake is NAME.toml.")
    taking = committer_of(found)
    if once:
        _tell(taking.round())
        taking.close()
        return
    stop = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    print_note(f"Taking in what hosts ship for {found}. Ctrl-C ends it.")
    taking.run(is_stopped=stop.is_set, told=_tell)


def _tell(done: "Round") -> None:
    said = (
        f"{counted(done.pieces, 'piece')} in {counted(done.commits, 'commit')}: {counted(done.events, 'event')} loaded, "
        f"{done.duplicates:,} known already"
    )
    if done.quarantined:
        said += f", {counted(done.quarantined, 'line')} that can't be read put into the table quarantine"
    if done.waiting:
        said += f"; {counted(done.waiting, 'piece')} left for the next round"
    print_note(f"{said}.")


def verify(
    path: Annotated[Path | None, typer.Argument(help="Ledger file; same as --ledger")] = None,
    ledger: LedgerOption = None,
    *,
    head: Annotated[
        bool, typer.Option("--head", help="Print only the head of each chain, to keep elsewhere")
    ] = False,
    since: Annotated[
        str,
        typer.Option(metavar="HEAD", help="Also check that everything up to this head is still there"),
    ] = "",
    as_json: JsonOption = False,
) -> None:
    """Verify that the records are as they were written.

    Exit code 1: a record is not as it was written. docs/ledger.md says what this does not prove.
    """
    found = verified(existing(path or ledger), since=since)
    if as_json:
        print_json({"verification": found, "head": found.head, "is_whole": found.is_whole})
    elif head:
        if not found.head:
            raise LedgerError(" ".join(found.notes))
        console.print(plain(found.head))
    else:
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
    raise typer.Exit(ExitCode.DONE if found.is_whole else ExitCode.FAULT)


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
        "All records are as they were written."
        if found.is_whole
        else f"{counted(len(found.faults), 'place')} are not as they were written."
    )
    console.print(plain(f"{said}{before} {verdict}"))
    if len(found.chains) == 1:
        console.print(plain(f"Head: {found.head}"))
