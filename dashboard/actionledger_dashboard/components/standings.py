"""A table of more than two sides; each cell links to its side's comparison with every other side by that measure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

import streamlit as st

from actionledger.core.rates import TOO_FEW, Rate, shown_p
from actionledger.core.text import NO_NAME, counted
from actionledger.ledger.queries import Filter
from actionledger.ledger.queries.standings import Side
from actionledger.replay.standings import Mean, Measured, Pair, Standing, measure_of, pairs, standings
from actionledger_dashboard.components import filters, links, notices, tables
from actionledger_dashboard.components.answers import points
from actionledger_dashboard.components.controls import heading
from actionledger_dashboard.components.sharing import offer_tables
from actionledger_dashboard.components.tables import Column
from actionledger_dashboard.components.widgets import Linked
from actionledger_dashboard.components.wording import dollars, visible
from actionledger_dashboard.data import ask

TABLE = "table"
"""The table's name among the ways to compare."""

SIDES: Final[Mapping[str, Side]] = {
    "models": "model",
    "agents": "agent",
    "versions": "version",
    "prompts": "prompt",
    "weeks": "week",
    "profiles": "profile",
    "sources": "source",
    "tasks": "task",
}
SHOWN: Final = 50
"""The number of sides that are shown."""

NAMES: Final[Mapping[Measured, str]] = {
    "success": "Recorded success",
    "finished": "Finished",
    "parsed": "Parsed",
    "failures": "Failures per 100 calls",
    "cost": "Cost per session",
}
_MEANINGS: Final[Mapping[Measured, str]] = {
    "success": "Sessions that their source calls a success, of those of which it says so or the contrary.",
    "finished": "Sessions that finished, of all.",
    "parsed": "Responses parsed, of those that were kept as raw text and meant to act; only where the same parsers read them.",
    "failures": "Executions that failed, of those that were attempted; each try counts.",
    "cost": "The mean over sessions of which any cost is known.",
}
_FIELDS: Final[Mapping[Side, str]] = {
    "model": "models",
    "agent": "agents",
    "profile": "profiles",
    "source": "sources",
    "task": "tasks",
}
"""The filter field for each kind of side."""

_PAIRED: Final = ("models", "sources", "profiles")
"""The kinds whose sides can be compared in pairs in all measures, turn by turn or task by task."""


def show_table(linked: Linked) -> None:
    """Show the picked sides and, if a cell is requested, its side against the others."""
    of = linked.switch("Sides", "of", list(SIDES))
    within = filters.pick(linked, of_runs=False)
    found = ask(standings, SIDES[of], within)
    if not found:
        notices.nothing_found()
        return
    named = [each for each in found if each.label]
    if len(found) < 2:
        notices.one_label(of, found[0].label or NO_NAME, is_named=bool(named))
        return
    heading(
        f"{of.capitalize()} side by side",
        "Each number with its 95 % interval over sessions, and out of how many. A number opens its tests against the others.",
    )
    if len(found) > SHOWN:
        st.caption(f"The {SHOWN} with the most sessions, of {len(found):,}.")
    measures = [measure for measure in NAMES if any(_has(each, measure) for each in found[:SHOWN])]
    shared = [(f"{of.capitalize()} side by side", _show_sides(of, found[:SHOWN], measures, within))]
    _say_what_is_left_out(found[:SHOWN])
    asked = st.query_params.get("measure")
    if asked is not None:
        shared += _show_pairs(of, found, asked, st.query_params.get("row", ""), within)
    offer_tables("standings", f"{of} side by side", shared)


def _has(standing: Standing, measure: Measured) -> bool:
    return measure_of(standing, measure).value is not None


def _show_sides(
    of: str, found: Sequence[Standing], measures: Sequence[Measured], within: Filter
) -> list[Column]:
    columns = [
        Column(of.removesuffix("s").capitalize(), [each.label or NO_NAME for each in found]),
        Column("Sessions", [each.sessions for each in found], "number"),
        Column("Responses", [each.responses for each in found], "number"),
        *(
            Column(
                NAMES[measure],
                [shown(measure_of(each, measure), measure) for each in found],
                meaning=_MEANINGS[measure],
                hrefs=[_cell_href(of, measure, each.label, within) for each in found],
            )
            for measure in measures
        ),
    ]
    tables.show_table(
        "standings", f"{of} side by side", columns, [_href(of, each.label, within) for each in found]
    )
    return columns


def _say_what_is_left_out(found: Sequence[Standing]) -> None:
    """Say for how many sides no parse rate is shown, although their text was recorded."""
    apart = sum(1 for each in found if each.parsed.count and not each.is_comparable)
    if apart:
        st.caption(
            f"No parse rate for {counted(apart, 'side')}: other parsers read them, so that the rates are not of one thing."
        )


