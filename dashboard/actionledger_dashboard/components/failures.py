"""Failures of responses and actions: in groups by cost, by reason with the cost of its turns, or by action."""

from collections.abc import Callable, Sequence
from typing import Protocol

import streamlit as st

from actionledger.core.ids import derived_id
from actionledger.core.text import by_prices, counted, in_and_out
from actionledger.core.vocabulary import SENTENCES, Origin
from actionledger.ledger import queries
from actionledger.ledger.queries import Failure, FailureCost, Filter, Mark
from actionledger.ledger.queries.failures import Spent
from actionledger.replay.failure_groups import FailureGroup, FailureKey, FailureReport
from actionledger.replay.failures import failures, group_turns
from actionledger.report.drawing import interval
from actionledger_dashboard.components import links, tables
from actionledger_dashboard.components.controls import heading, line, show_anchors
from actionledger_dashboard.components.tables import Column
from actionledger_dashboard.components.widgets import Linked
from actionledger_dashboard.components.wording import (
    NOT_RECORDED,
    NOTHING_FAILED,
    dollars,
    known,
    out_of,
    token_count,
)
from actionledger_dashboard.data import ask


class Cost(Protocol):
    """Sums of what turns cost."""

    @property
    def turns(self) -> int:
        """The number of turns."""

    @property
    def priced(self) -> int:
        """The number of turns with a known cost."""

    @property
    def cost_usd(self) -> float:
        """The sum over the turns with a known cost, in dollars."""

    @property
    def by_prices(self) -> int:
        """The number of turns whose cost is from a price file or a price list."""


def cost_of(cost: Cost) -> str:
    """Return the cost of turns, with how many of them have a known cost and how many a cost from prices."""
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
    """Return which prices a cost is from, with their days; empty if none of it is from prices."""
    if not cost.by_prices:
        return ""
    return f"({by_prices(ask(queries.price_sources))})"


GROUPS = 100  # rows of the table
SEEN = 8  # rows seen at once; more by scrolling
_OF = "Where it is recorded of some of them alone, of how many."
TURNS = 200  # listed turns of a group


def show_failure_groups(report: FailureReport, within: Filter) -> bool:
    """Show the groups with their cost; return whether there are any."""
    if not report.groups:
        return False
    shown = f", the {GROUPS} costliest shown" if len(report.groups) > GROUPS else ""
    st.caption(
        f"{counted(len(report.groups), 'group')}{shown}. Recovery took {spent_on(report.spent)}. "
        "Rows overlap: a turn counts in each group that it was spent on, and once in this sum."
    )
    _show_table(report.groups[:GROUPS])
    show_turns_of_group(report.groups, within)
    return True


def show_loops(within: Filter) -> bool:
    """Show sessions' loops with their cost; return whether there are any."""
    report = ask(failures, within)
    groups = tuple(group for group in report.groups if group.key.is_loop)
    unknown = counted(report.loops.not_recorded, "session")
    st.caption(
        f"{counted(report.loops.sessions, 'session')} examined; {unknown} could not be, since not all of their results are recorded."
    )
    if not groups:
        return False
    _show_table(groups[:GROUPS])
    show_turns_of_group(groups, within)
    return True


def _show_table(groups: Sequence[FailureGroup]) -> None:
    columns = [
        Column("Reason", [str(group.key.code) for group in groups], "code"),
        Column("Where", [place_of(group.key) for group in groups]),
        Column(
            "Turns spent",
            [group.spent.turns for group in groups],
            "number",
            "The failing turns and those behind them, up to the next action that got through.",
        ),
        Column(
            "Sessions lost", [group.lost for group in groups], "number", "No action got through after it."
        ),
        Column(
            "Times",
            [group.count for group in groups],
            "number",
            "Parse attempts, refused fields, executions or loops.",
        ),
        Column("Turns", [group.turns for group in groups], "number", "Turns that have it."),
        Column(
            "Sessions",
            [f"{group.sessions.successes:,} ({interval(group.sessions)})" for group in groups],
            meaning="How many have it, and the 95 % interval of their share in the sessions that meant to act.",
        ),
        *_taken(groups),
        Column("What they say", [said_of(group.key) for group in groups], "long"),
    ]
    hrefs = [group_href(group) for group in groups]
    tables.show_table("reasons", "what failures cost", columns, hrefs, seen=SEEN)


def _taken(groups: Sequence[FailureGroup]) -> list[Column]:
    """Return the columns of measures that are recorded for any of the groups."""
    spent = [group.spent for group in groups]
    found = []
    if any(each.counted for each in spent):
        found.append(
            Column(
                "Tokens",
                [
                    known(f"{each.input_tokens + each.output_tokens:,}", each.counted, each.turns)
                    for each in spent
                ],
                "number",
                f"In and out, of the turns spent. {_OF}",
            )
        )
    if any(each.timed for each in spent):
        found.append(
            Column(
                "Time",
                [known(f"{each.seconds:,.1f} s", each.timed, each.turns) for each in spent],
                "number",
                f"For the responses and their executions, of the turns spent. {_OF}",
            )
        )
    if any(each.priced for each in spent):
        priced = next((each for each in spent if each.by_prices), spent[0])
        meaning = f"Of the turns spent. {_OF} {by_file(priced)}".rstrip()
        found.append(Column("Cost", _money(spent), "number", meaning))
    return found


def _money(costs: Sequence[Cost]) -> list[str | None]:
    """Return the cost of each row, with of how many turns it is known if not of all; None for none."""
    return [known(dollars(each.cost_usd), each.priced, each.turns) if each.priced else None for each in costs]


