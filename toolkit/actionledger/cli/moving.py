"""``migrate``, ``compact`` and ``committer``: a ledger into a lake and back, a lake's small files into few, and what hosts ship to it."""

import signal
from datetime import timedelta
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated

import typer

from actionledger.cli.ledgers import existing
from actionledger.cli.options import JsonOption, LedgerOption
from actionledger.cli.sheets import Sheet
from actionledger.cli.tables import console, print_json, print_note
from actionledger.core.errors import UsageError, require
from actionledger.core.text import counted

if TYPE_CHECKING:
    from actionledger.ledger.storage.lake.committer import Round


def migrate(
    source: Annotated[Path, typer.Argument(metavar="LEDGER", help="The ledger; it stays as it is.")],
    target: Annotated[
        Path,
        typer.Argument(
            metavar="TARGET",
            help="The file that says where a blank lake is; or, of a ledger in a lake, a new file.",
        ),
    ],
    *,
    as_json: JsonOption = False,
) -> None:
    """Bring a whole ledger from one file into a lake, or back: all of it, counted row by row, or nothing."""
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
        typer.Option("--keep-days", min=0, help="For how many days back a state can be read afterwards."),
    ] = 30.0,
    as_json: JsonOption = False,
) -> None:
    """Join the small files of a ledger in a lake, and let go of states of the past; agents and readers go on."""
    require("A ledger in a lake", "lake", "tenacity")
    from actionledger.ledger.storage.files import LedgerFiles  # noqa: PLC0415 - of an extra
    from actionledger.ledger.storage.lake.compaction import compact as join  # noqa: PLC0415
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
        bool, typer.Option("--once", help="Take in what is there, and end, instead of waiting for more.")
    ] = False,
) -> None:
    """Take in what hosts ship to a lake's queue, many pieces in a commit, until interrupted; one for each lake."""
    require("A ledger in a lake", "lake", "tenacity")
    from actionledger.ledger.storage.lake.committer import committer_of  # noqa: PLC0415 - of an extra

    found = existing(ledger)
    _refuse_file(found)
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
        f"{counted(done.pieces, 'piece')} in {counted(done.commits, 'commit')}: {counted(done.events, 'event')} taken in, "
        f"{done.duplicates:,} known already"
    )
    if done.quarantined:
        said += f", {counted(done.quarantined, 'line')} that can't be read kept in the table quarantine"
    if done.waiting:
        said += f"; {counted(done.waiting, 'piece')} left for the next round"
    print_note(f"{said}.")


def _refuse_file(path: Path) -> None:
    from actionledger.ledger.storage.lake.place import is_place  # noqa: PLC0415

    if not is_place(path):
        raise UsageError(f"{path} is one file, which commits by itself; a ledger in a lake is NAME.toml.")
