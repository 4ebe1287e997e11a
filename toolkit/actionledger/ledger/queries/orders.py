"""The orders of a list of sessions."""

from typing import TypeAlias

from actionledger.core.errors import UsageError

Order: TypeAlias = str
"""The order of sessions: ``newest``, ``oldest``, ``longest`` (by turns), ``slowest`` (by duration), ``costliest``, or ``worst`` (by parse success,
then by failed executions). Or one of ``COLUMNS``, ascending, or descending with a minus before it."""

COLUMNS: dict[str, tuple[str, str]] = {
    "started": ("started_at", ""),
    **{
        name: (f"nullif(lower({column}), '')", "details")
        for name, column in {
            "title": "coalesce(title, CASE WHEN external_id = '' THEN task END)",
            "project": "project",
            "branch": "git_branch",
            "agent": "agent",
            "model": "model",
            "source": "source",
            "profile": "profile",
            "task": "task",
        }.items()
    },
    "outcome": ("outcome", "outcomes"),
    "turns": ("coalesce(turns, 0)", "lengths"),
    "duration": ("last_turn - first_turn", "lengths"),
    "cost": ("cost_usd", "lengths"),
    "tokens": ("coalesce(input_tokens + output_tokens, input_tokens, output_tokens)", "lengths"),
    "tool_calls": ("actions", "numbers"),
    "failed": ("CASE WHEN executions > 0 THEN failed END", "numbers"),
    "parsed": ("read / nullif(intent, 0)", "numbers"),
    "valid": ("CASE WHEN checked > 0 THEN valid END", "numbers"),
}
"""The columns that can order sessions: their SQL and the table that they need, which is then computed for all sessions."""

_NAMED_ORDERS = {
    "newest": ("started_at DESC NULLS LAST, session_id DESC", ""),
    "oldest": ("started_at NULLS LAST, session_id", ""),
    "longest": ("coalesce(turns, 0) DESC, session_id", "lengths"),
    "slowest": ("last_turn - first_turn DESC NULLS LAST, session_id", "lengths"),
    "costliest": (
        "cost_usd DESC NULLS LAST, coalesce(input_tokens, 0) + coalesce(output_tokens, 0) DESC, session_id",
        "lengths",
    ),
    "worst": ("read / nullif(intent, 0) NULLS LAST, failed DESC, session_id", "numbers"),
}


def ordered_by(order: Order) -> tuple[str, str]:
    """Return an order as SQL, with unknown values last in both directions, and the table that it needs for all sessions."""
    if order in _NAMED_ORDERS:
        return _NAMED_ORDERS[order]
    name = order.removeprefix("-")
    if name not in COLUMNS:
        known = ", ".join([*_NAMED_ORDERS, *COLUMNS])
        raise UsageError(
            f"{order!r:.100} is not an order of sessions; choose from {known}, or one with a minus before it."
        )
    column, table = COLUMNS[name]
    return f"{column} {'DESC' if order.startswith('-') else 'ASC'} NULLS LAST, session_id", table
