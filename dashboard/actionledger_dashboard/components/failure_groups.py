"""Groups of failures, the costliest first: what they have in common, and what they made sessions spend."""

from collections.abc import Sequence

import streamlit as st

from actionledger.core.ids import derived_id
from actionledger.core.plurals import counted
from actionledger.core.vocabulary import SENTENCES, Origin
from actionledger.ledger.queries import Filter, Mark
from actionledger.ledger.queries.failures import Spent
from actionledger.ledger.queries.naming import session_names
from actionledger.replay.failures import failures, group_turns
from actionledger.replay.grouping.groups import FailureGroup, FailureKey, FailureReport
from actionledger_dashboard.components import links, tables
from actionledger_dashboard.components.anchors import show_anchors
from actionledger_dashboard.components.costs import by_file, cost_of
from actionledger_dashboard.components.tables import Column
from actionledger_dashboard.components.wording import NOT_RECORDED, interval, known
from actionledger_dashboard.data import ask

GROUPS = 100  # so many have a row
SEEN = 8  # so many are seen at once; the others by scrolling
_OF = "Where it is recorded of some of them alone, of how many."
TURNS = 200  # so many of a group's turns are listed


def show_failure_groups(report: FailureReport, within: Filter) -> bool:
    """Show the groups with what they cost; return whether there is any."""
    if not report.groups:
        return False
    shown = f", of which the {GROUPS} costliest are shown" if len(report.groups) > GROUPS else ""
    st.caption(
        f"{counted(len(report.groups), 'group')}{shown}; loops have a list of their own. Sessions spent {spent_on(report.spent)} until an action got through: "
        "a turn counts once in that sum, and in the row of each group that it was spent on."
    )
    _show_table(report.groups[:GROUPS])
    show_turns_of_group(report.groups, within)
    return True


def show_loops(within: Filter) -> bool:
    """Show where sessions go in circles, with what that cost; return whether any does."""
    report = ask(failures, within)
    groups = tuple(group for group in report.groups if group.key.is_loop)
    unknown = counted(report.loops.not_recorded, "session")
    st.caption(
        f"{counted(report.loops.sessions, 'session')} looked through; {unknown} could not be, since not all that came of them is recorded."
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
    """Return the columns of what is recorded of any of the groups."""
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
        found.append(Column("Cost", [cost_of(each) for each in spent], "number", by_file(priced)))
    return found


def spent_on(spent: Spent) -> str:
    """Return what a stretch of turns took, and of how many of them that is recorded."""
    said = counted(spent.turns, "turn")
    if spent.counted:
        of = f" (recorded of {spent.counted:,})" if spent.counted < spent.turns else ""
        said += f", {spent.input_tokens:,} tokens in and {spent.output_tokens:,} out{of}"
    if spent.priced:
        said += f", {cost_of(spent)} {by_file(spent)}".rstrip()
    return said if spent.counted or spent.priced else f"{said} (tokens and cost {NOT_RECORDED})"


def place_of(key: FailureKey) -> str:
    """Return where the failures of a group happen, and to which action."""
    stage = f"{key.stage} (elsewhere)" if key.origin is Origin.RECORDED else str(key.stage)
    return f"{stage}: {key.action}" if key.action else stage


def said_of(key: FailureKey) -> str:
    """Return what the failures of a group mean, and what is common to their messages."""
    return f"{SENTENCES[key.code]} {key.signature}".strip()


def group_id(key: FailureKey) -> str:
    """Return what stands for a group in a URL."""
    return derived_id("failures", *map(str, key))[-12:]


def group_href(group: FailureGroup) -> str:
    """Return the address of a group's turns: this page as it is, with them."""
    here = {name: st.query_params.get_all(name) for name in st.query_params}
    return links.group_href(here, group_id(group.key))


def show_turns_of_group(groups: Sequence[FailureGroup], within: Filter) -> None:
    """Show the turns of the group that the URL names, if it names one."""
    asked = st.query_params.get("group")
    if asked is None:
        return
    key = next((group.key for group in groups if group_id(group.key) == asked), None)
    if key is None:
        st.info("The group of failures that the link names has no turn within these filters.")
        return
    turns = ask(group_turns, key, within)
    names = ask(session_names, sorted({turn.session_id for turn in turns[:TURNS]}))
    st.text(
        f"{key.code} in {place_of(key)}: {counted(len(turns), 'turn')}"
        + (f", the first {TURNS}" if len(turns) > TURNS else "")
    )
    columns = [
        Column("Session", [names.get(turn.session_id, turn.session_id) for turn in turns[:TURNS]]),
        Column("Turn", [turn.turn_index for turn in turns[:TURNS]], "number"),
        Column("What it says", [turn.detail or SENTENCES[key.code] for turn in turns[:TURNS]], "long"),
    ]
    hrefs = [links.replay_href(turn.session_id, turn.turn_index, within.run_id) for turn in turns[:TURNS]]
    tables.show_table("group", "turns of the group", columns, hrefs, seen=SEEN, reveal=asked)
    if key.is_loop:
        return
    mark = Mark(stage=key.stage, code=key.code, action=key.action or None, origin=key.origin)
    show_anchors(
        "like it", [("with whatever message", links.turns_href(within, mark))], "All turns with this reason"
    )