def shown(value: Rate | Mean, measure: Measured) -> str:
    """Return a measure with its interval and its count; empty if nothing was counted."""
    if value.value is None:
        return ""
    interval = value.interval
    if isinstance(value, Mean):
        between = f"{dollars(interval[0])} – {dollars(interval[1])}" if interval else TOO_FEW
        return f"{dollars(value.value)} ({between}) of {len(value.values):,}"
    if measure == "failures":
        between = f"{100 * interval[0]:.1f} – {100 * interval[1]:.1f}" if interval else TOO_FEW
        return f"{100 * value.value:.1f} ({between}) of {value.count:,}"
    between = f"{interval[0]:.1%} – {interval[1]:.1%}" if interval else TOO_FEW
    return f"{value.shown_value} ({between}) of {value.count:,}"


def _cell_href(of: str, measure: Measured, label: str, within: Filter) -> str:
    asked: links.Parameters = {"as": TABLE, "of": of, "measure": measure, "row": label}
    return links.compare_href(asked | links.filter_parameters(within))


def _href(of: str, label: str, within: Filter) -> str:
    """Return the link to a side's sessions; empty if no filter can pick them."""
    if not label:
        return ""
    side = SIDES[of]
    if side == "week":
        since = datetime.fromisoformat(label)
        until = since + timedelta(weeks=1)
        return links.sessions_href(
            replace(
                within,
                since=max(since, within.since or since),
                until=min(until, within.until or until),
            )
        )
    only: dict[str, Any] = {_FIELDS[side]: (label,)} if side in _FIELDS else {}
    return links.sessions_href(replace(within, **only)) if only else ""


def _show_pairs(
    of: str, found: Sequence[Standing], asked: str, label: str, within: Filter
) -> list[tuple[str, list[Column]]]:
    """Show one side against each other one, by the measure of the pressed cell."""
    measure = next((each for each in NAMES if each == asked), None)
    if measure is None or all(each.label != label for each in found):
        st.info("The link names a cell that this table does not have.")
        return []
    made = pairs(found, label, measure)
    first = next(measure_of(each, measure) for each in found if each.label == label)
    heading(
        "Against each other one",
        "p: permutation test of sessions, corrected for all these pairs (Holm).",
    )
    st.text(f"{NAMES[measure]}, {visible(label or NO_NAME)}: {shown(first, measure) or 'nothing counted'}")
    if not made:
        st.info("No other side has this measure.")
        return []
    columns = [
        Column(of.removesuffix("s").capitalize(), [each.label or NO_NAME for each in made]),
        Column(NAMES[measure], [_value(each.value, measure) for each in made]),
        Column("Difference", [_change(each.change, measure) for each in made]),
        Column("95 % interval", [_between(each, measure) for each in made]),
        Column("p (Holm)", ["–" if each.p_value is None else shown_p(each.p_value) for each in made]),
        Column(
            "", [_verdict(each) for each in made], "verdict", looks=[_look(each, measure) for each in made]
        ),
    ]
    hrefs = [_pair_href(of, label, each.label, within) for each in made]
    tables.show_table(
        "pairs",
        "against each other one",
        columns,
        hrefs if any(hrefs) else None,
        reveal=f"{asked} {label}",
    )
    return [(f"{NAMES[measure]}: {label or NO_NAME} against each other one", columns)]


def _value(value: float, measure: Measured) -> str:
    if measure == "cost":
        return dollars(value)
    return f"{100 * value:.1f}" if measure == "failures" else f"{value:.1%}"


def _change(change: float, measure: Measured) -> str:
    """Return a difference with its sign: in dollars, or in points."""
    if measure == "cost":
        return f"{'−' if change < 0 else '+'}{dollars(abs(change))}"
    return points(change)


def _between(pair: Pair, measure: Measured) -> str:
    if pair.difference is None:
        return TOO_FEW
    return " to ".join(_change(end, measure) for end in pair.difference)


def _verdict(pair: Pair) -> str:
    if pair.p_value is None:
        return "inconclusive"
    return "may be chance" if pair.p_value >= 0.05 else "higher" if pair.change > 0 else "lower"


def _look(pair: Pair, measure: Measured) -> str:
    verdict = _verdict(pair)
    if verdict not in {"higher", "lower"}:
        return "idle"
    return "good" if (verdict == "higher") is (measure not in {"failures", "cost"}) else "bad"


def _pair_href(of: str, one: str, other: str, within: Filter) -> str:
    """Return the link to two sides in all measures; empty if that page can't pick them."""
    if of not in _PAIRED:
        return ""
    name = SIDES[of]
    asked: links.Parameters = {"by": of, f"before_{name}": one, f"after_{name}": other}
    return links.compare_href(asked | links.filter_parameters(within))
