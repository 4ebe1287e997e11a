"""Compares several sides in a table, two sides turn by turn or as independent samples, or two sessions side by side."""

from collections.abc import Iterator, Mapping

import streamlit as st

from actionledger.core.errors import UsageError
from actionledger.core.text import counted
from actionledger.core.vocabulary import RunKind
from actionledger.ledger import queries
from actionledger.ledger.queries import Bucket
from actionledger.replay.comparison import compare
from actionledger.replay.contrasts import Contrast
from actionledger.replay.paired import PairedComparison, PairedGroup, compare_by
from actionledger.report.comparisons import in_words
from actionledger.report.exports.reports import comparison_report, contrast_report
from actionledger_dashboard.components import links, notices, tables
from actionledger_dashboard.components.answers import show_contrast, show_paired
from actionledger_dashboard.components.comparison_tables import (
    GROUPINGS,
    NAMES,
    OF_DIALECT,
    WORST_FIRST,
    Listed,
    show_buckets,
    show_groups,
    show_measures,
    show_turns,
    turn_href,
)
from actionledger_dashboard.components.controls import show_anchors
from actionledger_dashboard.components.fields import place_of
from actionledger_dashboard.components.readings import Step, show_readings
from actionledger_dashboard.components.sharing import offer_page
from actionledger_dashboard.components.sides import FIRST, Sides, pick_sides
from actionledger_dashboard.components.standings import TABLE, show_table
from actionledger_dashboard.components.two_sessions import SESSIONS, show_two_sessions
from actionledger_dashboard.components.widgets import Linked, page_of
from actionledger_dashboard.data import ask, opened

TWO = "two sides"
"""The name of the comparison of two sides among the ways to compare."""


def show() -> None:
    """Show the page."""
    if ask(queries.dimensions).is_empty:
        notices.empty_ledger()
        return
    linked = Linked("compare")
    way = linked.switch("Ways to compare", "as", (TABLE, TWO, SESSIONS), default_way())
    if way == TABLE:
        show_table(linked)
    elif way == SESSIONS:
        show_two_sessions(linked)
    else:
        show_two(linked)


def default_way() -> str:
    """Return how to compare if the link doesn't say: two sides if it names one, or if the same turns were parsed twice."""
    is_addressed = any(name == "by" or name.startswith(("before_", "after_")) for name in st.query_params)
    rereadings = any(run.kind is RunKind.REPARSE and run.attempts for run in ask(queries.runs))
    return TWO if is_addressed or rereadings else TABLE


def show_two(linked: Linked) -> None:
    """Show two sides, turn by turn if both have parsed the same turns."""
    sides = pick_sides(linked)
    if sides is None:
        return
    try:
        found = ask(compare, sides.before.within, sides.after.within)
    except UsageError as error:
        notices.not_comparable(error)
        return
    if isinstance(found, Contrast):
        show_sets(found, sides)
    elif "session" in st.query_params:
        show_turn(sides)
    else:
        show_pairs(linked, found, sides)


def show_sets(found: Contrast, sides: Sides) -> None:
    """Show two sides that share no turns: their measures, and other facts."""
    show_contrast(found)
    show_anchors("itself", [("Link to this comparison", sides.href())])
    st.subheader(
        "How far each gets",
        help="Each share with its 95 % interval, which takes a session for one cluster.",
        anchor=False,
    )
    names = (sides.before.label, sides.after.label)
    offer_page("comparison", " and ".join(names), lambda: contrast_report(found, names))
    from actionledger_dashboard.components.contrast_chart import contrast_chart  # noqa: PLC0415 - Altair is slow to load

    chart = contrast_chart(found.measures, NAMES, sides.before.label, sides.after.label)
    st.altair_chart(chart, key="measures_chart", alt="The measures of both sides")
    show_measures(found.measures, sides)


def show_pairs(linked: Linked, found: PairedComparison, sides: Sides) -> None:
    """Show two runs over the same turns: the answer, the changes, the turns, and the groups."""
    show_paired(found, sides)
    show_anchors("itself", [("Link to this comparison", sides.href())])
    offer_readings(sides)
    st.subheader("What changed", help="A row leads to its turns, below.", anchor=False)
    show_buckets(found, sides)
    st.subheader("Turns", anchor=False)
    listed, count = pick_listed(linked, found, sides)
    title, pages = st.columns([3, 3], vertical_alignment="center")
    title.caption(f"{counted(count, 'turn')}: {in_words(listed.bucket)}. A row opens both readings.")
    with pages:
        offset = page_of(linked, count, tables.PAGE)
    if count:
        show_turns(turns_of(sides, listed, tables.PAGE, offset), sides, listed)
    show_groups(linked, sides)


def offer_readings(sides: Sides) -> None:
    """Offer two readings of the same turns as a file."""
    after = sides.after.within.run_id
    if after is None:
        return
    names, before = (sides.before.label, sides.after.label), sides.before.within.run_id

    def pieces() -> Iterator[str]:
        return comparison_report(queries.compare_runs(opened(), before, after, within=sides.within), names)

    offer_page("comparison", " and ".join(names), pieces)


