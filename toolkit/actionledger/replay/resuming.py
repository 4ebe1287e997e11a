"""A rereading that was cut off, found again: what it was to read is recorded with it, and what it has read already."""

import json
from dataclasses import asdict, dataclass

from actionledger.core.canonical import json_text
from actionledger.core.clock import now
from actionledger.core.errors import UsageError
from actionledger.core.events import SystemNoted
from actionledger.core.ids import derived_id
from actionledger.core.plurals import counted
from actionledger.ledger import Ledger
from actionledger.ledger.fitting import is_uuid
from actionledger.ledger.queries.filters import Filter
from actionledger.ledger.queries.rereading import count_read
from actionledger.ledger.queries.runs import UnfinishedRereading, unfinished_rereadings

SELECTED = "reparse_selected"
"""The code of the note that says what a run is to read."""


@dataclass(frozen=True, slots=True)
class Resumed:
    """A run that goes on.

    Args:
        run_id: the run.
        turns: how many turns it has read already.
    """

    run_id: str
    turns: int


def selection_noted(run_id: str, parser_id: str, within: Filter) -> SystemNoted:
    """Return the note that says which turns a run is to read, and with which parser: who resumes it looks for that."""
    return SystemNoted(
        event_id=derived_id("reparse-selected", run_id),
        recorded_at=now(),
        run_id=run_id,
        code=SELECTED,
        message="What this run is to read; without an end of the run, it was cut off.",
        detail={"parser_id": parser_id, "selection": _selection(within)},
    )


def resumed(ledger: Ledger, which: bool | str, parser_id: str, within: Filter) -> Resumed | None:
    """Return the run that is to go on; None to begin a new one."""
    if which is False:
        return None
    found = unfinished_rereadings(ledger, SELECTED)
    fitting = [run for run in found if _fits(run, parser_id, within)]
    if which is not True:
        fitting = [run for run in fitting if run.run_id == which]
    if not fitting:
        raise UsageError(_why_none(which, found))
    return Resumed(fitting[-1].run_id, count_read(ledger, fitting[-1].run_id))


def _fits(run: UnfinishedRereading, parser_id: str, within: Filter) -> bool:
    detail = json.loads(run.detail)
    return bool(detail["parser_id"] == parser_id and _said(detail["selection"]) == _selection(within))


def _selection(within: Filter) -> object:
    """Return a filter as it looks when it comes out of a record."""
    return _said(json.loads(json_text(asdict(within))))


def _said(selection: dict[str, object]) -> dict[str, object]:
    """Return what a selection says: what it leaves empty, another version may not have known."""
    return {name: value for name, value in selection.items() if value}


def _why_none(which: bool | str, found: list[UnfinishedRereading]) -> str:
    others = f"{counted(len(found), 'rereading')} without an end" if found else "no rereading without an end"
    if which is True:
        return (
            f"Nothing to resume: the ledger has {others}, none of them of this parser and these turns. "
            "Without resume a new one begins. One that was stopped when all was read is over: 'actionledger compare' shows it."
        )
    name = which if is_uuid(str(which)) else repr(which)
    return (
        f"Run {name} can't be resumed: it is over, or not a rereading of this parser and these turns; the ledger has {others}. "
        "'actionledger sql \"FROM runs\"' lists them."
    )
