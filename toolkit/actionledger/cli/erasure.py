"""``forget``: erase all records of sessions from every file."""

import sys
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer

from actionledger.cli.exits import ExitCode
from actionledger.cli.filters import Chosen, filtered
from actionledger.cli.options import JsonOption, LedgerOption, existing
from actionledger.cli.tables import Sheet, beside, console, plain, print_json, print_note
from actionledger.core.errors import UsageError
from actionledger.core.ids import now
from actionledger.core.patterns import regex
from actionledger.core.text import counted
from actionledger.ledger import Ledger, open_ledger
from actionledger.ledger.queries.filters import Filter
from actionledger.ledger.queries.lineage import Forgettable, older_sessions
from actionledger.ledger.queries.marks import selected_sessions
from actionledger.ledger.storage.files import LedgerFiles
from actionledger.ledger.upkeep.forgetting.records import ForgetReport
from actionledger.runtime.session.erasure import (
    forget,
    go_on_forgetting,
    named,
    sessions_being_erased,
    to_forget,
)

_AGE = regex(r"(\d{1,6})([hdwy])")
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1), "y": timedelta(days=365)}
_SHOWN = 20


@filtered(lists=True, takes_any=True)
def forget_sessions(
    sessions: Annotated[
        list[str] | None,
        typer.Argument(metavar="SESSION", help="Sessions by name, id, title or the beginning of one"),
    ] = None,
    ledger: LedgerOption = None,
    *,
    within: Chosen,
    older_than: Annotated[
        str | None,
        typer.Option(metavar="AGE", help="Sessions without activity for this long: 90d, 12w, 2y, 36h"),
    ] = None,
    by: Annotated[str, typer.Option(help="Who asks for it, for the record; default: this user")] = "",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Erase without asking")] = False,
    as_json: JsonOption = False,
) -> None:
    """Erase all records of sessions from every file of a ledger.

    Their children go with them. What is open in a live process is refused. Without --yes it asks, or only says what would go and ends with 3.
    """
    path = existing(ledger)
    gone = sessions_being_erased(path)
    with open_ledger(path) as opened:
        begun = go_on_forgetting(opened)
        if begun is not None:
            print_note(
                f"Went on with what was begun before: {counted(len(begun.sessions), 'session')} forgotten."
            )
        picked, why = _picked(opened, sessions or [], gone, within(opened), older_than)
        if picked is None:
            if begun is None:
                raise UsageError(
                    "Say which sessions to forget: name them, filter them, or give --older-than; all of them are never meant."
                )
            picked = []
        found = to_forget(opened, picked)
        if begun is not None and not found:
            _tell(begun, path, as_json=as_json)
            return
        if not as_json:
            _show(found)
        if found and not yes and not _agreed(found, as_json=as_json):
            raise typer.Exit(ExitCode.WAITING)
        report = forget(opened, [each.session_id for each in found], by=by, why=why)
    _tell(report, path, as_json=as_json)


def _picked(
    ledger: Ledger, names: list[str], gone: Collection[str], within: Filter, older_than: str | None
) -> tuple[list[str] | None, str]:
    """Return the selected sessions, or None if none were given, and the rule that selected them."""
    asked: list[set[str]] = []
    rules = []
    if names:
        asked.append(set(named(ledger, names, gone)))
    if within != Filter():
        asked.append({row[0] for row in ledger.sql(*selected_sessions(within)).fetchall()})
        rules.append(_rule(within))
    if older_than is not None:
        asked.append(set(older_sessions(ledger, _moment(older_than))))
        rules.append(f"older than {older_than}")
    return (sorted(set.intersection(*asked)) if asked else None), ", ".join(rules)


def _rule(within: Filter) -> str:
    """Return a filter in words, without its search text, which may be the text to erase."""
    kept = replace(within, text="")
    words = [kept.words] if kept != Filter() else []
    return ", ".join([*words, "a text"] if within.text else words)


def _moment(age: str) -> datetime:
    found = _AGE.fullmatch(age.strip())
    if found is None:
        raise UsageError(f"{age!r} is not an age; write a number and h, d, w or y, such as 90d.")
    return now() - int(found[1]) * _UNITS[found[2]]


def _show(found: list[Forgettable]) -> None:
    if not found:
        print_note("No session is meant; nothing is forgotten.")
        return
    table = Sheet("session", "name", "source", "turns", "")
    for each in found[:_SHOWN]:
        table.add_row(
            each.session_id,
            plain(each.name),
            plain(each.source),
            str(len(each.turns)),
            "child" if each.is_child else "",
        )
    console.print(table)
    if len(found) > _SHOWN:
        print_note(f"And {len(found) - _SHOWN:,} more.")


def _agreed(found: list[Forgettable], *, as_json: bool) -> bool:
    turns = sum(len(each.turns) for each in found)
    what = f"{counted(len(found), 'session')} with {counted(turns, 'turn')}"
    if as_json or not sys.stdin.isatty():
        print_note(f"Nothing is forgotten yet: {what} would go from every file; --yes does it.")
        return False
    beside.print(
        plain(f"{what} go from every file, for good. Copies of the ledger elsewhere are not touched.")
    )
    return typer.confirm("Forget them?")


def _tell(report: ForgetReport, path: Path, *, as_json: bool) -> None:
    if as_json:
        print_json({"forgotten": report})
        return
    if report.sessions:
        gone = ", ".join(f"{name} {count:,}" for name, count in report.counts.items())
        print_note(f"{counted(len(report.sessions), 'session')} forgotten in {path}: {gone}.")
        _tell_of_log(path)


def _tell_of_log(path: Path) -> None:
    """Print what the server of a lake's catalog may keep in its log."""
    from actionledger.ledger.storage.lake.place import LakePlace, is_place  # noqa: PLC0415 - of an extra

    if not is_place(path):
        return
    from actionledger.ledger.storage.lake.forgetting import said_of_log  # noqa: PLC0415 - the same

    if said := said_of_log(LakePlace.read(LedgerFiles.at(path).published)):
        print_note(said, style="yellow")
