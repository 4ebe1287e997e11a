"""Why responses and actions fail: each reason with what its turns took, or by the action that it happened to."""

from collections.abc import Callable

import streamlit as st

from actionledger.ledger import queries
from actionledger.ledger.queries import Failure, FailureCost, Filter, Mark
from actionledger.plurals import counted
from actionledger.vocabulary import SENTENCES, Origin, Reason
from actionledger_dashboard.components import links, tables
from actionledger_dashboard.components.linked import Linked
from actionledger_dashboard.components.tables import Column
from actionledger_dashboard.components.wording import dollars, out_of, tokens
from actionledger_dashboard.data import ask

REASONS = 8  # so many are seen at once; the others by scrolling


def show_reasons(linked: Linked, within: Filter) -> None:
    """Show why things fail, and how often."""
    title, choice = st.columns([3, 2], vertical_alignment="bottom")
    title.subheader("Why they fail", anchor=False)
    with choice:
        show_them = WAYS[linked.switch("Ways to look", "reasons", list(WAYS))]
    if not show_them(within):
        st.info("Nothing failed: all that was meant could be read, was valid, and was done.")


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
        Column("Reason", [words(cost.code) for cost in costs]),
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
            [tokens(cost.input_tokens, cost.counted) for cost in costs],
            meaning="What the model was shown in these turns, from a cache or not, where it is recorded.",
        ),
        Column("Tokens out", [tokens(cost.output_tokens, cost.counted) for cost in costs]),
        Column("Cost", [dollars(cost.cost_usd if cost.priced else None) for cost in costs]),
        Column("What it means", [SENTENCES[cost.code] if cost.code else "" for cost in costs], "long"),
    ]
    marks = [Mark(stage=cost.stage, code=cost.code, origin=cost.origin) for cost in costs]
    hrefs = [links.turns_href(within, mark) for mark in marks]
    tables.show_table("reasons", "what failures cost", columns, hrefs, seen=REASONS)
    return True


def spent(cost: FailureCost) -> str:
    """Return what turns took, and of how many of them that is recorded, where it is not of all."""
    took = (
        f"{tokens(cost.input_tokens, cost.counted)} tokens in, {tokens(cost.output_tokens, cost.counted)} out"
        if cost.counted
        else "tokens that nobody recorded"
    )
    of = f" (recorded of {cost.counted:,} of {cost.turns:,})" if 0 < cost.counted < cost.turns else ""
    by_file = f", {dollars(cost.by_prices_usd)} of it by a price file" if cost.by_prices_usd else ""
    money = f", {dollars(cost.cost_usd)}{by_file}" if cost.priced else ", at a cost that is not recorded"
    return took + of + money


def words(code: Reason | None) -> str:
    """Return a code as people read it."""
    return str(code or "").replace("_", " ")


def show_failures(within: Filter) -> bool:
    """Show each reason by action, with its share and an example; return whether there is any."""
    found = ask(queries.reasons, within)
    if not found:
        return False
    widest = max(failure.turns.value or 0 for failure in found)
    columns = [
        Column("Reason", [failure.code.replace("_", " ") for failure in found]),
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


WAYS: dict[str, Callable[[Filter], bool]] = {"with what it cost": show_costs, "by action": show_failures}


def place(failure: Failure | FailureCost) -> str:
    """Return where something failed, and whether another runtime had run it."""
    return f"{failure.stage} (elsewhere)" if failure.origin is Origin.RECORDED else str(failure.stage)


def example(failure: Failure) -> str:
    """Return what a reason means, with the particulars of one case."""
    return f"{SENTENCES[failure.code]} {failure.detail}".strip()
