"""Two sides of a ledger compared: turn by turn where they have read the same turns, else as sets."""

from dataclasses import replace

from actionledger.core.errors import UsageError
from actionledger.ledger.queries.base import Queryable, refuse_no_ledger
from actionledger.ledger.queries.differences import shared_turns
from actionledger.ledger.queries.filters import Filter
from actionledger.ledger.queries.names import Called
from actionledger.replay.contrasts import Contrast, contrast
from actionledger.replay.paired import PairedComparison, compare_pairs
from actionledger.replay.sides import side_of


def compare(
    ledger: Queryable, before: Called | Filter | None, after: Called | Filter
) -> PairedComparison | Contrast:
    r"""Compare two sides: runs over the same turns pair turn by turn; models, sources, times and other runs don't.

    Args:
        ledger: what to ask.
        before: the first side: a run by its id or name, a filter, or one as it stands in a dashboard's link
            (``model=small&since=2026-03-01``); ``first`` or None for the first reading of every turn.
        after: the second side.

    Returns:
        A ``PairedComparison`` where the sides differ in nothing but their run, and both runs have read some of the same turns; else a
        ``Contrast`` of two sets that share no turns.

    Raises:
        UsageError: no run goes by a name, a filter has what no filter has, a side has no response, or a response is on both
            sides of what doesn't pair.

    Example:
        >>> good, bad = '```actions\n{"actions": [{"type": "list_tasks"}]}\n```', '```actions\n{"actions"\n```'
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     for model, text in (("first", bad), ("second", good)):
        ...         with al.Runtime("assistant", ledger=ledger, model=model) as runtime:
        ...             turn = runtime.handle(text)
        ...     models = al.compare(ledger, "model=first", al.Filter(models=("second",)))
        >>> [(measure.name, measure.before.count, measure.after.count) for measure in models.measures]
        [('parse_success', 1, 1), ('strict_success', 1, 1), ('validation', 0, 1), ('execution', 0, 1)]
    """
    refuse_no_ledger(ledger)
    first, second = (side_of(ledger, side) for side in (before, after))
    if first == second:
        raise UsageError("Both sides are the same responses; name two runs, models, sources or times.")
    same_turns = replace(first, run_id=None) == replace(second, run_id=None)
    if same_turns and second.run_id is None:
        raise UsageError(
            "The first readings are what later ones are compared with: name them before the run."
        )
    if same_turns and second.run_id is not None and shared_turns(ledger, first, second):
        return compare_pairs(ledger, first.run_id, second.run_id, first)
    return contrast(ledger, first, second)
