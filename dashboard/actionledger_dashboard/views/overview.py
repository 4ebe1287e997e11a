"""Is it getting better, what breaks, and where: every number leads to the turns behind it."""

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, NoReturn

import streamlit as st

from actionledger.ledger import queries
from actionledger.ledger.queries import Filter, Funnel, Mark, Unit
from actionledger.vocabulary import SENTENCES, ExecutionStatus
from actionledger_dashboard.components import charts, filters, links, notices, tables
from actionledger_dashboard.components.charts import Step
from actionledger_dashboard.components.linked import Linked
from actionledger_dashboard.components.metrics import show_metrics
from actionledger_dashboard.components.wording import counted, out_of
from actionledger_dashboard.data import ask

UNITS: dict[str, Unit] = {"by day": "day", "by week": "week"}
REASONS = 8  # so many are seen at once; the others by scrolling
BY_DAY_AT_MOST = timedelta(weeks=6)  # a longer course is by week, unless the reader wants the days

DIALECTS, MODELS = 12, 30  # the most that the matrix shows


def show() -> None:
    """Show the page."""
    if ask(queries.dimensions).is_empty:
        notices.empty_ledger()
        return
    linked = Linked("overview")
    within = filters.pick(linked)
    found = ask(queries.funnel, within)
    show_metrics(found)
    show_unread(within)
    if not found.responses:
        notices.nothing_found()
        return
    left, right = st.columns(2, gap="medium")
    with left:
        show_funnel(linked, found, within)
    with right:
        show_trend(linked, within)
    show_reasons(linked, within)
    show_matrix(linked, within)


def show_unread(within: Filter) -> None:
    """Say it where responses were recorded and never read."""
    if unread := ask(queries.unread, within):
        st.warning(
            f"Recorded and never read, since their run was cut off: {counted(unread, 'response')}, in no rate."
        )


def show_funnel(linked: Linked, found: Funnel, within: Filter) -> None:
    """Show how far responses and actions get."""
    st.subheader("How far they get", help="Select a bar: the turns that stop there.", anchor=False)
    no_intent = Mark(outcomes=("no_action", "abstained", "empty"))
    responses = [
        Step("Responses", found.responses, found.responses, Mark()),
        Step("Meant to act", found.intent, found.responses, no_intent),
        Step("Read whole", found.parsed, found.intent, Mark(stage="reading")),
        Step("With a valid action", found.with_valid, found.parsed, Mark(stage="checking")),
    ]
    actions = [
        Step("Actions read", found.decoded, found.decoded, Mark(outcomes=("clean", "repaired", "partial"))),
        Step("Valid", found.runnable, found.decoded, Mark(stage="checking")),
    ]
    executions: list[Step] = []
    if found.tries:
        untried = tuple(status for status in ExecutionStatus if not status.was_attempted)
        tried = tuple(status for status in ExecutionStatus if status.was_attempted)
        failed = tuple(status for status in tried if status is not ExecutionStatus.SUCCEEDED)
        rate = found.execution
        executions = [
            Step("Executions tried", rate.count, rate.count, Mark(executions=untried)),
            Step("Executions succeeded", rate.successes, rate.count, Mark(executions=failed)),
        ]
    for name, steps in (("responses", responses), ("actions", actions), ("executions", executions)):
        if not steps:
            continue
        picked = st.altair_chart(charts.funnel_chart(steps), key=f"funnel_{name}", on_select="rerun")
        for point in charts.picked_points(picked):
            open_turns(linked, within, next(step.opens for step in steps if step.label == point["step"]))


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
        st.info(
            "These turns carry no time."
            if trend.undated
            else "No response within these filters meant to act."
        )
        return
    if trend.undated:
        st.caption(f"Without a time, and so not in this chart: {counted(trend.undated, 'response')}.")
    picked = st.altair_chart(
        charts.trend_chart(trend, datetime.now(UTC).replace(tzinfo=None)), key="trend", on_select="rerun"
    )
    for point in charts.picked_points(picked):
        period = next(period for period in trend.periods if period.start.date().isoformat() == point["day"])
        open_turns(linked, replace(within, since=period.start, until=period.end), Mark())


def show_reasons(linked: Linked, within: Filter) -> None:
    """Show why things fail, and how often."""
    st.subheader("Why they fail", anchor=False)
    found = ask(queries.reasons, within)
    if not found:
        st.info("Nothing failed: all that was meant could be read, was valid, and was done.")
        return
    widest = max(failure.turns.value or 0 for failure in found)
    columns: dict[str, list[Any]] = {
        "open": ["Turns"] * len(found),
        "stage": [failure.stage for failure in found],
        "code": [str(failure.code) for failure in found],
        "meaning": [SENTENCES[failure.code] for failure in found],
        "action": [failure.action for failure in found],
        "share": [failure.turns.value for failure in found],
        "turns": [out_of(failure.turns) for failure in found],
        "count": [failure.count for failure in found],
        "detail": [failure.detail for failure in found],
    }
    shown = {
        "stage": "Where",
        "code": "Reason",
        "meaning": st.column_config.TextColumn("What it means", width=320),
        "action": st.column_config.TextColumn("Action", width=120),
        "share": tables.share_column("Turns", "Turns that have it, of those that meant to act.", widest),
        "turns": st.column_config.TextColumn("n, and 95 % interval", width=180),
        "count": st.column_config.NumberColumn(
            "Times", help="Failed responses, refused fields or executions."
        ),
        "detail": st.column_config.TextColumn("For example", width=230),
    }
    row = tables.show_table("reasons", columns, shown, rows=REASONS)
    if row is not None:
        failure = found[row]
        open_turns(
            linked, within, Mark(stage=failure.stage, code=failure.code, action=failure.action or None)
        )


def show_matrix(linked: Linked, within: Filter) -> None:
    """Show parse success where dialects and models meet."""
    st.subheader("Dialect and model", help="Select a cell: its turns.", anchor=False)
    cells = ask(queries.matrix, within=within)
    if not cells:
        st.info("No response within these filters meant to act.")
        return
    dialects, models = Counter[str](), Counter[str]()
    for cell in cells:
        dialects[cell.row] += cell.success.count
        models[cell.column] += cell.success.count
    kept_dialects = {name for name, _ in dialects.most_common(DIALECTS)}
    kept_models = {name for name, _ in models.most_common(MODELS)}
    kept = [cell for cell in cells if cell.row in kept_dialects and cell.column in kept_models]
    if len(kept) < len(cells):
        st.caption(
            f"The {DIALECTS} most frequent of {len(dialects)} dialects and {MODELS} of {len(models)} models."
        )
    picked = st.altair_chart(charts.matrix_chart(kept), width="content", key="matrix", on_select="rerun")
    for point in charts.picked_points(picked):
        open_turns(linked, replace(within, dialects=(point["dialect"],), models=(point["model"],)), Mark())


def open_turns(linked: Linked, within: Filter, mark: Mark) -> NoReturn:
    """Go on to the turns behind a number."""
    filters.leave(linked, within)
    links.to_turns(within, mark)


show()
