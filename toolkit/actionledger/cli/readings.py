"""Which recorded reading a person means: by its attempt, or by its session and turn."""

from typing import Annotated

import typer

from actionledger.errors import UsageError
from actionledger.ledger import Ledger
from actionledger.ledger.queries.naming import one_run, one_session
from actionledger.ledger.queries.readings import RecordedReading, reading_of_attempt, reading_of_turn

SessionOption = Annotated[
    str | None, typer.Option("--session", help="A session by its name, its id or the beginning of it.")
]
TurnOption = Annotated[int | None, typer.Option("--turn", min=0, help="A turn of it by its place, from 0.")]
RunOption = Annotated[str | None, typer.Option("--run", help="This run's reading of it, not the first one.")]


def turn_named(text: str) -> tuple[str, int]:
    """Return the session and the place in it that ``SESSION#TURN`` says.

    Raises:
        UsageError: it says none.
    """
    name, _, index = text.rpartition("#")
    if not name or not index.isdecimal():
        raise UsageError(f"{text!r} names no turn; write SESSION#TURN, such as retry-backoff#3.")
    return name, int(index)


def reading_meant(
    ledger: Ledger, attempt: str | None, session: str | None, turn: int | None, run: str | None, *, by: str
) -> RecordedReading:
    """Return the recorded reading that a command's options name.

    Args:
        ledger: where it is recorded.
        attempt: the attempt's id, or enough of its beginning, or SESSION#TURN; None for none.
        session: a session, as people call it.
        turn: a turn of it.
        run: whose reading of the turn.
        by: the option that the command has for an attempt.

    Raises:
        UsageError: they name none, or several.
    """
    if (attempt is None) == (session is None) or (session is None) != (turn is None):
        raise UsageError(
            f"Say which response: by {by} with an attempt's id or SESSION#TURN, or by --session and --turn."
        )
    if attempt is not None:
        name, sign, index = attempt.rpartition("#")
        if not sign or not index.isdecimal():
            return reading_of_attempt(ledger, attempt)
        session, turn = name, int(index)
    assert session is not None
    assert turn is not None
    run_id = None if run is None else one_run(ledger, run)
    return reading_of_turn(ledger, one_session(ledger, session), turn, run_id)
