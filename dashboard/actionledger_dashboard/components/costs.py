"""What turns cost, and who says so: their recordings, a price file of the user's, or providers' price lists."""

from typing import Protocol

from actionledger.core.text import by_prices
from actionledger.ledger import queries
from actionledger_dashboard.components.wording import NOT_RECORDED, dollars, known
from actionledger_dashboard.data import ask


class Cost(Protocol):
    """Sums of what turns cost."""

    @property
    def turns(self) -> int:
        """How many turns."""

    @property
    def priced(self) -> int:
        """Of how many the cost is known."""

    @property
    def cost_usd(self) -> float:
        """The sum over those, in dollars."""

    @property
    def by_prices(self) -> int:
        """Of how many a price file or a price list says it."""


def cost_of(cost: Cost) -> str:
    """Return what turns cost, and of how many that is known; where prices say some of it, of how many by these."""
    said = dollars(cost.cost_usd if cost.priced else None)
    if not cost.by_prices:
        return known(said, cost.priced, cost.turns)
    parts = {
        "recorded": cost.priced - cost.by_prices,
        "by prices": cost.by_prices,
        NOT_RECORDED: cost.turns - cost.priced,
    }
    return f"{said} ({', '.join(f'{words} {count:,}' for words, count in parts.items() if count)})"


def by_file(cost: Cost) -> str:
    """Return which prices some of a cost is by, with their days; empty where none of it is."""
    if not cost.by_prices:
        return ""
    return f"({by_prices(ask(queries.price_sources))})"
