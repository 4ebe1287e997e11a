"""One side of a comparison, as a person names it: a run, the first readings, or a filter as it stands in a dashboard's link."""

from dataclasses import fields, replace
from uuid import UUID

from actionledger.core.errors import UnknownNameError, UsageError, require_kind
from actionledger.ledger.queries.addresses import parameters_in
from actionledger.ledger.queries.base import Queryable
from actionledger.ledger.queries.filters import EVERYTHING, FILTERS, Filter, filter_of_parameters
from actionledger.ledger.queries.names import Called, run_or_first


def side_of(ledger: Queryable, side: Called | Filter | None, within: Filter = EVERYTHING) -> Filter:
    """Return the responses of one side.

    Args:
        ledger: where runs are looked for.
        side: ``first`` or None for the first readings, a run by its id or name, a filter, or one as it stands in a link, such
            as ``model=small&since=2026-03-01``, alone or in all of the link.
        within: what the responses of a side that is named by text are narrowed to.

    Raises:
        UsageError: it names no run, a filter has what no filter has, or says anew what both sides are narrowed by.
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
    """Return in what two sides differ, in words, but for their runs."""
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
