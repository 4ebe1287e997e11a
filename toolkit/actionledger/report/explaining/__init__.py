"""A response annotated: what was narrative, what a block, what became of it; as text, and in colour in a notebook."""

from typing import TYPE_CHECKING, Self

from actionledger.core.errors import UsageError
from actionledger.core.values import ParseResult, Turn
from actionledger.report.explaining.responses import response_lines

if TYPE_CHECKING:
    from actionledger.ledger import Ledger
    from actionledger.ledger.queries.names import Called
    from actionledger.report.explaining.turns import RecordedTurn


class Explanation(str):  # noqa: SLOT000 - it carries the reading, which a text has no slot for
    """A response annotated: its lines as text, and in a notebook the response with each place marked.

    Args:
        text: the lines.
        result: what was read; None where nothing has read a recorded response.
        recorded: the turn of a ledger that it is of; None where it is of none.

    Example:
        >>> explanation = al.explain(al.parse("<execute>1 + 1</execute>", profile="mint"))
        >>> type(explanation) is al.Explanation, str(explanation.result.outcome)
        (True, 'clean')
    """

    def __new__(cls, text: str, result: ParseResult | None, recorded: "RecordedTurn | None" = None) -> Self:
        """Return the lines, with the reading that they were made from."""
        made = super().__new__(cls, text)
        made.result = result
        made.recorded = recorded
        return made

    result: ParseResult | None
    recorded: "RecordedTurn | None"

    def __repr__(self) -> str:
        return str(self)

    def __reduce__(self) -> tuple[type[Self], tuple[str, ParseResult | None, "RecordedTurn | None"]]:
        return type(self), (str(self), self.result, self.recorded)

    def _repr_html_(self) -> str:
        if self.recorded is not None:
            from actionledger.report.recorded import recorded_html  # noqa: PLC0415 - only where it is looked at

            return recorded_html(self.recorded, self.result)
        from actionledger.report.readings import explanation_html  # noqa: PLC0415

        assert self.result is not None
        return explanation_html(self.result)


def explain(
    what: "ParseResult | Turn | Ledger", turn: str | None = None, *, run: "Called | None" = None
) -> Explanation:
    """Return a response with every stretch of it marked; of a recorded turn, with what came of it.

    Args:
        what: what was read, or the ledger that it is recorded in.
        turn: which of its turns, as SESSION#TURN: the session by its name, its id, the beginning of either or its title, the turn by its place.
        run: the run whose reading to show, by its name or id; None for the first one.

    Returns:
        Lines: ``|`` before narrative, ``>`` before a block's text, ``=`` before what was made of it. Every character of the
        response is in one of the first two kinds; control characters are shown as escapes. In a notebook the response itself,
        in colour; of a recorded turn also ``.recorded``, whose ``address`` is the dashboard's replay of it.

    Raises:
        UsageError: there is no such session, turn or run, or a ledger without a turn, or a turn without a ledger.

    Example:
        >>> print(al.explain(al.parse("<execute>1 + 1</execute>", profile="mint")))
        = clean, read by mint
        > <execute>1 + 1</execute>
        = block 0, mint, strict [0:24]
        =   action 0, execute, valid [0:24]
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     turn_id = ledger.record_turn("s1", "<execute>1 + 1</execute>", profile="mint")
        ...     print(al.explain(ledger, "s1#0").splitlines()[2])
        = clean, read by mint
    """
    if isinstance(what, ParseResult | Turn):
        if turn is not None or run is not None:
            raise UsageError("A turn or a run is named within a ledger; give the ledger first.")
        result = what.result if isinstance(what, Turn) else what
        return Explanation("\n".join(response_lines(result)), result)
    if not hasattr(what, "sql"):
        raise UsageError(
            f"What is explained is what al.parse or a session gives, or a ledger with SESSION#TURN, not {what!r:.60}; read a text first."
        )
    if turn is None:
        raise UsageError("A ledger has many turns; say which one, as SESSION#TURN.")
    from actionledger.report.explaining.turns import recorded_turn, turn_lines  # noqa: PLC0415 - slow to load

    recorded = recorded_turn(what, turn, run)
    lines = "\n".join(line.text for line in turn_lines(recorded))
    return Explanation(lines, recorded.result, recorded)
