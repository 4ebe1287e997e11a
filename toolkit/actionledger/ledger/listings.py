"""The sessions, turns and tool calls that a filter selects, and their usage, as rows for a data frame."""

from collections.abc import Sequence

from actionledger.core.errors import UsageError
from actionledger.ledger.ledger import Ledger
from actionledger.ledger.queries.addresses import Order, Parameters, query_of, refuse_others
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
from actionledger.ledger.queries.sessions import whole_sessions
from actionledger.ledger.queries.tools import Group, spending, whole_tool_calls
from actionledger.ledger.results import QueryResult

_SHOWN_AS = ("page", "order", "unit", "by")
"""Parameters of an address that say how something is shown, not which rows."""


def sessions(
    ledger: Ledger,
    within: Filter | str = EVERYTHING,
    *,
    order: Order = "newest",
) -> QueryResult:
    """Return the sessions that a filter selects, as rows: title and place, cost, how they were parsed, what failed, how they ended.

    Args:
        ledger: the ledger to query.
        within: selects sessions by their responses; the numbers count all within ``within.given``. Or an address of the page of sessions.
        order: ``newest``, ``oldest``, ``longest``, ``slowest``, ``costliest``, ``worst``, or a column such as ``title``, the least first, or
            ``-failed``, the greatest first; children follow their parent.

    Returns:
        A row for each session, also as a data frame; ``.address`` is the page that lists them.

    Raises:
        UsageError: the address filters by something else, the order is unknown, or ``ledger`` is not an open ledger.

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
    within = _filter(within)
    return _listed(ledger, whole_sessions(within, order=order), "sessions", within, {})


def turns(ledger: Ledger, within: Filter | str = EVERYTHING, mark: Mark = ALL_TURNS) -> QueryResult:
    r"""Return the turns that a filter and a mark select, as rows: how they were parsed, why not, their text and usage.

    Args:
        ledger: the ledger to query.
        within: which turns; or the address of the dashboard's page of turns.
        mark: which of them a number counts, such as ``Mark(stage="acting", code="timeout")``.

    Returns:
        A row for each turn, the latest first, also as a data frame; ``.address`` is the page that lists them.

    Raises:
        UsageError: the address filters by something else.

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
        raise UsageError(f"{mark!r} is not an al.Mark, which says what turns have in common.")
    within = _filter(within)
    return _listed(ledger, whole_turns_behind(within, mark), "turns", within, mark_parameters(mark))


def tool_calls(ledger: Ledger, within: Filter | str = EVERYTHING) -> QueryResult:
    """Return the tool calls of the responses that a filter selects, as rows: where, which tool, its arguments, and the result of its last try.

    Args:
        ledger: the ledger to query.
        within: which responses; or the address of the dashboard's page of tools.

    Returns:
        A row for each call, the latest first, also as a data frame. ``status`` is the last try's; ``not_recorded`` if there is none.

    Raises:
        UsageError: the address filters by something else, or ``ledger`` is not an open ledger.

    Example:
        >>> call = al.RecordedCall("c1", "Read", {"path": "a.py"})
        >>> result = al.RecordedResult("c1", "File not found", is_error=True)
        >>> turn = al.RecordedTurn(0, "", capture=al.Capture.CALLS, calls=(call,), results=(result,))
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     report = al.import_sessions(ledger, [al.RecordedSession("s1", None, "small", "", (turn,))])
        ...     found = al.tool_calls(ledger)
        >>> found.df()[["tool", "checked", "status", "reason"]].values.tolist()
        [['Read', 'not_checked', 'failed', 'not_found']]
    """
    within = _filter(within)
    return _listed(ledger, whole_tool_calls(within), "tools", within, {})


def usage(
    ledger: Ledger, within: Filter | str = EVERYTHING, *, by: Group | Sequence[Group] = ("day",)
) -> QueryResult:
    """Return the tokens and the cost of the responses that a filter selects, as rows.

    Args:
        ledger: the ledger to query.
        within: which responses; each counts once. Or the address of the dashboard's page of usage.
        by: what a row is about: ``day``, ``week``, ``month`` (UTC), ``project``, ``branch``, ``agent``, ``model``, ``source``, ``profile``,
            ``task``, ``session``, ``tool``, or several of these; ``()`` for one row in all. By tool, a turn with calls of several tools is
            in the row of each, and a turn without a call in none.

    Returns:
        A row for each group, also as a data frame: periods in their order, other groups by cost. Input tokens include cached ones,
        output tokens include reasoning; sums and costs are over the turns that have them, which ``counted_turns`` and ``priced_turns`` count.

    Raises:
        UsageError: a group is unknown, the address filters by something else, or ``ledger`` is not an open ledger.

    Example:
        >>> turns = tuple(al.RecordedTurn(place, "Done.", usage=al.Usage(input_tokens=100, output_tokens=5)) for place in range(2))
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     report = al.import_sessions(ledger, [al.RecordedSession("s", None, "small", "", turns)])
        ...     found = al.usage(ledger, by=("model",))
        >>> found.df()[["model", "sessions", "turns", "input_tokens", "output_tokens"]].values.tolist()
        [['small', 1, 2, 200, 10]]
    """
    groups: tuple[Group, ...] = (by,) if isinstance(by, str) else tuple(by)
    within = _filter(within)
    return _listed(
        ledger, spending(within, groups), "usage", within, {"by": groups[0]} if len(groups) == 1 else {}
    )


def _filter(within: Filter | str) -> Filter:
    """Return the filter of a page's address, or the filter itself."""
    if isinstance(within, str):
        refuse_others(within, *FILTERS, *_SHOWN_AS)
        within = filter_of(within)
    refuse_no_filter(within)
    return within


def _listed(ledger: Ledger, statement: Scope, page: str, within: Filter, narrowed: Parameters) -> QueryResult:
    refuse_no_ledger(ledger)
    result = ledger.sql(*statement)
    if within.is_of_days:
        query = query_of(filter_parameters(within) | narrowed)
        result.address = f"{page}?{query}" if query else page
    return result
