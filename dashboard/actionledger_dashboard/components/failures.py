"""Why responses and actions fail: in groups, the costliest first; each reason with what its turns took; or by action."""

from collections.abc import Callable

import streamlit as st

from actionledger.core.plurals import counted
from actionledger.core.vocabulary import SENTENCES, Origin
from actionledger.ledger import queries
from actionledger.ledger.queries import Failure, FailureCost, Filter, Mark
from actionledger.replay.grouping.groups import FailureReport
from actionledger_dashboard.components import links, tables
from actionledger_dashboard.components.costs import by_file, cost_of
from actionledger_dashboard.components.failure_groups import show_failure_groups, show_loops
from actionledger_dashboard.components.lines import heading, line
from actionledger_dashboard.components.linked import Linked
from actionledger_dashboard.components.tables import Column
from actionledger_dashboard.components.wording import NOTHING_FAILED, known, out_of
from actionledger_dashboard.data import ask

REASONS = 8  # so many are seen at once; the others by scrolling


def show_reasons(linked: Linked, report: FailureReport, within: Filter) -> None:
    """Show why things fail, and how often."""
    with line():
        heading("Why they fail")
        way = linked.switch("Ways to look", "reasons", [BY_COST, *WAYS])
    if not (WAYS[way](within) if way in WAYS else show_failure_groups(report, within)):
        st.info(NO_LOOP if way == "loops" else NOTHING_FAILED)


def show_costs(within: Filter) -> bool:
    """Show each reason with what its turns took; return whether there is any."""
    found = ask(queries.failure_costs, within)
    if not found:
        return False
    whole, *costs = found
    st.caption(
        f"Together {counted(whole.count, 'failure')} in {counted(whole.turns, 'turn')} of {counted(whole.sessions, 'session')}. "
        f"Those turns took {spent(whole)}; a turn with several reasons counts under each."
    )
    columns = [
        Column("Reason", [str(cost.code) for cost in costs], "code"),
        Column("Where", [place(cost) for cost in costs]),
        Column(
            "Times",
            [cost.count for cost in costs],
            "number",
            "Failed responses, refused fields or executions.",
        ),
        Column(
            "Inferred",
            [cost.inferred for cost in costs],
            "number",
            "Of these, the ones that only the words of a recorded result tell.",
        ),
        Column("Turns", [cost.turns for cost in costs], "number", "Turns that have it."),
        Column("Sessions", [cost.sessions for cost in costs], "number"),
        Column(
            "Tokens in",
            [known(f"{cost.input_tokens:,}", cost.counted, cost.turns) for cost in costs],
            "number",
            "What the model was shown in these turns, from a cache or not; where it is recorded of some of them alone, of how many.",
        ),
        Column(
            "Tokens out",
            [known(f"{cost.output_tokens:,}", cost.counted, cost.turns) for cost in costs],
            "number",
        ),
        Column("Cost", [cost_of(cost) for cost in costs], "number", by_file(whole)),
        Column("What it means", [SENTENCES[cost.code] if cost.code else "" for cost in costs], "long"),
    ]
    marks = [Mark(stage=cost.stage, code=cost.code, origin=cost.origin) for cost in costs]
    hrefs = [links.turns_href(within, mark) for mark in marks]
    tables.show_table("reasons", "what failures cost", columns, hrefs, seen=REASONS)
    return True


def spent(cost: FailureCost) -> str:
    """Return what turns took, and of how many of them that is recorded, where it is not of all."""
    took = (
        f"{cost.input_tokens:,} tokens in, {cost.output_tokens:,} out"
        if cost.counted
        else "tokens that were not recorded"
    )
    of = f" (recorded of {cost.counted:,} of {cost.turns:,})" if 0 < cost.counted < cost.turns else ""
    money = f", {cost_of(cost)}" if cost.priced else ", at a cost that is not recorded"
    money += f" {by_file(cost)}".rstrip()
    return took + of + money


def show_failures(within: Filter) -> bool:
    """Show each reason by action, with its share and an example; return whether there is any."""
    found = ask(queries.reasons, within)
    if not found:
        return False
    widest = max(failure.turns.value or 0 for failure in found)
    columns = [
        Column("Reason", [str(failure.code) for failure in found], "code"),
        Column("Where", [place(failure) for failure in found]),
        Column("Action", [failure.action for failure in found]),
        Column(
            "Turns",
            [failure.turns.value for failure in found],
            "share",
            "Turns that have it, of those that meant to act.",
            widest,
        ),
        Column("n, and 95 % interval", [out_of(failure.turns) for failure in found]),
        Column(
            "Times",
            [failure.count for failure in found],
            "number",
            "Failed responses, refused fields or executions.",
        ),
        Column("What it means, and an example", [example(failure) for failure in found], "long"),
    ]
    marks = [
        Mark(stage=failure.stage, code=failure.code, action=failure.action or None, origin=failure.origin)
        for failure in found
    ]
    hrefs = [links.turns_href(within, mark) for mark in marks]
    tables.show_table("reasons", "why they fail", columns, hrefs, seen=REASONS)
    return True


NO_LOOP = "No session goes in circles, of those that could be looked through."

BY_COST = "costliest first"
"""How groups of failures are looked at."""
WAYS: dict[str, Callable[[Filter], bool]] = {
    "loops": show_loops,
    "by reason": show_costs,
    "by action": show_failures,
}
"""How loops and single reasons are."""


def place(failure: Failure | FailureCost) -> str:
    """Return where something failed, and whether another runtime had run it."""
    return f"{failure.stage} (elsewhere)" if failure.origin is Origin.RECORDED else str(failure.stage)


def example(failure: Failure) -> str:
    """Return what a reason means, with the particulars of one case."""
    return f"{SENTENCES[failure.code]} {failure.detail}".strip()