def pick_listed(linked: Linked, found: PairedComparison, sides: Sides) -> tuple[Listed, int]:
    """Let the user pick a bucket (by default the worst one that has turns) and a dialect; return them with the number of turns."""
    left, right, _ = st.columns([2, 2, 2])
    dialect, counts = None, found.counts
    if by_dialect := groups_by_dialect(sides):
        whole = {"": f"all dialects · {found.intent:,}"}
        options = {label: f"{label} · {group.intent:,}" for label, group in by_dialect.items()}
        with right:
            dialect = linked.one("Dialect", OF_DIALECT, whole | options) or None
        linked.stop_at_unknown()
        counts = by_dialect[dialect].counts if dialect else counts
    with left:
        bucket = pick_bucket(linked, counts)
    return Listed(bucket, dialect), counts[bucket]


def groups_by_dialect(sides: Sides) -> Mapping[str, PairedGroup]:
    """Return the groups by dialect if the URL names a dialect or groups by it; else none are queried."""
    after = sides.after.within.run_id
    is_by = GROUPINGS.get(st.query_params.get("group", "")) == "dialect"
    if after is None or not (is_by or OF_DIALECT in st.query_params):
        return {}
    found = ask(compare_by, sides.before.within.run_id, after, "dialect", within=sides.within)
    return {group.label: group for group in found}


def pick_bucket(linked: Linked, counts: Mapping[Bucket, int]) -> Bucket:
    """Let the user pick a bucket, by default the worst one that has turns."""
    there = [bucket for bucket in WORST_FIRST if counts[bucket]]
    options: dict[str, str] = {each: f"{in_words(each)} · {counts[each]:,}" for each in there}
    options |= {each: f"{in_words(each)} · 0" for each in WORST_FIRST if each not in options}
    picked = linked.one("Read again", "bucket", options)
    linked.stop_at_unknown()
    return next(each for each in WORST_FIRST if each == picked)


def turns_of(sides: Sides, listed: Listed, limit: int, offset: int) -> list[queries.ComparedTurn]:
    """Return some of the listed turns."""
    before, after = sides.before.within.run_id, sides.after.within.run_id
    if after is None:
        return []
    return ask(
        queries.compared_turns,
        before,
        after,
        within=sides.within,
        buckets=(listed.bucket,),
        dialect=listed.dialect,
        limit=limit,
        offset=offset,
    )


def show_turn(sides: Sides) -> None:
    """Show both readings of the turn that the URL names, with links to its neighbours in the bucket."""
    session_id, number = st.query_params["session"], st.query_params.get("turn", "0")
    index = place_of(number)
    runs = (sides.before.within.run_id, sides.after.within.run_id)
    details = [ask(queries.turn, session_id, index, run_id) for run_id in runs]
    before, after = details
    asked = st.query_params.get("bucket", "")
    bucket = next((each for each in WORST_FIRST if each == asked), None)
    listed = Listed(bucket, st.query_params.get(OF_DIALECT) or None) if bucket else None
    back = sides.href(**listed.parameters) if listed else sides.href()
    if before is None or after is None:
        st.subheader("There is no such turn in this ledger", anchor=False)
        show_anchors("back", [("← The comparison", back)])
        return
    session = ask(queries.session, session_id)
    name = session.external_id or session_id if session else session_id
    anchors = [
        ("← The comparison", back),
        ("In the session's replay", links.replay_href(session_id, index, runs[0], beside=runs[1] or FIRST)),
    ]
    show_anchors("back", anchors)
    has_both = before.attempt is not None and after.attempt is not None
    difference = (
        ask(queries.compare_turn, runs[0], runs[1], before.response.turn_id) if has_both and runs[1] else None
    )
    steps, at = steps_within(sides, listed, session_id, index) if listed else ((), "")
    show_readings(
        [(f"Before: {sides.before.label}", before), (f"After: {sides.after.label}", after)],
        difference,
        place=f"{at}session {name}, turn {index}",
        steps=steps,
    )


STEPPED = 5_000
"""The number of a bucket's turns that can be stepped through."""


def steps_within(sides: Sides, listed: Listed, session_id: str, index: int) -> tuple[tuple[Step, ...], str]:
    """Return the links to a turn's neighbours among the listed turns, and its position in a few words."""
    turns = turns_of(sides, listed, STEPPED, 0)
    places = (
        place for place, turn in enumerate(turns) if (turn.session_id, turn.turn_index) == (session_id, index)
    )
    place = next(places, None)
    if place is None:
        return (), ""
    previous = turn_href(sides, listed, turns[place - 1]) if place else None
    following = turn_href(sides, listed, turns[place + 1]) if place + 1 < len(turns) else None
    words = in_words(listed.bucket) + (f" in {listed.dialect}" if listed.dialect else "")
    steps = (
        Step("◀", f"the turn before: {words}", ("k", "←"), previous),
        Step("▶", f"the next turn: {words}", ("j", "→"), following),
    )
    of = "more than " if len(turns) == STEPPED else ""
    return steps, f"{words} {place + 1:,} of {of}{len(turns):,}: "


show()
