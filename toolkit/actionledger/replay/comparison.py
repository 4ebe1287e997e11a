"""Compare two named sides of a ledger: turn by turn if both parsed the same turns, otherwise as sets."""

from dataclasses import fields, replace
from uuid import UUID

from actionledger.core.errors import UnknownNameError, UsageError, require_kind
from actionledger.ledger.queries.addresses import parameters_in
from actionledger.ledger.queries.base import Queryable, refuse_no_ledger
from actionledger.ledger.queries.differences import shared_turns
from actionledger.ledger.queries.filters import EVERYTHING, FILTERS, Filter, filter_of_parameters
from actionledger.ledger.queries.names import Called, run_or_first
from actionledger.replay.contrasts import Contrast, contrast
from actionledger.replay.paired import PairedComparison, compare_pairs


def side_of(ledger: Queryable, side: Called | Filter | None, within: Filter = EVERYTHING) -> Filter:
    """Return the responses of one side.

    Args:
        ledger: the ledger to find runs in.
        side: ``first`` or None for each turn's first parse, a run by its id or name, a filter, or a link or its query, such as
            ``model=small&since=2026-03-01``.
        within: an additional filter for a side that is given as text.

    Raises:
        UsageError: the run is unknown, the filter has an unknown parameter, or it repeats one of ``within``.
    """
    if isinstance(side, Filter):
        return side
    if side is None or isinstance(side, UUID):
        return replace(within, run_id=run_or_first(ledger, side))
    require_kind(
        side, str, "A side is a run by its id or name, a Filter, or a filter as a page's address has it"
    )
    there = parameters_in(side)
    if "=" not in side or there.keys().isdisjoint(FILTERS):
        return _run(ledger, side, within)
    own = _filter(ledger, side, there)
    said = [each for each in fields(Filter) if getattr(own, each.name) != each.default]
    if twice := [each.name for each in said if getattr(within, each.name) != each.default]:
        raise UsageError(
            f"The side {side!r} and the options both say {' and '.join(map(_word, twice))}; say it in one place."
        )
    return replace(within, **{each.name: getattr(own, each.name) for each in said})


def difference_of(first: Filter, second: Filter) -> list[str]:
    """Return the differences between two sides' filters in words, except their runs."""
    return list(
        dict.fromkeys(
            _word(each.name)
            for each in fields(Filter)
            if each.name != "run_id" and getattr(first, each.name) != getattr(second, each.name)
        )
    )


def _run(ledger: Queryable, name: str, within: Filter) -> Filter:
    try:
        return replace(within, run_id=run_or_first(ledger, name))
    except UsageError as error:
        if "=" not in name:
            raise
        raise UsageError(f"{error} Nor is it a filter: those have {', '.join(FILTERS)}.") from None


def _filter(ledger: Queryable, text: str, there: dict[str, list[str]]) -> Filter:
    for name in there.keys() - set(FILTERS):
        raise UnknownNameError("filter", name, FILTERS)
    runs = there.pop("run", [])
    if len(runs) > 1:
        raise UsageError(f"The side {text!r} names {len(runs)} runs; name one.")
    own = filter_of_parameters(there)
    return _run(ledger, runs[0], own) if runs else own


def _word(name: str) -> str:
    return "time" if name in {"since", "until"} else name.removesuffix("s").removesuffix("_id")


def compare(
    ledger: Queryable, before: Called | Filter | None, after: Called | Filter
) -> PairedComparison | Contrast:
    r"""Compare two sides: turn by turn for runs over the same turns, otherwise as independent samples.

    Args:
        ledger: the ledger to query.
        before: the first side: a run by its id or name, a filter, or a filter in a dashboard link's form
            (``model=small&since=2026-03-01``); ``first`` or None for each turn's first parse.
        after: the second side.

    Returns:
        A ``PairedComparison`` if the sides differ only in their run and share parsed turns; else a ``Contrast`` of two sets without shared turns.

    Raises:
        UsageError: a run is unknown, a filter has an unknown parameter, a side has no response, or two sides that can't be paired share a response.

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
