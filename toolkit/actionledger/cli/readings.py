"""Which recorded reading a person means: by its attempt, or by its session and turn."""

from typing import Annotated

import typer

from actionledger.core.errors import UsageError
from actionledger.ledger import Ledger
from actionledger.ledger.queries.naming import one_run, one_session
from actionledger.ledger.queries.readings import RecordedReading, reading_of_attempt, reading_of_turn

READING = typer.Argument(
    metavar="SESSION#TURN|ATTEMPT",
    help="A turn, such as retry-backoff#3, or a parse attempt by the beginning of its id.",
)
RunOption = Annotated[str | None, typer.Option("--run", help="This run's reading of it, not the first one.")]


def turn_named(text: str) -> tuple[str, int]:
    """Return the session and the place in it that ``SESSION#TURN`` says."""
    name, _, index = text.rpartition("#")
    if not name or not index.isdecimal():
        raise UsageError(f"{text!r} names no turn; write SESSION#TURN, such as retry-backoff#3.")
    return name, int(index)


def reading_meant(ledger: Ledger, which: str, run: str | None) -> RecordedReading:
    """Return the recorded reading that a command's argument names."""
    if "#" not in which:
        return reading_of_attempt(ledger, which)
    session, turn = turn_named(which)
    run_id = None if run is None else one_run(ledger, run)
    return reading_of_turn(ledger, one_session(ledger, session), turn, run_id)
