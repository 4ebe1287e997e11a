"""The sessions and turns that a filter picks, as rows for a data frame: what the dashboard's pages of them list, whole."""

from typing import get_args

from actionledger.core.errors import UsageError
from actionledger.ledger.ledger import Ledger
from actionledger.ledger.queries.addresses import Parameters, query_of, refuse_others
from actionledger.ledger.queries.base import refuse_no_ledger
from actionledger.ledger.queries.filters import (
    EVERYTHING,
    FILTERS,
    Filter,
    filter_of,
    filter_parameters,
    refuse_no_filter,
)
from actionledger.ledger.queries.marks import ALL_TURNS, Mark, mark_parameters, whole_turns_behind
from actionledger.ledger.queries.scopes import Scope
from actionledger.ledger.queries.sessions import Order, whole_sessions
from actionledger.ledger.results import QueryResult

_SHOWN_AS = ("page", "order", "unit", "by")
"""What an address says of how something is shown, and not of what it is about."""


def sessions(
    ledger: Ledger,
    within: Filter | str = EVERYTHING,
    *,
    order: Order = "newest",
) -> QueryResult:
    """Return the sessions that a filter picks, as rows: how they were read, what failed, how they ended.

    Args:
        ledger: what to ask.
        within: which sessions, by a response that it picks; the numbers count all that are within ``within.given``. Or the address of
            the dashboard's page of sessions.
        order: ``newest``, ``oldest``, ``longest`` or ``worst``; children stand under their parent.

    Returns:
        A row for each session, to be had as a data frame; ``.address`` is the page that lists them.

    Raises:
        UsageError: the address narrows by something else, the order is none, or ``ledger`` is no open one.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("mint", ledger=ledger, model="small") as runtime:
        ...         turn = runtime.handle("<execute>1 + 1</execute>")
        ...     found = al.sessions(ledger, al.Filter(models=("small",)))
        >>> found.df()[["model", "turns", "read_whole", "meant_to_act"]].values.tolist()
        [['small', 1, 1, 1]]
        >>> found.address
        'sessions?model=small'
    """
    if isinstance(within, str):
        refuse_others(within, *FILTERS, *_SHOWN_AS)
        within = filter_of(within)
    refuse_no_filter(within)
    if order not in get_args(Order):
        raise UsageError(f"{order!r} is no order; choose one of {', '.join(get_args(Order))}.")
    return _listed(ledger, whole_sessions(within, order=order), "sessions", within, {})


def turns(ledger: Ledger, within: Filter | str = EVERYTHING, mark: Mark = ALL_TURNS) -> QueryResult:
    r"""Return the turns that a filter and a mark pick, as rows: what was read of them, why not, their text and what they took.

    Args:
        ledger: what to ask.
        within: which turns; or the address of the dashboard's page of turns.
        mark: what a number counts of them, such as ``Mark(stage="acting", code="timeout")``.

    Returns:
        A row for each turn, the latest first, to be had as a data frame; ``.address`` is the page that lists them.

    Raises:
        UsageError: the address narrows by something else.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("mint", ledger=ledger) as runtime:
        ...         turns = [runtime.handle(text) for text in ("<execute>1 + 1</execute>", "<execute>1 +")]
        ...     found = al.turns(ledger, mark=al.Mark(outcomes=("failed",)))
        ...     again = al.turns(ledger, f"http://localhost:8501/{found.address}")
        >>> found.df()[["turn_index", "outcome", "text"]].values.tolist()
        [[1, 'failed', '<execute>1 +']]
        >>> found.address, again.fetchall() == found.fetchall()
        ('turns?outcome=failed', True)
    """
    if not isinstance(mark, Mark):
        raise UsageError(f"{mark!r} is no al.Mark, which says what turns have in common.")
    if isinstance(within, str):
        refuse_others(within, *FILTERS, *_SHOWN_AS)
        within = filter_of(within)
    refuse_no_filter(within)
    return _listed(ledger, whole_turns_behind(within, mark), "turns", within, mark_parameters(mark))


def _listed(ledger: Ledger, statement: Scope, page: str, within: Filter, narrowed: Parameters) -> QueryResult:
    refuse_no_ledger(ledger)
    result = ledger.sql(*statement)
    if within.is_of_days:
        query = query_of(filter_parameters(within) | narrowed)
        result.address = f"{page}?{query}" if query else page
    return result
