"""Is it getting better, what breaks, and where: every number leads to the turns behind it."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any, NoReturn

import streamlit as st

from actionledger.clock import now
from actionledger.ledger import queries
from actionledger.ledger.queries import Dimension, Filter, Funnel, Mark, Unit
from actionledger.plurals import counted
from actionledger.rates import TOO_FEW, Rate
from actionledger.vocabulary import ExecutionStatus, Origin, Outcome, RunKind
from actionledger_dashboard.components import charts, filters, links, notices
from actionledger_dashboard.components.anchors import show_anchors
from actionledger_dashboard.components.charts import Group, Step
from actionledger_dashboard.components.failures import show_reasons
from actionledger_dashboard.components.linked import Linked
from actionledger_dashboard.components.links import filter_parameters
from actionledger_dashboard.components.metrics import show_metrics
from actionledger_dashboard.components.navigation import go_to
from actionledger_dashboard.components.sides import FIRST
from actionledger_dashboard.components.wording import kept, out_of
from actionledger_dashboard.data import ask

UNITS: dict[str, Unit] = {"by day": "day", "by week": "week"}
BY_DAY_AT_MOST = timedelta(weeks=6)  # a longer course is by week, unless the reader wants the days

GROUPS = 30  # the most that are shown
DIMENSIONS: dict[str, Dimension] = {
    "by model": "model",
    "by profile": "profile",
    "by task": "task",
    "by source": "source",
}
WHOLE = tuple(str(outcome) for outcome in Outcome if outcome.is_success)


def show() -> None:
    """Show the page."""
    if ask(queries.dimensions).is_empty:
        notices.empty_ledger()
        return
    linked = Linked("overview")
    within = filters.pick(linked)
    found = ask(queries.funnel, within)
    show_metrics(found)
    show_comparisons(within)
    show_unread(within)
    if not found.responses:
        notices.nothing_found()
        return
    left, right = st.columns(2, gap="medium")
    with left:
        show_funnel(found, within)
    with right:
        show_trend(linked, within)
    show_reasons(linked, within)
    show_groups(linked, within)


def show_comparisons(within: Filter) -> None:
    """Lead to whether a run, a model or a period is better than another, under the page's filters."""
    rereadings = [run for run in ask(queries.runs) if run.kind is RunKind.REPARSE and run.attempts]
    shared = filter_parameters(replace(within, run_id=None))
    anchors = []
    if rereadings:
        newest = next((run for run in rereadings if run.run_id == within.run_id), rereadings[-1])
        pair: links.Parameters = {"by": "runs", "before_run": FIRST, "after_run": newest.run_id}
        anchors.append((f"{newest.name or 'the last re-reading'} with the first readings", pair))
    known = ask(queries.dimensions)
    several = {"models": known.models, "sources": known.sources, "profiles": known.profiles}
    anchors += [(kind, {"by": kind}) for kind, values in several.items() if len(values) > 1]
    anchors.append(("periods", {"by": "periods"}))
    targets = [(text, links.compare_href(parameters | shared)) for text, parameters in anchors]
    show_anchors("comparisons", targets, "Is it better? Compare")


NOTHING_TO_RATE = "No response within these filters meant to act and was recorded as it was written."


def show_unread(within: Filter) -> None:
    """Say it where responses were recorded and never read."""
    if unread := ask(queries.unread, within):
        st.warning(
            f"Recorded and never read, since their run was cut off: {counted(unread, 'response')}, in no rate."
        )


def show_funnel(found: Funnel, within: Filter) -> None:
    """Show how far responses and actions get."""
    st.subheader("How far they get", help="Select a bar: the turns that stop there.", anchor=False)
    no_intent = Mark(outcomes=("no_action", "abstained", "empty"))
    responses = [
        Step("Responses", found.responses, found.responses, Mark()),
        Step("Meant to act", found.intent, found.responses, no_intent),
    ]
    audited = found.parse_success.count
    if found.not_auditable:
        responses.append(Step("Can be audited", audited, found.intent, Mark()))
    if audited:
        responses += [
            Step("Read whole", found.parsed, audited, Mark(stage="reading")),
            Step("With a valid action", found.with_valid, found.parsed, Mark(stage="checking")),
        ]
    actions = [
        Step("Actions read", found.decoded, found.decoded, Mark(outcomes=("clean", "repaired", "partial"))),
        Step("With a catalogue", found.validation.count, found.decoded, Mark()),
        Step("Valid", found.validation.successes, found.validation.count, Mark(stage="checking")),
    ]
    if found.validation.count == found.decoded:
        del actions[1]
    elif not found.validation.count:
        del actions[1:]
    here = execution_steps(OURS, found.tries, found.execution, Origin.RUNTIME)
    elsewhere = execution_steps(THEIRS, found.recorded, found.recorded_execution, Origin.RECORDED)
    parts = {"responses": responses, "actions": actions, "executions": here, "recorded": elsewhere}
    for name, steps in parts.items():
        if not steps:
            continue
        if name == "recorded":
            st.caption("What became of the calls where another runtime ran them, as its recording says:")
        picked = st.altair_chart(charts.funnel_chart(steps), key=f"funnel_{name}", on_select="rerun")
        for point in charts.picked_points(picked):
            open_turns(within, next(step.opens for step in steps if step.label == point["step"]))
    if found.not_auditable:
        st.caption(
            f"In no rate of reading, since their recordings have the calls and not how they were written: "
            f"{counted(found.not_auditable, 'response')}."
        )
    if found.taken_back.count:
        st.caption(f"Actions done and undone since: {out_of(found.taken_back)}.")


