"""``shrink``: find the smallest text that still fails like a recorded one."""

from dataclasses import replace
from typing import Annotated, Any

import typer

from actionledger.cli.filters import Chosen, filtered
from actionledger.cli.options import READING, JsonOption, LedgerOption, existing, resolve_reading
from actionledger.cli.tables import Sheet, console, plain, print_json, print_note, print_text, shortened
from actionledger.core.errors import UsageError
from actionledger.core.text import counted
from actionledger.ledger import Ledger, open_ledger
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.replay.failure_groups import FailureGroup
from actionledger.replay.failures import failures
from actionledger.replay.readers import reader_of
from actionledger.replay.shrink import TRIES, Shrunk, like, shrink, shrink_group
from actionledger.report.failures import reason, shrunk_sentence, where


@filtered()
def shrink_recorded(
    which: Annotated[str | None, READING] = None,
    ledger: LedgerOption = None,
    *,
    within: Chosen,
    groups: Annotated[
        int | None,
        typer.Option(
            "--groups", min=1, help="One text for each of this many failure groups, most expensive first"
        ),
    ] = None,
    tries: Annotated[int, typer.Option("--tries", min=1, help="Maximum number of texts to try")] = TRIES,
    as_json: JsonOption = False,
) -> None:
    """Print the smallest text that fails like a recorded response."""
    with open_ledger(existing(ledger), read_only=True) as opened:
        chosen = within(opened)
        if groups is not None:
            if which is not None:
                raise UsageError("Give either --groups or one response.")
            _show_groups(_shrunk_groups(opened, groups, tries, chosen), as_json=as_json)
            return
        if which is None:
            raise UsageError(
                "Say which response, as SESSION#TURN or by the id of its attempt, or how many --groups."
            )
        if replace(chosen, run_id=None) != EVERYTHING:
            raise UsageError(
                "Of one response its run alone can be picked; the other options of a filter go with --groups."
            )
        reading = resolve_reading(opened, which, chosen.run_id)
    found = shrink(reading.text, like(reading.text, reader_of(reading)), tries=tries)
    if as_json:
        print_json(_shrunk_value(found))
        return
    print_text(found.text)
    print_note(f"{shrunk_sentence(found)}")


def _shrunk_groups(
    ledger: Ledger, wanted: int, tries: int, within: Filter
) -> list[tuple[FailureGroup, Shrunk]]:
    """Return the most expensive groups with a text to shrink; print why others have none."""
    found: list[tuple[FailureGroup, Shrunk]] = []
    for group in failures(ledger, within, with_loops=False).groups:
        if len(found) == wanted:
            break
        if group.key.stage == "acting":
            continue
        try:
            found.append((group, shrink_group(ledger, group, tries=tries)))
        except UsageError as error:
            print_note(f"{where(group.key)}, {reason(group.key)}: {error}")
    return found


def _show_groups(found: list[tuple[FailureGroup, Shrunk]], *, as_json: bool) -> None:
    if as_json:
        print_json([{**group.key._asdict(), **_shrunk_value(shrunk)} for group, shrunk in found])
        return
    sheet = Sheet(
        "where", "reason", "characters", "shrunk to", "text", title="Of each group the smallest text"
    )
    for group, shrunk in found:
        sheet.add_row(
            where(group.key),
            plain(reason(group.key)),
            f"{len(shrunk.original):,}",
            f"{len(shrunk.text):,}",
            plain(shortened(shrunk.text)),
        )
    console.print(sheet)
    print_note(
        f"{counted(len(found), 'group')} of reading and checking; the result of an action doesn't depend on its text"
    )


def _shrunk_value(found: Shrunk) -> dict[str, Any]:
    return {
        "text": found.text,
        "characters": len(found.text),
        "original_characters": len(found.original),
        "tries": found.tries,
        "is_smallest": found.is_smallest,
    }
