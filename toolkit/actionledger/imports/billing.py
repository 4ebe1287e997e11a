"""What is noted of a turn's cost beside its event: by which prices it is, and what was billed beside its message."""

from dataclasses import asdict

from actionledger.core.recording import TurnKey, billed_beside
from actionledger.core.values.recordings import RecordedTurn
from actionledger.core.vocabulary import CostOrigin
from actionledger.imports.import_run import ImportRun
from actionledger.imports.list_prices import price_list
from actionledger.imports.prices import Prices


def note_costs(
    run: ImportRun, key: TurnKey, cost: dict[str, object], prices: Prices | None, turn: RecordedTurn
) -> None:
    """Note by which prices a turn's cost was computed, and what was billed beside its message."""
    origin = cost.get("cost_origin")
    if origin is CostOrigin.PRICES and prices is not None:
        run.note_prices(prices.dated)
    elif origin is CostOrigin.LIST_PRICES and (held := price_list()) is not None:
        run.note_list_prices(held.package, held.dated)
    beside = [each for each in turn.usage.billed if not each.is_own]
    for place, each in enumerate(beside):
        said = {name: value for name, value in asdict(each).items() if value and name != "is_own"}
        run.record(billed_beside(key, run.key.run_id, place, said))