UNTRIED = tuple(status for status in ExecutionStatus if not status.was_attempted)
MISSED = tuple(
    status for status in ExecutionStatus if status.was_attempted and status is not ExecutionStatus.SUCCEEDED
)
OURS = ("Executions", "Executions tried", "Executions succeeded")
THEIRS = ("Results recorded", "Tried elsewhere", "Succeeded elsewhere")


def execution_steps(
    names: tuple[str, str, str], tries: Mapping[ExecutionStatus, int], succeeded: Rate, origin: Origin
) -> list[Step]:
    """Return the part of the funnel behind reading and checking, ours or theirs; empty where there is none.

    Args:
        names: what the steps are called.
        tries: what came of each.
        succeeded: those that succeeded, of those that were tried.
        origin: whose they are.
    """
    if not tries:
        return []
    whole, tried = sum(tries.values()), succeeded.count
    steps = [
        Step(names[0], whole, whole, Mark(origin=origin)),
        Step(names[1], tried, whole, Mark(executions=UNTRIED, origin=origin)),
        Step(names[2], succeeded.successes, tried, Mark(executions=MISSED, origin=origin)),
    ]
    return steps if tried < whole else steps[1:]


def show_trend(linked: Linked, within: Filter) -> None:
    """Show parse success over time."""
    known = ask(queries.dimensions)
    is_long = known.first is not None and known.last is not None and known.last - known.first > BY_DAY_AT_MOST
    title, choice = st.columns([3, 2], vertical_alignment="bottom")
    title.subheader("Parse success over time", help="Select a point: the turns of that period.", anchor=False)
    with choice:
        units = sorted(UNITS, reverse=is_long)
        unit = UNITS[linked.switch("Unit", "unit", units)]
    trend = ask(queries.success_over_time, within, unit)
    if not trend.periods:
        st.info("These turns carry no time." if trend.undated else NOTHING_TO_RATE)
        return
    if trend.undated:
        st.caption(f"Without a time, and so not in this chart: {counted(trend.undated, 'response')}.")
    picked = st.altair_chart(charts.trend_chart(trend, now()), key="trend", on_select="rerun")
    for point in charts.picked_points(picked):
        period = next(period for period in trend.periods if period.start.date().isoformat() == point["day"])
        open_turns(replace(within, since=period.start, until=period.end), Mark())


def show_groups(linked: Linked, within: Filter) -> None:
    """Show parse success for each value of a dimension, and in which dialects its responses were read."""
    title, choice = st.columns([3, 2], vertical_alignment="bottom")
    title.subheader(
        "Where they are read",
        help="Parse success with its 95 % interval, out of all that meant to act; beside it, in which dialect they were "
        "read. Select a point or a part of a bar: its turns.",
        anchor=False,
    )
    with choice:
        dimension = DIMENSIONS[linked.switch("By", "by", list(DIMENSIONS))]
    found = [
        Group(label, funnel.parse_success, kept(funnel.captures))
        for label, funnel in ask(queries.funnel_by, dimension, within)
        if funnel.parse_success.count
    ]
    if not found:
        st.info(NOTHING_TO_RATE)
        return
    groups = sorted(found[:GROUPS], key=lambda group: (-(group.rate.value or 0), group.label))
    if len(groups) < len(found):
        st.caption(f"The {GROUPS} with the most responses, of {len(found):,}.")
    left, right = st.columns(2, gap="medium")
    with left:
        picked = st.altair_chart(
            charts.groups_chart(groups), key="groups", on_select="rerun", alt="Parse success by group"
        )
        for point in charts.picked_points(picked):
            open_turns(narrowed(within, dimension, point["label"]), Mark())
        if without := [group for group in groups if group.rate.interval is None]:
            st.caption(
                f"Without an interval, since they have {TOO_FEW}: {len(without):,} of {len(groups):,}."
            )
    with right:
        parts = ask(queries.dialects_by, dimension, within)
        if not parts:
            st.info("None of them could be read whole, so that there is no dialect to show.")
            return
        picked = st.altair_chart(
            charts.dialects_chart(parts, [group.label for group in groups]),
            key="dialects",
            on_select="rerun",
            alt="In which dialect they were read",
        )
        for point in charts.picked_points(picked):
            mark = Mark(outcomes=WHOLE, dialects=(point["dialect"],))
            open_turns(narrowed(within, dimension, point["label"]), mark)


def narrowed(within: Filter, dimension: Dimension, label: str) -> Filter:
    """Return a filter that lets through one value of a dimension alone."""
    only: dict[str, Any] = {f"{dimension}s": (label,)}
    return replace(within, **only)


def open_turns(within: Filter, mark: Mark) -> NoReturn:
    """Go on to the turns behind a number."""
    go_to(links.turns_href(within, mark))


show()