def spent_on(spent: Spent) -> str:
    """Return the tokens and cost of a stretch of turns, with how many of the turns have them recorded."""
    said = counted(spent.turns, "turn")
    if spent.counted:
        of = f" (recorded of {spent.counted:,})" if spent.counted < spent.turns else ""
        said += f", {in_and_out(spent.input_tokens, spent.output_tokens if spent.written else None)}{of}"
    if spent.priced:
        said += f", {known(dollars(spent.cost_usd), spent.priced, spent.turns)}"
    return said if spent.counted or spent.priced else f"{said} (tokens and cost {NOT_RECORDED})"


def place_of(key: FailureKey) -> str:
    """Return what failed: parsing, an action's arguments, or an action. These are the words of every list of failures."""
    if key.stage == "reading":
        return "parsing"
    return f"{key.action}, rejected by schema" if key.stage == "checking" else key.action or "loop"


def said_of(key: FailureKey) -> str:
    """Return the meaning of a failure group, with the common part of its messages."""
    return f"{SENTENCES[key.code]} {key.signature}".strip()


def group_id(key: FailureKey) -> str:
    """Return a failure group's id for a URL."""
    return derived_id("failures", *map(str, key))[-12:]


def group_href(group: FailureGroup) -> str:
    """Return the link to a group's turns: this page as it is, with the turns."""
    here = {name: st.query_params.get_all(name) for name in st.query_params}
    return links.group_href(here, group_id(group.key))


def show_turns_of_group(groups: Sequence[FailureGroup], within: Filter) -> None:
    """Show the turns of the group that the URL names, if any."""
    asked = st.query_params.get("group")
    if asked is None:
        return
    key = next((group.key for group in groups if group_id(group.key) == asked), None)
    if key is None:
        st.info("The group of failures that the link names has no turn within these filters.")
        return
    turns = ask(group_turns, key, within)
    st.text(
        f"{key.code} in {place_of(key)}: {counted(len(turns), 'turn')}"
        + (f", the first {TURNS}" if len(turns) > TURNS else "")
    )
    columns = [
        *tables.turn_columns([(turn.session_id, turn.turn_index) for turn in turns[:TURNS]]),
        Column("Message", [turn.detail or SENTENCES[key.code] for turn in turns[:TURNS]], "long"),
    ]
    hrefs = [links.replay_href(turn.session_id, turn.turn_index, within.run_id) for turn in turns[:TURNS]]
    tables.show_table("group", "turns of the group", columns, hrefs, seen=SEEN, reveal=asked)
    if key.is_loop:
        return
    mark = Mark(stage=key.stage, code=key.code, action=key.action or None, origin=key.origin)
    show_anchors(
        "like it", [("with whatever message", links.turns_href(within, mark))], "All turns with this reason"
    )


REASONS = 8  # rows seen at once; more by scrolling


def show_reasons(linked: Linked, report: FailureReport, within: Filter) -> None:
    """Show the reasons of failures, and how often each occurs."""
    with line():
        heading("Failures")
        way = linked.switch("Ways to look", "reasons", [BY_COST, *WAYS])
    if not (WAYS[way](within) if way in WAYS else show_failure_groups(report, within)):
        st.info(NO_LOOP if way == "loops" else NOTHING_FAILED)


def show_costs(within: Filter) -> bool:
    """Show each reason with the cost of its turns; return whether there are any."""
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
            "Input tokens",
            [known(token_count(cost.input_tokens), cost.counted, cost.turns) for cost in costs],
            "number",
            "What the model was shown in these turns, from a cache or not; where it is recorded of some of them alone, of how many.",
        ),
        Column(
            "Output tokens",
            [known(token_count(cost.output_tokens), cost.counted, cost.turns) for cost in costs],
            "number",
        ),
        Column("Cost", _money(costs), "number", f"Of these turns. {_OF} {by_file(whole)}".rstrip()),
        Column("What it means", [SENTENCES[cost.code] if cost.code else "" for cost in costs], "long"),
    ]
    marks = [Mark(stage=cost.stage, code=cost.code, origin=cost.origin) for cost in costs]
    hrefs = [links.turns_href(within, mark) for mark in marks]
    tables.show_table("reasons", "what failures cost", columns, hrefs, seen=REASONS)
    return True


def spent(cost: FailureCost) -> str:
    """Return the tokens and cost of turns, with how many of the turns have them recorded, if not all."""
    took = (
        in_and_out(cost.input_tokens, cost.output_tokens) if cost.counted else "tokens that were not recorded"
    )
    of = f" (recorded of {cost.counted:,} of {cost.turns:,})" if 0 < cost.counted < cost.turns else ""
    money = f", {cost_of(cost)}" if cost.priced else ", at a cost that is not recorded"
    money += f" {by_file(cost)}".rstrip()
    return took + of + money


def show_failures(within: Filter) -> bool:
    """Show each reason by action, with its share and an example; return whether there are any."""
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
"""The label of the table of failure groups."""
WAYS: dict[str, Callable[[Filter], bool]] = {
    "loops": show_loops,
    "by reason": show_costs,
    "by action": show_failures,
}
"""The other tables of failures, by their labels."""


def place(failure: Failure | FailureCost) -> str:
    """Return the stage of a failure, and whether the recorded agent had executed it."""
    return f"{failure.stage} (recorded agent)" if failure.origin is Origin.RECORDED else str(failure.stage)


def example(failure: Failure) -> str:
    """Return a reason's meaning, with the details of one case."""
    return f"{SENTENCES[failure.code]} {failure.detail}".strip()
